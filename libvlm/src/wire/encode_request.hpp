// Converts a ChatRequest to the body of an HTTP request, in the form that all known servers accept
// (docs/vlm.md, "Request format").
#pragma once

#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/openai_client.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace eyehand::vlm::wire {

enum class ImageMode {
    inlined, ///< a base64 data URL
    redacted ///< "sha256:<hex>, <n> bytes": for logs
};

struct Encoding {
    ImageMode images = ImageMode::inlined;
    Quirks quirks{}; ///< except `tools_as_text`, see tools_as_text.hpp
    bool stream = false;
    Api api = Api::chat_completions;
    // Of the Responses API:
    bool store = false; ///< the server keeps the response
    /// The input continues this stored response: its first `stored_items` items are not sent.
    std::string previous_response_id{};
    std::size_t stored_items = 0;
};

/// The same request gives the same bytes. Malformed UTF-8 is replaced by U+FFFD. Throws
/// std::invalid_argument for a request that no server could process: no messages, an image without
/// bytes (unless redacted) or outside a user message, a tool without a name or whose parameters are
/// not a JSON object, a call or tool result without an id, a sampling value that is not finite, a
/// negative number of thinking tokens, a response format without a name, whose schema is not a JSON object, or together with tools;
/// for the Responses API, output items that are not a JSON array of objects.
[[nodiscard]] std::string encode_request(const ChatRequest& request, const Encoding& encoding = {});

/// The messages in the order and form that strict chat templates require: one system message first,
/// tool results directly after the calls that they answer, and no two consecutive messages of the
/// same role except tool results and, for the Responses API, those of the assistant. Consecutive texts
/// are joined by a line break.
[[nodiscard]] std::vector<Message> portable_messages(const std::vector<Message>& messages,
                                                     const Quirks& quirks = {},
                                                     Api api = Api::chat_completions);

/// A call's arguments as the text of a JSON object: unchanged if they are valid, repaired if
/// possible (repair_json.hpp), and otherwise "{}", because llama-server and Ollama reject a history
/// whose arguments do not parse.
[[nodiscard]] std::string portable_arguments(const std::string& arguments_json);

} // namespace eyehand::vlm::wire
