#include "decode_error.hpp"

#include "contains_any.hpp"
#include "json.hpp"
#include "utf8.hpp"

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

constexpr std::size_t max_message = 1000; // bytes of a server's text in an error message
constexpr std::size_t max_search = 65536; // bytes that are searched for known phrases

/// Phrases of llama-server, LM Studio, Ollama, vLLM and OpenAI for a request that is too long.
/// Searches the whole text, because LM Studio and gateways wrap the message of their engine.
bool is_context_overflow(std::string_view lower) {
    return contains_any(lower,
                        {"context_length_exceeded", "exceed_context_size_error",
                         "exceeds the available context size", "context size has been exceeded",
                         "maximum context length", "trying to keep the first", "n_keep",
                         "does not fit in context length", "mid-generation context overflow",
                         "input length exceeds the context length",
                         "prompt is longer than the context length"});
}

bool is_missing_vision(std::string_view lower) {
    return contains_any(lower, {"mmproj", "image input is not supported", "does not support image",
                                "vision is not supported"});
}

bool is_crash(std::string_view lower) {
    return contains_any(lower, {"channel error", "model has crashed"});
}

bool is_missing_tools(std::string_view lower) {
    return contains_any(lower, {"does not support tools", "enable-auto-tool-choice",
                                "tools param requires --jinja", "support tool use",
                                "tool calling is not supported"});
}

/// Failures of llama-server's chat templates and parsers, which would fail again (status 500).
bool is_deterministic(std::string_view lower) {
    return contains_any(lower, {"jinja", "template", "must alternate", "roles must",
                                "failed to parse messages", "failed to parse tools",
                                "failed to parse tool call arguments", // of the history
                                "unable to generate parser"});
}

/// The model's output did not match the grammar of its template; another sample may match.
bool is_unlucky_sample(std::string_view lower) {
    return contains_any(lower, {"peg-native format"});
}

bool is_loading(int status, std::string_view lower) {
    return status == 503 && contains_any(lower, {"loading"});
}

bool is_used_up(std::string_view lower) { return contains_any(lower, {"insufficient_quota"}); }

bool is_no_model_loaded(std::string_view lower) {
    return contains_any(lower, {"no models loaded", "no model loaded", "model is unloaded",
                                "failed to load model"});
}

/// {"error":{"message":...}}, {"error":"..."}, {"message":...}, {"detail":...}, or an array whose
/// first element is one of these.
std::string_view message_in(const json::value& value) {
    if (const json::array* array = value.if_array())
        return array->empty() || array->front().is_array() ? std::string_view()
                                                           : message_in(array->front());
    const json::object* object = value.if_object();
    if (!object) return {};
    if (const json::object* error = object_member(*object, "error")) {
        const std::string_view message = string_member(*error, "message");
        return !message.empty() ? message : string_member(*error, "type");
    }
    for (const std::string_view name : {"error", "message", "detail"})
        if (const std::string_view text = string_member(*object, name); !text.empty()) return text;
    return {};
}

/// The code in {"error":{"code":...}}, or empty.
std::string server_code(std::string_view body, const Where& where) {
    constexpr std::size_t max_code = 100; // bytes; longer than any known code
    const auto value = parse_json(trimmed(body));
    const json::object* object = value ? value->if_object() : nullptr;
    const json::object* error = object ? object_member(*object, "error") : nullptr;
    return error ? where.quote(string_member(*error, "code"), max_code) : std::string();
}

/// The server's own error text, or empty.
std::string server_message(std::string_view body, const Where& where) {
    const std::string_view text = trimmed(body);
    if (text.empty() || text.starts_with('<')) return {}; // an HTML page does not help the user
    if (const auto value = parse_json(text)) {
        const std::string_view message = message_in(*value);
        return where.quote(message.empty() ? text : message, max_message);
    }
    return where.quote(text, max_message);
}

errc category_of(int status, std::string_view lower) {
    if (is_context_overflow(lower)) return errc::context_overflow;
    if (is_missing_vision(lower) || is_missing_tools(lower)) return errc::not_supported;
    switch (status) {
    case 200:
        return errc::server_error;
    case 401:
    case 403:
        return errc::unauthorized;
    case 404:
        return errc::not_found;
    case 429: // waiting does not help if the quota is used up
        return is_used_up(lower) ? errc::http_status : errc::overloaded;
    case 408:
    case 409:
    case 503:
        return errc::overloaded;
    case 501:
        return errc::not_supported;
    default:
        return errc::http_status;
    }
}

std::string url_hint(const Where& where) {
    return "is the URL right? It should end in " + std::string(where.path);
}

std::string remedy_for_missing(std::string_view said, const Where& where) {
    if (ascii_lower(said).find("model") != std::string::npos)
        return "the server does not have " +
               (where.model.empty() ? std::string("this model")
                                    : "the model \"" + where.quote(where.model, 200) + '"') +
               "; check the model's name against the server's list, or load it there";
    return "the server does not have this path; " + url_hint(where);
}

