// What is different between two requests, for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::cassette {

/// The unified difference of two JSON texts, printed one member a line ("-" recorded, "+" asked).
/// Long lines are shortened around what is different in them, long differences are cut off. Texts
/// that are the same JSON or none are compared as one line each. Empty if they are equal.
[[nodiscard]] std::string json_difference(std::string_view recorded, std::string_view asked);

/// The same of lines.
[[nodiscard]] std::string line_difference(const std::vector<std::string>& recorded,
                                          const std::vector<std::string>& asked);

} // namespace eyehand::vlm::cassette
