#include "eyehand/vlm/testing/chat_server.hpp"

#include "answer_text.hpp"
#include "server_stream.hpp"

#include "../wire/utf8.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace eyehand::vlm::testing {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t read_bytes = std::size_t{256} * 1024;

std::unique_ptr<asio::ssl::context> tls_context(const std::optional<TlsIdentity>& identity) {
    if (!identity) return nullptr;
    auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    context->use_certificate_chain(asio::buffer(identity->certificate_pem));
    context->use_private_key(asio::buffer(identity->key_pem), asio::ssl::context::pem);
    return context;
}

/// A socket that is bound to a free port, but does not listen. An acceptor may share the port with
/// it.
tcp::socket reserve_port(asio::io_context& context, const std::string& address) {
    const tcp::endpoint any_port(asio::ip::make_address(address), 0);
    tcp::socket reservation(context, any_port.protocol());
    reservation.set_option(tcp::socket::reuse_address(true));
    reservation.bind(any_port);
    return reservation;
}

Answer unplanned() {
    Answer none;
    none.status = 500;
    none.body = R"({"error":{"message":"the test has planned no answer"}})";
    return none;
}

/// The two directions of a proxy's tunnel once both ends are connected.
class Relay : public std::enable_shared_from_this<Relay> {
public:
    Relay(tcp::socket& from, tcp::socket& to, std::shared_ptr<void> keep)
        : from_(from), to_(to), keep_(std::move(keep)) {}

    void run() {
        from_.async_read_some(asio::buffer(buffer_),
                              [self = shared_from_this()](error_code error, std::size_t bytes) {
                                  if (error) return self->end();
                                  asio::async_write(self->to_, asio::buffer(self->buffer_, bytes),
                                                    [self](error_code failed, std::size_t) {
                                                        if (failed) return self->end();
                                                        self->run();
                                                    });
                              });
    }

private:
    void end() {
        error_code ignored;
        from_.close(ignored);
        to_.close(ignored);
    }

    tcp::socket& from_;
    tcp::socket& to_;
    std::shared_ptr<void> keep_; // the owner of the sockets
    std::array<char, 16384> buffer_{};
};

} // namespace

class ChatServer::Impl {
public:
    explicit Impl(const ServerOptions& options)
        : connect_to_(options.connect_to), respond_(options.respond),
          keep_requests_(options.keep_requests), tls_(tls_context(options.tls)),
          reservation_(reserve_port(context_, options.address)),
          acceptor_(context_, reservation_.local_endpoint()) {
        port_ = acceptor_.local_endpoint().port();
        const bool is_ipv6 = options.address.find(':') != std::string::npos;
        url_ = std::string(tls_ ? "https" : "http") + "://" +
               (is_ipv6 ? '[' + options.address + ']' : options.address) + ':' +
               std::to_string(port_);
        accept();
        thread_ = std::thread([this] { context_.run(); });
    }

    ~Impl() {
        asio::post(context_, [this] {
            error_code ignored;
            acceptor_.close(ignored);
            for (Session* session : sessions_) session->close();
        });
        thread_.join();
    }

    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] const std::string& url() const { return url_; }

    void enqueue(Answer answer) {
        const std::lock_guard lock(mutex_);
        answers_.push_back(std::move(answer));
    }

    void stop_listening() {
        std::promise<void> closed;
        asio::post(context_, [&] {
            error_code ignored;
            acceptor_.close(ignored);
            closed.set_value();
        });
        closed.get_future().wait();
    }

    [[nodiscard]] std::vector<ReceivedRequest> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

    [[nodiscard]] std::size_t connections() const {
        const std::lock_guard lock(mutex_);
        return accepted_;
    }

    bool wait_for_requests(std::size_t count, std::chrono::milliseconds timeout) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, timeout, [&] { return received_ >= count; });
    }

    bool wait_until_disconnected(std::chrono::milliseconds timeout) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, timeout, [&] { return open_ == 0; });
    }

