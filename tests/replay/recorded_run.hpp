// A run on a small desktop in memory, recorded for a replay.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/replay.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "served_model.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace test {

inline eyehand::winio::WindowInfo window(std::uint64_t id, std::string title, std::string process) {
    eyehand::winio::WindowInfo it;
    it.id = eyehand::winio::WindowId{id};
    it.title = std::move(title);
    it.process = std::move(process);
    it.process_id = static_cast<std::uint32_t>(1000000 + id);
    it.bounds = {0, 0, 251, 251};
    it.foreground = true;
    return it;
}

struct RecordedRun {
    explicit RecordedRun(const std::string& name, eyehand::winio::Size size = {251, 251})
        : desktop(size), profile(eyehand::agent::load_profile(name)) {
        options.record_desktop = true;
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = eyehand::winio::no_reaction_wait;
        profile.pace.drag_step_delay = std::chrono::milliseconds(0);
        desktop.set_windows({window(1, "Untitled - Editor", "editor")});
        desktop.screen().fill({20, 30, 100, 60}, {.blue = 10, .green = 200, .red = 30});
        // Each press leaves a mark, so that screenshots differ.
        desktop.on_input = [this](const eyehand::winio::InputEvent& event) {
            if (!std::holds_alternative<eyehand::winio::ButtonChange>(event)) return;
            ++presses_;
            desktop.screen().fill({presses_ * 7, 200, 5, 5}, {.red = 255});
        };
    }

    eyehand::agent::RunFinished run(const std::string& task = "do it") {
        eyehand::agent::Agent agent(desktop, served, profile, tools, options);
        return agent.run(task, store, control);
    }
    [[nodiscard]] eyehand::agent::ReplayReport replay() const { return replay(replay_options()); }
    [[nodiscard]] eyehand::agent::ReplayReport
    replay(const eyehand::agent::ReplayOptions& changed) const {
        return eyehand::agent::replay_run(store, changed);
    }
    [[nodiscard]] eyehand::agent::ReplayOptions replay_options() const {
        eyehand::agent::ReplayOptions same;
        same.tools = tools;
        same.agent = options;
        return same;
    }
    [[nodiscard]] std::string recording() const {
        return store.bytes(eyehand::agent::recording_name);
    }
    void change(const std::string& file, const std::string& bytes) { store.replace(file, bytes); }

    eyehand::winio::testing::MemoryDesktop desktop;
    eyehand::vlm::testing::ScriptedModel model;
    ServedModel served{model};
    eyehand::agent::MemoryStore store;
    eyehand::agent::RunControl control;
    eyehand::agent::Toolbox tools = eyehand::agent::built_in_tools();
    eyehand::agent::AgentOptions options;
    eyehand::agent::Profile profile;

private:
    int presses_ = 0;
};

} // namespace test
