#include "eyehand/vlm/probe.hpp"

#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/vlm/digest.hpp"
#include "http/connection.hpp"
#include "http/url.hpp"
#include "wire/decode_error.hpp"
#include "wire/decode_reply.hpp"
#include "wire/decode_server.hpp"
#include "wire/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm {
namespace {

using Clock = std::chrono::steady_clock;

// The lists of the largest services are a few MiB.
constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;
constexpr std::size_t max_quote = 200; // bytes of a model's name in a note
constexpr int max_long_answer = 128;   // tokens of the answer from which the probe disconnects
constexpr std::chrono::milliseconds slots_interval{25};

/// 32 x 32 red pixels: the smallest size that every image encoder accepts.
constexpr std::array<std::uint8_t, 98> small_image{
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x20, 0x08, 0x02, 0x00, 0x00,
    0x00, 0xFC, 0x18, 0xED, 0xA3, 0x00, 0x00, 0x00, 0x29, 0x49, 0x44, 0x41, 0x54, 0x78,
    0xDA, 0xED, 0xCD, 0x31, 0x0D, 0x00, 0x00, 0x08, 0x03, 0xB0, 0x49, 0x99, 0x7F, 0x93,
    0xA0, 0x82, 0x83, 0xA4, 0x49, 0xFF, 0x66, 0xDA, 0x53, 0x11, 0x08, 0x04, 0x02, 0x81,
    0x40, 0x20, 0x10, 0x08, 0x04, 0x5F, 0x82, 0x05, 0x0D, 0xB3, 0xFC, 0x3D, 0x3B, 0xFB,
    0x7E, 0x03, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};

ServerKind kind_of_host(std::string_view host) {
    if (host == "api.openai.com") return ServerKind::openai;
    if (host == "openrouter.ai") return ServerKind::openrouter;
    if (host == "generativelanguage.googleapis.com") return ServerKind::gemini;
    return ServerKind::unknown;
}

ReasoningForm reasoning_form_of(ServerKind kind) {
    switch (kind) {
    case ServerKind::llama_server:
        return ReasoningForm::llama_server;
    case ServerKind::vllm:
        return ReasoningForm::vllm;
    case ServerKind::openrouter:
        return ReasoningForm::openrouter;
    case ServerKind::gemini:
        return ReasoningForm::gemini;
    case ServerKind::lm_studio:
    case ServerKind::ollama:
    case ServerKind::openai:
    case ServerKind::unknown:
        break;
    }
    return ReasoningForm::standard;
}

/// The prefix of a server's own paths: empty for "/v1/chat/completions" and for LM Studio's
/// "/api/v0/chat/completions", "/llm" for "/llm/v1/chat/completions" behind a proxy.
std::string own_base_path(const http::Url& endpoint) {
    const std::optional<std::string> base = http::base_path(endpoint);
    if (!base) return {};
    std::string_view path = *base;
    path = path.substr(0, std::min(path.rfind('/'), path.size()));
    if (path.ends_with("/api")) path.remove_suffix(4);
    return std::string(path);
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view plain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.find(c) != std::string_view::npos)
            result += c;
        else
            result.append("%").append(1, digits[byte / 16]).append(1, digits[byte % 16]);
    }
    return result;
}

ModelInfo info_of(const wire::ModelFacts& facts) {
    return {.id = facts.id,
            .loaded = facts.loaded.value_or(true),
            .context_tokens = facts.context_tokens,
            .images = facts.images,
            .tools = facts.tools};
}

bool all_known(const ModelInfo& model) {
    return model.images != Support::unknown && model.tools != Support::unknown &&
           model.context_tokens;
}

/// The results of a probe, and the tests that they include.
struct Knowledge {
    ServerInfo server{};
    bool active = false;
    bool disconnect = false; ///< the test was conclusive, or would not be conclusive later, either

    [[nodiscard]] bool suffices_for(const ProbeOptions& options) const {
        return (!options.active || active || all_known(server.model)) &&
               (!options.disconnect || disconnect);
    }
};

// --- Queries -------------------------------------------------------------------------------------

