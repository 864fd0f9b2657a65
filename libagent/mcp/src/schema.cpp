#include "schema.hpp"

#include "eyehand/base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace eyehand::mcp {
namespace {

using Problem = std::optional<std::string>;

constexpr int max_schema_depth = 64;
/// Of subschemas that are checked: references make a small schema expensive.
constexpr int max_schema_steps = 100'000;

constexpr std::array<std::string_view, 6> unchecked_keywords{
    "pattern",     "patternProperties", "format", // as an assertion
    "$dynamicRef", "unevaluatedItems",  "unevaluatedProperties"};

bool is_number(const json::value& value) {
    return value.is_int64() || value.is_uint64() || value.is_double();
}

double number_of(const json::value& value) {
    if (value.is_int64()) return static_cast<double>(value.get_int64());
    if (value.is_uint64()) return static_cast<double>(value.get_uint64());
    return value.get_double();
}

bool is_integer(const json::value& value) {
    if (value.is_int64() || value.is_uint64()) return true;
    return value.is_double() && std::isfinite(value.get_double()) &&
           std::trunc(value.get_double()) == value.get_double();
}

/// 1 and 1.0 are equal, as JSON Schema requires.
bool is_equal(const json::value& a, const json::value& b) {
    if (is_number(a) && is_number(b))
        return a.is_double() || b.is_double() ? number_of(a) == number_of(b) : a == b;
    if (a.is_array() && b.is_array()) {
        const json::array& left = a.get_array();
        const json::array& right = b.get_array();
        return std::equal(left.begin(), left.end(), right.begin(), right.end(), is_equal);
    }
    if (a.is_object() && b.is_object()) {
        const json::object& left = a.get_object();
        const json::object& right = b.get_object();
        if (left.size() != right.size()) return false;
        return std::all_of(left.begin(), left.end(), [&](const auto& member) {
            const json::value* other = right.if_contains(member.key());
            return other != nullptr && is_equal(member.value(), *other);
        });
    }
    return a == b;
}

bool has_type(const json::value& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "null") return value.is_null();
    if (type == "integer") return is_integer(value);
    if (type == "number") return is_number(value);
    return true; // a word that this version of JSON Schema does not know
}

/// The first schema for which `is_wanted` returns true, among `value` and the schemas inside of it; nullptr:
/// not found. Names of properties, and the values of keywords such as "default", are not schemas.
template <class IsWanted>
const json::value* find_schema(const json::value& value, const IsWanted& is_wanted) {
    if (const json::array* list = value.if_array()) {
        for (const json::value& each : *list)
            if (const json::value* found = find_schema(each, is_wanted)) return found;
        return nullptr;
    }
    const json::object* rules = value.if_object();
    if (rules == nullptr) return nullptr;
    if (is_wanted(*rules)) return &value;
    for (const auto& [keyword, part] : *rules) {
        if (is_data_keyword(keyword)) continue;
        const json::object* named = is_named_schemas_keyword(keyword) ? part.if_object() : nullptr;
        if (named == nullptr) {
            if (const json::value* found = find_schema(part, is_wanted)) return found;
            continue;
        }
        for (const auto& member : *named)
            if (const json::value* found = find_schema(member.value(), is_wanted)) return found;
    }
    return nullptr;
}

bool has_unchecked_keyword(const json::value& schema) {
    return find_schema(schema, [](const json::object& rules) {
               return std::any_of(unchecked_keywords.begin(), unchecked_keywords.end(),
                                  [&](std::string_view each) { return rules.contains(each); });
           }) != nullptr;
}

const json::value* find_anchor(const json::value& schema, std::string_view name) {
    return find_schema(
        schema, [&](const json::object& rules) { return string_in(rules, "$anchor") == name; });
}

/// The part of `root` that "#...", refers to; null if it does not exist.
const json::value* resolve(const json::value& root, std::string_view reference) {
    if (!reference.starts_with('#')) return nullptr;
    reference.remove_prefix(1);
    if (reference.empty()) return &root;
    if (!reference.starts_with('/')) return find_anchor(root, reference);
    boost::system::error_code error;
    return root.find_pointer(reference, error);
}

