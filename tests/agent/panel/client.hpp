// Talks to a panel over sockets, as a page or a script does.
#pragma once

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace test {

namespace json = boost::json;

/// One connection. Throws an exception if the panel sends nothing for a minute.
class Wire {
public:
    using tcp = boost::asio::ip::tcp;

    explicit Wire(std::uint16_t port) : socket_(context_) {
        socket_.connect({boost::asio::ip::address_v4::loopback(), port});
    }

    /// False: the panel has closed the connection.
    bool send(std::string_view bytes) {
        boost::system::error_code error;
        boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), error);
        return !error;
    }

    /// Sends as long as the panel receives; returns when it has closed the connection.
    void send_until_closed(const std::string& again_and_again) {
        std::function<void(boost::system::error_code, std::size_t)> more =
            [&](boost::system::error_code error, std::size_t) {
                if (!error)
                    boost::asio::async_write(socket_, boost::asio::buffer(again_and_again), more);
            };
        boost::asio::async_write(socket_, boost::asio::buffer(again_and_again), more);
        wait();
    }

    std::string line() { return take(upto("\r\n"), 2); }
    std::string until(const std::string& end) { return take(upto(end), end.size()); }
    std::string exactly(std::size_t bytes) {
        while (held_.size() < bytes)
            if (!read()) throw std::runtime_error("the connection ended too early");
        return take(bytes, 0);
    }
    /// The rest of the stream up to its end.
    std::string rest() {
        while (read()) {
        }
        return std::exchange(held_, {});
    }
    [[nodiscard]] bool is_closed() { return held_.empty() && !read(); }

private:
    std::size_t upto(const std::string& end) {
        std::size_t at = 0;
        while ((at = held_.find(end)) == std::string::npos)
            if (!read()) throw std::runtime_error("the connection ended too early");
        return at;
    }
    std::string take(std::size_t bytes, std::size_t and_drop) {
        std::string text = held_.substr(0, bytes);
        held_.erase(0, bytes + and_drop);
        return text;
    }
    bool read() {
        char buffer[65536];
        std::size_t got = 0;
        bool failed = false;
        socket_.async_read_some(boost::asio::buffer(buffer),
                                [&](boost::system::error_code error, std::size_t bytes) {
                                    failed = static_cast<bool>(error);
                                    got = bytes;
                                });
        wait();
        held_.append(buffer, got);
        return !failed;
    }
    void wait() {
        context_.restart();
        context_.run_for(std::chrono::seconds(60));
        if (context_.stopped()) return;
        socket_.close(); // its handler refers to members that are about to be destroyed
        context_.run();
        throw std::runtime_error("the panel did not answer");
    }

    boost::asio::io_context context_;
    tcp::socket socket_;
    std::string held_;
};

struct Answer {
    int status = 0;
    std::map<std::string, std::string> fields{}; ///< by lower-case name
    std::string body{};

    [[nodiscard]] std::string field(const std::string& name) const {
        const auto found = fields.find(name);
        return found == fields.end() ? std::string() : found->second;
    }
    [[nodiscard]] json::object object() const { return json::parse(body).as_object(); }
};

using Fields = std::map<std::string, std::string>;

/// A request as text. Empty fields are omitted.
inline std::string request(std::string_view method, std::string_view target, const Fields& fields,
                           std::string_view body = {}) {
    std::string text = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\n";
    for (const auto& [name, value] : fields)
        if (!value.empty()) text += name + ": " + value + "\r\n";
    if (!body.empty() && fields.count("Transfer-Encoding") == 0)
        text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return text + "\r\n" + std::string(body);
}

inline Answer read_head(Wire& wire) {
    Answer answer;
    const std::string first = wire.line();
    answer.status = std::atoi(first.substr(first.find(' ') + 1).c_str());
    for (std::string line = wire.line(); !line.empty(); line = wire.line()) {
        const std::size_t colon = line.find(':');
        std::string name = line.substr(0, colon);
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
        answer.fields[name] = line.substr(std::min(colon + 2, line.size()));
    }
    return answer;
}

