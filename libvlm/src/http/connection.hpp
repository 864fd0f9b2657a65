// An HTTP/1.1 connection that is kept alive between requests.
#pragma once

#include "lookup.hpp"
#include "proxy.hpp"
#include "url.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::http {

struct Header {
    std::string name;
    std::string value;
};

struct Response;

struct Request {
    std::string method;
    std::string target;
    /// Besides Host, Content-Length and Accept-Encoding. Names and values must not contain line
    /// breaks.
    std::vector<Header> headers;
    std::string_view body; ///< must stay alive during the request
    /// Receives status and headers of a successful answer (2xx) before its body, on the calling thread.
    std::function<void(const Response& head)> on_head{};
};

/// Each time limit has its own clock and error message; 0 or less: no limit.
struct Limits {
    /// Name lookup, TCP, the proxy and the TLS handshake.
    std::chrono::milliseconds connect{5000};
    /// From the last byte of the request to the first byte of the answer. A model that thinks can
    /// take minutes.
    std::chrono::milliseconds first_byte{0};
    /// Between two bytes of the answer, and while the server does not read the request.
    std::chrono::milliseconds silence{0};
    /// The whole request, including connecting and redirections.
    std::chrono::milliseconds total{240000};
    std::uint32_t header_bytes = 64 * 1024;
    std::size_t body_bytes = std::size_t{64} << 20; ///< of the answer, decoded; 0: no limit
    /// Of an answer that is not successful (2xx): the rest is cut off and the connection closed.
    /// Error messages are short, and the status is known.
    std::size_t error_bytes = std::size_t{1} << 20;
};

struct Response {
    int status = 0;
    std::vector<Header> headers;
    std::string body;                       ///< empty if an OnBody received it
    std::chrono::milliseconds first_byte{}; ///< since the start of the request

    /// The value of the first header with this name (ignoring case), or empty.
    [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// Receives the body of a successful answer (2xx) as it arrives, on the calling thread; `bytes` is
/// never empty, `head` has status and headers. An exception ends the request and closes the
/// connection. Return false to ignore the rest of the body: the request then ends with the body or
/// shortly afterwards, even if the server keeps the body open.
using OnBody = std::function<bool(const Response& head, std::string_view bytes)>;

struct ConnectionOptions {
    Proxies proxies{};
    std::string ca_file{}; ///< PEM, UTF-8; authorities besides the system's, for https
    Resolver resolver = &resolve;
};

/// Connects at the first request, and again if the server has closed the connection since then: a
/// kept connection that fails before the first byte of an answer is replaced once. "localhost"
/// means the loopback addresses, without a lookup. The address that worked last is tried first.
///
/// Certificates and host names of https servers are always verified. At most five redirections are
/// followed: to the same host and port, or from http to https on the same host, and only if they
/// preserve the request (307 and 308; any for a GET). So no header, such as a key, reaches another
/// host. A body that is compressed against the request's Accept-Encoding is decoded (gzip,
/// deflate).
///
/// Not thread-safe.
class Connection {
public:
    /// Throws Error: `bad_url` or `not_supported` for a proxy setting, `untrusted` for a CA file.
    explicit Connection(Url url, ConnectionOptions options = {});
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Sends the request and waits for the whole answer, of any status. Throws Error:
    /// `unreachable`, `untrusted`, `unauthorized` (407, from the proxy), `timeout`,
    /// `connection_lost`, `bad_response` (not HTTP), `response_too_large`, `http_status` (a
    /// redirection to another host), `cancelled`; std::invalid_argument for a header with a line
    /// break. After an error the connection is closed.
    Response request(const Request& request, const Limits& limits, std::stop_token stop,
                     const OnBody& on_body = {});

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm::http
