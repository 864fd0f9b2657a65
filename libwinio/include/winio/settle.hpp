// Waiting until the screen has finished reacting, instead of sleeping and hoping.
#pragma once

#include "winio/desktop.hpp"

#include <chrono>
#include <stop_token>
#include <vector>

namespace winio {

struct SettleOptions {
    std::chrono::milliseconds minimum{50};   ///< never return earlier
    std::chrono::milliseconds quiet{150};    ///< unchanged this long: stable
    std::chrono::milliseconds timeout{2000}; ///< give up waiting, not seeing
    std::chrono::milliseconds interval{25};  ///< between two looks
    /// Small regions that keep changing (blinking carets, spinners, clocks) are not waited for.
    bool ignore_toggling = true;
    /// What the screen looked like before the action; `Settled::changed` is the difference to it.
    /// Nothing: the difference to the first look. Must outlive the call.
    const Frame* before = nullptr;
};

enum class SettleEnd { stable, timed_out };

/// What the screen looked like when the waiting ended, so that nobody needs to capture again.
struct Settled {
    Frame frame;
    SettleEnd end = SettleEnd::stable;
    std::chrono::milliseconds waited{};
    std::vector<Rect> changed{};  ///< desktop pixels: what differs from `SettleOptions::before`
    std::vector<Rect> toggling{}; ///< desktop pixels: what kept changing and was not waited for
};

/// Captures `area` until nothing but the pointer, and what keeps toggling, has changed for the
/// quiet period. Throws what the capturer throws (temporary errors are retried until the timeout)
/// and Error{cancelled}.
[[nodiscard]] Settled wait_until_stable(Capturer& capturer, const Rect& area,
                                        const SettleOptions& options = {},
                                        std::stop_token stop = {});

/// Captures once, and where the screen cannot be read just now (locked, a secure desktop) tries
/// again for as long as `patience`. Throws what the capturer throws last, and Error{cancelled}.
void capture_patiently(Capturer& capturer, const Rect& area, Frame& into,
                       std::chrono::milliseconds patience = std::chrono::seconds{5},
                       std::stop_token stop = {});

} // namespace winio
