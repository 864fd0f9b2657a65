// When to retry, as requested by a server.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace eyehand::vlm::wire {

struct RetryHint {
    std::optional<bool> retry{};                      ///< "x-should-retry"
    std::optional<std::chrono::milliseconds> after{}; ///< positive
};

/// Takes the values of the headers "x-should-retry", "retry-after-ms" and "Retry-After"; empty: the
/// header is missing. The first valid time counts: milliseconds, then seconds or an HTTP date (RFC
/// 9110, section 10.2.3, only the current format). Times that are malformed, not positive or longer
/// than a year are ignored.
[[nodiscard]] RetryHint read_retry_hint(std::string_view should_retry, std::string_view after_ms,
                                        std::string_view after,
                                        std::chrono::system_clock::time_point now);

/// The value of the header "Date"; empty if it is missing or malformed. Dates of the same answer are
/// relative to it: the clock of this computer may be wrong.
[[nodiscard]] std::optional<std::chrono::sys_seconds> read_date(std::string_view text);

} // namespace eyehand::vlm::wire
