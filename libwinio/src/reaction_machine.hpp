// Decides when a wait for a reaction ends. Does not read a clock or the screen.
//
//     SILENT          --change of a control------->  LOCAL      --nothing for a while-->  local_only
//     SILENT | LOCAL  --wide change, windows------>  REACTING   --quiet---------------->  reacted
//     SILENT          --time limit---------------->  no_reaction
//     any             --still busy---------------->  busy_timeout
//     REACTING        --never quiet--------------->  timeout
//
// Which change counts as which, and the limits, depend on the expectation. While the desktop is busy, no other wait than
// that for a busy desktop ends; afterwards at least `left_after_busy` remain.
#pragma once

#include "eyehand/winio/reaction.hpp"
#include "eyehand/winio/settle.hpp"

#include <chrono>
#include <optional>

namespace eyehand::winio {

class ReactionMachine {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// What is known at one moment. `extent`, `windows_changed` and `new_window` compare with the moment before the action.
    struct Look {
        Time now{};
        Extent extent = Extent::nothing;
        std::optional<Time> latest_change{}; ///< since the wait began, on the screen or of windows
        Time quiet_since{};                  ///< nothing has changed since
        bool windows_changed = false;
        bool new_window = false;
        bool busy = false;
    };

    ReactionMachine(Expectation expectation, Time acted, const ReactionOptions& options,
                    const SettleOptions& settle);

    /// Returns how the wait ends with this look; empty if it continues. Times must not decrease.
    [[nodiscard]] std::optional<ReactionEnd> note(const Look& look);
    /// When the first change that counts as the reaction was seen.
    [[nodiscard]] std::optional<Time> reacted_at() const { return reacting_since_; }

private:
    [[nodiscard]] bool is_reaction(const Look& look) const;
    [[nodiscard]] bool silence_ends(const Look& look) const;

    Expectation expectation_;
    Time acted_;
    ReactionOptions options_;
    SettleOptions settle_;
    std::optional<Time> start_{};
    std::optional<Time> local_since_{};
    std::optional<Time> reacting_since_{};
    std::optional<Time> latest_busy_{};
};

} // namespace eyehand::winio
