// HTTP/1.1 on one thread, for few clients, none of which is trusted: it bounds what each may send, hold
// and leave unread, asks Access before it looks at what is wanted, and knows nothing of what it serves.
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
    std::string cache = "no-store";
    std::vector<std::pair<std::string, std::string>> fields{};
};

/// What one client of the event stream is told.
class Stream {
public:
    virtual ~Stream() = default;
    /// The next event, as it goes over the wire; nothing where there is no news since the last one.
    [[nodiscard]] virtual std::optional<std::string> next() = 0;
};

/// What is served. Called on the server's thread.
class Site {
public:
    virtual ~Site() = default;
    [[nodiscard]] virtual Reply answer(const Request& request) = 0;
    /// Of a request's body, in bytes.
    [[nodiscard]] virtual std::uint64_t max_body(std::string_view path) const = 0;
    [[nodiscard]] virtual bool is_stream(std::string_view path) const = 0;
    [[nodiscard]] virtual std::unique_ptr<Stream> open_stream() = 0;
    /// Called twice a second, for what changes without telling.
    virtual void look() {}
};

/// The value of a query's parameter as it is written there; empty where there is none.
[[nodiscard]] std::string_view parameter(std::string_view query, std::string_view name);

class HttpServer {
public:
    /// Listens at once, and serves on a thread of its own until it is destroyed. `make_access` gets the
    /// port. Throws Error{panel_failed}. The site must outlive it.
    HttpServer(const std::string& host, std::uint16_t port, const PanelLimits& limits, Site& site,
               const std::function<Access(std::uint16_t port)>& make_access);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    [[nodiscard]] const Access& access() const;
    [[nodiscard]] std::uint16_t port() const;
    /// There is news for the streams. From any thread.
    void wake();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::panel
