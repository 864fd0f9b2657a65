// A scripted model behind a real server and the real client.
#pragma once

#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"

#include <boost/json.hpp>

#include <string>
#include <utility>

namespace test {

/// Sends each reply of the script through the server: the first as one document, the next as a stream,
/// and so on alternately. Errors of the script are thrown as they are.
class ServedModel final : public eyehand::vlm::ChatModel {
public:
    explicit ServedModel(eyehand::vlm::testing::ScriptedModel& script) : script_(script) {}

    eyehand::vlm::ChatReply reply(const eyehand::vlm::ChatRequest& request,
                                  const eyehand::vlm::OnDelta& on_delta,
                                  std::stop_token stop) override {
        const eyehand::vlm::ChatReply reply = script_.reply(request, {}, stop);
        const bool stream = ++replies_ % 2 == 0;
        server_.enqueue(stream ? streamed(reply) : whole(reply));
        const eyehand::vlm::OnDelta no_deltas = [](const eyehand::vlm::Delta&) {};
        return client_.reply(request, on_delta || !stream ? on_delta : no_deltas, std::move(stop));
    }

private:
    using Json = boost::json::object;

    static boost::json::array choices(Json members, const char* finish) {
        members["index"] = 0;
        members["finish_reason"] = finish == nullptr ? boost::json::value(nullptr) : finish;
        boost::json::array all;
        all.push_back(std::move(members));
        return all;
    }
    static Json with_usage(Json answer) {
        answer["model"] = "scripted";
        answer["usage"] = Json{{"prompt_tokens", 900}, {"completion_tokens", 30}};
        return answer;
    }
    static const char* finish_of(const eyehand::vlm::ChatReply& reply) {
        return reply.tool_calls.empty() ? "stop" : "tool_calls";
    }
    static Json call_json(const eyehand::vlm::ToolCall& call, const std::string& arguments) {
        return {{"id", call.id},
                {"type", "function"},
                {"function", Json{{"name", call.name}, {"arguments", arguments}}}};
    }

    static eyehand::vlm::testing::Answer whole(const eyehand::vlm::ChatReply& reply) {
        Json message{{"role", "assistant"}, {"content", reply.text}};
        boost::json::array calls;
        for (const auto& call : reply.tool_calls)
            calls.emplace_back(call_json(call, call.arguments_json));
        if (!calls.empty()) message["tool_calls"] = std::move(calls);
        const Json answer =
            with_usage({{"choices", choices({{"message", std::move(message)}}, finish_of(reply))}});
        return {.body = boost::json::serialize(answer)};
    }

    static eyehand::vlm::testing::Answer streamed(const eyehand::vlm::ChatReply& reply) {
        std::string body;
        const auto event = [&](const Json& data) {
            body += "data: " + boost::json::serialize(data) + "\n\n";
        };
        const auto delta = [&](Json members) {
            event({{"choices", choices({{"delta", std::move(members)}}, nullptr)}});
        };
        // Cut in the middle, also in the middle of a character.
        const auto halves = [](const std::string& text) {
            return std::pair(text.substr(0, text.size() / 2), text.substr(text.size() / 2));
        };
        const auto [first, second] = halves(reply.text);
        if (!reply.text.empty()) {
            delta({{"role", "assistant"}, {"content", first}});
            delta({{"content", second}});
        }
        for (std::size_t i = 0; i < reply.tool_calls.size(); ++i) {
            const auto& call = reply.tool_calls[i];
            const auto [begin, end] = halves(call.arguments_json);
            Json named = call_json(call, begin);
            named["index"] = i;
            Json rest{{"index", i}, {"function", Json{{"arguments", end}}}};
            for (Json* piece : {&named, &rest}) {
                boost::json::array one;
                one.emplace_back(std::move(*piece));
                delta({{"tool_calls", std::move(one)}});
            }
        }
        event({{"choices", choices({{"delta", Json{}}}, finish_of(reply))}});
        event(with_usage({{"choices", boost::json::array{}}}));
        return {.content_type = "text/event-stream", .body = body + "data: [DONE]\n\n"};
    }

    eyehand::vlm::testing::ScriptedModel& script_;
    eyehand::vlm::testing::ChatServer server_;
    eyehand::vlm::OpenAiClient client_{{.endpoint = server_.url()}};
    int replies_ = 0;
};

} // namespace test
