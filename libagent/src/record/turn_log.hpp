// The log of turns of a visual loop: turns.jsonl, or vlm_output.json in the turn's folder.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/run.hpp"

#include <cstdint>

namespace eyehand::agent {

/// Depends only on the journal's facts, so that it can be written again. The store must outlive it.
class TurnLog {
public:
    TurnLog(RunStore& store, LogLayout layout) : store_(store), layout_(layout) {}

    /// Removes the entries written so far.
    void clear();
    /// `state` is the mode's state before the fact. A further screenshot of the same turn replaces the
    /// turn's entries.
    void add(const Observed& fact, const ModeState& state);

private:
    RunStore& store_;
    LogLayout layout_;
    int turn_ = 0;              ///< the latest one
    std::uint64_t before_ = 0;  ///< bytes of the entries before that turn
    std::uint64_t written_ = 0; ///< bytes of all entries
};

} // namespace eyehand::agent
