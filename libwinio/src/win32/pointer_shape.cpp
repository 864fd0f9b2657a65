#include "win32/pointer_shape.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace eyehand::winio::win32 {
namespace {

constexpr Color transparent{0, 0, 0, 0};

bool bit(const Image& mask, int x, int y) { return mask.at(x, y).green >= 128; }

bool has_alpha(const Image& image) {
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.at(x, y).alpha != 0) return true;
    return false;
}

// Collects pixels; the invert mask stays empty until a pixel inverts.
class ShapeWriter {
public:
    explicit ShapeWriter(Size size) { shape_.pixels = Image(size); }
    void put(int x, int y, Color color) { shape_.pixels.fill({x, y, 1, 1}, color); }
    void invert(int x, int y) {
        const Size size = shape_.pixels.size();
        shape_.invert.resize(static_cast<std::size_t>(size.width) *
                             static_cast<std::size_t>(size.height));
        shape_.invert[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                      static_cast<std::size_t>(x)] = 1;
        put(x, y, transparent);
    }
    PointerShape finish() && { return std::move(shape_); }

private:
    PointerShape shape_;
};

// Screen = (screen AND mask) XOR color: pixels are painted black or white, kept or inverted.
PointerShape monochrome(const Image& mask) {
    if (mask.empty() || mask.height() % 2 != 0)
        throw std::invalid_argument("a monochrome pointer's mask must have two halves");
    const Size size{mask.width(), mask.height() / 2};
    ShapeWriter shape(size);
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const bool keep = bit(mask, x, y);
            const bool flip = bit(mask, x, y + size.height);
            if (keep && flip)
                shape.invert(x, y);
            else if (keep)
                shape.put(x, y, transparent);
            else
                shape.put(x, y, flip ? Color{255, 255, 255, 255} : Color{0, 0, 0, 255});
        }
    }
    return std::move(shape).finish();
}

// A color pointer without an alpha channel has zero alpha everywhere. Its mask defines which pixels
// are transparent, and color on a transparent pixel inverts.
PointerShape masked(const Image& color, const Image& mask) {
    if (mask.size() != color.size())
        throw std::invalid_argument(
            "a color pointer's mask must have the size of its color bitmap");
    ShapeWriter shape(color.size());
    for (int y = 0; y < color.height(); ++y) {
        for (int x = 0; x < color.width(); ++x) {
            Color pixel = color.at(x, y);
            pixel.alpha = 255;
            if (!bit(mask, x, y))
                shape.put(x, y, pixel);
            else if (pixel == Color{0, 0, 0, 255})
                shape.put(x, y, transparent);
            else
                shape.invert(x, y);
        }
    }
    return std::move(shape).finish();
}

int in_proportion(int value, PointerEnlargement by) {
    const std::int64_t product = std::int64_t{value} * by.drawn;
    return static_cast<int>((product + by.nominal / 2) / by.nominal); // as MulDiv rounds
}

// The original pixel under the center of a result pixel.
int source_of(int pixel, int original, int result) {
    const std::int64_t twice_the_center = 2 * std::int64_t{pixel} + 1;
    return static_cast<int>(twice_the_center * original / (std::int64_t{2} * result));
}

} // namespace

PointerShape shape_of(const CursorBitmaps& bitmaps) {
    if (!bitmaps.color) return monochrome(bitmaps.mask);
    if (!has_alpha(*bitmaps.color)) return masked(*bitmaps.color, bitmaps.mask);
    PointerShape shape;
    shape.pixels = *bitmaps.color;
    return shape;
}

PointerShape enlarged(PointerShape shape, PointerEnlargement by) {
    if (by.nominal <= 0 || by.drawn <= 0 || by.nominal == by.drawn || shape.pixels.empty())
        return shape;
    const Size original = shape.pixels.size();
    const Size size{std::max(in_proportion(original.width, by), 1),
                    std::max(in_proportion(original.height, by), 1)};
    PointerShape result;
    result.position = shape.position;
    result.hotspot = {in_proportion(shape.hotspot.x, by), in_proportion(shape.hotspot.y, by)};
    result.pixels = Image(size);
    for (int y = 0; y < size.height; ++y) {
        const int from_y = source_of(y, original.height, size.height);
        for (int x = 0; x < size.width; ++x) {
            const int from_x = source_of(x, original.width, size.width);
            result.pixels.fill({x, y, 1, 1}, shape.pixels.at(from_x, from_y));
            if (!shape.invert.empty())
                result.invert.push_back(shape.invert[static_cast<std::size_t>(from_y) *
                                                         static_cast<std::size_t>(original.width) +
                                                     static_cast<std::size_t>(from_x)]);
        }
    }
    return result;
}

} // namespace eyehand::winio::win32
