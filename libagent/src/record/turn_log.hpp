// The log of turns of a visual loop: turns.jsonl, or vlm_output.json in the turn's folder.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/run.hpp"

namespace eyehand::agent {

/// Depends only on the journal's facts, so that it can be written again. The store must outlive it.
class TurnLog {
public:
    TurnLog(RunStore& store, LogLayout layout) : store_(store), layout_(layout) {}

    /// Removes the entries written so far.
    void clear();
    /// `state` is the mode's state before the fact.
    void add(const Observed& fact, const ModeState& state);

private:
    RunStore& store_;
    LogLayout layout_;
};

} // namespace eyehand::agent
