#include "dialects/grammars.hpp"

#include "base/text.hpp"
#include "json/json.hpp"
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace eyehand::agent {
namespace {

using Kind = StatedAction::Kind;

std::optional<double> number_of_text(std::string_view text) {
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

/// A mark at the end of a reply: "<|im_end|>", "</computer_env>".
std::size_t start_of_last_mark(std::string_view text) {
    if (!text.ends_with('>')) return std::string_view::npos;
    const std::size_t start = text.rfind('<');
    if (start == std::string_view::npos) return start;
    const std::string_view mark = text.substr(start);
    const bool special = mark.starts_with("<|") && mark.ends_with("|>");
    const bool closes = mark.starts_with("</");
    return (special || closes) && mark.size() < 64 && mark.find(' ') == std::string_view::npos
               ? start
               : std::string_view::npos;
}

/// Without think blocks at the beginning; some models have other names for them, such as
/// <think_never_used_51bc...>. A chat template may have removed the opening tag.
std::string_view without_thoughts(std::string_view text) {
    text = trim(text);
    while (text.starts_with("<think")) {
        const std::size_t close = text.find("</think");
        const std::size_t end = close == std::string_view::npos ? close : text.find('>', close);
        if (end == std::string_view::npos) return {};
        text = trim(text.substr(end + 1));
    }
    const std::size_t close = text.find("</think");
    if (close == std::string_view::npos) return text;
    const std::string_view before = text.substr(0, close);
    for (const std::string_view action : {"Action:", "<|begin_of_box|>", "```", "(start_box="})
        if (before.find(action) != std::string_view::npos) return text;
    const std::size_t end = text.find('>', close);
    return end == std::string_view::npos ? std::string_view() : trim(text.substr(end + 1));
}

bool is_click(Kind kind) {
    return kind == Kind::click || kind == Kind::double_click || kind == Kind::triple_click ||
           kind == Kind::right_click || kind == Kind::middle_click;
}

void hold(std::string& keys, const std::string& more) {
    if (!keys.empty()) keys += '+';
    keys += more;
}

/// The state of the keyboard and the mouse between the actions of a reply.
class Combiner {
public:
    void add(StatedAction action) {
        switch (action.kind) {
        case Kind::key_down:
            held_.push_back(action.text);
            used_ = false;
            return;
        case Kind::key_up:
            release_key(action.text);
            return;
        case Kind::mouse_down:
            press_button(action);
            return;
        case Kind::mouse_up:
            release_button(action);
            return;
        case Kind::move:
            pointer_ = action.at;
            if (!pressed_) break;
            via_.push_back(*action.at);
            return;
        default:
            break;
        }
        if (pressed_) problem_ = "nothing else can be done while the mouse button is down";
        if (!held_.empty()) {
            used_ = true;
            if (is_click(action.kind) || action.kind == Kind::scroll)
                hold(action.keys, held_keys());
            else if (action.kind == Kind::press)
                action.text = held_keys() + "+" + action.text;
            else
                problem_ = "keys can be held only during clicks, scrolling and presses of keys";
        }
        if (action.kind == Kind::drag && !action.from) action.from = pointer_;
        if (action.at) pointer_ = action.at;
        result_.push_back(std::move(action));
    }

    StatedActions finish(StatedActions read) {
        if (pressed_) problem_ = "the mouse button stays down: state the drag as one action";
        // A key that only goes down is meant as a press.
        if (!held_.empty() && !used_) result_.push_back({.kind = Kind::press, .text = held_keys()});
        read.actions = std::move(result_);
        if (read.problem.empty()) read.problem = problem_;
        return read;
    }

private:
    [[nodiscard]] std::string held_keys() const {
        std::string keys;
        for (const std::string& key : held_) hold(keys, key);
        return keys;
    }

    void release_key(const std::string& key) {
        const auto found = std::find(held_.begin(), held_.end(), key);
        if (found == held_.end()) {
            problem_ = "a key that is not down cannot be released";
            return;
        }
        if (!std::exchange(used_, true))
            result_.push_back({.kind = Kind::press, .text = held_keys()});
        held_.erase(found);
    }

    void press_button(const StatedAction& action) {
        if (action.at) pointer_ = action.at;
        if (std::exchange(pressed_, true)) problem_ = "the mouse button is already down";
        from_ = pointer_;
        via_.clear();
    }

    void release_button(const StatedAction& action) {
        if (!std::exchange(pressed_, false)) {
            problem_ = "the mouse button is not down: state the drag as one action";
            return;
        }
        std::optional<StatedPosition> to = action.at;
        if (!to && !via_.empty()) {
            to = via_.back();
            via_.pop_back();
        }
        if (!to || to == from_)
            result_.push_back({.kind = Kind::click, .at = from_, .keys = held_keys()});
        else
            result_.push_back(
                {.kind = Kind::drag, .at = to, .from = from_, .via = via_, .keys = held_keys()});
        if (!held_.empty()) used_ = true;
        pointer_ = to ? to : from_;
    }

    std::vector<StatedAction> result_;
    std::string problem_;
    std::vector<std::string> held_; ///< keys, in the order in which they went down
    bool used_ = false;             ///< by an action, since the latest key went down
    bool pressed_ = false;
    std::optional<StatedPosition> pointer_;
    std::optional<StatedPosition> from_;
    std::vector<StatedPosition> via_;
};

} // namespace

std::string without_marks(std::string_view text) {
    std::string_view body = without_thoughts(text);
    for (std::size_t mark = start_of_last_mark(body); mark != std::string_view::npos;
         mark = start_of_last_mark(body)) {
        // A closing box belongs to the action.
        const std::string_view name = body.substr(mark);
        if (name == "<|end_of_box|>" || name == "<|box_end|>" || name == "</point>" ||
            name == "</bbox>" || name == "</tool_call>")
            break;
        body = trim(body.substr(0, mark));
    }
    return std::string(body);
}

std::optional<StatedPosition> position_in(const Literal& literal) {
    std::vector<double> numbers;
    if (const auto* text = std::get_if<std::string>(&literal.value)) {
        std::string plain = *text;
        for (const std::string_view mark :
             {"<|box_start|>", "<|box_end|>", "<|begin_of_box|>", "<|end_of_box|>", "<point>",
              "</point>", "<bbox>", "</bbox>"})
            plain = replace_all(std::move(plain), mark, " ");
        if (plain.find_first_not_of("0123456789.+-,()[] \t\n") != std::string::npos)
            return std::nullopt;
        for (char& c : plain)
            if (std::string_view("()[] \t\n").find(c) != std::string_view::npos) c = ',';
        for (std::string_view rest = plain; !rest.empty();) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            if (comma > 0) {
                const auto number = number_of_text(rest.substr(0, comma));
                if (!number) return std::nullopt;
                numbers.push_back(*number);
            }
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    } else if (const auto* list = std::get_if<Literal::List>(&literal.value)) {
        for (const Literal& item : *list) {
            if (const auto* number = std::get_if<double>(&item.value)) {
                numbers.push_back(*number);
            } else if (const auto inner = position_in(item)) { // [[x1, y1], [x2, y2]]
                numbers.insert(numbers.end(), inner->numbers.begin(), inner->numbers.end());
            } else {
                return std::nullopt;
            }
        }
    }
    if (numbers.size() != 2 && numbers.size() != 4) return std::nullopt;
    return StatedPosition{.numbers = std::move(numbers)};
}

std::size_t start_of_calls(std::string_view text, StringSyntax strings,
                           const std::function<bool(std::string_view)>& is_action) {
    bool in_block = false;
    std::size_t attempts = 0; // each may read to the end
    for (std::size_t line = 0; line < text.size() && attempts < max_actions;) {
        const std::size_t end = std::min(text.find('\n', line), text.size());
        const std::size_t start = text.find_first_not_of(" \t", line);
        if (start < end && text.substr(start).starts_with("```")) {
            in_block = !in_block;
        } else if (start < end && !in_block && (start == line || strings != StringSyntax::python)) {
            const std::string_view rest = text.substr(start);
            if (is_action(rest.substr(0, rest.substr(0, end - start).find('(')))) {
                ++attempts;
                if (!parse_calls(rest, strings).calls.empty()) return start;
            }
        }
        line = end + 1;
    }
    return std::string_view::npos;
}

bool mentions_call(std::string_view text, const std::function<bool(std::string_view)>& is_action) {
    for (std::size_t open = text.find('('); open != std::string_view::npos;
         open = text.find('(', open + 1)) {
        std::size_t start = open;
        const auto in_name = [&](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
        };
        while (start > 0 && in_name(text[start - 1])) --start;
        if (start < open && is_action(text.substr(start, open - start))) return true;
    }
    return false;
}

std::optional<std::string> arguments_of(const ParsedCall& call) {
    json::object members;
    for (const CallArgument& argument : call.arguments) {
        if (argument.name.empty()) return std::nullopt;
        auto value = parse_json(json_of(argument.value));
        if (!value) return std::nullopt; // not UTF-8
        members[argument.name] = *std::move(value);
    }
    return to_text(members);
}

bool has_word(std::string_view words, std::string_view word) {
    while (!words.empty()) {
        const std::size_t space = std::min(words.find(' '), words.size());
        if (words.substr(0, space) == word) return true;
        words.remove_prefix(std::min(space + 1, words.size()));
    }
    return false;
}

const ActionName* action_named(std::span<const ActionName> names, std::string_view name) {
    for (const ActionName& row : names)
        if (row.name == name) return &row;
    return nullptr;
}

std::optional<double> number_of(const Literal* literal) {
    if (literal == nullptr) return std::nullopt;
    if (const auto* number = std::get_if<double>(&literal->value)) return *number;
    if (const auto* text = std::get_if<std::string>(&literal->value)) return number_of_text(*text);
    return std::nullopt;
}

std::vector<std::string> presses_of(std::string_view keys) {
    std::vector<std::string> names;
    std::string name;
    const auto add = [&] {
        if (!name.empty()) names.push_back(std::exchange(name, {}));
    };
    for (const char c : keys) {
        if (c == ' ' || (c == '+' && !name.empty()))
            add();
        else
            name += c;
    }
    add();
    if (names.empty() || names.size() > max_actions) return {};
    std::size_t times = 1;
    while (names.size() > 1 && names[names.size() - 2] == names.back()) {
        names.pop_back();
        ++times;
    }
    std::string chord;
    for (const std::string& key : names) hold(chord, key);
    return std::vector<std::string>(times, chord);
}

std::string too_many_actions() {
    return fmt::format("there are more than {} actions", max_actions);
}

StatedActions combined(StatedActions read) {
    if (!read.problem.empty()) return read;
    if (read.actions.size() > max_actions) {
        read.actions.clear();
        read.problem = too_many_actions();
        return read;
    }
    Combiner combiner;
    std::vector<StatedAction> actions = std::move(read.actions);
    const auto ends = [](const StatedAction& action) {
        return action.kind == Kind::finish || action.kind == Kind::ask_user;
    };
    if (const auto end = std::find_if(actions.begin(), actions.end(), ends);
        end != actions.end() && std::next(end) != actions.end()) {
        read.problem = "actions follow the one that ends the task";
        read.actions.clear();
        return read;
    }
    for (StatedAction& action : actions) combiner.add(std::move(action));
    StatedActions result = combiner.finish(std::move(read));
    if (!result.problem.empty()) result.actions.clear();
    return result;
}

} // namespace eyehand::agent
