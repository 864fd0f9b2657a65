// JSON as people write it: comments and trailing commas, and every member knows its line.
#pragma once

#include "json/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

struct JsoncMember {
    std::string name{};
    int line = 1; ///< where the name stands
    json::value value{};
};

struct JsoncProblem {
    int line = 1;
    std::string reason{};
};

/// The members of the object that `text` holds, in order; nothing where it holds none, and
/// `problem` says why.
[[nodiscard]] std::optional<std::vector<JsoncMember>> parse_jsonc(std::string_view text,
                                                                  JsoncProblem& problem);

} // namespace eyehand::agent
