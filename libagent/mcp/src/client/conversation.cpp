#include "client/conversation.hpp"

#include "eyehand/base/stoppable_wait.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eyehand::mcp {
namespace {

constexpr std::size_t max_questions = 16; // at the same time; a person answers one at a time

std::optional<double> number_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    return value->to_number<double>();
}

Progress read_progress(const json::object& params) {
    Progress progress;
    progress.done = number_in(params, "progress").value_or(0);
    progress.total = number_in(params, "total");
    progress.message = string_in(params, "message").value_or("");
    return progress;
}

/// Adds the defaults of the requested schema for members that the answer leaves out.
void add_defaults(const json::object& schema, json::object& content) {
    const json::object* properties = object_in(schema, "properties");
    if (properties == nullptr) return;
    for (const auto& [name, property] : *properties) {
        const json::object* described = property.if_object();
        const json::value* value =
            described != nullptr ? described->if_contains("default") : nullptr;
        if (value != nullptr && !content.contains(name)) content[name] = *value;
    }
}

RpcResponse error_response(RequestId id, std::int64_t code, std::string message) {
    return {.id = std::move(id), .outcome = RpcError{.code = code, .message = std::move(message)}};
}

} // namespace

json::object answer_elicitation(const json::object& params, const ElicitHandler& handler) {
    json::object answer{{"action", "decline"}};
    // A client must not open an address for the user without consent: such questions are declined.
    if (!handler || string_in(params, "mode").value_or("form") != "form") return answer;
    static const json::object none;
    const json::object* schema = object_in(params, "requestedSchema");
    const ElicitResult result = handler(std::string(string_in(params, "message").value_or("")),
                                        json::serialize(schema != nullptr ? *schema : none));
    if (result.action == ElicitResult::Action::cancel) answer["action"] = "cancel";
    if (result.action != ElicitResult::Action::accept) return answer;
    answer["action"] = "accept";
    json::object content;
    if (const auto given = agent::parse_json(result.content_json); given && given->is_object())
        content = given->get_object();
    if (schema != nullptr) add_defaults(*schema, content);
    answer["content"] = std::move(content);
    return answer;
}

// --- Requests that wait ---------------------------------------------------------------------------

Conversation::Waiting::Waiting(Conversation& conversation, RequestId id)
    : conversation_(conversation), id_(std::move(id)) {
    const std::lock_guard lock(conversation_.mutex_);
    conversation_.waiting_[id_] = this;
    state_.failure = conversation_.failure_;
}

Conversation::Waiting::~Waiting() {
    const std::lock_guard lock(conversation_.mutex_);
    conversation_.waiting_.erase(id_);
}

bool Conversation::Waiting::is_answered(ProgressDeadline& deadline,
                                        const std::function<void(const Progress&)>& on_progress) {
    std::optional<Progress> progress;
    bool answered = false;
    {
        const std::lock_guard lock(conversation_.mutex_);
        progress = std::exchange(state_.progress, std::nullopt);
        answered = state_.response.has_value() || state_.failure.has_value();
    }
    if (progress) {
        deadline.extend();
        if (on_progress) on_progress(*progress);
    }
    return answered;
}

std::optional<RpcResponse> Conversation::Waiting::take() {
    const std::lock_guard lock(conversation_.mutex_);
    if (state_.response) return std::exchange(state_.response, std::nullopt);
    if (state_.failure) throw *state_.failure;
    return std::nullopt;
}

RpcResponse Conversation::Waiting::wait(const std::stop_token& stop, ProgressDeadline& deadline,
                                        const std::function<void(const Progress&)>& on_progress) {
    const std::string& server = conversation_.server_;
    while (!is_answered(deadline, on_progress)) {
        if (stop.stop_requested())
            throw Error(errc::cancelled, fmt::format("the request to {} was canceled", server));
        if (deadline.is_over())
            throw Error(errc::timeout,
                        fmt::format("{} did not answer within {} ms: raise the timeout, or look at "
                                    "the log of the server",
                                    server, deadline.limit().count()));
        std::unique_lock lock(conversation_.mutex_);
        conversation_.changed_.wait_until(
            lock, std::min(deadline.end(), WaitClock::now() + base::stop_poll_interval),
            [&] { return state_.response || state_.failure || state_.progress; });
    }
    return *take();
}

// --- The conversation -----------------------------------------------------------------------------

Conversation::Conversation(std::string server, ServerEvents events, std::size_t max_message_bytes)
    : server_(std::move(server)), events_(std::move(events)),
      max_message_bytes_(max_message_bytes) {}

Conversation::~Conversation() {
    for (Handling& it : handling_) it.thread.join();
}

void Conversation::log(std::string_view line) const {
    if (events_.log) events_.log(line);
}

