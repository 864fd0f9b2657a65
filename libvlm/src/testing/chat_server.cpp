#include "vlm/testing/chat_server.hpp"

#include "../wire/utf8.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/json.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace vlm::testing {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

std::string response_text(const Answer& answer) {
    if (!answer.raw.empty()) return answer.raw;
    const auto status = static_cast<unsigned>(answer.status);
    std::string text =
        "HTTP/1.1 " + std::to_string(answer.status) + ' ' +
        std::string(beast::http::obsolete_reason(beast::http::int_to_status(status)));
    text += "\r\nContent-Type: " + answer.content_type;
    text += "\r\nContent-Length: " + std::to_string(answer.body.size());
    for (const auto& [name, value] : answer.headers)
        text.append("\r\n").append(name).append(": ").append(value);
    return text + "\r\n\r\n" + answer.body;
}

} // namespace

std::string completion(const std::string& text, const std::string& tool,
                       const std::string& arguments_json) {
    boost::json::object message{{"role", "assistant"}, {"content", text}};
    if (!tool.empty())
        message["tool_calls"] = {{{"id", "call_of_" + tool},
                                  {"type", "function"},
                                  {"function", {{"name", tool}, {"arguments", arguments_json}}}}};
    boost::json::object answer;
    answer["id"] = "chatcmpl-test";
    answer["object"] = "chat.completion";
    answer["model"] = "test-model";
    boost::json::object choice;
    choice["index"] = 0;
    choice["message"] = std::move(message);
    choice["finish_reason"] = tool.empty() ? "stop" : "tool_calls";
    boost::json::array choices;
    choices.push_back(std::move(choice));
    answer["choices"] = std::move(choices);
    answer["usage"] = {{"prompt_tokens", 30}, {"completion_tokens", 10}, {"total_tokens", 40}};
    return boost::json::serialize(answer);
}

class ChatServer::Impl {
public:
    Impl() : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
        port_ = acceptor_.local_endpoint().port();
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

    void enqueue(Answer answer) {
        const std::lock_guard lock(mutex_);
        answers_.push_back(std::move(answer));
    }

    [[nodiscard]] std::vector<ReceivedRequest> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

    [[nodiscard]] std::size_t connections() const {
        const std::lock_guard lock(mutex_);
        return accepted_;
    }

    bool wait_for_requests(std::size_t count, std::chrono::milliseconds at_most) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, at_most, [&] { return requests_.size() >= count; });
    }

    bool wait_until_disconnected(std::chrono::milliseconds at_most) const {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, at_most, [&] { return open_ == 0; });
    }

private:
    using Parser = beast::http::request_parser<beast::http::string_body>;

    /// One connection; lives as long as one of its handlers does. On the server's thread only.
    class Session : public std::enable_shared_from_this<Session> {
    public:
        Session(Impl& server, tcp::socket socket) : server_(server), socket_(std::move(socket)) {
            server_.sessions_.insert(this);
            buffer_.reserve(std::size_t{256} * 1024); // else Beast reads 1 KB at a time
        }
        ~Session() {
            close();
            server_.sessions_.erase(this);
            server_.closed();
        }
        Session(const Session&) = delete;
        Session& operator=(const Session&) = delete;

        void read() {
            parser_.emplace();
            parser_->body_limit(boost::none);
            beast::http::async_read(socket_, buffer_, *parser_,
                                    [self = shared_from_this()](error_code error, std::size_t) {
                                        if (!error) self->answer();
                                    });
        }

        void close() {
            error_code ignored;
            socket_.cancel(ignored); // Wine 8 does not end a waiting send when its socket is closed
            socket_.close(ignored);
        }

    private:
        void answer() {
            answer_ = server_.take_answer(received());
            if (answer_.never) return wait_for_end();
            text_ = response_text(answer_);
            if (answer_.cut_after < text_.size()) {
                text_.resize(answer_.cut_after);
                if (!text_.empty()) answer_.close = true;
            }
            if (text_.empty()) return answer_.close ? reset() : finish();
            asio::async_write(socket_, asio::buffer(text_),
                              [self = shared_from_this()](error_code error, std::size_t) {
                                  if (error) return;
                                  if (self->answer_.close) return self->finish();
                                  self->read();
                              });
        }

        /// Says that no more comes, and closes when the other side has done so too: closing at once
        /// could destroy what it has not read yet.
        void finish() {
            error_code ignored;
            socket_.shutdown(tcp::socket::shutdown_send, ignored);
            wait_for_end();
        }

        void reset() {
            error_code ignored;
            socket_.set_option(asio::socket_base::linger(true, 0), ignored);
            socket_.close(ignored);
        }

        void wait_for_end() {
            socket_.async_read_some(buffer_.prepare(4096),
                                    [self = shared_from_this()](error_code error, std::size_t) {
                                        if (!error) self->wait_for_end();
                                    });
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
        tcp::socket socket_;
        beast::flat_buffer buffer_;
        std::optional<Parser> parser_;
        Answer answer_;
        std::string text_;
    };

    void accept() {
        acceptor_.async_accept([this](error_code error, tcp::socket socket) {
            if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
            if (!error) {
                opened();
                std::make_shared<Session>(*this, std::move(socket))->read();
            }
            accept();
        });
    }

    Answer take_answer(ReceivedRequest request) {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
        changed_.notify_all();
        if (answers_.empty()) {
            Answer none;
            none.status = 500;
            none.body = R"({"error":{"message":"the test has planned no answer"}})";
            return none;
        }
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
    std::size_t accepted_ = 0;
    std::size_t open_ = 0;

    std::set<Session*> sessions_; // the server's thread only
    int port_ = 0;
    asio::io_context context_{1};
    tcp::acceptor acceptor_;
    std::thread thread_;
};

ChatServer::ChatServer() : impl_(std::make_unique<Impl>()) {}
ChatServer::~ChatServer() = default;
int ChatServer::port() const { return impl_->port(); }
std::string ChatServer::url() const { return "http://127.0.0.1:" + std::to_string(port()); }
void ChatServer::enqueue(Answer answer) { impl_->enqueue(std::move(answer)); }
std::vector<ReceivedRequest> ChatServer::requests() const { return impl_->requests(); }
std::size_t ChatServer::connections() const { return impl_->connections(); }

bool ChatServer::wait_for_requests(std::size_t count, std::chrono::milliseconds at_most) const {
    return impl_->wait_for_requests(count, at_most);
}

bool ChatServer::wait_until_disconnected(std::chrono::milliseconds at_most) const {
    return impl_->wait_until_disconnected(at_most);
}

} // namespace vlm::testing
