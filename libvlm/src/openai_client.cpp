#include "eyehand/vlm/openai_client.hpp"

#include "eyehand/base/stoppable_wait.hpp"
#include "http/connection.hpp"
#include "http/host.hpp"
#include "http/url.hpp"
#include "queue.hpp"
#include "wire/answer_body.hpp"
#include "wire/decode_reply.hpp"
#include "wire/encode_request.hpp"
#include "wire/refused_options.hpp"
#include "wire/responses/encode_request.hpp"
#include "wire/responses/refused_reasoning.hpp"
#include "wire/responses/stored_responses.hpp"
#include "wire/tools_as_text.hpp"
#include "wire/utf8.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// The lists of the largest services are a few MiB.
constexpr std::size_t max_list_bytes = std::size_t{16} << 20;

constexpr std::size_t max_refusal_quote = 200; // bytes of a server's text in a note

// A server that keeps no responses, such as for organizations with OpenAI's zero data retention,
// refuses each continuation.
constexpr int max_refused_continuations = 2;

http::Url checked_endpoint(const ClientOptions& options) {
    http::Url url = http::parse_endpoint(options.endpoint, options.api);
    // A line break would start another header.
    if (!std::all_of(options.api_key.begin(), options.api_key.end(),
                     [](char c) { return c > ' ' && c < 0x7F; }))
        throw std::invalid_argument("the API key contains a space, a control character or a "
                                    "character outside ASCII");
    return url;
}

milliseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

bool is_event_stream(const http::Response& head) {
    const std::string type = wire::ascii_lower(head.header("Content-Type"));
    return wire::trimmed(std::string_view(type).substr(0, type.find(';'))) == "text/event-stream";
}

// --- Retries ------------------------------------------------------------------------------------

/// Decides after each failure of one request whether it is sent again, and when.
class Retries {
public:
    explicit Retries(const RetryPolicy& policy) : policy_(policy) {}

    /// The next attempt, or nothing: the failure is final.
    [[nodiscard]] std::optional<Attempt> next(const Error& error) {
        Attempt attempt{.reason = error.what()};
        if (error.retry() == Retry::while_loading) {
            const Clock::time_point now = Clock::now();
            if (!std::exchange(loads_, true)) loading_since_ = now;
            if (now - loading_since_ >= policy_.max_loading_time) return std::nullopt;
            attempt.loading = true;
            attempt.delay = delay_for(error, policy_.loading_interval);
        } else {
            const bool allowed =
                error.retry() == Retry::later || (error.retry() == Retry::once && !retried_once_);
            if (!allowed || retries_ >= policy_.max_retries) return std::nullopt;
            attempt.delay = delay_for(error, pause());
            if (error.retry() == Retry::once) retried_once_ = true;
            ++retries_;
        }
        if (attempt.delay > policy_.max_retry_after) return std::nullopt;
        attempt.number = ++attempts_;
        return attempt;
    }

private:
    /// The server may request a longer delay than the policy's, but not a shorter one: it must not be
    /// able to make clients flood it.
    [[nodiscard]] static milliseconds delay_for(const Error& error, milliseconds own) {
        return std::max(error.details().retry_after.value_or(own), own);
    }

    /// min(first * 2^n, longest), shortened by up to a quarter so that many clients do not retry at
    /// the same moment.
    [[nodiscard]] milliseconds pause() const {
        static thread_local std::minstd_rand random{std::random_device{}()};
        double delay = static_cast<double>(policy_.first_delay.count());
        const double longest = static_cast<double>(policy_.max_delay.count());
        for (int i = 0; i < retries_ && delay < longest; ++i) delay *= 2;
        delay = std::min(delay, longest);
        delay *= 1 - 0.25 * std::uniform_real_distribution<>(0, 1)(random);
        return milliseconds(static_cast<milliseconds::rep>(delay));
    }

    const RetryPolicy& policy_;
    int attempts_ = 1;
    int retries_ = 0;
    bool retried_once_ = false;
    bool loads_ = false; // the server has reported that it is loading its model
                         // (not an optional: with -O3, GCC 12 warns about it)
    Clock::time_point loading_since_{};
};

} // namespace

