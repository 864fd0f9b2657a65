#include "decode_reply.hpp"

#include "vlm/digest.hpp"

#include "json.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

namespace vlm::wire {
namespace {

namespace json = boost::json;

constexpr std::string_view url_hint =
    "is the URL right? It should end in /v1 or /v1/chat/completions";

[[noreturn]] void refuse(const Where& where, const std::string& problem,
                         std::string_view remedy = url_hint) {
    throw Error(errc::bad_response, where.url + ' ' + problem + ": " + std::string(remedy), 200);
}

[[noreturn]] void refuse_field(const Where& where, const std::string& field,
                               std::string_view expected) {
    refuse(where, "sent a chat completion whose \"" + field + "\" is not " + std::string(expected),
           "this is a fault of the server; a newer version may be free of it");
}

/// The body as JSON, or an Error that says what it is instead.
json::value parse_body(std::string_view body, const Where& where) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
    const std::string_view text = trimmed(body);
    if (text.empty()) refuse(where, "answered with an empty body");
    if (text.starts_with('<')) refuse(where, "answered with HTML instead of JSON");
    if (text.starts_with("data:") || text.starts_with("event:"))
        refuse(where, "answered with an event stream that was not asked for",
               "switch streaming off on the server or in the proxy in front of it");
    boost::system::error_code error;
    json::value value = parse_json(text, error);
    if (error)
        refuse(where, "answered with something that is not JSON (" + error.message() +
                          "; it begins "
                          "with \"" +
                          where.quote(text, 100) + "\")");
    return value;
}

/// The top-level object, once it is known not to be an error.
const json::object& successful_object(const json::value& value, std::string_view body,
                                      const Where& where) {
    const json::value* candidate = &value;
    if (const json::array* array = value.if_array(); array && !array->empty())
        candidate = &array->front(); // Gemini wraps errors like this
    const json::object* object = candidate->if_object();
    if (object && (member(*object, "error") || string_member(*object, "object") == "error"))
        throw decode_error(200, body, where);
    if (!value.is_object()) refuse(where, "answered with JSON that is not an object");
    return value.get_object();
}

// --- The message ------------------------------------------------------------------------------

/// Some servers deliver content in parts; what is no text (and no reasoning) is left out.
void append_content_part(const json::value& part, ChatReply& reply, const Where& where) {
    if (part.is_string()) {
        reply.text += std::string_view(part.get_string());
        return;
    }
    const json::object* object = part.if_object();
    if (!object) refuse_field(where, "content", "made of text parts");
    const std::string_view type = string_member(*object, "type");
    const std::string_view text = string_member(*object, "text");
    (type == "reasoning" || type == "thinking" ? reply.reasoning : reply.text) += text;
}

void decode_content(const json::object& message, ChatReply& reply, const Where& where) {
    const json::value* content = member(message, "content");
    if (content && content->is_array()) {
        for (const json::value& part : content->get_array())
            append_content_part(part, reply, where);
    } else if (content && content->is_string()) {
        reply.text = std::string_view(content->get_string());
    } else if (content) {
        refuse_field(where, "content", "text");
    }
    // A refusal stands in place of the text.
    if (reply.text.empty()) reply.text = string_member(message, "refusal");
}

void decode_reasoning(const json::object& message, ChatReply& reply) {
    // llama-server and LM Studio say reasoning_content; Ollama, vLLM and OpenRouter say reasoning.
    for (const std::string_view name : {"reasoning_content", "reasoning"}) {
        const std::string_view text = string_member(message, name);
        if (text.empty()) continue;
        reply.reasoning += text;
        return;
    }
}

// --- Tool calls -------------------------------------------------------------------------------

std::string decode_arguments(const json::value* arguments) {
    if (!arguments) return {};
    if (arguments->is_string()) return std::string(trimmed(arguments->get_string()));
    return json::serialize(*arguments);
}

void copy_unknown(const json::object& from, json::object& to,
                  std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : from)
        if (std::find(known.begin(), known.end(), std::string_view(key)) == known.end())
            to.insert_or_assign(key, value);
}

/// What the encoder sends back: fields of the call, and under "function" those of its function.
std::string unknown_fields(const json::object& call, const json::object& function) {
    json::object extra;
    copy_unknown(call, extra, {"id", "type", "function", "index"});
    json::object inner;
    copy_unknown(function, inner, {"name", "arguments"});
    if (!inner.empty()) extra["function"] = std::move(inner);
    return extra.empty() ? std::string() : json::serialize(extra);
}

/// Nothing if the call has no name, which is how some servers say that there is none.
std::optional<ToolCall> decode_call(const json::value& value, const Where& where) {
    const json::object* call = value.if_object();
    if (!call) refuse_field(where, "tool_calls", "a list of objects");
    const json::value* wrapped = member(*call, "function");
    if (wrapped && !wrapped->is_object()) refuse_field(where, "function", "an object");
    if (!wrapped) return std::nullopt;
    const json::object& function = wrapped->get_object();
    const json::value* name = member(function, "name");
    if (name && !name->is_string()) refuse_field(where, "name", "text");
    if (!name || name->get_string().empty()) return std::nullopt;
    return ToolCall{std::string(string_member(*call, "id")), std::string(name->get_string()),
                    decode_arguments(member(function, "arguments")),
                    unknown_fields(*call, function)};
}

