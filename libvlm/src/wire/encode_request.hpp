// From a ChatRequest to the body of an HTTP request, in the form that all known servers accept
// (docs/vlm.md, "Request format").
#pragma once

#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/openai_client.hpp"

#include <string>
#include <vector>

namespace eyehand::vlm::wire {

enum class ImageMode {
    inlined, ///< a base64 data URL
    redacted ///< "sha256:<hex>, <n> bytes": for logs
};

struct Encoding {
    ImageMode images = ImageMode::inlined;
    Quirks quirks{}; ///< `tools_as_text` is not heeded: tools_as_text.hpp
    bool stream = false;
};

/// The same request gives the same bytes. Text that is not UTF-8 gets U+FFFD in its place. Throws
/// std::invalid_argument for what no server could understand: no messages, an image without bytes
/// (unless redacted) or outside a user message, a tool without a name or whose parameters are no
/// JSON object, a call or tool result without an id, a sampling value that is not finite, a response
/// format without a name, whose schema is no JSON object, or together with tools.
[[nodiscard]] std::string encode_request(const ChatRequest& request, const Encoding& encoding = {});

/// The messages in the order and shape that strict chat templates ask for: one system message in
/// front, tool results directly behind the calls they answer, and no two neighbours of the same
/// role except tool results. Neighbouring texts are joined by a line break.
[[nodiscard]] std::vector<Message> portable_messages(const std::vector<Message>& messages,
                                                     const Quirks& quirks = {});

/// A call's arguments as JSON text of an object, byte for byte if they are that already, repaired
/// where they can be (repair_json.hpp), and "{}" otherwise: llama-server and Ollama refuse a history
/// whose arguments do not parse.
[[nodiscard]] std::string portable_arguments(const std::string& arguments_json);

} // namespace eyehand::vlm::wire
