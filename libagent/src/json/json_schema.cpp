#include "json/json_schema.hpp"

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "eyehand/base/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <vector>

namespace eyehand::agent {
namespace {

constexpr std::array<std::string_view, 7> types{"null",   "boolean", "integer", "number",
                                                "string", "array",   "object"};
/// Keywords that describe values without constraining them.
constexpr std::array<std::string_view, 8> annotations{
    "title", "description", "default", "examples", "format", "deprecated", "$schema", "$comment"};

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The alternatives of a "type", which is a string or an array of strings.
std::vector<std::string_view> types_of(const json::value& type) {
    std::vector<std::string_view> all;
    if (type.is_string()) all.push_back(view(type.as_string()));
    if (type.is_array())
        for (const json::value& one : type.as_array())
            if (one.is_string()) all.push_back(view(one.as_string()));
    return all;
}

// --- schemas -------------------------------------------------------------------------------------

bool is_count(const json::value& value) { return value.is_int64() && value.as_int64() >= 0; }

/// Returns nothing, or the requirement that a keyword's value does not meet.
using Rule = std::optional<std::string> (*)(const json::value&);

std::optional<std::string> check_type(const json::value& value) {
    const auto all = types_of(value);
    const bool whole = !value.is_array() || all.size() == value.as_array().size();
    const bool known = std::all_of(all.begin(), all.end(),
                                   [](std::string_view type) { return is_one_of(type, types); });
    if (whole && known && !all.empty()) return std::nullopt;
    return fmt::format("must be one of {}, or an array of them", fmt::join(types, ", "));
}
std::optional<std::string> check_texts(const json::value& value) {
    const auto is_text = [](const json::value& one) { return one.is_string(); };
    if (value.is_array() && std::all_of(value.as_array().begin(), value.as_array().end(), is_text))
        return std::nullopt;
    return "must be an array of names";
}
std::optional<std::string> check_choices(const json::value& value) {
    if (value.is_array() && !value.as_array().empty()) return std::nullopt;
    return "must be a non-empty array";
}
std::optional<std::string> check_number(const json::value& value) {
    if (value.is_number()) return std::nullopt;
    return "must be a number";
}
std::optional<std::string> check_count(const json::value& value) {
    if (is_count(value)) return std::nullopt;
    return "must be a non-negative integer";
}
std::optional<std::string> check_schema(const json::value& value) { return schema_mistake(value); }
std::optional<std::string> check_schemas(const json::value& value) {
    if (!value.is_array() || value.as_array().empty()) return "must be an array of schemas";
    for (const json::value& one : value.as_array())
        if (auto mistake = schema_mistake(one)) return mistake;
    return std::nullopt;
}
std::optional<std::string> check_properties(const json::value& value) {
    if (!value.is_object()) return "must be an object of schemas";
    for (const auto& member : value.as_object())
        if (const auto mistake = schema_mistake(member.value()))
            return fmt::format("\"{}\": {}", to_valid_utf8(member.key()), *mistake);
    return std::nullopt;
}
std::optional<std::string> check_additional(const json::value& value) {
    if (value.is_bool()) return std::nullopt;
    return schema_mistake(value);
}
std::optional<std::string> anything(const json::value&) { return std::nullopt; }

struct Keyword {
    std::string_view name;
    Rule check;
};
constexpr std::array keywords{Keyword{"type", check_type},
                              Keyword{"properties", check_properties},
                              Keyword{"required", check_texts},
                              Keyword{"additionalProperties", check_additional},
                              Keyword{"items", check_schema},
                              Keyword{"minItems", check_count},
                              Keyword{"maxItems", check_count},
                              Keyword{"enum", check_choices},
                              Keyword{"const", anything},
                              Keyword{"minimum", check_number},
                              Keyword{"maximum", check_number},
                              Keyword{"exclusiveMinimum", check_number},
                              Keyword{"exclusiveMaximum", check_number},
                              Keyword{"minLength", check_count},
                              Keyword{"maxLength", check_count},
                              Keyword{"anyOf", check_schemas}};

// --- values --------------------------------------------------------------------------------------

bool is_whole(const json::value& value) { return value.is_int64() || value.is_uint64(); }

bool is_integer(const json::value& value) {
    if (is_whole(value)) return true;
    return value.is_double() && std::trunc(value.as_double()) == value.as_double();
}

bool is_type(const json::value& value, std::string_view type) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.is_bool();
    if (type == "integer") return is_integer(value);
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "array") return value.is_array();
    return value.is_object();
}

