// The input that the test window has received, in memory that it shares with the test.
#pragma once

#include <atomic>

struct SharedRect {
    std::atomic<int> left{0}, top{0}, right{0}, bottom{0}; // screen coordinates
};

struct TestWindowState {
    std::atomic<int> ready{0}; // the window has been painted
    SharedRect edit, button_a, button_b, area;
    std::atomic<int> clicks_a{0}, clicks_b{0};
    std::atomic<int> area_presses{0}, area_double_clicks{0}, area_right_clicks{0};
    std::atomic<int> area_releases{0};
    std::atomic<int> area_strays{0}; // moves and releases far from where the button was pressed
    std::atomic<int> wheel_units{0}, horizontal_wheel_units{0};
    std::atomic<int> key_presses{0};  // key-down messages
    std::atomic<int> keys_held{0};    // key-downs without their key-up
    std::atomic<int> selected_all{0}; // Ctrl+A arrived
    std::atomic<int> selection_begin{0}, selection_end{0};
    std::atomic<int> edit_focused{0};
    std::atomic<int> images_put{0}, images_taken{0}; // to and from the clipboard, on request
    std::atomic<unsigned long> image_pixels[2][2]{}; // of the image that was read, [y][x], as
                                                     // COLORREFs
    std::atomic<int> image_width{0}, image_height{0};
    std::atomic<int> answers{0}; // number of answers to message_answer
    std::atomic<int> reaction{
        -1}; // after a press in the area: milliseconds until the area is dark; at once, its
             // middle is dark; -1: it does not react
    std::atomic<int> hanging{0}, may_go_on{0}; // ends a requested hang
    std::atomic<int> text_length{0};
    wchar_t text[8192]{}; // of the edit control
};

// Messages to the window (WM_APP and above): copy an image of 2x2 pixels to the clipboard as a
// bitmap, read the image on the clipboard, hang, answer.
inline constexpr unsigned message_put_image = 0x8001;
inline constexpr unsigned message_take_image = 0x8002;
inline constexpr unsigned message_hang = 0x8003;
inline constexpr unsigned message_answer = 0x8004;
inline constexpr unsigned long put_image_pixels[2][2]{{0x0000FF, 0x00FF00}, {0xFF0000, 0x123456}};

// The area's left and right half, as COLORREFs.
inline constexpr unsigned long area_left_color = 0x3C1EC8;  // red 200, green 30, blue 60
inline constexpr unsigned long area_right_color = 0xDCA014; // red 20, green 160, blue 220
