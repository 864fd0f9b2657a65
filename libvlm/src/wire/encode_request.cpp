#include "encode_request.hpp"

#include "json.hpp"
#include "repair_json.hpp"
#include "responses/encode_request.hpp"
#include "responses/items.hpp"
#include "write_request.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

// --- The portable order -----------------------------------------------------------------------

void append_part(std::vector<Part>& parts, const Part& part) {
    const auto* text = std::get_if<std::string>(&part);
    auto* last = parts.empty() ? nullptr : std::get_if<std::string>(&parts.back());
    if (!text || !last) {
        parts.push_back(part);
    } else if (!text->empty()) {
        if (!last->empty()) *last += '\n';
        *last += *text;
    }
}

void append_message(Message& into, const Message& message) {
    for (const Part& part : message.parts) append_part(into.parts, part);
    into.tool_calls.insert(into.tool_calls.end(), message.tool_calls.begin(),
                           message.tool_calls.end());
}

void check_message(const Message& message) {
    for (const Part& part : message.parts)
        if (std::holds_alternative<Image>(part) && message.role != Role::user)
            throw std::invalid_argument("an image is only allowed in a user message");
    if (!message.tool_calls.empty() && message.role != Role::assistant)
        throw std::invalid_argument("a tool call is only allowed in an assistant message");
    if (message.role == Role::tool && message.tool_call_id.empty())
        throw std::invalid_argument("a tool result has no call id");
    if (!message.acknowledged_checks.empty() && message.role != Role::tool)
        throw std::invalid_argument("acknowledged checks are only allowed in a tool result");
    for (const ToolCall& call : message.tool_calls)
        if (call.id.empty() || call.name.empty())
            throw std::invalid_argument("a tool call in the history has no id or no name");
}

/// The messages between two assistant messages: the results of its calls, then one user message.
struct Turn {
    std::vector<Message> results{};
    std::optional<Message> user{};
    bool answer_before_user = false;

    void flush(std::vector<Message>& into) {
        if (answer_before_user && !results.empty() && user)
            results.push_back(Message::assistant("Noted."));
        std::move(results.begin(), results.end(), std::back_inserter(into));
        results.clear();
        if (user) into.push_back(std::move(*user));
        user.reset();
    }
};

// --- The request ------------------------------------------------------------------------------

template <class Out>
void write_parts(Out& out, const std::vector<Part>& parts, const ImageForm& images) {
    write(out, "[");
    Separator comma(out);
    for (const Part& part : parts) {
        if (const auto* text = std::get_if<std::string>(&part)) {
            if (text->empty()) continue; // some templates fail on an empty part
            comma();
            write(out, R"({"type":"text","text":)");
            write_string(out, *text);
            write(out, "}");
        } else {
            comma();
            write(out, R"({"type":"image_url","image_url":{"url":")");
            write_image(out, std::get<Image>(part), images.mode);
            write(out, "\"");
            if (images.detail) {
                write(out, R"(,"detail":)");
                write_string(out, to_string(*images.detail));
            }
            write(out, "}}");
        }
    }
    write(out, "]");
}

/// Writes the members of `fields` that are not written elsewhere, each after a comma.
template <class Out>
void write_unknown(Out& out, const boost::json::object& fields,
                   std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : fields) {
        if (std::find(known.begin(), known.end(), std::string_view(key)) != known.end()) continue;
        write(out, ",");
        write_string(out, key);
        write(out, ":");
        write(out, boost::json::serialize(value));
    }
}

boost::json::object unknown_fields(const ToolCall& call) {
    if (call.extra_json.empty()) return {};
    std::optional<boost::json::value> extra = parse_json(call.extra_json);
    if (!extra || !extra->is_object())
        throw std::invalid_argument("the extra fields of the tool call " + call.id +
                                    " are not a JSON object");
    return std::move(extra->get_object());
}

template <class Out>
void write_call(Out& out, const ToolCall& call) {
    const boost::json::object extra = unknown_fields(call);
    write(out, R"({"id":)");
    write_string(out, call.id);
    write(out, R"(,"type":"function","function":{"name":)");
    write_string(out, call.name);
    write(out, R"(,"arguments":)");
    write_string(out, call.arguments_json);
    if (const boost::json::object* function = object_member(extra, "function"))
        write_unknown(out, *function, {"name", "arguments"});
    write(out, "}");
    write_unknown(out, extra, {"id", "type", "function", "index"});
    write(out, "}");
}

template <class Out>
void write_message(Out& out, const Message& message, const ImageForm& images) {
    write(out, R"({"role":)");
    write_string(out, to_string(message.role));
    if (message.role == Role::tool) {
        write(out, R"(,"tool_call_id":)");
        write_string(out, message.tool_call_id);
    }
    write(out, R"(,"content":)");
    const bool with_image =
        std::any_of(message.parts.begin(), message.parts.end(),
                    [](const Part& part) { return std::holds_alternative<Image>(part); });
    if (with_image)
        write_parts(out, message.parts, images);
    else
        write_string(out, message.text());
    if (!message.tool_calls.empty()) {
        write(out, R"(,"tool_calls":[)");
        Separator comma(out);
        for (const ToolCall& call : message.tool_calls) {
            comma();
            write_call(out, call);
        }
        write(out, "]");
    }
    write(out, "}");
}

