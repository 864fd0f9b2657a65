#include "vlm/openai_client.hpp"

#include "http/connection.hpp"
#include "http/url.hpp"
#include "wire/decode_reply.hpp"
#include "wire/encode_request.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace vlm {
namespace {

using Clock = std::chrono::steady_clock;

http::Url checked_endpoint(const ClientOptions& options) {
    http::Url url = http::parse_endpoint(options.endpoint);
    // A line break in it would begin another header.
    if (!std::all_of(options.api_key.begin(), options.api_key.end(),
                     [](char c) { return c > ' ' && c < 0x7F; }))
        throw std::invalid_argument("the API key contains a space, a control character or a "
                                    "character outside ASCII");
    return url;
}

std::chrono::milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
}

} // namespace

class OpenAiClient::Impl {
public:
    explicit Impl(ClientOptions options)
        : options_(std::move(options)), url_(checked_endpoint(options_)), url_text_(url_.shown()),
          connection_(url_) {}

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta, std::stop_token stop) {
        const std::string body = wire::encode_request(request);
        Exchange log;
        if (options_.on_exchange)
            log.request_body = wire::encode_request(request, wire::ImageMode::redacted);
        ChatReply reply;
        perform("POST", url_, body, request.model, std::move(log), std::move(stop),
                [&](const http::Response& response, const wire::Where& where) {
                    reply = wire::decode_reply(response.body, where);
                    reply.wait = response.first_byte;
                });
        reply.total = elapsed_;
        if (on_delta && !reply.text.empty()) on_delta({Delta::Kind::text, reply.text});
        return reply;
    }

    std::vector<std::string> models(std::stop_token stop) {
        std::vector<std::string> ids;
        perform("GET", http::models_url(url_), {}, {}, {}, std::move(stop),
                [&](const http::Response& response, const wire::Where& where) {
                    ids = wire::decode_models(response.body, where);
                });
        return ids;
    }

    [[nodiscard]] const std::string& url() const { return url_text_; }

private:
    /// One exchange: sends, hands a successful answer to `decode`, and reports to `on_exchange`
    /// however it ended.
    template <class Decode>
    void perform(std::string_view method, const http::Url& url, std::string_view body,
                 const std::string& model, Exchange log, std::stop_token stop, Decode decode) {
        const Clock::time_point start = Clock::now();
        const wire::Where where{url.shown(), model, options_.api_key};
        log.method = method;
        log.url = where.url;
        http::Response response;
        std::optional<Error> failure;
        try {
            response = connection_.request({log.method, url.target(), headers(!body.empty()), body},
                                           limits(), std::move(stop));
            if (response.status < 200 || response.status >= 300)
                throw wire::decode_error(response.status, response.body, where,
                                         response.header("Location"));
            decode(response, where);
        } catch (const Error& error) {
            failure = error;
        }
        elapsed_ = since(start);
        if (options_.on_exchange) {
            log.request_body = wire::without_secret(std::move(log.request_body), options_.api_key);
            log.status = response.status;
            log.response_body =
                wire::without_secret(wire::without_data_urls(response.body), options_.api_key);
            if (failure) log.error = failure->what();
            log.elapsed = elapsed_;
            options_.on_exchange(log);
        }
        if (failure) throw *failure;
    }

    [[nodiscard]] std::vector<http::Header> headers(bool with_body) const {
        std::vector<http::Header> headers{{"Accept", "application/json"},
                                          {"User-Agent", "eyehand"}};
        if (with_body) headers.push_back({"Content-Type", "application/json"});
        if (!options_.api_key.empty())
            headers.push_back({"Authorization", "Bearer " + options_.api_key});
        return headers;
    }

    [[nodiscard]] http::Limits limits() const {
        return {.connect = options_.connect_timeout,
                .total = options_.timeout,
                .body_bytes = options_.max_response_bytes};
    }

    ClientOptions options_;
    http::Url url_;
    std::string url_text_;
    http::Connection connection_;
    std::chrono::milliseconds elapsed_{}; // of the last exchange
};

OpenAiClient::OpenAiClient(ClientOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

OpenAiClient::~OpenAiClient() = default;

ChatReply OpenAiClient::reply(const ChatRequest& request, const OnDelta& on_delta,
                              std::stop_token stop) {
    return impl_->reply(request, on_delta, std::move(stop));
}

std::vector<std::string> OpenAiClient::models(std::stop_token stop) {
    return impl_->models(std::move(stop));
}

const std::string& OpenAiClient::url() const { return impl_->url(); }

} // namespace vlm
