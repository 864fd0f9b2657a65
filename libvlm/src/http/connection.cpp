#include "connection.hpp"

#include "answer_parser.hpp"
#include "eyehand/vlm/error.hpp"
#include "host.hpp"
#include "socket.hpp"

#include "../wire/utf8.hpp"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/message.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t read_buffer_bytes = std::size_t{256} * 1024;
// Windows reports progress only when a whole piece has been sent.
constexpr std::size_t write_piece_bytes = std::size_t{256} * 1024;
// A body up to this size is sent together with its header: one system call, one TLS record.
constexpr std::size_t small_body_bytes = std::size_t{8} * 1024;
// Servers send "100 Continue" and "103 Early Hints" once or a few times; more is a fault.
constexpr int max_interim_answers = 16;
constexpr int max_redirections = 5;
// For the end of a body after its last event; it is in the same packet, or follows closely.
constexpr std::chrono::milliseconds grace{500};

/// A time limit; `is_total` marks the limit of the whole request.
struct Deadline {
    Clock::time_point at = Clock::time_point::max();
    std::chrono::milliseconds limit{};
    bool is_total = false;
};

Deadline deadline_after(std::chrono::milliseconds limit) {
    // Larger values could overflow the clock.
    constexpr std::chrono::hours longest{24 * 365};
    if (limit <= std::chrono::milliseconds::zero()) return {};
    return {Clock::now() + std::min<std::chrono::milliseconds>(limit, longest), limit, false};
}

/// What a request was doing, for the messages about time limits.
enum class Step { look_up, connect, tunnel, handshake, send, wait, read };

std::string refusal_of(const Url& url, const std::optional<Proxy>& proxy) {
    if (proxy)
        return "nothing listens at the proxy " + proxy->shown() + " on the way to " +
               url.authority() + ": is it running, and is the proxy setting right?";
    return "nothing listens at " + url.authority() +
           ": is LM Studio, llama-server or another server running there? Start it, or correct the "
           "endpoint";
}

void check_line(std::string_view text) {
    if (text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
        throw std::invalid_argument(
            "the method, target or a header of a request contains a line break or a NUL character");
}

using Head = beast::http::request_header<>;

void add_header(Head& head, std::string_view name, std::string_view value) {
    constexpr std::size_t max_bytes = 65533; // Beast counts in 16 bits, line break included
    check_line(name);
    check_line(value);
    if (name.size() > max_bytes || value.size() > max_bytes)
        throw std::invalid_argument("a header of a request is longer than " +
                                    std::to_string(max_bytes) + " bytes");
    head.insert(name, value);
}

/// Without the body, which is sent from the caller's memory in pieces, each with its own deadline.
std::string serialized(const Head& head) {
    constexpr unsigned version = 11;
    return beast::buffers_to_string(Head::writer(head, version, head.method()).get());
}

bool same_origin(const Url& a, const Url& b) {
    return a.scheme == b.scheme && a.host == b.host && a.port == b.port;
}

/// Whether an answer with this status redirects the same request. After 301, 302 or 303, a POST
/// would have to become a GET, which makes no sense for a model server.
bool is_redirection(int status, const std::string& method) {
    if (status == 307 || status == 308) return true;
    return (status == 301 || status == 302 || status == 303) && method == "GET";
}

} // namespace

std::string_view Response::header(std::string_view name) const {
    for (const Header& header : headers)
        if (wire::ascii_lower(header.name) == wire::ascii_lower(name)) return header.value;
    return {};
}

class Connection::Impl {
public:
    Impl(Url url, ConnectionOptions options) : url_(std::move(url)), options_(std::move(options)) {
        (void)proxy_for(url_, options_.proxies);
        if (url_.scheme == "https") prepare_tls();
    }

    Response request(const Request& request, const Limits& limits, std::stop_token stop,
                     const OnBody& on_body);

private:
    // Each returns only after success; otherwise the connection is closed and Error thrown.
    [[nodiscard]] Response ask(const Request& request, const OnBody& on_body);
    void connect();
    [[nodiscard]] std::vector<tcp::endpoint> find_endpoints(const Deadline& deadline);
    [[nodiscard]] std::vector<std::string> look_up(const std::string& host,
                                                   const Deadline& deadline);
    void connect_to_one_of(const std::vector<tcp::endpoint>& endpoints, const Deadline& deadline);
    void open_tunnel(const Deadline& deadline);
    void start_tls(const Deadline& deadline);

