// UI-TARS and GLM: text such as click(start_box='(x,y)').
//
// Sources: prompts and parsers of bytedance/UI-TARS (codes/ui_tars) and bytedance/UI-TARS-desktop
// (packages/ui-tars/action-parser), with the replies in their tests and issues; zai-org/GLM-V
// (examples/gui-agent) and the replies in public evaluations with it.
#include "dialects/grammars.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace eyehand::agent {
namespace {

using Kind = StatedAction::Kind;

constexpr std::array ui_actions{
    ActionName{"click", Kind::click},
    ActionName{"left_click", Kind::click},
    ActionName{"left_single", Kind::click},
    ActionName{"left_double", Kind::double_click},
    ActionName{"left_double_click", Kind::double_click},
    ActionName{"double_click", Kind::double_click},
    ActionName{"left_triple", Kind::triple_click},
    ActionName{"triple_click", Kind::triple_click},
    ActionName{"right_single", Kind::right_click},
    ActionName{"right_click", Kind::right_click},
    ActionName{"middle_click", Kind::middle_click},
    ActionName{"hover", Kind::move},
    ActionName{"move", Kind::move},
    ActionName{"mouse_move", Kind::move},
    ActionName{"drag", Kind::drag},
    ActionName{"left_drag", Kind::drag},
    ActionName{"select", Kind::drag},
    ActionName{"scroll", Kind::scroll},
    ActionName{"hotkey", Kind::press},
    ActionName{"key", Kind::press},
    ActionName{"press", Kind::key_down},
    ActionName{"release", Kind::key_up},
    ActionName{"type", Kind::type},
    ActionName{"wait", Kind::wait},
    ActionName{"WAIT", Kind::wait},
    ActionName{"finished", Kind::finish},
    ActionName{"DONE", Kind::finish},
    ActionName{"done", Kind::finish},
    ActionName{"FAIL", Kind::finish},
    ActionName{"fail", Kind::finish},
    ActionName{"call_user", Kind::ask_user},
};

bool is_ui_action(std::string_view name) { return action_named(ui_actions, name) != nullptr; }
constexpr std::array argument_names{"start_box",
                                    "point",
                                    "start_point",
                                    "box",
                                    "position",
                                    "start",
                                    "end_box",
                                    "end",
                                    "end_point",
                                    "content",
                                    "text",
                                    "message",
                                    "answer",
                                    "key",
                                    "keys",
                                    "hotkey",
                                    "hold_keys",
                                    "direction",
                                    "step",
                                    "amount",
                                    "distance",
                                    "time",
                                    "seconds",
                                    "duration",
                                    "element_info",
                                    "start_element_info",
                                    "end_element_info"};

constexpr std::string_view start_names = "start_box|point|start_point|box|position|start";
constexpr std::string_view end_names = "end_box|end_point|end";

std::string problem_of(const ParsedCall& call, std::string_view what) {
    return fmt::format("{} {}", call.name, what);
}

/// Sets `into` to the argument, if it is given. Returns a problem if it is not a position.
std::string read_position(const ParsedCall& call, const Literal* literal,
                          std::optional<StatedPosition>& into) {
    if (literal == nullptr) return {};
    into = position_in(*literal);
    if (into) return {};
    return problem_of(
        call, fmt::format("has \"{}\" instead of a position", shorten(text_of(*literal), 40)));
}

std::string text_argument(const ParsedCall& call, std::string_view names) {
    const Literal* literal = call.find(names, 0);
    return literal == nullptr ? std::string() : text_of(*literal);
}

class UiReader {
public:
    StatedActions read(const std::vector<ParsedCall>& calls) {
        for (const ParsedCall& call : calls) {
            const ActionName* name = action_named(ui_actions, call.name);
            std::string problem = name == nullptr ? function(call) : action(*name, call);
            if (problem.empty()) continue;
            result_.actions.clear();
            result_.problem = std::move(problem);
            return result_;
        }
        return combined(std::move(result_));
    }

private:
    std::string action(const ActionName& name, const ParsedCall& call) {
        for (const CallArgument& argument : call.arguments)
            if (!argument.name.empty() && std::find(argument_names.begin(), argument_names.end(),
                                                    argument.name) == argument_names.end())
                return problem_of(call, fmt::format("has no argument \"{}\"", argument.name));
        StatedAction stated{.kind = name.kind};
        switch (name.kind) {
        case Kind::drag:
            return drag(std::move(stated), call);
        case Kind::scroll:
            return scroll(std::move(stated), call);
        case Kind::press:
        case Kind::key_down:
        case Kind::key_up:
            return key(std::move(stated), call);
        case Kind::type:
            if (call.find("content|text", 0) == nullptr)
                return problem_of(call, "needs content='...'");
            stated.text = text_argument(call, "content|text");
            break;
        case Kind::wait:
            stated.seconds = number_of(call.find("time|seconds|duration", 0));
            break;
        case Kind::finish:
            stated.text = text_argument(call, "content|answer|message");
            stated.success = name.name != "FAIL" && name.name != "fail";
            break;
        case Kind::ask_user:
            stated.text = text_argument(call, "content|message");
            break;
        default:
            return click(std::move(stated), call);
        }
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string click(StatedAction stated, const ParsedCall& call) {
        const Literal* at = call.find(start_names, 0);
        if (at == nullptr) at = call.find(end_names);
        if (at == nullptr) return problem_of(call, "needs a position: start_box='...'");
        if (auto problem = read_position(call, at, stated.at); !problem.empty()) return problem;
        if (const Literal* held = call.find("hold_keys")) {
            const std::vector<std::string> keys = presses_of(text_of(*held));
            if (!keys.empty()) stated.keys = keys.front();
        }
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string drag(StatedAction stated, const ParsedCall& call) {
        std::string problem = read_position(call, call.find(start_names, 0), stated.from);
        if (problem.empty()) problem = read_position(call, call.find(end_names, 1), stated.at);
        if (!problem.empty()) return problem;
        if (!stated.at) return problem_of(call, "needs the position of its end: end_box='...'");
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string scroll(StatedAction stated, const ParsedCall& call) {
        if (call.find("direction") == nullptr && call.find(end_names) != nullptr) {
            stated.kind = Kind::drag; // a gesture of phones
            return drag(std::move(stated), call);
        }
        if (auto problem = read_position(call, call.find(start_names, 0), stated.at);
            !problem.empty())
            return problem;
        const Literal* direction = call.find("direction", 1);
        stated.direction = direction == nullptr ? "down" : text_of(*direction);
        constexpr std::array directions{"up", "down", "left", "right"};
        if (std::find(directions.begin(), directions.end(), stated.direction) == directions.end())
            return problem_of(call, fmt::format("has the direction \"{}\"; it must be up, down, "
                                                "left or right",
                                                shorten(stated.direction, 40)));
        stated.amount = number_of(call.find("step|amount|distance"));
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string key(StatedAction stated, const ParsedCall& call) {
        const std::vector<std::string> presses = presses_of(text_argument(call, "key|keys|hotkey"));
        if (presses.empty()) return problem_of(call, "needs a key: key='...'");
        for (const std::string& press : presses) {
            stated.text = press;
            result_.actions.push_back(stated);
            stated.continues = true;
        }
        return {};
    }

    std::string function(const ParsedCall& call) {
        StatedAction stated{.kind = Kind::call, .text = call.name};
        if (auto arguments = arguments_of(call))
            stated.arguments_json = *std::move(arguments);
        else
            return problem_of(call, "needs a name for each argument: name='...'");
        result_.actions.push_back(std::move(stated));
        return {};
    }

    StatedActions result_;
};

/// Whether a tag ends directly before `at`, such as </think>; a block quote also has '>' there.
bool follows_tag(std::string_view text, std::size_t at) {
    if (at == 0 || text[at - 1] != '>') return false;
    const std::size_t open = text.rfind('<', at - 1);
    return open != std::string_view::npos &&
           text.substr(open, at - open).find_first_of(" \n") == std::string_view::npos;
}

/// The beginning of a line, except for spaces and asterisks.
bool begins_line(std::string_view text, std::size_t at) {
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t' || text[at - 1] == '*')) --at;
    return at == 0 || text[at - 1] == '\n' || follows_tag(text, at);
}

/// Some replies have the heading behind the last sentence of the thought.
bool follows_sentence(std::string_view text, std::size_t at) {
    if (!text.starts_with("Thought:") || at < 2 || text[at - 1] != ' ') return false;
    const std::string_view before = text.substr(0, at - 1);
    return before.ends_with('.') || before.ends_with('!') || before.ends_with('?');
}

struct Heading {
    std::size_t start = 0; ///< of the heading
    std::size_t end = 0;   ///< of the heading
    bool begins_line = false;
};

std::vector<Heading> headings_in(std::string_view text) {
    constexpr std::string_view wide_colon = "\xEF\xBC\x9A"; // as in Chinese
    std::vector<Heading> all;
    for (std::size_t at = text.find("Action"); at != std::string_view::npos;
         at = text.find("Action", at + 1)) {
        std::size_t end = at + 6;
        if (text.substr(end).starts_with(':'))
            ++end;
        else if (text.substr(end).starts_with(wide_colon))
            end += wide_colon.size();
        else
            continue;
        while (text.substr(end).starts_with('*')) ++end;
        all.push_back({at, end, begins_line(text, at)});
        if (all.size() == max_actions) break;
    }
    return all;
}

/// A reply in a code block as a whole.
std::string without_block(const std::string& body) {
    if (!body.starts_with("```") || !body.ends_with("```") || body.size() < 7) return body;
    const std::size_t line = body.find('\n');
    if (line == std::string::npos || body.find("```", line) != body.size() - 3) return body;
    return std::string(trim(std::string_view(body).substr(line, body.size() - 3 - line)));
}

bool is_in_block(std::string_view text, std::size_t at) {
    std::size_t marks = 0;
    for (std::size_t mark = text.find("```"); mark < at; mark = text.find("```", mark + 3)) ++marks;
    return marks % 2 == 1;
}

std::string thought_before(std::string_view text) {
    text = trim(text);
    for (const std::string_view heading : {"Thought:", "Thoughts:"})
        if (text.starts_with(heading)) text.remove_prefix(heading.size());
    return std::string(trim(text));
}

/// A statement that cannot be read.
StatedActions not_an_action(std::string problem, std::string_view body, std::size_t start) {
    StatedActions result;
    result.problem = std::move(problem);
    result.thought = thought_before(body.substr(0, start));
    result.statement = body.substr(start);
    return result;
}

StatedActions read_calls(const std::vector<ParsedCall>& calls, std::string_view body,
                         std::size_t start) {
    StatedActions result = UiReader().read(calls);
    result.thought = thought_before(body.substr(0, start));
    result.statement = body.substr(start);
    return result;
}

/// Whether an action is stated there, readable or not.
bool states_action(std::string_view text) {
    text = trim(text);
    return is_ui_action(text.substr(0, text.find('(')));
}

/// A call that begins the reply is not an answer, and a thought alone is not one either.
StatedActions read_answer(const std::string& body, bool quoted) {
    const std::size_t open = std::min(body.find_first_of("(>"), body.size());
    if (is_ui_action(trim(std::string_view(body).substr(0, open))))
        return not_an_action(parse_calls(body, StringSyntax::lenient).problem, body, 0);
    if (body.starts_with("Thought:"))
        return not_an_action("the reply has no \"Action:\"", body, body.size());
    // Nor is one with a call on a line of its own, which text follows.
    bool in_block = false;
    for (std::size_t line = 0; line < body.size();) {
        const std::size_t end = std::min(body.find('\n', line), body.size());
        const std::string_view words = std::string_view(body).substr(line, end - line);
        if (trim(words).starts_with("```")) in_block = !in_block;
        if (!in_block && words.find('(') != std::string_view::npos && states_action(words))
            return not_an_action(
                parse_calls(std::string_view(body).substr(line), StringSyntax::lenient).problem,
                body, line);
        line = end + 1;
    }
    return {.thought = thought_before(body), .quoted = quoted || mentions_call(body, is_ui_action)};
}

/// The actions after the heading "Action:", or at the end of the text.
StatedActions read_body(const std::string& body) {
    const std::string_view view = body;
    std::optional<Heading> stated; // the heading of the actions
    bool quoted = false;
    for (const Heading& heading : headings_in(body)) {
        const bool counts = (heading.begins_line || follows_sentence(body, heading.start)) &&
                            !is_in_block(body, heading.start);
        if (!counts) {
            quoted = true;
            continue;
        }
        // Two of them are one too many: one may be quoted, or in the text of the other.
        if (stated && states_action(view.substr(stated->end)))
            return not_an_action("the reply has more than one \"Action:\"", body, stated->start);
        stated = heading;
    }
    if (stated) {
        const ParsedCalls read = parse_calls(
            without_block(std::string(trim(view.substr(stated->end)))), StringSyntax::lenient);
        if (!read.calls.empty()) return read_calls(read.calls, body, stated->start);
        if (stated->begins_line)
            return not_an_action(read.problem.empty() ? "nothing follows \"Action:\""
                                                      : read.problem,
                                 body, stated->start);
        quoted = true;
    }
    // A call of any function, if the reply has nothing else.
    if (const ParsedCalls all = parse_calls(body, StringSyntax::lenient); !all.calls.empty())
        return read_calls(all.calls, body, 0);
    const std::size_t start = start_of_calls(body, StringSyntax::lenient, is_ui_action);
    if (start == std::string::npos) return read_answer(body, quoted);
    return read_calls(parse_calls(view.substr(start), StringSyntax::lenient).calls, body, start);
}

/// The text in <answer>...</answer>.
std::string without_answer_tags(const std::string& body) {
    constexpr std::string_view open = "<answer>";
    const std::size_t at = body.find(open);
    return at == std::string::npos ? body : std::string(trim(body.substr(at + open.size())));
}

constexpr std::string_view open_box = "<|begin_of_box|>";
constexpr std::string_view close_box = "<|end_of_box|>";

} // namespace

StatedActions read_ui_tars(std::string_view text) {
    return read_body(without_block(without_answer_tags(without_marks(text))));
}

StatedActions read_glm(std::string_view text) {
    std::string body = without_marks(text);
    const std::size_t open = body.rfind(open_box);
    if (open == std::string::npos) {
        // What the model remembers follows its action.
        if (const std::size_t memory = body.rfind("\nMemory:"); memory != std::string::npos)
            body = std::string(trim(std::string_view(body).substr(0, memory)));
        return read_body(body);
    }
    std::size_t start = open;
    for (const Heading& heading : headings_in(body))
        if (trim(std::string_view(body).substr(heading.end)).starts_with(open_box))
            start = std::min(start, heading.start);
    std::string_view inside = std::string_view(body).substr(open + open_box.size());
    std::size_t close = inside.find(close_box);
    if (close == std::string_view::npos) close = inside.rfind("\nMemory:");
    std::string_view after = close == std::string_view::npos ? "" : inside.substr(close);
    if (after.starts_with(close_box)) after.remove_prefix(close_box.size());
    if (!trim(after).empty() && !trim(after).starts_with("Memory:"))
        return not_an_action("text follows the box with the action", body, start);
    const std::size_t first = body.find(open_box);
    if (first != open && states_action(std::string_view(body).substr(first + open_box.size())))
        return not_an_action("the reply has more than one box with an action", body, first);
    inside = trim(inside.substr(0, close));
    ParsedCalls read = parse_calls(inside, StringSyntax::lenient);
    if (is_ui_action(inside)) read = {{ParsedCall{.name = std::string(inside)}}, {}};
    if (!read.calls.empty()) return read_calls(read.calls, body, start);
    return not_an_action(read.problem.empty() ? "the box has no action" : read.problem, body,
                         start);
}

} // namespace eyehand::agent
