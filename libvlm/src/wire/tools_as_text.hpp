// Tools for models and servers that have no tool calling: described in words, called in words.
#pragma once

#include "eyehand/vlm/chat.hpp"

namespace eyehand::vlm::wire {

/// The request without tools, but with their description at the end of the system message, calls of
/// the history as `<tool_call>{...}</tool_call>` in the assistant's text, and results as
/// `<tool_response>` in the user's. What the model then answers is for rescue_calls.hpp, which
/// knows this form best. The same request gives the same text.
[[nodiscard]] ChatRequest tools_as_text(const ChatRequest& request);

} // namespace eyehand::vlm::wire
