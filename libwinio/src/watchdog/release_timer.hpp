// When a watchdog releases what another program holds, without a clock and a desktop.
#pragma once

#include "watchdog/hold.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace eyehand::winio {

class ReleaseTimer {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// A message of the program: `hold` or `rest`.
    void note(const HoldMessage& message, Time now);
    /// The program has ended, or has closed its desktop.
    void ended(Time now);

    /// When `due` is to be called next; empty: after the next message.
    [[nodiscard]] std::optional<Time> next() const { return next_; }
    struct Due {
        std::vector<ReleaseCode> codes{}; ///< to release now
        bool expired = false;             ///< the program is to be told, before the release
    };
    [[nodiscard]] Due due(Time now);
    /// The program has ended, and everything is released.
    [[nodiscard]] bool finished() const { return ended_ && !next_; }

private:
    /// Counts the time since the previous check.
    [[nodiscard]] bool has_expired(Time now);

    std::vector<ReleaseCode> codes_; ///< may be pressed
    std::optional<Time> next_;
    std::chrono::nanoseconds left_{}; ///< of the time without a heartbeat
    Time checked_{};                  ///< when `left_` was reduced
    Time fault_{};                    ///< when the releases began
    std::size_t attempts_ = 0;        ///< since then; 0: nothing has happened
    bool ended_ = false;
};

} // namespace eyehand::winio
