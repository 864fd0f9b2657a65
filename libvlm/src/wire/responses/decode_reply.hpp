// Converts the body of a successful answer of the Responses API to a ChatReply.
#pragma once

#include "../decode_reply.hpp"

#include <boost/json/object.hpp>

#include <string_view>
#include <vector>

namespace eyehand::vlm::wire::responses {

/// As wire::decode_reply, for a response object. Its output items are `ChatReply::items_json`. A
/// response that has failed or was canceled is Error{server_error}; one that is not complete, such as a
/// response in the background, is Error{bad_response}. `previous_response_id`: the response that the
/// request continued, or empty; one that the server ignored is an error (`check_continues`).
[[nodiscard]] ChatReply decode_reply(std::string_view body, const Where& where,
                                     const std::vector<ToolSpec>& offered = {},
                                     TextCallRule rule = TextCallRule::ignore,
                                     std::string_view previous_response_id = {});

/// The error of a response that has failed: its member "error", or a general one.
[[nodiscard]] Error failure_of(const boost::json::object& response, const Where& where);

} // namespace eyehand::vlm::wire::responses
