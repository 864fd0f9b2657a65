// JSON Schema 2020-12, as servers use it for arguments and results.
#pragma once

#include "json_rpc.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace eyehand::mcp {

/// Why `schema` cannot be used: it is neither an object nor a boolean, or contains a reference that is
/// not to a part of itself.
[[nodiscard]] std::optional<std::string> schema_mistake(const json::value& schema);

/// Why `value` does not match, naming the place: `"size.width" must be at least 1`. Nothing if it
/// matches. All keywords are checked except pattern, patternProperties, format, $dynamicRef,
/// unevaluatedItems and unevaluatedProperties; where they occur, not, oneOf and if are not checked
/// either, because their outcome may depend on them.
[[nodiscard]] std::optional<std::string> schema_mismatch(const json::value& value,
                                                         const json::value& schema);

/// Whether the value of a keyword is data, such as that of "default", and not a part of the schema.
[[nodiscard]] bool is_data_keyword(std::string_view keyword);
/// Whether the value of a keyword is an object whose members are schemas with names that the schema's
/// author chooses, such as "properties".
[[nodiscard]] bool is_named_schemas_keyword(std::string_view keyword);

} // namespace eyehand::mcp
