// Every operation is asynchronous, with a timer beside it, and the calling thread runs the loop:
// Beast's and Asio's synchronous calls know neither time limits nor cancellation.
#include "connection.hpp"

#include "vlm/error.hpp"

#include "../wire/utf8.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/span_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace vlm::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

// Beast reads as much as the buffer has room for; without this, 1 KB at a time.
constexpr std::size_t read_buffer_bytes = std::size_t{256} * 1024;
constexpr std::uint32_t header_limit_bytes = 64 * 1024;
// "100 Continue" and "103 Early Hints" come once or a few times; more is no server we understand.
constexpr int most_interim_answers = 16;

Clock::time_point deadline_after(Clock::time_point start, std::chrono::milliseconds limit) {
    // A year is as good as never, and cannot overflow the clock.
    constexpr std::chrono::hours longest{24 * 365};
    if (limit <= std::chrono::milliseconds::zero()) return Clock::time_point::max();
    return start + std::min<std::chrono::milliseconds>(limit, longest);
}

std::chrono::milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

bool is_localhost(std::string_view host) {
    return host == "localhost" || host.ends_with(".localhost"); // RFC 6761, section 6.3
}

/// A name lookup on a thread of its own. The system's lookup cannot be interrupted: whoever stops
/// waiting for it lets go of this, and the thread's result is dropped whenever it comes.
struct Lookup {
    std::mutex mutex;
    asio::io_context* wake = nullptr; ///< null: nobody waits any longer
    bool done = false;
    std::vector<std::string> addresses;
    std::string problem;

    void finish(std::vector<std::string> found, std::string why) {
        const std::lock_guard lock(mutex);
        addresses = std::move(found);
        problem = std::move(why);
        done = true;
        if (wake) asio::post(*wake, [] {}); // the loop looks at `done` after each event
    }
};

void look_up(const std::shared_ptr<Lookup>& lookup, const Resolver& resolver,
             const std::string& host) {
    try {
        lookup->finish(resolver(host), {});
    } catch (const std::system_error& error) {
        lookup->finish({}, error.code().message());
    } catch (const std::exception& error) {
        lookup->finish({}, error.what());
    }
}

void start_thread(std::function<void()> work) {
    try {
        std::thread(std::move(work)).detach();
    } catch (const std::system_error& error) {
        throw Error(errc::unreachable,
                    std::string("no thread for the name lookup: ") + error.code().message());
    }
}

/// Lets go of a lookup on every way out.
class LookupWait {
public:
    LookupWait(std::shared_ptr<Lookup> lookup, asio::io_context& context)
        : lookup_(std::move(lookup)) {
        lookup_->wake = &context; // before the thread starts
    }
    LookupWait(const LookupWait&) = delete;
    LookupWait& operator=(const LookupWait&) = delete;
    ~LookupWait() {
        const std::lock_guard lock(lookup_->mutex);
        lookup_->wake = nullptr;
    }
    [[nodiscard]] bool done() const {
        const std::lock_guard lock(lookup_->mutex);
        return lookup_->done;
    }

private:
    std::shared_ptr<Lookup> lookup_;
};

} // namespace

std::string_view Response::header(std::string_view name) const {
    for (const Header& header : headers)
        if (beast::iequals(header.name, name)) return header.value;
    return {};
}

std::vector<std::string> resolve(const std::string& host) {
    asio::io_context context;
    tcp::resolver resolver(context);
    error_code error;
    const auto results = resolver.resolve(host, std::string(), error);
    if (error) throw std::system_error(static_cast<std::error_code>(error));
    std::vector<std::string> addresses;
    for (const auto& entry : results) addresses.push_back(entry.endpoint().address().to_string());
    return addresses;
}

class Connection::Impl {
public:
    Impl(Url url, Resolver resolver)
        : url_(std::move(url)), resolver_(std::move(resolver)), socket_(context_), timer_(context_),
          work_(context_.get_executor()) {}

    Response request(const Request& request, const Limits& limits, std::stop_token stop);

private:
    enum class Step { look_up, connect, exchange };

