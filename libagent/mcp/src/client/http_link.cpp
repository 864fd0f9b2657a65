// A server that is reached by HTTP: each message is a request of its own.
#include "client/link.hpp"

#include "eyehand/base/base64.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/vlm/error.hpp"

#include "base/text.hpp"
#include "http/connection.hpp"
#include "wire/sse.hpp"
#include "wire/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>

namespace eyehand::mcp {
namespace {

namespace http = vlm::http;
using std::chrono::milliseconds;

// For messages that need no answer, and the end of a session.
constexpr milliseconds short_request{5000};
// For all messages that are left when the client ends.
constexpr milliseconds last_messages{1000};
// Between attempts to open the stream of what the server sends by itself.
constexpr milliseconds first_pause{1000};
constexpr milliseconds longest_pause{60000};
constexpr milliseconds listening{std::chrono::hours{24}};
// For a server that sends the head of that stream together with the first event.
constexpr milliseconds longest_opening{5000};
constexpr int max_resumptions = 100; // of one answer
constexpr std::size_t max_waiting_messages = 1000;

bool is_header_text(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); }) &&
           (text.empty() || (text.front() != ' ' && text.front() != '\t' && text.back() != ' ' &&
                             text.back() != '\t'));
}

bool is_kind(const http::Response& head, std::string_view type) {
    return vlm::wire::ascii_lower(head.header("Content-Type")).starts_with(type);
}

/// The cause, without the advice for servers of models.
std::string cause_of(const vlm::Error& error) {
    const std::string_view what = error.what();
    return std::string(what.substr(0, what.find(": ")));
}

class HttpLink final : public Link {
public:
    HttpLink(const ClientOptions& options, ServerEvents events);
    ~HttpLink() override;

    RpcResponse ask(const OutgoingCall& call) override;
    void tell(const RpcNotification& notification) override;
    void set_revision(const std::string& revision, bool stateless) override {
        const std::lock_guard lock(mutex_);
        revision_ = revision;
        stateless_ = stateless;
    }
    void listen(const RpcRequest& request) override;
    void wait_until_listening(const std::stop_token& stop) override;
    bool is_lost() const override { return session_ended_; }
    Conversation& conversation() override { return conversation_; }

private:
    /// What has been read of the answer to a request.
    struct Answer {
        std::string body{};       ///< of an answer that is not a stream
        std::string last_event{}; ///< with which the answer can be continued
        milliseconds pause = first_pause;
    };

    std::vector<http::Header> headers_of(std::string_view method, const json::object& params) const;
    std::vector<http::Header> session_headers() const;
    RpcResponse exchange(const OutgoingCall& call);
    http::Response post(const std::string& message, const std::vector<http::Header>& headers,
                        const http::Limits& limits, const std::stop_token& stop,
                        const http::OnBody& on_body = {}) const;
    http::Response request(const http::Request& request, const http::Limits& limits,
                           const std::stop_token& stop, const http::OnBody& on_body = {}) const;
    http::Limits limits_for(milliseconds time) const;
    /// Of an answer whose content does not matter.
    http::Limits limits_for_receipt(milliseconds time) const;
    void receive(std::string_view message);
    void receive_event(std::string_view data);
    /// Passes on the events of a stream until `enough` or its end.
    http::OnBody reader(vlm::wire::EventParser& parser, const std::function<bool()>& enough);
    void check(const http::Response& response, const RequestId* id);
    /// Sends a message soon, on another thread.
    void send_later(std::string message);
    void send_messages(const std::stop_token& stop);
    void listen_until(const std::stop_token& stop, const RpcRequest& request);
    void listening_began();
    void end_session();

    const ClientOptions options_;
    const http::Url url_;
    mutable std::mutex mutex_;
    std::string revision_;
    bool stateless_ = true;
    std::string session_; ///< empty: the server has none
    std::atomic<bool> session_ended_{false};
    std::deque<std::string> messages_;
    std::condition_variable has_messages_;
    bool has_listened_ = false; ///< the stream is open, or the first attempt to open it has failed
    std::condition_variable listens_;
    Conversation conversation_;
    std::jthread sender_;
    std::jthread listener_;
};

http::Url parse_server_url(const ClientOptions& options) {
    try {
        return http::parse_url(options.url);
    } catch (const vlm::Error& error) {
        throw Error(errc::bad_config,
                    fmt::format("the server \"{}\": {}", options.name, cause_of(error)));
    }
}

HttpLink::HttpLink(const ClientOptions& options, ServerEvents events)
    : options_(options), url_(parse_server_url(options)),
      conversation_("the server \"" + options.name + "\"", std::move(events),
                    options.max_message_bytes) {
    sender_ = std::jthread([this](const std::stop_token& stop) { send_messages(stop); });
}

