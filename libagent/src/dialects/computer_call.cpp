// One function for all actions: Qwen's `computer_use`, Claude's and OpenAI's `computer`.
//
// Sources: cookbooks/utils/agent_function_call.py of QwenLM/Qwen3-VL and its forks; microsoft/fara
// (_prompts.py); the documentation of Claude's computer use tool, versions 20241022, 20250124 and
// 20251124; types/responses/computer_action.py of openai/openai-python. Replies in public logs differ
// from the schemas in the ways that are accepted here.
#include "dialects/grammars.hpp"

#include "base/text.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace eyehand::agent {
namespace {

using Kind = StatedAction::Kind;

constexpr std::array action_names{
    ActionName{"left_click", Kind::click},
    ActionName{"double_click", Kind::double_click},
    ActionName{"triple_click", Kind::triple_click},
    ActionName{"right_click", Kind::right_click},
    ActionName{"middle_click", Kind::middle_click},
    ActionName{"mouse_move", Kind::move},
    ActionName{"left_click_drag", Kind::drag},
    ActionName{"left_mouse_down", Kind::mouse_down},
    ActionName{"left_mouse_up", Kind::mouse_up},
    ActionName{"key", Kind::press},
    ActionName{"hold_key", Kind::hold_key},
    ActionName{"type", Kind::type},
    ActionName{"scroll", Kind::scroll},
    ActionName{"hscroll", Kind::scroll},
    ActionName{"wait", Kind::wait},
    ActionName{"screenshot", Kind::screenshot},
    ActionName{"answer", Kind::finish},
    ActionName{"terminate", Kind::finish},
    ActionName{"zoom", Kind::zoom},
    ActionName{"cursor_position", Kind::unsupported},
    // Other names that models use.
    ActionName{"click", Kind::click},
    ActionName{"press", Kind::press},
    ActionName{"type_text", Kind::type},
    ActionName{"done", Kind::finish},
};
constexpr std::size_t official_names = action_names.size() - 4;

std::string allowed_names() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < official_names; ++i)
        if (action_names.at(i).kind != Kind::unsupported && action_names.at(i).kind != Kind::zoom)
            names.push_back(action_names.at(i).name);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Why an action cannot be read; caught by the readers.
class NotReadable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

Literal literal_of(const json::value& value) {
    if (value.is_number()) return {value.to_number<double>()};
    if (value.is_string()) return {std::string(value.as_string())};
    if (value.is_bool()) return {value.as_bool()};
    if (!value.is_array()) return {};
    Literal::List list;
    for (const json::value& item : value.as_array()) {
        Literal element = literal_of(item);
        // Numbers in quotation marks.
        if (const auto number = number_of(&element)) element.value = *number;
        list.push_back(std::move(element));
    }
    return {std::move(list)};
}

/// The members of an action. A member that is null is not given.
class CallMembers {
public:
    explicit CallMembers(const json::object& object) : object_(object) {}

    [[nodiscard]] const json::value* find(std::string_view name) const {
        const json::value* value = object_.if_contains(name);
        return value == nullptr || value->is_null() ? nullptr : value;
    }
    [[nodiscard]] std::optional<double> number(std::string_view name) const {
        const json::value* value = find(name);
        if (value == nullptr) return std::nullopt;
        const Literal literal = literal_of(*value);
        const auto number = number_of(&literal);
        if (!number) throw NotReadable(fmt::format("\"{}\" must be a number", name));
        return number;
    }
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const {
        const json::value* value = find(name);
        if (value == nullptr) return std::nullopt;
        if (value->is_string()) return std::string(value->as_string());
        return to_text(*value);
    }
    [[nodiscard]] std::string required_text(std::string_view name, std::string_view action) const {
        if (auto given = text(name)) return *std::move(given);
        throw NotReadable(fmt::format("\"{}\" needs \"{}\"", action, name));
    }
    [[nodiscard]] bool flag(std::string_view name) const {
        const json::value* value = find(name);
        return value != nullptr && value->is_bool() && value->as_bool();
    }