class OpenAiClient::Impl {
public:
    explicit Impl(ClientOptions options)
        : options_(std::move(options)), url_(checked_endpoint(options_)), url_text_(url_.shown()),
          quirks_(options_.quirks.value_or(quirks_of(options_.endpoint))),
          connection_(url_, {.proxies = options_.proxies, .ca_file = options_.ca_file}) {}

    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta,
                    const std::stop_token& stop) {
        while (true) {
            try {
                return refused_reasoning_.empty()
                           ? ask(request, on_delta, stop)
                           : ask(refused_reasoning_.removed_from(request), on_delta, stop);
            } catch (const Error& error) {
                if (!learn_from(error, request)) throw;
            }
        }
    }

    std::vector<std::string> models(const std::stop_token& stop) {
        const http::Url url = http::models_url(url_);
        const wire::Where where{url.shown(), {}, options_.api_key};
        Retries retries(options_.retries);
        while (true) {
            std::vector<std::string> ids;
            std::string body;
            const auto failure = attempt(
                {.method = "GET", .url = where.url}, {"GET", url.target(), headers({}), {}}, where,
                stop,
                [&](const http::Response&, std::string_view bytes) {
                    body.append(bytes);
                    return true;
                },
                [&](const http::Response&) { ids = wire::decode_models(body, where); },
                [&] { return body; }, list_limits());
            if (!failure) return ids;
            pause_before(retries.next(*failure), *failure, stop);
        }
    }

    [[nodiscard]] const std::string& url() const { return url_text_; }

