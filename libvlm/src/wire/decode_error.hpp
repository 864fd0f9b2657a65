// From an answer that says failure to one vlm::Error with its category and its remedy.
#pragma once

#include "eyehand/vlm/error.hpp"

#include "retry_wish.hpp"
#include "where.hpp"

#include <string_view>

namespace eyehand::vlm::wire {

/// The error in an answer with this status and body: JSON in any of the known shapes, plain text
/// or HTML. `location` is the header of a redirection. Status 200 is for errors in bodies of
/// successful answers.
[[nodiscard]] Error decode_error(int status, std::string_view body, const Where& where,
                                 std::string_view location = {}, const RetryWish& wish = {});

/// Whether a server's words say that it, or its model, knows no tool calling.
[[nodiscard]] bool says_no_tools(std::string_view server_message);

} // namespace eyehand::vlm::wire