template <class Out>
void write_sampling(Out& out, Separator<Out>& member, const Sampling& sampling,
                    const Quirks& quirks) {
    write_option(out, member, "temperature", sampling.temperature);
    write_option(out, member, "top_p", sampling.top_p);
    if (!quirks.standard_fields_only) write_option(out, member, "top_k", sampling.top_k);
    write_option(out, member, "presence_penalty", sampling.presence_penalty);
    write_option(out, member, "seed", sampling.seed);
    write_option(out, member, quirks.max_completion_tokens ? "max_completion_tokens" : "max_tokens",
                 sampling.max_tokens);
    write_reasoning(out, member, sampling, quirks, Api::chat_completions);
    write_stop(out, member, sampling.stop);
}

template <class Out>
void write_request(Out& out, const ChatRequest& request, const std::vector<Message>& messages,
                   const Encoding& encoding) {
    write(out, "{");
    Separator member(out);
    if (!request.model.empty()) {
        member.key("model");
        write_string(out, request.model);
    }
    member.key("messages");
    write(out, "[");
    Separator comma(out);
    const ImageForm images = image_form(request, encoding);
    for (const Message& message : messages) {
        comma();
        write_message(out, message, images);
    }
    write(out, "]");
    write_tools(out, member, request, encoding.quirks, [&](const ToolSpec& tool) {
        write(out, R"({"type":"function","function":{)");
        write_function(out, tool);
        write(out, "}}");
    });
    write_sampling(out, member, request.sampling, encoding.quirks);
    if (request.response_format && !encoding.quirks.no_response_format) {
        member.key("response_format");
        write(out, R"({"type":"json_schema","json_schema":{)");
        write_schema(out, *request.response_format);
        write(out, "}}");
    }
    if (encoding.stream) {
        member.key("stream");
        write(out, "true");
        if (!encoding.quirks.no_stream_options) { // vLLM rejects them without "stream"
            member.key("stream_options");
            write(out, R"({"include_usage":true})");
        }
    }
    write(out, "}");
}

bool is_json_object(const std::string& text) {
    const std::optional<boost::json::value> value = parse_json(text);
    return value && value->is_object();
}

void check_response_format(const ChatRequest& request) {
    if (!request.response_format) return;
    if (!request.tools.empty())
        throw std::invalid_argument("a response format cannot be combined with tools");
    if (request.response_format->name.empty())
        throw std::invalid_argument("the response format has no name");
    if (!is_json_object(request.response_format->schema_json))
        throw std::invalid_argument("the schema of the response format is not a JSON object");
}

void check_tools(const std::vector<ToolSpec>& tools) {
    for (const ToolSpec& tool : tools) {
        if (tool.name.empty()) throw std::invalid_argument("a tool has no name");
        if (tool.computer && tool.name != responses::computer_tool)
            throw std::invalid_argument("the name of the computer tool is not \"computer\"");
        if (!is_json_object(tool.parameters_json))
            throw std::invalid_argument("the parameters of the tool " + tool.name +
                                        " are not a JSON object");
    }
    if (std::count_if(tools.begin(), tools.end(), [](const auto& tool) { return tool.computer; }) >
        1)
        throw std::invalid_argument("there are two computer tools");
}

} // namespace

std::string encode_request(const ChatRequest& request, const Encoding& encoding) {
    if (request.messages.empty()) throw std::invalid_argument("the request has no messages");
    check_tools(request.tools);
    check_response_format(request);
    const std::vector<Message> messages =
        portable_messages(request.messages, encoding.quirks, encoding.api);
    if (encoding.api == Api::responses) return responses::encode(request, messages, encoding);
    return written([&](auto& out) { write_request(out, request, messages, encoding); });
}

std::vector<Message> portable_messages(const std::vector<Message>& messages, const Quirks& quirks,
                                       Api api) {
    std::vector<Message> result;
    Message system{Role::system, {}, {}, {}};
    Turn turn{.answer_before_user = quirks.answer_before_user};
    for (const Message& message : messages) {
        check_message(message);
        switch (message.role) {
        case Role::system:
            append_message(system, message);
            break;
        case Role::tool:
            turn.results.push_back(message);
            break;
        case Role::user:
            if (!turn.user) turn.user.emplace(Message{Role::user, {}, {}, {}});
            append_message(*turn.user, message);
            break;
        case Role::assistant:
            turn.flush(result);
            // Output items belong to one reply.
            if (api == Api::responses || result.empty() || result.back().role != Role::assistant)
                result.push_back({Role::assistant, {}, {}, {}});
            append_message(result.back(), message);
            if (api == Api::responses) result.back().items_json = message.items_json;
            break;
        }
    }
    turn.flush(result);
    for (Message& message : result)
        for (ToolCall& call : message.tool_calls)
            call.arguments_json = portable_arguments(call.arguments_json);
    if (!system.text().empty()) result.insert(result.begin(), std::move(system));
    return result;
}

std::string portable_arguments(const std::string& arguments_json) {
    std::optional<RepairedObject> object = repair_object(arguments_json);
    return object ? std::move(object->text) : "{}";
}

} // namespace eyehand::vlm::wire
