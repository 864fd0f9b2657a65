// A chat server for tests, on a real socket, with scripted answers and faults.
//
//     vlm::testing::ChatServer server;
//     server.enqueue({.body = vlm::testing::completion("hello")});
//     vlm::OpenAiClient model({.endpoint = server.url()});
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/testing/gate.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::vlm::testing {

/// A repeated block of bytes, for bodies that are too large for memory.
struct Repeated {
    std::string block;
    std::uint64_t times = 1;
};

/// A piece of an answer: bytes, or a gate at which the server waits.
using Part = std::variant<std::string, Repeated, Gate>;

/// What the server does with one request.
struct Answer {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    /// Further headers. A "Content-Length" here replaces the correct one.
    std::map<std::string, std::string> headers{};
    std::string raw{};  ///< if not empty: sent instead of all members above
    bool never = false; ///< reads the request and sends nothing until the client disconnects
    /// Closes the connection after the answer, or resets it if no byte was sent (`cut_after` 0). If
    /// false, the connection is kept.
    bool close = false;
    std::size_t cut_after = std::string::npos; ///< sends at most this many bytes, then closes
    /// If not empty: sent in order, instead of all members above except `close`.
    std::vector<Part> parts{};
    bool reset = false; ///< resets the connection (TCP RST) after the answer
    /// Called on the server's thread when the client disconnects before the answer is complete.
    std::function<void()> on_disconnect{};
};

/// A chat completion with this text and, if `tool` is not empty, one call of that tool.
[[nodiscard]] EYEHAND_VLM_API std::string completion(const std::string& text,
                                                     const std::string& tool = {},
                                                     const std::string& arguments_json = "{}");

/// The status line and headers of a successful answer whose body follows in chunks.
[[nodiscard]] EYEHAND_VLM_API std::string
chunked_head(const std::string& content_type = "text/event-stream");
/// One chunk of such a body; an empty text makes the final chunk.
[[nodiscard]] EYEHAND_VLM_API std::string chunk(std::string_view text);
/// Splits `bytes` into single bytes, with `gate` before each one except the first.
[[nodiscard]] EYEHAND_VLM_API std::vector<Part> byte_by_byte(std::string_view bytes,
                                                             const Gate& gate);
/// Compresses a body for the header "Content-Encoding: gzip".
[[nodiscard]] EYEHAND_VLM_API std::string gzipped(std::string_view text);

struct ReceivedRequest {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;
};

/// Answers a request depending on its content. Called on the server's thread; must not throw.
using Respond = std::function<Answer(const ReceivedRequest&)>;

/// The certificate of a TLS server.
struct TlsIdentity {
    std::string certificate_pem; ///< its certificate, then those of intermediate authorities
    std::string key_pem;
};

struct ServerOptions {
    std::optional<TlsIdentity> tls{}; ///< serve https with this certificate
    /// Act as a proxy: answer each CONNECT with 200 and forward it to this port on loopback,
    /// regardless of the requested host. If not set, a CONNECT takes the next answer, as requests
    /// with an absolute URL always do.
    std::optional<int> connect_to{};
    std::string address = "127.0.0.1"; ///< or "::1"
    Respond respond{};                 ///< replaces the answers that are enqueued
    /// Whether `requests` returns the received requests. A test of many turns switches it off, because
    /// they take memory; `wait_for_requests` counts them nevertheless.
    bool keep_requests = true;
};

/// Listens on a free loopback port, on its own thread. Thread-safe.
class EYEHAND_VLM_API ChatServer {
public:
    ChatServer();
    /// Throws std::runtime_error if it cannot listen, or if certificate or key are not valid.
    explicit ChatServer(const ServerOptions& options);
    ~ChatServer(); ///< closes every connection and joins the thread
    ChatServer(const ChatServer&) = delete;
    ChatServer& operator=(const ChatServer&) = delete;

    [[nodiscard]] int port() const;
    [[nodiscard]] std::string url() const; ///< such as "http://127.0.0.1:PORT"

    /// Adds an answer. Each request takes the next one; when none is left, the server answers 500.
    void enqueue(Answer answer);
    /// Refuses new connections from now on; open connections stay. The port remains reserved until
    /// the server is destroyed, so a client does not reach another program there.
    void stop_listening();
    [[nodiscard]] std::vector<ReceivedRequest> requests() const;
    [[nodiscard]] std::size_t connections() const; ///< accepted so far
    /// Waits until the server has read `count` requests. Returns false after `timeout`.
    bool wait_for_requests(std::size_t count, std::chrono::milliseconds timeout) const;
    /// Waits until no connection is open, for example after the client canceled a request. Returns
    /// false after `timeout`.
    bool wait_until_disconnected(std::chrono::milliseconds timeout) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm::testing
