#include "decode_reply.hpp"

#include "../completion.hpp"
#include "../reply_rules.hpp"
#include "items.hpp"
#include "stored_responses.hpp"

#include <string>
#include <utility>

namespace eyehand::vlm::wire::responses {
namespace {

namespace json = boost::json;

[[noreturn]] void refuse_member(const Where& where, const std::string& name,
                                std::string_view expected) {
    refuse(where, "sent a response whose \"" + name + "\" is not " + std::string(expected),
           "this is a fault of the server; try a newer version");
}

constexpr std::size_t max_checks = 16; // of a call; a user must be able to read them

/// A check that cannot be read must not be taken for none: its call would be executed without a
/// question. The id is necessary, because an approval is for this check and no other.
void check_safety_checks(const json::object& item, const Where& where) {
    const std::string list_name = "pending_safety_checks";
    const json::value* checks = member(item, list_name);
    if (!checks) return;
    const json::array* list = checks->if_array();
    if (!list || list->size() > max_checks)
        refuse_member(where, list_name, "a list of at most 16 checks");
    for (const json::value& check : *list) {
        const json::object* object = check.if_object();
        if (!object) refuse_member(where, list_name, "a list of objects");
        const std::string_view id = string_member(*object, "id");
        if (id.empty() || id.size() > max_call_name)
            refuse_member(where, list_name, "a list of checks with ids");
        for (const std::string_view name : {"code", "message"})
            if (const json::value* text = member(*object, name); text && !text->is_string())
                refuse_member(where, list_name, "a list of checks whose code and message are text");
    }
}

/// The types that `content_of` does not check.
void check_item(const json::object& item, const Where& where) {
    const std::string_view type = string_member(item, "type");
    const json::value* content = member(item, "content");
    if (type == "message" && content && !content->is_array() && !content->is_string())
        refuse_member(where, "content", "a list of parts");
    if (type != "function_call" && type != "computer_call") return;
    check_safety_checks(item, where);
    for (const std::string_view name : {"arguments", "action", "actions"})
        (void)decode_arguments(member(item, name), where);
    for (const std::string_view name : {"name", "call_id"}) {
        const json::value* value = member(item, name);
        if (value && !value->is_string()) refuse_member(where, std::string(name), "text");
        if (string_member(item, name).size() > max_call_name) refuse_long_name(where);
    }
}

/// Whether the end of an incomplete response has cut off an item.
bool is_cut_off(const json::object& item) {
    const std::string_view status = string_member(item, "status");
    return status == "incomplete" || status == "in_progress";
}

std::vector<ItemContent> contents_of(const json::array& output, FinishReason finish,
                                     const Where& where) {
    if (output.size() > max_calls)
        refuse(where, "sent more than " + std::to_string(max_calls) + " items in one response",
               "see the server's log; another model, or a newer version of the server, may do "
               "better");
    std::vector<ItemContent> contents;
    for (const json::value& item : output) {
        const json::object* object = item.if_object();
        if (!object) refuse_member(where, "output", "a list of objects");
        check_item(*object, where);
        ItemContent content = content_of(*object);
        // Without arguments, `complete_calls` refuses a call that the output limit has cut off.
        if (finish == FinishReason::length && is_cut_off(*object))
            content.call.arguments_json.clear();
        if (finish == FinishReason::content_filter && is_cut_off(*object)) content.call = {};
        contents.push_back(std::move(content));
    }
    return contents;
}

/// Throws for a response without a complete reply.
FinishReason finish_of(const json::object& response, const Where& where) {
    const std::string_view status = string_member(response, "status");
    if (status == "failed" || status == "cancelled") throw failure_of(response, where);
    if (status == "queued" || status == "in_progress")
        refuse(where, "answered with a response that is not complete",
               "switch responses in the background off on the server");
    if (status != "incomplete") return FinishReason::stop;
    const json::object* details = object_member(response, "incomplete_details");
    const std::string_view reason = details ? string_member(*details, "reason") : "";
    return reason == "content_filter" ? FinishReason::content_filter : FinishReason::length;
}

} // namespace

Error failure_of(const json::object& response, const Where& where) {
    // Only the error: phrases in the output must not decide about its category.
    if (const json::value* error = member(response, "error"))
        return decode_error(200, json::serialize(json::object{{"error", *error}}), where);
    const bool canceled = string_member(response, "status") == "cancelled";
    return {errc::server_error,
            where.url + (canceled ? " canceled the response: see the server's log"
                                  : " failed to generate the response: see the server's log"),
            {.status = 200}};
}

ChatReply decode_reply(std::string_view body, const Where& where,
                       const std::vector<ToolSpec>& offered, TextCallRule rule,
                       std::string_view previous_response_id) {
    const json::value value = parse_body(body, where);
    if (const json::object* failed = value.if_object();
        failed && object_member(*failed, "error") && member(*failed, "output"))
        throw failure_of(*failed, where);
    const json::object& response = successful_object(value, body, where);
    check_continues(response, previous_response_id, where);
    const json::value* output = member(response, "output");
    if (!output) refuse(where, "answered with JSON that has no \"output\"");
    if (!output->is_array()) refuse_member(where, "output", "a list");

    ChatReply reply;
    reply.finish = finish_of(response, where);
    ReplyContent content = content_of(contents_of(output->get_array(), reply.finish, where));
    reply.text = std::move(content.text);
    reply.reasoning = std::move(content.reasoning);
    reply.tool_calls = std::move(content.calls);
    if (reply.finish == FinishReason::stop && !reply.tool_calls.empty())
        reply.finish = FinishReason::tool_calls;
    reply.usage = token_counts(response, "input_tokens", "output_tokens");
    reply.model = answering_model(response);
    reply.response_id = string_member(response, "id");
    if (reply.response_id.size() > max_call_name) reply.response_id.clear();
    complete_calls(reply, body, offered, rule, where);
    if (!output->get_array().empty()) reply.items_json = json::serialize(*output);
    return reply;
}

} // namespace eyehand::vlm::wire::responses