/// The queries to one server, over one connection, and their results.
class ProbeSession {
public:
    ProbeSession(const ClientOptions& client, const ProbeOptions& options, std::stop_token stop)
        : client_(client), options_(options), stop_(std::move(stop)),
          endpoint_(http::parse_endpoint(client.endpoint, client.api)),
          base_path_(own_base_path(endpoint_)),
          connection_(endpoint_, {.proxies = client.proxies, .ca_file = client.ca_file}) {}

    /// Keeps the results of the tests that `earlier` includes, and does not repeat them.
    Knowledge run(const std::string& model, const std::optional<Knowledge>& earlier);
    /// Whether a query failed for a reason that may be temporary.
    [[nodiscard]] bool failed_temporarily() const { return !temporary_failure_.empty(); }

private:
    // In this order:
    void query_list();
    void find_kind();
    void learn_from_own_lists();
    [[nodiscard]] wire::ModelFacts* choose(const std::string& wanted);
    void learn_of(wire::ModelFacts* chosen);
    void try_images(wire::ModelFacts& chosen);
    void try_tools(wire::ModelFacts& chosen);
    void try_disconnect(const wire::ModelFacts& chosen);
    void note_what_is_unknown(const wire::ModelFacts& chosen);

    /// A query to one of the server's own paths, next to /v1.
    struct Query {
        std::string path;
        std::string parameters{}; ///< of the URL's query
        std::string body{};       ///< if not empty, the request is a POST
        bool expected = true;     ///< a missing answer causes a note
    };
    /// Returns the decoded answer; nothing if the query fails or `decode` returns nothing. The same
    /// query is sent only once.
    template <class Decode>
    [[nodiscard]] auto send_query(const Query& query, Decode decode)
        -> decltype(decode(std::string_view()));
    struct CachedAnswer {
        std::string body{};
        std::string problem{}; ///< or empty
    };
    [[nodiscard]] const CachedAnswer& fetch(const http::Url& url, const std::string& body);
    [[nodiscard]] std::chrono::milliseconds query_timeout() const;
    /// Returns the answer, with any status. Throws Error if the server does not answer.
    http::Response exchange(const http::Url& url, const std::string& body);
    struct Attempt {
        std::optional<ChatReply> reply{}; ///< if not set, `error` is set
        std::optional<Error> error{};
        bool tools_sent = false; ///< false if the client fell back to tools as text
    };
    /// Streams if there is an `on_delta`, which may throw Error to disconnect. Throws only
    /// Error{cancelled}, if the caller of the probe stops it.
    [[nodiscard]] Attempt attempt(const wire::ModelFacts& chosen, ChatRequest request,
                                  const OnDelta& on_delta = {});
    void note_failed_attempt(const char* what, const Error& error);

    using Slots = std::vector<wire::LlamaSlot>;
    /// llama-server's slots at this moment; nothing, with a note, if it does not show them.
    [[nodiscard]] std::optional<Slots> query_slots(const wire::ModelFacts& chosen);
    /// Sends a request for a long answer and disconnects. Returns the slot that processed it
    /// then; nothing, with a note, if the slot is unknown.
    [[nodiscard]] std::optional<wire::LlamaSlot> abandon_request(const wire::ModelFacts& chosen);
    [[nodiscard]] Support stops(const wire::ModelFacts& chosen, const wire::LlamaSlot& abandoned);
    void note_disconnect(const std::string& reason) {
        note("whether the server stops when a client disconnects is unknown: " + reason);
    }

    /// Of a URL that a router forwards to this model's server, without loading the model.
    [[nodiscard]] std::string routed_to(const wire::ModelFacts& chosen) const {
        return routes_ ? "model=" + percent_encoded(chosen.id) + "&autoload=false" : std::string();
    }

    void learn(const wire::ModelList& list);
    void note(std::string text) { notes_.push_back(std::move(text)); }
    [[nodiscard]] wire::Where where(const http::Url& url) const {
        return {url.shown(), {}, client_.api_key};
    }
    [[nodiscard]] std::string quoted(std::string_view name) const {
        return '"' + where(endpoint_).quote(name, max_quote) + '"';
    }
    [[nodiscard]] http::Url own_url(const Query& query) const {
        http::Url url = endpoint_;
        url.path = base_path_ + query.path;
        if (!query.parameters.empty())
            url.query += (url.query.empty() ? "?" : "&") + query.parameters;
        return url;
    }

