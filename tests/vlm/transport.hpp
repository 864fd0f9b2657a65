// Helpers for tests of the transport: requests, answers, and listeners that do not answer.
#pragma once

#include "http/connection.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "soon.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <exception>
#include <future>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace transport {

inline eyehand::vlm::http::Url url_of(const eyehand::vlm::testing::ChatServer& server,
                                      const std::string& host = "127.0.0.1") {
    const bool tls = server.url().starts_with("https");
    return {tls ? "https" : "http", host, static_cast<std::uint16_t>(server.port()),
            "/v1/chat/completions", ""};
}

inline eyehand::vlm::http::ConnectionOptions found_by(eyehand::vlm::http::Resolver resolver) {
    eyehand::vlm::http::ConnectionOptions options;
    options.resolver = std::move(resolver);
    return options;
}

inline eyehand::vlm::http::Response
post(eyehand::vlm::http::Connection& connection, std::string_view body = "{}",
     const eyehand::vlm::http::Limits& limits = {}, std::stop_token stop = {},
     const std::function<void(const eyehand::vlm::http::Response&, std::string_view)>& on_body =
         {}) {
    eyehand::vlm::http::OnBody take_all;
    if (on_body)
        take_all = [&](const eyehand::vlm::http::Response& head, std::string_view bytes) {
            on_body(head, bytes);
            return true;
        };
    return connection.request({"POST", "/v1/chat/completions", {}, body}, limits, std::move(stop),
                              take_all);
}

inline eyehand::vlm::testing::Answer parts(std::vector<eyehand::vlm::testing::Part> pieces) {
    eyehand::vlm::testing::Answer answer;
    answer.parts = std::move(pieces);
    return answer;
}

inline eyehand::vlm::testing::Answer redirect(int status, std::string location) {
    eyehand::vlm::testing::Answer answer;
    answer.status = status;
    answer.headers = {{"Location", std::move(location)}};
    return answer;
}

inline eyehand::vlm::testing::Answer raw(std::string bytes) {
    eyehand::vlm::testing::Answer answer;
    answer.raw = std::move(bytes);
    return answer;
}

inline eyehand::vlm::testing::Answer text(std::string body) {
    eyehand::vlm::testing::Answer answer;
    answer.body = std::move(body);
    return answer;
}

inline eyehand::vlm::testing::Answer silent() {
    eyehand::vlm::testing::Answer answer;
    answer.never = true;
    return answer;
}

/// Closes the connection without sending a byte.
inline eyehand::vlm::testing::Answer reset() {
    eyehand::vlm::testing::Answer answer;
    answer.close = true;
    answer.cut_after = 0;
    return answer;
}

/// A port on which connections succeed but are never accepted or read.
class DeafListener {
public:
    explicit DeafListener(const char* address = "127.0.0.1", std::uint16_t port = 0)
        : acceptor_(context_) {
        acceptor_.open(boost::asio::ip::tcp::v4());
        acceptor_.bind({boost::asio::ip::make_address(address), port});
        acceptor_.listen(5);
    }
    [[nodiscard]] eyehand::vlm::http::Url url() const {
        return {"http", "127.0.0.1", acceptor_.local_endpoint().port(), "/", ""};
    }

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::acceptor acceptor_;
};

/// A port that refuses connections. No other program can listen on it while this object exists.
class RefusingPort {
public:
    RefusingPort() : socket_(context_, {boost::asio::ip::make_address("127.0.0.1"), 0}) {}
    [[nodiscard]] eyehand::vlm::http::Url url() const {
        return {"http", "127.0.0.1", socket_.local_endpoint().port(), "/", ""};
    }

private:
    boost::asio::io_context context_;
    boost::asio::ip::tcp::socket socket_; ///< bound, but it does not listen
};

/// Runs `action` on another thread and `interrupt` on this one. Returns the code of the vlm::Error
/// that `action` throws, or 0.
template <class Action, class Interrupt>
std::error_code interrupted(Action action, Interrupt interrupt) {
    std::future<std::error_code> result = std::async(std::launch::async, [&]() -> std::error_code {
        try {
            action();
        } catch (const eyehand::vlm::Error& error) {
            return error.code();
        }
        return {};
    });
    interrupt();
    if (result.wait_for(soon) != std::future_status::ready) {
        UNSCOPED_INFO("the request did not end");
        std::terminate(); // the future's destructor would wait forever
    }
    return result.get();
}

} // namespace transport
