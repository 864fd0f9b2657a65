// The part of JSON Schema that tools of users' own may declare, and that is checked whole.
#pragma once

#include "json/json.hpp"

#include <optional>
#include <string>

namespace eyehand::agent {

/// Why `schema` cannot be used: what in it is no schema, or would not be checked. Nothing when it
/// can. Keywords: type, properties, required, additionalProperties, items, minItems, maxItems,
/// enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, anyOf;
/// and those that only describe.
[[nodiscard]] std::optional<std::string> schema_mistake(const json::value& schema);

/// Why `value` is not as a usable `schema` wants it, naming the place: `"size.width" must be at least
/// 1`. Nothing when it is.
[[nodiscard]] std::optional<std::string> schema_problem(const json::value& value,
                                                        const json::value& schema);

} // namespace eyehand::agent
