// A process that this program starts and talks to. Each system has its own implementation.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// The destructor ends its standard input, and waits for up to a second until it has ended.
class HelperProcess {
public:
    virtual ~HelperProcess() = default;
    /// False if the process has ended.
    [[nodiscard]] virtual bool send(std::string_view text) = 0;
    /// Whether it has written something since the last call. Does not wait.
    [[nodiscard]] virtual bool has_answered() = 0;
};

/// Starts the program with these arguments. It gets an own session or console, so that Ctrl+C does not
/// reach it, and inherits nothing but its standard input and output. Throws Error{launch_failed}.
[[nodiscard]] std::unique_ptr<HelperProcess> start_helper(const std::vector<std::string>& command);

/// The other end, in the helper process.
namespace helper {
/// Waits for bytes from the program that started this one, and returns their number; 0 at the end.
/// Empty: none came until `deadline`.
[[nodiscard]] std::optional<std::size_t>
read(std::span<char> into, std::optional<std::chrono::steady_clock::time_point> deadline);
/// Writes to the program: `HelperProcess::has_answered` is true once. On Windows, waits while 4096 bytes
/// are not read.
void answer(char byte = '!');
/// This process no longer ends because of a key, a closed terminal or a request to end.
void ignore_signals();
/// The opposite.
void heed_signals();
} // namespace helper

} // namespace eyehand::winio
