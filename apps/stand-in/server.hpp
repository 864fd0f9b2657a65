// HTTP/1.1 on one thread: any number of connections, one request at a time.
#pragma once

#include "service.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace stand_in {

/// Example:
///
///     Server server("127.0.0.1", 0, [&](auto method, auto target, auto body) {
///         return service.answer(method, target, body);
///     });
///     fmt::print("port {}\n", server.port());
///     server.run();
class Server {
public:
    using Handler = std::function<HttpReply(std::string_view method, std::string_view target,
                                            std::string_view body)>;

    /// Starts to listen; port 0 chooses any free port. Throws std::system_error on failure.
    Server(const std::string& host, std::uint16_t port, Handler handler);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// The port it listens on.
    [[nodiscard]] std::uint16_t port() const noexcept;

    /// Serves until stop() is called, or a signal of stop_on_signals() arrives.
    void run();

    /// May be called from any thread.
    void stop();

    /// Makes SIGINT and SIGTERM end run().
    void stop_on_signals();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace stand_in
