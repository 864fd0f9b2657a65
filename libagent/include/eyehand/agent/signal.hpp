// The meaning of a tool call for the run itself, in addition to its effect on the desktop.
//
// A tool that plans, remembers or reports returns a result with a signal: `ok("noted").signal(
// Progress{...})`. A mode acts on the signals that it knows and ignores the others.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace eyehand::agent {

/// The planning role tells the acting role what to do.
struct Brief {
    std::string instructions{};
    std::string rationale{};
    friend bool operator==(const Brief&, const Brief&) = default;
};
/// Turns to archive, and the summary that remains of them.
struct Archive {
    std::string summary{};
    std::string patterns{}; ///< recurring events, such as loops and failures
    std::vector<int> turns{};
    friend bool operator==(const Archive&, const Archive&) = default;
};
/// The status of an objective.
struct Progress {
    std::string objective{};
    std::string
        status{}; ///< a word such as DONE or BLOCKED; the profile lists those that cause a review
    std::string evidence{};
    friend bool operator==(const Progress&, const Progress&) = default;
};
/// A claim that the task is done, with evidence.
struct Completion {
    std::string evidence{};
    friend bool operator==(const Completion&, const Completion&) = default;
};
/// The decision on a claim of completion.
struct Verdict {
    bool confirmed = false;
    std::string reason{};
    friend bool operator==(const Verdict&, const Verdict&) = default;
};

using Signal = std::variant<std::monostate, Brief, Archive, Progress, Completion, Verdict>;

} // namespace eyehand::agent
