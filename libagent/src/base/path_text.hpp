// Conversions between paths and UTF-8: on Windows, a path's std::string has the encoding of the
// code page.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace eyehand::agent {

[[nodiscard]] inline std::string text_of(const std::filesystem::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

[[nodiscard]] inline std::filesystem::path path_of(std::string_view utf8) {
    return {std::u8string(utf8.begin(), utf8.end())};
}

} // namespace eyehand::agent