class SchemaCheck {
public:
    explicit SchemaCheck(const json::value& root)
        : root_(root), is_partial_(has_unchecked_keyword(root)) {}

    [[nodiscard]] Problem check(const json::value& value, const json::value& schema,
                                const std::string& place, int depth = 0) {
        if (++steps_ > max_schema_steps || depth > max_schema_depth)
            return "the schema is too complex to be checked";
        if (const bool* all = schema.if_bool()) {
            if (*all) return std::nullopt;
            return named(place) + " is not allowed";
        }
        const json::object* rules = schema.if_object();
        if (rules == nullptr) return std::nullopt;
        for (const auto part :
             {&SchemaCheck::check_reference, &SchemaCheck::check_type, &SchemaCheck::check_number,
              &SchemaCheck::check_string, &SchemaCheck::check_array, &SchemaCheck::check_object,
              &SchemaCheck::check_combinations})
            if (Problem problem = (this->*part)(value, *rules, place, depth)) return problem;
        return std::nullopt;
    }

private:
    static std::string named(const std::string& place) {
        return place.empty() ? "the value" : fmt::format("\"{}\"", place);
    }
    static std::string inside(const std::string& place, std::string_view member) {
        return place.empty() ? std::string(member) : fmt::format("{}.{}", place, member);
    }
    static std::string inside(const std::string& place, std::size_t index) {
        return fmt::format("{}[{}]", place, index);
    }
    static std::optional<double> number_in(const json::object& rules, std::string_view keyword) {
        const json::value* limit = rules.if_contains(keyword);
        if (limit == nullptr || !is_number(*limit)) return std::nullopt;
        return number_of(*limit);
    }
    bool matches(const json::value& value, const json::value& schema, const std::string& place,
                 int depth) {
        return !check(value, schema, place, depth + 1);
    }

    Problem check_reference(const json::value& value, const json::object& rules,
                            const std::string& place, int depth) {
        const auto reference = string_in(rules, "$ref");
        if (!reference) return std::nullopt;
        const json::value* target = resolve(root_, *reference);
        if (target == nullptr) return fmt::format("the schema has no \"{}\"", *reference);
        return check(value, *target, place, depth + 1);
    }

    Problem check_type(const json::value& value, const json::object& rules,
                       const std::string& place, int /*depth*/) {
        if (const auto type = string_in(rules, "type"); type && !has_type(value, *type))
            return fmt::format("{} must be of type {}", named(place), *type);
        if (const json::array* types = array_in(rules, "type")) {
            const bool any =
                std::any_of(types->begin(), types->end(), [&](const json::value& type) {
                    return type.is_string() && has_type(value, std::string_view(type.get_string()));
                });
            if (!any)
                return fmt::format("{} must be of one of the types {}", named(place),
                                   json::serialize(*types));
        }
        if (const json::array* choices = array_in(rules, "enum"))
            if (std::none_of(choices->begin(), choices->end(),
                             [&](const json::value& each) { return is_equal(each, value); }))
                return fmt::format("{} must be one of {}", named(place), json::serialize(*choices));
        if (const json::value* only = rules.if_contains("const"); only && !is_equal(*only, value))
            return fmt::format("{} must be {}", named(place), json::serialize(*only));
        return std::nullopt;
    }

    Problem check_number(const json::value& value, const json::object& rules,
                         const std::string& place, int /*depth*/) {
        if (!is_number(value)) return std::nullopt;
        const double number = number_of(value);
        if (const auto limit = number_in(rules, "minimum"); limit && number < *limit)
            return fmt::format("{} must be at least {}", named(place), *limit);
        if (const auto limit = number_in(rules, "maximum"); limit && number > *limit)
            return fmt::format("{} must be at most {}", named(place), *limit);
        if (const auto limit = number_in(rules, "exclusiveMinimum"); limit && number <= *limit)
            return fmt::format("{} must be greater than {}", named(place), *limit);
        if (const auto limit = number_in(rules, "exclusiveMaximum"); limit && number >= *limit)
            return fmt::format("{} must be less than {}", named(place), *limit);
        if (const auto factor = number_in(rules, "multipleOf"); factor && *factor > 0) {
            const double quotient = number / *factor;
            // 0.3 is a multiple of 0.1, although neither has an exact double.
            if (std::abs(quotient - std::round(quotient)) >
                1e-9 * std::max(1.0, std::abs(quotient)))
                return fmt::format("{} must be a multiple of {}", named(place), *factor);
        }
        return std::nullopt;
    }

