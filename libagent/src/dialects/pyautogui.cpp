// Calls of pyautogui in a Python code block.
//
// Sources: model cards and prompts of OpenCUA (xlang-ai/OpenCUA) and Aguvis (xlang-ai/aguvis), with the
// replies in public evaluations; asweigart/pyautogui (pyautogui/__init__.py) for names and orders of
// arguments.
#include "dialects/grammars.hpp"

#include "base/text.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace eyehand::agent {
namespace {

using Kind = StatedAction::Kind;

enum class Form { click, place, drag, keys, key, text, wheel, pause, end };

struct Function {
    std::string_view name;  ///< without "pyautogui."
    std::string_view names; ///< of arguments, separated by spaces, in their order
    Form form;
    Kind kind;
};

constexpr std::string_view click_arguments = "x y clicks interval button duration";

constexpr std::array functions{
    Function{"click", click_arguments, Form::click, Kind::click},
    Function{"leftClick", click_arguments, Form::click, Kind::click},
    Function{"rightClick", click_arguments, Form::click, Kind::right_click},
    Function{"middleClick", click_arguments, Form::click, Kind::middle_click},
    Function{"doubleClick", "x y interval button duration", Form::click, Kind::double_click},
    Function{"tripleClick", "x y interval button duration", Form::click, Kind::triple_click},
    Function{"triple_click", "x y interval button duration", Form::click, Kind::triple_click},
    Function{"moveTo", "x y duration", Form::place, Kind::move},
    Function{"mouseDown", "x y button", Form::place, Kind::mouse_down},
    Function{"mouseUp", "x y button", Form::place, Kind::mouse_up},
    Function{"dragTo", "x y duration button from_coord to_coord", Form::drag, Kind::drag},
    Function{"hotkey", "keys interval", Form::keys, Kind::press},
    Function{"press", "keys presses interval", Form::key, Kind::press},
    Function{"keyDown", "key", Form::key, Kind::key_down},
    Function{"keyUp", "key", Form::key, Kind::key_up},
    Function{"write", "message interval text", Form::text, Kind::type},
    Function{"typewrite", "message interval text", Form::text, Kind::type},
    Function{"scroll", "clicks x y page", Form::wheel, Kind::scroll},
    Function{"vscroll", "clicks x y page", Form::wheel, Kind::scroll},
    Function{"hscroll", "clicks x y page", Form::wheel, Kind::scroll},
    Function{"sleep", "seconds", Form::pause, Kind::wait},
    Function{"wait", "seconds", Form::pause, Kind::wait},
    Function{"terminate", "status answer data", Form::end, Kind::finish},
};

/// The name without "pyautogui.", "computer." or "time."; empty for another one.
std::string_view short_name(std::string_view name) {
    for (const std::string_view prefix : {"pyautogui.", "computer.", "time."})
        if (name.starts_with(prefix)) return name.substr(prefix.size());
    return {};
}

bool is_action(std::string_view name) { return !short_name(name).empty(); }

const Function* function_named(std::string_view name) {
    // Pointers, because MSVC's std::array has other iterators.
    const auto* const end = functions.data() + functions.size();
    const auto* const found = std::ranges::find(functions.data(), end, name, &Function::name);
    return found == end ? nullptr : found;
}

/// A number of notches. pyautogui passes it to the system as it is: one unit is a notch on X11, and
/// 1/120 of a notch on Windows, where programs therefore state hundreds.
double notches(double clicks) {
    clicks = std::abs(clicks);
    return clicks < 100 ? clicks : std::round(clicks / 120);
}

class Reader {
public:
    StatedActions read(const std::vector<ParsedCall>& calls) {
        for (const ParsedCall& call : calls) {
            std::string problem = action(call);
            if (problem.empty()) continue;
            result_.actions.clear();
            result_.problem = std::move(problem);
            return result_;
        }
        return combined(std::move(result_));
    }

private:
    std::string action(const ParsedCall& call) {
        const std::string_view name = short_name(call.name);
        if (name.empty()) return function(call);
        const Function* known = function_named(name);
        if (known == nullptr) return fmt::format("{} is not an action", call.name);
        if (auto problem = problem_of_names(*known, call); !problem.empty()) return problem;
        StatedAction stated{.kind = known->kind};
        switch (known->form) {
        case Form::click:
            return click(std::move(stated), call);
        case Form::place:
            return place(std::move(stated), call);
        case Form::drag:
            return drag(std::move(stated), call);
        case Form::keys:
            return hotkey(std::move(stated), call);
        case Form::key:
            return key(std::move(stated), call);
        case Form::text:
            return type(std::move(stated), call);
        case Form::wheel:
            return scroll(std::move(stated), call, name == "hscroll");
        case Form::pause:
            stated.seconds = number_of(call.find("seconds", 0));
            break;
        case Form::end:
            return terminate(std::move(stated), call);
        }
        result_.actions.push_back(std::move(stated));
        return {};
    }

