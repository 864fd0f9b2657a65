// Where on a screenshot there could be text, before anything is read.
//
// A desktop mixes dark text on light windows with light text on coloured bars and selections. One
// threshold for the whole picture loses most of it, so each piece of text is found by its edges and
// gets its own background.
#pragma once

#include "geometry.hpp"

#include <cstdint>
#include <vector>

namespace stand_in {

/// One byte a pixel, rows without gaps.
struct GrayImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;

    [[nodiscard]] std::uint8_t at(int x, int y) const noexcept {
        return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
};

/// Boxes around what looks like one stretch of text each: letters on one line without a large gap.
/// A button's caption, a menu entry and its shortcut, two columns are boxes of their own.
[[nodiscard]] std::vector<Box> find_text_areas(const GrayImage& image);

/// The area as dark text on white: every pixel's distance from the area's own background.
[[nodiscard]] GrayImage isolate_text(const GrayImage& image, const Box& area, int margin);

} // namespace stand_in