    [[nodiscard]] std::optional<Response> exchange(const Request& request, const OnBody& on_body);
    [[nodiscard]] std::string head_of(const Request& request) const;
    [[nodiscard]] error_code send(std::string_view bytes);
    [[nodiscard]] std::optional<Response> receive(const Request& request, const Deadline& first,
                                                  const OnBody& on_body);
    [[nodiscard]] bool ends_soon(AnswerParser& parser);
    [[nodiscard]] bool fill(const Deadline& deadline, Step step, AnswerParser& parser);
    [[nodiscard]] Url redirected(const Response& response) const;
    void check_proxy_accepts(const Response& response);

    [[nodiscard]] Deadline within(std::chrono::milliseconds limit) const;
    [[nodiscard]] Deadline earlier(const Deadline& deadline) const;
    void check(const Transfer& transfer, Step step, const Deadline& deadline);
    [[nodiscard]] std::string too_late(Step step, const Deadline& deadline) const;
    [[noreturn]] void fail_connect(error_code error);
    [[noreturn]] void fail_read(error_code error, const AnswerParser& parser);
    [[noreturn]] void fail(errc code, const std::string& what) {
        close();
        throw Error(code, what);
    }

    void prepare_tls() {
        if (!tls_) tls_ = std::make_unique<TlsContext>(options_.ca_file);
    }
    void close() {
        socket_.close();
        buffer_.clear();
    }

    const Url url_;
    const ConnectionOptions options_;
    std::unique_ptr<TlsContext> tls_; // made when needed; declared before the socket that uses it
    Socket socket_;
    beast::flat_buffer buffer_;
    std::optional<tcp::endpoint> preferred_; // the address that worked last
    std::optional<Url> connected_to_;        // only its origin matters

    // The current request:
    Url current_;                // its target; differs from url_ after a redirection
    std::optional<Proxy> proxy_; // for `current_`
    Limits limits_;
    Clock::time_point start_;
    Deadline total_;
};

// --- Limits -------------------------------------------------------------------------------------

Deadline Connection::Impl::earlier(const Deadline& deadline) const {
    return deadline.at < total_.at ? deadline : total_;
}

Deadline Connection::Impl::within(std::chrono::milliseconds limit) const {
    return earlier(deadline_after(limit));
}

std::string Connection::Impl::too_late(Step step, const Deadline& deadline) const {
    const std::string limit = std::to_string(deadline.limit.count()) + " ms";
    const std::string through = proxy_ ? " through the proxy " + proxy_->shown() : std::string();
    switch (step) {
    case Step::look_up:
        return "the name " + (proxy_ ? proxy_->host : current_.host) + " was not found within " +
               limit + ": check the network, or give a numeric address";
    case Step::connect:
        return "no connection to " + current_.authority() + through + " within " + limit +
               ": is the address right, and does a firewall let it through?";
    case Step::tunnel:
        return "the proxy " + proxy_->shown() + " did not connect to " + current_.authority() +
               " within " + limit + ": is the address right, and may the proxy reach it?";
    case Step::handshake:
        return current_.authority() + " did not finish the TLS handshake within " + limit +
               ": is it https and not http, and is the port right?";
    case Step::send:
    case Step::wait:
    case Step::read:
        break;
    }
    if (deadline.is_total)
        return current_.shown() + " did not complete its answer within " + limit +
               ": raise the timeout, or use a faster model";
    if (step == Step::send)
        return current_.shown() + " stopped reading the request for " + limit +
               ": is the server overloaded? Look at its log, or raise idle_timeout";
    if (step == Step::wait)
        return current_.shown() + " did not begin its answer within " + limit +
               ": raise first_byte_timeout, or use a faster model";
    return current_.shown() + " sent nothing for " + limit +
           " in the middle of its answer: has the server crashed? Look at its log, or raise "
           "idle_timeout";
}

void Connection::Impl::check(const Transfer& transfer, Step step, const Deadline& deadline) {
    if (transfer.end == Transfer::End::cancelled)
        fail(errc::cancelled, "the request to " + current_.shown() + " was canceled");
    if (transfer.end == Transfer::End::timed_out) fail(errc::timeout, too_late(step, deadline));
}

// --- Connecting ---------------------------------------------------------------------------------

std::vector<std::string> Connection::Impl::look_up(const std::string& host,
                                                   const Deadline& deadline) {
    if (is_localhost(host)) return {"::1", "127.0.0.1"};
    if (is_address(host)) return {host};
    const Lookup lookup(socket_.loop(), options_.resolver, host);
    check(socket_.wait([&] { return lookup.done(); }, deadline.at), Step::look_up, deadline);
    if (lookup.addresses().empty())
        fail(errc::unreachable, "the name " + host + (proxy_ ? " of the proxy" : "") +
                                    " is not known (" + wire::excerpt(lookup.problem(), 200) +
                                    "): check its spelling and the network");
    return lookup.addresses();
}

