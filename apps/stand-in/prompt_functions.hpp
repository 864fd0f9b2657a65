// Functions that a prompt describes instead of offering them as tools, one per line:
//
//     Functions:
//     report_progress(objective_id='...', status='...', evidence='...'): Reports the status.
#pragma once

#include "tool_roles.hpp"

#include <boost/json/array.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace stand_in {

/// The functions below the first line "Functions:" of the text, in the form of tools whose
/// arguments are required strings. Their names contain a period, which the names of tools in
/// requests cannot contain.
[[nodiscard]] boost::json::array prompt_functions(std::string_view text);

/// The name of the function in the prompt. Returns nothing for a call of another tool.
[[nodiscard]] std::optional<std::string> prompt_function(const ToolCall& call);

} // namespace stand_in
