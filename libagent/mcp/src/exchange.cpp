#include "exchange_source.hpp"
#include "schema.hpp"
#include "task.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace eyehand::mcp {
namespace {

constexpr std::array<std::string_view, 8> log_levels{"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

json::value parsed(std::string_view text, const char* what) {
    auto value = agent::parse_json(text);
    if (!value) throw std::invalid_argument(fmt::format("{} is not JSON", what));
    return *std::move(value);
}

} // namespace

std::string_view to_string(LogLevel level) {
    return log_levels.at(static_cast<std::size_t>(level));
}

std::optional<LogLevel> to_log_level(std::string_view word) {
    for (std::size_t i = 0; i < log_levels.size(); ++i)
        if (log_levels[i] == word) return static_cast<LogLevel>(i);
    return std::nullopt;
}

json::object parameters_of(const InputRequest& request) {
    auto params = agent::parse_json(request.params_json);
    if (!params || !params->is_object())
        throw std::invalid_argument("the parameters of a request must be a JSON object");
    return std::move(params->get_object());
}

std::optional<json::object> missing_capability(const json::object& capabilities,
                                               const InputRequest& request) {
    if (request.method == "elicitation/create") {
        const json::object* elicitation = object_in(capabilities, "elicitation");
        const auto params = agent::parse_json(request.params_json);
        const bool is_url =
            params && params->is_object() && string_in(params->get_object(), "mode") == "url";
        // An empty capability means forms.
        const std::string_view mode = is_url ? "url" : "form";
        if (elicitation != nullptr &&
            (elicitation->contains(mode) || (!is_url && !elicitation->contains("url"))))
            return std::nullopt;
        if (!is_url) return json::object{{"elicitation", json::object{}}};
        return json::object{{"elicitation", json::object{{"url", json::object{}}}}};
    }
    if (request.method == "sampling/createMessage") {
        if (capabilities.contains("sampling")) return std::nullopt;
        return json::object{{"sampling", json::object{}}};
    }
    if (request.method == "roots/list") {
        if (capabilities.contains("roots")) return std::nullopt;
        return json::object{{"roots", json::object{}}};
    }
    return json::object{};
}

void require_capabilities(const json::object& capabilities,
                          const std::vector<InputRequest>& requests) {
    for (const InputRequest& request : requests)
        if (auto missing = missing_capability(capabilities, request))
            throw MissingCapability(fmt::format("the client does not support {}", request.method),
                                    *std::move(missing));
}

const PeerInfo& Exchange::client() const { return source_.client(); }
const std::string& Exchange::session() const { return source_.session(); }
std::stop_token Exchange::stop() const { return source_.stop(); }

void Exchange::progress(double done, std::optional<double> total, std::string_view message) {
    source_.progress(done, total, message);
}

void Exchange::log(LogLevel level, std::string_view logger, std::string_view data_json) {
    source_.log(level, logger, parsed(data_json, "the data of a log message"));
}

bool Exchange::can_elicit() const { return can_ask("elicitation/create"); }
bool Exchange::can_ask(std::string_view method) const { return source_.can_ask(method); }
bool Exchange::waits_for_answers() const { return source_.waits_for_answers(); }
bool Exchange::continue_as_task() { return source_.continue_as_task(); }

void Exchange::require_task() {
    if (!continue_as_task())
        throw MissingCapability("the client does not support tasks", tasks_capability());
}

ElicitResult Exchange::elicit(
    std::string_view key, std::string_view message, std::string_view schema_json,
    // NOLINTNEXTLINE(performance-unnecessary-value-param): as all stop tokens of the interface
    std::stop_token until) {
    const json::value schema = parsed(schema_json, "the schema of a question");
    const json::object params{{"message", message}, {"requestedSchema", schema}};
    const std::vector<json::object> results =
        source_.ask({{.key = std::string(key),
                      .method = "elicitation/create",
                      .params_json = json::serialize(params)}},
                    until);
    const json::object& result = results.at(0);
    const auto action = string_in(result, "action");
    if (action == "decline") return {.action = ElicitResult::Action::decline};
    if (action == "cancel") return {.action = ElicitResult::Action::cancel};
    if (action != "accept")
        throw Error(errc::invalid_params,
                    fmt::format("the answer to \"{}\" has no valid \"action\"", key));
    const json::object* content = object_in(result, "content");
    const json::object none;
    if (content == nullptr) content = &none;
    if (const auto problem = schema_mismatch(*content, schema))
        throw Error(errc::invalid_params, fmt::format("the answer to \"{}\": {}", key, *problem));
    return {.action = ElicitResult::Action::accept, .content_json = agent::to_text(*content)};
}

std::string Exchange::sample(std::string_view key, std::string_view params_json) {
    return ask({{.key = std::string(key),
                 .method = "sampling/createMessage",
                 .params_json = std::string(params_json)}})
        .at(0);
}

std::vector<std::string> Exchange::ask(const std::vector<InputRequest>& requests) {
    std::vector<std::string> texts;
    for (const json::object& result : source_.ask(requests, {}))
        texts.push_back(agent::to_text(result));
    return texts;
}

const std::string& Exchange::request_state() const { return source_.request_state(); }
void Exchange::set_request_state(std::string state) { source_.set_request_state(std::move(state)); }

} // namespace eyehand::mcp
