// The events of one call, and the result that the client receives for it.
#pragma once

#include "desktop/change_history.hpp"
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/mcp/content.hpp"
#include "modes/effect_of_action.hpp"

#include <optional>
#include <string>
#include <vector>

namespace eyehand::mcp {

/// A call as the client made it.
struct ClientCall {
    std::string tool{};
    std::string arguments_json{}; ///< for the tool: without what concerns only the result
    bool wants_image = true;
};

/// Follows the events of a session's run and makes a result for each call. Used on the run's thread.
class CallRecord {
public:
    CallRecord(const agent::Profile& profile, winio::Desktop& desktop, const agent::RunStore& store)
        : profile_(profile), desktop_(desktop), store_(store) {}

    void begin(const ClientCall& call);
    void add(const agent::Event& event);
    /// The result of the call: the run waits for the next one.
    [[nodiscard]] CallResult result();
    /// Whether the latest result contains an image to which positions refer from then on.
    [[nodiscard]] bool shows() const { return shows_; }
    /// The result of a call of `tool` if the run has ended.
    [[nodiscard]] static CallResult result_of_end(const std::string& tool,
                                                  const std::string& reason);

private:
    void saw(const agent::Observed& fact, int screenshot);
    [[nodiscard]] std::string effect() const;

    const agent::Profile& profile_;
    winio::Desktop& desktop_;
    const agent::RunStore& store_;

    ClientCall call_;
    std::optional<agent::Invoked> invoked_;
    std::optional<agent::Observed> seen_; ///< the latest screenshot of the call
    int seen_id_ = 0;
    std::vector<agent::Observed> parts_; ///< of it
    std::vector<winio::Rect> changed_;   ///< during the call
    std::optional<agent::ObserveFailed> unseen_;
    std::vector<std::string> messages_; ///< of the user
    agent::EffectOfAction effect_of_action_;
    std::optional<winio::ActionEffect> effect_;
    ChangeHistory history_;
    std::optional<agent::Observed> shown_; ///< the latest image that a result contained
    bool shows_ = false;
};

} // namespace eyehand::mcp
