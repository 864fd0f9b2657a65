#include "modes/call_words.hpp"

#include "base/text.hpp"
#include "tools/positions.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace eyehand::agent {
namespace {

/// The error types of calls that the tool accepted but could not complete; a call with any other
/// error was refused.
constexpr std::array<std::string_view, 4> failures{"desktop_failed", "interrupted", "timed_out",
                                                   "program_failed"};

std::string_view text_of(const json::string& text) { return {text.data(), text.size()}; }

/// The object that the model supplied, also as JSON inside a JSON string.
std::optional<json::object> object_of(const std::string& text) {
    auto value = parse_json(text);
    if (value && value->is_string()) value = parse_json(text_of(value->as_string()));
    if (!value || !value->is_object()) return std::nullopt;
    return value->as_object();
}

std::string in_quotes(std::string_view text) { return '"' + one_line(to_valid_utf8(text)) + '"'; }

std::string value_in_words(const json::value& value) {
    return value.is_string() ? in_quotes(text_of(value.as_string())) : to_text(value);
}

/// The center of a position by axis, in the numbers of the call.
std::optional<ModelPoint> point_of(const json::value& value, const CoordinateConverter* numbers) {
    const auto list = coordinates_in(JsonDocument::view_of(value));
    if (!list || (list->size() != 2 && list->size() != 4)) return std::nullopt;
    const std::size_t second = list->size() - 2;
    const winio::NormBox corners{(*list)[0], (*list)[1], (*list)[second], (*list)[second + 1]};
    const winio::NormPoint center =
        numbers == nullptr ? winio::normalized(corners).center() : corners.center();
    if (numbers != nullptr && numbers->convention() == CoordinateConvention::norm1000_yx)
        return ModelPoint{center.y, center.x};
    return ModelPoint{center.x, center.y};
}

/// The same of arguments that are named x and y.
std::optional<ModelPoint> point_of(const json::value& x, const json::value& y,
                                   const CoordinateConverter* numbers) {
    const auto across = number_in(JsonDocument::view_of(x));
    const auto down = number_in(JsonDocument::view_of(y));
    if (!across || !down) return std::nullopt;
    if (numbers != nullptr) return ModelPoint{*across, *down};
    const winio::NormBox clamped = winio::normalized({*across, *down, *across, *down});
    return ModelPoint{clamped.x1, clamped.y1};
}

bool is_position(const ArgumentInfo& info) {
    static const std::string point = schema_of<winio::NormPoint>();
    static const std::string box = schema_of<winio::NormBox>();
    return info.schema == point || info.schema == box;
}

std::string place(ModelPoint at, const CoordinateConverter* numbers) {
    return numbers == nullptr ? fmt::format("({:.0f},{:.0f})", at.x, at.y)
                              : "(" + numbers->label(at) + ")";
}

std::string_view preposition(const ArgumentInfo& info) {
    if (info.id == "start") return "from";
    if (info.id == "end") return "to";
    return "at";
}

/// Adds the words about the arguments of a typed tool.
class Sentence {
public:
    Sentence(std::string tool, const CoordinateConverter* numbers)
        : words_(std::move(tool)), numbers_(numbers) {}

    void add(const ArgumentInfo& info, const json::value& value) {
        if (info.id == "x" || info.id == "y") {
            (info.id == "x" ? x_ : y_) = &value;
            if (x_ == nullptr || y_ == nullptr) return;
            if (const auto at = point_of(*x_, *y_, numbers_)) {
                join(' ', "at " + place(*at, numbers_));
                return;
            }
        }
        if (is_position(info)) {
            if (const auto at = point_of(value, numbers_)) {
                join(' ', fmt::format("{} {}", preposition(info), place(*at, numbers_)));
                return;
            }
        }
        if (value.is_string() && !subject_) { // what the call is about: a label, a text, a key
            subject_ = true;
            join(' ', value_in_words(value));
            return;
        }
        add_named(info.name, value);
    }
    void add_named(std::string_view name, const json::value& value) {
        join(named_ || subject_ ? ',' : ' ',
             fmt::format("{} {}", one_line(to_valid_utf8(name)), value_in_words(value)));
        named_ = true;
    }
    [[nodiscard]] std::string words() && { return std::move(words_); }

private:
    void join(char separator, const std::string& words) {
        words_ += separator;
        if (separator == ',') words_ += ' ';
        words_ += words;
    }
    std::string words_;
    const CoordinateConverter* numbers_; ///< of positions
    const json::value* x_ = nullptr;
    const json::value* y_ = nullptr;
    bool subject_ = false;
    bool named_ = false;
};

/// Whether a member of a result only repeats an argument: the same text under any name, such as the
/// label of a clicked button, or a number under the same name.
bool repeats(const json::key_value_pair& member, const json::key_value_pair& argument) {
    const json::value& value = member.value();
    const json::value& given = argument.value();
    if (value.is_string() && given.is_string())
        return equals_ignoring_case(text_of(value.as_string()), text_of(given.as_string()));
    return member.key() == argument.key() && value.is_number();
}

/// Whether the members "x" and "y" are the center of a box that the model supplied.
bool is_center(const json::object& result, const json::object& arguments) {
    if (!result.contains("x") || !result.contains("y")) return false;
    return std::any_of(arguments.begin(), arguments.end(), [](const auto& argument) {
        return point_of(argument.value(), nullptr).has_value();
    });
}

std::string indented(std::string_view text) {
    return "\n  " + replace_all(to_valid_utf8(text), "\n", "\n  ");
}

/// A member of a result: `focused "notes.txt - Notepad"`.
std::string member_in_words(std::string_view name, const json::value& value) {
    if (value.is_string() && value.as_string().find('\n') != json::string::npos)
        return fmt::format("{}:{}", name, indented(text_of(value.as_string())));
    return fmt::format("{} {}", name, value_in_words(value));
}

} // namespace

