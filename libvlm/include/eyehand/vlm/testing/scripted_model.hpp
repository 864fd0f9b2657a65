// A model with scripted replies, for tests.
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

/// Returns the queued replies in order and stores the requests. Throws std::logic_error if the
/// queue is empty, so that a test with more requests than planned fails.
///
///     ScriptedModel model;
///     model.call("click_element", R"({"label":"OK","box":[500,500]})");
///     model.say("Done.");
class EYEHAND_VLM_API ScriptedModel final : public ChatModel {
public:
    using Answer = std::function<ChatReply(const ChatRequest&)>;

    ScriptedModel& say(std::string text);
    /// A reply with one tool call and optional text.
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
