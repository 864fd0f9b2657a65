// Finds areas of a screenshot that may contain text, before OCR.
//
// A desktop mixes dark text on light windows with light text on colored bars and selections. One
// threshold for the whole image loses most of the text, so each piece of text is found by its edges
// and has its own background.
#pragma once

#include "geometry.hpp"

#include <cstdint>
#include <vector>

namespace stand_in {

/// One byte per pixel, rows without gaps.
struct GrayImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;

    [[nodiscard]] std::uint8_t at(int x, int y) const noexcept {
        return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
};

/// Boxes around runs of text: letters on one line without a large gap. The caption of a button, a
/// menu entry, its shortcut, and each column are separate boxes.
[[nodiscard]] std::vector<Box> find_text_areas(const GrayImage& image);

/// The area as dark text on white: each pixel is its distance from the background of the area.
[[nodiscard]] GrayImage isolate_text(const GrayImage& image, const Box& area, int margin);

} // namespace stand_in
