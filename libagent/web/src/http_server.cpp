#include "http_server.hpp"

#include "base/text.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#ifndef _WIN32
#include <signal.h>
#endif

namespace eyehand::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_events{50};
/// Time for a refused client to read the answer.
constexpr std::chrono::seconds farewell{2};
constexpr std::chrono::milliseconds accept_again{100};
constexpr std::chrono::milliseconds look_every{500};
/// Maximum size of the events that a client has not read, in bytes.
constexpr std::size_t max_unsent = std::size_t{64} << 20U;
/// Maximum time that the destructor waits for slow clients.
constexpr std::chrono::milliseconds last_words{500};

constexpr const char* content_security_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }
std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

Reply plain(unsigned status, std::string_view text) {
    return {.status = status, .body = std::string(text) + "\n"};
}

#ifdef _WIN32
/// On Windows, SO_REUSEADDR would let another program listen on the same port.
using ListenAlone = asio::detail::socket_option::boolean<SOL_SOCKET, SO_EXCLUSIVEADDRUSE>;
#endif

#ifdef _WIN32
struct NoSignals {};
#else
/// Blocks signals: the threads of the program handle them.
class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals&) = delete;
    NoSignals& operator=(const NoSignals&) = delete;

private:
    sigset_t before_{};
};
#endif

} // namespace

std::string_view parameter(std::string_view query, std::string_view name) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view one = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equals = one.find('=');
        if (equals != std::string_view::npos && one.substr(0, equals) == name)
            return one.substr(equals + 1);
    }
    return {};
}

std::optional<std::string_view> Request::field(std::string_view name) const {
    for (const auto& [each, value] : fields)
        if (agent::equals_ignoring_case(each, name)) return value;
    return std::nullopt;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): sites that answer later keep it
void Site::answer_later(const Request& request, std::shared_ptr<Responder> responder) {
    responder->reply(answer(request));
}

Reply Site::no_token() const {
    return plain(403, "The token is missing or wrong, or does not permit this request. Open the "
                      "address that the program printed; it ends with the token. Programs send the "
                      "token as \"Authorization: Bearer TOKEN\".");
}

class HttpServer::Impl {
public:
    Impl(const std::string& host, std::uint16_t port, const Limits& limits, Site& site,
         const std::function<Access(std::uint16_t)>& make_access)
        : limits_(limits), site_(site), acceptor_(context_), accept_timer_(context_),
          look_timer_(context_) {
        listen(host, port);
        port_ = acceptor_.local_endpoint().port();
        access_.emplace(make_access(port_));
        accept();
        look();
        [[maybe_unused]] const NoSignals blocked; // the new thread inherits the mask
        thread_ = std::thread([this] { serve(); });
    }

    /// Sends the last events to the clients of the event stream, unless they read too slowly.
    ~Impl() {
        asio::post(context_, [this] { part(); });
        thread_.join();
        bell_->close();
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] const Access& access() const { return *access_; }
    [[nodiscard]] std::uint16_t port() const { return port_; }

    void wake() {
        if (woken_.exchange(true)) return;
        asio::post(context_, [this] {
            woken_ = false;
            // A copy: on_news may remove a closed connection.
            for (Connection* listener : std::set(listeners_)) listener->on_news();
        });
    }

private:
    using Parser = http::request_parser<http::string_body>;
    using Response = http::response<http::string_body>;

    /// Reaches the server's thread as long as it exists.
    class Doorbell {
    public:
        explicit Doorbell(asio::io_context& context) : context_(&context) {}
        template <class Handler>
        void post(Handler handler) {
            const std::lock_guard lock(mutex_);
            if (context_ != nullptr) asio::post(*context_, std::move(handler));
        }
        void close() {
            const std::lock_guard lock(mutex_);
            context_ = nullptr;
        }

    private:
        std::mutex mutex_;
        asio::io_context* context_;
    };

