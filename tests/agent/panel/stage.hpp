// A run on a desktop in memory that a panel shows.
#pragma once

#include "agent/agent.hpp"
#include "agent/panel.hpp"
#include "client.hpp"
#include "vlm/testing/scripted_model.hpp"
#include "winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <future>
#include <memory>
#include <optional>
#include <string>

namespace test {

/// A run that goes on while the test talks to the panel. It is stopped at the end at the latest.
class PanelRun {
public:
    PanelRun(agent::Panel& panel, agent::Profile profile, vlm::ChatModel& model,
             agent::AgentOptions options = {})
        : directory_(agent::RunDirectory::create(folder_.path())), profile_(std::move(profile)),
          model_(model), options_(std::move(options)) {
        options_.settle.minimum = options_.settle.quiet = std::chrono::milliseconds(0);
        profile_.pace = {.drag_step_delay = std::chrono::milliseconds(0)};
        profile_.step_delay = std::chrono::milliseconds(0);
        seat_ = panel.show(directory_, control_, profile_, options_.annotation);
    }
    ~PanelRun() {
        control_.stop_now("the test is over");
        if (result_.valid()) result_.wait();
    }
    PanelRun(const PanelRun&) = delete;
    PanelRun& operator=(const PanelRun&) = delete;

    void start(const std::string& task = "do it") {
        result_ = std::async(std::launch::async, [this, task] {
            agent::Agent agent(desktop_, model_, profile_, agent::built_in_tools(), options_);
            return agent.run(task, directory_, control_, seat_.get());
        });
    }
    /// Waits for its end.
    const agent::RunFinished& result() {
        if (!finished_) finished_ = result_.get();
        return *finished_;
    }
    void leave() { seat_.reset(); }

    [[nodiscard]] std::filesystem::path path() const { return directory_.path(); }
    winio::testing::MemoryDesktop& desktop() { return desktop_; }
    agent::RunControl& control() { return control_; }

private:
    TempFolder folder_;
    winio::testing::MemoryDesktop desktop_{winio::Size{1001, 1001}}; // a pixel a unit
    agent::RunDirectory directory_;
    agent::Profile profile_;
    vlm::ChatModel& model_;
    agent::AgentOptions options_;
    agent::RunControl control_;
    std::unique_ptr<agent::Observer> seat_;
    std::future<agent::RunFinished> result_;
    std::optional<agent::RunFinished> finished_;
};

inline std::string text_at(const json::object& object, std::string_view name) {
    const json::string& text = object.at(name).as_string();
    return {text.data(), text.size()};
}

} // namespace test