    const ClientOptions& client_;
    const ProbeOptions& options_;
    const std::stop_token stop_;
    const Clock::time_point deadline_ = Clock::now() + options_.total_timeout;
    const http::Url endpoint_;
    const std::string base_path_;
    http::Connection connection_;
    std::map<std::string, CachedAnswer> answers_; // by target and body
    std::string temporary_failure_;               // of a query, or empty

    ServerKind kind_ = ServerKind::unknown;
    std::string version_;
    std::optional<std::vector<wire::ModelFacts>> models_; // not set: no list was received
    std::optional<Error> no_list_;                        // the reason
    bool routes_ = false;
    Support stops_on_disconnect_ = Support::unknown;
    bool disconnect_tested_ = false; // as Knowledge::disconnect
    std::vector<std::string> notes_;
};

/// Throws Error{timeout} if no time is left.
std::chrono::milliseconds ProbeSession::query_timeout() const {
    if (options_.total_timeout.count() <= 0) return options_.timeout;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0)
        throw Error(errc::timeout, "the server took longer than the total time limit of the probe");
    return options_.timeout.count() <= 0 ? left : std::min(left, options_.timeout);
}

http::Response ProbeSession::exchange(const http::Url& url, const std::string& body) {
    std::vector<http::Header> headers{{"Accept", "application/json"}, {"User-Agent", "eyehand"}};
    if (!body.empty()) headers.push_back({"Content-Type", "application/json"});
    if (!client_.api_key.empty()) headers.push_back({"Authorization", "Bearer " + client_.api_key});
    const http::Limits limits{.connect = client_.connect_timeout,
                              .total = query_timeout(),
                              .body_bytes = std::min(client_.max_response_bytes, max_answer_bytes)};
    const Clock::time_point start = Clock::now();
    Exchange log{.method = body.empty() ? "GET" : "POST", .url = url.shown()};
    http::Response response;
    std::optional<Error> failure;
    try {
        response = connection_.request({log.method, url.target(), headers, body}, limits, stop_);
    } catch (const Error& error) {
        failure = error;
    }
    if (client_.on_exchange) {
        log.request_body = wire::without_secret(body, client_.api_key);
        log.status = response.status;
        log.response_body =
            wire::without_secret(wire::without_data_urls(response.body), client_.api_key);
        if (failure) log.error = failure->what();
        log.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
        client_.on_exchange(log);
    }
    if (failure) throw *failure;
    return response;
}

const ProbeSession::CachedAnswer& ProbeSession::fetch(const http::Url& url,
                                                      const std::string& body) {
    const auto [place, is_new] = answers_.try_emplace(url.target() + '\n' + body);
    CachedAnswer& answer = place->second;
    if (!is_new) return answer;
    std::optional<Error> failure;
    try {
        http::Response response = exchange(url, body);
        if (response.status >= 200 && response.status < 300)
            answer.body = std::move(response.body);
        else
            failure = wire::decode_error(response.status, response.body, where(url));
    } catch (const Error& error) {
        if (error.code() == errc::cancelled) throw;
        failure = error;
    }
    if (!failure) return answer;
    answer.problem = failure->what();
    // Only failures without a status, and `overloaded`, may be temporary.
    if (!failure->status() || failure->code() == errc::overloaded)
        temporary_failure_ = answer.problem;
    return answer;
}

template <class Decode>
auto ProbeSession::send_query(const Query& query, Decode decode)
    -> decltype(decode(std::string_view())) {
    const http::Url url = own_url(query);
    const CachedAnswer& answer = fetch(url, query.body);
    decltype(decode(std::string_view())) facts;
    if (answer.problem.empty()) facts = decode(answer.body);
    if (!facts && query.expected)
        note(!answer.problem.empty()
                 ? answer.problem
                 : url.shown() + " gave an unexpected answer for this kind of server: is there a "
                                 "proxy in front of it?");
    return facts;
}