    /// One client; the pending handlers keep it alive.
    class Connection : public std::enable_shared_from_this<Connection> {
    public:
        Connection(Impl& server, tcp::socket socket)
            : server_(server), stream_(std::move(socket)), pace_(server.context_) {
            server_.unauthenticated_.push_back(this);
        }
        ~Connection() {
            if (authenticated_)
                --server_.authenticated_;
            else
                server_.unauthenticated_.remove(this);
            server_.listeners_.erase(this);
            server_.answering_.erase(this);
        }
        Connection(const Connection&) = delete;
        Connection& operator=(const Connection&) = delete;

        void read() {
            parser_.emplace();
            parser_->header_limit(server_.limits_.header_bytes);
            parser_->body_limit(boost::none); // depends on the path; set in read_body
            // For the whole header, however many parts it arrives in.
            stream_.expires_after(server_.limits_.request_time);
            is_idle_ = true;
            auto& others = server_.unauthenticated_;
            // Now it is the one that has been idle for the shortest time. It is absent if it has
            // been dropped while the handler of its last write was waiting.
            if (const auto place = std::find(others.begin(), others.end(), this);
                place != others.end())
                others.splice(others.end(), others, place);
            http::async_read_header(stream_, buffer_, *parser_,
                                    [self = shared_from_this()](error_code error, std::size_t) {
                                        self->is_idle_ = false;
                                        if (error) return self->refuse(error);
                                        self->on_header();
                                    });
        }

        /// Waits for a request.
        [[nodiscard]] bool is_idle() const { return is_idle_; }

        /// Its pending handlers destroy the connection.
        void drop() { stream_.close(); }

        /// Sends the next event, if there is one.
        void on_news() {
            if (writing_) return; // called again after the write
            const auto due = latest_event_ + between_events;
            if (Clock::now() < due && !server_.parting_) return look_at(due);
            auto event = events_->next();
            if (!event && server_.parting_) return close();
            if (!event) return look_at(latest_write_ + server_.limits_.heartbeat);
            latest_event_ = Clock::now();
            send(*std::move(event));
        }

    private:
        // ---- a request --------------------------------------------------------------------------

        void on_header() {
            const auto& head = parser_->get();
            keep_alive_ = head.keep_alive();
            is_head_ = head.method() == http::verb::head;
            for (const auto field : {http::field::host, http::field::origin})
                if (head.count(field) > 1)
                    return refuse(plain(400, "duplicate Host or Origin field"));
            take_target(view_of(head.target()));
            const Caller caller{.method = view_of(head.method_string()),
                                .host = view_of(head[http::field::host]),
                                .origin = view_of(head[http::field::origin]),
                                .fetch_site = view_of(head["Sec-Fetch-Site"]),
                                .authorization = view_of(head[http::field::authorization]),
                                .url_token = parameter(request_.query, "token")};
            const Access& access = server_.access();
            const Protection protection = server_.site_.protection(request_.path);
            if (const auto reason = access.refusal(caller, protection); !reason.empty())
                return refuse(plain(403, reason));
            allowed_origin_ =
                access.is_allowed_origin(caller.origin) ? std::string(caller.origin) : "";
            if (head.method() == http::verb::options) return write(preflight());
            if (!access.permits(caller, protection)) return refuse(server_.site_.no_token());
            // The files of the page are for everyone.
            has_room_ = protection == Protection::none || admit();
            keep_alive_ = keep_alive_ && has_room_;
            request_.method = is_head_ ? "GET" : text_of(head.method_string());
            request_.content_type = text_of(head[http::field::content_type]);
            for (const auto& field : head)
                request_.fields.emplace_back(text_of(field.name_string()), text_of(field.value()));
            if (request_.method == "GET" && server_.site_.is_stream(request_.path))
                return has_room_ ? open_stream()
                                 : refuse(plain(503, "the server has too many clients"));
            read_body();
        }

