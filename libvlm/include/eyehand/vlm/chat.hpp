// One request to a chat model and its reply.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/message.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm {

/// The interface of a server for requests to its models.
enum class Api {
    chat_completions, ///< POST /v1/chat/completions
    /// POST /v1/responses, without a state on the server unless `ClientOptions::store_responses`
    responses,
};

/// "chat", "responses": the words of settings.
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(Api api);
/// The API with this word, or nothing.
[[nodiscard]] EYEHAND_VLM_API std::optional<Api> parse_api(std::string_view word);

/// A tool offered to the model.
struct ToolSpec {
    std::string name{};
    std::string description{};
    std::string parameters_json{}; ///< a JSON schema of type object; sent byte for byte
    /// The Responses API offers the server's computer tool in place of this function (docs/vlm.md). Its name
    /// must be "computer", and a request can have only one; otherwise, std::invalid_argument.
    bool computer = false;
};

enum class ToolChoice { automatic, none, required };

/// How much a model reasons before it answers. Most models know only some of these.
enum class ReasoningEffort { none, minimal, low, medium, high, xhigh };

/// "none", "minimal", "low", "medium", "high", "xhigh": the words of requests.
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(ReasoningEffort effort);
/// The effort with this word, or nothing.
[[nodiscard]] EYEHAND_VLM_API std::optional<ReasoningEffort>
parse_reasoning_effort(std::string_view word);

/// How closely a model looks at the images of a request, and so how many tokens they cost: `detail` of
/// OpenAI (https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create).
/// `original`, which keeps the size of the image, is only for newer models
/// (https://github.com/vercel/ai/issues/14998).
enum class ImageDetail { low, high, automatic, original };

/// "low", "high", "auto", "original": the words of requests.
[[nodiscard]] EYEHAND_VLM_API std::string_view to_string(ImageDetail detail);
/// The detail with this word, or nothing.
[[nodiscard]] EYEHAND_VLM_API std::optional<ImageDetail> parse_image_detail(std::string_view word);

/// Sampling parameters. The server chooses the values that are not set.
struct Sampling {
    std::optional<double> temperature{};
    std::optional<double> top_p{};
    std::optional<int> top_k{};
    std::optional<double> presence_penalty{};
    std::optional<std::int64_t> seed{};
    std::optional<int> max_tokens{}; ///< of the reply
    std::vector<std::string> stop{};
    // Sent in the form of the server (`Quirks::reasoning`). An option that the server does not
    // support is not sent, and a note of the reply says so.
    std::optional<ReasoningEffort> reasoning_effort{};
    std::optional<int> thinking_tokens{}; ///< maximum number of tokens of the reasoning; 0: none
    /// Sent with each image. Servers other than OpenAI's mostly ignore it; if a server rejects it, it
    /// is not sent, and a note of the reply says so.
    std::optional<ImageDetail> image_detail{};
};

/// The required structure of the reply's text.
struct ResponseFormat {
    std::string name{};        ///< letters, digits, "_" and "-"
    std::string schema_json{}; ///< a JSON schema; sent byte for byte
};

/// Whether tool calls that the model writes into the text of its reply count as calls. They count
/// only if they end the reply and are not in quotation marks, code or a block quote.
enum class TextCalls {
    never,
    /// Only if the client knows that the model does not call tools natively: the tools are described
    /// as text (`Quirks::tools_as_text`).
    if_not_native,
    always, ///< also if the model may call tools natively
};

struct ChatRequest {
    std::string model{}; ///< empty: the field is not sent and the server chooses
    std::vector<Message> messages{};
    std::vector<ToolSpec> tools{}; ///< empty: neither tools nor tool_choice are sent
    ToolChoice tool_choice = ToolChoice::automatic;
    TextCalls text_calls = TextCalls::if_not_native;
    Sampling sampling{};
    /// Cannot be combined with tools. If the server rejects it, it is not sent, and a note of the
    /// reply says so.
    std::optional<ResponseFormat> response_format{};
    /// Whether `ChatReply::response` is wanted. Not sent; a model without a server ignores it.
    bool keep_response = false;
};

/// Token counts and processing times. A value that the server does not report is not set.
struct Usage {
    std::optional<int> prompt_tokens{};
    std::optional<int> cached_tokens{};
    std::optional<int> completion_tokens{};
    std::optional<double> prompt_ms{};     ///< processing uncached tokens; llama-server only
    std::optional<double> completion_ms{}; ///< generating the reply; llama-server only
};

enum class FinishReason { stop, length, tool_calls, content_filter, error, unknown };

/// A tool call in the text of a reply that is not among the calls of the reply. A call that is
/// obviously a part of the answer, such as an example in code, is not mentioned.
enum class IgnoredCall {
    none,
    not_accepted, ///< it ends the reply, but calls in the text do not count (`TextCalls`)
    unclear,      ///< malformed, of a tool that is not offered, or followed by other text
    quoted,       ///< it ends the reply, but is in quotation marks, code or a block quote
};

/// The successful answer of a server as the client received it. `decode_response`
/// (eyehand/vlm/raw_response.hpp) makes the reply from it.
struct RawResponse {
    std::string body{};               ///< decompressed; any bytes
    bool event_stream = false;        ///< the content type is text/event-stream
    bool tools_as_text = false;       ///< the request described its tools as text
    std::vector<std::string> notes{}; ///< those of `ChatReply::notes` that precede the decoder's
    Api api = Api::chat_completions;
    friend bool operator==(const RawResponse&, const RawResponse&) = default;
};

struct ChatReply {
    std::string text{};      ///< UTF-8; think blocks that the server left in the text are kept
    std::string reasoning{}; ///< reasoning that the server delivered in a separate field
    std::vector<ToolCall> tool_calls{}; ///< each with an id and a name
    /// Of the Responses API: the output items, such as encrypted reasoning, as a JSON array. The next
    /// request returns them to the model (`message_of`). Empty for chat completions.
    std::string items_json{};
    /// Of the Responses API: the server's id of the response. Recordings do not keep it.
    std::string response_id{};
    IgnoredCall ignored_call = IgnoredCall::none; ///< only if the reply has no calls
    FinishReason finish = FinishReason::unknown;
    Usage usage{};
    std::string model{};               ///< as the server named it
    std::chrono::milliseconds wait{};  ///< time to the first delta; not streamed: the first byte
    std::chrono::milliseconds total{}; ///< duration of the last attempt
    /// Corrections and retries, in words for the user: "recovered 1 tool call from the text
    /// (<tool_call>)", "asked 2 times: the server is busy". That an option was not sent is noted only
    /// once per client: "reasoning_effort was not sent: the server does not support it".
    std::vector<std::string> notes{};
    /// Only if `ChatRequest::keep_response`: what the server sent. Null if it contains the API key.
    std::shared_ptr<const RawResponse> response{};
};

/// The reply as a message of the next request.
[[nodiscard]] EYEHAND_VLM_API Message message_of(const ChatReply& reply);

} // namespace eyehand::vlm