enum class Body { there, left_out };
inline Answer read_answer(Wire& wire, Body body = Body::there) {
    Answer answer = read_head(wire);
    const std::string length = answer.field("content-length");
    if (body == Body::there && !length.empty()) answer.body = wire.exactly(std::stoull(length));
    return answer;
}

/// Knows a panel's port and, from its address, the token.
class Client {
public:
    explicit Client(const std::string& url) {
        const std::size_t colon = url.rfind(':');
        port_ = static_cast<std::uint16_t>(std::stoul(url.substr(colon + 1)));
        const std::size_t equals = url.rfind("#token=");
        if (equals != std::string::npos) token_ = url.substr(equals + 7);
        fields_["Host"] = host();
        if (!token_.empty()) fields_["Authorization"] = "Bearer " + token_;
    }

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] const std::string& token() const { return token_; }
    /// The fields of each request; `other` overrides them, and an empty value removes a field.
    [[nodiscard]] Fields fields(const Fields& other = {}) const {
        Fields all = fields_;
        for (const auto& [name, value] : other) all[name] = value;
        return all;
    }

    [[nodiscard]] Answer ask(std::string_view method, std::string_view target,
                             const Fields& other = {}, std::string_view body = {}) const {
        Wire wire(port_);
        wire.send(request(method, target, fields(other), body));
        return read_answer(wire, method == "HEAD" ? Body::left_out : Body::there);
    }
    [[nodiscard]] Answer get(std::string_view target, const Fields& other = {}) const {
        return ask("GET", target, other);
    }
    [[nodiscard]] Answer post(std::string_view target, const json::object& body = {},
                              Fields other = {}) const {
        other.emplace("Content-Type", "application/json");
        return ask("POST", target, other, json::serialize(body));
    }
    [[nodiscard]] json::object state() const { return get("/state?raw=0").object(); }

private:
    std::uint16_t port_ = 0;
    std::string token_;
    Fields fields_;
};

/// Follows /events as the page does: the events add up to the state.
class Follower {
public:
    explicit Follower(const Client& client, const Fields& other = {}) : wire_(client.port()) {
        wire_.send(request("GET", "/events", client.fields(other)));
        head_ = read_head(wire_);
    }

    struct Event {
        std::string name{}; ///< empty: a comment
        json::object data{};
    };
    [[nodiscard]] const Answer& head() const { return head_; }
    [[nodiscard]] const json::object& state() const { return state_; }
    /// Pieces of text that arrived between states.
    [[nodiscard]] int deltas() const { return deltas_; }
    [[nodiscard]] bool is_closed() { return wire_.is_closed(); }

    Event next() {
        const std::string text = wire_.until("\n\n");
        if (text.starts_with(":")) return {};
        const std::size_t line = text.find('\n');
        Event event{text.substr(7, line - 7),
                    json::parse(text.substr(line + 7)).as_object()}; // after "event: ", "data: "
        if (event.name == "state") take(event.data);
        if (event.name == "delta") {
            ++deltas_;
            for (const char* name : {"text", "reasoning"}) {
                json::string all = state_.at(name).as_string();
                all += event.data.at(name).as_string();
                state_[name] = all;
            }
        }
        return event;
    }

    /// Follows until the state meets a condition.
    const json::object& until(const std::function<bool(const json::object&)>& wanted) {
        for (int events = 0; events < 10000; ++events) {
            if (!state_.empty() && wanted(state_)) return state_;
            (void)next();
        }
        throw std::runtime_error("the run did not reach the expected state");
    }
    const json::object& until_phase(std::string_view phase) {
        return until(
            [&](const json::object& state) { return state.at("phase").as_string() == phase; });
    }

private:
    void take(const json::object& state) {
        json::array turns;
        if (const json::value* known = state_.if_contains("turns")) turns = known->as_array();
        state_ = state;
        if (state_.contains("turns")) return;
        const json::value& changed = state_.at("turn_changed");
        if (changed.is_object()) {
            bool found = false;
            for (json::value& turn : turns)
                if (turn.at("turn") == changed.at("turn")) {
                    turn = changed;
                    found = true;
                }
            if (!found) turns.push_back(changed);
        }
        state_["turns"] = turns;
    }

    Wire wire_;
    Answer head_;
    json::object state_;
    int deltas_ = 0;
};

} // namespace test
