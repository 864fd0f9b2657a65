// Converts an answer that reports a failure to a vlm::Error with code and remedy.
#pragma once

#include "eyehand/vlm/error.hpp"

#include "retry_hint.hpp"
#include "where.hpp"

#include <string_view>

namespace eyehand::vlm::wire {

/// The error in an answer with this status and body: JSON in any known form, plain text or HTML.
/// `location` is the Location header of a redirection. Status 200 is for errors in the bodies of
/// successful answers.
[[nodiscard]] Error decode_error(int status, std::string_view body, const Where& where,
                                 std::string_view location = {}, const RetryHint& hint = {});

/// Whether a server's message means that the server or the model does not support tool calling.
[[nodiscard]] bool says_no_tools(std::string_view server_message);

} // namespace eyehand::vlm::wire