// --- The list and the kind -----------------------------------------------------------------------

/// Throws the errors that would be the same for every other query.
void ProbeSession::query_list() {
    kind_ = kind_of_host(endpoint_.host);
    http::Url url;
    try {
        url = http::models_url(endpoint_);
    } catch (const Error& error) {
        no_list_ = error;
        return;
    }
    http::Response response;
    try {
        response = exchange(url, {});
    } catch (const Error& error) {
        if (error.code() != errc::response_too_large) throw;
        no_list_ = error;
        return;
    }
    if (response.header("Server") == "llama.cpp") kind_ = ServerKind::llama_server;
    if (response.status < 200 || response.status >= 300) {
        no_list_ = wire::decode_error(response.status, response.body, where(url),
                                      response.header("Location"));
        if (no_list_->code() == errc::unauthorized || no_list_->code() == errc::overloaded)
            throw *no_list_;
        return;
    }
    if (auto list = wire::decode_model_list(response.body)) {
        models_ = std::move(list->models);
        routes_ = list->routes;
        if (kind_ == ServerKind::unknown) kind_ = list->kind;
        return;
    }
    try {
        (void)wire::decode_models(response.body, where(url));
        no_list_ = Error(errc::bad_response, url.shown() + " did not answer with a list of models");
    } catch (const Error& error) { // the usual case: the error describes the answer
        no_list_ = error;
    }
}

/// Sends queries that only one kind of server answers, until one is answered.
void ProbeSession::find_kind() {
    if (kind_ != ServerKind::unknown) return;
    const auto lm_studio =
        send_query({.path = "/api/v1/models", .expected = false}, &wire::decode_model_list);
    if (lm_studio && lm_studio->kind == ServerKind::lm_studio)
        kind_ = ServerKind::lm_studio;
    else if (!failed_temporarily() &&
             send_query({.path = "/api/version", .expected = false}, &wire::decode_version))
        kind_ = ServerKind::ollama;
    else if (!failed_temporarily() &&
             send_query({.path = "/props", .expected = false}, &wire::decode_llama_props))
        kind_ = ServerKind::llama_server;
    else if (!failed_temporarily() &&
             send_query({.path = "/version", .expected = false}, &wire::decode_version))
        kind_ = ServerKind::vllm;
    else
        note("the kind of the server is unknown: " +
             (failed_temporarily()
                  ? temporary_failure_
                  : endpoint_.shown() + " answers none of the queries of LM Studio, Ollama, "
                                        "llama-server and vLLM"));
}

// --- Queries for one kind of server --------------------------------------------------------------

/// Takes the facts in `list`. Takes new models only if there is no list yet: models that /v1/models
/// does not list cannot be used.
void ProbeSession::learn(const wire::ModelList& list) {
    if (!models_) {
        models_ = list.models;
        return;
    }
    std::map<std::string_view, const wire::ModelFacts*> by_name;
    for (const wire::ModelFacts& facts : list.models) by_name.emplace(facts.id, &facts);
    for (wire::ModelFacts& model : *models_)
        if (const auto found = by_name.find(model.id); found != by_name.end())
            model.learn(*found->second);
}

void ProbeSession::learn_from_own_lists() {
    if (kind_ == ServerKind::lm_studio) {
        auto list =
            send_query({.path = "/api/v1/models", .expected = false}, &wire::decode_model_list);
        if (!list || list->kind != kind_) // before 0.4
            list = send_query({.path = "/api/v0/models", .expected = models_ && !models_->empty()},
                              &wire::decode_model_list);
        if (list) learn(*list);
    }
    if (kind_ == ServerKind::ollama) {
        if (!models_)
            if (const auto list = send_query({.path = "/api/tags"}, &wire::decode_model_list))
                learn(*list);
        const auto running = send_query({.path = "/api/ps"}, &wire::decode_model_list);
        if (!models_ || !running) return;
        for (wire::ModelFacts& model : *models_)
            model.loaded =
                std::any_of(running->models.begin(), running->models.end(),
                            [&](const wire::ModelFacts& facts) { return facts.id == model.id; });
        learn({.models = running->models});
    }
}

