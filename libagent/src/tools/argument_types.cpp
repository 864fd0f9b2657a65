// How the built-in argument types appear in schemas, and what of a model's writing is accepted for
// them.
#include "base/text.hpp"
#include "eyehand/agent/tool.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace eyehand::agent {
namespace {

using Problem = std::optional<ArgumentProblem>;

ArgumentProblem invalid(std::string message) { return {false, std::move(message)}; }

/// What was found instead, in few words.
std::string found(JsonView json) { return shorten(json.text(), 60); }

std::optional<double> number_in(std::string_view text) {
    text = trim(text);
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

/// A number, also one that the model put into quotes.
std::optional<double> number_of(JsonView json) {
    if (json.kind() == JsonView::Kind::number) {
        const double value = json.number();
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    }
    if (json.kind() == JsonView::Kind::string) return number_in(json.string());
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

/// All numbers of [a, b, ...] or [[a, b], [c, d]] in order; nothing when anything else is in there.
std::optional<std::vector<double>> coordinates_in(JsonView json) {
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

std::optional<winio::NormBox> box_in(JsonView json) {
    const auto numbers = coordinates_in(json);
    if (!numbers) return std::nullopt;
    if (numbers->size() == 2) {
        return winio::normalised({(*numbers)[0], (*numbers)[1], (*numbers)[0], (*numbers)[1]});
    }
    if (numbers->size() == 4) {
        return winio::normalised({(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]});
    }
    return std::nullopt;
}

constexpr const char* box_words = "it must be [x, y], [x1, y1, x2, y2] or [[x1, y1], [x2, y2]] "
                                  "with numbers from 0 to 1000, not {}";

} // namespace

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

std::string ArgumentType<double>::schema(const Constraints& constraints) {
    return number_schema("number", constraints);
}

Problem ArgumentType<double>::decode(JsonView json, const Constraints& constraints, double& into) {
    return decode_number(json, constraints, into);
}

std::string ArgumentType<int>::schema(const Constraints& constraints) {
    return number_schema("integer", constraints);
}

Problem ArgumentType<int>::decode(JsonView json, const Constraints& constraints, int& into) {
    double value = 0;
    Constraints limits = constraints;
    if (!limits.limits) {
        limits.limits = range{std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
    }
    auto problem = decode_number(json, limits, value);
    if (!problem) into = static_cast<int>(std::lround(value));
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
        return invalid(fmt::format("it must be a text, not {}", found(json)));
    }
    // White space is not nothing: a model may want to type a space.
    if (constraints.not_empty && into.empty()) return ArgumentProblem{true, "it is empty"};
    return std::nullopt;
}

std::string ArgumentType<std::vector<int>>::schema(const Constraints& constraints) {
    return R"({"type":"array","items":)" + schema_of<int>(constraints) + "}";
}

Problem ArgumentType<std::vector<int>>::decode(JsonView json, const Constraints& constraints,
                                               std::vector<int>& into) {
    if (json.kind() != JsonView::Kind::array) {
        int alone = 0;
        if (agent::decode<int>(json, alone, constraints))
            return invalid(fmt::format("it must be a list of whole numbers, not {}", found(json)));
        into = {alone};
        return std::nullopt;
    }
    into.clear();
    for (std::size_t i = 0; i < json.size(); ++i) {
        int number = 0;
        if (auto problem = agent::decode<int>(json.at(i), number, constraints)) return problem;
        into.push_back(number);
    }
    return std::nullopt;
}

std::string ArgumentType<winio::NormPoint>::schema(const Constraints&) {
    return R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2})";
}

Problem ArgumentType<winio::NormPoint>::decode(JsonView json, const Constraints&,
                                               winio::NormPoint& into) {
    winio::NormBox box;
    if (auto problem = ArgumentType<winio::NormBox>::decode(json, {}, box)) return problem;
    into = box.centre();
    return std::nullopt;
}

std::string ArgumentType<winio::NormBox>::schema(const Constraints&) {
    // Small models write what the schema shows them: the nested form is accepted, but not
    // advertised.
    return R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":4})";
}

Problem ArgumentType<winio::NormBox>::decode(JsonView json, const Constraints&,
                                             winio::NormBox& into) {
    std::optional<winio::NormBox> box;
    if (json.kind() == JsonView::Kind::string) {
        // "[500, 300]": JSON inside JSON, as some chat templates produce it.
        if (const auto inner = parse_json(json.string()))
            box = box_in(JsonDocument::view_of(*inner));
    } else {
        box = box_in(json);
    }
    if (!box) return invalid(fmt::format(fmt::runtime(box_words), found(json)));
    into = *box;
    return std::nullopt;
}

namespace detail {

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