private:
    /// Adapts the quirks, for this request and all later ones, to a server that does not support a
    /// part of the request. Returns false if the error has another cause.
    bool learn_from(const Error& error, const ChatRequest& request) {
        if (!quirks_.tools_as_text && !request.tools.empty() &&
            error.code() == errc::not_supported && wire::says_no_tools(error.server_message())) {
            quirks_.tools_as_text = true;
            return true;
        }
        if (std::exchange(continuation_refused_, false)) return true;
        if (options_.api == Api::responses && !quirks_.no_encrypted_reasoning &&
            wire::refuses_encrypted_reasoning(error)) {
            quirks_.no_encrypted_reasoning = true;
            return true;
        }
        if (options_.api == Api::responses && wire::refuses_reasoning_items(error) &&
            refused_reasoning_.add(request)) {
            reasoning_note_ = "earlier reasoning was not sent: the server could not verify it";
            return true;
        }
        const std::vector<wire::Option> refused =
            wire::refused_options(error, request, quirks_, options_.api);
        for (const wire::Option option : refused) {
            wire::leave_out(option, quirks_);
            refusals_[option] = wire::Where{{}, {}, options_.api_key}.quote(error.server_message(),
                                                                            max_refusal_quote);
        }
        return !refused.empty();
    }

    /// The notes about options that are not sent, except those of earlier replies.
    [[nodiscard]] std::vector<std::string> notes_on_options(const ChatRequest& request) const {
        std::vector<std::string> notes;
        for (const wire::UnsentOption& unsent :
             wire::unsent_options(request, quirks_, options_.api)) {
            if (noted_options_.contains(unsent.option)) continue;
            std::string note(wire::name_of(unsent.option));
            note.append(" was not sent: ").append(unsent.reason);
            if (const auto refusal = refusals_.find(unsent.option); refusal != refusals_.end())
                note += " (\"" + refusal->second + "\")";
            notes.push_back(std::move(note));
        }
        return notes;
    }

    /// Sends one request, with retries.
    ChatReply ask(const ChatRequest& request, const OnDelta& on_delta,
                  const std::stop_token& stop) {
        const wire::Where where{url_text_, request.model, options_.api_key,
                                wire::url_end(options_.api)};
        const bool stream = options_.stream && on_delta;
        wire::Encoding encoding{.quirks = quirks_, .stream = stream, .api = options_.api};
        std::vector<std::string> input; // of a response that is to be stored
        if (stores_responses()) input = continue_stored(request, encoding);
        const std::string body = encoded(request, encoding);
        std::optional<Turn> turn; // kept during retries, so that other requests do not interfere
        if (options_.one_at_a_time && http::is_loopback(url_.host))
            turn.emplace(url_.authority(), stop);
        Retries retries(options_.retries);
        std::vector<std::string> notes;
        if (quirks_.tools_as_text && !request.tools.empty())
            notes.emplace_back("the tools were described in words");
        for (std::string& note : notes_on_options(request)) notes.push_back(std::move(note));
        for (const std::string& note : {continuation_note_, reasoning_note_})
            if (!note.empty()) notes.push_back(note);
        const std::size_t notes_of_request = notes.size();
        while (true) {
            const Clock::time_point start = Clock::now();
            wire::AnswerBody answer(
                where, request.tools,
                {.rule = wire::text_call_rule(request.text_calls, quirks_.tools_as_text),
                 .max_bytes = options_.max_response_bytes,
                 .keep_all = options_.on_exchange || request.keep_response,
                 .api = options_.api,
                 .previous_response_id = encoding.previous_response_id},
                on_delta);
            std::optional<bool> event_stream; // known with the head
            ChatReply reply;
            const auto failure = attempt(
                {.method = "POST", .url = url_text_, .request_body = for_log(request, encoding)},
                {"POST", url_.target(), headers(stream ? "text/event-stream" : "application/json"),
                 body},
                where, stop,
                [&](const http::Response& head, std::string_view bytes) {
                    if (!event_stream) event_stream = is_event_stream(head);
                    return answer.take(*event_stream, bytes);
                },
                [&](const http::Response& response) {
                    reply = answer.finish();
                    reply.wait = response.first_byte;
                },
                [&] { return answer.text(); }, limits());
            if (!failure) {
                reply.total = since(start);
                if (encoding.store) remember(encoding, input, reply);
                continuation_note_.clear();
                reasoning_note_.clear();
                for (const wire::UnsentOption& unsent :
                     wire::unsent_options(request, quirks_, options_.api))
                    noted_options_.insert(unsent.option);
                if (answer.is_streamed() && answer.first_delta())
                    reply.wait =
                        std::chrono::duration_cast<milliseconds>(*answer.first_delta() - start);
                reply.notes.insert(reply.notes.begin(), notes.begin(), notes.end());
                if (request.keep_response)
                    reply.response =
                        kept(answer.text(), event_stream.value_or(false), std::move(notes), reply);
                return reply;
            }
            // Delivered deltas cannot be withdrawn.
            if (answer.first_delta()) throw *failure;
            if (wire::responses::refuses_continuation(*failure, encoding.previous_response_id)) {
                give_up_continuation();
                throw *failure;
            }
            const std::optional<Attempt> next = retries.next(*failure);
            pause_before(next, *failure, stop);
            notes.resize(notes_of_request);
            notes.push_back("asked " + std::to_string(next->number) +
                            " times: " + failure->code().message());
        }
    }

    /// Null if the answer contains the key, also if a stream divides it: without it, another reply
    /// might be decoded.
    [[nodiscard]] std::shared_ptr<const RawResponse> kept(const std::string& body,
                                                          bool event_stream,
                                                          std::vector<std::string> notes,
                                                          const ChatReply& reply) const {
        const auto has_key = [this](const std::string& text) {
            return wire::without_secret(text, options_.api_key) != text;
        };
        if (has_key(body) || has_key(reply.text) || has_key(reply.reasoning) ||
            std::any_of(reply.tool_calls.begin(), reply.tool_calls.end(),
                        [&](const ToolCall& call) { return has_key(call.arguments_json); }))
            return nullptr;
        return std::make_shared<const RawResponse>(
            RawResponse{body, event_stream, quirks_.tools_as_text, std::move(notes), options_.api});
    }

    /// One exchange: sends the request, passes a successful answer to `decode`, and calls
    /// `on_exchange` in any case. Returns the failure, if any.
    template <class Take, class Decode, class TakeText>
    std::optional<Error> attempt(Exchange log, const http::Request& request,
                                 const wire::Where& where, const std::stop_token& stop, Take take,
                                 Decode decode, TakeText body, const http::Limits& limits) {
        const Clock::time_point start = Clock::now();
        http::Response response;
        std::optional<Error> failure;
        try {
            response = connection_.request(request, limits, stop,
                                           [&](const http::Response& head, std::string_view bytes) {
                                               response.status = head.status;
                                               return take(head, bytes);
                                           });
            if (response.status < 200 || response.status >= 300)
                throw wire::decode_error(
                    response.status, response.body, where, response.header("Location"),
                    wire::read_retry_hint(response.header("x-should-retry"),
                                          response.header("retry-after-ms"),
                                          response.header("Retry-After"),
                                          wire::read_date(response.header("Date"))
                                              .value_or(std::chrono::floor<std::chrono::seconds>(
                                                  std::chrono::system_clock::now()))));
            decode(response);
        } catch (const Error& error) {
            // The transport does not remove the key, and some servers repeat it, even in headers.
            failure.emplace(static_cast<errc>(error.code().value()),
                            wire::without_secret(error.what(), options_.api_key), error.details());
        }
        if (options_.on_exchange) {
            const std::string text = response.body.empty() ? body() : std::move(response.body);
            log.request_body = wire::without_secret(std::move(log.request_body), options_.api_key);
            log.status = response.status;
            log.response_body =
                wire::without_secret(wire::without_data_urls(text), options_.api_key);
            if (failure) log.error = failure->what();
            log.elapsed = since(start);
            options_.on_exchange(log);
        }
        return failure;
    }

    /// Waits for the delay of `next`. Throws `failure` if `next` is empty, and Error{cancelled}.
    void pause_before(const std::optional<Attempt>& next, const Error& failure,
                      const std::stop_token& stop) const {
        if (!next) throw failure;
        if (options_.on_retry) options_.on_retry(*next);
        if (base::wait_for(next->delay, stop) == base::Waited::stopped)
            throw Error(errc::cancelled, "the request to " + url_text_ +
                                             " was canceled during the delay before a retry");
    }

    // --- Stored responses ---

    [[nodiscard]] bool stores_responses() const {
        return options_.api == Api::responses && options_.store_responses &&
               refused_continuations_ < max_refused_continuations;
    }

    /// Lets the request continue a stored response, if its input begins with one. Returns the input.
    [[nodiscard]] std::vector<std::string> continue_stored(const ChatRequest& request,
                                                           wire::Encoding& encoding) const {
        std::vector<std::string> input = wire::responses::input_texts(
            quirks_.tools_as_text ? wire::tools_as_text(request) : request, encoding);
        encoding.store = true;
        if (auto continuation = stored_.find(input)) {
            encoding.previous_response_id = std::move(continuation->response_id);
            encoding.stored_items = continuation->items;
        }
        return input;
    }

    void remember(const wire::Encoding& encoding, const std::vector<std::string>& input,
                  const ChatReply& reply) {
        if (!encoding.previous_response_id.empty()) refused_continuations_ = 0;
        // An incomplete response may lack items that the reply has.
        if (reply.finish == FinishReason::stop || reply.finish == FinishReason::tool_calls)
            stored_.add(reply.response_id, input, reply.items_json);
    }

    /// The next request sends its whole input.
    void give_up_continuation() {
        stored_.clear();
        ++refused_continuations_;
        continuation_refused_ = true;
        continuation_note_ = "the whole conversation was sent: the server did not continue its "
                             "earlier response";
        if (!stores_responses()) continuation_note_ += "; responses are no longer stored there";
    }

    [[nodiscard]] std::string encoded(const ChatRequest& request,
                                      const wire::Encoding& encoding) const {
        return quirks_.tools_as_text ? wire::encode_request(wire::tools_as_text(request), encoding)
                                     : wire::encode_request(request, encoding);
    }

    [[nodiscard]] std::string for_log(const ChatRequest& request, wire::Encoding encoding) const {
        if (!options_.on_exchange) return {};
        encoding.images = wire::ImageMode::redacted;
        return encoded(request, encoding);
    }

    /// `accept`: the expected content type of a POST's answer; empty for a GET.
    [[nodiscard]] std::vector<http::Header> headers(const std::string& accept) const {
        std::vector<http::Header> headers{{"Accept", accept.empty() ? "application/json" : accept},
                                          {"User-Agent", "eyehand"}};
        if (!accept.empty()) headers.push_back({"Content-Type", "application/json"});
        if (!options_.api_key.empty())
            headers.push_back({"Authorization", "Bearer " + options_.api_key});
        return headers;
    }

    [[nodiscard]] http::Limits limits() const {
        return {.connect = options_.connect_timeout,
                .first_byte = options_.first_byte_timeout,
                .silence = options_.idle_timeout,
                .total = options_.timeout,
                .body_bytes = options_.max_response_bytes};
    }

    /// A list of models is much shorter than an answer may be.
    [[nodiscard]] http::Limits list_limits() const {
        http::Limits list = limits();
        if (list.body_bytes == 0 || list.body_bytes > max_list_bytes)
            list.body_bytes = max_list_bytes;
        return list;
    }

    const ClientOptions options_;
    const http::Url url_;
    const std::string url_text_;
    Quirks quirks_;
    std::map<wire::Option, std::string> refusals_; // the server's words, for notes
    std::set<wire::Option> noted_options_;         // that are not sent: a reply has the note
    wire::responses::StoredResponses stored_;
    int refused_continuations_ = 0;     // since the latest that was accepted
    bool continuation_refused_ = false; // by the latest failure
    std::string continuation_note_;     // for the next reply
    wire::responses::RefusedReasoning refused_reasoning_;
    std::string reasoning_note_; // for the next reply
    http::Connection connection_;
};

OpenAiClient::OpenAiClient(ClientOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

OpenAiClient::~OpenAiClient() = default;

ChatReply OpenAiClient::reply(const ChatRequest& request, const OnDelta& on_delta,
                              std::stop_token stop) {
    return impl_->reply(request, on_delta, stop);
}

std::vector<std::string> OpenAiClient::models(const std::stop_token& stop) {
    return impl_->models(stop);
}

const std::string& OpenAiClient::url() const { return impl_->url(); }

} // namespace eyehand::vlm