    void connect(const Limits& limits);
    [[nodiscard]] std::vector<tcp::endpoint> find_endpoints(Clock::time_point deadline,
                                                            const Limits& limits);
    [[nodiscard]] std::vector<std::string> look_up_host(Clock::time_point deadline,
                                                        const Limits& limits);
    [[nodiscard]] std::optional<Response> exchange(const Request& request, const Limits& limits);
    [[nodiscard]] error_code write(const Request& request, const Limits& limits);
    [[nodiscard]] std::optional<Response> read(const Limits& limits);

    template <class Start>
    error_code await(Clock::time_point deadline, Start start);
    void check_interrupted(Step step, const Limits& limits);
    [[nodiscard]] bool is_still_usable();
    void close();

    [[noreturn]] void fail_connect(error_code error);
    [[noreturn]] void fail_read(error_code error, const Limits& limits);
    [[noreturn]] void fail(errc code, const std::string& what) {
        close();
        throw Error(code, what);
    }

    Url url_;
    Resolver resolver_;
    asio::io_context context_{1};
    tcp::socket socket_;
    asio::steady_timer timer_;
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    beast::flat_buffer buffer_;
    std::optional<tcp::endpoint> preferred_; // the address that worked last
    bool connected_ = false;

    // Of the request that runs:
    Clock::time_point start_;
    Clock::time_point deadline_;
    bool timed_out_ = false;
    bool cancelled_ = false;
};

// --- Waiting ------------------------------------------------------------------------------------

/// Starts one operation, which calls back with an error_code first, and runs the loop until it has
/// ended. At the deadline, or when a stop request has been posted, the socket is closed, which ends
/// the operation at once. When this returns, no handler that refers to it is left.
template <class Start>
error_code Connection::Impl::await(Clock::time_point deadline, Start start) {
    if (cancelled_) return asio::error::operation_aborted;
    std::optional<error_code> result;
    bool timer_ended = false;
    timer_.expires_at(deadline);
    timer_.async_wait([&](error_code error) {
        timer_ended = true;
        if (error || result) return;
        timed_out_ = true;
        close();
    });
    start([&](error_code error, auto&&...) {
        result = error;
        timer_.cancel();
    });
    while (!result || !timer_ended) context_.run_one();
    return *result;
}

void Connection::Impl::check_interrupted(Step step, const Limits& limits) {
    if (cancelled_) fail(errc::cancelled, "the request to " + url_.shown() + " was cancelled");
    if (!timed_out_) return;
    const bool whole = step == Step::exchange || Clock::now() >= deadline_;
    const auto limit = std::to_string((whole ? limits.total : limits.connect).count());
    if (step == Step::look_up)
        fail(errc::timeout, "the name " + url_.host + " was not found within " + limit +
                                " ms: check the network, or give a numeric address");
    if (step == Step::connect)
        fail(errc::timeout, "no connection to " + url_.authority() + " within " + limit +
                                " ms: is the address right, and does a firewall let it through?");
    fail(errc::timeout, url_.shown() + " did not complete its answer within " + limit +
                            " ms: raise the timeout, or use a faster model");
}

void Connection::Impl::close() {
    error_code ignored;
    socket_.cancel(ignored); // Wine 8 does not end a waiting send when its socket is closed
    socket_.close(ignored);
    connected_ = false;
    buffer_.clear();
}

// --- Connecting ---------------------------------------------------------------------------------

std::vector<std::string> Connection::Impl::look_up_host(Clock::time_point deadline,
                                                        const Limits& limits) {
    if (is_localhost(url_.host)) return {"::1", "127.0.0.1"};
    error_code not_numeric;
    asio::ip::make_address(url_.host, not_numeric);
    if (!not_numeric) return {url_.host};

    const auto lookup = std::make_shared<Lookup>();
    {
        const LookupWait waiting(lookup, context_);
        start_thread(
            [lookup, resolver = resolver_, host = url_.host] { look_up(lookup, resolver, host); });
        bool timer_ended = false;
        timer_.expires_at(deadline);
        timer_.async_wait([&](error_code error) {
            timer_ended = true;
            if (!error) timed_out_ = true;
        });
        while (!waiting.done() && !timed_out_ && !cancelled_) context_.run_one();
        const bool late = timed_out_;
        timer_.cancel();
        while (!timer_ended) context_.run_one();
        timed_out_ = late;
    }
    check_interrupted(Step::look_up, limits);
    if (lookup->addresses.empty())
        fail(errc::unreachable, "the name " + url_.host + " is not known (" +
                                    wire::excerpt(lookup->problem, 200) +
                                    "): check its spelling and the network");
    return lookup->addresses;
}