    static std::string problem_of_names(const Function& known, const ParsedCall& call) {
        std::string_view rest = known.names;
        for (const CallArgument& argument : call.arguments) {
            if (argument.name.empty()) { // takes the place of the next name
                rest.remove_prefix(std::min(rest.find(' '), rest.size() - 1) + 1);
            } else if (!has_word(known.names, argument.name)) {
                return fmt::format("{} has no argument \"{}\"", call.name, argument.name);
            } else if (!has_word(rest, argument.name)) {
                return fmt::format("{} has the argument \"{}\" twice", call.name, argument.name);
            }
            if (rest.empty()) break; // hotkey has any number of keys
        }
        return {};
    }

    /// Sets `into` if x and y are given, or a pair in place of x.
    static std::string read_place(const ParsedCall& call, std::size_t first,
                                  std::optional<StatedPosition>& into) {
        const Literal* x = call.find("x", first);
        const Literal* y = call.find("y", first == ParsedCall::npos ? first : first + 1);
        if (x == nullptr && y == nullptr) return {};
        if (x != nullptr && std::holds_alternative<Literal::List>(x->value)) {
            into = position_in(*x);
        } else if (number_of(x) && number_of(y)) {
            into = StatedPosition{.numbers = {*number_of(x), *number_of(y)}};
        }
        if (!into || into->numbers.size() != 2)
            return fmt::format("{} needs two numbers, x and y", call.name);
        into->named = true;
        return {};
    }

    static std::string button_of(const ParsedCall& call, std::size_t position) {
        const Literal* button = call.find("button", position);
        return button == nullptr ? "left" : text_of(*button);
    }

    std::string click(StatedAction stated, const ParsedCall& call) {
        if (auto problem = read_place(call, 0, stated.at); !problem.empty()) return problem;
        const bool counts = stated.kind != Kind::double_click && stated.kind != Kind::triple_click;
        const double clicks = counts ? number_of(call.find("clicks", 2)).value_or(1) : 1;
        const std::string button = button_of(call, counts ? 4 : 3);
        if (button == "right" && stated.kind == Kind::click) stated.kind = Kind::right_click;
        if (button == "middle" && stated.kind == Kind::click) stated.kind = Kind::middle_click;
        if ((button != "left" && button != "primary" && stated.kind != Kind::right_click &&
             stated.kind != Kind::middle_click) ||
            !(clicks >= 1 && clicks <= 3))
            return fmt::format("{} must have the button left, right or middle, and 1 to 3 clicks",
                               call.name);
        std::size_t times = static_cast<std::size_t>(clicks);
        if (stated.kind == Kind::click && times > 1) {
            stated.kind = times == 2 ? Kind::double_click : Kind::triple_click;
            times = 1;
        }
        for (; times > 0; --times) {
            result_.actions.push_back(stated);
            stated.continues = true;
        }
        return {};
    }

