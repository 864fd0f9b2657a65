// Files with comments that the user writes: rules of the guard, secrets.
#pragma once

#include "eyehand/agent/error.hpp"
#include "json/json.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// The text of a file of at most 1 MiB. Throws Error{code} if it cannot be read or is larger.
[[nodiscard]] std::string read_settings_file(const std::filesystem::path& file, errc code);

/// Parses an object in JSON with comments and trailing commas. Throws Error{code}, naming `where` and
/// the line.
[[nodiscard]] json::object parse_settings_file(std::string_view text, const std::string& where,
                                               errc code);

} // namespace eyehand::agent