CallWords call_in_words(const vlm::ToolCall& call, const std::vector<ArgumentInfo>* arguments,
                        const CoordinateConverter* numbers) {
    const std::string tool = one_line(to_valid_utf8(call.name));
    const auto given = object_of(call.arguments_json);
    if (!given) {
        const std::string raw = one_line(to_valid_utf8(call.arguments_json));
        return {raw.empty() ? tool : tool + ' ' + raw, {}};
    }
    CallWords words;
    Sentence sentence(tool, numbers);
    if (arguments == nullptr) {
        for (const auto& member : *given) sentence.add_named(member.key(), member.value());
    } else {
        for (const ArgumentInfo& info : *arguments) {
            const json::value* value = given->if_contains(info.name);
            if (value == nullptr || value->is_null()) continue;
            if (!info.ignored) {
                sentence.add(info, *value);
            } else if (value->is_string()) {
                if (!words.reason.empty()) words.reason += ' ';
                words.reason += one_line(to_valid_utf8(text_of(value->as_string())));
            }
        }
    }
    words.call = std::move(sentence).words();
    return words;
}

ResultWords result_in_words(const std::string& result_json, const std::string& arguments_json) {
    const auto result = object_of(result_json);
    const json::value* ok = result ? result->if_contains("ok") : nullptr;
    if (ok == nullptr || !ok->is_bool()) return {one_line(to_valid_utf8(result_json)), {}};
    const auto text_at = [](const json::object& object, const char* name) {
        const json::value* text = object.if_contains(name);
        return text != nullptr && text->is_string() ? std::string(text_of(text->as_string()))
                                                    : std::string();
    };
    if (!ok->as_bool()) {
        const json::value* error = result->if_contains("error");
        if (error == nullptr || !error->is_object()) return {"failed", "failed"};
        std::string type = text_at(error->as_object(), "type");
        const bool failed = std::find(failures.begin(), failures.end(), type) != failures.end();
        const std::string source = one_line(text_at(*result, "untrusted"));
        return {fmt::format("{} ({}){}: {}", failed ? "failed" : "refused", type,
                            source.empty() ? "" : ", untrusted " + source,
                            one_line(text_at(error->as_object(), "message"))),
                type};
    }
    const json::object arguments = object_of(arguments_json).value_or(json::object());
    const bool center = is_center(*result, arguments);
    std::string words = "ok";
    const std::string effect = text_at(*result, "effect");
    if (!effect.empty()) words += fmt::format(" ({})", one_line(effect));
    const std::string source = text_at(*result, "untrusted");
    if (!source.empty()) words += ", untrusted " + one_line(source);
    const std::string message = text_at(*result, "message");
    if (!message.empty()) words += ": " + one_line(message);
    for (const auto& member : *result) {
        const std::string_view name = member.key();
        if (name == "ok" || name == "effect" || name == "message" || name == "untrusted") continue;
        if (center && (name == "x" || name == "y")) continue;
        const bool known =
            std::any_of(arguments.begin(), arguments.end(),
                        [&](const auto& argument) { return repeats(member, argument); });
        if (!known) words += ", " + member_in_words(name, member.value());
    }
    return {std::move(words), {}};
}

std::string with_effect(const std::string& result_json, std::optional<winio::ActionEffect> effect) {
    using winio::ActionEffect;
    if (effect != ActionEffect::confirmed && effect != ActionEffect::no_visible_change)
        return result_json;
    auto result = object_of(result_json);
    const json::value* ok = result ? result->if_contains("ok") : nullptr;
    if (ok == nullptr || !ok->is_bool() || !ok->as_bool()) return result_json;
    (*result)["effect"] = winio::to_string(*effect);
    return to_text(*result);
}

} // namespace eyehand::agent
