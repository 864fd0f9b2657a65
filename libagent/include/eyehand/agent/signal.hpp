// What a tool call means to the run itself, beside what it does on the desktop.
//
// A tool that plans, remembers or reports returns a result with a signal: `ok("noted").signal(
// Progress{...})`. A mode acts on it; modes that know no such thing ignore it.
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
/// Turns that memory may put away, and what is to be remembered of them.
struct Archive {
    std::string summary{};
    std::string patterns{}; ///< what kept recurring: loops, failures
    std::vector<int> turns{};
    friend bool operator==(const Archive&, const Archive&) = default;
};
/// How an objective stands.
struct Progress {
    std::string objective{};
    std::string
        status{}; ///< a word such as DONE, BLOCKED; the profile says which call for a review
    std::string evidence{};
    friend bool operator==(const Progress&, const Progress&) = default;
};
/// The task is done, and what shows it.
struct Completion {
    std::string evidence{};
    friend bool operator==(const Completion&, const Completion&) = default;
};
/// Whether a claim of completion holds.
struct Verdict {
    bool confirmed = false;
    std::string reason{};
    friend bool operator==(const Verdict&, const Verdict&) = default;
};

using Signal = std::variant<std::monostate, Brief, Archive, Progress, Completion, Verdict>;

} // namespace eyehand::agent
