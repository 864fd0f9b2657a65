// A team of two roles: a lead plans without seeing the screen, and a worker acts on screenshots.
// The profile determines their prompts and tools.
//
// A turn is one request to one of them and its reply. The lead speaks until it has briefed the
// worker; it may archive turns and brief in one reply. Then the worker acts, with one call per turn,
// until a review is due: after a number of turns, a report that causes one, a message of the user,
// or when memory has to be compressed.
#pragma once

#include "eyehand/agent/memory.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/team_settings.hpp"
#include "modes/call_words.hpp"
#include "modes/effect_of_action.hpp"
#include "modes/free_turns.hpp"
#include "modes/loop_detector.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

class TeamMode final : public Mode {
public:
    /// The tools offered to each role.
    struct OfferedTools {
        std::vector<vlm::ToolSpec> lead;
        std::vector<vlm::ToolSpec> worker;
        std::string brief;           ///< the name of the lead's tool for briefing
        std::string archive{};       ///< of the one for archiving; empty: not offered
        ArgumentsByTool arguments{}; ///< of the worker's tools
        std::optional<CoordinateConverter> coordinates{}; ///< the numbers of the model
    };
    /// The profile must have TeamSettings. Throws Error{task_too_long}.
    TeamMode(const Profile& profile, const std::string& task, OfferedTools offered,
             std::unique_ptr<Memory> memory);

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return step_ == Step::finished; }
    void apply(const Fact& fact) override;
    [[nodiscard]] ModeState state() const override;
    void revise(const Observed& seen) override;

private:
    enum class Step { observing, asking, acting, recovering, finished };

    void on(const Observed& fact);
    void on(const ObserveFailed& fact);
    void on(const Replied& fact);
    void on(const AskFailed& fact);
    void on(const Superseded&) {}
    void on(const Invoked& fact);
    void on(const Recovered& fact);
    void on(const UserMessage& fact);
    void on(const Stopped& fact);

    void begin_turn();
    void tell_of_loop(std::string words);
    void switch_to_lead(const std::string& reason);
    [[nodiscard]] std::string reason_for_review() const;
    void take_words(const vlm::ChatReply& reply);
    void choose_calls();
    void take_lead_call(const Invoked& fact);
    [[nodiscard]] std::string take_brief(const Brief& brief);
    void take_worker_call(const Invoked& fact);
    bool goes_on_after(const Invoked& fact);
    void end_lead_turn();
    void record(const Invoked& fact);
    void set_effect(winio::ActionEffect effect);
    void finish(Outcome outcome, std::string reason);

    [[nodiscard]] const TeamRole& role() const;
    [[nodiscard]] std::string& told() { return leads_ ? lead_told_ : worker_told_; }
    [[nodiscard]] const std::string& told() const { return leads_ ? lead_told_ : worker_told_; }
    [[nodiscard]] std::string& heard() { return leads_ ? lead_heard_ : worker_heard_; }
    [[nodiscard]] const std::string& heard() const { return leads_ ? lead_heard_ : worker_heard_; }
    [[nodiscard]] std::string words_on_refused_calls() const;
    [[nodiscard]] vlm::ChatRequest request() const;
    [[nodiscard]] bool must_plan() const;
    [[nodiscard]] std::string context() const;
    [[nodiscard]] std::string last_action(std::string_view result) const;
    [[nodiscard]] std::size_t context_bound() const; ///< bytes
    [[nodiscard]] std::size_t brief_bound() const;   ///< bytes
    [[nodiscard]] std::string shown_of_heard() const;

    const TeamSettings team_;
    const std::string model_;
    const std::string task_;
    int max_turns_;
    FreeTurns free_turns_;
    const SeveralCalls several_calls_;
    const bool looks_between_; ///< the calls of the worker's reply
    const LoopProfile loop_rules_;
    const OfferedTools offered_;
    const CoordinateConverter numbers_;
    std::unique_ptr<Memory> memory_;
    LoopDetector loops_;

    Step step_ = Step::observing;
    bool leads_ = true; ///< whether the lead speaks
    int turn_ = 0;
    Finish finish_;
    std::string plan_;
    std::string brief_;
    bool needs_review_ = false;
    bool compression_asked_ = false; ///< the lead was asked to compress in this turn
    int compressions_ignored_ = 0;
    bool archived_now_ = false; ///< in this turn
    bool briefed_now_ = false;  ///< the same
    std::string refusals_;      ///< problems with the lead's calls of this turn, for the lead
    std::string long_brief_;    ///< instructions that the lead has to shorten
    std::string claim_;         ///< evidence of a claim that waits for the lead's decision
    std::string report_;        ///< a report that waits for the lead's next instructions
    std::string lead_told_;     ///< for its next request only
    std::string worker_told_;   ///< the same
    std::string lead_heard_;    ///< messages of the user since its latest reply
    std::string worker_heard_;  ///< the same
    std::optional<ActionRecord> previous_;       ///< the worker's latest action
    std::string previous_reason_;                ///< which the model gave for it
    EffectOfAction effect_;                      ///< of that action
    std::optional<ActionRecord> without_effect_; ///< that action, if it had no visible effect
    Observed seen_;                              ///< the newest screenshot
    std::vector<ResultImage> images_;            ///< of the worker's latest call
    std::optional<Zoom> wanted_; ///< what the worker's next screenshot shows; not set: everything
    std::optional<Zoom> shown_;  ///< by the latest one that the worker has received
    bool goes_on_ = false;       ///< after the screenshot, the next call of the reply follows
    std::vector<vlm::ToolCall> calls_; ///< of the latest reply, which remain to be executed
    std::size_t refused_calls_ = 0;    ///< the other calls of that reply
    std::string reply_;                ///< its text
    bool reminded_ = false;
    vlm::IgnoredCall ignored_call_{}; ///< of the reply before the reminder
    bool narrow_ = false; ///< a request was too long for the model: all further ones are shorter
    int loops_from_ = 0;  ///< first turn with loop detection
};

} // namespace eyehand::agent
