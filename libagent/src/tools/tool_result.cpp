#include "eyehand/agent/tool.hpp"

#include <stdexcept>

namespace eyehand::agent {

ToolResult& ToolResult::with(std::string_view name, std::string_view text) & {
    members_.emplace_back(name, json_quote(text));
    return *this;
}

ToolResult& ToolResult::with(std::string_view name, double number) & {
    members_.emplace_back(name, json_number(number));
    return *this;
}

std::string ToolResult::json() const {
    // The mark precedes the text that it is about.
    const std::string mark = untrusted_.empty() ? "" : R"(,"untrusted":)" + json_quote(untrusted_);
    if (!succeeded()) {
        return R"({"ok":false)" + mark + R"(,"error":{"type":)" + json_quote(error_type_) +
               R"(,"message":)" + json_quote(message_) + "}}";
    }
    std::string text = R"({"ok":true)" + mark;
    if (!message_.empty()) text += R"(,"message":)" + json_quote(message_);
    for (const auto& [name, value] : members_) text += "," + json_quote(name) + ":" + value;
    return text + "}";
}

ToolResult ok(std::string_view message) {
    ToolResult result;
    result.message_ = message;
    return result;
}

ToolResult act(winio::Plan plan, std::string_view message) {
    ToolResult result = ok(message);
    result.plan_ = std::move(plan);
    return result;
}

ToolResult look() {
    ToolResult result;
    result.wants_screenshot_ = true;
    return result;
}

ToolResult look_at(const winio::Rect& part) {
    ToolResult result = look();
    result.zoom_ = part;
    return result;
}

ToolResult fail(std::string_view type, std::string_view message) {
    if (type.empty()) throw std::invalid_argument("a failed tool result needs an error type");
    ToolResult result;
    result.error_type_ = type;
    result.message_ = message;
    return result;
}

} // namespace eyehand::agent
