// The mode of a run whose model is an MCP client: one call per turn, then a screenshot if the call
// acted or asked for one. The requests contain no results: the session (client_session.hpp) follows
// the run's events and answers the client.
#pragma once

#include "desktop/change_history.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <optional>
#include <string>
#include <vector>

namespace eyehand::mcp {

/// Tools that the mode treats in a particular way, by the names under which they are offered.
inline constexpr std::string_view look_tool = "look";
inline constexpr std::string_view wait_for_change_tool = "wait_for_change";
inline constexpr std::string_view clipboard_write_tool = "clipboard_write"; ///< shows nothing

/// The number in the argument "since" of a call of `look`.
[[nodiscard]] std::optional<int> since_of(const vlm::ToolCall& call);

class SessionMode final : public agent::Mode {
public:
    SessionMode(const agent::Profile& profile, const std::string& task);

    [[nodiscard]] agent::Command next() const override;
    [[nodiscard]] bool finished() const override { return phase_ == Phase::finished; }
    void apply(const agent::Fact& fact) override;
    [[nodiscard]] agent::ModeState state() const override;

private:
    enum class Phase {
        asking,
        looking_first, ///< before a wait, which is over if the screen has changed already
        acting,
        observing,
        showing_parts, ///< of the screenshot that was taken last
        finished,
    };

    void on(const agent::Replied& fact);
    void on(const agent::Invoked& fact);
    void on(const agent::Observed& fact);
    void go_on();
    void observe(std::optional<agent::Zoom> view);
    void show_parts(const agent::Observed& fact);
    void finish(agent::Outcome outcome, std::string reason);

    vlm::ChatRequest request_; ///< always the same
    Phase phase_ = Phase::asking;
    int turn_ = 1;
    vlm::ToolCall call_;
    bool has_seen_ = false;             ///< a screenshot
    std::optional<agent::Zoom> view_;   ///< of the latest screenshot; empty: the work area
    std::optional<agent::Zoom> wanted_; ///< of the next one
    std::vector<agent::Zoom> parts_;    ///< still to show, the last one first
    ChangeHistory history_;
    agent::Finish finish_;
};

} // namespace eyehand::mcp
