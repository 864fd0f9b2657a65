#include "eyehand/agent/dialect.hpp"

#include "dialects/grammars.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace eyehand::agent {
namespace {

struct Row {
    Dialect dialect;
    std::string_view word;
    std::string_view description;
    std::string_view function; ///< for all actions; empty: actions are text, or native calls
};

// To add a dialect, add a row here, its grammar to read_text_actions or read_call_actions, and its
// section of the prompt to prompt_section.cpp.
constexpr std::array rows{
    Row{Dialect::native, "native", "calls of the tools", ""},
    Row{Dialect::qwen_computer_use, "qwen_computer_use",
        "calls of one function, computer_use, as Qwen's models", "computer_use"},
    Row{Dialect::claude_computer, "claude_computer",
        "calls of one function, computer, as Claude's models", "computer"},
    Row{Dialect::ui_tars, "ui_tars", "text such as Action: click(start_box='(x,y)')", ""},
    Row{Dialect::glm, "glm", "text such as left_click(start_box='[x,y]') in a box", ""},
    Row{Dialect::pyautogui, "pyautogui",
        "text such as pyautogui.click(x=..., y=...) in a code block", ""},
    Row{Dialect::openai_computer, "openai_computer",
        "calls of one function, computer, as OpenAI's computer tool", "computer"},
};

const Row& row_of(Dialect dialect) {
    for (const Row& row : rows)
        if (row.dialect == dialect) return row;
    throw std::invalid_argument("not an agent::Dialect");
}

constexpr std::array kinds{
    "click",    "double_click", "triple_click", "right_click", "middle_click", "move",
    "drag",     "mouse_down",   "mouse_up",     "press",       "key_down",     "key_up",
    "hold_key", "type",         "scroll",       "wait",        "screenshot",   "zoom",
    "finish",   "ask_user",     "call",         "unsupported"};

} // namespace

std::string_view to_string(Dialect dialect) { return row_of(dialect).word; }

std::optional<Dialect> parse_dialect(std::string_view word) {
    for (const Row& row : rows)
        if (row.word == word) return row.dialect;
    return std::nullopt;
}

std::vector<std::string> dialect_words() {
    std::vector<std::string> words;
    words.reserve(rows.size());
    for (const Row& row : rows) words.emplace_back(row.word);
    return words;
}

std::string_view description(Dialect dialect) { return row_of(dialect).description; }

bool states_text(Dialect dialect) {
    return dialect != Dialect::native && function_of(dialect).empty();
}

std::string_view function_of(Dialect dialect) { return row_of(dialect).function; }

bool is_action_name(Dialect dialect, std::string_view name) {
    return (dialect == Dialect::qwen_computer_use || dialect == Dialect::claude_computer) &&
           is_computer_action(name);
}

std::string_view to_string(StatedAction::Kind kind) {
    return kinds.at(static_cast<std::size_t>(kind));
}

StatedActions read_text_actions(Dialect dialect, std::string_view text) {
    if (states_text(dialect) && text.size() > max_reply)
        return {.problem = fmt::format("the reply is longer than {} bytes", max_reply)};
    switch (dialect) {
    case Dialect::ui_tars:
        return read_ui_tars(text);
    case Dialect::glm:
        return read_glm(text);
    case Dialect::pyautogui:
        return read_pyautogui(text);
    default:
        throw std::invalid_argument("the dialect does not state actions as text");
    }
}

StatedActions read_call_actions(Dialect dialect, std::string_view arguments_json,
                                std::string_view action) {
    switch (dialect) {
    case Dialect::qwen_computer_use:
    case Dialect::claude_computer:
        return read_computer_call(arguments_json, action);
    case Dialect::openai_computer:
        return read_openai_call(arguments_json);
    default:
        throw std::invalid_argument("the dialect has no function for all actions");
    }
}

} // namespace eyehand::agent
