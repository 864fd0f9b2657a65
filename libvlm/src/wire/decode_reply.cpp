#include "decode_reply.hpp"

#include "completion.hpp"
#include "decode_server.hpp"
#include "json.hpp"
#include "reply_rules.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

// --- Tool calls -------------------------------------------------------------------------------

/// The unknown fields, which the encoder sends back: those of the call, and under "function" those
/// of its function.
std::string unknown_fields(const CallFields& fields, const Where& where) {
    json::object call;
    json::object function;
    copy_unknown_fields(fields, call, function);
    if (!function.empty()) call["function"] = std::move(function);
    if (call.empty()) return {};
    std::string text = json::serialize(call);
    if (text.size() > max_arguments) refuse_long_arguments(where);
    return text;
}

std::vector<ToolCall> decode_calls(const json::object& message, const Where& where) {
    std::vector<ToolCall> calls;
    if (const json::array* list = tool_call_list(message, where)) {
        for (const json::value& value : *list) {
            const CallFields fields = decode_call_fields(value, where);
            if (fields.name.empty()) continue; // some servers send this instead of no call
            calls.push_back({std::string(fields.id), std::string(fields.name),
                             decode_arguments(fields.arguments, where),
                             unknown_fields(fields, where)});
        }
    }
    const json::object* old_style = object_member(message, "function_call");
    if (calls.empty() && old_style) {
        const std::string_view name = string_member(*old_style, "name");
        if (name.size() > max_call_name) refuse_long_name(where);
        if (!name.empty())
            calls.push_back(
                {.name = std::string(name),
                 .arguments_json = decode_arguments(member(*old_style, "arguments"), where)});
    }
    return calls;
}

// --- The rest ---------------------------------------------------------------------------------

FinishReason decode_finish(std::string_view text) {
    if (text == "stop") return FinishReason::stop;
    if (text == "length") return FinishReason::length;
    if (text == "tool_calls" || text == "function_call") return FinishReason::tool_calls;
    if (text == "content_filter") return FinishReason::content_filter;
    if (text == "error") return FinishReason::error;
    return FinishReason::unknown;
}

/// Milliseconds, or nothing if they are missing or cannot be any.
std::optional<double> duration(const json::object* object, std::string_view name) {
    const json::value* value = object ? member(*object, name) : nullptr;
    if (!value || !value->is_number()) return std::nullopt;
    const double number = value->to_number<double>();
    if (!std::isfinite(number) || number < 0) return std::nullopt;
    return number;
}

Usage decode_usage(const json::object& answer) {
    Usage result = token_counts(answer, "prompt_tokens", "completion_tokens");
    const json::object* timings = object_member(answer, "timings"); // llama-server's own
    // Older llama-server builds tell it only here.
    if (!result.cached_tokens) result.cached_tokens = count(timings, "cache_n");
    result.prompt_ms = duration(timings, "prompt_ms");
    result.completion_ms = duration(timings, "predicted_ms");
    return result;
}

} // namespace

ChatReply decode_reply(std::string_view body, const Where& where,
                       const std::vector<ToolSpec>& offered, TextCallRule rule) {
    const json::value value = parse_body(body, where);
    const json::object& answer = successful_object(value, body, where);
    if (!member(answer, "choices")) refuse(where, "answered with JSON that has no \"choices\"");
    const json::object* choice = first_choice(answer, where);
    if (!choice) refuse_field(where, "choices", "a list with an element");
    const json::object* message = object_member(*choice, "message");
    if (!message) refuse_field(where, "message", "an object");

    ChatReply reply;
    Words words = decode_words(*message, where);
    reply.text = std::move(words.text.empty() ? words.refusal : words.text);
    reply.reasoning = std::move(words.reasoning);
    reply.tool_calls = decode_calls(*message, where);
    reply.finish = decode_finish(string_member(*choice, "finish_reason"));
    reply.usage = decode_usage(answer);
    reply.model = answering_model(answer);
    complete_calls(reply, body, offered, rule, where);
    return reply;
}

std::vector<std::string> decode_models(std::string_view body, const Where& where) {
    const json::value value = parse_body(body, where);
    const json::object& answer = successful_object(value, body, where);
    const json::value* data = member(answer, "data");
    if (!data || !data->is_array())
        refuse(where, "answered with JSON that is not a list of models");
    if (data->get_array().size() > max_models)
        refuse(where, "listed more than " + std::to_string(max_models) + " models",
               "is this a model server?");
    std::vector<std::string> ids;
    for (const json::value& model : data->get_array()) {
        const json::object* object = model.if_object();
        const std::string_view id = object ? string_member(*object, "id") : std::string_view();
        if (id.size() > max_model_name)
            refuse(where,
                   "listed a model whose name has more than " + std::to_string(max_model_name) +
                       " bytes",
                   "is this a model server?");
        if (!id.empty()) ids.emplace_back(id);
    }
    return ids;
}

} // namespace eyehand::vlm::wire
