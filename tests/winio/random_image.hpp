// Images with reproducible noise.
#pragma once

#include "eyehand/winio/image.hpp"

#include <random>

inline eyehand::winio::Image random_image(eyehand::winio::Size size, unsigned seed) {
    std::mt19937 random(seed);
    eyehand::winio::Image image(size);
    for (int y = 0; y < size.height; ++y)
        for (std::uint8_t& byte : image.row(y)) byte = static_cast<std::uint8_t>(random());
    return image;
}
