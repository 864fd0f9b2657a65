// Rectangles in pixels of one screenshot.
#pragma once

namespace stand_in {

/// A point in pixels, origin at the top left.
struct Point {
    int x = 0;
    int y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

/// A rectangle in pixels: its top left corner and its size.
struct Box {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    [[nodiscard]] int right() const noexcept { return x + width; }
    [[nodiscard]] int bottom() const noexcept { return y + height; }
    [[nodiscard]] Point center() const noexcept { return {x + width / 2, y + height / 2}; }
    friend bool operator==(const Box&, const Box&) = default;
};

/// The smallest box that holds both.
[[nodiscard]] Box united(const Box& a, const Box& b) noexcept;

/// The number of pixel rows that both share; if negative, the distance between them.
[[nodiscard]] int shared_rows(const Box& a, const Box& b) noexcept;

} // namespace stand_in