    /// The position under the first of these names that is given.
    [[nodiscard]] std::optional<StatedPosition>
    position(std::initializer_list<std::string_view> names) const {
        for (const std::string_view name : names) {
            const json::value* value = find(name);
            if (value == nullptr) continue;
            if (value->is_object()) {
                const CallMembers inner(value->as_object());
                auto place = inner.named_position();
                if (!place) place = inner.position({"coordinate"});
                if (place) return place;
                throw NotReadable(fmt::format("\"{}\" must be a position, [x, y]", name));
            }
            if (auto place = position_in(literal_of(*value))) return place;
            throw NotReadable(fmt::format("\"{}\" must be a position, [x, y]", name));
        }
        return named_position();
    }
    /// Of the members x and y.
    [[nodiscard]] std::optional<StatedPosition> named_position() const {
        const auto x = number("x");
        const auto y = number("y");
        if (!x && !y) return std::nullopt;
        if (!x || !y) throw NotReadable("a position needs \"x\" and \"y\"");
        return StatedPosition{.numbers = {*x, *y}, .named = true};
    }

    /// A combination of keys: a list, or a text such as "ctrl+c". Brackets and quotation marks in a
    /// name come from lists that were quoted twice.
    [[nodiscard]] std::string keys(std::string_view name) const {
        const json::value* value = find(name);
        if (value == nullptr) return {};
        std::string chord;
        const auto add = [&](std::string_view key) {
            constexpr std::string_view around = "[]'\" \t\r\n";
            const std::size_t first = key.find_first_not_of(around);
            if (first == std::string_view::npos) return;
            key = key.substr(first, key.find_last_not_of(around) - first + 1);
            if (!chord.empty()) chord += '+';
            chord += key;
        };
        if (value->is_array()) {
            for (const json::value& key : value->as_array()) {
                if (!key.is_string())
                    throw NotReadable(fmt::format("\"{}\" must be names of keys", name));
                add(key.as_string());
            }
        } else if (value->is_string()) {
            std::string_view text = value->as_string();
            if (trim(text).starts_with('[')) { // ['ctrl', 'l']
                while (!text.empty()) {
                    const std::size_t comma = std::min(text.find(','), text.size());
                    add(text.substr(0, comma));
                    text.remove_prefix(std::min(comma + 1, text.size()));
                }
            } else {
                chord = trim(text);
                for (const std::string_view spaced : {" +", "+ "}) // "ctrl + s"
                    while (chord.size() > 2 && chord.find(spaced, 1) != std::string::npos)
                        chord.replace(chord.find(spaced, 1), 2, "+");
            }
        }
        return chord;
    }

    /// Refuses members that are not known and may be a position: without it, a click would go to
    /// another place.
    void require_known(std::initializer_list<std::string_view> names) const {
        for (const auto& member : object_) {
            const bool is_known = std::find(names.begin(), names.end(),
                                            std::string_view(member.key())) != names.end();
            if (!is_known && (member.value().is_array() || member.value().is_object()))
                throw NotReadable(fmt::format("\"{}\" is not a member of actions",
                                              std::string_view(member.key())));
        }
    }

private:
    const json::object& object_;
};

/// Notches of the wheel for a distance in pixels: most programs scroll about 100 pixels per notch.
double notches_of_pixels(double pixels) {
    return std::max(1.0, std::round(std::abs(pixels) / 100));
}

/// Qwen's `pixels` is a distance of a few hundred in some replies, and a few notches in others.
double notches_of_qwen(double pixels) {
    constexpr double most_notches = 20;
    return std::abs(pixels) <= most_notches ? std::max(1.0, std::round(std::abs(pixels)))
                                            : notches_of_pixels(pixels);
}

/// Reads an action of Qwen or Claude.
class ComputerReader {
public:
    explicit ComputerReader(const json::object& object) : members_(object) {}

