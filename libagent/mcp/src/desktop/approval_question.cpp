#include "desktop/approval_question.hpp"

#include "eyehand/base/utf8.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

namespace eyehand::mcp {
namespace {

namespace json = agent::json;

constexpr std::string_view approval_schema =
    R"({"type":"object","properties":{"allow":{"type":"boolean","title":"Allow this action",)"
    R"("default":false}},"required":["allow"]})";

std::string question_of(const agent::ApprovalRequest& request) {
    constexpr std::size_t max_arguments = 2000;
    std::string arguments = request.arguments_json;
    if (arguments.size() > max_arguments)
        arguments =
            arguments.substr(0, base::utf8::boundary_at_or_before(arguments, max_arguments)) +
            "...";
    std::string text = fmt::format("Allow {} with {}?", request.tool, arguments);
    for (const std::string& more : {request.reason, request.text})
        if (!more.empty()) text += "\n" + more;
    return text;
}

agent::Approval approval_of(const ElicitResult& answer) {
    if (answer.action != ElicitResult::Action::accept)
        return {.granted = false, .reason = {}, .channel = "mcp"};
    const auto content = agent::parse_json(answer.content_json);
    const json::value* allow =
        content && content->is_object() ? content->as_object().if_contains("allow") : nullptr;
    return {.granted = allow != nullptr && allow->is_bool() && allow->as_bool(),
            .reason = {},
            .channel = "mcp"};
}

} // namespace

agent::Approval ask_for_approval(Exchange& exchange, const std::string& key,
                                 const agent::ApprovalRequest& request,
                                 const std::stop_token& until) {
    return approval_of(exchange.elicit(key, question_of(request), approval_schema, until));
}

} // namespace eyehand::mcp
