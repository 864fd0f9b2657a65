// Streamable HTTP: https://modelcontextprotocol.io/specification, "Transports".
#include "access.hpp"
#include "base/text.hpp"
#include "core.hpp"
#include "http_server.hpp"
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace eyehand::mcp {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
using SteadyClock = std::chrono::steady_clock;

constexpr std::string_view session_field = "Mcp-Session-Id";
/// A call that takes longer is answered by a stream, whose comments show clients and proxies that the
/// connection is alive.
constexpr std::chrono::seconds begin_stream_after{15};

web::Reply error_reply(unsigned status, const std::string& message, int code = -32000) {
    return {.status = status,
            .type = "application/json",
            .body =
                write_message(RpcResponse{.outcome = RpcError{.code = code, .message = message}})};
}

/// Whether a field with a list of media types, such as Accept, contains `type`.
bool accepts(std::string_view list, std::string_view type) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(','), list.size());
        std::string_view one = list.substr(0, end);
        list.remove_prefix(std::min(end + 1, list.size()));
        one = agent::trim(one.substr(0, one.find(';')));
        const std::string_view kind = type.substr(0, type.find('/') + 1);
        if (one == "*/*" || agent::equals_ignoring_case(one, type) ||
            agent::equals_ignoring_case(one, std::string(kind) + "*"))
            return true;
    }
    return false;
}

/// The answer to one POST: a JSON document, or a stream if anything comes before the response.
class AnswerOutlet final : public Outlet {
public:
    AnswerOutlet(std::shared_ptr<web::Responder> responder, Fields fields)
        : responder_(std::move(responder)), fields_(std::move(fields)) {}

    bool send(std::string message) override {
        const std::lock_guard lock(mutex_);
        if (!is_open_) return false;
        begin();
        responder_->send(event(message));
        return true;
    }
    void finish(std::string message, unsigned http_status) override {
        const std::lock_guard lock(mutex_);
        if (!is_open_) return;
        is_open_ = false;
        if (!is_streaming_) {
            responder_->reply({.status = http_status,
                               .type = "application/json",
                               .body = std::move(message),
                               .fields = fields_});
            return;
        }
        responder_->send(event(message));
        responder_->end();
    }
    void drop() override {
        const std::lock_guard lock(mutex_);
        if (!is_open_) return;
        begin();
        is_open_ = false;
        responder_->end();
    }

    void close() {
        const std::lock_guard lock(mutex_);
        is_open_ = false;
    }
    void begin_stream() {
        const std::lock_guard lock(mutex_);
        if (is_open_) begin();
    }
    [[nodiscard]] SteadyClock::time_point since() const { return since_; }

private:
    static std::string event(const std::string& message) {
        return fmt::format("event: message\ndata: {}\n\n", message);
    }
    void begin() {
        if (std::exchange(is_streaming_, true)) return;
        Fields fields = fields_;
        fields.emplace_back("X-Accel-Buffering", "no");
        responder_->begin_stream(std::move(fields));
    }

    const std::shared_ptr<web::Responder> responder_;
    const Fields fields_;
    const SteadyClock::time_point since_ = SteadyClock::now();
    std::mutex mutex_;
    bool is_open_ = true;
    bool is_streaming_ = false;
};

std::string_view or_empty(const std::optional<std::string_view>& text) {
    return text.value_or(std::string_view());
}

class EndpointSite final : public web::Site {
public:
    EndpointSite(Server::Core& core, const HttpOptions& options) : core_(core), options_(options) {}

    // web::Site, on the server's thread
    web::Reply answer(const web::Request& /*request*/) override {
        return {.status = 404, .body = "not found\n"};
    }
    [[nodiscard]] web::Protection protection(std::string_view /*path*/) const override {
        return web::Protection::token;
    }
    [[nodiscard]] std::uint64_t max_body(std::string_view /*path*/) const override {
        return core_.options().max_message_bytes;
    }
    [[nodiscard]] bool is_stream(std::string_view /*path*/) const override { return false; }
    [[nodiscard]] std::unique_ptr<web::Stream> open_stream() override { return nullptr; }
    [[nodiscard]] bool answers_later(std::string_view path) const override {
        return path == options_.path;
    }
    [[nodiscard]] web::Reply no_token() const override {
        web::Reply reply = error_reply(401, "the token is missing or wrong: send the field "
                                            "\"Authorization: Bearer TOKEN\"");
        reply.fields.emplace_back("WWW-Authenticate", "Bearer");
        return reply;
    }
    [[nodiscard]] std::string cors_methods() const override { return "GET, POST, DELETE, OPTIONS"; }
    [[nodiscard]] std::string cors_fields() const override {
        return "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, "
               "Mcp-Method, Mcp-Name, Last-Event-ID";
    }
    [[nodiscard]] std::string cors_exposed() const override {
        return "Mcp-Session-Id, WWW-Authenticate";
    }
    void leave() override {
        for (const auto& session : open_sessions()) session->close();
    }
    void answer_later(const web::Request& request,
                      std::shared_ptr<web::Responder> responder) override {
        if (request.method == "POST") return post(request, responder);
        // Of the stateless revision, there are neither sessions nor streams without a request.
        if (request.field("MCP-Protocol-Version") == stateless_revision ||
            !request.field(session_field) ||
            (request.method != "GET" && request.method != "DELETE")) {
            web::Reply reply = error_reply(405, "method not allowed");
            reply.fields.emplace_back("Allow", "POST");
            return responder->reply(std::move(reply));
        }
        if (request.method == "GET") return get(request, responder);
        remove(request, responder);
    }
    void look() override {
        const auto before = SteadyClock::now() - begin_stream_after;
        std::erase_if(answers_, [&](const std::weak_ptr<AnswerOutlet>& answer) {
            const auto open = answer.lock();
            if (!open) return true;
            if (open->since() > before) return false;
            open->begin_stream();
            return true;
        });
        std::erase_if(unlisted_, [](const auto& each) { return each.expired(); });
    }

