#include "completion.hpp"

#include "decode_error.hpp"
#include "utf8.hpp"

#include <algorithm>
#include <initializer_list>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

/// Some servers deliver content in parts. Parts that are neither text nor reasoning are ignored.
void append_content_part(const json::value& part, Words& words, const Where& where) {
    if (part.is_string()) {
        words.text += std::string_view(part.get_string());
        return;
    }
    const json::object* object = part.if_object();
    if (!object) refuse_field(where, "content", "made of text parts");
    const std::string_view type = string_member(*object, "type");
    const std::string_view text = string_member(*object, "text");
    (type == "reasoning" || type == "thinking" ? words.reasoning : words.text) += text;
}

/// llama-server and LM Studio use reasoning_content; Ollama, vLLM and OpenRouter use reasoning.
std::string_view reasoning_of(const json::object& message) {
    const std::string_view text = string_member(message, "reasoning_content");
    return text.empty() ? string_member(message, "reasoning") : text;
}

void copy_unknown(const json::object& from, json::object& to,
                  std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : from)
        if (std::find(known.begin(), known.end(), std::string_view(key)) == known.end())
            to.insert_or_assign(key, value);
}

} // namespace

void refuse(const Where& where, const std::string& problem, std::string_view remedy) {
    const std::string check_url =
        "is the URL right? It should end in /v1 or " + std::string(where.path);
    throw Error(errc::bad_response,
                where.url + ' ' + problem + ": " +
                    (remedy.empty() ? check_url : std::string(remedy)),
                {.status = 200});
}

void refuse_field(const Where& where, const std::string& field, std::string_view expected) {
    refuse(where, "sent a chat completion whose \"" + field + "\" is not " + std::string(expected),
           "this is a fault of the server; try a newer version");
}

const json::object& successful_object(const json::value& value, std::string_view text,
                                      const Where& where) {
    const json::value* candidate = &value;
    if (const json::array* array = value.if_array(); array && !array->empty())
        candidate = &array->front(); // Gemini wraps errors like this
    const json::object* object = candidate->if_object();
    if (object && (member(*object, "error") || string_member(*object, "object") == "error"))
        throw decode_error(200, text, where);
    if (!value.is_object()) refuse(where, "answered with JSON that is not an object");
    return value.get_object();
}

std::optional<json::value> event_json(const ServerEvent& event, const Where& where) {
    const std::string_view data = trimmed(event.data);
    std::optional<json::value> value = parse_json_fragment(data);
    if (!value && event.ending != ServerEvent::Ending::end_of_stream)
        refuse(where,
               "sent something in its stream that is not JSON (\"" + where.quote(data, 100) + "\")",
               "see the server's log");
    return value;
}

void refuse_incomplete_stream(const Where& where) {
    throw Error(errc::connection_lost,
                where.url + " ended its stream before the answer was complete: the model may have "
                            "crashed; see the server's log",
                {.status = 200});
}

const json::object* first_choice(const json::object& answer, const Where& where) {
    const json::value* choices = member(answer, "choices");
    if (!choices) return nullptr;
    const json::array* list = choices->if_array();
    if (!list) refuse_field(where, "choices", "a list");
    if (list->empty()) return nullptr;
    const json::object* choice = list->front().if_object();
    if (!choice) refuse_field(where, "choices", "a list of objects");
    if (member(*choice, "error")) throw decode_error(200, json::serialize(*choice), where);
    return choice;
}

Words decode_words(const json::object& message, const Where& where) {
    Words words;
    const json::value* content = member(message, "content");
    if (content && content->is_array()) {
        for (const json::value& part : content->get_array())
            append_content_part(part, words, where);
    } else if (content && content->is_string()) {
        words.text = std::string_view(content->get_string());
    } else if (content) {
        refuse_field(where, "content", "text");
    }
    words.reasoning += reasoning_of(message);
    words.refusal = string_member(message, "refusal");
    return words;
}

void refuse_long_name(const Where& where) {
    refuse(where,
           "sent a tool call whose id or name has more than " + std::to_string(max_call_name) +
               " bytes",
           "see the server's log; another model may do better");
}

CallFields decode_call_fields(const json::value& value, const Where& where) {
    CallFields fields;
    fields.call = value.if_object();
    if (!fields.call) refuse_field(where, "tool_calls", "a list of objects");
    fields.id = string_member(*fields.call, "id");
    if (fields.id.size() > max_call_name) refuse_long_name(where);
    const json::value* wrapped = member(*fields.call, "function");
    if (!wrapped) return fields;
    fields.function = wrapped->if_object();
    if (!fields.function) refuse_field(where, "function", "an object");
    const json::value* name = member(*fields.function, "name");
    if (name && !name->is_string()) refuse_field(where, "name", "text");
    fields.name = string_member(*fields.function, "name");
    if (fields.name.size() > max_call_name) refuse_long_name(where);
    fields.arguments = member(*fields.function, "arguments");
    return fields;
}

void refuse_so_many_calls(const Where& where) {
    refuse(where, "sent more than " + std::to_string(max_calls) + " tool calls in one answer",
           "see the server's log; another model, or a newer version of the server, may do better");
}

void refuse_long_arguments(const Where& where) {
    refuse(where,
           "sent a tool call with more than " + std::to_string(max_arguments) +
               " bytes of arguments",
           "lower max_tokens, or choose another model");
}

const json::array* tool_call_list(const json::object& message, const Where& where) {
    const json::value* list = member(message, "tool_calls");
    if (!list) return nullptr;
    if (!list->is_array()) refuse_field(where, "tool_calls", "a list");
    if (list->get_array().size() > max_calls) refuse_so_many_calls(where);
    return &list->get_array();
}

void copy_unknown_fields(const CallFields& fields, json::object& call, json::object& function) {
    if (fields.call) copy_unknown(*fields.call, call, {"id", "type", "function", "index"});
    if (fields.function) copy_unknown(*fields.function, function, {"name", "arguments"});
}

} // namespace eyehand::vlm::wire