std::vector<tcp::endpoint> Connection::Impl::find_endpoints(const Deadline& deadline) {
    const std::string& host = proxy_ ? proxy_->host : current_.host;
    const std::uint16_t port = proxy_ ? proxy_->port : current_.port;
    std::vector<tcp::endpoint> endpoints;
    for (const std::string& text : look_up(host, deadline)) {
        error_code error;
        const auto address = asio::ip::make_address(text, error);
        if (!error) endpoints.emplace_back(address, port);
    }
    // Windows takes a second or two to report a refused connection to ::1, and LM Studio listens on
    // 127.0.0.1 only: wait for that once, not at each reconnect.
    if (preferred_) {
        const auto found = std::find(endpoints.begin(), endpoints.end(), *preferred_);
        if (found != endpoints.end()) std::rotate(endpoints.begin(), found, found + 1);
    }
    return endpoints;
}

void Connection::Impl::connect_to_one_of(const std::vector<tcp::endpoint>& endpoints,
                                         const Deadline& deadline) {
    Transfer last{Transfer::End::failed, asio::error::host_not_found, 0};
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        // Divides the time among the addresses that are left.
        const auto left = static_cast<Clock::duration::rep>(endpoints.size() - i);
        const Clock::time_point now = Clock::now();
        const Clock::time_point until = deadline.at == Clock::time_point::max()
                                            ? deadline.at
                                            : now + (deadline.at - now) / left;
        last = socket_.connect(endpoints[i], until);
        if (last.end == Transfer::End::done) {
            preferred_ = endpoints[i];
            return;
        }
        if (last.end == Transfer::End::cancelled) break;
    }
    check(last, Step::connect, deadline); // reports the failure of the last address
    fail_connect(last.error);
}

void Connection::Impl::connect() {
    close();
    connected_to_.reset();
    const Deadline deadline = within(limits_.connect);
    connect_to_one_of(find_endpoints(deadline), deadline);
    buffer_.reserve(read_buffer_bytes);
    if (current_.scheme == "https") {
        if (proxy_) open_tunnel(deadline);
        start_tls(deadline);
    }
    connected_to_ = current_;
}

void Connection::Impl::open_tunnel(const Deadline& deadline) {
    std::string target = current_.authority();
    if (current_.port == 443) target += ":443"; // RFC 9110, section 9.3.6: always with its port
    Head head;
    head.method(beast::http::verb::connect);
    head.target(target);
    add_header(head, "Host", target);
    if (!proxy_->authorization.empty())
        add_header(head, "Proxy-Authorization", proxy_->authorization);
    // A new socket accepts all bytes at once.
    const Transfer sent = socket_.write_some(serialized(head), deadline.at);
    check(sent, Step::tunnel, deadline);

    // A successful answer to CONNECT has no body, regardless of its headers.
    const std::string shown = "the proxy " + proxy_->shown();
    const Request connect;
    const OnBody collect;
    AnswerParser parser(limits_, connect, collect, shown);
    while (!parser.is_header_done()) {
        error_code error;
        buffer_.consume(parser.put(buffer_.data(), error));
        if (error && error != beast::http::error::need_more) fail_read(error, parser);
        if (parser.is_header_done() || fill(deadline, Step::tunnel, parser)) continue;
        fail(errc::unreachable,
             std::string(shown)
                 .append(" closed the connection instead of connecting to ")
                 .append(target)
                 .append(": is it an HTTP proxy, and may it reach that address?"));
    }
    const Response response = parser.take();
    check_proxy_accepts(response);
    if (response.status / 100 != 2)
        fail(errc::unreachable, shown + " does not connect to " + target +
                                    ": it answered with status " + std::to_string(response.status) +
                                    ". May it reach that address?");
    buffer_.clear();
}

void Connection::Impl::check_proxy_accepts(const Response& response) {
    if (!proxy_ || response.status != 407) return;
    close();
    throw Error(errc::unauthorized,
                "the proxy " + proxy_->shown() +
                    (proxy_->authorization.empty()
                         ? " requires a user name and a password"
                         : " does not accept the user name and the password") +
                    ": correct the proxy setting, as http://user:password@host:port",
                {.status = response.status});
}

void Connection::Impl::start_tls(const Deadline& deadline) {
    prepare_tls();
    const Transfer transfer = socket_.start_tls(*tls_, current_.host, deadline.at);
    check(transfer, Step::handshake, deadline);
    if (!transfer.error) return;
    const Error error = socket_.tls()->handshake_failure(transfer.error, current_.authority());
    close();
    throw error;
}

