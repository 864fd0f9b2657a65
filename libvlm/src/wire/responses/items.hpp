// Content of the output items of the Responses API.
//
// Sources: the API reference, https://developers.openai.com/api/reference/resources/responses, and
// src/resources/responses/responses.ts of openai/openai-node 7.57.0 (ResponseOutputItem).
#pragma once

#include "eyehand/vlm/message.hpp"

#include "../json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire::responses {

struct ItemContent {
    enum class Kind { message, reasoning, call, computer_call, other };
    Kind kind = Kind::other;
    std::string text{};    ///< of a message, or of reasoning: its text, or else its summary
    std::string refusal{}; ///< of a message
    /// Also of a computer_call; a missing id or name is empty, as are the arguments of a call without any
    ToolCall call{};
};

/// The name of calls of the computer tool.
inline constexpr std::string_view computer_tool = "computer";

/// Members of unexpected types count as missing.
[[nodiscard]] ItemContent content_of(const boost::json::object& item);

/// Content of all items of a reply, in the form of `ChatReply`.
struct ReplyContent {
    std::string text{}; ///< of all messages, or else their refusals; joined by line breaks
    std::string reasoning{};
    std::vector<ToolCall> calls{};
};
[[nodiscard]] ReplyContent content_of(const std::vector<ItemContent>& items);

} // namespace eyehand::vlm::wire::responses