wire::ModelFacts* ProbeSession::choose(const std::string& wanted) {
    std::vector<wire::ModelFacts>& models = *models_;
    std::erase_if(models, [](const wire::ModelFacts& model) { return !model.chats; });
    const auto first = [&](auto is_it) {
        const auto found = std::find_if(models.begin(), models.end(), is_it);
        return found == models.end() ? nullptr : &*found;
    };
    if (wanted.empty()) {
        if (models.size() == 1) return models.data();
        wire::ModelFacts* loaded =
            first([](const wire::ModelFacts& model) { return model.loaded.value_or(true); });
        if (!loaded && !models.empty()) note("no model is loaded: load one, or name the model");
        return loaded;
    }
    const auto called = [&](const std::string& name) {
        return first([&](const wire::ModelFacts& model) { return model.is_called(name); });
    };
    wire::ModelFacts* found = called(wanted);
    if (!found && kind_ == ServerKind::ollama) found = called(wanted + ":latest");
    if (!found && kind_ == ServerKind::gemini) found = called("models/" + wanted);
    if (!found && kind_ == ServerKind::llama_server && !routes_ && models.size() == 1) {
        note("llama-server has only the model " + quoted(models.front().id) +
             " and uses it for every name, such as " + quoted(wanted));
        found = models.data();
    }
    return found;
}

void ProbeSession::learn_of(wire::ModelFacts* chosen) {
    switch (kind_) {
    case ServerKind::llama_server: {
        Query query{.path = "/props"};
        if (routes_) {
            if (!chosen || chosen->loaded == false) return; // only a loaded model answers
            query.parameters = routed_to(*chosen);
        }
        if (const auto props = send_query(query, &wire::decode_llama_props)) {
            version_ = props->version;
            if (chosen) chosen->learn(props->model);
        }
        return;
    }
    case ServerKind::ollama: {
        version_ = send_query({.path = "/api/version"}, &wire::decode_version).value_or("");
        if (!chosen) return;
        const std::string body = boost::json::serialize(boost::json::object{{"model", chosen->id}});
        if (auto facts =
                send_query({.path = "/api/show", .body = body}, &wire::decode_ollama_show)) {
            // This is the configured value. For a loaded model, /api/ps reports the actual one.
            if (chosen->context_tokens) facts->context_tokens = chosen->context_tokens;
            chosen->learn(*facts);
        }
        return;
    }
    case ServerKind::vllm:
        version_ = send_query({.path = "/version"}, &wire::decode_version).value_or("");
        return;
    case ServerKind::lm_studio: // reports everything in its lists, except the version
    case ServerKind::openai:
    case ServerKind::openrouter:
    case ServerKind::gemini:
    case ServerKind::unknown:
        return;
    }
}

// --- Active tests --------------------------------------------------------------------------------

ProbeSession::Attempt ProbeSession::attempt(const wire::ModelFacts& chosen, ChatRequest request,
                                            const OnDelta& on_delta) {
    request.model = chosen.id;
    ServerInfo so_far;
    so_far.kind = kind_;
    ClientOptions client = apply_capabilities(client_, so_far);
    client.quirks->tools_as_text = false; // the test is about native tool calling
    client.stream = bool(on_delta);
    client.retries.max_retries = 0;
    Attempt attempted;
    client.on_exchange = [&](const Exchange& exchange) {
        const auto sent = wire::parse_json(exchange.request_body);
        attempted.tools_sent = sent && sent->is_object() && sent->get_object().contains("tools");
        if (client_.on_exchange) client_.on_exchange(exchange);
    };
    try {
        attempted.reply = OpenAiClient(std::move(client)).reply(request, on_delta, stop_);
    } catch (const Error& error) {
        if (stop_.stop_requested()) throw Error(errc::cancelled, error.what());
        attempted.error = error;
    }
    return attempted;
}

void ProbeSession::note_failed_attempt(const char* what, const Error& error) {
    if (!error.status() || error.code() == errc::overloaded) temporary_failure_ = error.what();
    note(std::string(what) + " could not be tested: " + error.what());
}

