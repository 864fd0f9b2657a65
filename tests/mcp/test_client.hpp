// A client in the same process: sends messages to a session, and collects what the server sends.
#pragma once

#include "core.hpp"
#include "session.hpp"

#include "catch.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace eyehand::mcp {

/// A limit that only catches hangs.
inline constexpr std::chrono::minutes patience{1};

class Inbox final : public Outlet {
public:
    bool send(std::string message) override {
        add(std::move(message));
        return true;
    }
    void finish(std::string message, unsigned http_status) override {
        {
            const std::lock_guard lock(mutex_);
            status_ = http_status;
        }
        add(std::move(message));
    }
    void drop() override {
        {
            const std::lock_guard lock(mutex_);
            ++dropped_;
        }
        changed_.notify_all();
    }

    /// The next message that `matches`; others stay.
    template <class Matches>
    json::object take(const Matches& matches) {
        std::unique_lock lock(mutex_);
        std::optional<json::object> found;
        const bool in_time = changed_.wait_for(lock, patience, [&] {
            for (auto it = messages_.begin(); it != messages_.end(); ++it)
                if (matches(*it)) {
                    found = std::move(*it);
                    messages_.erase(it);
                    return true;
                }
            return false;
        });
        REQUIRE(in_time);
        return *std::move(found);
    }
    json::object take_response(const json::value& id) {
        return take([&](const json::object& message) {
            const json::value* own = message.if_contains("id");
            return !message.contains("method") && own != nullptr && *own == id;
        });
    }
    json::object take_method(std::string_view method) {
        return take(
            [&](const json::object& message) { return string_in(message, "method") == method; });
    }
    void await_drop() {
        std::unique_lock lock(mutex_);
        REQUIRE(changed_.wait_for(lock, patience, [&] { return dropped_ > 0; }));
    }
    [[nodiscard]] std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return messages_.size();
    }
    [[nodiscard]] unsigned status() const {
        const std::lock_guard lock(mutex_);
        return status_;
    }

private:
    void add(std::string message) {
        {
            const std::lock_guard lock(mutex_);
            messages_.push_back(json::parse(message).as_object());
        }
        changed_.notify_all();
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<json::object> messages_;
    unsigned status_ = 0;
    int dropped_ = 0;
};

class TestClient {
public:
    explicit TestClient(Server& server)
        : inbox(std::make_shared<Inbox>()), session(server.core().open("session 1", inbox)) {}
    ~TestClient() {
        session->close();
        session->wait();
    }
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;

    void send(std::string_view text) { session->receive(parse_message(text, 10'000'000), inbox); }

    /// Sends a request; returns its id.
    std::int64_t post(std::string_view method, json::object params) {
        const std::int64_t id = ++latest_id_;
        session->receive(
            RpcRequest{.id = id, .method = std::string(method), .params = std::move(params)},
            inbox);
        return id;
    }
    /// The response.
    json::object request(std::string_view method, json::object params = {}) {
        return inbox->take_response(post(method, std::move(params)));
    }
    json::object result(std::string_view method, json::object params = {}) {
        const json::object response = request(method, std::move(params));
        INFO(json::serialize(response));
        REQUIRE(response.contains("result"));
        return response.at("result").as_object();
    }
    std::int64_t error_code(std::string_view method, json::object params = {}) {
        const json::object response = request(method, std::move(params));
        INFO(json::serialize(response));
        REQUIRE(response.contains("error"));
        return response.at("error").at("code").as_int64();
    }
    void notify(std::string_view method, json::object params = {}) {
        session->receive(
            RpcNotification{.method = std::string(method), .params = std::move(params)}, inbox);
    }
    /// The handshake of the older revisions.
    json::object initialize(std::string_view revision = newest_legacy_revision,
                            json::object capabilities = {}) {
        json::object answer =
            result("initialize", {{"protocolVersion", revision},
                                  {"capabilities", std::move(capabilities)},
                                  {"clientInfo", {{"name", "tests"}, {"version", "1"}}}});
        notify("notifications/initialized");
        return answer;
    }

    const std::shared_ptr<Inbox> inbox;
    const std::shared_ptr<Session> session;

private:
    std::int64_t latest_id_ = 0;
};

/// Parameters of the stateless revision.
inline json::object stateless(json::object params = {}, json::object capabilities = {},
                              json::object more_meta = {}) {
    more_meta["io.modelcontextprotocol/protocolVersion"] = stateless_revision;
    more_meta["io.modelcontextprotocol/clientCapabilities"] = std::move(capabilities);
    params["_meta"] = std::move(more_meta);
    return params;
}

/// Capabilities of a client that supports the Tasks extension.
inline const json::object knows_tasks{
    {"extensions", json::object{{"io.modelcontextprotocol/tasks", json::object{}}}}};

inline Tool simple_tool(std::string name,
                        std::function<CallResult(agent::JsonView, Exchange&)> call) {
    return {.name = std::move(name), .description = "A tool.", .call = std::move(call)};
}

} // namespace eyehand::mcp
