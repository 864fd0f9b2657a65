// A model that says what a test told it to say.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/model.hpp"

#include <deque>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace eyehand::vlm::testing {

/// Answers with the queued replies in order and remembers what it was asked. An empty queue throws
/// std::logic_error: a test that asks more than it planned must fail.
///
///     ScriptedModel model;
///     model.call("click_element", R"({"label":"OK","box":[500,500]})");
///     model.say("Done.");
class EYEHAND_VLM_API ScriptedModel final : public ChatModel {
public:
    using Answer = std::function<ChatReply(const ChatRequest&)>;

    ScriptedModel& say(std::string text);
    /// A reply with one tool call, and words before it.
    ScriptedModel& call(std::string tool, std::string arguments_json, std::string text = {});
    ScriptedModel& reply_with(ChatReply reply);
    ScriptedModel& fail(Error error);
    /// Computes the reply from the request; may throw.
    ScriptedModel& answer(Answer answer);

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;

    [[nodiscard]] const std::vector<ChatRequest>& requests() const { return requests_; }
    [[nodiscard]] std::size_t remaining() const { return answers_.size(); }

private:
    std::deque<Answer> answers_;
    std::vector<ChatRequest> requests_;
    int calls_ = 0;
};

} // namespace eyehand::vlm::testing
