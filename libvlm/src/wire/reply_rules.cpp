#include "reply_rules.hpp"

#include "eyehand/vlm/digest.hpp"

#include "completion.hpp"
#include "decode_server.hpp"
#include "rescue_calls.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

/// Gives new ids to calls without an id or with a repeated one. The same bytes always get the same
/// ids; the answers of a conversation, which differ at least in id and time, get different ones.
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

[[noreturn]] void refuse_cut_call(const ChatReply& reply, std::string_view name,
                                  const Where& where) {
    throw Error(errc::truncated,
                "the reply of " + where.url + " hit the output limit" +
                    (reply.usage.completion_tokens
                         ? " after " + std::to_string(*reply.usage.completion_tokens) + " tokens"
                         : std::string()) +
                    " in the middle of a call of " +
                    (name.empty() ? std::string("a tool") : where.quote(name, 200)) +
                    ": raise max_tokens, or give the model a longer context",
                {.status = 200});
}

/// The output limit may have cut off the last call; executing such a call would be a guess.
void refuse_cut_calls(const ChatReply& reply, const Where& where) {
    if (reply.finish != FinishReason::length) return;
    for (const ToolCall& call : reply.tool_calls)
        if (!parse_json(call.arguments_json)) refuse_cut_call(reply, call.name, where);
}

void read_text_calls(ChatReply& reply, const std::vector<ToolSpec>& offered, TextCallRule rule,
                     const Where& where) {
    const Ending ending =
        reply.finish == FinishReason::length ? Ending::cut_off : Ending::as_the_model_ended;
    Rescue rescue = rescue_calls(reply.text, offered, ending);
    if (rule == TextCallRule::ignore) {
        if (rescue.calls.empty()) return;
        reply.ignored_call = IgnoredCall::not_accepted;
        reply.notes = {"the text ends with a tool call, which was not executed"};
        return;
    }
    if (rescue.cut_call) refuse_cut_call(reply, {}, where);
    reply.ignored_call = rescue.ignored_call;
    if (rescue.ignored_call != IgnoredCall::none)
        reply.notes = {"a tool call in the text was not executed"};
    if (rescue.calls.empty()) return;
    reply.text = std::move(rescue.text);
    reply.tool_calls = std::move(rescue.calls);
    reply.notes = std::move(rescue.notes);
}

} // namespace

json::value parse_body(std::string_view body, const Where& where) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
    const std::string_view text = trimmed(body);
    if (text.empty()) refuse(where, "answered with an empty body");
    if (text.starts_with('<')) refuse(where, "answered with HTML instead of JSON");
    if (text.starts_with("data:") || text.starts_with("event:"))
        refuse(where, "answered with an event stream that was not requested",
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

std::string decode_arguments(const json::value* arguments, const Where& where) {
    if (!arguments) return {};
    std::string text = arguments->is_string() ? std::string(trimmed(arguments->get_string()))
                                              : json::serialize(*arguments);
    if (text.size() > max_arguments) refuse_long_arguments(where);
    return text;
}

void complete_calls(ChatReply& reply, std::string_view body, const std::vector<ToolSpec>& offered,
                    TextCallRule rule, const Where& where) {
    if (reply.tool_calls.empty()) read_text_calls(reply, offered, rule, where);
    refuse_cut_calls(reply, where);
    for (ToolCall& call : reply.tool_calls)
        if (call.arguments_json.empty()) call.arguments_json = "{}";
    complete_ids(reply.tool_calls, body);
}

std::optional<int> count(const json::object* object, std::string_view name) {
    const json::value* value = object ? member(*object, name) : nullptr;
    if (!value || !value->is_number()) return std::nullopt;
    boost::system::error_code error;
    const int number = value->to_number<int>(error);
    if (error || number < 0) return std::nullopt;
    return number;
}

Usage token_counts(const json::object& answer, const std::string& input,
                   const std::string& output) {
    const json::object* usage = object_member(answer, "usage");
    Usage result;
    result.prompt_tokens = count(usage, input);
    result.completion_tokens = count(usage, output);
    if (usage)
        result.cached_tokens = count(object_member(*usage, input + "_details"), "cached_tokens");
    return result;
}

std::string answering_model(const json::object& answer) {
    const std::string_view name = string_member(answer, "model");
    return name.size() <= max_model_name ? std::string(name) : std::string();
}

} // namespace eyehand::vlm::wire
