// A command line taken apart as a shell would, but nothing in it expanded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio::x11 {

/// The words of `command`: spaces and tabs part them; '...' keeps everything, "..." everything but
/// \" and \\, a backslash the character after it. Nothing when a quote is not closed.
[[nodiscard]] std::optional<std::vector<std::string>> words_of(std::string_view command);

} // namespace eyehand::winio::x11
