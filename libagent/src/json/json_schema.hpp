// The part of JSON Schema that program tools may use. All of its keywords are checked.
#pragma once

#include "json/json.hpp"

#include <optional>
#include <string>

namespace eyehand::agent {

/// Why `schema` cannot be used: it is malformed, or uses an unsupported keyword. Nothing if it can
/// be used. Keywords: type, properties, required, additionalProperties, items, minItems, maxItems,
/// enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, anyOf;
/// and annotations, which are ignored.
[[nodiscard]] std::optional<std::string> schema_mistake(const json::value& schema);

/// Why `value` does not match a usable `schema`, naming the place: `"size.width" must be at least
/// 1`. Nothing if it matches.
[[nodiscard]] std::optional<std::string> schema_problem(const json::value& value,
                                                        const json::value& schema);

} // namespace eyehand::agent
