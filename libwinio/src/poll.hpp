// Waiting for what another program does, where no event tells of it.
#pragma once

#include "deadline.hpp"
#include "stoppable_wait.hpp"

#include <chrono>

namespace eyehand::winio {

/// Looks at every `interval` until `done()`; false when it was not within `limit`.
template <typename Condition>
[[nodiscard]] bool poll(std::chrono::milliseconds limit, Condition done,
                        std::chrono::milliseconds interval = std::chrono::milliseconds{5}) {
    const auto deadline = deadline_after(std::chrono::steady_clock::now(), limit);
    while (!done()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        wait_for(interval, {});
    }
    return true;
}

} // namespace eyehand::winio
