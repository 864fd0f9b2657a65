// Splits a command line into the program and its arguments.
#pragma once

#include <string_view>

namespace eyehand::winio::win32 {

struct CommandLine {
    std::wstring_view program;   ///< without its quotes
    std::wstring_view arguments; ///< with their quotes
};

/// Splits off the program as CommandLineToArgvW does: it ends at the next quote if it starts with
/// one, else at the next space or tab. Refers to `text`.
[[nodiscard]] CommandLine split_command_line(std::wstring_view text);

} // namespace eyehand::winio::win32
