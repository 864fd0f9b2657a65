// JSON Schema 2020-12, as servers use it for arguments and results.
#pragma once

#include "json_rpc.hpp"

#include <optional>
#include <string>

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

} // namespace eyehand::mcp