    std::vector<StatedAction> read() {
        std::vector<StatedAction> all = read_action();
        for (std::size_t i = 1; i < all.size(); ++i) all[i].continues = true;
        return all;
    }

private:
    std::vector<StatedAction> read_action() {
        const auto word = members_.text(members_.find("action") == nullptr ? "type" : "action");
        if (!word) throw NotReadable("\"action\" is missing");
        name_ = *word;
        const ActionName* action = action_named(action_names, name_);
        if (action == nullptr)
            throw NotReadable(fmt::format("\"{}\" is not an action; the actions are: {}",
                                          shorten(name_, 40), allowed_names()));
        members_.require_known({"coordinate", "start_coordinate", "coordinate2", "position",
                                "point", "target", "box", "keys", "key", "text", "region",
                                "arguments"});
        StatedAction stated{.kind = action->kind};
        switch (action->kind) {
        case Kind::drag:
            drag(stated);
            break;
        case Kind::press:
            return press();
        case Kind::hold_key:
            stated.text = chord();
            stated.seconds = members_.number("duration");
            break;
        case Kind::type:
            return type();
        case Kind::scroll:
            scroll(stated);
            break;
        case Kind::wait:
            stated.seconds =
                members_.number(members_.find("time") == nullptr ? "duration" : "time");
            break;
        case Kind::finish:
            finish(stated);
            break;
        case Kind::screenshot:
            break;
        case Kind::zoom:
            zoom(stated);
            break;
        case Kind::unsupported:
            stated.text = fmt::format("\"{}\" is not possible here: take a screenshot", name_);
            break;
        default:
            stated.at = members_.position({"coordinate", "position", "point", "target", "box"});
            stated.keys = modifiers();
            if (action->kind == Kind::move && !stated.at)
                throw NotReadable(fmt::format("\"{}\" needs \"coordinate\"", name_));
        }
        return {stated};
    }

    std::string modifiers() const {
        std::string keys = members_.keys("keys");
        return keys.empty() ? members_.keys("text") : keys;
    }

    std::string chord() const {
        for (const std::string_view name : {"keys", "text", "key"})
            if (std::string keys = members_.keys(name); !keys.empty()) return keys;
        throw NotReadable(fmt::format("\"{}\" needs a key", name_));
    }

    std::vector<StatedAction> press() const {
        const double repeat = members_.number("repeat").value_or(1);
        if (!(repeat >= 1 && repeat <= 100)) throw NotReadable("\"repeat\" must be from 1 to 100");
        std::vector<StatedAction> all;
        std::vector<std::string> chords; // of "ctrl+a Delete": two
        const std::string keys = chord();
        for (std::string_view rest = keys; !(rest = trim(rest)).empty();) {
            const std::size_t space = std::min(rest.find(' '), rest.size());
            chords.emplace_back(rest.substr(0, space));
            rest.remove_prefix(space);
        }
        if (repeat * static_cast<double>(chords.size()) > max_actions)
            throw NotReadable(too_many_actions());
        for (int time = 0; time < static_cast<int>(repeat); ++time)
            for (const std::string& one : chords) all.push_back({.kind = Kind::press, .text = one});
        return all;
    }

    /// Fara's models state the field, and whether to replace its text and to press Enter.
    std::vector<StatedAction> type() const {
        std::vector<StatedAction> all;
        if (auto at = members_.position({"coordinate"}))
            all.push_back({.kind = Kind::click, .at = std::move(at)});
        if (members_.flag("delete_existing_text")) {
            all.push_back({.kind = Kind::press, .text = "ctrl+a"});
            all.push_back({.kind = Kind::press, .text = "backspace"});
        }
        std::string text = members_.required_text("text", name_);
        if (members_.flag("press_enter")) text += '\n';
        all.push_back({.kind = Kind::type, .text = std::move(text)});
        return all;
    }

    void drag(StatedAction& stated) const {
        stated.from = members_.position({"start_coordinate"});
        stated.at = members_.position({"coordinate"});
        if (auto end = members_.position({"coordinate2"})) {
            stated.from = std::exchange(stated.at, std::move(end));
        }
        stated.keys = modifiers();
        if (!stated.at) throw NotReadable(fmt::format("\"{}\" needs \"coordinate\"", name_));
    }