void Connection::Impl::fail_connect(error_code error) {
    if (error == asio::error::connection_refused)
        fail(errc::unreachable, refusal_of(current_, proxy_));
    fail(errc::unreachable,
         "cannot connect to " + (proxy_ ? "the proxy " + proxy_->shown() : current_.authority()) +
             " (" + wire::excerpt(error.message(), 200) + "): check the address and the network");
}

// --- One exchange -------------------------------------------------------------------------------

std::string Connection::Impl::head_of(const Request& request) const {
    check_line(request.method);
    check_line(current_.target());
    const bool absolute = proxy_ && current_.scheme == "http"; // RFC 9112, section 3.2.2
    Head head;
    head.method_string(request.method);
    head.target(absolute ? current_.text() : current_.target());
    add_header(head, "Host", current_.authority());
    for (const Header& header : request.headers) add_header(head, header.name, header.value);
    if (absolute && !proxy_->authorization.empty())
        add_header(head, "Proxy-Authorization", proxy_->authorization);
    add_header(head, "Accept-Encoding", "identity");
    if (!request.body.empty())
        add_header(head, "Content-Length", std::to_string(request.body.size()));
    return serialized(head);
}

error_code Connection::Impl::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const Deadline deadline = within(limits_.silence);
        const Transfer transfer =
            socket_.write_some(bytes.substr(0, write_piece_bytes), deadline.at);
        check(transfer, Step::send, deadline);
        if (transfer.error) return transfer.error;
        bytes.remove_prefix(transfer.bytes);
    }
    return {};
}

/// Reads more into the buffer. Returns false at the end of the stream.
bool Connection::Impl::fill(const Deadline& deadline, Step step, AnswerParser& parser) {
    if (parser.is_header_done() && buffer_.size() >= read_buffer_bytes)
        fail_read(beast::http::error::bad_chunk_extension, parser); // the line has no end
    const Transfer transfer = socket_.read_some(buffer_.prepare(read_buffer_bytes), deadline.at);
    check(transfer, step, deadline);
    buffer_.commit(transfer.bytes);
    if (!transfer.error) return true;
    if (transfer.error == asio::error::eof || !parser.got_some()) return false;
    fail_read(transfer.error, parser);
}

/// Reads the end of a body whose content is already complete, for at most `grace`. Returns whether
/// the body ended, so that the connection can be kept.
bool Connection::Impl::ends_soon(AnswerParser& parser) {
    const Deadline moment = within(grace);
    while (!parser.is_done()) {
        const Transfer transfer = socket_.read_some(buffer_.prepare(read_buffer_bytes), moment.at);
        if (transfer.end == Transfer::End::cancelled) check(transfer, Step::read, moment);
        if (transfer.end != Transfer::End::done) return false;
        buffer_.commit(transfer.bytes);
        error_code error;
        buffer_.consume(parser.put(buffer_.data(), error));
        if (error && error != beast::http::error::need_more) return false;
    }
    return true;
}

/// Returns nothing if the connection ended before the first byte of an answer.
std::optional<Response> Connection::Impl::receive(const Request& request, const Deadline& first,
                                                  const OnBody& on_body) {
    const std::string shown = current_.shown();
    std::optional<AnswerParser> parser;
    std::optional<std::chrono::milliseconds> first_byte;
    int interim = 0;
    parser.emplace(limits_, request, on_body, shown);
    parser->eager(true);
    while (!parser->is_done()) {
        error_code error;
        if (buffer_.size() > 0) {
            buffer_.consume(parser->put(buffer_.data(), error));
            if (error && error != beast::http::error::need_more) fail_read(error, *parser);
            if (parser->is_done() && parser->is_interim()) {
                if (++interim > max_interim_answers)
                    fail(errc::bad_response,
                         shown + " sent too many interim answers (status 1xx): is this a model "
                                 "server?");
                parser.emplace(limits_, request, on_body, shown);
                parser->eager(true);
                continue;
            }
            if (parser->is_done()) break;
        }
        if (parser->is_enough() && !ends_soon(*parser)) break;
        if (parser->is_done()) break;
        const bool waits = !parser->got_some();
        const Deadline deadline = waits ? first : within(limits_.silence);
        if (!fill(deadline, waits ? Step::wait : Step::read, *parser)) {
            if (!first_byte) return std::nullopt;
            if (!parser->got_some()) fail_read(beast::http::error::end_of_stream, *parser);
            parser->put_eof(error);
            if (error) fail_read(error, *parser);
        }
        if (!first_byte)
            first_byte =
                std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_);
    }
    const bool keep = parser->is_done() && parser->keep_alive() && buffer_.size() == 0;
    Response response = parser->take();
    response.first_byte = *first_byte;
    if (!keep) close();
    return response;
}

