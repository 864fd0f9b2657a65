#include "chat_reply.hpp"

#include "json_text.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <vector>

namespace stand_in {
namespace {

namespace json = boost::json;

constexpr std::int64_t characters_per_token = 4;
constexpr std::size_t event_bytes = 24;

std::string completion_id(const Envelope& envelope) {
    return fmt::format("chatcmpl-stand-in-{}", envelope.number);
}

std::string call_id(const Envelope& envelope) { return fmt::format("call_{}", envelope.number); }

std::string_view finish_reason(const Reply& reply) { return reply.call ? "tool_calls" : "stop"; }

json::object usage(const Reply& reply, const Envelope& envelope) {
    std::size_t characters = reply.content.size();
    if (reply.call) characters += json_text(reply.call->arguments).size();
    const std::int64_t written = 1 + static_cast<std::int64_t>(characters) / characters_per_token;
    return {{"prompt_tokens", envelope.prompt_tokens},
            {"completion_tokens", written},
            {"total_tokens", envelope.prompt_tokens + written}};
}

json::object frame(const Envelope& envelope, std::string_view object) {
    return {{"id", completion_id(envelope)},
            {"object", object},
            {"created", envelope.created},
            {"model", model_id}};
}

std::string event(const json::value& data) {
    return fmt::format("data: {}\n\n", json::serialize(data));
}

json::object chunk(const Envelope& envelope, json::array choices) {
    json::object data = frame(envelope, "chat.completion.chunk");
    data["choices"] = std::move(choices);
    return data;
}

std::string delta_event(const Envelope& envelope, json::object delta,
                        json::value reason = nullptr) {
    return event(chunk(envelope, {json::object{{"index", 0},
                                               {"delta", std::move(delta)},
                                               {"finish_reason", std::move(reason)}}}));
}

// Splits only between characters, because each event is decoded by itself.
std::vector<std::string_view> pieces_of(std::string_view text) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        std::size_t length = std::min(event_bytes, text.size());
        while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
            ++length;
        pieces.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return pieces;
}

json::object call_delta(json::object call) {
    call["index"] = 0;
    return {{"tool_calls", json::array{std::move(call)}}};
}

std::string call_events(const ToolCall& call, const Envelope& envelope) {
    std::string events = delta_event(
        envelope, call_delta({{"id", call_id(envelope)},
                              {"type", "function"},
                              {"function", json::object{{"name", call.name}, {"arguments", ""}}}}));
    const std::string arguments = json_text(call.arguments);
    for (const std::string_view piece : pieces_of(arguments)) {
        events += delta_event(
            envelope, call_delta({{"function", json::object{{"arguments", json::string(piece)}}}}));
    }
    return events;
}

} // namespace

std::string completion(const Reply& reply, const Envelope& envelope) {
    json::object message{{"role", "assistant"}, {"content", reply.content}};
    if (reply.call) {
        const json::object function{{"name", reply.call->name},
                                    {"arguments", json_text(reply.call->arguments)}};
        message["tool_calls"] = json::array{
            json::object{{"id", call_id(envelope)}, {"type", "function"}, {"function", function}}};
    }
    json::object body = frame(envelope, "chat.completion");
    // "= {json::object{...}}" is an array with one object for GCC 12, but the object itself for newer
    // compilers (CWG 2137).
    body["choices"] = json::array{
        json::object{{"index", 0}, {"message", message}, {"finish_reason", finish_reason(reply)}}};
    body["usage"] = usage(reply, envelope);
    return json::serialize(body);
}

std::string completion_events(const Reply& reply, const Envelope& envelope) {
    std::string events = delta_event(envelope, {{"role", "assistant"}, {"content", ""}});
    for (const std::string_view piece : pieces_of(reply.content))
        events += delta_event(envelope, {{"content", json::string(piece)}});
    if (reply.call) events += call_events(*reply.call, envelope);
    events += delta_event(envelope, {}, json::value(finish_reason(reply)));
    if (envelope.with_usage) {
        json::object last = chunk(envelope, {});
        last["usage"] = usage(reply, envelope);
        events += event(last);
    }
    return events + "data: [DONE]\n\n";
}

std::string error_body(std::string_view message, std::string_view type) {
    return json::serialize(
        json::object{{"error", json::object{{"message", message}, {"type", type}}}});
}

std::string models_body() {
    const json::object model{
        {"id", model_id}, {"object", "model"}, {"created", 0}, {"owned_by", "eyehand"}};
    return json::serialize(json::object{{"object", "list"}, {"data", json::array{model}}});
}

std::int64_t prompt_tokens(const ChatRequest& request, const std::optional<Screen>& screen,
                           int patch) {
    const auto text =
        static_cast<std::int64_t>(request.text.size() + json::serialize(request.tools).size());
    const std::int64_t image =
        screen ? std::int64_t{screen->width / patch} * (screen->height / patch) + 2
               : std::int64_t{0};
    return 1 + text / characters_per_token + image * request.images;
}

} // namespace stand_in