    void zoom(StatedAction& stated) const {
        stated.at = members_.position({"region"});
        const std::vector<double> none;
        const std::vector<double>& box = stated.at ? stated.at->numbers : none;
        if (box.size() == 4 && box[0] < box[2] && box[1] < box[3]) return;
        stated.kind = Kind::unsupported;
        stated.text = "\"zoom\" needs a region of four numbers: left, top, right and bottom";
        stated.at.reset();
    }

    void scroll(StatedAction& stated) const {
        stated.at = members_.position({"coordinate", "position", "point", "target", "box"});
        stated.keys = modifiers();
        if (const auto direction = members_.text("scroll_direction")) {
            stated.direction = *direction;
            stated.amount = members_.number("scroll_amount");
            constexpr std::array directions{"up", "down", "left", "right"};
            if (std::find(directions.begin(), directions.end(), stated.direction) ==
                directions.end())
                throw NotReadable("\"scroll_direction\" must be up, down, left or right");
            return;
        }
        const auto pixels = members_.number("pixels");
        if (!pixels)
            throw NotReadable(
                fmt::format("\"{}\" needs a direction and an amount, or pixels", name_));
        if (name_ == "hscroll")
            stated.direction = *pixels < 0 ? "left" : "right";
        else
            stated.direction = *pixels < 0 ? "down" : "up";
        stated.amount = notches_of_qwen(*pixels);
    }

    void finish(StatedAction& stated) const {
        const bool answers = members_.find("text") != nullptr || members_.find("answer") != nullptr;
        const std::string status = members_.text("status").value_or(answers ? "success" : "");
        stated.success = status == "success";
        if (!stated.success && status != "failure" && status != "fail")
            throw NotReadable("\"status\" must be success or failure");
        for (const std::string_view name : {"text", "answer"})
            if (auto text = members_.text(name)) stated.text = *std::move(text);
    }

    const CallMembers members_;
    std::string name_;
};

/// Reads an action of OpenAI's tool.
std::vector<StatedAction> read_openai_action(const json::object& object) {
    const CallMembers members(object);
    members.require_known({"path", "keys", "pending_safety_checks"});
    const std::string type = members.required_text("type", "action");
    StatedAction stated;
    stated.at = members.named_position();
    stated.keys = members.keys("keys");
    const auto at_a_place = [&](Kind kind) {
        stated.kind = kind;
        if (!stated.at) throw NotReadable(fmt::format("\"{}\" needs \"x\" and \"y\"", type));
        return std::vector{stated};
    };
    if (type == "click") {
        const std::string button = members.text("button").value_or("left");
        if (button == "left") return at_a_place(Kind::click);
        if (button == "right") return at_a_place(Kind::right_click);
        if (button == "wheel" || button == "middle") return at_a_place(Kind::middle_click);
        throw NotReadable(fmt::format("the button \"{}\" is not possible here", button));
    }
    if (type == "double_click") return at_a_place(Kind::double_click);
    if (type == "move") {
        stated.keys.clear();
        return at_a_place(Kind::move);
    }
    if (type == "drag") {
        stated.kind = Kind::drag;
        const json::value* path = members.find("path");
        if (path == nullptr || !path->is_array() || path->as_array().size() < 2)
            throw NotReadable("\"drag\" needs a \"path\" of at least two points");
        for (const json::value& point : path->as_array()) {
            auto place = point.is_object() ? CallMembers(point.as_object()).named_position()
                                           : position_in(literal_of(point));
            if (!place || place->numbers.size() != 2)
                throw NotReadable("a point of \"path\" needs \"x\" and \"y\"");
            place->named = true;
            stated.via.push_back(*std::move(place));
        }
        stated.from = stated.via.front();
        stated.at = stated.via.back();
        stated.via.erase(stated.via.begin());
        stated.via.pop_back();
        return {stated};
    }
    if (type == "keypress") {
        if (stated.keys.empty()) throw NotReadable("\"keypress\" needs \"keys\"");
        return {{.kind = Kind::press, .text = stated.keys}};
    }
    if (type == "type") return {{.kind = Kind::type, .text = members.required_text("text", type)}};
    if (type == "screenshot") return {{.kind = Kind::screenshot}};
    if (type == "wait") {
        stated = {.kind = Kind::wait};
        stated.seconds =
            members.number(members.find("seconds") == nullptr ? "duration" : "seconds");
        if (const auto milliseconds = members.number("ms")) stated.seconds = *milliseconds / 1000;
        return {stated};
    }
    if (type == "scroll") {
        stated.kind = Kind::scroll;
        const double across = members.number("scroll_x").value_or(0);
        const double down = members.number("scroll_y").value_or(0);
        std::vector<StatedAction> all;
        if (across != 0) {
            stated.direction = across < 0 ? "left" : "right";
            stated.amount = notches_of_pixels(across);
            all.push_back(stated);
            stated.continues = true;
        }
        if (down != 0) {
            stated.direction = down < 0 ? "up" : "down";
            stated.amount = notches_of_pixels(down);
            all.push_back(stated);
        }
        if (all.empty()) throw NotReadable("\"scroll\" needs \"scroll_x\" or \"scroll_y\"");
        return all;
    }
    throw NotReadable(fmt::format("\"{}\" is not an action; the actions are: click, double_click, "
                                  "drag, keypress, move, screenshot, scroll, type, wait",
                                  shorten(type, 40)));
}

