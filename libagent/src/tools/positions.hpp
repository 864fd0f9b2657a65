// Positions in the schemas and the arguments of tools, in the numbers of a model.
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/tool.hpp"
#include "json/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace eyehand::agent {

/// Formats of positions in schemas (`ArgumentInfo::schema`).
namespace position_format {
inline constexpr std::string_view point = "eyehand-point";
inline constexpr std::string_view box = "eyehand-box";
inline constexpr std::string_view x = "eyehand-x";
inline constexpr std::string_view y = "eyehand-y";
} // namespace position_format

/// The schema for the model: without formats of positions, and with the ranges of `numbers` (nullptr:
/// 0 to 1000). A schema without positions is unchanged, byte for byte.
[[nodiscard]] std::string offered_schema(const std::string& schema,
                                         const CoordinateConverter* numbers);

/// Converts the positions in a value of this schema from the numbers of the model to 0..1000. A value
/// that is not a position at all is a problem, except for "eyehand-x" and "eyehand-y", which stay.
[[nodiscard]] std::optional<ArgumentProblem> convert_positions(json::value& value,
                                                               const json::value& schema,
                                                               const CoordinateConverter& numbers);

/// The numbers of [a, b], [a, b, c, d] or [[a, b], [c, d]] in order, also as JSON in a string; nothing
/// if the value is anything else.
[[nodiscard]] std::optional<std::vector<double>> coordinates_in(JsonView json);
/// A number, also in quotes.
[[nodiscard]] std::optional<double> number_in(JsonView json);

} // namespace eyehand::agent
