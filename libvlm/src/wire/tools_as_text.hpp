// Describes tools and their calls as text, for models and servers without tool calling.
#pragma once

#include "eyehand/vlm/chat.hpp"

namespace eyehand::vlm::wire {

/// Converts a request: removes the tools and describes them at the end of the system message,
/// writes calls of the history as `<tool_call>{...}</tool_call>` into the assistant's text, and
/// results as user messages in `<tool_response>`. rescue_calls.hpp reads the calls in the model's
/// answer. The same request gives the same text.
[[nodiscard]] ChatRequest tools_as_text(const ChatRequest& request);

} // namespace eyehand::vlm::wire
