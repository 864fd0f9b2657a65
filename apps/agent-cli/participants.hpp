// Input from the user during a run: Ctrl+C, the panel, questions on the terminal.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "eyehand/panel/panel.hpp"
#include "eyehand/session/run_session.hpp"
#include "hand_settings.hpp"
#include "terminal_view.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace eyehand::cli {

/// Connects the terminal and the panel to a run. The panel, if it is on, listens as long as this
/// object exists.
class Participants {
public:
    struct Options {
        std::optional<panel::PanelOptions> panel{};
        /// No user is asked, also if there is a terminal or a panel.
        bool unattended = false;
        agent::GuardLevel guard = agent::GuardLevel::standard;
        Detail detail = Detail::normal;
        bool json = false;
        HandSettings hand{};
    };
    /// Throws UsageError if each action requires approval but there is neither a terminal nor a panel,
    /// or if the panel cannot listen.
    explicit Participants(Options options);

    /// Whether a user can answer approval requests.
    [[nodiscard]] agent::Approvals approvals() const;

    /// Controls the run that `follow` runs.
    [[nodiscard]] const agent::RunControl& control() const { return control_; }

    using Go = std::function<session::RunResult(std::span<agent::Observer* const>)>;
    /// Calls `go` with the observers of the run, including `view`, and prints the outcome. On
    /// `desktop`, the user can stop the run.
    agent::RunFinished follow(const agent::RunDirectory& directory, const agent::Profile& profile,
                              agent::Source annotation, agent::Observer& view,
                              winio::Desktop& desktop, const Go& go);

private:
    [[nodiscard]] bool user_can_answer() const;
    [[nodiscard]] std::unique_ptr<winio::UserWatch>
    watch_user(winio::Desktop& desktop, std::function<void(const std::string& again)> interrupt);
    void take_over();
    void watch_has_ended();
    void say(const std::string& text) const;
    session::RunResult take_part(const agent::RunDirectory& directory,
                                 const agent::Profile& profile, agent::Source annotation,
                                 agent::Observer& view, winio::Desktop& desktop, const Go& go);

    Options options_;
    agent::RunControl control_;
    std::optional<panel::Panel> panel_;
};

} // namespace eyehand::cli
