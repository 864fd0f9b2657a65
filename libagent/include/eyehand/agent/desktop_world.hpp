// The world that executes commands with a desktop, a model and a run store. `Agent` uses it; a
// program that calls `drive` (mode.hpp) itself makes one here.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/control.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/export.hpp"

#include <functional>
#include <memory>

namespace eyehand::agent {

class Journal;

/// The parts of a desktop world. All referenced objects must outlive the world.
struct DesktopWorldParts {
    winio::Desktop& desktop;
    vlm::ChatModel& model;
    const ToolsByRole& tools; ///< for each role that the mode names in its commands
    const Profile& profile;
    const AgentOptions& options;
    RunStore& store; ///< for the screenshots
    const RunControl& control;
    vlm::OnDelta on_delta{};                          ///< receives the model's reply as it arrives
    std::function<void(const ModeState&)> on_state{}; ///< receives the state before each command
    std::function<void(const ToolProgress&)> on_progress{}; ///< receives what calls report
    /// The journal that `drive` writes. The world adds the guard's decisions (`Judged`), and all
    /// entries are on the disk before each action (`Journal::finish_sync`). nullptr: the facts alone
    /// have the decisions, and a resumed run may repeat an action after a power failure.
    Journal* journal = nullptr;
};

/// Not thread-safe: `drive` calls it on its own thread.
[[nodiscard]] EYEHAND_AGENT_API std::unique_ptr<World> make_desktop_world(DesktopWorldParts parts);

} // namespace eyehand::agent
