// Images with the content of screens: flat areas, lines of text, gradients, noise.
#pragma once

#include "eyehand/winio/image.hpp"

#include <random>

namespace screen_image {

inline int below(std::mt19937& random, int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
}

inline eyehand::winio::Color any_color(std::mt19937& random) {
    const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
    return {byte(), byte(), byte(), byte()};
}

/// A random rectangle with at least one pixel in an image of this size.
inline eyehand::winio::Rect any_part(std::mt19937& random, eyehand::winio::Size size) {
    return {below(random, size.width), below(random, size.height), 1 + below(random, size.width),
            1 + below(random, size.height)};
}

/// Paints random content over `part`, clipped to the image.
inline void paint(eyehand::winio::Image& image, const eyehand::winio::Rect& part,
                  std::mt19937& random) {
    const eyehand::winio::Rect inside =
        eyehand::winio::intersection(part, {0, 0, image.width(), image.height()});
    const eyehand::winio::Color color = any_color(random);
    switch (random() % 4) {
    case 0:
        image.fill(inside, color);
        break;
    case 1: // glyph-like strokes of one color
        for (int y = inside.y; y < inside.bottom(); ++y)
            for (int x = inside.x; x < inside.right(); ++x)
                if ((random() & 3U) == 0) image.fill({x, y, 1, 1}, color);
        break;
    case 2: // a gradient
        for (int y = inside.y; y < inside.bottom(); ++y)
            for (int x = inside.x; x < inside.right(); ++x)
                image.fill({x, y, 1, 1},
                           {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y),
                            static_cast<std::uint8_t>(x + y), color.alpha});
        break;
    default: // noise
        for (int y = inside.y; y < inside.bottom(); ++y)
            for (int x = inside.x; x < inside.right(); ++x)
                image.fill({x, y, 1, 1}, any_color(random));
        break;
    }
}

/// A screen of this size with several such areas.
inline eyehand::winio::Image any_screen(std::mt19937& random, eyehand::winio::Size size) {
    eyehand::winio::Image image(size);
    for (int things = below(random, 5); things > 0; --things)
        paint(image, any_part(random, size), random);
    return image;
}

} // namespace screen_image