std::vector<tcp::endpoint> Connection::Impl::find_endpoints(Clock::time_point deadline,
                                                            const Limits& limits) {
    std::vector<tcp::endpoint> endpoints;
    for (const std::string& text : look_up_host(deadline, limits)) {
        error_code error;
        const auto address = asio::ip::make_address(text, error);
        if (!error) endpoints.emplace_back(address, url_.port);
    }
    // Windows takes a second or two to report that nothing listens on ::1, and LM Studio listens on
    // 127.0.0.1 only: pay that once, not at each reconnect.
    if (preferred_) {
        const auto found = std::find(endpoints.begin(), endpoints.end(), *preferred_);
        if (found != endpoints.end()) std::rotate(endpoints.begin(), found, found + 1);
    }
    return endpoints;
}

void Connection::Impl::connect(const Limits& limits) {
    close();
    const Clock::time_point last =
        std::min(deadline_, deadline_after(Clock::now(), limits.connect));
    const std::vector<tcp::endpoint> endpoints = find_endpoints(last, limits);
    error_code error = asio::error::host_not_found;
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        // An address that does not answer leaves the others their share of the time.
        const auto left = static_cast<Clock::duration::rep>(endpoints.size() - i);
        const Clock::time_point now = Clock::now();
        const Clock::time_point until =
            last == Clock::time_point::max() ? last : now + (last - now) / left;
        timed_out_ = false;
        error = await(
            until, [&](auto handler) { socket_.async_connect(endpoints[i], std::move(handler)); });
        if (cancelled_) check_interrupted(Step::connect, limits);
        if (!error && !timed_out_) {
            preferred_ = endpoints[i];
            connected_ = true;
            socket_.set_option(tcp::no_delay(true), error);
            buffer_.reserve(read_buffer_bytes);
            return;
        }
        close();
    }
    check_interrupted(Step::connect, limits); // the last address decides what is reported
    fail_connect(error);
}

void Connection::Impl::fail_connect(error_code error) {
    if (error == asio::error::connection_refused)
        fail(errc::unreachable, "nothing listens at " + url_.authority() +
                                    ": is LM Studio, llama-server or another server running "
                                    "there? Start it, or correct the endpoint");
    fail(errc::unreachable, "there is no way to " + url_.authority() + " (" +
                                wire::excerpt(error.message(), 200) +
                                "): check the address and the network");
}

// --- One exchange -------------------------------------------------------------------------------

bool Connection::Impl::is_still_usable() {
    if (!connected_) return false;
    // An idle connection has nothing to read: the end of the stream, an error and unasked-for bytes
    // all mean that it is not ours to use any more.
    char byte = 0;
    error_code error;
    socket_.non_blocking(true, error);
    if (error) return false;
    socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
    return error == asio::error::would_block;
}

error_code Connection::Impl::write(const Request& request, const Limits& limits) {
    using Body = beast::http::span_body<const char>;
    beast::http::request<Body> message;
    message.version(11);
    message.method_string(request.method);
    message.target(request.target);
    message.set(beast::http::field::host, url_.authority());
    for (const Header& header : request.headers) message.set(header.name, header.value);
    message.body() = beast::span<const char>(request.body.data(), request.body.size());
    if (!request.body.empty()) message.prepare_payload();
    beast::http::request_serializer<Body> serializer(message);
    const error_code error = await(deadline_, [&](auto handler) {
        beast::http::async_write(socket_, serializer, std::move(handler));
    });
    check_interrupted(Step::exchange, limits);
    return error;
}

