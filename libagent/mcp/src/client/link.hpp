// A connection to a server.
#pragma once

#include "client/conversation.hpp"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace eyehand::mcp {

/// The server refused a request before it handled it: with a status of HTTP.
class StatusError : public Error {
public:
    StatusError(errc code, const std::string& what, int status)
        : Error(code, what), status_(status) {}
    [[nodiscard]] int status() const { return status_; }

private:
    int status_;
};

/// The same with an error of the protocol in its body.
class RefusedRequest : public StatusError {
public:
    RefusedRequest(const std::string& server, RpcError error, int status);
    [[nodiscard]] const RpcError& error() const { return error_; }

private:
    RpcError error_;
};

/// The error of a response, for messages.
[[nodiscard]] Error remote_error(const std::string& server, const RpcError& error);

/// `text` as the value of a header: in base64 with a mark if it contains other than plain ASCII.
[[nodiscard]] std::string header_value(std::string_view text);

struct OutgoingCall {
    RpcRequest request{};
    std::chrono::milliseconds timeout{};
    std::stop_token stop{};
    std::function<void(const Progress&)> on_progress{}; ///< called on the thread of the caller
    /// For HTTP, besides those that follow from the request.
    std::vector<std::pair<std::string, std::string>> headers{};
    bool cancellable =
        true; ///< whether the server is told if the call is stopped or takes too long
};

/// Thread-safe. Destroying it ends the connection, and the server if the client has started it.
class Link {
public:
    virtual ~Link() = default;
    /// Sends a request and waits for its response. Throws Error.
    [[nodiscard]] virtual RpcResponse ask(const OutgoingCall& call) = 0;
    virtual void tell(const RpcNotification& notification) = 0;
    /// Once the revision is known. `stateless`: 2026-07-28 or later.
    virtual void set_revision(const std::string& revision, bool stateless) = 0;
    /// Begins to receive what the server sends by itself. `request` is subscriptions/listen of the stateless
    /// revisions.
    virtual void listen(const RpcRequest& request) = 0;
    /// Waits until an older server can send something by itself after `listen`, or until that has failed or takes
    /// too long.
    virtual void wait_until_listening(const std::stop_token& /*stop*/) {}
    [[nodiscard]] virtual bool is_lost() const = 0;
    [[nodiscard]] virtual Conversation& conversation() = 0;
};

/// Starts the program. Throws Error{unreachable}.
[[nodiscard]] std::unique_ptr<Link> start_program(const ClientOptions& options,
                                                  ServerEvents events);
/// Connects at the first request. Throws Error{bad_config} for an invalid URL.
[[nodiscard]] std::unique_ptr<Link> connect_to_url(const ClientOptions& options,
                                                   ServerEvents events);

} // namespace eyehand::mcp
