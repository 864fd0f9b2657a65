// How quickly programs have reacted, to wait less for those that are always quick.
//
//     ReactionTimes times; // for a whole run
//     prepare_reaction(desktop, *capturer, area.bounds(), plan, before);
//     ...
//     Reacted look = settler.wait_for_reaction(
//         desktop, *capturer, before, times.limits(before.process, before.expectation, options));
//     if (look.reacted_after) times.add(before.process, before.expectation, *look.reacted_after);
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/reaction.hpp"

#include <chrono>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// The latest eight reaction times of each program for each expectation; of at most 64 programs and
/// expectations, those in use longest ago are forgotten. Not thread-safe.
class EYEHAND_WINIO_API ReactionTimes {
public:
    /// Records the time from the end of an action until its reaction was seen, also if that was after
    /// the wait. `process`: the file name of the program; ASCII letters match regardless of case.
    /// Does nothing if it is empty.
    void add(std::string_view process, Expectation expectation, std::chrono::milliseconds time);

    /// Returns `options` with a shorter `reaction_timeout` for a click, a command or a paste, if the
    /// program has reacted eight times: 1.5 times the longest of the latest eight times, but at least
    /// 300 ms (and never longer than `options`). The numbers are chosen: eight equal samples are
    /// unlikely for a program that is sometimes slow, and 300 ms leave space for an action of another
    /// kind.
    [[nodiscard]] ReactionOptions limits(std::string_view process, Expectation expectation,
                                         const ReactionOptions& options) const;

private:
    struct Times {
        std::string process; ///< in lower case
        Expectation expectation{};
        std::deque<std::chrono::milliseconds> latest;
    };
    std::vector<Times> all_; ///< the latest one is the last
};

} // namespace eyehand::winio
