// One HTTP/1.1 connection that is kept alive between requests.
#pragma once

#include "url.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace vlm::http {

struct Header {
    std::string name;
    std::string value;
};

struct Request {
    std::string method;
    std::string target;
    std::vector<Header> headers; ///< besides Host and Content-Length
    std::string_view body;       ///< must stay alive during the request
};

struct Limits {
    std::chrono::milliseconds connect{5000};        ///< name lookup included; 0 or less: none
    std::chrono::milliseconds total{240000};        ///< connecting included; 0 or less: none
    std::size_t body_bytes = std::size_t{64} << 20; ///< of the answer
};

struct Response {
    int status = 0;
    std::vector<Header> headers;
    std::string body;
    std::chrono::milliseconds first_byte{}; ///< since the request was begun

    /// The value of the first header of that name (case does not matter), or empty.
    [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// From a host name to numeric addresses, in the order in which they are tried. Blocks; called on a
/// thread of its own, which may outlive the connection. Throws std::system_error.
using Resolver = std::function<std::vector<std::string>(const std::string& host)>;

/// The system's name lookup.
[[nodiscard]] std::vector<std::string> resolve(const std::string& host);

/// Connects at the first request and again when the server has closed in between: a kept-alive
/// connection that fails before the first byte of an answer is replaced once. "localhost" is the
/// loopback addresses, without a lookup; the address that worked is tried first from then on. Not
/// thread-safe.
class Connection {
public:
    explicit Connection(Url url, Resolver resolver = &resolve);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Sends and waits for the whole answer, whatever its status. Throws Error: `unreachable`,
    /// `timeout`, `connection_lost`, `bad_response` (not HTTP), `response_too_large`, `cancelled`.
    /// After an error the connection is closed.
    Response request(const Request& request, const Limits& limits, std::stop_token stop);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace vlm::http
