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

/// Started in the constructor; sees the end of its standard input after the destructor, which waits
/// for up to a second until it has ended.
class HelperProcess {
public:
    /// Starts the program with these arguments. It gets an own session or console, so that Ctrl+C
    /// does not reach it, and inherits nothing but its standard input and output. Throws
    /// Error{launch_failed}.
    explicit HelperProcess(const std::vector<std::string>& command);
    ~HelperProcess();
    HelperProcess(HelperProcess&&) noexcept;
    HelperProcess& operator=(HelperProcess&&) noexcept;

    /// False if the process has ended.
    [[nodiscard]] bool send(std::string_view text);
    /// Whether it has written something since the last call. Does not wait.
    [[nodiscard]] bool has_answered();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The other end, in the helper process.
namespace helper {
/// Waits for bytes from the program that started this one, and returns their number; 0 at the end.
/// Empty: none came until `deadline`.
[[nodiscard]] std::optional<std::size_t>
read(std::span<char> into, std::optional<std::chrono::steady_clock::time_point> deadline);
/// Makes `HelperProcess::has_answered` true once.
void answer();
/// This process no longer ends because of a key, a closed terminal or a request to end.
void ignore_signals();
/// The opposite.
void heed_signals();
} // namespace helper

} // namespace eyehand::winio
