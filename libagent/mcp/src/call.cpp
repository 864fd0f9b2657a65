#include "call.hpp"

#include "task.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace eyehand::mcp {

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

std::shared_ptr<Task> Call::task() const {
    const std::lock_guard lock(mutex_);
    return task_;
}

bool Call::waits_for_answers() const { return !facts_.is_stateless() || task(); }

bool Call::continue_as_task() {
    if (task()) return true;
    if (!facts_.is_stateless() || facts_.method != "tools/call" ||
        !supports_tasks(facts_.capabilities) || stop_.stop_requested())
        return false;
    auto task = session_->add_task(facts_, stop_, outlet_);
    const std::lock_guard lock(mutex_);
    ended_ = true;
    task_ = std::move(task);
    session_->answer_with_task(facts_, *task_, *outlet_);
    return true;
}

void Call::progress(double done, std::optional<double> total, std::string_view message) {
    if (const auto task = this->task()) return task->progress(message);
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
    return !missing_capability(facts_.capabilities, {.method = std::string(method)});
}

std::vector<json::object> Call::ask(const std::vector<InputRequest>& requests,
                                    const std::stop_token& until) {
    if (const auto task = this->task()) return task->ask(requests, until);
    require_capabilities(facts_.capabilities, requests);
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
