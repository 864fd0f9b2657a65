// A chat server on a real socket that answers what a test told it to, also badly.
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
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::vlm::testing {

/// The same bytes again and again: a body that is too large to be held in memory.
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
    /// Further ones. A "Content-Length" here takes the place of the true one.
    std::map<std::string, std::string> headers{};
    std::string raw{};  ///< if not empty, these bytes instead of all the above
    bool never = false; ///< reads the request and stays silent until the client goes away
    bool close = false; ///< closes the connection after what was sent, else keeps it; resets it if
                        ///< nothing was (`cut_after` 0)
    std::size_t cut_after = std::string::npos; ///< sends only so many bytes, then closes
    /// If not empty, these one after the other instead of all the above but `close` and `reset`.
    std::vector<Part> parts{};
    bool reset = false; ///< resets the connection (TCP RST) after what was sent
};

/// A chat completion whose message has this text and, if `tool` is not empty, one call of it.
[[nodiscard]] EYEHAND_VLM_API std::string completion(const std::string& text,
                                                     const std::string& tool = {},
                                                     const std::string& arguments_json = "{}");

/// The head of a successful answer whose body follows in chunks.
[[nodiscard]] EYEHAND_VLM_API std::string
chunked_head(const std::string& content_type = "text/event-stream");
/// One chunk of such a body; of an empty text the one that ends it.
[[nodiscard]] EYEHAND_VLM_API std::string chunk(std::string_view text);
/// `bytes` one at a time, with `gate` before each but the first.
[[nodiscard]] EYEHAND_VLM_API std::vector<Part> byte_by_byte(std::string_view bytes,
                                                             const Gate& gate);
/// For a body with the header "Content-Encoding: gzip".
[[nodiscard]] EYEHAND_VLM_API std::string gzipped(std::string_view text);

struct ReceivedRequest {
    std::string method;
    std::string target;
    std::map<std::string, std::string> headers; ///< names in lower case
    std::string body;
};

/// Who a TLS server says it is.
struct TlsIdentity {
    std::string certificate_pem; ///< its own certificate, then those of intermediate authorities
    std::string key_pem;
};

struct ServerOptions {
    std::optional<TlsIdentity> tls{}; ///< speaks https as this one
    /// As a proxy: CONNECT, to whatever host, is answered 200 and leads to this port on loopback.
    /// Without it CONNECT takes the next answer like any other request. Requests with an absolute
    /// URL always do, and so need no option.
    std::optional<int> connect_to{};
    std::string address = "127.0.0.1"; ///< or "::1"
};

/// Listens on a free loopback port on a thread of its own. Thread-safe.
class EYEHAND_VLM_API ChatServer {
public:
    ChatServer();
    /// Throws std::runtime_error if it cannot listen there, or if the identity makes no sense.
    explicit ChatServer(const ServerOptions& options);
    ~ChatServer(); ///< closes every connection and joins the thread
    ChatServer(const ChatServer&) = delete;
    ChatServer& operator=(const ChatServer&) = delete;

    [[nodiscard]] int port() const;
    [[nodiscard]] std::string url() const; ///< "http://127.0.0.1:PORT" and the like

    /// Answers are used up in order; without one left the server answers 500.
    void enqueue(Answer answer);
    /// From when it returns, new connections are refused; those that are open stay.
    void stop_listening();
    [[nodiscard]] std::vector<ReceivedRequest> requests() const;
    [[nodiscard]] std::size_t connections() const; ///< accepted so far
    /// Waits until the server has read that many requests; false when it took longer than
    /// `at_most`.
    bool wait_for_requests(std::size_t count, std::chrono::milliseconds at_most) const;
    /// Waits until no connection is open: a client that cancels has closed its socket.
    bool wait_until_disconnected(std::chrono::milliseconds at_most) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm::testing