void ProbeSession::try_images(wire::ModelFacts& chosen) {
    if (chosen.images != Support::unknown) return;
    ChatRequest request;
    request.messages = {Message::user("Which color is this? Answer with one word.",
                                      make_image({small_image.begin(), small_image.end()}))};
    request.sampling.max_tokens = 16;
    const Attempt attempted = attempt(chosen, std::move(request));
    if (attempted.reply)
        chosen.images = Support::yes;
    else if (wire::refuses_images(*attempted.error))
        chosen.images = Support::no;
    else
        note_failed_attempt("whether the model accepts images", *attempted.error);
}

void ProbeSession::try_tools(wire::ModelFacts& chosen) {
    if (chosen.tools != Support::unknown) return;
    ChatRequest request;
    request.messages = {Message::user("Call the tool \"ready\" now. Write nothing else.")};
    request.tools = {
        {"ready", "Reports that you are ready.", R"({"type":"object","properties":{}})"}};
    request.tool_choice = ToolChoice::required;
    // vLLM can force a call without further settings, but needs a parser for calls that the model
    // makes by choice, as it does for an agent. The test is for the latter.
    if (kind_ == ServerKind::vllm) request.tool_choice = ToolChoice::automatic;
    request.sampling.max_tokens = 64;
    const Attempt attempted = attempt(chosen, request);
    const std::optional<ChatReply>& reply = attempted.reply;
    const bool refused =
        !attempted.tools_sent || (attempted.error && wire::refuses_tools(*attempted.error));
    // A call that the token limit cut off counts, too.
    const bool called =
        reply ? !reply->tool_calls.empty() : attempted.error->code() == errc::truncated;
    const bool cut_off = reply && reply->finish == FinishReason::length;
    const bool had_to = request.tool_choice == ToolChoice::required;
    if (refused || (reply && !called && !cut_off && had_to))
        chosen.tools = Support::no;
    else if (called)
        chosen.tools = Support::yes;
    else if (attempted.error)
        note_failed_attempt("whether the model calls tools", *attempted.error);
    else
        note(std::string("whether the model calls tools is unknown: asked to call one, it ") +
             (cut_off ? "used up its tokens for text" : "answered with text"));
}

// --- Disconnecting -------------------------------------------------------------------------------

// llama-server's GET /slots lists the slots, each with "is_processing" (llama.cpp,
// tools/server/README.md, "GET /slots"). By default it is enabled; after --no-slots, and without
// --slots in some older versions, the answer is 501. A router needs the parameter "model", as for
// every GET about one model. The loop that computes also answers /slots, between two batches
// (handle_slots posts a task): the answer is current, but may take as long as a batch.
//
// Versions that continue after a disconnect: llama.cpp issues 11720, 13262 and 24496.

std::optional<ProbeSession::Slots> ProbeSession::query_slots(const wire::ModelFacts& chosen) {
    const http::Url url = own_url({.path = "/slots", .parameters = routed_to(chosen)});
    try {
        const http::Response response = exchange(url, {});
        if (response.status < 200 || response.status >= 300)
            throw wire::decode_error(response.status, response.body, where(url));
        if (auto slots = wire::decode_llama_slots(response.body)) return slots;
        note_disconnect(url.shown() + " does not report which slots are processing a request");
        disconnect_tested_ = true;
    } catch (const Error& error) {
        if (error.code() == errc::cancelled) throw;
        note_disconnect(error.what());
        if (!error.status() || error.code() == errc::overloaded)
            temporary_failure_ = error.what();
        else
            disconnect_tested_ = true;
    }
    return std::nullopt;
}

std::optional<wire::LlamaSlot> ProbeSession::abandon_request(const wire::ModelFacts& chosen) {
    ChatRequest request;
    request.messages = {Message::user("Count from 1 to 1000, one number per line. Write all "
                                      "numbers and nothing else.")};
    request.sampling.max_tokens = max_long_answer;
    bool looked = false;
    std::optional<Slots> slots;
    const Attempt attempted = attempt(chosen, std::move(request), [&](const Delta&) {
        looked = true;
        slots = query_slots(chosen);
        throw Error(errc::cancelled, "the probe disconnected, to test whether the server stops");
    });
    if (looked && !slots) return std::nullopt;
    if (!looked && attempted.error) {
        note_failed_attempt("whether the server stops when a client disconnects", *attempted.error);
        return std::nullopt;
    }
    std::erase_if(slots.emplace(slots.value_or(Slots())),
                  [](const wire::LlamaSlot& slot) { return !slot.is_processing; });
    if (slots->size() == 1) return slots->front();
    note_disconnect(slots->empty() ? "the answer was complete before the client disconnected"
                                   : "the server also works on another request");
    return std::nullopt;
}

