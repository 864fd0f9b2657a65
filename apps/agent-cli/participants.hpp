// How people take part in a run: Ctrl+C, the panel, questions on the terminal.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "eyehand/panel/panel.hpp"
#include "eyehand/session/run_session.hpp"
#include "terminal_view.hpp"

#include <functional>
#include <optional>
#include <span>

namespace eyehand::cli {

/// The people and the page that take part in a run. The panel, if the settings want one, listens as long
/// as this object exists.
class Participants {
public:
    struct Options {
        std::optional<panel::PanelOptions> panel{};
        agent::Approve approve = agent::Approve::never;
        Detail detail = Detail::normal;
        bool json = false;
    };
    /// Throws UsageError where consent is needed and nobody could give it, or the panel cannot listen.
    explicit Participants(Options options);

    /// How a program that is a tool asks before it runs.
    [[nodiscard]] agent::AskConsent ask_user();

    /// Controls the run that `follow` runs.
    [[nodiscard]] const agent::RunControl& control() const { return control_; }

    using Go = std::function<session::RunResult(std::span<agent::Observer* const>)>;
    /// Runs `go` with the observers that it is to use, `view` among them, and prints how it ended.
    agent::RunFinished follow(const agent::RunDirectory& directory, const agent::Profile& profile,
                              agent::Source annotation, agent::Observer& view, const Go& go);

private:
    [[nodiscard]] bool somebody_can_answer() const;
    session::RunResult take_part(const agent::RunDirectory& directory,
                                 const agent::Profile& profile, agent::Source annotation,
                                 agent::Observer& view, const Go& go);

    Options options_;
    agent::RunControl control_;
    std::optional<panel::Panel> panel_;
};

} // namespace eyehand::cli
