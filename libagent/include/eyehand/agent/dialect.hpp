// How a model states its actions: as calls of the tools that it is offered (native), as calls of one
// function for all actions, or as text.
//
//     profile.dialect = agent::Dialect::ui_tars; // the run offers and reads actions in this form
//
//     const agent::StatedActions read = agent::read_text_actions(
//         agent::Dialect::ui_tars, "Thought: I open it.\nAction: left_double(start_box='(40,310)')");
//     // read.actions[0].kind == StatedAction::Kind::double_click, with the numbers {40, 310}
//
// The modes, the tools, the guard and the journal's calls do not know dialects: requests are written,
// and replies read, directly before and after the model. The functions here are pure and thread-safe;
// text is parsed by a grammar and never evaluated.
#pragma once

#include "eyehand/export.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

enum class Dialect {
    native,            ///< calls of the profile's tools
    qwen_computer_use, ///< one function `computer_use`, as the cookbooks of Qwen2.5-VL and Qwen3-VL
    claude_computer,   ///< one function `computer`, as Claude's computer use tool
    ui_tars,           ///< text: Thought: ... Action: click(start_box='(x,y)')
    glm,               ///< text: <|begin_of_box|>left_click(start_box='[x,y]')<|end_of_box|>
    pyautogui,         ///< text: calls of pyautogui in a Python code block; OpenCUA, Aguvis
    openai_computer, ///< one function `computer` with a list of actions, as OpenAI's computer tool
};

/// The word in settings, which is the name of the enumerator.
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(Dialect dialect);
/// Empty for any other word. Case matters.
[[nodiscard]] EYEHAND_AGENT_API std::optional<Dialect> parse_dialect(std::string_view word);
/// The words of all dialects, for settings.
[[nodiscard]] EYEHAND_AGENT_API std::vector<std::string> dialect_words();
/// A phrase for users: "calls of the tools", "text such as click(start_box='(x,y)')".
[[nodiscard]] EYEHAND_AGENT_API std::string_view description(Dialect dialect);
/// Whether actions are text in the reply, and not calls.
[[nodiscard]] EYEHAND_AGENT_API bool states_text(Dialect dialect);
/// The function for all actions: "computer_use", "computer". Empty for native and text dialects.
[[nodiscard]] EYEHAND_AGENT_API std::string_view function_of(Dialect dialect);

/// Whether models of the dialect call a function of this name, such as "left_click", instead of the
/// function for all actions. Claude's newest tool has its actions as functions.
[[nodiscard]] EYEHAND_AGENT_API bool is_action_name(Dialect dialect, std::string_view name);

/// A position in the numbers of the model.
struct StatedPosition {
    std::vector<double> numbers{}; ///< two, or four for a box
    /// The axes are named: x comes first, also if lists of the model have y first.
    bool named = false;
    friend bool operator==(const StatedPosition&, const StatedPosition&) = default;
};

/// An action as the model stated it.
struct StatedAction {
    enum class Kind {
        click,
        double_click,
        triple_click,
        right_click,
        middle_click,
        move,
        drag,
        mouse_down,
        mouse_up,
        press, ///< `text` is the key or the combination
        key_down,
        key_up,
        hold_key,
        type,
        scroll,
        wait,
        screenshot,
        zoom,        ///< `at` is the box to look at
        finish,      ///< the model ends its work; `text` is its answer, `success` its own judgment
        ask_user,    ///< the model cannot go on without the user
        call,        ///< of a function that is not an action: `text` is its name
        unsupported, ///< an action of the dialect that Eyehand cannot carry out: `text` says why
    };
    Kind kind = Kind::screenshot;
    std::optional<StatedPosition> at{};   ///< of the target, or the end of a drag
    std::optional<StatedPosition> from{}; ///< where a drag starts
    std::vector<StatedPosition> via{};    ///< between start and end of a drag
    std::string keys{};                   ///< held during a click or scroll: "ctrl+shift"
    std::string text{};
    std::string direction{};        ///< of a scroll: "up", "down", "left", "right"
    std::optional<double> amount{}; ///< of a scroll, in notches of the wheel
    std::optional<double> seconds{};
    bool success = true;
    std::string arguments_json{}; ///< of a call
    /// The model stated it together with the action before it: the second press of press('a', 2).
    bool continues = false;
    friend bool operator==(const StatedAction&, const StatedAction&) = default;
};

/// "click", "double_click", ...: the names of the enumerators.
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(StatedAction::Kind kind);

/// What a reply states. If `problem` is not empty, no action counts.
struct StatedActions {
    std::vector<StatedAction> actions{};
    std::string problem{}; ///< why the actions cannot be read, in words for the model
    /// What the model says besides its actions, without headings such as "Thought:".
    std::string thought{};
    /// The part of the text that states the actions, to its end.
    std::string statement{};
    /// An action is in the text, but not where the dialect prescribes it, such as in a quotation.
    bool quoted = false;
};

/// Reads the text of a reply in a text dialect. Only the position that the dialect prescribes counts:
/// the section "Action:", the box, or the code block that ends the reply; two with actions are a
/// problem, and so is a reply of more than 64 KiB. Actions in think blocks and quotations do not count.
/// Without any action, the reply is an answer. Throws std::invalid_argument for another dialect.
[[nodiscard]] EYEHAND_AGENT_API StatedActions read_text_actions(Dialect dialect,
                                                                std::string_view text);
/// Reads the arguments of one call of `function_of(dialect)`, or of a function that is named as an
/// action (`is_action_name`): then `action` is its name. Throws std::invalid_argument for a dialect
/// without such a function.
[[nodiscard]] EYEHAND_AGENT_API StatedActions read_call_actions(Dialect dialect,
                                                                std::string_view arguments_json,
                                                                std::string_view action = {});

} // namespace eyehand::agent
