// One client of a server: its messages become calls of handlers.
#pragma once

#include "core.hpp"
#include "exchange_source.hpp"
#include "revision.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::mcp {

/// The newest revision with `initialize`.
inline constexpr std::string_view newest_legacy_revision = "2025-11-25";
[[nodiscard]] bool is_legacy_revision(std::string_view revision);

/// The header fields of an HTTP request; nothing if a field is absent.
using HeaderFields = std::function<std::optional<std::string_view>(std::string_view name)>;

/// Whether a message is of the stateless revision: it names a revision itself, or its header does.
[[nodiscard]] bool is_stateless(const json::object& params, const HeaderFields* fields);

class Call;
class Task;
struct CallFacts;

/// Thread-safe.
class Session : public std::enable_shared_from_this<Session> {
public:
    Session(Server::Core& core, std::string id, std::shared_ptr<Outlet> events);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] const std::string& id() const { return id_; }
    /// Handles a message of the client. What belongs to its answer goes to `outlet`. `fields` is for
    /// HTTP, whose requests of the stateless revision repeat parts of the message in their header.
    void receive(RpcMessage message, const std::shared_ptr<Outlet>& outlet,
                 const HeaderFields* fields = nullptr);
    /// Ends the request of the server to which a malformed message is the response. Returns false if there
    /// is no such request.
    bool take_malformed_response(const RpcMistake& mistake);
    /// Changes the receiver of what belongs to no request.
    void set_events(std::shared_ptr<Outlet> events);
    /// The client does not receive the answers any more that go to `outlet`.
    void client_left(const std::shared_ptr<Outlet>& outlet);
    /// Cancels everything. Handlers may still run.
    void close();
    /// Waits until the handlers of a closed session have returned.
    void wait();
    [[nodiscard]] bool is_busy() const;
    /// Whether `initialize` has succeeded.
    [[nodiscard]] bool is_initialized() const;

    // For the server's core.
    void list_changed(ListKind kind);
    void resource_updated(std::string_view uri);
    void task_changed(const Task& task);

private:
    friend class Call;

    struct Subscription {
        std::shared_ptr<Outlet> outlet{};
        std::set<ListKind> lists{};
        std::set<std::string, std::less<>> uris{};
        std::set<std::string, std::less<>> tasks{}; ///< ids
    };
    /// A request of the server that waits for its answer.
    struct Asked {
        std::shared_ptr<Outlet> outlet{};
        std::optional<RpcResponse> answer{};
        bool lost = false;
    };
    using Handler = std::function<json::object(Exchange::Source& call)>;

    void take(RpcRequest request, const std::shared_ptr<Outlet>& outlet,
              const HeaderFields* fields);
    void take(const RpcNotification& notification);
    /// Returns whether a request of the server waits for it.
    bool take(RpcResponse response);
    void take_stateless(RpcRequest& request, const std::shared_ptr<Outlet>& outlet,
                        const HeaderFields* fields);
    void take_legacy(RpcRequest& request, const std::shared_ptr<Outlet>& outlet);
    [[nodiscard]] json::object initialize(const json::object& params);
    void listen(const RpcRequest& request, const std::shared_ptr<Outlet>& outlet,
                const json::object& client_capabilities);
    void start(const std::shared_ptr<Call>& call, Handler handler);
    /// A task for a call, which can be polled at once.
    [[nodiscard]] std::shared_ptr<Task> add_task(const CallFacts& facts,
                                                 const std::stop_source& stop,
                                                 const std::shared_ptr<Outlet>& outlet);
    void answer_with_task(const CallFacts& facts, const Task& task, Outlet& outlet) const;
    void run(Call& call, const Handler& handler);
    void cancel(const RequestId& id);
    void call_finished(Call& call);
    void finish_if_ended();

    /// Sends a request to the client and waits for its answer. `until` withdraws the request. Throws Error.
    [[nodiscard]] json::object ask(const std::string& method, json::object params,
                                   const std::shared_ptr<Outlet>& outlet,
                                   const std::stop_token& stop, const std::stop_token& until);

    Server::Core& core_;
    const std::string id_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Outlet> events_;
    std::map<RequestId, std::shared_ptr<Call>> calls_;
    /// Those whose handlers run, with the receiver of the answer that names them.
    std::map<std::shared_ptr<Task>, std::shared_ptr<Outlet>> tasks_;
    std::map<RequestId, Subscription> subscriptions_;
    std::map<std::int64_t, std::shared_ptr<Asked>> asked_;
    std::int64_t next_id_ = 1;
    std::size_t active_ = 0; ///< handlers that wait, run or answer
    bool closed_ = false;
    bool ending_ = false; ///< the end is being reported
    bool ended_ = false;
    // Of the revisions with `initialize`.
    std::string revision_;
    bool is_ready_ = false; ///< the client has sent `notifications/initialized`
    PeerInfo client_;
    json::object capabilities_;
    LogLevel log_level_ = LogLevel::info;
    std::set<std::string, std::less<>> uris_;
};

} // namespace eyehand::mcp
