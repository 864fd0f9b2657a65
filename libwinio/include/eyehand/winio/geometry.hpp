// Points, sizes and rectangles, and the conversion between the coordinates of the model and the
// screen.
#pragma once

#include "eyehand/export.hpp"

#include <optional>
#include <string_view>

namespace eyehand::winio {

/// A position in physical pixels of the virtual desktop. Displays left of or above the primary one
/// have negative coordinates.
struct Point {
    int x = 0;
    int y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

/// An extent in physical pixels.
struct Size {
    int width = 0;
    int height = 0;
    [[nodiscard]] constexpr bool empty() const { return width <= 0 || height <= 0; }
    friend bool operator==(const Size&, const Size&) = default;
};

/// A rectangle in physical pixels; the right and bottom edges are outside it.
struct EYEHAND_WINIO_API Rect {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;

    [[nodiscard]] constexpr Size size() const { return {width, height}; }
    [[nodiscard]] constexpr Point origin() const { return {x, y}; }
    [[nodiscard]] constexpr int right() const { return x + width; }
    [[nodiscard]] constexpr int bottom() const { return y + height; }
    [[nodiscard]] constexpr bool empty() const { return width <= 0 || height <= 0; }
    [[nodiscard]] constexpr bool contains(Point p) const {
        return p.x >= x && p.x < right() && p.y >= y && p.y < bottom();
    }
    friend bool operator==(const Rect&, const Rect&) = default;
};

/// Some rows of an image, counted from its top.
struct RowRange {
    int first = 0;
    int count = 0;
    [[nodiscard]] constexpr int end() const { return first + count; } ///< one past the last
    friend bool operator==(const RowRange&, const RowRange&) = default;
};

/// The smallest range that contains both. Empty ranges are ignored.
[[nodiscard]] constexpr RowRange bounding_rows(const RowRange& a, const RowRange& b) {
    if (a.count <= 0) return b;
    if (b.count <= 0) return a;
    const int first = a.first < b.first ? a.first : b.first;
    const int end = a.end() > b.end() ? a.end() : b.end();
    return {first, end - first};
}

/// The part that both rectangles cover; empty if they do not overlap.
[[nodiscard]] EYEHAND_WINIO_API Rect intersection(const Rect& a, const Rect& b);
/// The smallest rectangle that covers both. Empty rectangles are ignored.
[[nodiscard]] EYEHAND_WINIO_API Rect bounding_rect(const Rect& a, const Rect& b);

/// A position in normalized coordinates: 0..1000 on both axes of the work area; (0, 0) is its top
/// left corner.
struct NormPoint {
    double x = 0;
    double y = 0;
    friend bool operator==(const NormPoint&, const NormPoint&) = default;
};

/// A rectangle in normalized coordinates: corners in 0..1000; `x1 <= x2` and `y1 <= y2` after
/// `normalized`.
struct NormBox {
    double x1 = 0;
    double y1 = 0;
    double x2 = 0;
    double y2 = 0;
    [[nodiscard]] constexpr NormPoint center() const { return {(x1 + x2) / 2, (y1 + y2) / 2}; }
    friend bool operator==(const NormBox&, const NormBox&) = default;
};

/// `box` clamped to 0..1000 with inverted corners swapped. NaN becomes 0.
[[nodiscard]] EYEHAND_WINIO_API NormBox normalized(NormBox box);

/// The part of the desktop that an agent sees and controls. A normalized point always maps to a
/// pixel inside it.
class EYEHAND_WINIO_API WorkArea {
public:
    WorkArea() = default;
    /// Throws std::invalid_argument if `bounds` is empty.
    explicit WorkArea(const Rect& bounds);

    [[nodiscard]] const Rect& bounds() const { return bounds_; }
    [[nodiscard]] bool contains(Point p) const { return bounds_.contains(p); }

    /// The pixel at a normalized point: `round(n / 1000 * (extent - 1))` from the origin, so that 0
    /// is the first and 1000 the last pixel. Values outside 0..1000 are clamped, NaN becomes 0.
    [[nodiscard]] Point to_pixel(NormPoint p) const;
    /// The inverse: the position of a desktop pixel in 0..1000, clamped to the work area.
    [[nodiscard]] NormPoint to_norm(Point p) const;

private:
    Rect bounds_{0, 0, 1, 1};
};

/// The largest size with the aspect ratio of `source` that fits into `box`; never larger than
/// `source`, at least 1x1. Throws std::invalid_argument if either is empty.
[[nodiscard]] EYEHAND_WINIO_API Size fit_within(Size source, Size box);

/// Parses "1536x864"; empty unless `text` is two positive numbers of at most 5 digits.
[[nodiscard]] EYEHAND_WINIO_API std::optional<Size> parse_size(std::string_view text);

} // namespace eyehand::winio
