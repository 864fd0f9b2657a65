// Converts the body of a successful answer to a ChatReply (docs/vlm.md, "Reply format").
#pragma once

#include "eyehand/vlm/chat.hpp"

#include "decode_error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// What happens to a call in the text of a reply without other calls.
enum class TextCallRule {
    ignore, ///< it stays text, and `ChatReply::ignored_call` mentions it
    accept, ///< it is recovered (rescue_calls.hpp) and mentioned in `notes`
};

/// The rule of a request; `tools_as_text`: it describes its tools as text.
[[nodiscard]] constexpr TextCallRule text_call_rule(TextCalls calls, bool tools_as_text) {
    const bool accepts =
        calls == TextCalls::always || (calls == TextCalls::if_not_native && tools_as_text);
    return accepts ? TextCallRule::accept : TextCallRule::ignore;
}

/// Decodes the body of an answer with status 200. `offered` are the tools of the request. Throws
/// Error:
/// `bad_response` if the body is not a chat completion, `server_error` or `context_overflow` for an
/// error object, and `truncated` for a reply that hit the output limit in the middle of a tool
/// call. `wait` and `total` stay zero.
[[nodiscard]] ChatReply decode_reply(std::string_view body, const Where& where,
                                     const std::vector<ToolSpec>& offered = {},
                                     TextCallRule rule = TextCallRule::ignore);

/// The ids in a list of models. Throws Error as above; `bad_response` also for more than
/// `max_models` models, or an id of more than `max_model_name` bytes.
[[nodiscard]] std::vector<std::string> decode_models(std::string_view body, const Where& where);

} // namespace eyehand::vlm::wire
