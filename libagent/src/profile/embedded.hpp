// The built-in profiles' files, put into the library at build time (cmake/embed_profiles.cmake).
#pragma once

#include <span>
#include <string_view>

namespace agent {

struct EmbeddedFile {
    std::string_view profile;
    std::string_view name;
    std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedFile> embedded_files();

} // namespace agent