HttpLink::~HttpLink() {
    listener_.request_stop();
    sender_.request_stop();
    has_messages_.notify_all();
    if (listener_.joinable()) listener_.join();
    if (sender_.joinable()) sender_.join();
    end_session();
}

// --- Requests -------------------------------------------------------------------------------------

std::vector<http::Header> HttpLink::session_headers() const {
    std::vector<http::Header> headers;
    for (const auto& [name, value] : options_.headers) headers.push_back({name, value});
    const std::lock_guard lock(mutex_);
    if (!revision_.empty()) headers.push_back({"MCP-Protocol-Version", revision_});
    if (!session_.empty()) headers.push_back({"Mcp-Session-Id", session_});
    return headers;
}

std::vector<http::Header> HttpLink::headers_of(std::string_view method,
                                               const json::object& params) const {
    std::vector<http::Header> headers = session_headers();
    headers.push_back({"Content-Type", "application/json"});
    headers.push_back({"Accept", "application/json, text/event-stream"});
    bool stateless = false;
    {
        const std::lock_guard lock(mutex_);
        stateless = stateless_ && !revision_.empty();
    }
    if (!stateless) return headers;
    headers.push_back({"Mcp-Method", std::string(method)});
    const std::string_view named = method == "resources/read" ? "uri" : "name";
    if (method == "tools/call" || method == "prompts/get" || method == "resources/read")
        headers.push_back({"Mcp-Name", header_value(string_in(params, named).value_or(""))});
    return headers;
}

http::Limits HttpLink::limits_for(milliseconds time) const {
    http::Limits limits;
    limits.connect = options_.connect_timeout;
    limits.first_byte = time;
    limits.silence = time;
    limits.total = milliseconds::zero();
    limits.body_bytes = 0; // the limit is one of messages, not of streams
    return limits;
}

http::Limits HttpLink::limits_for_receipt(milliseconds time) const {
    http::Limits limits = limits_for(time);
    limits.total = time;
    limits.body_bytes = std::size_t{64} << 10U;
    return limits;
}

http::Response HttpLink::request(const http::Request& request, const http::Limits& limits,
                                 const std::stop_token& stop, const http::OnBody& on_body) const {
    const std::string& server = conversation_.server();
    try {
        // Not kept: a connection that breaks during a call must not repeat the call.
        http::Connection connection(url_,
                                    {.proxies = options_.proxies, .ca_file = options_.ca_file});
        return connection.request(request, limits, stop, on_body);
    } catch (const vlm::Error& error) {
        const std::string what = fmt::format("{}: {}", server, cause_of(error));
        if (error.code() == vlm::errc::cancelled)
            throw Error(errc::cancelled, fmt::format("the request to {} was canceled", server));
        if (error.code() == vlm::errc::timeout) throw Error(errc::timeout, what);
        if (error.code() == vlm::errc::connection_lost) throw Error(errc::connection_lost, what);
        if (error.code() == vlm::errc::response_too_large)
            throw Error(errc::message_too_large, what);
        if (error.code() == vlm::errc::bad_response) throw Error(errc::bad_message, what);
        throw Error(errc::unreachable, what);
    }
}

http::Response HttpLink::post(const std::string& message, const std::vector<http::Header>& headers,
                              const http::Limits& limits, const std::stop_token& stop,
                              const http::OnBody& on_body) const {
    return request({.method = "POST", .target = url_.target(), .headers = headers, .body = message},
                   limits, stop, on_body);
}

void HttpLink::receive(std::string_view message) {
    conversation_.receive(message, [this](const std::string& answer) { send_later(answer); });
}

void HttpLink::receive_event(std::string_view data) {
    if (!data.empty()) receive(data); // an empty one only states an id
}

http::OnBody HttpLink::reader(vlm::wire::EventParser& parser, const std::function<bool()>& enough) {
    return [this, &parser, enough](const http::Response&, std::string_view bytes) {
        parser.feed(bytes, [&](const vlm::wire::ServerEvent& event) { receive_event(event.data); });
        return !enough();
    };
}

/// Throws for a status that is a failure. An error of the protocol in its body answers the request.
void HttpLink::check(const http::Response& response, const RequestId* id) {
    if (response.status / 100 == 2) return;
    const std::string& server = conversation_.server();
    if (id != nullptr) {
        RpcMessage message = parse_message(response.body, options_.max_message_bytes);
        if (auto* answer = std::get_if<RpcResponse>(&message);
            answer != nullptr && std::holds_alternative<RpcError>(answer->outcome)) {
            const auto& error = std::get<RpcError>(answer->outcome);
            throw RefusedRequest(server, error, response.status);
        }
    }
    if (response.status == 401 || response.status == 403)
        throw StatusError(errc::unreachable,
                          fmt::format("{} refused the request (status {}): correct its header "
                                      "Authorization",
                                      server, response.status),
                          response.status);
    throw StatusError(errc::bad_message,
                      fmt::format("{} answered with the status {}: is {} the address of a server "
                                  "of the Model Context Protocol?",
                                  server, response.status, url_.shown()),
                      response.status);
}

