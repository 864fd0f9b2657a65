// A client for servers with OpenAI-compatible chat completions.
//
//     vlm::OpenAiClient model({.endpoint = "http://localhost:1234"});
//     vlm::ChatRequest request;
//     request.messages = {vlm::Message::user("What is on this screen?", vlm::make_image(png))};
//     model.reply(request, [](const vlm::Delta& delta) { std::fputs(delta.text.c_str(), stdout); });
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/model.hpp"
#include "eyehand/vlm/proxies.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm {

/// One HTTP exchange, for logs. Image data is replaced by its SHA-256 and length; API keys are
/// removed.
struct Exchange {
    std::string method{};
    std::string url{}; ///< without the query, because some services expect the key there
    std::string request_body{};
    int status = 0;              ///< 0: the server did not answer
    std::string response_body{}; ///< as received, except for the key and image data
    std::string error{};         ///< why the exchange failed, or empty
    std::chrono::milliseconds elapsed{};
};

/// The form in which a server takes `Sampling::reasoning_effort` and `thinking_tokens`
/// (docs/vlm.md, "Reasoning").
enum class ReasoningForm {
    standard,     ///< "reasoning_effort": OpenAI, Mistral, LM Studio, Ollama, unknown servers
    openrouter,   ///< "reasoning": the effort or the tokens
    gemini,       ///< "reasoning_effort", or the tokens in "extra_body"
    llama_server, ///< "reasoning_effort", "thinking_budget_tokens", "chat_template_kwargs"
    vllm,         ///< "reasoning_effort", "thinking_token_budget", "chat_template_kwargs"
};

/// Deviations from the common request format (docs/vlm.md).
struct Quirks {
    /// Sends the output limit as "max_completion_tokens": OpenAI's newer models reject
    /// "max_tokens".
    bool max_completion_tokens = false;
    /// Leaves out fields that OpenAI's own API does not have (top_k): OpenAI and Gemini reject
    /// them.
    bool standard_fields_only = false;
    /// Inserts an assistant message ("Noted.") between tool results and the next user message: some
    /// hosts of Mistral models reject "user" directly after "tool".
    bool answer_before_user = false;
    /// Leaves out "stream_options"; streams may then have no token counts.
    bool no_stream_options = false;
    /// Allows the model only one tool call per reply ("parallel_tool_calls": false).
    bool one_call_at_a_time = false;
    /// Describes tools in the system message, reads calls from the text, and sends results as user
    /// messages: for models and servers without tool calling.
    bool tools_as_text = false;
    ReasoningForm reasoning = ReasoningForm::standard;
    // Options that are not sent. The client sets these if the server rejects a request because of the
    // option.
    bool no_reasoning_effort = false;
    bool no_thinking_tokens = false;
    bool no_response_format = false;
    bool no_image_detail = false;
    /// Of the Responses API: does not request encrypted reasoning. The client sets it if the server
    /// rejects that, as OpenAI does for models that do not reason.
    bool no_encrypted_reasoning = false;
};

/// Returns the quirks of well-known services, chosen by host name; none for any other host.
[[nodiscard]] EYEHAND_VLM_API Quirks quirks_of(std::string_view endpoint);

/// When to send a failed request again. The default is the policy of OpenAI's Python client 3.3.1:
/// two retries after 0.5 s and 1 s (with more retries, doubling up to 8 s), each delay shortened by
/// up to a quarter at random. The response header "x-should-retry" takes precedence, and
/// "retry-after-ms" or "Retry-After" can request a longer delay, but not a shorter one. A request
/// is never sent again after a delta was delivered, or if `Error::retry` returns `never`.
struct RetryPolicy {
    int max_retries = 2; ///< attempts after the first one; 0: none
    std::chrono::milliseconds first_delay{500};
    std::chrono::milliseconds max_delay{8000};
    /// If the server requests a longer delay than this, the request fails at once.
    std::chrono::milliseconds max_retry_after{120000};
    /// How long to wait for a server that is loading its model (503 "Loading model"). The client
    /// asks again every `loading_interval`, or later if the server requests it; these requests do
    /// not count as retries.
    std::chrono::milliseconds max_loading_time{300000};
    std::chrono::milliseconds loading_interval{1000};
};

/// Announces a retry.
struct Attempt {
    int number = 2;                    ///< of the next attempt; the first one is 1
    std::chrono::milliseconds delay{}; ///< before the next attempt
    bool loading = false;              ///< the server is loading its model
    std::string reason{};              ///< `what()` of the failure
};

struct ClientOptions {
    /// A base URL ("http://host:1234", "http://host:1234/v1") or the full URL of one of the APIs. It
    /// does not choose the API: with `Api::responses`, ".../v1/chat/completions" means
    /// ".../v1/responses", and the reverse.
    std::string endpoint = "http://localhost:1234/v1/chat/completions";
    Api api = Api::chat_completions;
    /// Of the Responses API: the server keeps the responses and, with them, what they answer. A request
    /// that continues a kept response has only the new items, and names that response. OpenAI keeps all
    /// of it for 30 days (docs/vlm.md, "Stored responses"). Ignored for chat completions.
    bool store_responses = false;
    std::string api_key{}; ///< sent as a bearer token; empty: none
    std::string ca_file{}; ///< UTF-8 path of a PEM file with authorities besides the system's
    Proxies proxies{};     ///< the environment is not read
    // Time limits of one attempt; each retry starts them again. All are the error `timeout`, with a
    // message that names the limit; 0 or less: no limit. There is no limit for all attempts of a
    // request together except those of `retries`: use the stop token.
    std::chrono::milliseconds connect_timeout{5000}; ///< name lookup, TCP, proxy, TLS handshake
    /// From the last byte of the request to the first byte of the answer. A model that thinks can
    /// take minutes.
    std::chrono::milliseconds first_byte_timeout{0};
    /// Between two bytes of an answer, and while the server does not read the request.
    std::chrono::milliseconds idle_timeout{0};
    /// For one attempt as a whole, from the name lookup to the last byte of the answer, redirections
    /// included. It also ends an answer that is still arriving.
    std::chrono::milliseconds timeout{240000};
    /// Of an answer, decoded; 0: no limit. Of the body of an error, at most 1 MiB is read.
    std::size_t max_response_bytes = std::size_t{64} << 20;
    bool stream = true;             ///< stream the reply if the caller passes an `on_delta`
    std::optional<Quirks> quirks{}; ///< not set: `quirks_of(endpoint)`
    RetryPolicy retries{};
    /// Requests to this computer wait for each other, across all clients of this process: LM
    /// Studio's engine crashes on simultaneous requests.
    bool one_at_a_time = true;
    // Both are called on the thread that called `reply` and must not throw.
    std::function<void(const Exchange&)> on_exchange{}; ///< after each attempt
    std::function<void(const Attempt&)> on_retry{};     ///< before the delay
};

/// Uses only the part of each API that all known servers accept (docs/vlm.md). Calls block.
/// Keeps one connection alive between requests. Not thread-safe.
class EYEHAND_VLM_API OpenAiClient final : public ChatModel {
public:
    /// Throws Error: `bad_url`, `not_supported` (a proxy setting), `untrusted` (the CA file);
    /// std::invalid_argument if the key contains a space, a control character or a character
    /// outside ASCII.
    explicit OpenAiClient(ClientOptions options = {});
    ~OpenAiClient() override;

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;
    /// Returns the ids of the models that the server lists. A list of more than 5000 models or 16 MiB
    /// is an error.
    std::vector<std::string> models(const std::stop_token& stop = {});

    /// The full URL of the API, without its query.
    [[nodiscard]] const std::string& url() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm
