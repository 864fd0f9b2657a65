// Images with reproducible noise.
#pragma once

#include "winio/image.hpp"

#include <random>

inline winio::Image random_image(winio::Size size, unsigned seed) {
    std::mt19937 random(seed);
    winio::Image image(size);
    for (int y = 0; y < size.height; ++y)
        for (std::uint8_t& byte : image.row(y)) byte = static_cast<std::uint8_t>(random());
    return image;
}
