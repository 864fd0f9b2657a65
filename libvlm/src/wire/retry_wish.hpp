// When a server wants to be asked again.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace eyehand::vlm::wire {

struct RetryWish {
    std::optional<bool> retry{};                      ///< "x-should-retry"
    std::optional<std::chrono::milliseconds> after{}; ///< positive
};

/// The values of the headers "x-should-retry", "retry-after-ms" and "Retry-After"; empty: not there.
/// The first form of a time that can be read counts: milliseconds, then seconds or an HTTP date
/// (RFC 9110, section 10.2.3, in the one format that may still be sent). What cannot be read, is no
/// positive time or lies beyond a year, is nothing.
[[nodiscard]] RetryWish read_retry_wish(std::string_view should_retry, std::string_view after_ms,
                                        std::string_view after,
                                        std::chrono::system_clock::time_point now);

} // namespace eyehand::vlm::wire
