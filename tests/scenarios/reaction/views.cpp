#include "views.hpp"

namespace reaction {
namespace {

constexpr Box marker{20, 20, 80, 60};
constexpr Rgb ink = 0x101010;

// Each digit is seven bars: top, upper left, upper right, middle, lower left, lower right, bottom.
constexpr std::array<unsigned, 10> segments{0b1110111, 0b0010010, 0b1011101, 0b1011011, 0b0111010,
                                            0b1101011, 0b1101111, 0b1010010, 0b1111111, 0b1111011};
constexpr std::array<Box, 7> bars{{{0, 0, 8, 2},
                                   {0, 0, 2, 8},
                                   {6, 0, 2, 8},
                                   {0, 7, 8, 2},
                                   {0, 8, 2, 8},
                                   {6, 8, 2, 8},
                                   {0, 14, 8, 2}}};

void add_digit(std::vector<Fill>& fills, int x, int y, int digit) {
    for (std::size_t i = 0; i < bars.size(); ++i)
        if ((segments[static_cast<std::size_t>(digit)] >> (bars.size() - 1 - i) & 1U) != 0)
            fills.push_back({{x + bars[i].x, y + bars[i].y, bars[i].width, bars[i].height}, ink});
}

/// Minutes, seconds and quarters of a second.
void add_clock(std::vector<Fill>& fills, int quarter_seconds) {
    const int seconds = quarter_seconds / 4;
    const std::array digits{seconds / 600 % 10, seconds / 60 % 10, seconds / 10 % 6, seconds % 10,
                            quarter_seconds % 4};
    int x = window_size.width - 100;
    for (const int digit : digits) {
        add_digit(fills, x, 30, digit);
        x += 12;
    }
}

Rgb background_of(View view) {
    switch (view) {
    case View::step_1:
    case View::step_1_pressed:
        return 0xF0F0F0;
    case View::splash:
        return 0x303848;
    case View::step_2:
    case View::step_2_pressed:
        return 0xC8DCF0;
    case View::done:
        return 0xD8ECC8;
    case View::dialog:
        break;
    }
    return 0xFFFFFF;
}

/// Bars that look like lines of text, other ones in each view.
void add_lines(std::vector<Fill>& fills, View view, const Box& window) {
    if (view == View::splash) return;
    const int first = view == View::done ? 110 : view == View::dialog ? 96 : 100;
    const int step = view == View::done ? 34 : 46;
    const int left = view == View::step_2 || view == View::step_2_pressed ? 60 : 320;
    if (view == View::dialog) {
        fills.push_back({{20, first, window.width - 60, 10}, 0x707880});
        return;
    }
    for (int i = 0; i < 8; ++i)
        fills.push_back({{left, first + step * i, 180 + 37 * (i * 5 % 7), 10}, 0x707880});
}

} // namespace

std::string_view to_string(View view) noexcept {
    switch (view) {
    case View::step_1:
        return "step_1";
    case View::step_1_pressed:
        return "step_1_pressed";
    case View::splash:
        return "splash";
    case View::step_2:
        return "step_2";
    case View::step_2_pressed:
        return "step_2_pressed";
    case View::done:
        return "done";
    case View::dialog:
        return "dialog";
    }
    return "?";
}

std::optional<View> view_of(std::string_view name) noexcept {
    for (const View view : all_views)
        if (to_string(view) == name) return view;
    return std::nullopt;
}

Rgb marker_color(View view) noexcept {
    switch (view) {
    case View::step_1:
    case View::step_1_pressed:
        return 0xB01030;
    case View::splash:
        return 0x808000;
    case View::step_2:
    case View::step_2_pressed:
        return 0x1030B0;
    case View::done:
        return 0x10A040;
    case View::dialog:
        break;
    }
    return 0xC06000;
}

bool is_pressed(View view) noexcept {
    return view == View::step_1_pressed || view == View::step_2_pressed;
}

std::optional<Box> button_of(View view) noexcept {
    switch (view) {
    case View::step_1:
    case View::step_1_pressed:
        return Box{80, 200, 200, 48};
    case View::step_2:
    case View::step_2_pressed:
        return Box{520, 360, 200, 48};
    case View::dialog:
        return Box{20, 170, 120, 44};
    case View::splash:
    case View::done:
        break;
    }
    return std::nullopt;
}

Picture picture_of(View view, std::optional<int> quarter_seconds) {
    const Box window =
        view == View::dialog ? Box{0, 0, dialog_place.width, dialog_place.height} : window_size;
    Picture picture{window.width, window.height, {}, {}};
    picture.fills.push_back({window, background_of(view)});
    add_lines(picture.fills, view, window);
    picture.fills.push_back({marker, marker_color(view)});
    picture.probes.push_back(
        {marker.x + marker.width / 2, marker.y + marker.height / 2, marker_color(view)});
    if (const auto button = button_of(view)) {
        const Rgb color = is_pressed(view) ? pressed_button_color : button_color;
        picture.fills.push_back({*button, color});
        picture.fills.push_back(
            {{button->x + 20, button->y + button->height / 2 - 4, button->width - 40, 8}, ink});
        picture.probes.push_back({button->x + 8, button->y + 8, color});
    }
    if (quarter_seconds) add_clock(picture.fills, *quarter_seconds);
    return picture;
}

} // namespace reaction
