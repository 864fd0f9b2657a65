// The annotated picture that a page posts: what a model will be shown must be a picture, and of the size
// that was asked for.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::panel {

struct PostedPicture {
    std::vector<std::uint8_t> png{};
    std::string problem{}; ///< why it is not taken; empty: it is
};

/// Reads a PNG file of exactly that size from base64, which a page may give as a data URL. All of it is
/// decoded; the file is taken as it is.
[[nodiscard]] PostedPicture read_posted_picture(std::string_view base64, winio::Size wanted);

} // namespace eyehand::panel
