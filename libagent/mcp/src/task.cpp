#include "task.hpp"

#include "access.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "record/timestamp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eyehand::mcp {
namespace {

constexpr std::string_view extension = "io.modelcontextprotocol/tasks";
/// How often clients should ask.
constexpr std::chrono::milliseconds poll_interval{1000};
/// How long a client may take to answer: it may have gone without a word.
constexpr std::chrono::minutes max_answer_time{5};
/// How long the outcome of a task is kept. The oldest ones end sooner if all need more memory.
constexpr std::chrono::hours outcome_lifetime{1};
constexpr std::size_t max_outcome_bytes = std::size_t{64} << 20U;

} // namespace

json::object tasks_capability() {
    return {{"extensions", json::object{{extension, json::object{}}}}};
}

bool supports_tasks(const json::object& capabilities) {
    const json::object* extensions = object_in(capabilities, "extensions");
    return extensions != nullptr && object_in(*extensions, extension) != nullptr;
}

void require_tasks(const json::object& capabilities) {
    if (!supports_tasks(capabilities))
        throw MissingCapability("Missing required client capability", tasks_capability());
}

// ---- one task -----------------------------------------------------------------------------------

Task::Task(json::object capabilities, std::stop_source stop,
           std::function<void(const Task&)> changed)
    : capabilities_(std::move(capabilities)), changed_(std::move(changed)),
      id_(web::random_token()), created_(agent::timestamp()), stop_(std::move(stop)),
      updated_(created_) {}

void Task::touch() { updated_ = agent::timestamp(); }

json::object Task::state() const {
    const std::lock_guard lock(mutex_);
    json::object state{{"taskId", id_},         {"status", "working"},
                       {"createdAt", created_}, {"lastUpdatedAt", updated_},
                       {"ttlMs", nullptr},      {"pollIntervalMs", poll_interval.count()}};
    if (!message_.empty()) state["statusMessage"] = message_;
    if (end_time_) {
        const auto lifetime = *end_time_ - begin_ + outcome_lifetime;
        state["ttlMs"] = std::chrono::duration_cast<std::chrono::milliseconds>(lifetime).count();
        if (!outcome_) {
            state["status"] = "cancelled";
        } else if (const auto* error = std::get_if<RpcError>(&*outcome_)) {
            state["status"] = "failed";
            state["statusMessage"] = error->message;
            state["error"] = to_json(*error);
        } else {
            state["status"] = "completed";
            state["result"] = std::get<json::object>(*outcome_);
        }
    } else if (!open_.empty()) {
        state["status"] = "input_required";
        state["inputRequests"] = open_;
    }
    return state;
}

void Task::cancel() {
    stop_.request_stop();
    news_.notify_all();
}

void Task::update(const json::object& answers) {
    {
        const std::lock_guard lock(mutex_);
        bool is_new = false;
        for (const auto& [key, answer] : answers) {
            if (!open_.contains(key)) continue;
            answers_[key] = answer;
            open_.erase(key);
            is_new = true;
        }
        if (!is_new) return;
        touch();
    }
    news_.notify_all();
    changed_(*this);
}

void Task::end(std::variant<json::object, RpcError> outcome) {
    const auto* result = std::get_if<json::object>(&outcome);
    const std::size_t bytes = result != nullptr ? json::serialize(*result).size() : 0;
    {
        const std::lock_guard lock(mutex_);
        outcome_bytes_ = bytes;
        if (!stop_.stop_requested()) outcome_ = std::move(outcome);
        end_time_ = Clock::now();
        open_.clear();
        touch();
    }
    changed_(*this);
}

std::optional<Task::Clock::time_point> Task::end_time() const {
    const std::lock_guard lock(mutex_);
    return end_time_;
}

std::size_t Task::outcome_bytes() const {
    const std::lock_guard lock(mutex_);
    return outcome_bytes_;
}

void Task::progress(std::string_view message) {
    if (message.empty()) return;
    {
        const std::lock_guard lock(mutex_);
        if (end_time_ || message_ == message) return;
        message_ = message;
        touch();
    }
    changed_(*this);
}

std::vector<json::object> Task::ask(const std::vector<InputRequest>& requests,
                                    const std::stop_token& until) {
    require_capabilities(capabilities_, requests);
    std::vector<json::object> asked;
    asked.reserve(requests.size());
    for (const InputRequest& request : requests)
        asked.push_back({{"method", request.method}, {"params", parameters_of(request)}});
    std::vector<std::string> keys;
    std::unique_lock lock(mutex_);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        std::string key = requests[i].key;
        for (int n = 2; !keys_.insert(key).second; ++n)
            key = fmt::format("{}_{}", requests[i].key, n);
        open_[key] = std::move(asked[i]);
        keys.push_back(std::move(key));
    }
    touch();
    lock.unlock();
    changed_(*this);
    lock.lock();
    const auto is_answered = [&] {
        return std::ranges::all_of(keys,
                                   [&](const std::string& key) { return answers_.contains(key); });
    };
    const auto deadline = Clock::now() + max_answer_time;
    // Polls the tokens: see eyehand/base/stoppable_wait.hpp.
    while (!is_answered() && !stop_.stop_requested() && !until.stop_requested() &&
           Clock::now() < deadline)
        news_.wait_for(lock, base::stop_poll_interval);
    std::vector<json::object> results;
    const bool answered = is_answered();
    std::string malformed;
    bool withdrawn = false;
    for (const std::string& key : keys) {
        withdrawn = open_.erase(key) > 0 || withdrawn;
        const json::value* answer = answers_.if_contains(key);
        if (answer == nullptr) continue;
        if (answer->is_object())
            results.push_back(answer->get_object());
        else
            malformed = key;
        answers_.erase(key);
    }
    if (withdrawn) touch();
    lock.unlock();
    if (withdrawn) changed_(*this);
    if (!answered && (stop_.stop_requested() || until.stop_requested()))
        throw Error(errc::cancelled, "the request was canceled");
    if (!answered) throw Error(errc::timeout, "the client did not answer within five minutes");
    if (!malformed.empty())
        throw Error(errc::invalid_params,
                    fmt::format("the answer to \"{}\" must be an object", malformed));
    return results;
}

// ---- all tasks ----------------------------------------------------------------------------------

void TaskList::add(std::shared_ptr<Task> task) {
    const std::lock_guard lock(mutex_);
    forget_old();
    const std::string id = task->id();
    tasks_.emplace(id, std::move(task));
}

std::shared_ptr<Task> TaskList::find(std::string_view id) {
    const std::lock_guard lock(mutex_);
    forget_old();
    const auto found = tasks_.find(id);
    return found != tasks_.end() ? found->second : nullptr;
}

void TaskList::forget_old() {
    std::vector<std::pair<Task::Clock::time_point, std::shared_ptr<Task>>> ended;
    for (const auto& [id, task] : tasks_)
        if (const auto end = task->end_time()) ended.emplace_back(*end, task);
    std::ranges::sort(ended, std::greater<>()); // the latest first
    const auto oldest = Task::Clock::now() - outcome_lifetime;
    std::size_t bytes = 0;
    for (const auto& [end, task] : ended) {
        bytes += task->outcome_bytes();
        if (end < oldest || bytes > max_outcome_bytes) tasks_.erase(task->id());
    }
}

} // namespace eyehand::mcp