std::vector<ToolCall> decode_calls(const json::object& message, const Where& where) {
    std::vector<ToolCall> calls;
    if (const json::value* list = member(message, "tool_calls")) {
        if (!list->is_array()) refuse_field(where, "tool_calls", "a list");
        for (const json::value& value : list->get_array())
            if (std::optional<ToolCall> call = decode_call(value, where))
                calls.push_back(std::move(*call));
    }
    const json::object* old_style = object_member(message, "function_call");
    if (calls.empty() && old_style) {
        const std::string_view name = string_member(*old_style, "name");
        if (!name.empty())
            calls.push_back(
                {{}, std::string(name), decode_arguments(member(*old_style, "arguments")), {}});
    }
    return calls;
}

/// Gives calls without an id, or with one that is taken, their own: the same bytes get the same
/// ids, and the answers of one conversation (which differ at least in id and time) different ones.
void complete_ids(std::vector<ToolCall>& calls, std::string_view body) {
    std::vector<std::string> taken;
    std::string stem;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::string& id = calls[i].id;
        const auto is_taken = [&] {
            return id.empty() || std::find(taken.begin(), taken.end(), id) != taken.end();
        };
        if (stem.empty() && is_taken()) stem = "call_" + sha256_hex(body).substr(0, 16);
        for (std::size_t n = i; is_taken(); ++n) id = stem + '_' + std::to_string(n);
        taken.push_back(id);
    }
}

/// The output limit may have cut the last call off; carrying it out would be a guess.
void refuse_cut_calls(const ChatReply& reply, const Where& where) {
    if (reply.finish != FinishReason::length) return;
    for (const ToolCall& call : reply.tool_calls)
        if (!parse_json(call.arguments_json))
            throw Error(
                errc::truncated,
                "the reply of " + where.url + " hit the output limit" +
                    (reply.usage.completion_tokens
                         ? " after " + std::to_string(*reply.usage.completion_tokens) + " tokens"
                         : std::string()) +
                    " in the middle of a call of " + where.quote(call.name, 200) +
                    ": raise max_tokens, or give the model a longer context",
                200);
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

/// A token count, or nothing if it is missing or cannot be one.
std::optional<int> count(const json::object* object, std::string_view name) {
    const json::value* value = object ? member(*object, name) : nullptr;
    if (!value || !value->is_number()) return std::nullopt;
    boost::system::error_code error;
    const int number = value->to_number<int>(error);
    if (error || number < 0) return std::nullopt;
    return number;
}

Usage decode_usage(const json::object& answer) {
    const json::object* usage = object_member(answer, "usage");
    Usage result;
    result.prompt_tokens = count(usage, "prompt_tokens");
    result.completion_tokens = count(usage, "completion_tokens");
    if (usage)
        result.cached_tokens =
            count(object_member(*usage, "prompt_tokens_details"), "cached_tokens");
    // Older llama-server builds tell it only here.
    if (!result.cached_tokens)
        result.cached_tokens = count(object_member(answer, "timings"), "cache_n");
    return result;
}

const json::object& first_choice(const json::object& answer, const Where& where) {
    const json::value* choices = member(answer, "choices");
    if (!choices) refuse(where, "answered with JSON that has no \"choices\"");
    const json::array* list = choices->if_array();
    if (!list) refuse_field(where, "choices", "a list");
    if (list->empty()) refuse_field(where, "choices", "filled");
    const json::object* choice = list->front().if_object();
    if (!choice) refuse_field(where, "choices", "a list of objects");
    return *choice;
}

} // namespace

ChatReply decode_reply(std::string_view body, const Where& where) {
    const json::value value = parse_body(body, where);
    const json::object& answer = successful_object(value, body, where);
    const json::object& choice = first_choice(answer, where);
    if (member(choice, "error")) throw decode_error(200, json::serialize(choice), where);
    const json::object* message = object_member(choice, "message");
    if (!message) refuse_field(where, "message", "an object");

    ChatReply reply;
    decode_content(*message, reply, where);
    decode_reasoning(*message, reply);
    reply.tool_calls = decode_calls(*message, where);
    reply.finish = decode_finish(string_member(choice, "finish_reason"));
    reply.usage = decode_usage(answer);
    reply.model = string_member(answer, "model");
    refuse_cut_calls(reply, where);
    for (ToolCall& call : reply.tool_calls)
        if (call.arguments_json.empty()) call.arguments_json = "{}";
    complete_ids(reply.tool_calls, body);
    return reply;
}

std::vector<std::string> decode_models(std::string_view body, const Where& where) {
    const json::value value = parse_body(body, where);
    const json::object& answer = successful_object(value, body, where);
    const json::value* data = member(answer, "data");
    if (!data || !data->is_array()) refuse(where, "answered with JSON that is no list of models");
    std::vector<std::string> ids;
    for (const json::value& model : data->get_array())
        if (const json::object* object = model.if_object())
            if (const std::string_view id = string_member(*object, "id"); !id.empty())
                ids.emplace_back(id);
    return ids;
}

} // namespace vlm::wire