        /// Protects the connection of an authenticated request from removal. False: too many are
        /// protected; the request is answered nevertheless.
        bool admit() {
            if (authenticated_) return true;
            if (server_.authenticated_ >= server_.limits_.connections) return false;
            server_.unauthenticated_.remove(this);
            ++server_.authenticated_;
            authenticated_ = true;
            return true;
        }

        void take_target(std::string_view target) {
            const std::size_t question = std::min(target.find('?'), target.size());
            request_ = {};
            request_.path = std::string(target.substr(0, question));
            request_.query = std::string(target.substr(std::min(question + 1, target.size())));
        }

        void read_body() {
            const std::uint64_t max = server_.site_.max_body(request_.path);
            if (parser_->content_length().value_or(0) > max) return refuse(too_long());
            parser_->body_limit(max); // for chunked bodies
            if (agent::equals_ignoring_case(parser_->get()[http::field::expect], "100-continue")) {
                static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
                stream_.expires_after(server_.limits_.write_time);
                asio::async_write(stream_, asio::buffer(go_on),
                                  [self = shared_from_this()](error_code error, std::size_t) {
                                      if (!error) self->read_rest();
                                  });
                return;
            }
            read_rest();
        }

        void read_rest() {
            stream_.expires_after(server_.limits_.request_time);
            http::async_read(stream_, buffer_, *parser_,
                             [self = shared_from_this()](error_code error, std::size_t) {
                                 if (error) return self->refuse(error);
                                 self->request_.body = std::move(self->parser_->get().body());
                                 if (self->server_.site_.answers_later(self->request_.path))
                                     return self->answer_later();
                                 self->write(self->server_.answer(self->request_));
                             });
        }

        // ---- an answer that comes later ---------------------------------------------------------

        /// The answer of a request, which other threads give. Outlives connection and server.
        class Later final : public Responder {
        public:
            Later(std::shared_ptr<Doorbell> bell, std::weak_ptr<Connection> connection)
                : bell_(std::move(bell)), connection_(std::move(connection)) {}

            void reply(Reply reply) override {
                change([&] { reply_ = std::move(reply); }, Stage::replied);
            }
            void begin_stream(std::vector<std::pair<std::string, std::string>> fields) override {
                change([&] { fields_ = std::move(fields); }, Stage::streaming);
            }
            void send(std::string event) override {
                {
                    const std::lock_guard lock(mutex_);
                    if (stage_ != Stage::streaming) return;
                    if (bytes_ + event.size() > max_unsent) {
                        // The client reads too slowly.
                        events_.clear();
                        stage_ = Stage::broken;
                    } else {
                        bytes_ += event.size();
                        events_.push_back(std::move(event));
                    }
                }
                ring();
            }
            void end() override {
                {
                    const std::lock_guard lock(mutex_);
                    if (stage_ != Stage::streaming) return;
                    stage_ = Stage::ended;
                }
                ring();
            }
            void on_disconnect(std::function<void()> lost) override {
                {
                    const std::lock_guard lock(mutex_);
                    if (!is_lost_) {
                        lost_ = std::move(lost);
                        return;
                    }
                }
                lost();
            }

            /// What the connection does next. On the server's thread, like all that follow.
            struct Step {
                std::optional<Reply> reply{};
                std::optional<std::vector<std::pair<std::string, std::string>>> begin{};
                std::string events{};
                bool end = false;
                bool broken = false;
            };
            [[nodiscard]] Step next() {
                const std::lock_guard lock(mutex_);
                Step step;
                step.reply = std::exchange(reply_, std::nullopt);
                step.begin = std::exchange(fields_, std::nullopt);
                for (const std::string& event : events_) step.events += event;
                events_.clear();
                bytes_ = 0;
                step.end = stage_ == Stage::ended;
                step.broken = stage_ == Stage::broken;
                return step;
            }
            /// The client has received the answer.
            void arrived() {
                const std::lock_guard lock(mutex_);
                lost_ = nullptr;
            }
            void lose() {
                std::function<void()> lost;
                {
                    const std::lock_guard lock(mutex_);
                    is_lost_ = true;
                    stage_ = Stage::broken;
                    events_.clear();
                    lost = std::exchange(lost_, nullptr);
                }
                if (lost) lost();
            }