Support ProbeSession::stops(const wire::ModelFacts& chosen, const wire::LlamaSlot& abandoned) {
    const Clock::time_point end = base::deadline_after(Clock::now(), options_.disconnect_timeout);
    int generated = abandoned.generated_tokens;
    while (true) {
        const std::optional<Slots> slots = query_slots(chosen);
        if (!slots) return Support::unknown;
        bool continues = false;
        for (const wire::LlamaSlot& slot : *slots) {
            if (slot.task != abandoned.task) continue; // a later request
            continues = continues || slot.is_processing;
            generated = std::max(generated, slot.generated_tokens);
        }
        if (!continues && generated < max_long_answer / 2) return Support::yes;
        if (!continues) {
            note_disconnect("the model is so fast that the answer may have been complete");
            return Support::unknown;
        }
        if (Clock::now() >= end) return Support::no;
        if (base::wait_for(slots_interval, stop_) == base::Waited::stopped)
            throw Error(errc::cancelled, "the probe of " + endpoint_.shown() + " was canceled");
    }
}

void ProbeSession::try_disconnect(const wire::ModelFacts& chosen) {
    if (disconnect_tested_) return;
    if (kind_ != ServerKind::llama_server) {
        note_disconnect(std::string(to_string(kind_)) +
                        " does not show reliably whether it computes");
        disconnect_tested_ = true;
        return;
    }
    if (chosen.loaded == false) return note_disconnect("the model is not loaded");
    const std::optional<Slots> before = query_slots(chosen);
    if (!before) return;
    if (std::any_of(before->begin(), before->end(),
                    [](const wire::LlamaSlot& slot) { return slot.is_processing; }))
        return note_disconnect("the server works on another request");
    const std::optional<wire::LlamaSlot> abandoned = abandon_request(chosen);
    if (!abandoned) return;
    stops_on_disconnect_ = stops(chosen, *abandoned);
    disconnect_tested_ = disconnect_tested_ || stops_on_disconnect_ != Support::unknown;
}

// --- The whole probe -----------------------------------------------------------------------------

void ProbeSession::note_what_is_unknown(const wire::ModelFacts& chosen) {
    std::string what;
    const auto add = [&](bool unknown, const char* words) {
        if (unknown) what.append(what.empty() ? "" : ", ").append(words);
    };
    add(chosen.images == Support::unknown, "whether it accepts images");
    add(chosen.tools == Support::unknown, "whether it calls tools");
    add(!chosen.context_tokens, "how long its context is");
    if (!what.empty())
        note("the server does not report about " + quoted(chosen.id) + ": " + what +
             (chosen.loaded == false ? " (it is not loaded)" : ""));
}

Knowledge ProbeSession::run(const std::string& model, const std::optional<Knowledge>& earlier) {
    query_list();
    find_kind();
    learn_from_own_lists();
    if (!models_) throw *no_list_;
    if (no_list_) note(no_list_->what());
    wire::ModelFacts* chosen = choose(model);
    learn_of(chosen);
    Knowledge known{.active = options_.active};
    if (chosen && earlier && earlier->server.model.id == chosen->id &&
        earlier->server.kind == kind_ && earlier->server.version == version_) {
        const ServerInfo& server = earlier->server;
        if (chosen->images == Support::unknown) chosen->images = server.model.images;
        if (chosen->tools == Support::unknown) chosen->tools = server.model.tools;
        stops_on_disconnect_ = server.stops_on_disconnect;
        disconnect_tested_ = earlier->disconnect;
        known.active = options_.active || earlier->active;
    }
    if (chosen && options_.active) {
        try_images(*chosen);
        try_tools(*chosen);
    }
    if (chosen && options_.disconnect) try_disconnect(*chosen);
    if (chosen) note_what_is_unknown(*chosen);
    known.disconnect = disconnect_tested_;
    ServerInfo& server = known.server;
    server.kind = kind_;
    server.version = version_;
    for (const wire::ModelFacts& facts : *models_) server.models.push_back(info_of(facts));
    if (chosen) server.model = info_of(*chosen);
    server.stops_on_disconnect = stops_on_disconnect_;
    server.notes = std::move(notes_);
    return known;
}

