// One run of an agent on the reaction window, and everything that was recorded during it.
#pragma once

#include "../views.hpp"
#include "eyehand/agent/agent.hpp"
#include "looking_model.hpp"
#include "recording_desktop.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace reaction {

struct Setup {
    std::string scenario;
    std::chrono::milliseconds thinking_time{};
    /// Without it, the agent does not wait for reactions, and does not watch the screen.
    bool true_screen = true;
};

/// A line of the window's log.
struct LogEntry {
    enum class Kind { painting, visible, press };
    Kind kind = Kind::visible;
    View view = View::step_1;
    RecordingDesktop::Time time{};
};

struct RunRecord {
    Setup setup;
    eyehand::agent::RunFinished finished;
    std::vector<eyehand::agent::Event> events;
    std::vector<LookingModel::Thought> thoughts;
    std::vector<RecordingDesktop::Time> captures;
    std::vector<RecordingDesktop::Press> presses;
    std::vector<LogEntry> log;

    /// The entries of one kind.
    [[nodiscard]] std::vector<LogEntry> all(LogEntry::Kind kind) const;
};

/// Starts the window, runs an agent until it ends, and closes the window. Throws std::runtime_error if
/// the window does not appear, disappear or receive the presses.
[[nodiscard]] RunRecord run_scenario(eyehand::winio::Desktop& desktop, const Setup& setup);

} // namespace reaction
