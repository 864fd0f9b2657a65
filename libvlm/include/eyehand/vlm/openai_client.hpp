// A client for OpenAI-compatible chat-completions servers.
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

/// One HTTP exchange, for logs. Image data is replaced by its SHA-256 and length; no key is in it.
struct Exchange {
    std::string method{};
    std::string url{}; ///< without its query, where some services expect the key
    std::string request_body{};
    int status = 0;              ///< 0: there was no answer
    std::string response_body{}; ///< as received, but for the key and image data
    std::string error{};         ///< why it failed, or empty
    std::chrono::milliseconds elapsed{};
};

/// Where a server wants something else than the form that most accept (docs/vlm.md).
struct Quirks {
    /// The output limit goes out as "max_completion_tokens": OpenAI's newer models refuse the other.
    bool max_completion_tokens = false;
    /// Fields that OpenAI's own API does not have (top_k) are left out: it and Gemini refuse them.
    bool standard_fields_only = false;
    /// An empty word of the assistant goes between the results of tools and what the user says
    /// next: some hosts of Mistral models refuse "user" behind "tool".
    bool answer_before_user = false;
    /// "stream_options" is left out, and with it token counts of streams.
    bool no_stream_options = false;
    /// The model is asked for one call at a time ("parallel_tool_calls": false).
    bool one_call_at_a_time = false;
    /// Tools are described in the system message, calls read from the text and results sent as the
    /// user's words: for models or servers without tool calling.
    bool tools_as_text = false;
};

/// What is known of the services behind well-known host names; for all others none.
[[nodiscard]] EYEHAND_VLM_API Quirks quirks_of(std::string_view endpoint);

/// When a failed request is sent again: the policy of OpenAI's Python client 3.3.1 (two more times;
/// delays 0.5, 1, 2 ... 8 s, each shortened by up to a quarter at random; "x-should-retry",
/// "retry-after-ms" and "Retry-After" of the server count, the latter up to 120 s). Never once a
/// delta has been handed out, nor when `Error::retry` says that it cannot help.
struct RetryPolicy {
    int max_retries = 2; ///< attempts after the first; 0: none
    std::chrono::milliseconds first_delay{500};
    std::chrono::milliseconds max_delay{8000};
    std::chrono::milliseconds max_retry_after{120000}; ///< of the server; a longer one ends it
    /// How long a server may go on loading its model (503 "Loading model"); it is asked at
    /// intervals of `loading_interval`, and this does not count as an attempt.
    std::chrono::milliseconds max_loading_time{300000};
    std::chrono::milliseconds loading_interval{1000};
};

/// That a request will be sent again.
struct Attempt {
    int number = 2;                    ///< of the attempt to come
    std::chrono::milliseconds delay{}; ///< before it
    bool loading = false;              ///< the server loads its model
    std::string reason{};              ///< `what()` of the failure
};

struct ClientOptions {
    /// A base ("http://host:1234", "http://host:1234/v1") or the full path of chat completions.
    std::string endpoint = "http://localhost:1234/v1/chat/completions";
    std::string api_key{}; ///< sent as a bearer token; empty: none
    std::string ca_file{}; ///< PEM, UTF-8 path: authorities besides the system's, for https
    Proxies proxies{};     ///< nothing is read from the environment
    // Limits: each its own clock and its own message; of 0 or less: none.
    std::chrono::milliseconds connect_timeout{5000};
    /// From the last byte of the request to the first of the answer; a model that thinks takes
    /// minutes.
    std::chrono::milliseconds first_byte_timeout{0};
    std::chrono::milliseconds idle_timeout{0}; ///< between two bytes of an answer
    std::chrono::milliseconds timeout{240000}; ///< for one attempt as a whole
    std::size_t max_response_bytes = std::size_t{64} << 20;
    bool stream = true; ///< where somebody listens (`on_delta`); else nothing is streamed
    std::optional<Quirks> quirks{}; ///< not set: `quirks_of(endpoint)`
    RetryPolicy retries{};
    /// Requests to this machine wait for each other, whichever client of this process sends them:
    /// LM Studio's engine crashes when it is asked for two things at once.
    bool one_at_a_time = true;
    // All called on the calling thread; must not throw.
    std::function<void(const Exchange&)> on_exchange{}; ///< after each attempt
    std::function<void(const Attempt&)> on_retry{};     ///< before the delay
};

/// Speaks the portable form of the protocol that all known servers accept (docs/vlm.md). Blocking;
/// one connection, kept alive between requests. Not thread-safe.
class EYEHAND_VLM_API OpenAiClient final : public ChatModel {
public:
    /// Throws Error: `bad_url`, `not_supported` (a proxy setting), `untrusted` (the CA file);
    /// std::invalid_argument if the key contains what cannot stand in a header.
    explicit OpenAiClient(ClientOptions options = {});
    ~OpenAiClient() override;

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;
    /// The ids of the models the server offers.
    std::vector<std::string> models(const std::stop_token& stop = {});

    /// The URL that requests go to, after completion of a base; without its query.
    [[nodiscard]] const std::string& url() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm
