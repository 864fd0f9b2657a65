// The schemas of the built-in argument types, and the conversion of a model's values to them.
#include "base/text.hpp"
#include "eyehand/agent/tool.hpp"
#include "tools/positions.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <compare>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

namespace eyehand::agent {
namespace {

using Problem = std::optional<ArgumentProblem>;

ArgumentProblem invalid(std::string message) { return {false, std::move(message)}; }

/// The value that was found instead, shortened.
std::string found(JsonView json) { return shorten(json.text(), 60); }

/// The complete `text` as a number.
template <class Number>
std::optional<Number> read_whole(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> finite(std::optional<double> value) {
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// A quoted number without surrounding characters.
std::string_view bare_number(std::string_view text) {
    text = trim(text);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    return text;
}

/// A number, also in quotes.
std::optional<double> number_of(JsonView json) {
    if (json.kind() == JsonView::Kind::number) return finite(json.number());
    if (json.kind() == JsonView::Kind::string)
        return finite(read_whole<double>(bare_number(json.string())));
    return std::nullopt;
}

std::string limits_text(const std::optional<range>& limits) {
    if (!limits) return "a number";
    return fmt::format("a number from {} to {}", limits->min, limits->max);
}

Problem decode_number(JsonView json, const Constraints& constraints, double& into) {
    const std::optional<double> value = number_of(json);
    if (!value) {
        return invalid(
            fmt::format("it must be {}, not {}", limits_text(constraints.limits), found(json)));
    }
    if (constraints.limits &&
        (*value < constraints.limits->min || *value > constraints.limits->max)) {
        return invalid(
            fmt::format("it must be {}, not {}", limits_text(constraints.limits), *value));
    }
    into = *value;
    return std::nullopt;
}

std::string number_schema(std::string_view type, const Constraints& constraints) {
    std::string schema = fmt::format(R"({{"type":"{}")", type);
    if (constraints.limits) {
        schema += fmt::format(R"(,"minimum":{},"maximum":{})", constraints.limits->min,
                              constraints.limits->max);
    }
    return schema + "}";
}

// --- integers ------------------------------------------------------------------------------------

/// An integer, exactly (the second kind only above the range of the first), or any other number: one
/// with a fraction, or one of more than 64 bits.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

Number number_from(double value) {
    if (std::trunc(value) != value) return value;
    // Not -0x1p63: smaller integers may have been rounded to the same double.
    if (value > -0x1p63 && value < 0x1p63) return static_cast<std::int64_t>(value);
    if (value >= 0 && value < 0x1p64) return static_cast<std::uint64_t>(value);
    return value;
}

/// A number, also in quotes. Integers are not converted to double.
std::optional<Number> exact_number_of(JsonView json) {
    if (json.kind() == JsonView::Kind::number) {
        if (const auto value = json.integer()) return *value;
        if (const auto value = json.unsigned_integer()) return *value;
    } else if (json.kind() == JsonView::Kind::string) {
        const std::string_view text = bare_number(json.string());
        if (const auto value = read_whole<std::int64_t>(text)) return *value;
        if (const auto value = read_whole<std::uint64_t>(text)) return *value;
    }
    if (const auto value = number_of(json)) return number_from(*value);
    return std::nullopt;
}

/// Compares exactly: a double cannot represent every integer of 64 bits.
template <class Value>
std::partial_ordering compare(Value value, double limit) {
    if constexpr (std::is_integral_v<Value>) {
        constexpr auto lowest = static_cast<double>(std::numeric_limits<Value>::min());
        const double end = std::ldexp(1.0, std::numeric_limits<Value>::digits);
        if (std::isnan(limit)) return std::partial_ordering::unordered;
        if (limit >= end) return std::partial_ordering::less;
        if (limit < lowest) return std::partial_ordering::greater;
        const double whole = std::floor(limit);
        const auto order = value <=> static_cast<Value>(whole);
        return std::is_eq(order) && limit > whole ? std::partial_ordering::less : order;
    } else {
        return value <=> limit;
    }
}

bool is_within(const Number& number, const range& limits) {
    return std::visit(
        [&](auto value) {
            return !std::is_lt(compare(value, limits.min)) &&
                   !std::is_gt(compare(value, limits.max));
        },
        number);
}

/// Within the limits of a type, also before its fraction is rounded.
bool is_within(const Number& number, const detail::IntegerLimits& type) {
    return std::visit(
        [&](auto value) {
            if constexpr (std::is_integral_v<decltype(value)>) {
                return std::cmp_greater_equal(value, type.min) &&
                       std::cmp_less_equal(value, type.max);
            } else {
                // A fraction leaves less than 53 bits. There, the limits of 64 bits may be rounded.
                return std::abs(value) < 0x1p53 && value >= static_cast<double>(type.min) &&
                       value <= static_cast<double>(type.max);
            }
        },
        number);
}

/// Both limits as texts: the caller's if they are narrower, otherwise the type's.
struct LimitTexts {
    std::string min;
    std::string max;
};
LimitTexts limit_texts(const std::optional<range>& limits, const detail::IntegerLimits& type) {
    LimitTexts texts{fmt::format("{}", type.min), fmt::format("{}", type.max)};
    if (limits && std::is_lt(compare(type.min, limits->min)))
        texts.min = fmt::format("{}", limits->min);
    if (limits && std::is_gt(compare(type.max, limits->max)))
        texts.max = fmt::format("{}", limits->max);
    return texts;
}

bool is_wider_than_int(const detail::IntegerLimits& type) {
    return std::cmp_less(type.min, std::numeric_limits<int>::min()) ||
           std::cmp_greater(type.max, std::numeric_limits<int>::max());
}

/// All numbers of [a, b, ...] or [[a, b], [c, d]] in order; nothing if the list contains anything
/// else.
std::optional<std::vector<double>> numbers_of_list(JsonView json) {
    if (json.kind() != JsonView::Kind::array) return std::nullopt;
    std::vector<double> all;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const JsonView element = json.at(i);
        if (element.kind() == JsonView::Kind::array) {
            // Only pairs may be nested, and only one level deep.
            if (element.size() != 2) return std::nullopt;
            for (std::size_t j = 0; j < 2; ++j) {
                const auto value = number_of(element.at(j));
                if (!value) return std::nullopt;
                all.push_back(*value);
            }
        } else {
            const auto value = number_of(element);
            if (!value) return std::nullopt;
            all.push_back(*value);
        }
        if (all.size() > 4) return std::nullopt;
    }
    return all;
}

constexpr const char* box_words = "it must be [x, y], [x1, y1, x2, y2] or [[x1, y1], [x2, y2]] "
                                  "with numbers from 0 to 1000, not {}";

} // namespace

std::optional<std::vector<double>> coordinates_in(JsonView json) {
    if (json.kind() != JsonView::Kind::string) return numbers_of_list(json);
    // "[500, 300]": JSON inside JSON, as some chat templates produce it.
    const auto inner = parse_json(json.string());
    return inner ? numbers_of_list(JsonDocument::view_of(*inner)) : std::nullopt;
}

std::optional<double> number_in(JsonView json) { return number_of(json); }

std::string ArgumentType<bool>::schema(const Constraints&) { return R"({"type":"boolean"})"; }

Problem ArgumentType<bool>::decode(JsonView json, const Constraints&, bool& into) {
    if (json.kind() == JsonView::Kind::boolean) {
        into = json.boolean();
        return std::nullopt;
    }
    if (json.kind() == JsonView::Kind::string) {
        const std::string_view text = json.string();
        if (text == "true" || text == "True") return into = true, std::nullopt;
        if (text == "false" || text == "False") return into = false, std::nullopt;
    }
    return invalid(fmt::format("it must be true or false, not {}", found(json)));
}

std::string ArgumentType<float>::schema(const Constraints& constraints) {
    return number_schema("number", constraints);
}

Problem ArgumentType<float>::decode(JsonView json, const Constraints& constraints, float& into) {
    double value = 0;
    if (auto problem = decode_number(json, constraints, value)) return problem;
    constexpr double largest = std::numeric_limits<float>::max();
    constexpr double rounding = std::numeric_limits<float>::epsilon();
    if (std::abs(value) > largest * (1 + rounding)) {
        const range own = constraints.limits.value_or(range{-largest, largest});
        const range limits{std::max(own.min, -largest), std::min(own.max, largest)};
        return decode_number(json, {.limits = limits}, value);
    }
    into = static_cast<float>(std::clamp(value, -largest, largest));
    return std::nullopt;
}

std::string ArgumentType<double>::schema(const Constraints& constraints) {
    return number_schema("number", constraints);
}

Problem ArgumentType<double>::decode(JsonView json, const Constraints& constraints, double& into) {
    return decode_number(json, constraints, into);
}

std::string ArgumentType<long double>::schema(const Constraints& constraints) {
    return number_schema("number", constraints);
}

Problem ArgumentType<long double>::decode(JsonView json, const Constraints& constraints,
                                          long double& into) {
    double value = 0;
    auto problem = decode_number(json, constraints, value);
    if (!problem) into = value;
    return problem;
}

std::string ArgumentType<std::string>::schema(const Constraints&) { return R"({"type":"string"})"; }

Problem ArgumentType<std::string>::decode(JsonView json, const Constraints& constraints,
                                          std::string& into) {
    switch (json.kind()) {
    case JsonView::Kind::string:
        into = json.string();
        break;
    case JsonView::Kind::number:
    case JsonView::Kind::boolean:
        into = json.text();
        break;
    default:
        return invalid(fmt::format("it must be a string, not {}", found(json)));
    }
    // White space is not empty: a model may want to type a space.
    if (constraints.not_empty && into.empty()) return ArgumentProblem{true, "it is empty"};
    return std::nullopt;
}

std::string ArgumentType<winio::NormPoint>::schema(const Constraints&) {
    return R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,"format":"eyehand-point"})";
}

Problem ArgumentType<winio::NormPoint>::decode(JsonView json, const Constraints&,
                                               winio::NormPoint& into) {
    winio::NormBox box;
    if (auto problem = ArgumentType<winio::NormBox>::decode(json, {}, box)) return problem;
    into = box.center();
    return std::nullopt;
}

std::string ArgumentType<winio::NormBox>::schema(const Constraints&) {
    // Small models imitate the schema: the nested form is accepted, but not shown.
    return R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":4,"format":"eyehand-box"})";
}

Problem ArgumentType<winio::NormBox>::decode(JsonView json, const Constraints&,
                                             winio::NormBox& into) {
    const auto numbers = coordinates_in(json);
    if (!numbers || (numbers->size() != 2 && numbers->size() != 4))
        return invalid(fmt::format(fmt::runtime(box_words), found(json)));
    const std::size_t second = numbers->size() - 2;
    into = winio::normalized(
        {(*numbers)[0], (*numbers)[1], (*numbers)[second], (*numbers)[second + 1]});
    return std::nullopt;
}

ArgumentProblem ArgumentProblem::in_member(std::string_view name) && {
    // A model can invent the names of a map's members.
    path.insert(0, "." + shorten(to_valid_utf8(name), 60));
    missing = false;
    return std::move(*this);
}