RpcResponse HttpLink::exchange(const OutgoingCall& call) {
    Conversation::Waiting waiting(conversation_, call.request.id);
    ProgressDeadline deadline(call.timeout);
    const http::Limits limits = limits_for(call.timeout);
    vlm::wire::EventParser parser(url_.shown(), options_.max_message_bytes);
    std::string body;
    const auto answered = [&] {
        if (waiting.is_answered(deadline, call.on_progress)) return true;
        if (deadline.is_over())
            throw Error(errc::timeout, fmt::format("{} did not answer within {} ms",
                                                   conversation_.server(), call.timeout.count()));
        return false;
    };
    const http::OnBody read_events = reader(parser, answered);
    const http::OnBody on_body = [&](const http::Response& head, std::string_view bytes) {
        if (is_kind(head, "text/event-stream")) return read_events(head, bytes);
        if (body.size() + bytes.size() > options_.max_message_bytes)
            throw Error(errc::message_too_large,
                        fmt::format("{} sent a message of more than {} bytes",
                                    conversation_.server(), options_.max_message_bytes));
        body += bytes;
        if (deadline.is_over())
            throw Error(errc::timeout, fmt::format("{} did not answer within {} ms",
                                                   conversation_.server(), call.timeout.count()));
        return true;
    };
    std::vector<http::Header> headers = headers_of(call.request.method, call.request.params);
    for (const auto& [name, value] : call.headers) headers.push_back({name, value});
    const http::Response response =
        post(write_message(call.request), headers, limits, call.stop, on_body);
    check(response, &call.request.id);
    if (call.request.method == "initialize") {
        const std::lock_guard lock(mutex_);
        session_ = response.header("Mcp-Session-Id");
    }
    if (is_kind(response, "text/event-stream"))
        parser.finish([&](const vlm::wire::ServerEvent& event) { receive_event(event.data); });
    else if (!body.empty())
        receive(body);
    // The server may close the stream and expect the client to ask for the rest.
    for (int i = 0; i < max_resumptions && !answered() && !parser.last_id().empty(); ++i) {
        if (base::wait_for(parser.retry().value_or(first_pause), call.stop) ==
            base::Waited::stopped)
            throw Error(errc::cancelled,
                        fmt::format("the request to {} was canceled", conversation_.server()));
        std::vector<http::Header> again = session_headers();
        again.push_back({"Accept", "text/event-stream"});
        again.push_back({"Last-Event-ID", parser.last_id()});
        const http::Response rest =
            request({.method = "GET", .target = url_.target(), .headers = again, .body = {}},
                    limits, call.stop, read_events);
        check(rest, nullptr);
    }
    if (std::optional<RpcResponse> answer = waiting.take()) {
        if (call.on_progress) (void)waiting.is_answered(deadline, call.on_progress);
        return std::move(*answer);
    }
    throw Error(errc::connection_lost,
                fmt::format("{} ended its answer without a response", conversation_.server()));
}

RpcResponse HttpLink::ask(const OutgoingCall& call) {
    bool stateless = false;
    std::string session;
    {
        const std::lock_guard lock(mutex_);
        stateless = stateless_;
        session = session_;
    }
    try {
        return exchange(call);
    } catch (const StatusError& error) {
        // The server has forgotten the session, and has not handled the request.
        if (error.status() == 404 && !session.empty()) session_ended_ = true;
        throw;
    } catch (const vlm::Error& error) { // of the parser of events
        throw Error(errc::message_too_large,
                    fmt::format("{}: {}", conversation_.server(), cause_of(error)));
    } catch (const Error& error) {
        // Servers of the stateless revisions notice that the connection was closed.
        if (!stateless && call.cancellable &&
            (error.code() == errc::cancelled || error.code() == errc::timeout))
            send_later(write_message(RpcNotification{
                .method = "notifications/cancelled",
                .params = {{"requestId", to_json(call.request.id)},
                           {"reason", error.code() == errc::timeout ? "timeout" : "canceled"}}}));
        throw;
    }
}

void HttpLink::tell(const RpcNotification& notification) {
    const http::Response response =
        post(write_message(notification), headers_of(notification.method, notification.params),
             limits_for_receipt(short_request), {});
    check(response, nullptr);
}

