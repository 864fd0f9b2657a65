#include "eyehand/winio/geometry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace eyehand::winio {
namespace {

struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// 64 bits, because the right edge of a distant rectangle may not fit into an int.
Span span_of(int begin, int length) { return {begin, static_cast<std::int64_t>(begin) + length}; }

Rect rect_of(const Span& x, const Span& y) {
    const auto narrow = [](std::int64_t value) {
        return static_cast<int>(std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(),
                                                         std::numeric_limits<int>::max()));
    };
    return {narrow(x.begin), narrow(y.begin), narrow(x.end - x.begin), narrow(y.end - y.begin)};
}

double clamped(double n) { return std::isnan(n) ? 0.0 : std::clamp(n, 0.0, 1000.0); }

int to_pixel(double n, int begin, int extent) {
    return begin + static_cast<int>(std::lround(clamped(n) / 1000.0 * (extent - 1)));
}

double to_norm(int pixel, int begin, int extent) {
    if (extent == 1) return 0;
    return clamped((static_cast<double>(pixel) - begin) * 1000.0 / (extent - 1));
}

std::optional<int> parse_extent(std::string_view text) {
    constexpr std::size_t max_digits = 5; // more than any desktop has, and too few to overflow
    if (text.empty() || text.size() > max_digits) return std::nullopt;
    int value = 0;
    const auto* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end || value <= 0) return std::nullopt;
    return value;
}

} // namespace

Rect intersection(const Rect& a, const Rect& b) {
    if (a.empty() || b.empty()) return {};
    const auto overlap = [](const Span& one, const Span& other) {
        return Span{std::max(one.begin, other.begin), std::min(one.end, other.end)};
    };
    const Span x = overlap(span_of(a.x, a.width), span_of(b.x, b.width));
    const Span y = overlap(span_of(a.y, a.height), span_of(b.y, b.height));
    if (x.begin >= x.end || y.begin >= y.end) return {};
    return rect_of(x, y);
}

Rect bounding_rect(const Rect& a, const Rect& b) {
    if (a.empty()) return b.empty() ? Rect{} : b;
    if (b.empty()) return a;
    const auto cover = [](const Span& one, const Span& other) {
        return Span{std::min(one.begin, other.begin), std::max(one.end, other.end)};
    };
    return rect_of(cover(span_of(a.x, a.width), span_of(b.x, b.width)),
                   cover(span_of(a.y, a.height), span_of(b.y, b.height)));
}

NormBox normalized(NormBox box) {
    box = {clamped(box.x1), clamped(box.y1), clamped(box.x2), clamped(box.y2)};
    if (box.x1 > box.x2) std::swap(box.x1, box.x2);
    if (box.y1 > box.y2) std::swap(box.y1, box.y2);
    return box;
}

WorkArea::WorkArea(const Rect& bounds) : bounds_(bounds) {
    if (bounds.empty()) throw std::invalid_argument("a work area needs at least one pixel");
}

Point WorkArea::to_pixel(NormPoint p) const {
    return {winio::to_pixel(p.x, bounds_.x, bounds_.width),
            winio::to_pixel(p.y, bounds_.y, bounds_.height)};
}

NormPoint WorkArea::to_norm(Point p) const {
    return {winio::to_norm(p.x, bounds_.x, bounds_.width),
            winio::to_norm(p.y, bounds_.y, bounds_.height)};
}

Size fit_within(Size source, Size box) {
    if (source.empty() || box.empty())
        throw std::invalid_argument("an empty size cannot be fitted");
    if (source.width <= box.width && source.height <= box.height) return source;
    // The axis that must shrink more determines the scale; the other one is rounded to the nearest
    // pixel.
    const auto scaled = [](int extent, int to, int from) {
        const auto product = static_cast<std::int64_t>(extent) * to;
        return std::max(1, static_cast<int>((product * 2 + from) / (std::int64_t{2} * from)));
    };
    const bool width_decides = static_cast<std::int64_t>(source.width) * box.height >=
                               static_cast<std::int64_t>(source.height) * box.width;
    if (width_decides) return {box.width, scaled(source.height, box.width, source.width)};
    return {scaled(source.width, box.height, source.height), box.height};
}

std::optional<Size> parse_size(std::string_view text) {
    const auto cross = text.find_first_of("xX");
    if (cross == std::string_view::npos) return std::nullopt;
    const auto width = parse_extent(text.substr(0, cross));
    const auto height = parse_extent(text.substr(cross + 1));
    if (!width || !height) return std::nullopt;
    return Size{*width, *height};
}

} // namespace eyehand::winio