ArgumentProblem ArgumentProblem::in_element(std::size_t index) && {
    path.insert(0, fmt::format("[{}]", index));
    missing = false;
    return std::move(*this);
}

namespace detail {

std::string integer_schema(const Constraints& constraints, IntegerLimits type) {
    // The limits of int and of wider types do not help a model. Those of narrower and of unsigned
    // types do.
    const bool has_min = constraints.limits || type.min > std::numeric_limits<int>::min();
    const bool has_max =
        constraints.limits || std::cmp_less(type.max, std::numeric_limits<int>::max());
    const LimitTexts limits = limit_texts(constraints.limits, type);
    std::string schema = R"({"type":"integer")";
    if (has_min) schema += R"(,"minimum":)" + limits.min;
    if (has_max) schema += R"(,"maximum":)" + limits.max;
    return schema + "}";
}

Problem decode_integer(JsonView json, const Constraints& constraints, IntegerLimits type,
                       std::uint64_t& into) {
    const std::optional<Number> number = exact_number_of(json);
    if (!number || !is_within(*number, type) ||
        (constraints.limits && !is_within(*number, *constraints.limits))) {
        const LimitTexts limits = limit_texts(constraints.limits, type);
        std::string given = found(json);
        // Recorded runs contain this text, in which an int is shown as the nearest double. For
        // wider types, every digit matters.
        if (number && !is_wider_than_int(type))
            given = fmt::format("{}", *number_of(json));
        else if (number)
            given = std::visit([](auto value) { return fmt::format("{}", value); }, *number);
        return invalid(fmt::format("it must be a number from {} to {}, not {}", limits.min,
                                   limits.max, given));
    }
    into = std::visit(
        [](auto value) {
            if constexpr (std::is_integral_v<decltype(value)>)
                return static_cast<std::uint64_t>(value);
            else
                return static_cast<std::uint64_t>(std::llround(value));
        },
        *number);
    return std::nullopt;
}

std::string array_schema(std::string_view element) {
    return fmt::format(R"({{"type":"array","items":{}}})", element);
}

std::string map_schema(std::string_view value) {
    return fmt::format(R"({{"type":"object","additionalProperties":{}}})", value);
}

std::string struct_schema(const std::vector<MemberSchema>& members) {
    std::string properties;
    std::string required;
    for (const MemberSchema& member : members) {
        if (!properties.empty()) properties += ',';
        properties += json_quote(member.name) + ":" + member.schema;
        if (!member.required) continue;
        if (!required.empty()) required += ',';
        required += json_quote(member.name);
    }
    return R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required +
           "]}";
}

ArgumentProblem must_be(std::string_view what, JsonView json) {
    return invalid(fmt::format("it must be {}, not {}", what, found(json)));
}

std::string enum_schema(const std::vector<std::string_view>& names) {
    std::string schema = R"({"type":"string","enum":[)";
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) schema += ',';
        schema += json_quote(names[i]);
    }
    return schema + "]}";
}

Problem decode_enum(JsonView json, const std::vector<std::string_view>& names, std::size_t& index) {
    if (json.kind() == JsonView::Kind::string) {
        const std::string_view text = trim(json.string());
        const auto same = [&](std::string_view name) { return equals_ignoring_case(name, text); };
        const auto match = std::find_if(names.begin(), names.end(), same);
        if (match != names.end()) {
            index = static_cast<std::size_t>(match - names.begin());
            return std::nullopt;
        }
    }
    return invalid(
        fmt::format("it must be one of {}, not {}", fmt::join(names, ", "), found(json)));
}

} // namespace detail
} // namespace eyehand::agent