std::vector<StatedAction> read_openai_actions(const json::object& object) {
    const CallMembers members(object);
    const json::value* one = members.find("action");
    const json::value* several = members.find("actions");
    if (one != nullptr && several != nullptr)
        throw NotReadable("only one of \"action\" and \"actions\" is possible");
    if (one == nullptr && several == nullptr) return read_openai_action(object);
    const json::value& given = one != nullptr ? *one : *several;
    if (given.is_object()) return read_openai_action(given.as_object());
    if (!given.is_array() || given.as_array().empty())
        throw NotReadable("\"actions\" must be a list of actions");
    if (given.as_array().size() > max_actions) throw NotReadable(too_many_actions());
    std::vector<StatedAction> all;
    for (const json::value& action : given.as_array()) {
        if (!action.is_object()) throw NotReadable("\"actions\" must be a list of objects");
        for (StatedAction& stated : read_openai_action(action.as_object()))
            all.push_back(std::move(stated));
    }
    return all;
}

template <class Read>
StatedActions read_object(std::string_view arguments_json, Read read) {
    StatedActions result;
    std::string reason;
    auto value = parse_json(arguments_json, &reason);
    if (value && value->is_string()) {
        const json::string inner = value->as_string();
        value = parse_json({inner.data(), inner.size()}, &reason);
    }
    if (!value || !value->is_object()) {
        result.problem = value ? "the arguments must be one JSON object"
                               : fmt::format("the arguments are not JSON ({})", reason);
        return result;
    }
    try {
        result.actions = read(value->as_object());
    } catch (const NotReadable& problem) {
        result.problem = problem.what();
    }
    return result;
}

} // namespace

bool is_computer_action(std::string_view name) {
    return action_named(std::span(action_names).first(official_names), name) != nullptr;
}

StatedActions read_computer_call(std::string_view arguments_json, std::string_view action) {
    return read_object(arguments_json, [&](json::object object) {
        // Some fine-tuned models state OpenAI's list.
        if (object.contains("actions")) return read_openai_actions(object);
        if (!action.empty()) object["action"] = json::string(action);
        // Or nest the arguments.
        const json::value* inner = object.if_contains("arguments");
        if (inner != nullptr && inner->is_object()) {
            const json::object nested = inner->as_object();
            for (const auto& member : nested)
                if (!object.contains(member.key())) object[member.key()] = member.value();
        }
        return ComputerReader(object).read();
    });
}

StatedActions read_openai_call(std::string_view arguments_json) {
    return read_object(arguments_json, read_openai_actions);
}

} // namespace eyehand::agent
