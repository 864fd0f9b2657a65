// File names between UTF-8 and the system: on Windows a plain std::string would be the code page's.
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
