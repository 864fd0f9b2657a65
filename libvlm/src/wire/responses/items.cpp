#include "items.hpp"

#include "../utf8.hpp"

#include <string_view>
#include <utility>

namespace eyehand::vlm::wire::responses {
namespace {

namespace json = boost::json;

void append_line(std::string& to, std::string_view text) {
    if (text.empty()) return;
    if (!to.empty()) to += '\n';
    to += text;
}

/// The texts of the parts of a list that have this type, without a separator.
std::string parts_text(const json::value* list, std::string_view type, std::string_view name) {
    std::string text;
    const json::array* parts = list ? list->if_array() : nullptr;
    if (!parts) return text;
    for (const json::value& part : *parts)
        if (const json::object* object = part.if_object();
            object && string_member(*object, "type") == type)
            text += string_member(*object, name);
    return text;
}

std::string message_text(const json::object& item) {
    const json::value* content = member(item, "content");
    if (content && content->is_string()) return std::string(content->get_string());
    return parts_text(content, "output_text", "text");
}

/// llama-server and vLLM send the reasoning itself, OpenAI only a summary in several parts.
std::string reasoning_text(const json::object& item) {
    if (std::string text = parts_text(member(item, "content"), "reasoning_text", "text");
        !text.empty())
        return text;
    std::string text;
    const json::value* summary = member(item, "summary");
    if (summary && summary->is_array())
        for (const json::value& part : summary->get_array())
            if (const json::object* object = part.if_object())
                append_line(text, string_member(*object, "text"));
    return text;
}

std::string arguments_text(const json::object& item) {
    const json::value* arguments = member(item, "arguments");
    if (!arguments) return {};
    return arguments->is_string() ? std::string(trimmed(arguments->get_string()))
                                  : json::serialize(*arguments);
}

/// The actions of a call: "actions", or "action" of the preview version of the tool.
std::string actions_text(const json::object& item) {
    json::object arguments;
    for (const std::string_view name : {"actions", "action"})
        if (const json::value* value = member(item, name); value && arguments.empty())
            arguments[name] = *value;
    return json::serialize(arguments);
}

std::vector<SafetyCheck> checks_of(const json::object& item) {
    std::vector<SafetyCheck> checks;
    const json::value* list = member(item, "pending_safety_checks");
    if (!list || !list->is_array()) return checks;
    for (const json::value& check : list->get_array())
        if (const json::object* object = check.if_object())
            checks.push_back({std::string(string_member(*object, "id")),
                              std::string(string_member(*object, "code")),
                              std::string(string_member(*object, "message"))});
    return checks;
}

} // namespace

ItemContent content_of(const json::object& item) {
    ItemContent content;
    const std::string_view type = string_member(item, "type");
    if (type == "message") {
        content.kind = ItemContent::Kind::message;
        content.text = message_text(item);
        content.refusal = parts_text(member(item, "content"), "refusal", "refusal");
    } else if (type == "reasoning") {
        content.kind = ItemContent::Kind::reasoning;
        content.text = reasoning_text(item);
    } else if (type == "function_call") {
        content.kind = ItemContent::Kind::call;
        content.call = {.id = std::string(string_member(item, "call_id")),
                        .name = std::string(string_member(item, "name")),
                        .arguments_json = arguments_text(item)};
    } else if (type == "computer_call") {
        content.kind = ItemContent::Kind::computer_call;
        content.call = {.id = std::string(string_member(item, "call_id")),
                        .name = std::string(computer_tool),
                        .arguments_json = actions_text(item),
                        .safety_checks = checks_of(item)};
    }
    return content;
}

ReplyContent content_of(const std::vector<ItemContent>& items) {
    ReplyContent reply;
    std::string refusal;
    for (const ItemContent& item : items) {
        if (item.kind == ItemContent::Kind::message) {
            append_line(reply.text, item.text);
            append_line(refusal, item.refusal);
        } else if (item.kind == ItemContent::Kind::reasoning) {
            append_line(reply.reasoning, item.text);
        } else if (!item.call.name.empty()) {
            reply.calls.push_back(item.call);
        }
    }
    if (reply.text.empty()) reply.text = std::move(refusal);
    return reply;
}

} // namespace eyehand::vlm::wire::responses
