// What only the system knows: its processes, its registry.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace eyehand::agent {

/// The file names of the programs that run, as far as the system tells.
[[nodiscard]] std::vector<std::string> running_programs();

#ifdef _WIN32
/// The value as text (numbers in decimal), or nothing where there is none; `key` begins with HKCU,
/// HKEY_CURRENT_USER, HKLM, ...
[[nodiscard]] std::optional<std::string> registry_value(const std::string& key,
                                                        const std::string& value);
#endif

} // namespace eyehand::agent
