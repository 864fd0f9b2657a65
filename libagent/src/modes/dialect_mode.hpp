// Writes requests and reads replies in the dialect of the model.
#pragma once

#include "dialects/prompt_section.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace eyehand::agent {

/// Wraps a mode whose model has a dialect other than `native`. The inner mode offers tools and receives
/// calls; the requests and replies outside are in the form of the model, so that the journal has what
/// the model read and wrote. What the model wrote goes back to it unchanged in later requests.
class DialectMode final : public Mode {
public:
    DialectMode(std::unique_ptr<Mode> inner, const Profile& profile, const ToolsByRole& tools);

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return inner_->finished(); }
    void apply(const Fact& fact) override;
    void revise(const Observed& seen) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }

private:
    struct Role {
        Toolbox tools;
        RoleOffer offer;
        std::string section; ///< of the system prompt
        std::vector<vlm::ToolSpec> specs;
    };

    [[nodiscard]] Role role_of(const RolePlan& plan, const Toolbox& tools) const;
    void write_messages(std::vector<vlm::Message>& messages, const Role* role) const;
    void write_reply(vlm::Message& message) const;
    void write_result(const vlm::Message& result, std::vector<vlm::Message>& written) const;
    [[nodiscard]] Replied read(const Replied& fact, const Role& role);
    [[nodiscard]] Replied read_aside(const Replied& fact, const Role& role);
    void read_text(vlm::ChatReply& reply, const Role& role);
    void refuse_text_beside_calls(vlm::ChatReply& reply, const Role& role);
    void read_calls(vlm::ChatReply& reply, const Role& role);
    void carry_out(vlm::ChatReply& reply, const StatedActions& stated, const Role& role,
                   const vlm::ToolCall* original, bool alone);
    void refuse_several(vlm::ChatReply& reply);
    void end_task(vlm::ChatReply& reply, const StatedAction& end, const StatedActions& stated,
                  const Role& role, const vlm::ToolCall* original);
    void add_call(vlm::ChatReply& reply, vlm::ToolCall call, const vlm::ToolCall* original);
    void pass_on_notes();

    std::unique_ptr<Mode> inner_;
    const Dialect dialect_;
    const SeveralCalls several_;
    const CoordinateConverter numbers_;
    std::map<std::string, Role> roles_;
    /// What the model wrote, by the ids of the calls for the inner mode.
    struct Original {
        std::optional<vlm::ToolCall> call; ///< empty: text
        std::string statement; ///< the end of the text, which the inner mode does not receive
    };
    std::map<std::string, Original> originals_;
    /// The ids of the calls for the inner mode whose safety checks the user has approved.
    std::set<std::string> approved_;
    std::optional<winio::Rect> reference_;  ///< of positions
    std::optional<StatedPosition> pointer_; ///< as the model has stated it
    std::optional<StatedPosition> planned_; ///< the same, after the actions of the latest reply
    /// Where these actions put it, by the ids of their calls.
    std::map<std::string, StatedPosition> targets_;
    std::size_t statements_ = 0; ///< actions in the latest reply, as the model counts them
    int replies_ = 0;
    std::string gave_up_; ///< why, if the latest reply did
};

} // namespace eyehand::agent
