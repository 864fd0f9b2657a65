// A run on a desktop in memory that a panel shows.
#pragma once

#include "client.hpp"
#include "eyehand/agent/agent.hpp"
#include "eyehand/panel/panel.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <future>
#include <memory>
#include <optional>
#include <string>

namespace test {

/// A run on another thread while the test talks to the panel. The destructor stops it.
class PanelRun {
public:
    PanelRun(eyehand::panel::Panel& panel, eyehand::agent::Profile profile,
             eyehand::vlm::ChatModel& model, eyehand::agent::AgentOptions options = {})
        : directory_(eyehand::agent::RunDirectory::create(folder_.path())),
          profile_(std::move(profile)), model_(model), options_(std::move(options)) {
        options_.settle.minimum = options_.settle.quiet = std::chrono::milliseconds(0);
        options_.reaction = eyehand::winio::no_reaction_wait;
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
            eyehand::agent::Agent agent(desktop_, model_, profile_,
                                        eyehand::agent::built_in_tools(), options_);
            return agent.run(task, directory_, control_, seat_.get());
        });
    }
    /// Waits for the end of the run.
    const eyehand::agent::RunFinished& result() {
        if (!finished_) finished_ = result_.get();
        return *finished_;
    }
    void leave() { seat_.reset(); }

    [[nodiscard]] std::filesystem::path path() const { return directory_.path(); }
    eyehand::winio::testing::MemoryDesktop& desktop() { return desktop_; }
    eyehand::agent::RunControl& control() { return control_; }

private:
    TempFolder folder_;
    eyehand::winio::testing::MemoryDesktop desktop_{
        eyehand::winio::Size{501, 501}}; // half a pixel per unit
    eyehand::agent::RunDirectory directory_;
    eyehand::agent::Profile profile_;
    eyehand::vlm::ChatModel& model_;
    eyehand::agent::AgentOptions options_;
    eyehand::agent::RunControl control_;
    std::unique_ptr<eyehand::agent::Observer> seat_;
    std::future<eyehand::agent::RunFinished> result_;
    std::optional<eyehand::agent::RunFinished> finished_;
};

/// A line of a journal, without its line break, that a panel can read.
inline std::string observed_entry(const std::string& file) {
    return json::serialize(json::object{{"seq", 1},
                                        {"type", "observed"},
                                        {"file", file},
                                        {"sha256", ""},
                                        {"width", 1},
                                        {"height", 1},
                                        {"area", {0, 0, 1, 1}},
                                        {"changed", json::array()},
                                        {"settle_ms", 0},
                                        {"capture_ms", 0},
                                        {"scale_ms", 0},
                                        {"encode_ms", 0}});
}
inline std::string replied_entry(int turn, const std::string& text) {
    return json::serialize(json::object{{"type", "replied"},
                                        {"turn", turn},
                                        {"text", text},
                                        {"tool_calls", json::array()},
                                        {"finish", "stop"},
                                        {"model", "m"},
                                        {"prompt_tokens", nullptr},
                                        {"cached_tokens", nullptr},
                                        {"completion_tokens", nullptr},
                                        {"wait_ms", 0},
                                        {"model_ms", 0}});
}

inline std::string text_at(const json::object& object, std::string_view name) {
    const json::string& text = object.at(name).as_string();
    return {text.data(), text.size()};
}

} // namespace test
