// A server of the Model Context Protocol (https://modelcontextprotocol.io): offers tools, resources
// and prompts to the clients of language models.
//
//     mcp::Server server({.name = "thermostat", .version = "1.0"});
//     server.add(mcp::Tool{
//         .name = "set_temperature",
//         .description = "Sets the temperature of the room.",
//         .input_schema_json =
//             R"({"type":"object","properties":{"celsius":{"type":"number"}},"required":["celsius"]})",
//         .call = [&](agent::JsonView arguments, mcp::Exchange&) {
//             return mcp::text_result(set(arguments.find("celsius")->number()));
//         }});
//     mcp::serve_stdio(server); // until standard input ends
//
// Clients of the revisions 2026-07-28 (stateless) and 2025-11-25 to 2024-11-05 (with `initialize`) use the
// same server; the library hides the difference. docs/mcp.md describes what is supported.
#pragma once

#include "eyehand/agent/json_view.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"
#include "eyehand/mcp/content.hpp"
#include "eyehand/mcp/error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::mcp {

/// The program at the other end, as it describes itself: untrusted.
struct PeerInfo {
    std::string name{};
    std::string title{};
    std::string version{};
};

/// A request to the client: "elicitation/create", "sampling/createMessage" or "roots/list", with
/// parameters as in the specification. `key` names it within the request that is answered.
struct InputRequest {
    std::string key{};
    std::string method{};
    std::string params_json = "{}";
};

enum class LogLevel { debug, info, notice, warning, error, critical, alert, emergency };

/// One request of a client while it is answered. Valid during the call of its handler, on that thread,
/// except that `progress` and `log` may be called from any thread until then.
class EYEHAND_MCP_API Exchange {
public:
    class Source;
    explicit Exchange(Source& source) : source_(source) {}

    [[nodiscard]] const PeerInfo& client() const;
    /// Identifies the session: of a stdio connection, or of an HTTP session. With the stateless
    /// revision over HTTP, sessions do not exist: empty.
    [[nodiscard]] const std::string& session() const;
    /// The client canceled the request or disconnected, or the server stops. The answer is dropped. In a task:
    /// the client canceled it, or its connection (stdio) or the endpoint (HTTP) ends.
    [[nodiscard]] std::stop_token stop() const;
    /// Tells the client about progress, if it asked for that. In a task, `message` becomes its status.
    void progress(double done, std::optional<double> total = {}, std::string_view message = {});
    /// Sends a log message, if the client wants messages of this level. Tasks have no log messages.
    void log(LogLevel level, std::string_view logger, std::string_view data_json);

    /// Whether `elicit` is possible with this client.
    [[nodiscard]] bool can_elicit() const;
    /// Asks the user of the client. `key` names the question within this request. With a client of the
    /// stateless revision, the first call ends the handler by an exception that must not be caught (it
    /// does not derive from std::exception): the client asks the user, and repeats the request with the
    /// answer, so that the handler runs again from its start. Everything before this call must therefore
    /// be repeatable. A client that shows the question is told to close it when `until` is triggered. Throws
    /// Error{not_supported} if `can_elicit` is false, Error{cancelled}.
    [[nodiscard]] ElicitResult elicit(std::string_view key, std::string_view message,
                                      std::string_view schema_json, std::stop_token until = {});
    /// Asks the client's model (sampling): parameters and result as in the specification. The same
    /// rules as for `elicit`.
    [[nodiscard]] std::string sample(std::string_view key, std::string_view params_json);
    /// Whether the client accepts requests with this method.
    [[nodiscard]] bool can_ask(std::string_view method) const;
    /// Whether `elicit`, `sample` and `ask` return with the answer, so that the handler does not run again:
    /// in a task, and with clients of the revisions up to 2025-11-25. Then they, too, may be called from
    /// any thread while the handler runs. In a task, they throw Error{timeout} after five minutes: the client
    /// may have gone.
    [[nodiscard]] bool waits_for_answers() const;

    /// For a tool whose call takes minutes: answers the request now, with a task that the client polls and can
    /// cancel (the Tasks extension, io.modelcontextprotocol/tasks). The handler goes on: what it returns is the
    /// result of the task, and the messages of `progress` are its status. Clients that do not support the
    /// extension wait for the result; returns false. A task keeps its thread (`ServerOptions::max_calls`).
    bool continue_as_task();
    /// The same for a tool that cannot be called otherwise. Throws Error{not_supported} if the client does not
    /// support the extension.
    void require_task();
    /// Sends several requests at once and returns their results, JSON objects, in the same order. The
    /// same rules as for `elicit`.
    [[nodiscard]] std::vector<std::string> ask(const std::vector<InputRequest>& requests);
    /// What a handler that runs again finds of its earlier run, such as the id of a pending action. The
    /// client has returned it unchanged, with the same request and within a day: it is signed with a key
    /// of this server, which ends with the process. It could have returned it several times.
    [[nodiscard]] const std::string& request_state() const;
    void set_request_state(std::string state);

private:
    Source& source_;
};

/// What a tool does, for the client's decisions. Not set: unknown, which clients treat as the worst.
struct ToolAnnotations {
    std::optional<bool> read_only{};
    std::optional<bool> destructive{};
    std::optional<bool> idempotent{};
    std::optional<bool> open_world{};
};

