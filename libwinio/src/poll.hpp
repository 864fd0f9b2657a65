// Waits for effects of other programs that no event reports.
#pragma once

#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"

#include <chrono>

namespace eyehand::winio {

/// Calls `done` at every `interval` until it returns true. Returns false if it does not within
/// `limit`.
template <typename Condition>
[[nodiscard]] bool poll(std::chrono::milliseconds limit, Condition done,
                        std::chrono::milliseconds interval = std::chrono::milliseconds{5}) {
    const auto deadline = base::deadline_after(std::chrono::steady_clock::now(), limit);
    while (!done()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        base::wait_for(interval, {});
    }
    return true;
}

} // namespace eyehand::winio