private:
    using Parser = beast::http::request_parser<beast::http::string_body>;

    /// One connection; lives as long as one of its handlers. It reads all the time, so that it
    /// notices a client that disconnects in the middle of an answer. Runs on the server's thread
    /// only.
    class Session : public std::enable_shared_from_this<Session> {
    public:
        Session(Impl& server, tcp::socket socket)
            : server_(server), stream_(std::move(socket), server.tls_.get()),
              onward_(server.context_) {
            server_.sessions_.insert(this);
        }
        ~Session() {
            close();
            server_.sessions_.erase(this);
            server_.closed();
        }
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

        void start() {
            expect_request();
            stream_.async_open([self = shared_from_this()](error_code error) {
                if (!error) self->read();
            });
        }

        void close() {
            leave_gate();
            stream_.close();
            error_code ignored;
            onward_.close(ignored);
        }

    private:
        void expect_request() {
            parser_.emplace();
            parser_->body_limit(boost::none);
            parser_->eager(true);
            answering_ = false;
        }

        void read() {
            stream_.async_read_some(
                buffer_.prepare(read_bytes),
                [self = shared_from_this()](error_code error, std::size_t bytes) {
                    if (error) return self->lost(error);
                    self->buffer_.commit(bytes);
                    self->parse();
                    if (!self->is_tunnel_) self->read();
                });
        }

        void lost(error_code error) {
            const bool by_client = error != asio::error::operation_aborted;
            if (by_client && answering_ && !complete_ && answer_.on_disconnect)
                answer_.on_disconnect();
            close();
        }

        void parse() {
            if (answering_ || buffer_.size() == 0) return;
            error_code error;
            buffer_.consume(parser_->put(buffer_.data(), error));
            if (error && error != beast::http::error::need_more) return close();
            if (parser_->is_done()) answer();
        }

        void answer() {
            answering_ = true;
            ReceivedRequest request = received();
            if (request.method == "CONNECT" && server_.connect_to_) {
                server_.note(std::move(request));
                return open_tunnel();
            }
            complete_ = false;
            answer_ = server_.take_answer(std::move(request));
            if (answer_.never) return;
            if (answer_.parts.empty()) use_text();
            part_ = 0;
            repeated_ = 0;
            send_next();
        }

        /// Converts an answer without parts into one with a single part.
        void use_text() {
            std::string text = answer_text(answer_);
            if (answer_.cut_after < text.size()) {
                text.resize(answer_.cut_after);
                if (text.empty()) answer_.reset = answer_.close;
                answer_.close = true;
            }
            answer_.parts = {std::move(text)};
        }

        void send_next() {
            if (part_ == answer_.parts.size()) return finish();
            const Part& part = answer_.parts[part_];
            if (const auto* text = std::get_if<std::string>(&part)) {
                ++part_;
                return send(*text);
            }
            if (const auto* again = std::get_if<Repeated>(&part)) {
                if (repeated_++ < again->times) return send(again->block);
                repeated_ = 0;
                ++part_;
                return send_next();
            }
            ++part_;
            stop_at(std::get<Gate>(part));
        }

        void send(const std::string& bytes) {
            stream_.async_write(asio::buffer(bytes),
                                [self = shared_from_this()](error_code error, std::size_t) {
                                    if (!error) self->send_next();
                                });
        }

        void stop_at(const Gate& gate) {
            gate_ = gate;
            const bool open = gate.arrive(this, [weak = weak_from_this(), &server = server_] {
                // Locked only in the server's loop: the test's thread must not destroy the session.
                asio::post(server.context_, [weak] {
                    if (const auto self = weak.lock()) self->send_next();
                });
            });
            if (open) send_next();
        }

        void leave_gate() {
            if (gate_) gate_->forget(this);
            gate_.reset();
        }

        void finish() {
            complete_ = true;
            if (answer_.reset) return stream_.reset();
            // Closing at once could discard data that the client has not read yet.
            if (answer_.close) return stream_.end(shared_from_this());
            expect_request();
            parse(); // bytes that arrived in the meantime
        }

        void open_tunnel() {
            is_tunnel_ = true;
            onward_.async_connect(
                {asio::ip::address_v4::loopback(),
                 static_cast<std::uint16_t>(*server_.connect_to_)},
                [self = shared_from_this()](error_code error) {
                    self->text_ = error ? "HTTP/1.1 502 Bad Gateway\r\n\r\n"
                                        : "HTTP/1.1 200 Connection established\r\n\r\n";
                    self->stream_.async_write(asio::buffer(self->text_),
                                              [self, error](error_code failed, std::size_t) {
                                                  if (error || failed) return self->close();
                                                  self->relay();
                                              });
                });
        }

        void relay() {
            const auto self = shared_from_this();
            std::make_shared<Relay>(stream_.tcp(), onward_, self)->run();
            std::make_shared<Relay>(onward_, stream_.tcp(), self)->run();
        }

        [[nodiscard]] ReceivedRequest received() const {
            const auto& message = parser_->get();
            ReceivedRequest request;
            request.method = std::string(message.method_string());
            request.target = std::string(message.target());
            for (const auto& field : message)
                request.headers[wire::ascii_lower(std::string(field.name_string()))] =
                    std::string(field.value());
            request.body = message.body();
            return request;
        }

        Impl& server_;
        ServerStream stream_;
        tcp::socket onward_; // of a tunnel
        beast::flat_buffer buffer_;
        std::optional<Parser> parser_;
        bool answering_ = false; // incoming bytes stay in the buffer
        bool complete_ = false;  // the answer was sent
        bool is_tunnel_ = false;

        Answer answer_;
        std::size_t part_ = 0;
        std::uint64_t repeated_ = 0;
        std::optional<Gate> gate_;
        std::string text_;
    };

    void accept() {
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
            if (!error) {
                opened();
                error_code ignored;
                socket.set_option(tcp::no_delay(true), ignored);
                std::make_shared<Session>(*this, std::move(socket))->start();
            }
            accept();
        });
    }

    void note(ReceivedRequest request) {
        const std::lock_guard lock(mutex_);
        ++received_;
        if (keep_requests_) requests_.push_back(std::move(request));
        changed_.notify_all();
    }

    Answer take_answer(ReceivedRequest request) {
        if (respond_) {
            Answer answer = respond_(request);
            note(std::move(request));
            return answer;
        }
        note(std::move(request));
        const std::lock_guard lock(mutex_);
        if (answers_.empty()) return unplanned();
        Answer answer = std::move(answers_.front());
        answers_.pop_front();
        return answer;
    }

    void opened() {
        const std::lock_guard lock(mutex_);
        ++accepted_;
        ++open_;
        changed_.notify_all();
    }

    void closed() {
        const std::lock_guard lock(mutex_);
        --open_;
        changed_.notify_all();
    }

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::deque<Answer> answers_;
    std::vector<ReceivedRequest> requests_;
    std::size_t received_ = 0;
    std::size_t accepted_ = 0;
    std::size_t open_ = 0;

    const std::optional<int> connect_to_;
    const Respond respond_;
    const bool keep_requests_;
    const std::unique_ptr<asio::ssl::context> tls_; // null: http
    std::set<Session*> sessions_;                   // used only on the server's thread
    int port_ = 0;
    std::string url_;
    asio::io_context context_{1};
    tcp::socket reservation_; // no other program gets the port after `stop_listening`
    tcp::acceptor acceptor_;
    std::thread thread_;
};

ChatServer::ChatServer() : ChatServer(ServerOptions{}) {}
ChatServer::ChatServer(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
ChatServer::~ChatServer() = default;
int ChatServer::port() const { return impl_->port(); }
std::string ChatServer::url() const { return impl_->url(); }
void ChatServer::enqueue(Answer answer) { impl_->enqueue(std::move(answer)); }
void ChatServer::stop_listening() { impl_->stop_listening(); }
std::vector<ReceivedRequest> ChatServer::requests() const { return impl_->requests(); }
std::size_t ChatServer::connections() const { return impl_->connections(); }

bool ChatServer::wait_for_requests(std::size_t count, std::chrono::milliseconds timeout) const {
    return impl_->wait_for_requests(count, timeout);
}

bool ChatServer::wait_until_disconnected(std::chrono::milliseconds timeout) const {
    return impl_->wait_until_disconnected(timeout);
}

} // namespace eyehand::vlm::testing
