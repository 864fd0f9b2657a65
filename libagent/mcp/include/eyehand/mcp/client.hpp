// A client of the Model Context Protocol: uses the tools of a server, which is a program started by
// the client or a remote endpoint.
//
//     mcp::Client files({.name = "files", .command = {"npx", "@modelcontextprotocol/server-filesystem", "."}});
//     toolbox.add(files); // as files__read_file, files__list_directory, ...
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/setting.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"
#include "eyehand/mcp/content.hpp"
#include "eyehand/mcp/error.hpp"
#include "eyehand/vlm/proxies.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::mcp {

/// Asks the user for a server: `message` and `schema_json`, which describes the answer, are untrusted. May block; the
/// end of the client waits for it. Must not use the client.
using ElicitHandler =
    std::function<ElicitResult(const std::string& message, const std::string& schema_json)>;

/// How to reach a server: exactly one of `command` and `url`.
struct ClientOptions {
    std::string name{};                 ///< letters, digits, "_" and "-": the prefix of its tools
    std::vector<std::string> command{}; ///< program and arguments, UTF-8; no shell
    std::filesystem::path folder{};     ///< working directory of the program; empty: this process's
    /// Added to a minimal environment (PATH, HOME, TEMP and the like): the program does not inherit
    /// this process's other variables, which may contain keys.
    std::map<std::string, std::string> environment{};
    std::string url{}; ///< http:// or https://
    std::map<std::string, std::string>
        headers{}; ///< such as Authorization; never sent to another host
    std::optional<std::vector<std::string>>
        allowed_tools{};                              ///< of the server's names; not set: all
    std::chrono::milliseconds connect_timeout{30000}; ///< until the server has answered first
    std::chrono::milliseconds call_timeout{120000};   ///< without progress
    std::size_t max_message_bytes = std::size_t{16} << 20U;
    /// A server that ends is started again at the next call, at most this many times in a row.
    int max_restarts = 3;
    /// Receives lines that the program writes to standard error, and remarks about restarts, on a thread of
    /// the client.
    std::function<void(std::string_view line)> on_log{};
    ElicitHandler on_elicit{}; ///< empty: questions of the server to the user are declined
    vlm::Proxies proxies{};    ///< for `url`
    std::string ca_file{};     ///< PEM, UTF-8; authorities besides the system's, for https
};

struct RemoteTool {
    std::string name{}; ///< the server's
    std::string title{};
    std::string description{};
    std::string input_schema_json{};
    std::optional<bool> read_only{}; ///< as the server claims: untrusted
};

struct Progress {
    double done = 0;
    std::optional<double> total{};
    std::string message{};
};

/// One connection, made at the first use, and made again after it is lost. Thread-safe.
class EYEHAND_MCP_API Client {
public:
    /// Throws std::invalid_argument for options that contradict each other.
    explicit Client(ClientOptions options);
    ~Client(); ///< ends the server: closes its input, then terminates its processes
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// The tools that the server offers now, and `allowed_tools` permits. Throws Error.
    [[nodiscard]] std::vector<RemoteTool> tools(std::stop_token stop = {});
    /// Calls a tool. A failure of the tool is a result with `is_error`; throws Error if the server
    /// cannot be reached, dies, breaks the protocol or takes too long.
    [[nodiscard]] CallResult call(std::string_view tool, std::string_view arguments_json,
                                  std::stop_token stop = {},
                                  const std::function<void(const Progress&)>& on_progress = {});
    /// Calls `changed` when the server says that its tools have changed, on a thread of the client; `changed` must not
    /// use the client.
    void on_tools_changed(std::function<void()> changed);
    /// The revision in use, such as "2026-07-28"; empty before the first use.
    [[nodiscard]] std::string revision() const;
    [[nodiscard]] const ClientOptions& options() const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Adds the server's tools to a toolbox as NAME__TOOL, with their schemas; returns these names. So
/// does `toolbox.add(client)`. The toolbox does not change later: a call of a tool that has
/// vanished meanwhile is a failed result, and new tools count from the next run on. Each call asks
/// the guard (EffectKind::program, default: ask) and its results count as untrusted. The client
/// must outlive the toolbox and its copies. Throws Error if the server cannot be reached, and
/// agent::Error{duplicate_tool}.
EYEHAND_MCP_API std::vector<std::string> add_tools(agent::Toolbox& toolbox, Client& client);

/// Reads servers from JSON: an object with names as members, in the form that is common among clients:
/// {"files": {"command": "npx", "args": [...], "env": {...}}, "web": {"url": "https://...", "headers": {...}}}, with
/// the additional members "cwd", "allowedTools", "timeout" (seconds), "disabled". Throws Error{bad_config}, naming `where`.
[[nodiscard]] EYEHAND_MCP_API std::vector<ClientOptions> parse_servers(std::string_view json,
                                                                       const std::string& where);

/// The setting `mcp_servers`, whose value `parse_servers` reads. Only a file that the user names or trusts may set it.
[[nodiscard]] EYEHAND_MCP_API std::span<const agent::SettingSpec> setting_specs();

} // namespace eyehand::mcp
