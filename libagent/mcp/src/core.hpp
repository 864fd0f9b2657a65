// What a server offers, and what all its sessions share.
#pragma once

#include "eyehand/mcp/server.hpp"
#include "json_rpc.hpp"
#include "worker_pool.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::mcp {

class Session;
class Task;
class TaskList;

/// Where the messages for a client go that belong to one request, or to none. Thread-safe.
class Outlet {
public:
    virtual ~Outlet() = default;
    /// A notification or a request. False: the client is gone.
    virtual bool send(std::string message) = 0;
    /// The response, after which nothing follows. The status is for HTTP.
    virtual void finish(std::string message, unsigned http_status) = 0;
    /// There is no response.
    virtual void drop() = 0;
};

/// An argument that a client over HTTP repeats in a header field (x-mcp-header).
struct HeaderArgument {
    std::vector<std::string> path{}; ///< names of members
    std::string field{};             ///< "Mcp-Param-..."
};

struct OfferedTool {
    Tool tool{};
    json::value input_schema{};
    std::optional<json::value> output_schema{};
    std::vector<HeaderArgument> headers{};
};

/// What a server offers at one time. Immutable.
struct Catalog {
    std::vector<std::shared_ptr<const OfferedTool>> tools{};
    std::vector<std::shared_ptr<const Resource>> resources{};
    std::vector<std::shared_ptr<const ResourceTemplate>> templates{};
    std::vector<std::shared_ptr<const Prompt>> prompts{};
    /// Capabilities do not end with the last of their kind.
    bool has_had_resources = false;
    bool has_had_prompts = false;
};

enum class ListKind { tools, resources, prompts };

/// Thread-safe.
class Server::Core {
public:
    explicit Core(ServerOptions options);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    [[nodiscard]] const ServerOptions& options() const { return options_; }

    void add(Tool tool);
    void add(Resource resource);
    void add(ResourceTemplate resources);
    void add(Prompt prompt);
    bool remove_tool(std::string_view name);
    bool remove_resource(std::string_view uri);
    bool remove_resource_template(std::string_view uri_template);
    bool remove_prompt(std::string_view name);
    void resource_updated(std::string_view uri);
    void on_session_end(std::function<void(const std::string&)> ended);

    /// A connection, an HTTP session, or a single stateless request (`id` is empty). `events` receives
    /// what belongs to no request; may be null.
    [[nodiscard]] std::shared_ptr<Session> open(std::string id, std::shared_ptr<Outlet> events);

    // For sessions.
    [[nodiscard]] std::shared_ptr<const Catalog> catalog() const;
    [[nodiscard]] bool submit(std::function<void()> job) { return pool_.submit(std::move(job)); }
    void forget(const Session* session);
    [[nodiscard]] TaskList& tasks() const { return *tasks_; }
    /// Tells the sessions whose clients watch the task.
    void task_changed(const Task& task);
    void session_ended(const std::string& id);
    /// Signs a text for a purpose, so that a client can keep it but not change it. Valid for a day.
    [[nodiscard]] std::string seal(std::string_view purpose, std::string_view text) const;
    /// Nothing if the text was changed, is for another purpose, or too old.
    [[nodiscard]] std::optional<std::string> unseal(std::string_view purpose,
                                                    std::string_view sealed) const;

private:
    template <class Change>
    void change(ListKind kind, const Change& make);
    [[nodiscard]] std::vector<std::shared_ptr<Session>> sessions() const;

    const ServerOptions options_;
    const std::string key_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Catalog> catalog_ = std::make_shared<const Catalog>();
    std::map<const Session*, std::weak_ptr<Session>> sessions_;
    std::function<void(const std::string&)> ended_;
    const std::unique_ptr<TaskList> tasks_;
    WorkerPool pool_; // last: its jobs use the other members
};

/// Whether a URI matches a template with simple {variables}, which stand for at least one character
/// other than "/".
[[nodiscard]] bool matches_template(std::string_view uri, std::string_view uri_template);

} // namespace eyehand::mcp