    std::string place(StatedAction stated, const ParsedCall& call) {
        if (auto problem = read_place(call, 0, stated.at); !problem.empty()) return problem;
        if (stated.kind == Kind::move && !stated.at)
            return fmt::format("{} needs two numbers, x and y", call.name);
        if (stated.kind != Kind::move) {
            const std::string button = button_of(call, 2);
            if (button != "left" && button != "primary")
                return fmt::format("{} is possible with the left button only", call.name);
        }
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string drag(StatedAction stated, const ParsedCall& call) {
        if (auto problem = read_place(call, 0, stated.at); !problem.empty()) return problem;
        for (const auto& [name, into] :
             {std::pair{"from_coord", &stated.from}, std::pair{"to_coord", &stated.at}}) {
            const Literal* given = call.find(name);
            if (given == nullptr) continue;
            *into = position_in(*given);
            if (!*into) return fmt::format("{} of {} must be two numbers", name, call.name);
        }
        const std::string button = button_of(call, ParsedCall::npos);
        if (!stated.at) return fmt::format("{} needs two numbers, x and y", call.name);
        if (button != "left" && button != "primary")
            return fmt::format("{} is possible with the left button only", call.name);
        stated.at->named = true;
        if (stated.from) stated.from->named = true;
        result_.actions.push_back(std::move(stated));
        return {};
    }

    /// The names of keys. One may be missing: see `problem_of_keys`.
    static std::vector<std::string> names_in(const Literal& literal) {
        std::vector<std::string> names;
        if (const auto* list = std::get_if<Literal::List>(&literal.value))
            for (const Literal& item : *list) names.push_back(text_of(item));
        else
            names.push_back(text_of(literal));
        return names;
    }

    static std::string problem_of_keys(const std::vector<std::string>& names,
                                       const ParsedCall& call) {
        if (!names.empty() && std::find(names.begin(), names.end(), "") == names.end()) return {};
        return fmt::format("{} needs the name of a key", call.name);
    }

    std::string hotkey(StatedAction stated, const ParsedCall& call) {
        std::vector<std::string> names;
        for (const CallArgument& argument : call.arguments)
            if (argument.name.empty() || argument.name == "keys")
                for (std::string& name : names_in(argument.value)) names.push_back(std::move(name));
        if (auto problem = problem_of_keys(names, call); !problem.empty()) return problem;
        if (names.size() > max_actions) return too_many_actions();
        // hotkey('ctrl', 'z', 'ctrl', 'z') is meant as two combinations.
        std::vector<std::vector<std::string>> chords;
        for (std::string& name : names) {
            const bool again =
                !chords.empty() &&
                std::find(chords.back().begin(), chords.back().end(), name) != chords.back().end();
            if (chords.empty() || again) chords.emplace_back();
            chords.back().push_back(std::move(name));
        }
        for (const std::vector<std::string>& chord : chords) {
            stated.text.clear();
            for (const std::string& name : chord)
                stated.text += (stated.text.empty() ? "" : "+") + key_name(name);
            result_.actions.push_back(stated);
            stated.continues = true;
        }
        return {};
    }

    /// A space is a key here, not a separator.
    static std::string key_name(const std::string& name) {
        if (name == " ") return "space";
        if (name == "\n" || name == "\r") return "enter";
        if (name == "\t") return "tab";
        return name;
    }

    std::string key(StatedAction stated, const ParsedCall& call) {
        const Literal* keys = call.find("keys|key", 0);
        const std::vector<std::string> names =
            keys == nullptr ? std::vector<std::string>() : names_in(*keys);
        if (auto problem = problem_of_keys(names, call); !problem.empty()) return problem;
        const double presses =
            stated.kind == Kind::press ? number_of(call.find("presses", 1)).value_or(1) : 1;
        if (!(presses >= 1) || presses * static_cast<double>(names.size()) > max_actions)
            return too_many_actions();
        for (int time = 0; time < static_cast<int>(presses); ++time) {
            for (const std::string& name : names) {
                stated.text = key_name(name);
                result_.actions.push_back(stated);
                stated.continues = true;
            }
        }
        return {};
    }

    std::string type(StatedAction stated, const ParsedCall& call) {
        const Literal* text = call.find("message|text", 0);
        if (text == nullptr) return fmt::format("{} needs a text", call.name);
        if (std::holds_alternative<Literal::List>(text->value)) { // names of keys
            stated.kind = Kind::press;
            const std::vector<std::string> names = names_in(*text);
            if (auto problem = problem_of_keys(names, call); !problem.empty()) return problem;
            for (const std::string& name : names) {
                stated.text = key_name(name);
                result_.actions.push_back(stated);
                stated.continues = true;
            }
            return {};
        }
        stated.text = text_of(*text);
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string scroll(StatedAction stated, const ParsedCall& call, bool horizontal) {
        if (auto problem = read_place(call, 1, stated.at); !problem.empty()) return problem;
        const auto clicks = number_of(call.find("clicks", 0));
        const auto pages = number_of(call.find("page"));
        const double amount = clicks ? *clicks : pages.value_or(0);
        if (!clicks && !pages) return fmt::format("{} needs a number of clicks", call.name);
        if (horizontal)
            stated.direction = amount < 0 ? "left" : "right";
        else
            stated.direction = amount < 0 ? "down" : "up";
        if (clicks) stated.amount = notches(*clicks);
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string terminate(StatedAction stated, const ParsedCall& call) {
        const Literal* status = call.find("status", 0);
        const std::string word = status == nullptr ? std::string() : text_of(*status);
        stated.success = word == "success";
        if (!stated.success && word != "failure" && word != "fail")
            return fmt::format("{} needs status='success' or status='failure'", call.name);
        if (const Literal* answer = call.find("answer|data", 1)) stated.text = text_of(*answer);
        result_.actions.push_back(std::move(stated));
        return {};
    }

    std::string function(const ParsedCall& call) {
        auto arguments = arguments_of(call);
        if (!arguments)
            return fmt::format("{} needs a name for each argument: name=value", call.name);
        result_.actions.push_back(
            {.kind = Kind::call, .text = call.name, .arguments_json = *std::move(arguments)});
        return {};
    }

    StatedActions result_;
};

/// A reply that is only a word for the state of the task, also in a code block.
std::optional<StatedAction> word_for_state(std::string_view body) {
    while (!body.empty() && (body.front() == '`' || body.back() == '`')) {
        if (body.front() == '`') body.remove_prefix(1);
        if (!body.empty() && body.back() == '`') body.remove_suffix(1);
    }
    body = trim(body);
    if (equals_ignoring_case(body, "DONE")) return StatedAction{.kind = Kind::finish};
    if (equals_ignoring_case(body, "FAIL"))
        return StatedAction{.kind = Kind::finish, .success = false};
    if (equals_ignoring_case(body, "WAIT")) return StatedAction{.kind = Kind::wait};
    return std::nullopt;
}

/// Where the code is.
struct Place {
    std::string code;
    std::size_t start = 0;   ///< of the section with the code
    bool prescribed = false; ///< after the heading "Code:", or in a code block that ends the reply
};

/// The position behind the last heading "Code:" at the beginning of a line; npos without one.
std::size_t end_of_heading(std::string_view text, std::size_t& start) {
    std::size_t last = std::string_view::npos;
    for (std::size_t at = text.find("Code:"); at != std::string_view::npos;
         at = text.find("Code:", at + 1)) {
        std::size_t line = at;
        while (line > 0 && (text[line - 1] == '#' || text[line - 1] == ' ')) --line;
        if (line > 0 && text[line - 1] != '\n') continue;
        start = line;
        last = at + 5;
    }
    return last;
}

/// The content of a code block, without the name of its language; nothing for another language.
std::optional<std::string> content_of(std::string_view block) {
    const std::size_t line = std::min(block.find('\n'), block.size());
    const std::string_view first = trim(block.substr(0, line));
    for (const std::string_view language : {"", "python", "py", "code", "json"})
        if (first == language) return std::string(block.substr(line));
    const bool is_name =
        first.find_first_not_of("abcdefghijklmnopqrstuvwxyz+#") == std::string_view::npos;
    if (is_name && line < block.size()) return std::nullopt;
    return std::string(block);
}

Place place_of_code(std::string_view body) {
    constexpr std::string_view fence = "```";
    std::size_t start = 0;
    const std::size_t heading = end_of_heading(body, start);
    if (heading != std::string_view::npos) {
        std::string_view code = trim(body.substr(heading));
        const std::size_t open = code.find(fence);
        if (open != 0) // code without a block; a fence may close it, or repeat it
            return {std::string(trim(code.substr(0, open))), start, true};
    }
    if (!body.ends_with(fence)) return {};
    const std::size_t close = body.size() - fence.size();
    const std::size_t open = close == 0 ? std::string_view::npos : body.rfind(fence, close - 1);
    if (open == std::string_view::npos) return {};
    auto content = content_of(body.substr(open + fence.size(), close - open - fence.size()));
    if (!content) return {};
    return {*std::move(content), heading == std::string_view::npos ? open : std::min(start, open),
            true};
}

/// {"name": "computer.wait", "arguments": {...}}, which some models write into the block.
std::optional<ParsedCall> json_call(std::string_view code) {
    const auto value = parse_json(code);
    if (!value || !value->is_object()) return std::nullopt;
    const json::object& object = value->as_object();
    const json::value* name = object.if_contains("name");
    const json::value* arguments = object.if_contains("arguments");
    if (arguments == nullptr) arguments = object.if_contains("parameters");
    if (name == nullptr || !name->is_string() || arguments == nullptr || !arguments->is_object())
        return std::nullopt;
    ParsedCall call{.name = std::string(name->as_string())};
    for (const auto& member : arguments->as_object()) {
        Literal literal;
        if (member.value().is_string())
            literal.value = std::string(member.value().as_string());
        else if (member.value().is_number())
            literal.value = member.value().to_number<double>();
        else if (member.value().is_bool())
            literal.value = member.value().as_bool();
        else
            return std::nullopt;
        call.arguments.push_back({std::string(member.key()), std::move(literal)});
    }
    return call;
}

/// The last section of the text, without its heading.
std::string thought_in(std::string_view text) {
    text = trim(text);
    while (text.ends_with('`')) text.remove_suffix(1);
    for (const std::string_view heading : {"## Thought:", "Thought:", "## Action:", "Action:"})
        if (text.starts_with(heading)) text = trim(text.substr(heading.size()));
    return std::string(trim(text));
}

/// Whether the text before the place of the code has other actions.
bool has_other_code(std::string_view before, const ParsedCalls& chosen) {
    constexpr std::string_view fence = "```";
    for (std::size_t open = before.find(fence); open != std::string_view::npos;) {
        const std::size_t close = std::min(before.find(fence, open + 3), before.size());
        const ParsedCalls other =
            parse_calls(content_of(before.substr(open + 3, close - open - 3)).value_or(""),
                        StringSyntax::python);
        if (!other.calls.empty() && is_action(other.calls.front().name)) return true;
        open = before.find(fence, std::min(close + 3, before.size()));
    }
    // Code on the line of its heading. The same code may be repeated.
    const std::string_view same =
        chosen.calls.empty() ? std::string_view() : std::string_view(chosen.calls.front().name);
    std::size_t start = 0;
    for (std::size_t heading = end_of_heading(before, start); heading != std::string_view::npos;
         heading = end_of_heading(before, start)) {
        const std::size_t end = std::min(before.find('\n', heading), before.size());
        const ParsedCalls other =
            parse_calls(before.substr(heading, end - heading), StringSyntax::python);
        if (!other.calls.empty() && other.calls.front().name != same) return true;
        before = before.substr(0, start);
    }
    return false;
}

/// A reply without a code block, or without an end of it.
StatedActions read_bare(const std::string& body) {
    ParsedCalls read = parse_calls(body, StringSyntax::python);
    std::size_t start = 0;
    if (read.calls.empty()) {
        start = start_of_calls(body, StringSyntax::python, is_action);
        if (start != std::string::npos)
            read = parse_calls(std::string_view(body).substr(start), StringSyntax::python);
    }
    StatedActions result;
    if (!read.calls.empty()) {
        result = Reader().read(read.calls);
        result.thought = thought_in(std::string_view(body).substr(0, start));
        result.statement = body.substr(start);
        return result;
    }
    result.thought = thought_in(body);
    // Code that cannot be read, does not end, or is followed by text is not an answer.
    for (std::size_t line = 0; line < body.size();) {
        const std::size_t end = std::min(body.find('\n', line), body.size());
        const std::string_view words = trim(std::string_view(body).substr(line, end - line));
        if (is_action(words.substr(0, words.find('('))) || words.starts_with("import ")) {
            result.thought.clear();
            result.statement = body.substr(line);
            result.problem = "the code cannot be read: it must end the reply, in one code block "
                             "with calls only";
            return result;
        }
        line = end + 1;
    }
    result.quoted = mentions_call(body, is_action);
    return result;
}

StatedActions read_code(const Place& place, std::string_view body) {
    StatedActions result;
    ParsedCalls read;
    if (const auto state = word_for_state(trim(place.code)))
        result.actions = {*state};
    else if (const auto call = json_call(place.code))
        read.calls = {*call};
    else
        read = parse_calls(place.code, StringSyntax::python);
    if (!read.calls.empty())
        result = Reader().read(read.calls);
    else if (result.actions.empty())
        result.problem = read.problem.empty() ? "the code block has no action" : read.problem;
    if (has_other_code(body.substr(0, place.start), read)) {
        result.actions.clear();
        result.problem = "the reply has more than one code block with actions";
    }
    result.thought = thought_in(body.substr(0, place.start));
    result.statement = body.substr(place.start);
    return result;
}

} // namespace

StatedActions read_pyautogui(std::string_view text) {
    const std::string body = without_marks(text);
    if (const auto state = word_for_state(body)) return {.actions = {*state}, .statement = body};
    // A word for the state may follow the code.
    const std::size_t line = body.rfind('\n');
    const auto state =
        line == std::string::npos ? std::nullopt : word_for_state(body.substr(line + 1));
    std::string_view code = body;
    if (state && trim(code.substr(0, line)).ends_with("```"))
        code = trim(code.substr(0, line));
    else if (state && start_of_calls(body, StringSyntax::python, is_action) == std::string::npos)
        return {.actions = {*state},
                .thought = thought_in(code.substr(0, line)),
                .statement = body.substr(line)};
    const Place place = place_of_code(code);
    if (!place.prescribed) return read_bare(body);
    StatedActions result = read_code(place, body);
    if (code.size() < body.size() && result.problem.empty()) {
        result.actions.push_back(*state);
        result.statement = body.substr(place.start);
    }
    return result;
}

} // namespace eyehand::agent
