// An HTTP/1.1 server on one thread, for few untrusted clients. It limits the sizes, connections and
// times of each client, checks Access before it evaluates a request, and is independent of the
// content. Connections without access cannot exclude clients that have it.
#pragma once

#include "access.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::web {

struct Limits {
    /// Of clients with access. Further requests of such clients are answered, but their connections
    /// are closed afterwards, and streams are refused.
    std::size_t connections = 32;
    /// Connections without a request that has access; at least 1. A further one closes the one that
    /// has been idle the longest, so that idle connections cannot exclude the user.
    std::size_t unauthenticated_connections = 16;
    std::uint32_t header_bytes = 16U << 10U;
    std::chrono::milliseconds request_time{10000}; ///< until a header, and until a body has arrived
    std::chrono::milliseconds write_time{10000};   ///< without progress; for an event: in total
    std::chrono::milliseconds heartbeat{10000};    ///< interval in an idle stream
};

/// The server cannot listen. `what` is the system's reason.
class ListenError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Request {
    std::string method{};
    std::string path{};
    std::string query{}; ///< without "?"
    std::string content_type{};
    std::string body{};
    std::vector<std::pair<std::string, std::string>> fields{};

    /// The value of a header field, without regard to the case of its name. Nothing if it is absent.
    [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const;
};

struct Reply {
    unsigned status = 200;
    std::string type = "text/plain; charset=utf-8";
    std::string body{};
    std::vector<std::pair<std::string, std::string>> fields{};
};

/// The events for one client of the event stream.
class Stream {
public:
    virtual ~Stream() = default;
    /// The next event in wire format; nothing if nothing has changed since the last one.
    [[nodiscard]] virtual std::optional<std::string> next() = 0;
};

/// Answers one request, at any time and from any thread: with `reply`, or with `begin_stream`, any
/// number of `send` and `end`. Whatever comes after the end of the answer is ignored, also when the
/// server no longer exists. Thread-safe.
class Responder {
public:
    virtual ~Responder() = default;
    virtual void reply(Reply reply) = 0;
    /// Begins a stream of events (text/event-stream) with additional header fields.
    virtual void begin_stream(std::vector<std::pair<std::string, std::string>> fields) = 0;
    /// An event in wire format.
    virtual void send(std::string event) = 0;
    virtual void end() = 0;
    /// Calls `lost` on the server's thread if the client disconnects before it has received the whole
    /// answer; at once if it already has.
    virtual void on_disconnect(std::function<void()> lost) = 0;
};

/// The content of a server. Called on the server's thread.
class Site {
public:
    virtual ~Site() = default;
    [[nodiscard]] virtual Reply answer(const Request& request) = 0;
    /// Whether requests for this path are passed to `answer_later`.
    [[nodiscard]] virtual bool answers_later(std::string_view /*path*/) const { return false; }
    virtual void answer_later(const Request& request, std::shared_ptr<Responder> responder);
    /// The answer to a request without the token that it needs.
    [[nodiscard]] virtual Reply no_token() const;
    /// Methods and header fields that pages of allowed origins may use.
    [[nodiscard]] virtual std::string cors_methods() const { return "GET, HEAD, POST, OPTIONS"; }
    [[nodiscard]] virtual std::string cors_fields() const { return "Authorization, Content-Type"; }
    /// Header fields of answers that such pages may read besides the usual ones.
    [[nodiscard]] virtual std::string cors_exposed() const { return {}; }
    /// The server stops: answers that are given now are still sent.
    virtual void leave() {}
    [[nodiscard]] virtual Protection protection(std::string_view path) const = 0;
    /// The maximum length of a request's body, in bytes.
    [[nodiscard]] virtual std::uint64_t max_body(std::string_view path) const = 0;
    [[nodiscard]] virtual bool is_stream(std::string_view path) const = 0;
    [[nodiscard]] virtual std::unique_ptr<Stream> open_stream() = 0;
    /// Called twice a second, to poll for changes without notification.
    virtual void look() {}
};

/// The undecoded value of a query parameter; empty if absent.
[[nodiscard]] std::string_view parameter(std::string_view query, std::string_view name);

class HttpServer {
public:
    /// Starts to listen, and serves on a thread of its own until it is destroyed. `make_access`
    /// receives the port. Throws ListenError. The site must outlive the server.
    HttpServer(const std::string& host, std::uint16_t port, const Limits& limits, Site& site,
               const std::function<Access(std::uint16_t port)>& make_access);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    [[nodiscard]] const Access& access() const;
    [[nodiscard]] std::uint16_t port() const;
    /// Makes the streams look for news. Thread-safe.
    void wake();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::web
