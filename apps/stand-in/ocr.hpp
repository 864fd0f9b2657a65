// Reads the text of a screenshot, with the position of each word.
#pragma once

#include "geometry.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in {

/// One word as OCR read it.
struct Word {
    std::string text;
    Box box;
    int confidence = 0; ///< 0..100, as reported by Tesseract
};

using Words = std::vector<Word>;

/// Words that belong together on one line: a caption, a menu entry, a label, a line of a text.
struct Segment {
    Box box;
    /// The same words read at different magnifications, the most confident reading first; never
    /// empty.
    std::vector<Words> readings;

    /// The most confident reading.
    [[nodiscard]] std::string text() const;
};

/// The text of one screenshot, top to bottom, left to right.
struct Screen {
    int width = 0;
    int height = 0;
    std::vector<Segment> segments;
};

/// Reads screenshots (PNG, JPEG, WebP) with Tesseract. Not thread-safe. Caches a limited number of screens and
/// text areas, so that only changed areas are read again.
class Reader {
public:
    /// Throws std::runtime_error if Tesseract's English data is not installed.
    Reader();
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// Throws std::runtime_error if the bytes are not an image.
    [[nodiscard]] Screen read(std::string_view file);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace stand_in
