// Waiting until the screen has finished reacting, instead of sleeping and hoping.
#pragma once

#include "winio/desktop.hpp"

#include <chrono>
#include <stop_token>

namespace winio {

struct SettleOptions {
    std::chrono::milliseconds minimum{50};   ///< never return earlier
    std::chrono::milliseconds quiet{150};    ///< unchanged this long: stable
    std::chrono::milliseconds timeout{2000}; ///< give up waiting, not seeing
    std::chrono::milliseconds interval{25};  ///< between two looks
};

enum class SettleEnd { stable, timed_out };

/// What the screen looked like when the waiting ended, so that nobody needs to capture again.
struct Settled {
    Frame frame;
    SettleEnd end = SettleEnd::stable;
    std::chrono::milliseconds waited{};
};

/// Captures `area` until nothing but the pointer has changed for the quiet period. Throws what the
/// capturer throws (temporary errors are retried until the timeout) and Error{cancelled}.
[[nodiscard]] Settled wait_until_stable(Capturer& capturer, const Rect& area,
                                        const SettleOptions& options = {},
                                        std::stop_token stop = {});

} // namespace winio
