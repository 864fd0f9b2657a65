// One agent in a conversation: the model replies with a tool call or with its final answer. The
// profile determines prompts and tools.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/transcript.hpp"
#include "modes/effect_of_action.hpp"
#include "modes/free_turns.hpp"
#include "modes/loop_detector.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

class ConversationMode final : public Mode {
public:
    /// `tools` are offered to the model. Throws Error{task_too_long}.
    ConversationMode(const Profile& profile, const std::string& task,
                     std::vector<vlm::ToolSpec> tools);

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return phase_ == Phase::finished; }
    void apply(const Fact& fact) override;
    [[nodiscard]] ModeState state() const override;
    void revise(const Observed& seen) override;

private:
    enum class Phase { observing, asking, acting, recovering, finished };

    void on(const Observed& fact);
    void on(const ObserveFailed& fact);
    void on(const Replied& fact);
    void on(const AskFailed& fact);
    void on(const Superseded&) {}
    void on(const Invoked& fact);
    void on(const Recovered& fact);
    void on(const UserMessage& fact);
    void on(const Stopped& fact);
    void finish_with(const vlm::ChatReply& reply);
    void remind(const vlm::ChatReply& reply, std::string_view words);
    void answer_calls();
    [[nodiscard]] bool has_more_calls() const;
    void refuse_calls();
    void go_on();
    void pass_on_words();
    [[nodiscard]] bool is_in_a_loop();
    void tell_of_loop(std::string words);
    [[nodiscard]] vlm::Message screen_message(const Observed& fact) const;
    void finish(Outcome outcome, std::string reason);

    vlm::ChatRequest request_; ///< everything except the messages
    int max_turns_;
    SeveralCalls several_calls_;
    bool looks_between_;       ///< the calls of a reply
    bool looks_after_actions_; ///< although the model does not ask for it
    std::string refused_call_error_;
    CoordinateConverter numbers_;
    std::string task_;
    Transcript transcript_;
    Phase phase_;
    int turn_ = 0; ///< requests started
    FreeTurns free_turns_;
    std::vector<vlm::ToolCall> calls_;      ///< of the latest reply
    std::vector<std::string> results_;      ///< of its calls so far
    std::vector<ResultImage> images_;       ///< of these results
    std::vector<ResultImage> shown_images_; ///< with the latest screenshot
    bool has_effect_ = false;               ///< one of these calls acted or waited
    bool wants_look_ = false;               ///< a call before the last one asked for a screenshot
    bool goes_on_ = false;                  ///< after the screenshot, the next call follows
    LoopProfile loop_rules_;
    LoopDetector loops_;
    int loops_from_ = 0; ///< first turn with loop detection
    EffectOfAction effect_;
    std::optional<winio::ActionEffect> shown_effect_; ///< by the latest screenshot
    std::string shown_words_;                         ///< with the latest screenshot
    std::string told_before_;                         ///< the beginning of these words
    std::optional<Zoom> wanted_; ///< what the next screenshot shows; not set: the whole screen
    std::optional<Zoom> shown_;  ///< by the latest one that the model has received
    bool reminded_ = false;      ///< since the latest reply with a call
    std::string told_; ///< text for the model before the next screenshot, or in a separate message
    std::vector<std::string> heard_; ///< messages of the user that are not yet in the transcript
    Finish finish_;
    vlm::Message final_answer_; ///< the reply that completed the run, as the model wrote it
};

} // namespace eyehand::agent