    Problem check_string(const json::value& value, const json::object& rules,
                         const std::string& place, int /*depth*/) {
        if (!value.is_string()) return std::nullopt;
        const auto min = number_in(rules, "minLength");
        const auto max = number_in(rules, "maxLength");
        if (!min && !max) return std::nullopt;
        const auto length = static_cast<double>(base::utf8::count(value.get_string()));
        if (min && length < *min)
            return fmt::format("{} must have at least {} characters", named(place), *min);
        if (max && length > *max)
            return fmt::format("{} must have at most {} characters", named(place), *max);
        return std::nullopt;
    }

    Problem check_array(const json::value& value, const json::object& rules,
                        const std::string& place, int depth) {
        const json::array* list = value.if_array();
        if (list == nullptr) return std::nullopt;
        const auto size = static_cast<double>(list->size());
        if (const auto limit = number_in(rules, "minItems"); limit && size < *limit)
            return fmt::format("{} must have at least {} elements", named(place), *limit);
        if (const auto limit = number_in(rules, "maxItems"); limit && size > *limit)
            return fmt::format("{} must have at most {} elements", named(place), *limit);
        const json::array* first = array_in(rules, "prefixItems");
        const std::size_t prefix = first != nullptr ? std::min(first->size(), list->size()) : 0;
        for (std::size_t i = 0; i < prefix; ++i)
            if (Problem problem = check((*list)[i], (*first)[i], inside(place, i), depth + 1))
                return problem;
        if (const json::value* rest = rules.if_contains("items"); rest && !rest->is_array())
            for (std::size_t i = prefix; i < list->size(); ++i)
                if (Problem problem = check((*list)[i], *rest, inside(place, i), depth + 1))
                    return problem;
        if (const json::value* unique = rules.if_contains("uniqueItems");
            unique && unique->is_bool() && unique->get_bool())
            for (std::size_t i = 0; i < list->size(); ++i)
                for (std::size_t k = 0; k < i; ++k) {
                    if (++steps_ > max_schema_steps)
                        return "the schema is too complex to be checked";
                    if (is_equal((*list)[i], (*list)[k]))
                        return named(place) + " must not have equal elements";
                }
        if (const json::value* wanted = rules.if_contains("contains")) {
            const auto count = static_cast<double>(
                std::count_if(list->begin(), list->end(), [&](const json::value& each) {
                    return matches(each, *wanted, place, depth);
                }));
            if (count < number_in(rules, "minContains").value_or(1) ||
                (count > number_in(rules, "maxContains").value_or(count) && !is_partial_))
                return named(place) + " has too few or too many elements of a required kind";
        }
        return std::nullopt;
    }