// --- Cache ---------------------------------------------------------------------------------------

/// The results of this process.
class Memory {
public:
    [[nodiscard]] std::optional<Knowledge> find(const std::string& key) {
        const std::lock_guard lock(mutex_);
        const auto found = servers_.find(key);
        if (found == servers_.end()) return std::nullopt;
        return found->second;
    }
    void keep(const std::string& key, const Knowledge& known) {
        const std::lock_guard lock(mutex_);
        servers_.insert_or_assign(key, known);
    }
    void forget(const std::string& key) {
        const std::lock_guard lock(mutex_);
        servers_.erase(key);
    }

private:
    std::mutex mutex_;
    std::map<std::string, Knowledge> servers_;
};

Memory& memory() {
    static Memory memory;
    return memory;
}

std::string memory_key(const ClientOptions& client, const std::string& model) {
    return http::parse_endpoint(client.endpoint, client.api).text() + '\n' +
           sha256_hex(client.api_key) + '\n' + model;
}

/// Rounds to the nearest number of cells, halves to even, as Python does.
long long cells(int pixels) {
    constexpr double cell = 32;
    return std::max(1LL, std::llrint(pixels / cell));
}

} // namespace

std::string_view to_string(ServerKind kind) {
    switch (kind) {
    case ServerKind::lm_studio:
        return "LM Studio";
    case ServerKind::llama_server:
        return "llama-server";
    case ServerKind::ollama:
        return "Ollama";
    case ServerKind::vllm:
        return "vLLM";
    case ServerKind::openai:
        return "OpenAI";
    case ServerKind::openrouter:
        return "OpenRouter";
    case ServerKind::gemini:
        return "Gemini";
    case ServerKind::unknown:
        break;
    }
    return "unknown server";
}

ServerInfo probe(const ClientOptions& client, const std::string& model, const ProbeOptions& options,
                 std::stop_token stop) {
    const std::string key = memory_key(client, model);
    std::optional<Knowledge> earlier;
    if (!options.bypass_cache) earlier = memory().find(key);
    if (earlier && earlier->suffices_for(options)) return std::move(earlier->server);
    ProbeSession session(client, options, std::move(stop));
    Knowledge known = session.run(model, earlier);
    const ServerInfo& server = known.server;
    if (!server.model.id.empty() && server.model.loaded && !session.failed_temporarily())
        memory().keep(key, known);
    else
        memory().forget(key); // an older result is outdated
    return std::move(known.server);
}

ClientOptions apply_capabilities(ClientOptions client, const ServerInfo& server) {
    Quirks quirks = client.quirks ? *client.quirks : quirks_of(client.endpoint);
    if (server.kind == ServerKind::openai) quirks.max_completion_tokens = true;
    if (server.kind == ServerKind::openai || server.kind == ServerKind::gemini)
        quirks.standard_fields_only = true;
    if (server.model.tools == Support::no) quirks.tools_as_text = true;
    if (quirks.reasoning == ReasoningForm::standard)
        quirks.reasoning = reasoning_form_of(server.kind);
    client.quirks = quirks;
    return client;
}

int qwen3_image_tokens(int width, int height) {
    if (width < 1 || height < 1)
        throw std::invalid_argument("an image cannot have " + std::to_string(width) + "x" +
                                    std::to_string(height) + " pixels");
    const long long tokens = cells(width) * cells(height) + 2;
    return static_cast<int>(
        std::min<long long>(tokens, std::numeric_limits<int>::max())); // no image is that large
}

} // namespace eyehand::vlm