/// Compares two numbers; integers exactly, because a double cannot represent all of them.
std::partial_ordering compare(const json::value& a, const json::value& b) {
    if (!is_whole(a) || !is_whole(b)) return a.to_number<double>() <=> b.to_number<double>();
    // A uint64 here exceeds the range of int64.
    if (a.is_int64() && b.is_int64()) return a.as_int64() <=> b.as_int64();
    if (a.is_uint64() && b.is_uint64()) return a.as_uint64() <=> b.as_uint64();
    return b.is_uint64() ? std::partial_ordering::less : std::partial_ordering::greater;
}

std::string number_text(const json::value& number) {
    return is_whole(number) ? to_text(number) : fmt::format("{}", number.as_double());
}

/// 1 and 1.0 are the same number.
bool same(const json::value& a, const json::value& b) {
    if (a.is_number() && b.is_number()) return std::is_eq(compare(a, b));
    return a == b;
}

/// The path of a value: "size.width", "corners[2]".
class Place {
public:
    [[nodiscard]] Place member(std::string_view name) const {
        const std::string shown = shorten(to_valid_utf8(name), 60); // a model can invent any name
        return Place(path_.empty() ? shown : fmt::format("{}.{}", path_, shown));
    }
    [[nodiscard]] Place element(std::size_t index) const {
        return Place(fmt::format("{}[{}]", path_, index));
    }
    [[nodiscard]] std::string must(std::string_view what) const {
        return path_.empty() ? fmt::format("the arguments must {}", what)
                             : fmt::format("\"{}\" must {}", shorten(path_, 200), what);
    }
    Place() = default;

private:
    explicit Place(std::string path) : path_(std::move(path)) {}
    std::string path_;
};

using Problem = std::optional<std::string>;
Problem problem_at(const Place& place, const json::value& value, const json::object& schema);

Problem wrong_kind(const Place& place, const json::value& value, const json::object& schema) {
    if (const json::value* type = schema.if_contains("type")) {
        const auto all = types_of(*type);
        if (std::none_of(all.begin(), all.end(),
                         [&](std::string_view one) { return is_type(value, one); }))
            return place.must(fmt::format("be of type {}", fmt::join(all, " or ")));
    }
    if (const json::value* choices = schema.if_contains("enum")) {
        const json::array& all = choices->as_array();
        if (std::none_of(all.begin(), all.end(),
                         [&](const json::value& one) { return same(one, value); }))
            return place.must("be one of " + shorten(to_text(*choices), 200));
    }
    if (const json::value* only = schema.if_contains("const"); only && !same(*only, value))
        return place.must("be " + shorten(to_text(*only), 200));
    return std::nullopt;
}

Problem wrong_number(const Place& place, const json::value& number, const json::object& schema) {
    const auto wrong = [&](std::string_view keyword, auto holds,
                           std::string_view words) -> Problem {
        const json::value* limit = schema.if_contains(keyword);
        if (limit == nullptr || holds(compare(number, *limit))) return std::nullopt;
        return place.must(fmt::format("be {} {}", words, number_text(*limit)));
    };
    if (auto few = wrong("minimum", std::is_gteq, "at least")) return few;
    if (auto many = wrong("maximum", std::is_lteq, "at most")) return many;
    if (auto few = wrong("exclusiveMinimum", std::is_gt, "above")) return few;
    return wrong("exclusiveMaximum", std::is_lt, "below");
}

