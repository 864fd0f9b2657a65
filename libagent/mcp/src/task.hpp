// A tool call that goes on after its request was answered: clients of the Tasks extension poll it
// (https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html).
#pragma once

#include "exchange_source.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::mcp {

/// The capability of a client or a server that supports the extension.
[[nodiscard]] json::object tasks_capability();
[[nodiscard]] bool supports_tasks(const json::object& capabilities);
/// Throws MissingCapability if the client does not support the extension.
void require_tasks(const json::object& capabilities);

/// Thread-safe.
class Task {
public:
    using Clock = std::chrono::steady_clock;

    /// `capabilities`: of the client. `stop`: of the call. `changed` is called after each change, on the thread
    /// that has made it.
    Task(json::object capabilities, std::stop_source stop,
         std::function<void(const Task&)> changed);

    [[nodiscard]] const std::string& id() const { return id_; }
    /// The members of a `Task` with those of its status, as the extension names them.
    [[nodiscard]] json::object state() const;
    void cancel();
    /// Takes answers to open requests; others are ignored.
    void update(const json::object& answers);

    // For its call.
    /// The message becomes that of the status.
    void progress(std::string_view message);
    /// Throws Error{cancelled}, Error{timeout}, Error{invalid_params}.
    [[nodiscard]] std::vector<json::object> ask(const std::vector<InputRequest>& requests,
                                                const std::stop_token& until);
    /// The handler has returned or failed. After cancel(), the task is canceled.
    void end(std::variant<json::object, RpcError> outcome);
    /// When it has ended; nothing: it has not.
    [[nodiscard]] std::optional<Clock::time_point> end_time() const;
    [[nodiscard]] std::size_t outcome_bytes() const;

private:
    void touch(); // with the lock

    const json::object capabilities_;
    const std::function<void(const Task&)> changed_;
    const std::string id_;
    const std::string created_;
    const Clock::time_point begin_ = Clock::now();
    std::stop_source stop_;
    mutable std::mutex mutex_;
    std::condition_variable news_;
    std::string updated_;
    std::string message_;
    json::object open_;          ///< requests without an answer, by key
    json::object answers_;       ///< that the handler has not taken yet, by key
    std::set<std::string> keys_; ///< of all requests so far: each is used once
    std::optional<std::variant<json::object, RpcError>> outcome_; ///< nothing after cancel()
    std::optional<Clock::time_point> end_time_;
    std::size_t outcome_bytes_ = 0;
};

/// The tasks of a server, also those that have ended recently. Thread-safe.
class TaskList {
public:
    void add(std::shared_ptr<Task> task);
    /// Null for an id that is unknown, or whose task has ended too long ago.
    [[nodiscard]] std::shared_ptr<Task> find(std::string_view id);

private:
    void forget_old(); // with the lock

    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Task>, std::less<>> tasks_;
};

} // namespace eyehand::mcp