void Conversation::receive(std::string_view message, const Send& send) {
    if (message.size() > max_message_bytes_)
        throw Error(errc::message_too_large, fmt::format("{} sent a message of more than {} bytes",
                                                         server_, max_message_bytes_));
    RpcMessage parsed = parse_message(message, max_message_bytes_);
    if (auto* response = std::get_if<RpcResponse>(&parsed))
        take_response(std::move(*response));
    else if (const auto* notification = std::get_if<RpcNotification>(&parsed))
        take_notification(*notification);
    else if (auto* request = std::get_if<RpcRequest>(&parsed))
        answer(std::move(*request), send);
    else
        throw Error(errc::bad_message, fmt::format("{} sent an invalid message: {}", server_,
                                                   std::get<RpcMistake>(parsed).error.message));
}

void Conversation::take_response(RpcResponse response) {
    std::unique_lock lock(mutex_);
    if (!response.id) {
        // It could not read one of our messages, but does not say which: with several requests in progress,
        // or after a notification, it may be none of them.
        const auto* error = std::get_if<RpcError>(&response.outcome);
        RpcError problem = error != nullptr ? *error : RpcError{};
        if (waiting_.size() != 1) {
            lock.unlock();
            log(fmt::format("an error without the id of a request: {}",
                            agent::shorten(agent::one_line(problem.message), 2000)));
            return;
        }
        auto& [id, waiting] = *waiting_.begin();
        waiting->state_.response = RpcResponse{.id = id, .outcome = std::move(problem)};
    } else if (const auto found = waiting_.find(*response.id); found != waiting_.end()) {
        // The first response counts. One without a request belongs to a request that was canceled.
        if (!found->second->state_.response) found->second->state_.response = std::move(response);
    }
    changed_.notify_all();
}

void Conversation::take_notification(const RpcNotification& notification) {
    if (notification.method == "notifications/progress") {
        const json::value* token = notification.params.if_contains("progressToken");
        const std::optional<RequestId> id = token != nullptr ? to_request_id(*token) : std::nullopt;
        if (!id) return;
        const std::lock_guard lock(mutex_);
        if (const auto found = waiting_.find(*id); found != waiting_.end()) {
            found->second->state_.progress = read_progress(notification.params);
            changed_.notify_all();
        }
    } else if (notification.method == "notifications/tools/list_changed") {
        if (events_.tools_changed) events_.tools_changed();
    } else if (notification.method == "notifications/message") {
        const json::value* data = notification.params.if_contains("data");
        if (data == nullptr) return;
        const std::string text =
            data->is_string() ? std::string(data->get_string()) : json::serialize(*data);
        log(agent::shorten(agent::one_line(text), 2000));
    }
}

void Conversation::answer(RpcRequest request, const Send& send) {
    if (request.method == "ping") {
        send(write_message(RpcResponse{.id = request.id, .outcome = json::object()}));
    } else if (request.method == "elicitation/create" && !events_.elicit) {
        send(write_message(RpcResponse{
            .id = request.id, .outcome = answer_elicitation(request.params, events_.elicit)}));
    } else if (request.method == "elicitation/create") {
        answer_on_a_thread(std::move(request), send);
    } else {
        send(write_message(error_response(request.id, rpc_code::method_not_found,
                                          "this client does not support the method")));
    }
}

/// A person may take minutes to answer, while further messages arrive.
void Conversation::answer_on_a_thread(RpcRequest request, const Send& send) {
    const std::lock_guard lock(mutex_);
    std::erase_if(handling_, [](Handling& it) {
        if (!*it.done) return false;
        it.thread.join();
        return true;
    });
    if (handling_.size() >= max_questions) {
        send(write_message(
            error_response(request.id, rpc_code::internal_error, "too many questions at once")));
        return;
    }
    auto done = std::make_shared<std::atomic<bool>>(false);
    std::thread thread([this, done, send, request = std::move(request)] {
        RpcResponse response{.id = request.id, .outcome = json::object()};
        try {
            response.outcome = answer_elicitation(request.params, events_.elicit);
        } catch (const std::exception& exception) {
            response = error_response(request.id, rpc_code::internal_error, exception.what());
        }
        try {
            send(write_message(response));
        } catch (const std::exception& exception) {
            log(exception.what());
        }
        *done = true;
    });
    handling_.push_back({std::move(done), std::move(thread)});
}

void Conversation::fail(const Error& reason) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = reason;
    for (auto& [id, waiting] : waiting_)
        if (!waiting->state_.failure) waiting->state_.failure = reason;
    changed_.notify_all();
}

bool Conversation::has_failed() const {
    const std::lock_guard lock(mutex_);
    return failure_.has_value();
}

} // namespace eyehand::mcp
