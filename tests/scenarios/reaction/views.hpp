// The views of the reaction window: what it shows, in which colors and where. The window paints them, and the model of
// the matrix recognizes them in a screenshot by the colors of the marker and of the button.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace reaction {

struct Box {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    [[nodiscard]] constexpr bool contains(int px, int py) const {
        return px >= x && py >= y && px < x + width && py < y + height;
    }
};

/// `pressed`: the button has been pressed, and the program has not reacted yet.
enum class View { step_1, step_1_pressed, splash, step_2, step_2_pressed, done, dialog };

inline constexpr std::array all_views{View::step_1, View::step_1_pressed, View::splash,
                                      View::step_2, View::step_2_pressed, View::done,
                                      View::dialog};

/// "step_1", "step_1_pressed", ...
[[nodiscard]] std::string_view to_string(View view) noexcept;
/// The view with this name; empty for an unknown name.
[[nodiscard]] std::optional<View> view_of(std::string_view name) noexcept;

/// Colors are 0xRRGGBB.
using Rgb = std::uint32_t;
inline constexpr Rgb button_color = 0xE0C040;
inline constexpr Rgb pressed_button_color = 0x604008;
/// The color of the marker, which a view and its pressed form share.
[[nodiscard]] Rgb marker_color(View view) noexcept;
/// Whether the button of the view looks pressed.
[[nodiscard]] bool is_pressed(View view) noexcept;
/// The button of a view, in its window; empty if it has none.
[[nodiscard]] std::optional<Box> button_of(View view) noexcept;

inline constexpr const char* window_title = "Reaction";
inline constexpr const char* dialog_title = "Question";
inline constexpr Box window_size{0, 0, 900, 600};
/// The dialog covers the button of step 2; relative to the window.
inline constexpr Box dialog_place{430, 260, 380, 240};

struct Fill {
    Box box;
    Rgb color = 0;
};
/// A pixel that has this color once the picture is on the screen.
struct Probe {
    int x = 0;
    int y = 0;
    Rgb color = 0;
};
/// The content of a window: fills, painted in their order.
struct Picture {
    int width = 0;
    int height = 0;
    std::vector<Fill> fills{};
    std::vector<Probe> probes{};
};

/// The content of the dialog's window for View::dialog, otherwise of the main window. With
/// `quarter_seconds`, a clock in the corner shows this time.
[[nodiscard]] Picture picture_of(View view, std::optional<int> quarter_seconds = {});

} // namespace reaction