// --- Messages without a waiting call -----------------------------------------------------------

void HttpLink::send_later(std::string message) {
    const std::lock_guard lock(mutex_);
    if (messages_.size() >= max_waiting_messages)
        return; // such as of a server that sends only pings
    messages_.push_back(std::move(message));
    has_messages_.notify_all();
}

void HttpLink::send_messages(const std::stop_token& stop) {
    std::optional<std::chrono::steady_clock::time_point> end; // of what is left after the stop
    while (true) {
        std::string message;
        {
            std::unique_lock lock(mutex_);
            while (messages_.empty() && !stop.stop_requested())
                has_messages_.wait_for(lock, base::stop_poll_interval);
            if (messages_.empty()) return;
            if (stop.stop_requested() && !end)
                end = std::chrono::steady_clock::now() + last_messages;
            message = std::move(messages_.front());
            messages_.pop_front();
        }
        try {
            milliseconds time = short_request;
            if (end) {
                // Together, so that a server that has stalled does not hold up the program.
                time = std::chrono::duration_cast<milliseconds>(*end -
                                                                std::chrono::steady_clock::now());
                if (time <= milliseconds::zero()) return;
            }
            (void)post(message, headers_of("", {}), limits_for_receipt(time), {});
        } catch (const std::exception& exception) {
            conversation_.log(exception.what());
        }
    }
}

void HttpLink::end_session() {
    const std::vector<http::Header> headers = session_headers();
    {
        const std::lock_guard lock(mutex_);
        if (session_.empty() || session_ended_) return;
    }
    try {
        (void)request({.method = "DELETE", .target = url_.target(), .headers = headers, .body = {}},
                      limits_for_receipt(milliseconds(2000)), {});
    } catch (const std::exception& exception) {
        conversation_.log(exception.what());
    }
}

// --- What the server sends by itself ----------------------------------------------------------

void HttpLink::listen(const RpcRequest& subscription) {
    const std::lock_guard lock(mutex_);
    if (listener_.joinable()) return;
    listener_ = std::jthread(
        [this, subscription](const std::stop_token& stop) { listen_until(stop, subscription); });
}

void HttpLink::wait_until_listening(const std::stop_token& stop) {
    const auto deadline = std::chrono::steady_clock::now() + longest_opening;
    std::unique_lock lock(mutex_);
    if (!listener_.joinable() || stateless_) return;
    while (!has_listened_ && !stop.stop_requested() && std::chrono::steady_clock::now() < deadline)
        listens_.wait_for(lock, base::stop_poll_interval);
}

void HttpLink::listening_began() {
    {
        const std::lock_guard lock(mutex_);
        has_listened_ = true;
    }
    listens_.notify_all();
}

void HttpLink::listen_until(const std::stop_token& stop, const RpcRequest& subscription) {
    bool stateless = false;
    {
        const std::lock_guard lock(mutex_);
        stateless = stateless_;
    }
    milliseconds pause = first_pause;
    while (!stop.stop_requested()) {
        try {
            vlm::wire::EventParser parser(url_.shown(), options_.max_message_bytes);
            const http::OnBody read = reader(parser, [&] {
                pause = first_pause;
                return stop.stop_requested();
            });
            http::Response response;
            if (stateless) {
                response = post(write_message(subscription),
                                headers_of(subscription.method, subscription.params),
                                limits_for(listening), stop, read);
            } else {
                std::vector<http::Header> headers = session_headers();
                headers.push_back({"Accept", "text/event-stream"});
                response = request({.method = "GET",
                                    .target = url_.target(),
                                    .headers = headers,
                                    .body = {},
                                    .on_head = [&](const http::Response&) { listening_began(); }},
                                   limits_for(listening), stop, read);
            }
            listening_began();
            if (response.status / 100 == 4) return; // it sends nothing by itself
            if (!is_kind(response, "text/event-stream")) return;
        } catch (const std::exception& exception) {
            listening_began();
            if (!stop.stop_requested()) conversation_.log(exception.what());
        }
        if (base::wait_for(pause, stop) == base::Waited::stopped) return;
        pause = std::min(pause * 2, longest_pause);
    }
}

} // namespace

std::string header_value(std::string_view text) {
    const bool looks_encoded = text.starts_with("=?base64?") && text.ends_with("?=");
    if (is_header_text(text) && !looks_encoded) return std::string(text);
    return "=?base64?" + base::to_base64(text) + "?=";
}

std::unique_ptr<Link> connect_to_url(const ClientOptions& options, ServerEvents events) {
    return std::make_unique<HttpLink>(options, std::move(events));
}

} // namespace eyehand::mcp
