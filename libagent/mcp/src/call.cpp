#include "call.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace eyehand::mcp {
namespace {

json::object parameters_of(const InputRequest& request) {
    auto params = agent::parse_json(request.params_json);
    if (!params || !params->is_object())
        throw std::invalid_argument("the parameters of a request must be a JSON object");
    return std::move(params->get_object());
}

} // namespace

void Call::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
}

std::string Call::sealed_state() const {
    const std::string& state = new_state_ ? *new_state_ : facts_.state;
    if (state.empty() && facts_.answers.empty()) return {};
    return session_->core_.seal(
        facts_.purpose,
        json::serialize(json::object{{"state", state}, {"answers", facts_.answers}}));
}

void Call::progress(double done, std::optional<double> total, std::string_view message) {
    if (!facts_.progress_token || !std::isfinite(done)) return;
    json::object params{{"progressToken", *facts_.progress_token}, {"progress", done}};
    if (total && std::isfinite(*total)) params["total"] = *total;
    if (!message.empty() && facts_.revision >= "2025-03-26") params["message"] = message;
    const std::lock_guard lock(mutex_);
    // The specification requires that it increases.
    if (ended_ || (latest_progress_ && done <= *latest_progress_)) return;
    latest_progress_ = done;
    outlet_->send(write_message(
        RpcNotification{.method = "notifications/progress", .params = std::move(params)}));
}

void Call::log(LogLevel level, std::string_view logger, json::value data) {
    if (!facts_.log_level || level < *facts_.log_level) return;
    json::object params{{"level", to_string(level)}, {"data", std::move(data)}};
    if (!logger.empty()) params["logger"] = logger;
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    outlet_->send(write_message(
        RpcNotification{.method = "notifications/message", .params = std::move(params)}));
}

bool Call::can_ask(std::string_view method) const {
    return !missing_capability({.method = std::string(method)});
}

std::optional<json::object> Call::missing_capability(const InputRequest& request) const {
    const json::object& has = facts_.capabilities;
    if (request.method == "elicitation/create") {
        const json::object* elicitation = object_in(has, "elicitation");
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
        if (has.contains("sampling")) return std::nullopt;
        return json::object{{"sampling", json::object{}}};
    }
    if (request.method == "roots/list") {
        if (has.contains("roots")) return std::nullopt;
        return json::object{{"roots", json::object{}}};
    }
    return json::object{};
}

std::vector<json::object> Call::ask(const std::vector<InputRequest>& requests,
                                    const std::stop_token& until) {
    for (const InputRequest& request : requests)
        if (auto missing = missing_capability(request))
            throw MissingCapability(fmt::format("the client does not support {}", request.method),
                                    *std::move(missing));
    if (stop_.stop_requested()) throw Error(errc::cancelled, "the request was canceled");
    std::vector<json::object> results;
    if (!facts_.is_stateless()) {
        for (const InputRequest& request : requests)
            results.push_back(session_->ask(request.method, parameters_of(request), outlet_,
                                            stop_.get_token(), until));
        return results;
    }
    json::object open;
    for (const InputRequest& request : requests) {
        const json::value* answer = facts_.answers.if_contains(request.key);
        if (answer == nullptr)
            open[request.key] =
                json::object{{"method", request.method}, {"params", parameters_of(request)}};
        else if (!answer->is_object())
            throw Error(errc::invalid_params,
                        fmt::format("the answer to \"{}\" must be an object", request.key));
        else
            results.push_back(answer->get_object());
    }
    if (!open.empty()) throw InputNeeded{std::move(open)};
    return results;
}

} // namespace eyehand::mcp
