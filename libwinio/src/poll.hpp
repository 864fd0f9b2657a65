// Waiting for what another program does, where no event tells of it.
#pragma once

#include "stoppable_wait.hpp"

#include <chrono>

namespace winio {

/// Looks every 5 ms until `done()`; false when it was not within `limit`.
template <typename Condition>
[[nodiscard]] bool poll(std::chrono::milliseconds limit, Condition done) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!done()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        wait_for(std::chrono::milliseconds{5}, {});
    }
    return true;
}

} // namespace winio
