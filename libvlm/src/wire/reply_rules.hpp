// The rules for replies that do not depend on the API.
#pragma once

#include "eyehand/vlm/chat.hpp"

#include "decode_reply.hpp"
#include "json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// Parses the body of an answer as JSON. Throws an Error that describes any other body.
[[nodiscard]] boost::json::value parse_body(std::string_view body, const Where& where);

/// The arguments of a call as text: empty if they are missing. Throws Error if they are too long.
[[nodiscard]] std::string decode_arguments(const boost::json::value* arguments, const Where& where);

/// The last steps of decoding, as `decode_reply` describes them: reads calls in the text of a reply
/// without calls, refuses calls that are cut off, and completes arguments and ids.
void complete_calls(ChatReply& reply, std::string_view body, const std::vector<ToolSpec>& offered,
                    TextCallRule rule, const Where& where);

/// A token count, or nothing if it is missing or cannot be one.
[[nodiscard]] std::optional<int> count(const boost::json::object* object, std::string_view name);

/// The token counts in the "usage" of an answer, under the names of the API: "prompt_tokens" and
/// "completion_tokens", or "input_tokens" and "output_tokens".
[[nodiscard]] Usage token_counts(const boost::json::object& answer, const std::string& input,
                                 const std::string& output);

/// The name of the model in an answer; empty if it is missing or too long.
[[nodiscard]] std::string answering_model(const boost::json::object& answer);

} // namespace eyehand::vlm::wire