void Connection::Impl::fail_read(error_code error, const AnswerParser& parser) {
    using Http = beast::http::error;
    if (error == Http::body_limit) {
        close();
        throw parser.too_large();
    }
    if (error == Http::header_limit)
        fail(errc::bad_response, current_.shown() + " sent a header of more than the allowed " +
                                     std::to_string(limits_.header_bytes) +
                                     " bytes: is this a model server, and is the port right?");
    const bool broken = error == Http::end_of_stream || error == Http::partial_message;
    if (!broken && error.category() == beast::http::make_error_code(Http::bad_version).category())
        fail(errc::bad_response, current_.authority() + " does not speak HTTP as expected (" +
                                     error.message() +
                                     "): is the port right, and is it http and not https?");
    fail(errc::connection_lost, current_.shown() + " broke the connection in the middle of its "
                                                   "answer: has the server crashed? Look at its "
                                                   "log");
}

std::optional<Response> Connection::Impl::exchange(const Request& request, const OnBody& on_body) {
    std::string head = head_of(request);
    // A server that rejects a long request may answer and close before it has read everything. Its
    // answer is more useful than the failed write.
    error_code write_error;
    if (request.body.size() <= small_body_bytes) {
        write_error = send(head.append(request.body));
    } else {
        write_error = send(head);
        if (!write_error) write_error = send(request.body);
    }
    std::optional<Response> response = receive(request, within(limits_.first_byte), on_body);
    if (write_error) close();
    return response;
}

/// Sends the request to `current_`, over the existing connection or a new one.
Response Connection::Impl::ask(const Request& request, const OnBody& on_body) {
    proxy_ = proxy_for(current_, options_.proxies);
    const bool reused = connected_to_ && same_origin(*connected_to_, current_) && socket_.is_idle();
    if (!reused) connect();
    std::optional<Response> response = exchange(request, on_body);
    if (!response && reused) {
        connect();
        response = exchange(request, on_body);
    }
    if (!response)
        fail(errc::connection_lost, current_.shown() + " closed the connection without an answer: "
                                                       "has the server crashed? Look at its log");
    if (current_.scheme == "http") check_proxy_accepts(*response);
    return std::move(*response);
}

// --- Redirections -------------------------------------------------------------------------------

Url Connection::Impl::redirected(const Response& response) const {
    const std::string_view location = response.header("Location");
    std::optional<Url> target;
    try {
        target = resolve_reference(current_, location);
    } catch (const Error&) {
        throw Error(errc::bad_response,
                    current_.shown() + " redirects to an invalid URL: correct the endpoint, or the "
                                       "server's configuration",
                    {.status = response.status});
    }
    const bool upgraded = current_.scheme == "http" && target->scheme == "https";
    if (target->host == current_.host && (same_origin(*target, current_) || upgraded))
        return *target;
    throw Error(errc::http_status,
                current_.shown() + " redirects to " + wire::excerpt(target->shown(), 300) +
                    ", which is not followed, because the key must not reach another server: give "
                    "that address as the endpoint if it is the right one",
                {.status = response.status});
}

Response Connection::Impl::request(const Request& request, const Limits& limits,
                                   std::stop_token stop, const OnBody& on_body) {
    const Socket::Watch watch(socket_, std::move(stop));
    limits_ = limits;
    start_ = Clock::now();
    total_ = deadline_after(limits.total);
    total_.is_total = true;
    current_ = url_;
    const std::size_t question = std::min(request.target.find('?'), request.target.size());
    current_.path = request.target.substr(0, question);
    current_.query = request.target.substr(question);
    if (socket_.is_cancelled()) check({Transfer::End::cancelled}, Step::connect, total_);
    try {
        for (int redirections = 0; redirections <= max_redirections; ++redirections) {
            Response response = ask(request, on_body);
            if (!is_redirection(response.status, request.method) ||
                response.header("Location").empty())
                return response;
            current_ = redirected(response);
        }
    } catch (...) {
        close(); // also after an exception of on_body
        throw;
    }
    fail(errc::bad_response, url_.shown() + " redirects too many times: correct the endpoint, or "
                                            "the server's configuration");
}

Connection::Connection(Url url, ConnectionOptions options)
    : impl_(std::make_unique<Impl>(std::move(url), std::move(options))) {}

Connection::~Connection() = default;

Response Connection::request(const Request& request, const Limits& limits, std::stop_token stop,
                             const OnBody& on_body) {
    return impl_->request(request, limits, std::move(stop), on_body);
}

} // namespace eyehand::vlm::http