        private:
            enum class Stage { open, replied, streaming, ended, broken };

            template <class Change>
            void change(const Change& make, Stage stage) {
                {
                    const std::lock_guard lock(mutex_);
                    if (stage_ != Stage::open) return;
                    make();
                    stage_ = stage;
                }
                ring();
            }
            void ring() {
                bell_->post([connection = connection_] {
                    if (const auto open = connection.lock()) open->on_answer();
                });
            }

            const std::shared_ptr<Doorbell> bell_;
            const std::weak_ptr<Connection> connection_;
            std::mutex mutex_;
            Stage stage_ = Stage::open;
            std::optional<Reply> reply_;
            std::optional<std::vector<std::pair<std::string, std::string>>> fields_;
            std::vector<std::string> events_;
            std::size_t bytes_ = 0;
            bool is_lost_ = false;
            std::function<void()> lost_;
        };

        void answer_later() {
            if (!has_room_) return refuse(plain(503, "the server has too many clients"));
            if (!parser_->is_done()) return refuse(plain(400, "this is not an HTTP request"));
            later_ = std::make_shared<Later>(server_.bell_, weak_from_this());
            server_.answering_.insert(this);
            const auto later = later_;
            stream_.expires_never();
            watch_client();
            try {
                server_.site_.answer_later(request_, later);
            } catch (const std::exception&) {
                later->reply(plain(500, "the server failed to answer this request"));
            }
        }

        /// Notices that the client disconnects. What it sends is its next request.
        void watch_client() {
            watching_ = true;
            stream_.async_read_some(
                buffer_.prepare(ignored_input_.size()),
                [self = shared_from_this()](error_code error, std::size_t bytes) {
                    self->watching_ = false;
                    if (error && !(error == asio::error::operation_aborted && self->answered_))
                        return self->lose_client();
                    self->buffer_.commit(bytes);
                    if (self->answered_) return self->read_next();
                    if (self->buffer_.size() > self->server_.limits_.header_bytes)
                        return self->lose_client();
                    self->watch_client();
                });
        }

        void lose_client() {
            closed_ = true;
            pace_.cancel();
            stream_.close();
            if (const auto later = std::exchange(later_, nullptr)) later->lose();
            server_.answered(*this);
        }

        /// Continues the answer.
        void on_answer() {
            if (!later_ || writing_ || closed_) return;
            Later::Step step = later_->next();
            if (step.broken) return lose_client();
            if (step.reply) {
                later_->arrived();
                later_ = nullptr;
                return write(*step.reply);
            }
            std::string text;
            if (step.begin) {
                is_streaming_ = true;
                text = stream_head(*step.begin);
            }
            text += step.events;
            if (!is_streaming_) return;
            ending_ = ending_ || step.end;
            if (!text.empty()) return send_part(std::move(text));
            if (!ending_) return wait_for_heartbeat();
            later_->arrived();
            later_ = nullptr;
            keep_alive_ = false;
            pace_.cancel();
            read_next();
        }

        void send_part(std::string text) {
            writing_ = true;
            sent_ = std::move(text);
            pace_.cancel();
            stream_.expires_after(server_.limits_.write_time);
            asio::async_write(stream_, asio::buffer(sent_),
                              [self = shared_from_this()](error_code error, std::size_t) {
                                  self->writing_ = false;
                                  if (error) return self->lose_client();
                                  self->on_answer();
                              });
        }

        void wait_for_heartbeat() {
            pace_.expires_after(server_.limits_.heartbeat);
            pace_.async_wait([self = shared_from_this()](error_code error) {
                if (error || self->closed_ || self->writing_ || !self->later_) return;
                self->send_part(": still there\n\n");
            });
        }

