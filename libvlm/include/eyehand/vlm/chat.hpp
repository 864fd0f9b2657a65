// One request to a chat model and its reply.
#pragma once

#include "eyehand/vlm/message.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::vlm {

/// A tool as it is offered to a model.
struct ToolSpec {
    std::string name{};
    std::string description{};
    std::string parameters_json{}; ///< a JSON schema of type object; sent byte for byte
};

enum class ToolChoice { automatic, none, required };

/// How the model picks its words; what is not set is left to the server.
struct Sampling {
    std::optional<double> temperature{};
    std::optional<double> top_p{};
    std::optional<int> top_k{};
    std::optional<double> presence_penalty{};
    std::optional<std::int64_t> seed{};
    std::optional<int> max_tokens{}; ///< of the reply
    std::vector<std::string> stop{};
};

/// What the reply's text has to look like.
struct ResponseFormat {
    std::string name{};        ///< letters, digits, "_" and "-"
    std::string schema_json{}; ///< a JSON schema; sent byte for byte
};

struct ChatRequest {
    std::string model{}; ///< empty: the server's choice (the field is then not sent)
    std::vector<Message> messages{};
    std::vector<ToolSpec> tools{}; ///< empty: neither tools nor tool_choice are sent
    ToolChoice tool_choice = ToolChoice::automatic;
    Sampling sampling{};
    std::optional<ResponseFormat> response_format{}; ///< not together with tools
};

/// Token counts and what they took; what a server does not tell is unknown, not zero.
struct Usage {
    std::optional<int> prompt_tokens{};
    std::optional<int> cached_tokens{};
    std::optional<int> completion_tokens{};
    std::optional<double> prompt_ms{};     ///< reading what was not cached; llama-server only
    std::optional<double> completion_ms{}; ///< writing; llama-server only
};

enum class FinishReason { stop, length, tool_calls, content_filter, error, unknown };

struct ChatReply {
    std::string text{}; ///< UTF-8; think blocks that the server left in the text are still there
    std::string reasoning{};            ///< what the server delivered apart as reasoning
    std::vector<ToolCall> tool_calls{}; ///< each with an id and a name
    FinishReason finish = FinishReason::unknown;
    Usage usage{};
    std::string model{};               ///< as the server named it
    std::chrono::milliseconds wait{};  ///< to the first delta; not streamed: to the first byte
    std::chrono::milliseconds total{}; ///< until the answer was complete; of the last attempt
    /// What had to be mended, for people: "recovered 1 tool call from the text (<tool_call>)",
    /// "asked 2 times: the server is busy".
    std::vector<std::string> notes{};
};

} // namespace eyehand::vlm
