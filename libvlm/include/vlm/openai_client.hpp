// A client for OpenAI-compatible chat-completions servers.
//
//     vlm::OpenAiClient model({.endpoint = "http://localhost:1234"});
//     vlm::ChatRequest request;
//     request.messages = {vlm::Message::user("What is on this screen?", vlm::make_image(png))};
//     std::puts(model.reply(request).text.c_str());
#pragma once

#include "vlm/error.hpp"
#include "vlm/model.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vlm {

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

struct ClientOptions {
    /// A base ("http://host:1234", "http://host:1234/v1") or the full path of chat completions.
    std::string endpoint = "http://localhost:1234/v1/chat/completions";
    std::string api_key{};                           ///< sent as a bearer token; empty: none
    std::chrono::milliseconds connect_timeout{5000}; ///< 0 or less: none
    std::chrono::milliseconds timeout{240000};       ///< for the whole exchange; 0 or less: none
    std::size_t max_response_bytes = std::size_t{64} << 20;
    std::function<void(const Exchange&)>
        on_exchange{}; ///< after each exchange, on the calling thread
};

/// Speaks the portable form of the protocol that all known servers accept (docs/vlm.md). Blocking;
/// one connection, kept alive between requests. Not thread-safe.
class OpenAiClient final : public ChatModel {
public:
    /// Throws Error{bad_url}; std::invalid_argument if the key contains what cannot stand in a header.
    explicit OpenAiClient(ClientOptions options = {});
    ~OpenAiClient() override;

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;
    /// The ids of the models the server offers.
    std::vector<std::string> models(std::stop_token stop = {});

    /// The URL that requests go to, after completion of a base; without its query.
    [[nodiscard]] const std::string& url() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vlm