        /// After an answer: the watch may still read.
        void read_next() {
            server_.answered(*this);
            answered_ = true;
            if (watching_) {
                error_code ignored;
                stream_.socket().cancel(ignored);
                return;
            }
            answered_ = false;
            if (keep_alive_) return read();
            part();
        }

        // ---- its answer -------------------------------------------------------------------------

        [[nodiscard]] Reply preflight() const {
            Reply reply{.status = 204};
            if (!allowed_origin_.empty()) {
                reply.fields = {{"Access-Control-Allow-Methods", server_.site_.cors_methods()},
                                {"Access-Control-Allow-Headers", server_.site_.cors_fields()},
                                {"Access-Control-Max-Age", "600"}};
            }
            return reply;
        }

        [[nodiscard]] static Reply too_long() { return plain(413, "the request is too long"); }

        /// Answers a request that could not be read.
        void refuse(const error_code& error) {
            keep_alive_ = false;
            if (error == http::error::header_limit)
                return refuse(plain(431, "the request's header is too long"));
            if (error == http::error::body_limit) return refuse(too_long());
            // The client disconnected or was too slow.
            if (error == http::error::end_of_stream || error == http::error::partial_message ||
                error.category() != http::make_error_code(http::error::bad_method).category())
                return;
            refuse(plain(400, "this is not an HTTP request"));
        }

        /// The rest of the request stays unread.
        void refuse(const Reply& reply) {
            keep_alive_ = false;
            write(reply);
        }

        void add_common_fields(http::fields& fields) const {
            fields.set(http::field::cache_control, "no-store"); // screenshots are confidential
            fields.set("Content-Security-Policy", content_security_policy);
            fields.set("X-Content-Type-Options", "nosniff");
            fields.set("X-Frame-Options", "DENY");
            fields.set("Referrer-Policy", "no-referrer");
            fields.set("Cross-Origin-Resource-Policy",
                       allowed_origin_.empty() ? "same-origin" : "cross-origin");
            if (allowed_origin_.empty()) return;
            fields.set("Access-Control-Allow-Origin", allowed_origin_);
            fields.set("Vary", "Origin");
            if (const std::string exposed = server_.site_.cors_exposed(); !exposed.empty())
                fields.set("Access-Control-Expose-Headers", exposed);
        }

        void write(const Reply& reply) {
            // The unread rest of a request would be parsed as the next request.
            keep_alive_ = keep_alive_ && parser_->is_done();
            response_ = Response{static_cast<http::status>(reply.status), 11};
            add_common_fields(response_);
            for (const auto& [name, value] : reply.fields) response_.set(name, value);
            response_.keep_alive(keep_alive_);
            if (reply.status != 204) {
                response_.set(http::field::content_type, reply.type);
                response_.content_length(reply.body.size());
                if (!is_head_) response_.body() = reply.body;
            }
            serializer_.emplace(response_);
            write_some();
        }

        void write_some() {
            // Restarted for each part: limits the time without progress.
            stream_.expires_after(server_.limits_.write_time);
            http::async_write_some(stream_, *serializer_,
                                   [self = shared_from_this()](error_code error, std::size_t) {
                                       if (error) return;
                                       if (!self->serializer_->is_done()) return self->write_some();
                                       self->read_next();
                                   });
        }

        /// Shuts down and drains the connection: closing it while the client still sends could
        /// discard the answer before the client reads it.
        void part() {
            error_code ignored;
            stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            stream_.expires_after(farewell);
            ignore_input();
        }

        void ignore_input() {
            stream_.async_read_some(asio::buffer(ignored_input_),
                                    [self = shared_from_this()](error_code error, std::size_t) {
                                        if (!error) self->ignore_input();
                                    });
        }

        // ---- a stream of events -----------------------------------------------------------------

        /// A stream ends with its connection.
        [[nodiscard]] std::string
        stream_head(const std::vector<std::pair<std::string, std::string>>& fields) const {
            http::response<http::empty_body> head{http::status::ok, 11};
            add_common_fields(head);
            head.set(http::field::content_type, "text/event-stream; charset=utf-8");
            for (const auto& [name, value] : fields) head.set(name, value);
            head.keep_alive(false);
            std::string text = "HTTP/1.1 200 OK\r\n";
            for (const auto& field : head)
                text +=
                    fmt::format("{}: {}\r\n", view_of(field.name_string()), view_of(field.value()));
            return text + "\r\n";
        }

        void open_stream() {
            std::string text = stream_head({});
            if (is_head_) {
                sent_ = std::move(text);
                stream_.expires_after(server_.limits_.write_time);
                asio::async_write(stream_, asio::buffer(sent_),
                                  [self = shared_from_this()](error_code error, std::size_t) {
                                      if (!error) self->part();
                                  });
                return;
            }
            events_ = server_.site_.open_stream();
            server_.listeners_.insert(this);
            stream_.expires_never();
            watch();
            send(std::move(text));
        }

        /// Reads only to notice that the client disconnects.
        void watch() {
            stream_.async_read_some(asio::buffer(ignored_input_),
                                    [self = shared_from_this()](error_code error, std::size_t) {
                                        if (error) return self->close();
                                        self->watch();
                                    });
        }

        /// One event at a time: a client that reads slowly gets fewer of them, and one that reads
        /// nothing is dropped.
        void send(std::string text) {
            writing_ = true;
            sent_ = std::move(text);
            stream_.expires_after(server_.limits_.write_time);
            asio::async_write(stream_, asio::buffer(sent_),
                              [self = shared_from_this()](error_code error, std::size_t) {
                                  if (error) return self->close();
                                  self->writing_ = false;
                                  self->latest_write_ = Clock::now();
                                  self->on_news();
                              });
        }

        void look_at(Clock::time_point when) {
            pace_.expires_at(when);
            pace_.async_wait([self = shared_from_this()](error_code error) {
                if (error || self->closed_ || self->writing_) return;
                if (Clock::now() >= self->latest_write_ + self->server_.limits_.heartbeat)
                    return self->send(": still there\n\n");
                self->on_news();
            });
        }

        void close() {
            closed_ = true;
            server_.listeners_.erase(this);
            pace_.cancel();
            stream_.close();
            server_.stop_if_silent();
        }

        Impl& server_;
        beast::tcp_stream stream_;
        beast::flat_buffer buffer_;
        std::optional<Parser> parser_;
        Request request_;
        std::string allowed_origin_; // the request's origin, if it is the additional allowed one
        bool keep_alive_ = false;
        bool is_head_ = false;
        bool is_idle_ = false;
        bool authenticated_ = false; // a request of this connection had access
        bool has_room_ = false;      // the connection may stay
        Response response_;
        std::optional<http::response_serializer<http::string_body>> serializer_;
        std::array<char, 4096> ignored_input_{};

        std::shared_ptr<Later> later_; // the answer to the current request, if it comes later
        bool watching_ = false;        // reads while the answer is awaited
        bool answered_ = false;        // the watch ends because of the answer
        bool is_streaming_ = false;    // the answer is a stream
        bool ending_ = false;          // the stream has no further events

        std::unique_ptr<Stream> events_;
        asio::steady_timer pace_;
        std::string sent_;
        bool writing_ = false;
        bool closed_ = false;
        Clock::time_point latest_event_{};
        Clock::time_point latest_write_{};
    };