    Problem check_object(const json::value& value, const json::object& rules,
                         const std::string& place, int depth) {
        const json::object* object = value.if_object();
        if (object == nullptr) return std::nullopt;
        const auto size = static_cast<double>(object->size());
        if (const auto limit = number_in(rules, "minProperties"); limit && size < *limit)
            return fmt::format("{} must have at least {} members", named(place), *limit);
        if (const auto limit = number_in(rules, "maxProperties"); limit && size > *limit)
            return fmt::format("{} must have at most {} members", named(place), *limit);
        if (const json::array* required = array_in(rules, "required"))
            for (const json::value& name : *required)
                if (name.is_string() && !object->contains(name.get_string()))
                    return fmt::format("\"{}\" is missing",
                                       inside(place, std::string_view(name.get_string())));
        const json::object* properties = object_in(rules, "properties");
        const json::value* others = rules.if_contains("additionalProperties");
        if (rules.contains("patternProperties")) others = nullptr;
        const json::value* names = rules.if_contains("propertyNames");
        for (const auto& member : *object) {
            const std::string_view name(member.key());
            const std::string there = inside(place, name);
            const json::value* schema =
                properties != nullptr ? properties->if_contains(name) : nullptr;
            if (schema == nullptr) schema = others;
            if (schema != nullptr)
                if (Problem problem = check(member.value(), *schema, there, depth + 1))
                    return problem;
            if (names != nullptr)
                if (Problem problem = check(json::value(name), *names, there, depth + 1))
                    return problem;
        }
        if (const json::object* lists = object_in(rules, "dependentRequired"))
            for (const auto& [name, needed] : *lists) {
                if (!object->contains(name) || !needed.is_array()) continue;
                for (const json::value& each : needed.get_array())
                    if (each.is_string() && !object->contains(each.get_string()))
                        return fmt::format("\"{}\" is missing",
                                           inside(place, std::string_view(each.get_string())));
            }
        if (const json::object* schemas = object_in(rules, "dependentSchemas"))
            for (const auto& [name, schema] : *schemas)
                if (object->contains(name))
                    if (Problem problem = check(value, schema, place, depth + 1)) return problem;
        return std::nullopt;
    }

    Problem check_combinations(const json::value& value, const json::object& rules,
                               const std::string& place, int depth) {
        if (const json::array* all = array_in(rules, "allOf"))
            for (const json::value& each : *all)
                if (Problem problem = check(value, each, place, depth + 1)) return problem;
        const auto count = [&](const json::array& schemas) {
            return std::count_if(schemas.begin(), schemas.end(), [&](const json::value& each) {
                return matches(value, each, place, depth);
            });
        };
        if (const json::array* any = array_in(rules, "anyOf"); any && count(*any) == 0)
            return named(place) + " matches none of the permitted forms";
        if (const json::array* one = array_in(rules, "oneOf")) {
            const auto found = count(*one);
            if (found == 0) return named(place) + " matches none of the permitted forms";
            if (found > 1 && !is_partial_)
                return named(place) + " matches more than one of the permitted forms";
        }
        if (is_partial_) return std::nullopt;
        if (const json::value* excluded = rules.if_contains("not");
            excluded && matches(value, *excluded, place, depth))
            return named(place) + " has a form that is not permitted";
        if (const json::value* condition = rules.if_contains("if")) {
            const json::value* consequence =
                rules.if_contains(matches(value, *condition, place, depth) ? "then" : "else");
            if (consequence != nullptr) return check(value, *consequence, place, depth + 1);
        }
        return std::nullopt;
    }

    const json::value& root_;
    const bool is_partial_;
    int steps_ = 0;
};

Problem unresolved_reference(const json::value& root) {
    const json::value* found = find_schema(root, [&](const json::object& rules) {
        const auto reference = string_in(rules, "$ref");
        return reference && resolve(root, *reference) == nullptr;
    });
    if (found == nullptr) return std::nullopt;
    return fmt::format("the reference \"{}\" is not to a part of the schema",
                       string_in(found->get_object(), "$ref").value_or(""));
}

} // namespace

bool is_data_keyword(std::string_view keyword) {
    constexpr std::array<std::string_view, 4> keywords{"const", "default", "enum", "examples"};
    return std::find(keywords.begin(), keywords.end(), keyword) != keywords.end();
}

bool is_named_schemas_keyword(std::string_view keyword) {
    constexpr std::array<std::string_view, 5> keywords{"$defs", "definitions", "dependentSchemas",
                                                       "patternProperties", "properties"};
    return std::find(keywords.begin(), keywords.end(), keyword) != keywords.end();
}

std::optional<std::string> schema_mistake(const json::value& schema) {
    if (!schema.is_object() && !schema.is_bool()) return "the schema is not an object";
    return unresolved_reference(schema);
}

std::optional<std::string> schema_mismatch(const json::value& value, const json::value& schema) {
    return SchemaCheck(schema).check(value, schema, {});
}

} // namespace eyehand::mcp