    /// Waits for the handlers of the sessions. When the server's thread has ended.
    void close() {
        for (const auto& session : open_sessions()) {
            session->close(); // unless `leave` has
            session->wait();
        }
    }

private:
    struct Entry {
        std::shared_ptr<Session> session;
        SteadyClock::time_point used = SteadyClock::now();
        std::shared_ptr<AnswerOutlet> events{}; ///< of the latest GET
    };

    void post(const web::Request& request, const std::shared_ptr<web::Responder>& responder) {
        if (!accepts(request.content_type, "application/json") || request.content_type == "*/*")
            return responder->reply(error_reply(415, "the content type must be application/json"));
        const auto wanted = request.field("Accept");
        if (wanted &&
            !(accepts(*wanted, "application/json") && accepts(*wanted, "text/event-stream")))
            return responder->reply(
                error_reply(406, "the client must accept application/json and text/event-stream"));
        RpcMessage message = parse_message(request.body, core_.options().max_message_bytes);
        if (const auto* mistake = std::get_if<RpcMistake>(&message)) {
            // The handler that has asked must not wait for another response.
            Entry* entry = find(or_empty(request.field(session_field)));
            if (entry != nullptr) entry->session->take_malformed_response(*mistake);
            return responder->reply(
                {.status = 400,
                 .type = "application/json",
                 .body = write_message(RpcResponse{.id = mistake->id, .outcome = mistake->error})});
        }

        const HeaderFields fields = [&](std::string_view name) { return request.field(name); };
        const auto* asked = std::get_if<RpcRequest>(&message);
        const auto* told = std::get_if<RpcNotification>(&message);
        const json::object none;
        const json::object& params = asked != nullptr  ? asked->params
                                     : told != nullptr ? told->params
                                                       : none;
        if (is_stateless(params, &fields)) return post_stateless(message, responder, fields);

        const auto revision = request.field("MCP-Protocol-Version");
        if (revision && !is_legacy_revision(*revision))
            return responder->reply(error_reply(400, fmt::format("Unsupported protocol version: {}",
                                                                 agent::shorten(*revision, 40))));
        if (asked != nullptr && asked->method == "initialize")
            return begin_session(message, responder);
        const auto id = request.field(session_field);
        if (!id)
            return responder->reply(
                error_reply(400, "the field Mcp-Session-Id is missing; send \"initialize\" first"));
        Entry* entry = find(*id);
        if (entry == nullptr)
            return responder->reply(error_reply(404, "the session does not exist", -32001));
        entry->used = SteadyClock::now();
        if (asked == nullptr) {
            entry->session->receive(std::move(message), nullptr);
            return responder->reply({.status = 202, .type = "application/json"});
        }
        entry->session->receive(std::move(message), outlet_for(entry->session, responder, {}));
    }

    void post_stateless(RpcMessage& message, const std::shared_ptr<web::Responder>& responder,
                        const HeaderFields& fields) {
        if (std::holds_alternative<RpcResponse>(message))
            return responder->reply(
                error_reply(400, "clients send no responses", rpc_code::invalid_request));
        // A notification, such as of a cancellation, concerns requests of other connections, which their
        // clients end by disconnecting.
        if (std::holds_alternative<RpcNotification>(message))
            return responder->reply({.status = 202, .type = "application/json"});
        const auto session = core_.open({}, nullptr);
        unlisted_.push_back(session);
        session->receive(std::move(message), outlet_for(session, responder, {}), &fields);
    }

    void begin_session(RpcMessage& message, const std::shared_ptr<web::Responder>& responder) {
        const std::string id = web::random_token();
        const auto session = core_.open(id, nullptr);
        const auto outlet = outlet_for(session, responder, {{std::string(session_field), id}});
        session->receive(std::move(message), outlet);
        if (!session->is_initialized()) return; // it has been refused
        while (!sessions_.empty() && sessions_.size() >= options_.max_sessions) drop_idle_session();
        sessions_.emplace(id, Entry{.session = session});
    }

