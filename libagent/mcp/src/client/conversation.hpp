// The client's side of a conversation with a server, whatever carries the messages: the requests that wait for their
// responses, and what the server sends by itself.
#pragma once

#include "eyehand/mcp/client.hpp"
#include "json_rpc.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace eyehand::mcp {

using WaitClock = std::chrono::steady_clock;

/// A time limit that progress extends, but not forever.
class ProgressDeadline {
public:
    explicit ProgressDeadline(std::chrono::milliseconds limit)
        : limit_(limit), end_(WaitClock::now() + limit), last_(WaitClock::now() + limit * 30) {}
    void extend() { end_ = std::min(WaitClock::now() + limit_, last_); }
    [[nodiscard]] bool is_over() const { return WaitClock::now() >= end_; }
    [[nodiscard]] WaitClock::time_point end() const { return end_; }
    [[nodiscard]] std::chrono::milliseconds limit() const { return limit_; }

private:
    std::chrono::milliseconds limit_;
    WaitClock::time_point end_;
    WaitClock::time_point last_;
};

/// How to treat what the server sends by itself. All are called on threads of the client.
struct ServerEvents {
    std::function<void()> tools_changed{};
    ElicitHandler elicit{}; ///< empty: questions are declined
    std::function<void(std::string_view line)> log{};
};

/// The answer to a question of the server to the user: `params` are those of elicitation/create.
[[nodiscard]] json::object answer_elicitation(const json::object& params,
                                              const ElicitHandler& handler);

/// Thread-safe.
class Conversation {
public:
    /// Transmits a message to the server.
    using Send = std::function<void(const std::string& message)>;

    Conversation(std::string server, ServerEvents events, std::size_t max_message_bytes);
    ~Conversation(); ///< waits for handlers of questions
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

    [[nodiscard]] RequestId next_id() { return ++last_id_; }

    /// A request that waits for its response, from its construction on.
    class Waiting {
    public:
        Waiting(Conversation& conversation, RequestId id);
        ~Waiting();
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;

        /// Throws Error: `cancelled`, `timeout`, or the reason of `fail`.
        [[nodiscard]] RpcResponse wait(const std::stop_token& stop, ProgressDeadline& deadline,
                                       const std::function<void(const Progress&)>& on_progress);
        /// Without waiting; nothing if there is no response yet. Throws the reason of `fail`.
        [[nodiscard]] std::optional<RpcResponse> take();
        /// Whether there is a response; passes on progress.
        [[nodiscard]] bool is_answered(ProgressDeadline& deadline,
                                       const std::function<void(const Progress&)>& on_progress);

    private:
        friend class Conversation;
        struct State {
            std::optional<RpcResponse> response{};
            std::optional<Error> failure{};
            std::optional<Progress> progress{}; ///< the latest one that has not been passed on
        };
        Conversation& conversation_;
        RequestId id_;
        State state_;
    };

    /// Takes one message of the server. Throws Error: `bad_message`, `message_too_large`.
    void receive(std::string_view message, const Send& send);
    /// Ends the waits of all requests, also those that begin later.
    void fail(const Error& reason);
    [[nodiscard]] bool has_failed() const;
    void log(std::string_view line) const;
    [[nodiscard]] const std::string& server() const { return server_; }

private:
    void answer(RpcRequest request, const Send& send);
    void take_notification(const RpcNotification& notification);
    void take_response(RpcResponse response);
    void answer_on_a_thread(RpcRequest request, const Send& send);

    const std::string server_; ///< its name, for messages
    const ServerEvents events_;
    const std::size_t max_message_bytes_;
    std::atomic<std::int64_t> last_id_{0};
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<RequestId, Waiting*> waiting_;
    std::optional<Error> failure_;
    struct Handling {
        std::shared_ptr<std::atomic<bool>> done;
        std::thread thread;
    };
    std::vector<Handling> handling_;
};

} // namespace eyehand::mcp
