// Waits until the screen has finished reacting, instead of sleeping for a fixed time.
//
//     Settler settler; // keeps its memory from turn to turn
//     for (;;) {
//         Settled look = settler.wait(*capturer, area.bounds());
//         const Screenshot screenshot = pipeline.process(std::move(look.frame));
//         settler.reuse(std::move(look.frame)); // the pipeline left memory in it
//         ...
//     }
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/reaction.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace eyehand::winio {

struct SettleOptions {
    std::chrono::milliseconds minimum{50};   ///< minimum wait, even if `timeout` is shorter
    std::chrono::milliseconds quiet{150};    ///< the screen is stable after this time without a
                                             ///< change
    std::chrono::milliseconds timeout{2000}; ///< maximum wait for a stable screen; max(): unlimited
    std::chrono::milliseconds interval{25};  ///< between two captures
    /// Do not wait for small regions that keep changing in one place (spinners, quickly blinking
    /// carets, small animations; together at most a hundredth of the area or 64x64 pixels,
    /// whichever is larger, and at most a quarter of the area) once they are proven to toggle: see
    /// docs/winio.md, "Settling and confirming".
    bool ignore_toggling = true;
    /// Regions that change by themselves (desktop pixels), such as those of `ScreenWatch::ambient`: the
    /// cells of 8 by 8 pixels that they touch are not waited for, and are not reported as changed. If
    /// these cells cover more than half of the area, they count like others.
    std::vector<Rect> ambient{};
    /// The screen before the action, as captured; `Settled::changed` is the difference from it.
    /// Null: the difference from the first capture. Must outlive the call.
    const Frame* before = nullptr;
};

enum class SettleEnd { stable, timed_out };

/// The screen at the end of the wait, so that the caller need not capture it again. Rectangles are
/// in desktop pixels, aligned to a grid of 8 by 8 pixels, and do not overlap.
struct Settled {
    Frame frame;
    SettleEnd end = SettleEnd::stable;
    std::chrono::milliseconds waited{};
    /// Regions that differ from `SettleOptions::before`, except toggling ones; the whole area if
    /// `before` shows another area.
    std::vector<Rect> changed{};
    /// Regions that kept changing until the end and were not waited for.
    std::vector<Rect> toggling{};
};

/// The screen at the end of a wait for a reaction. Rectangles are as in Settled.
struct Reacted {
    Frame frame;
    ReactionEnd end = ReactionEnd::no_reaction;
    std::chrono::milliseconds waited{}; ///< since the wait began
    /// From the end of the action until the reaction was first seen; empty without a reaction.
    std::optional<std::chrono::milliseconds> reacted_after{};
    /// Regions that differ from the screen before the action, except toggling ones.
    std::vector<Rect> changed{};
    /// Regions that kept changing until the end and were not waited for.
    std::vector<Rect> toggling{};
};

/// Waits for the screen to become stable. Owns two frames, and remembers the regions that toggled
/// until the end of its latest wait, so that the next wait immediately recognizes a spinner that
/// still turns. Use one settler for each stream of captures. Not thread-safe.
class EYEHAND_WINIO_API Settler {
public:
    Settler();
    ~Settler();
    Settler(Settler&&) noexcept;
    Settler& operator=(Settler&&) noexcept;

    /// Captures `area` until nothing except the pointer and toggling regions has changed for
    /// `quiet`. Throws Error{cancelled} and the exceptions of the capturer; temporary errors are
    /// retried until the timeout.
    [[nodiscard]] Settled wait(Capturer& capturer, const Rect& area,
                               const SettleOptions& options = {}, std::stop_token stop = {});

    /// Waits until the desktop has reacted to an action and is stable again, or until a reaction is
    /// no longer expected: see docs/winio.md, "Reactions". `before` comes from `prepare_reaction`,
    /// and its area is watched. `settle.before` is ignored; `settle.timeout` limits the wait for
    /// stability after the reaction, or after the limit for a reaction. Throws Error{cancelled} and
    /// the exceptions of the capturer; temporary errors are retried until the longest limit. Windows
    /// that cannot be listed are not compared.
    [[nodiscard]] Reacted wait_for_reaction(Desktop& desktop, Capturer& capturer,
                                            const BeforeAction& before,
                                            const ReactionOptions& options = {},
                                            const SettleOptions& settle = {},
                                            std::stop_token stop = {});

    /// Takes a frame that is no longer needed and reuses its memory.
    void reuse(Frame&& frame) noexcept;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Calls `Settler::wait` with a new settler.
[[nodiscard]] EYEHAND_WINIO_API Settled wait_until_stable(Capturer& capturer, const Rect& area,
                                                          const SettleOptions& options = {},
                                                          std::stop_token stop = {});

/// Captures once. If the screen cannot be read at the moment (locked, a secure desktop), retries
/// for up to `retry_time` (`max()`: forever). Throws the last exception of the capturer, and
/// Error{cancelled}.
EYEHAND_WINIO_API void
capture_patiently(Capturer& capturer, const Rect& area, Frame& into,
                  std::chrono::milliseconds retry_time = std::chrono::seconds{5},
                  std::stop_token stop = {});

} // namespace eyehand::winio