    void get(const web::Request& request, const std::shared_ptr<web::Responder>& responder) {
        if (!accepts(or_empty(request.field("Accept")), "text/event-stream"))
            return responder->reply(error_reply(406, "the client must accept text/event-stream"));
        Entry* entry = find(*request.field(session_field));
        if (entry == nullptr)
            return responder->reply(error_reply(404, "the session does not exist", -32001));
        entry->used = SteadyClock::now();
        // A client that connects again may have lost its connection without the server's notice.
        if (const auto older = std::exchange(entry->events, nullptr)) older->drop();
        entry->events = outlet_for(entry->session, responder, {});
        entry->session->set_events(entry->events);
        entry->events->begin_stream();
    }

    void remove(const web::Request& request, const std::shared_ptr<web::Responder>& responder) {
        const auto found = sessions_.find(*request.field(session_field));
        if (found == sessions_.end())
            return responder->reply(error_reply(404, "the session does not exist", -32001));
        end(found);
        responder->reply({.status = 204});
    }

    [[nodiscard]] std::vector<std::shared_ptr<Session>> open_sessions() const {
        std::vector<std::shared_ptr<Session>> open;
        for (const auto& [id, entry] : sessions_) open.push_back(entry.session);
        for (const auto& each : unlisted_)
            if (auto session = each.lock()) open.push_back(std::move(session));
        return open;
    }

    [[nodiscard]] Entry* find(std::string_view id) {
        const auto found = sessions_.find(id);
        return found != sessions_.end() ? &found->second : nullptr;
    }

    /// The one that has been idle the longest, or else the oldest.
    void drop_idle_session() {
        const auto before = [](const auto& a, const auto& b) {
            const bool a_busy = a.second.session->is_busy();
            const bool b_busy = b.second.session->is_busy();
            return a_busy != b_busy ? b_busy : a.second.used < b.second.used;
        };
        const auto dropped = std::min_element(sessions_.begin(), sessions_.end(), before);
        end(dropped);
    }

    void end(std::map<std::string, Entry, std::less<>>::iterator ended) {
        const auto session = std::move(ended->second.session);
        sessions_.erase(ended);
        unlisted_.push_back(session);
        session->close();
    }

    std::shared_ptr<AnswerOutlet> outlet_for(const std::shared_ptr<Session>& session,
                                             const std::shared_ptr<web::Responder>& responder,
                                             Fields fields) {
        auto outlet = std::make_shared<AnswerOutlet>(responder, std::move(fields));
        answers_.push_back(outlet);
        responder->on_disconnect([session, weak = std::weak_ptr<AnswerOutlet>(outlet)] {
            if (const auto lost = weak.lock()) {
                lost->close();
                session->client_left(lost);
            }
        });
        return outlet;
    }

    Server::Core& core_;
    const HttpOptions options_;
    // On the server's thread.
    std::map<std::string, Entry, std::less<>> sessions_;
    /// Others whose handlers may still run: of stateless requests, and ended ones.
    std::vector<std::weak_ptr<Session>> unlisted_;
    std::vector<std::weak_ptr<AnswerOutlet>> answers_;
};

web::Limits limits_for(const HttpOptions& options) {
    using namespace std::chrono_literals;
    return {.connections = options.max_connections,
            .unauthenticated_connections = 16,
            .header_bytes = 16U << 10U,
            .request_time = 30s,
            .write_time = 60s,
            .heartbeat = 15s};
}

} // namespace

class HttpEndpoint::Impl {
public:
    Impl(Server& server, const HttpOptions& options)
        : options_(options), site_(server.core(), options), server_(listen(options, site_)) {}
    ~Impl() {
        server_ = nullptr; // no further request
        site_.close();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] std::uint16_t port() const { return server_->port(); }
    [[nodiscard]] std::string url() const {
        std::string url = server_->access().url();
        url.resize(url.find('/', std::string_view("http://").size()));
        return url + options_.path;
    }

private:
    static std::unique_ptr<web::HttpServer> listen(const HttpOptions& options, EndpointSite& site) {
        if (options.token.empty() && !web::is_loopback(options.host))
            throw Error(
                errc::cannot_listen,
                fmt::format("the server does not listen on {} without a token, because every "
                            "client that reaches this address could use it; set a token, or "
                            "choose a loopback address such as 127.0.0.1",
                            options.host));
        try {
            return std::make_unique<web::HttpServer>(
                options.host, options.port, limits_for(options), site, [&](std::uint16_t port) {
                    return web::Access({.host = options.host,
                                        .port = port,
                                        .tokens = {.all = options.token},
                                        .allowed_origins = options.allowed_origins});
                });
        } catch (const web::ListenError& error) {
            throw Error(errc::cannot_listen,
                        fmt::format("the server cannot listen on {}, port {}: {}; choose another "
                                    "port, or 0 for any free one",
                                    options.host, options.port, error.what()));
        }
    }

    const HttpOptions options_;
    EndpointSite site_;
    std::unique_ptr<web::HttpServer> server_;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): it is kept
HttpEndpoint::HttpEndpoint(Server& server, HttpOptions options)
    : impl_(std::make_unique<Impl>(server, options)) {}
HttpEndpoint::~HttpEndpoint() = default;
std::string HttpEndpoint::url() const { return impl_->url(); }
std::uint16_t HttpEndpoint::port() const { return impl_->port(); }

} // namespace eyehand::mcp
