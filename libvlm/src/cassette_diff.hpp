// Readable differences between two requests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::cassette {

/// The unified difference of two JSON texts, printed with one member per line ("-" recorded, "+"
/// asked). Long lines are shortened around their difference, long differences are cut off. Texts
/// that are equal as JSON, or not JSON, are compared as one line each. Empty if the texts are
/// equal.
[[nodiscard]] std::string json_difference(std::string_view recorded, std::string_view asked);

/// The same for lines.
[[nodiscard]] std::string line_difference(const std::vector<std::string>& recorded,
                                          const std::vector<std::string>& asked);

} // namespace eyehand::vlm::cassette
