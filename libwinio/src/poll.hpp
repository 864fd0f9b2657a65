// Waiting for what another program does, where no event tells of it.
#pragma once

#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"

#include <chrono>

namespace eyehand::winio {

/// Looks at every `interval` until `done()`; false when it was not within `limit`.
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