std::string remedy_for(int status, std::string_view lower, std::string_view said,
                       const Where& where, std::string_view location) {
    if (is_context_overflow(lower))
        return "the conversation is longer than the model's context; send fewer or smaller "
               "images, or load the model with a longer context";
    if (is_missing_vision(lower))
        return "the loaded model cannot see images; load a vision model (for llama-server with "
               "its --mmproj file)";
    if (is_missing_tools(lower))
        return "tool calling is not available there; load a model that can call tools and switch "
               "tool calling on (llama-server: --jinja, vLLM: --enable-auto-tool-choice), or set "
               "the quirk tools_as_text";
    if (is_crash(lower))
        return "the model crashed on the server, often for lack of memory; reload it, with a "
               "shorter context or a smaller model";
    // LM Studio's answer to an unknown path, with status 200.
    if (contains_any(lower, {"unexpected endpoint"})) return url_hint(where);
    if (is_no_model_loaded(lower)) return "load a model on the server and try again";
    if (status >= 300 && status < 400)
        return location.empty() ? "the server redirects; give its final URL as the endpoint"
                                : "the server redirects to " + where.quote(location, 200) +
                                      "; give that URL as the endpoint";
    switch (status) {
    case 200:
        return {};
    case 400:
    case 422:
        return "the server rejects this request; its message says which part it does not accept";
    case 401:
    case 403:
        return "check the API key, or set one";
    case 402:
        return "the account has no credit left";
    case 404:
        return remedy_for_missing(said, where);
    case 405:
        return url_hint(where);
    case 408:
    case 409:
        return "try again";
    case 413:
        return "the request is too large for the server; send fewer or smaller images";
    case 429:
        return is_used_up(lower) ? "the account's quota is used up"
                                 : "too many requests; wait a little and try again";
    case 501:
        return "the server does not support this request";
    case 502:
    case 504:
        return "a proxy answers, but the server behind it does not; is it running?";
    case 503:
        return is_loading(status, lower)
                   ? "the server is still loading the model; try again in a moment"
                   : "the server is busy; try again in a moment";
    default:
        return "see the server's own log for the cause";
    }
}

// --- What else is known ------------------------------------------------------------------------

/// Nothing: the code and the status decide.
std::optional<Retry> retry_of(int status, std::string_view lower, const RetryHint& hint) {
    if (is_context_overflow(lower) || is_missing_vision(lower) || is_missing_tools(lower))
        return Retry::never;
    if (is_loading(status, lower)) return Retry::while_loading;
    if (hint.retry) return *hint.retry ? Retry::later : Retry::never;
    if (is_crash(lower) || is_unlucky_sample(lower)) return Retry::once;
    if (is_no_model_loaded(lower) || is_used_up(lower)) return Retry::never;
    if (status == 500 && is_deterministic(lower)) return Retry::never;
    if (status == 501) return Retry::never;
    if (status == 402 && hint.after) return Retry::later;
    return std::nullopt;
}

/// llama-server's error objects contain the length of the request and of the context.
std::optional<int> number_in_error(const json::value& value, std::string_view name) {
    const json::object* object = value.if_object();
    const json::object* error = object ? object_member(*object, "error") : nullptr;
    const json::value* number = error ? member(*error, name) : nullptr;
    if (!number || !number->is_number()) return std::nullopt;
    boost::system::error_code failed;
    const int result = number->to_number<int>(failed);
    if (failed || result <= 0) return std::nullopt;
    return result;
}

} // namespace

Error decode_error(int status, std::string_view body, const Where& where, std::string_view location,
                   const RetryHint& hint) {
    const std::string lower = ascii_lower(body.substr(0, max_search));
    std::string said = server_message(body, where);
    std::string what = where.url;
    what += status == 200 ? " answered with an error"
                          : " answered with status " + std::to_string(status);
    if (!said.empty()) what += " (\"" + said + "\")";
    const std::string remedy = remedy_for(status, lower, said, where, location);
    if (!remedy.empty()) what += ": " + remedy;
    ErrorDetails details{.status = status,
                         .server_message = std::move(said),
                         .server_code = server_code(body, where),
                         .retry = retry_of(status, lower, hint),
                         .retry_after = hint.after};
    if (is_context_overflow(lower)) {
        if (const auto value = parse_json(trimmed(body))) {
            details.prompt_tokens = number_in_error(*value, "n_prompt_tokens");
            details.context_tokens = number_in_error(*value, "n_ctx");
        }
    }
    return {category_of(status, lower), what, std::move(details)};
}

bool says_no_tools(std::string_view server_message) {
    return is_missing_tools(ascii_lower(server_message));
}

} // namespace eyehand::vlm::wire
