// Waiting until the screen has finished reacting, instead of sleeping and hoping.
//
//     Settler settler; // keeps its memory from turn to turn
//     for (;;) {
//         Settled look = settler.wait(*capturer, area.bounds());
//         const Picture picture = pipeline.process(std::move(look.frame));
//         settler.reuse(std::move(look.frame)); // the pipeline left memory in it
//         ...
//     }
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include <chrono>
#include <memory>
#include <stop_token>
#include <vector>

namespace eyehand::winio {

struct SettleOptions {
    std::chrono::milliseconds minimum{50};   ///< never return earlier, whatever the timeout
    std::chrono::milliseconds quiet{150};    ///< unchanged this long: stable
    std::chrono::milliseconds timeout{2000}; ///< give up waiting, not seeing; max(): never
    std::chrono::milliseconds interval{25};  ///< between two looks
    /// Small regions that keep changing in one place (spinners, quickly blinking carets, small
    /// moving pictures; together at most a hundredth of the area, or 64x64 pixels where that is
    /// more) are not waited for once they are proven to: docs/winio.md, "Settling and confirming".
    bool ignore_toggling = true;
    /// What the screen looked like before the action, as captured; `Settled::changed` is the
    /// difference to it. Nothing: the difference to the first look. Must outlive the call.
    const Frame* before = nullptr;
};

enum class SettleEnd { stable, timed_out };

/// What the screen looked like when the waiting ended, so that nobody needs to capture again.
/// Rectangles are desktop pixels, on a grid of 8 by 8 of them, and do not overlap.
struct Settled {
    Frame frame;
    SettleEnd end = SettleEnd::stable;
    std::chrono::milliseconds waited{};
    /// What differs from `SettleOptions::before`, without what toggles; everything where that shows
    /// another area.
    std::vector<Rect> changed{};
    /// What kept changing and still did in the end, and was not waited for.
    std::vector<Rect> toggling{};
};

/// Waits for screens to become stable. Owns two frames, and remembers what toggled to the end of
/// its latest wait, so that a spinner that still turns is recognised at once in the next one. One
/// settler a stream of looks; not thread-safe.
class EYEHAND_WINIO_API Settler {
public:
    Settler();
    ~Settler();
    Settler(Settler&&) noexcept;
    Settler& operator=(Settler&&) noexcept;

    /// Captures `area` until nothing but the pointer, and what keeps toggling, has changed for the
    /// quiet period. Throws what the capturer throws (temporary errors are retried until the
    /// timeout) and Error{cancelled}.
    [[nodiscard]] Settled wait(Capturer& capturer, const Rect& area,
                               const SettleOptions& options = {}, std::stop_token stop = {});

    /// Takes back a frame that is no longer needed, for its memory.
    void reuse(Frame&& frame) noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// `Settler::wait` for a single time.
[[nodiscard]] EYEHAND_WINIO_API Settled wait_until_stable(Capturer& capturer, const Rect& area,
                                                          const SettleOptions& options = {},
                                                          std::stop_token stop = {});

/// Captures once, and where the screen cannot be read just now (locked, a secure desktop) tries
/// again for as long as `patience` (`max()`: for ever). Throws what the capturer throws last, and
/// Error{cancelled}.
EYEHAND_WINIO_API void
capture_patiently(Capturer& capturer, const Rect& area, Frame& into,
                  std::chrono::milliseconds patience = std::chrono::seconds{5},
                  std::stop_token stop = {});

} // namespace eyehand::winio