    void listen(const std::string& host, std::uint16_t port) {
        try {
            tcp::resolver resolver(context_);
            const tcp::endpoint endpoint =
                *resolver
                     .resolve(host, std::to_string(port),
                              tcp::resolver::passive | tcp::resolver::numeric_service)
                     .begin();
            acceptor_.open(endpoint.protocol());
#ifdef _WIN32
            acceptor_.set_option(ListenAlone(true));
#else
            acceptor_.set_option(tcp::acceptor::reuse_address(true));
#endif
            acceptor_.bind(endpoint);
            acceptor_.listen();
        } catch (const boost::system::system_error& error) {
            throw ListenError(error.code().message());
        }
    }

    void accept() {
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error == asio::error::operation_aborted) return;
            if (error && error != asio::error::connection_aborted) {
                // For example, out of file handles: an immediate retry would only keep the
                // processor busy.
                accept_timer_.expires_after(accept_again);
                accept_timer_.async_wait([this](error_code) { accept(); });
                return;
            }
            if (!error) take(std::move(socket));
            accept();
        });
    }

    void take(tcp::socket socket) {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        while (!unauthenticated_.empty() &&
               unauthenticated_.size() >= limits_.unauthenticated_connections)
            drop_unauthenticated();
        std::make_shared<Connection>(*this, std::move(socket))->read();
    }

    /// Closes the connection that has been idle the longest, or else the oldest.
    void drop_unauthenticated() {
        auto one = std::find_if(unauthenticated_.begin(), unauthenticated_.end(),
                                [](const Connection* each) { return each->is_idle(); });
        if (one == unauthenticated_.end()) one = unauthenticated_.begin();
        Connection& dropped = **one;
        unauthenticated_.erase(one);
        dropped.drop();
    }

    void look() {
        look_timer_.expires_after(look_every);
        look_timer_.async_wait([this](error_code error) {
            if (error) return; // the server stops
            look();
            site_.look();
        });
    }

    Reply answer(const Request& request) {
        try {
            return site_.answer(request);
        } catch (const std::exception&) {
            return plain(500, "the server failed to answer this request");
        }
    }

    void part() {
        parting_ = true;
        site_.leave();
        if (listeners_.empty() && answering_.empty()) return context_.stop();
        look_timer_.expires_after(last_words);
        look_timer_.async_wait([this](error_code) { context_.stop(); });
        for (Connection* listener : std::set(listeners_)) listener->on_news();
    }

    void stop_if_silent() {
        if (parting_ && listeners_.empty() && answering_.empty()) context_.stop();
    }

    /// An answer that came later is complete.
    void answered(Connection& connection) {
        if (answering_.erase(&connection) > 0) stop_if_silent();
    }

    void serve() {
        for (;;) {
            try {
                context_.run();
                return;
            } catch (const std::exception&) { // NOLINT(bugprone-empty-catch)
                // The affected client loses its connection; the others continue.
            }
        }
    }

    const Limits limits_;
    Site& site_;
    std::optional<Access> access_;
    std::uint16_t port_ = 0;
    std::atomic<bool> woken_ = false;
    // Used on the server's thread only. Declared before the context, whose handlers refer to them.
    std::list<Connection*> unauthenticated_; // the one that has been idle the longest first
    std::size_t authenticated_ = 0;          // the number of the other connections
    std::set<Connection*> listeners_;
    std::set<Connection*> answering_; // with an answer that comes later
    bool parting_ = false;
    asio::io_context context_{1};
    const std::shared_ptr<Doorbell> bell_ = std::make_shared<Doorbell>(context_);
    tcp::acceptor acceptor_;
    asio::steady_timer accept_timer_;
    asio::steady_timer look_timer_;
    std::thread thread_;
};

HttpServer::HttpServer(const std::string& host, std::uint16_t port, const Limits& limits,
                       Site& site, const std::function<Access(std::uint16_t)>& make_access)
    : impl_(std::make_unique<Impl>(host, port, limits, site, make_access)) {}
HttpServer::~HttpServer() = default;
const Access& HttpServer::access() const { return impl_->access(); }
std::uint16_t HttpServer::port() const { return impl_->port(); }
void HttpServer::wake() { impl_->wake(); }

} // namespace eyehand::web
