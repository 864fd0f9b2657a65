// One agent without a conversation: a reply is an observation and a list of actions. The actions
// are executed, and the model receives its own observation with a screenshot of their effect.
//
// A turn is one reply: its actions in order, an annotated screenshot, and a request to the model,
// whose answer is the reply of the next turn. The reply of the first turn is the boot reply.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "modes/free_turns.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::agent {

class VisualLoopMode final : public Mode {
public:
    /// The profile must have VisualLoopSettings. Without a boot reply it waits for one. The model
    /// calls `further_tools` as actions.
    VisualLoopMode(const Profile& profile, const std::string& task,
                   std::vector<vlm::ToolSpec> further_tools = {});

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return phase_ == Phase::finished; }
    void apply(const Fact& fact) override;
    [[nodiscard]] ModeState state() const override;
    void revise(const Observed& seen) override { seen_ = seen; }

private:
    enum class Phase { waiting_inject, executing, capturing, calling_model, finished };

    void on(const Observed& fact);
    void on(const ObserveFailed& fact);
    void on(const Replied& fact);
    void on(const AskFailed& fact);
    void on(const Superseded&) {}
    void on(const Invoked& fact);
    void on(const Recovered&) {} // this mode does not request a recovery
    void on(const UserMessage& fact);
    void on(const Stopped& fact);

    void begin_turn(const std::string& reply);
    void next_turn(const std::string& reply);
    void ask_or_end();
    void act_or_look();
    void take_result(const VisualAction& done, const Invoked& fact);
    [[nodiscard]] bool is_done() const;
    [[nodiscard]] const VisualAction& action() const { return reply_->actions[next_action_]; }
    [[nodiscard]] vlm::ToolCall call() const;
    [[nodiscard]] Annotation annotation() const;
    [[nodiscard]] vlm::ChatRequest request() const;
    [[nodiscard]] std::string told() const;
    void finish(Outcome outcome, std::string reason);

    const VisualLimits limits_;
    int max_turns_;
    FreeTurns free_turns_;
    const std::size_t trail_turns_;
    vlm::ChatRequest request_; ///< everything except the messages
    std::string system_prompt_;
    const std::size_t max_told_; ///< maximum length of the user message, in bytes

    Phase phase_ = Phase::waiting_inject;
    int turn_ = 0;
    int turns_ = 0;                            ///< requests started
    std::shared_ptr<const VisualReply> reply_; ///< nullptr before the first one
    std::size_t next_action_ = 0;
    std::vector<Mark> marks_;               ///< of this turn
    std::deque<std::vector<Mark>> earlier_; ///< of the turns before it, the latest first
    std::vector<std::string> failures_;     ///< of this turn's actions
    std::vector<std::string> results_;      ///< of this turn's further tools
    std::vector<std::string> heard_;        ///< messages of the user since the latest reply
    std::optional<std::string> injected_;   ///< replaces the model's next reply
    Observed seen_;                         ///< the latest screenshot
    Finish finish_;
};

} // namespace eyehand::agent