Problem wrong_count(const Place& place, std::size_t count, const json::object& schema,
                    std::string_view min, std::string_view max, std::string_view of_what) {
    const auto limit = [&](std::string_view keyword) -> std::optional<std::size_t> {
        const json::value* found = schema.if_contains(keyword);
        if (found == nullptr) return std::nullopt;
        return static_cast<std::size_t>(found->as_int64());
    };
    if (const auto few = limit(min); few && count < *few)
        return place.must(fmt::format("have at least {} {}", *few, of_what));
    if (const auto many = limit(max); many && count > *many)
        return place.must(fmt::format("have at most {} {}", *many, of_what));
    return std::nullopt;
}

Problem wrong_members(const Place& place, const json::object& value, const json::object& schema) {
    if (const json::value* required = schema.if_contains("required"))
        for (const json::value& name : required->as_array())
            if (!value.contains(name.as_string()))
                return place.member(view(name.as_string())).must("be present");
    const json::value* properties = schema.if_contains("properties");
    const json::value* others = schema.if_contains("additionalProperties");
    for (const auto& member : value) {
        const Place inside = place.member(member.key());
        const json::value* known =
            properties ? properties->as_object().if_contains(member.key()) : nullptr;
        if (known == nullptr && others != nullptr && others->is_bool() && !others->as_bool())
            return inside.must("not be present");
        if (known == nullptr && others != nullptr && others->is_object()) known = others;
        if (known == nullptr) continue;
        if (auto problem = problem_at(inside, member.value(), known->as_object())) return problem;
    }
    return std::nullopt;
}

Problem wrong_elements(const Place& place, const json::array& value, const json::object& schema) {
    if (auto problem = wrong_count(place, value.size(), schema, "minItems", "maxItems", "elements"))
        return problem;
    const json::value* items = schema.if_contains("items");
    if (items == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < value.size(); ++i)
        if (auto problem = problem_at(place.element(i), value[i], items->as_object()))
            return problem;
    return std::nullopt;
}

/// As in JSON Schema, a keyword applies only to values of its own kind.
Problem problem_at(const Place& place, const json::value& value, const json::object& schema) {
    if (auto problem = wrong_kind(place, value, schema)) return problem;
    Problem problem;
    if (value.is_number()) problem = wrong_number(place, value, schema);
    if (const json::string* text = value.if_string())
        problem = wrong_count(place, base::utf8::count(view(*text)), schema, "minLength",
                              "maxLength", "characters");
    if (const json::array* array = value.if_array())
        problem = wrong_elements(place, *array, schema);
    if (const json::object* object = value.if_object())
        problem = wrong_members(place, *object, schema);
    if (problem) return problem;
    if (const json::value* choices = schema.if_contains("anyOf")) {
        for (const json::value& one : choices->as_array()) {
            problem = problem_at(place, value, one.as_object());
            if (!problem) break;
        }
    }
    return problem; // of the last alternative if none matches
}

} // namespace

std::optional<std::string> schema_mistake(const json::value& schema) {
    if (!schema.is_object()) return "must be a schema: an object";
    for (const auto& member : schema.as_object()) {
        if (is_one_of(member.key(), annotations)) continue;
        const auto keyword =
            std::find_if(keywords.begin(), keywords.end(),
                         [&](const Keyword& one) { return one.name == member.key(); });
        if (keyword == keywords.end()) {
            std::vector<std::string> known;
            known.reserve(keywords.size());
            for (const Keyword& one : keywords) known.emplace_back(one.name);
            return fmt::format("uses \"{}\", which is not supported{}",
                               shorten(to_valid_utf8(member.key()), 60),
                               did_you_mean(member.key(), known));
        }
        if (const auto mistake = keyword->check(member.value()))
            return fmt::format("\"{}\": {}", keyword->name, *mistake);
    }
    return std::nullopt;
}

std::optional<std::string> schema_problem(const json::value& value, const json::value& schema) {
    return problem_at({}, value, schema.as_object());
}

} // namespace eyehand::agent
