// JSON with comments and trailing commas; reports the line of each member.
#pragma once

#include "json/json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

struct JsoncMember {
    std::string name{};
    int line = 1; ///< the line of the name
    json::value value{};
};

struct JsoncProblem {
    int line = 1;
    std::string reason{};
};

/// The members of the object in `text`, in order; nothing if it is malformed, with the reason in
/// `problem`.
[[nodiscard]] std::optional<std::vector<JsoncMember>> parse_jsonc(std::string_view text,
                                                                  JsoncProblem& problem);

} // namespace eyehand::agent
