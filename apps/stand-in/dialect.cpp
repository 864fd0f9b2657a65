#include "dialect.hpp"

#include "computer_forms.hpp"
#include "desktop_call.hpp"
#include "json_text.hpp"
#include "prompt_functions.hpp"
#include "text_forms.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

namespace stand_in {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<std::string_view, Dialect>, 7> dialects{{
    {"native", Dialect::native},
    {"qwen_computer_use", Dialect::qwen_computer_use},
    {"claude_computer", Dialect::claude_computer},
    {"ui_tars", Dialect::ui_tars},
    {"glm", Dialect::glm},
    {"pyautogui", Dialect::pyautogui},
    {"openai_computer", Dialect::openai_computer},
}};

bool is_in_text(Dialect dialect) {
    return dialect != Dialect::native && computer_function(dialect).empty();
}

PositionForm position_form(Dialect dialect) {
    return dialect == Dialect::pyautogui || dialect == Dialect::openai_computer
               ? PositionForm::members
               : PositionForm::lists;
}

// The direction of positive numbers in Qwen's horizontal scrolling is not documented.
bool scrolls_sideways(Dialect dialect) { return dialect != Dialect::qwen_computer_use; }

bool has_name(const json::value& tool, std::string_view name) {
    boost::system::error_code error;
    const json::value* found = tool.find_pointer("/function/name", error);
    return found != nullptr && found->is_string() && found->get_string() == name;
}

bool offers(const ChatRequest& request, std::string_view name) {
    return std::any_of(request.tools.begin(), request.tools.end(),
                       [&](const json::value& tool) { return has_name(tool, name); });
}

// A worker of a team has no message to the user: without a function that ends the run, it ends it
// with evidence in the form of its dialect.
bool lacks_an_end(const json::array& actions) {
    const ToolRoles tools(actions);
    return tools.has(Role::report) && !tools.has(Role::complete);
}

bool is_offered(const ToolCall& call) { return !desktop_call(call) && !prompt_function(call); }

// The evidence of a call that ends the run becomes the text of the reply.
Reply ending_in_words(const Reply& reply) {
    const auto action = reply.call ? desktop_call(*reply.call) : std::nullopt;
    if (!action || action->role != Role::complete) return reply;
    return {std::string(action->arguments.at("evidence").as_string()), {}, true};
}

// As Qwen's models write a call for a server that does not parse calls.
std::string tool_call_text(const ToolCall& call) {
    return fmt::format("<tool_call>\n{{\"name\": {}, \"arguments\": {}}}\n</tool_call>",
                       json::serialize(json::string(call.name)), json_text(call.arguments));
}

Reply in_qwen_computer_use(const Reply& reply, const ChatRequest& request) {
    constexpr auto dialect = Dialect::qwen_computer_use;
    ToolCall call{std::string(computer_function(dialect)), {}};
    if (reply.call) {
        call.arguments = computer_arguments(dialect, desktop_call(*reply.call).value());
    } else {
        call.arguments = {{"action", "terminate"}, {"status", reply.done ? "success" : "failure"}};
    }
    if (offers(request, call.name)) return {reply.content, std::move(call), reply.done};
    return {fmt::format("{}\n{}", reply.content, tool_call_text(call)), {}, reply.done};
}

Reply in_computer_calls(Dialect dialect, const Reply& reply) {
    if (!reply.call) return reply;
    return {reply.content,
            ToolCall{std::string(computer_function(dialect)),
                     computer_arguments(dialect, desktop_call(*reply.call).value())},
            reply.done};
}

} // namespace

std::string dialect_words() {
    std::string words;
    for (const auto& [word, dialect] : dialects)
        words += fmt::format("{}{}", words.empty() ? "" : ", ", word);
    return words;
}

Dialect dialect_of(std::string_view word) {
    const auto found = std::find_if(dialects.begin(), dialects.end(),
                                    [&](const auto& entry) { return entry.first == word; });
    if (found != dialects.end()) return found->second;
    throw std::invalid_argument(
        fmt::format("--dialect {}: one of these words is expected: {}", word, dialect_words()));
}

json::array actions_of(Dialect dialect, const ChatRequest& request) {
    if (dialect == Dialect::native) return request.tools;
    json::array actions = desktop_tools(position_form(dialect), scrolls_sideways(dialect));
    for (const json::value& tool : request.tools)
        if (!has_name(tool, computer_function(dialect))) actions.push_back(tool);
    if (is_in_text(dialect))
        for (const json::value& function : prompt_functions(request.text))
            actions.push_back(function);
    if (lacks_an_end(actions)) actions.push_back(finishing_tool());
    return actions;
}

Reply in_dialect(Dialect dialect, const Reply& reply, const ChatRequest& request) {
    if (dialect == Dialect::native || (reply.call && is_offered(*reply.call))) return reply;
    const Reply stated = ending_in_words(reply);
    if (is_in_text(dialect)) return {text_form(dialect, stated), {}, stated.done};
    if (dialect == Dialect::qwen_computer_use) return in_qwen_computer_use(stated, request);
    return in_computer_calls(dialect, stated);
}

} // namespace stand_in
