#include "tools_as_text.hpp"

#include "encode_request.hpp"
#include "json.hpp"

#include <utility>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

std::string in_quotes(const std::string& text) { return json::serialize(json::string(text)); }

std::string description_of(const ChatRequest& request) {
    std::string text = "You have these tools, one per line:\n<tools>\n";
    for (const ToolSpec& tool : request.tools)
        text += R"({"name":)" + in_quotes(tool.name) + R"(,"description":)" +
                in_quotes(tool.description) + R"(,"parameters":)" + tool.parameters_json + "}\n";
    text += "</tools>\nTo call a tool, end your answer with exactly this:\n<tool_call>\n"
            R"({"name": "the tool's name", "arguments": {the arguments as JSON}})"
            "\n</tool_call>\nThe result comes back between <tool_response> and </tool_response>.";
    if (request.tool_choice == ToolChoice::required) text += "\nYou must call a tool now.";
    return text;
}

std::string text_of(const ToolCall& call) {
    return "<tool_call>\n{\"name\":" + in_quotes(call.name) +
           ",\"arguments\":" + portable_arguments(call.arguments_json) + "}\n</tool_call>";
}

Message as_text(const Message& message) {
    if (message.role == Role::tool)
        return Message::user("<tool_response>\n" + message.text() + "\n</tool_response>");
    if (message.tool_calls.empty()) return message;
    Message result{message.role, message.parts, {}, {}};
    for (const ToolCall& call : message.tool_calls) result.parts.emplace_back(text_of(call));
    return result;
}

} // namespace

ChatRequest tools_as_text(const ChatRequest& request) {
    ChatRequest result = request;
    result.tools.clear();
    for (Message& message : result.messages) message = as_text(message);
    if (!request.tools.empty() && request.tool_choice != ToolChoice::none) {
        // After the caller's system texts: the encoder joins them in this order.
        auto at = result.messages.begin();
        while (at != result.messages.end() && at->role == Role::system) ++at;
        result.messages.insert(at, Message::system(description_of(request)));
    }
    return result;
}

} // namespace eyehand::vlm::wire
