// Splits a command line as a shell does, but expands nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio::x11 {

/// The words of `command`, separated by spaces and tabs. '...' keeps all characters, "..." all
/// except \" and \\, and a backslash keeps the next character. Empty if a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> words_of(std::string_view command);

} // namespace eyehand::winio::x11
