// What a visual loop keeps of each turn besides the journal: turns.jsonl, or vlm_output.json in the
// turn's folder.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/run.hpp"

namespace eyehand::agent {

/// Follows from the journal's facts alone, so that it can be written again. The store must outlive it.
class TurnLog {
public:
    TurnLog(RunStore& store, LogLayout layout) : store_(store), layout_(layout) {}

    /// Forgets what was written.
    void clear();
    /// `state` is the mode's before it was told.
    void add(const Observed& fact, const ModeState& state);

private:
    RunStore& store_;
    LogLayout layout_;
};

} // namespace eyehand::agent
