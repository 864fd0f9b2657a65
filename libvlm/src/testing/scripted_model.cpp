#include "eyehand/vlm/testing/scripted_model.hpp"

#include <stdexcept>
#include <utility>

namespace eyehand::vlm::testing {

ScriptedModel& ScriptedModel::say(std::string text) {
    ChatReply reply;
    reply.text = std::move(text);
    reply.finish = FinishReason::stop;
    return reply_with(std::move(reply));
}

ScriptedModel& ScriptedModel::call(std::string tool, std::string arguments_json, std::string text) {
    ChatReply reply;
    reply.text = std::move(text);
    reply.tool_calls.push_back({"call_" + std::to_string(++calls_), std::move(tool),
                                std::move(arguments_json), std::string()});
    reply.finish = FinishReason::tool_calls;
    return reply_with(std::move(reply));
}

ScriptedModel& ScriptedModel::reply_with(ChatReply reply) {
    return answer([reply = std::move(reply)](const ChatRequest&) { return reply; });
}

ScriptedModel& ScriptedModel::fail(Error error) {
    return answer([error = std::move(error)](const ChatRequest&) -> ChatReply { throw error; });
}

ScriptedModel& ScriptedModel::answer(Answer answer) {
    answers_.push_back(std::move(answer));
    return *this;
}

ChatReply ScriptedModel::reply(const ChatRequest& request, const OnDelta& on_delta,
                               std::stop_token stop) {
    if (stop.stop_requested()) throw Error(errc::cancelled, "the scripted reply was canceled");
    requests_.push_back(request);
    if (answers_.empty())
        throw std::logic_error("the scripted model was asked more often than it has answers");
    const Answer answer = std::move(answers_.front());
    answers_.pop_front();
    ChatReply reply = answer(request);
    if (on_delta && !reply.text.empty()) on_delta({Delta::Kind::text, reply.text});
    return reply;
}

} // namespace eyehand::vlm::testing
