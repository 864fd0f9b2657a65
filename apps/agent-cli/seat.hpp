// How people take part in a run: Ctrl+C, the panel, questions on the terminal.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "eyehand/panel/panel.hpp"
#include "terminal_view.hpp"

#include <functional>
#include <optional>

namespace eyehand::cli {

/// A run's seat among people. The panel, where there is one, listens as long as it exists.
class Seat {
public:
    struct Options {
        std::optional<panel::PanelOptions> panel{};
        agent::Approve approve = agent::Approve::never;
        Detail detail = Detail::normal;
        bool json = false;
    };
    /// Throws UsageError where consent is needed and nobody could give it, or the panel cannot listen.
    explicit Seat(Options options);

    /// How a program that is a tool asks before it runs.
    [[nodiscard]] agent::AskConsent ask_user();

    /// Runs `go` with the control and the observer that it is to use, and tells how it ended. `view`
    /// is told, too.
    agent::RunFinished
    follow(const agent::RunDirectory& directory, const agent::Profile& profile,
           agent::Source annotation, agent::Observer& view,
           const std::function<agent::RunFinished(agent::RunControl&, agent::Observer&)>& go);

private:
    [[nodiscard]] bool somebody_can_answer() const;
    agent::RunFinished
    take_part(const agent::RunDirectory& directory, const agent::Profile& profile,
              agent::Source annotation, agent::Observer& view,
              const std::function<agent::RunFinished(agent::RunControl&, agent::Observer&)>& go);

    Options options_;
    agent::RunControl control_;
    std::optional<panel::Panel> panel_;
};

} // namespace eyehand::cli
