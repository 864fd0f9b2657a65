// An HTTP/1.1 server on one thread, for few untrusted clients. It limits the sizes, connections and
// times of each client, checks Access before it evaluates a request, and is independent of the
// content. Connections without access cannot exclude clients that have it.
#pragma once

#include "access.hpp"
#include "eyehand/panel/panel.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::panel {

struct Request {
    std::string method{};
    std::string path{};
    std::string query{}; ///< without "?"
    std::string content_type{};
    std::string body{};
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

/// The content of a server. Called on the server's thread.
class Site {
public:
    virtual ~Site() = default;
    [[nodiscard]] virtual Reply answer(const Request& request) = 0;
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
    /// receives the port. Throws agent::Error{panel_failed}. The site must outlive the server.
    HttpServer(const std::string& host, std::uint16_t port, const PanelLimits& limits, Site& site,
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

} // namespace eyehand::panel