/// Nothing if the connection ended before the first byte of an answer.
std::optional<Response> Connection::Impl::read(const Limits& limits) {
    Response response;
    error_code error = await(deadline_, [&](auto handler) {
        socket_.async_read_some(
            buffer_.prepare(read_buffer_bytes),
            [&, handler = std::move(handler)](error_code ec, std::size_t bytes) mutable {
                buffer_.commit(bytes);
                handler(ec);
            });
    });
    check_interrupted(Step::exchange, limits);
    if (error) return std::nullopt;
    response.first_byte = since(start_);

    using Parser = beast::http::response_parser<beast::http::string_body>;
    std::optional<Parser> parser;
    for (int interim = 0;; ++interim) {
        if (interim > most_interim_answers)
            fail(errc::bad_response, url_.shown() + " sends interim answers without end: is this "
                                                    "a model server?");
        parser.emplace();
        parser->header_limit(header_limit_bytes);
        parser->body_limit(limits.body_bytes);
        error = await(deadline_, [&](auto handler) {
            beast::http::async_read_header(socket_, buffer_, *parser, std::move(handler));
        });
        check_interrupted(Step::exchange, limits);
        if (error) fail_read(error, limits);
        if (parser->get().result_int() / 100 != 1) break;
    }
    error = await(deadline_, [&](auto handler) {
        beast::http::async_read(socket_, buffer_, *parser, std::move(handler));
    });
    check_interrupted(Step::exchange, limits);
    if (error) fail_read(error, limits);

    response.status = static_cast<int>(parser->get().result_int());
    for (const auto& field : parser->get())
        response.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    const bool keep = parser->keep_alive() && buffer_.size() == 0;
    response.body = std::move(parser->get().body());
    if (!keep) close();
    return response;
}

void Connection::Impl::fail_read(error_code error, const Limits& limits) {
    using Http = beast::http::error;
    if (error == Http::body_limit)
        fail(errc::response_too_large,
             url_.shown() + " sent more than the allowed " + std::to_string(limits.body_bytes) +
                 " bytes: is this a model server? If so, raise max_response_bytes");
    const bool broken = error == Http::end_of_stream || error == Http::partial_message;
    if (!broken && error.category() == beast::http::make_error_code(Http::bad_version).category())
        fail(errc::bad_response, url_.authority() + " does not speak HTTP as expected (" +
                                     error.message() +
                                     "): is the port right, and is it http and not https?");
    fail(errc::connection_lost, url_.shown() + " broke the connection in the middle of its "
                                               "answer: has the server crashed? Look at its log");
}

std::optional<Response> Connection::Impl::exchange(const Request& request, const Limits& limits) {
    // A server that refuses a long request may answer and close before it has read all of it: its
    // answer counts for more than the failed write.
    const error_code write_error = write(request, limits);
    std::optional<Response> response = read(limits);
    if (write_error) close();
    return response;
}

Response Connection::Impl::request(const Request& request, const Limits& limits,
                                   std::stop_token stop) {
    start_ = Clock::now();
    deadline_ = deadline_after(start_, limits.total);
    timed_out_ = false;
    context_.poll(); // a stop request that came when the last request had just ended
    cancelled_ = stop.stop_requested();
    check_interrupted(Step::exchange, limits);
    const std::stop_callback on_stop(std::move(stop), [this] {
        asio::post(context_, [this] {
            cancelled_ = true;
            close();
        });
    });

    const bool reused = is_still_usable();
    if (!reused) connect(limits);
    std::optional<Response> response = exchange(request, limits);
    if (!response && reused) {
        connect(limits);
        response = exchange(request, limits);
    }
    if (!response)
        fail(errc::connection_lost, url_.shown() + " closed the connection without an answer: has "
                                                   "the server crashed? Look at its log");
    return std::move(*response);
}

Connection::Connection(Url url, Resolver resolver)
    : impl_(std::make_unique<Impl>(std::move(url), std::move(resolver))) {}

Connection::~Connection() = default;

Response Connection::request(const Request& request, const Limits& limits, std::stop_token stop) {
    return impl_->request(request, limits, std::move(stop));
}

} // namespace vlm::http
