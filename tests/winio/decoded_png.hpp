// Checks PNG files with libpng, if it is installed.
#pragma once

#include "catch.hpp"
#include "eyehand/winio/image.hpp"

#include <png.h>

#include <cstring>
#include <vector>

/// The file's pixels as BGRA. Any error of libpng fails the test.
inline eyehand::winio::Image decoded(const std::vector<std::uint8_t>& file) {
    png_image reader{};
    reader.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&reader, file.data(), file.size()) != 0);
    REQUIRE(reader.format == PNG_FORMAT_RGB);
    reader.format = PNG_FORMAT_BGRA;
    eyehand::winio::Image image({static_cast<int>(reader.width), static_cast<int>(reader.height)});
    const int read = png_image_finish_read(&reader, nullptr, image.data(), 0, nullptr);
    INFO(reader.message);
    REQUIRE(read != 0);
    REQUIRE(reader.warning_or_error == 0);
    return image;
}

/// Whether `b` has the colors of `a` and is opaque.
inline bool same_colors_opaque(const eyehand::winio::ImageView& a, const eyehand::winio::Image& b) {
    if (a.size() != b.size()) return false;
    for (int y = 0; y < a.height(); ++y)
        for (std::size_t at = 0; at < a.row(y).size(); at += 4)
            if (std::memcmp(&a.row(y)[at], &b.view().row(y)[at], 3) != 0 ||
                b.view().row(y)[at + 3] != 255)
                return false;
    return true;
}