struct Tool {
    std::string name{};
    std::string title{};
    std::string description{};
    std::string input_schema_json = R"({"type":"object"})";
    std::string output_schema_json{}; ///< of `CallResult::structured_json`; empty: none
    ToolAnnotations annotations{};
    /// `arguments` is an object that has passed the input schema. Exceptions: Error{invalid_params},
    /// Error{resource_not_found} and Error{not_supported} become protocol errors, any other
    /// std::exception a result with `is_error`.
    std::function<CallResult(agent::JsonView arguments, Exchange& exchange)> call{};
};

struct Resource {
    std::string uri{};
    std::string name{};
    std::string title{};
    std::string description{};
    std::string mime_type{};
    std::function<std::vector<ResourceContents>(Exchange& exchange)> read{};
};
/// Resources whose URIs match a template (RFC 6570, level 1: simple {variables}).
struct ResourceTemplate {
    std::string uri_template{};
    std::string name{};
    std::string title{};
    std::string description{};
    std::string mime_type{};
    /// Receives the URI. Throws Error{resource_not_found}.
    std::function<std::vector<ResourceContents>(std::string_view uri, Exchange& exchange)> read{};
};

struct PromptArgument {
    std::string name{};
    std::string description{};
    bool required = false;
};
struct PromptMessage {
    std::string role = "user"; ///< or "assistant"
    Content content{};
};
struct Prompt {
    std::string name{};
    std::string title{};
    std::string description{};
    std::vector<PromptArgument> arguments{};
    /// `arguments` is an object with strings; required ones are present.
    std::function<std::vector<PromptMessage>(agent::JsonView arguments, Exchange& exchange)> get{};
};

struct ServerOptions {
    std::string name{};
    std::string title{};
    std::string version{};
    std::string instructions{}; ///< for the model; may be empty
    /// Handlers run on threads of the server, at most this many at the same time; further requests
    /// wait, those beyond `max_waiting` are refused.
    std::size_t max_calls = 16;
    std::size_t max_waiting = 256;
    std::size_t max_message_bytes = std::size_t{16} << 20U;
    /// How long clients of the stateless revision may reuse lists of tools, resources and prompts.
    std::chrono::milliseconds list_ttl{0};
};

/// Thread-safe: what it offers may change at any time, and clients that asked for it are told. Must
/// outlive the transports that serve it.
class EYEHAND_MCP_API Server {
public:
    explicit Server(ServerOptions options);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Throw std::invalid_argument for an empty or duplicate name or URI, or a schema that is not a JSON
    /// object.
    void add(Tool tool);
    void add(Resource resource);
    void add(ResourceTemplate resources);
    void add(Prompt prompt);
    /// Offers all tools of a toolbox, which must not contain tools that return plans (those need a run:
    /// see desktop_server.hpp). `make_context` makes the environment of each call.
    void add(const agent::Toolbox& tools,
             std::function<agent::ToolContext(Exchange& exchange)> make_context);
    bool remove_tool(std::string_view name);
    bool remove_resource(std::string_view uri);
    bool remove_resource_template(std::string_view uri_template);
    bool remove_prompt(std::string_view name);
    /// Tells the clients that subscribed to the resource.
    void resource_updated(std::string_view uri);
    /// Calls `ended` when a session ends (`Exchange::session`): its connection or its HTTP session is
    /// gone, and its handlers have returned. On a thread of the server, or of the function that serves it.
    /// Set it before the server is served.
    void on_session_end(std::function<void(const std::string& session)> ended);

    [[nodiscard]] const ServerOptions& options() const;

    class Core; ///< for the transports of the library
    [[nodiscard]] Core& core() { return *core_; }

private:
    std::unique_ptr<Core> core_;
};

/// Serves one client over standard input and output until the input ends or `stop` is triggered: one
/// message per line, nothing else on standard output. Requests that run are then canceled and awaited.
/// The library writes nothing to standard error.
EYEHAND_MCP_API void serve_stdio(Server& server, std::stop_token stop = {});

struct HttpOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0; ///< 0: any free port
    std::string path = "/mcp";
    /// Required in the Authorization field ("Bearer ..."); empty: no token, which requires a loopback
    /// address. Host and Origin are always checked (DNS rebinding).
    std::string token{};
    std::vector<std::string> allowed_origins{}; ///< besides the server's own
    std::size_t max_connections = 64;
    std::size_t max_sessions = 64; ///< the one that has been idle the longest is ended
};

/// Serves clients over Streamable HTTP on threads of its own until it is destroyed.
class EYEHAND_MCP_API HttpEndpoint {
public:
    /// Throws Error{cannot_listen}.
    HttpEndpoint(Server& server, HttpOptions options);
    ~HttpEndpoint();
    HttpEndpoint(const HttpEndpoint&) = delete;
    HttpEndpoint& operator=(const HttpEndpoint&) = delete;
    [[nodiscard]] std::string url() const; ///< "http://127.0.0.1:8765/mcp"
    [[nodiscard]] std::uint16_t port() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::mcp
