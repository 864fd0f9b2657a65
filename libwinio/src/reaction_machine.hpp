// Decides when a wait for a reaction ends. Does not read a clock or the screen.
//
//     SILENT          --change of a control------->  LOCAL
//     SILENT | LOCAL  --wide change, windows------>  REACTING   --quiet--------->  reacted
//     SILENT          --limit, then quiet--------->  no_reaction
//     LOCAL           --limit, then quiet--------->  local_only
//     any             --limit, but never quiet---->  timeout
//
// Which change counts as which, and the limits, depend on the expectation. While the desktop is busy, the wait continues, up to
// `busy_timeout`; after that time, the same rules apply, but the end is `busy_timeout`. When the desktop is not busy any more,
// at least `left_after_busy` remain.
#pragma once

#include "eyehand/winio/reaction.hpp"
#include "eyehand/winio/settle.hpp"

#include <chrono>
#include <optional>

namespace eyehand::winio {

class ReactionMachine {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// What is known at one moment. `extent` and `windows_changed` compare with the moment before the action.
    struct Look {
        Time now{};
        Extent extent = Extent::nothing;
        std::optional<Time> latest_change{}; ///< since the wait began, on the screen or of windows
        Time quiet_since{};                  ///< nothing has changed since
        bool windows_changed = false;
        int other_windows =
            0; ///< how often the set of windows or the foreground window has changed
        bool busy = false;
    };

    ReactionMachine(Expectation expectation, Time acted, const ReactionOptions& options,
                    const SettleOptions& settle);

    /// Returns how the wait ends with this look; empty if it continues. Times must not decrease.
    [[nodiscard]] std::optional<ReactionEnd> note(const Look& look);
    /// When the first change that counts as the reaction was seen.
    [[nodiscard]] std::optional<Time> reacted_at() const { return reacting_since_; }

    /// A look is due then, whatever the interval: the last one after feedback of a control.
    [[nodiscard]] std::optional<Time> next_limit(Time now) const;

private:
    /// The click has changed only a control so far.
    [[nodiscard]] bool has_only_feedback() const;
    [[nodiscard]] Time feedback_limit() const;
    void measure_step(Time now);
    [[nodiscard]] bool waits_while_busy(const Look& look);
    [[nodiscard]] bool windows_come_and_go(const Look& look);
    [[nodiscard]] bool is_reaction(const Look& look) const;
    [[nodiscard]] bool silent_long_enough(Time now) const;
    [[nodiscard]] bool is_quiet(const Look& look) const;

    Expectation expectation_;
    Time acted_;
    ReactionOptions options_;
    SettleOptions settle_;
    std::optional<Time> start_{};
    std::optional<Time> local_since_{};
    std::optional<Time> reacting_since_{};
    std::optional<Time> silent_since_{}; ///< the limit for a reaction is reached
    std::optional<Time> latest_busy_{};
    std::optional<Time> latest_look_{};
    std::optional<std::chrono::milliseconds> step_{}; ///< the shortest time between two looks
    int known_other_windows_ = 0;
    bool busy_too_long_ = false;
};

} // namespace eyehand::winio
