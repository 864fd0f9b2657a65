// Offers a desktop to MCP clients: what `agent-cli mcp` serves.
//
//     const auto desktop = winio::open_desktop();
//     mcp::Server server({.name = "eyehand", .version = "0.1"});
//     mcp::DesktopServer tools(server, *desktop, {.runs = "runs"});
//     mcp::serve_stdio(server);
//
// Each session of a client is a run of an agent whose model is the client: every call passes the guard,
// the target check and the approval path, is journaled, and leaves a run directory with screenshots and
// a report.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/control.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"
#include "eyehand/mcp/server.hpp"
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/image_size.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace eyehand::mcp {

/// Runs a complete task with a model of its own, for the tool `run_task`. With a client that supports the
/// Tasks extension, the exchange belongs to a task.
using RunTask =
    std::function<CallResult(const std::string& task, int max_turns, Exchange& exchange)>;

/// Asks the client's user for the approvals of a run (`agent::Approvals::user`), while it exists; on a thread of
/// its own. For `RunTask`.
class EYEHAND_MCP_API ElicitedApprovals {
public:
    /// Whether the client can be asked during a call: it supports elicitation, and its call waits for answers.
    [[nodiscard]] static bool possible(const Exchange& exchange);
    /// `possible` must be true, and `exchange` outlive this object.
    ElicitedApprovals(agent::RunControl control, Exchange& exchange);
    ~ElicitedApprovals();
    ElicitedApprovals(const ElicitedApprovals&) = delete;
    ElicitedApprovals& operator=(const ElicitedApprovals&) = delete;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

struct DesktopServerOptions {
    std::filesystem::path runs{}; ///< parent of the run directories
    agent::AgentOptions agent{};  ///< guard, redaction, limits, area, ...
    agent::CoordinateConvention coordinates = agent::CoordinateConvention::image_pixels;
    winio::ImageSize image = winio::FitWithin{{1568, 1568}}; ///< of screenshots
    winio::ImageFormat image_format = winio::PngOptions{};   ///< of screenshots
    bool approve_by_elicitation = true; ///< ask the client's user, if the client supports it
    RunTask run_task{};                 ///< empty: the tool is not offered
    std::size_t max_sessions = 16; ///< beyond, the session that has been idle the longest is ended
    /// Called when a session begins: such as for a panel. The returned observer receives the run's events.
    std::function<std::unique_ptr<agent::Observer>(
        const agent::RunDirectory& run, agent::RunControl& control, const agent::Profile& profile)>
        on_session{};
};

/// Adds the tools, resources and prompts of a desktop to a server, and removes them in its destructor.
/// `server` and `desktop` must outlive it. Calls that act are executed one at a time.
class EYEHAND_MCP_API DesktopServer {
public:
    DesktopServer(Server& server, winio::Desktop& desktop, DesktopServerOptions options);
    /// Ends the sessions: their runs are completed and their reports written. Waits for calls in progress,
    /// also for those of `run_task`.
    ~DesktopServer();
    DesktopServer(const DesktopServer&) = delete;
    DesktopServer& operator=(const DesktopServer&) = delete;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The mode of a session's run, "mcp", and the tools that it can name: to replay such a run, pass them
/// to `agent::replay_run`.
[[nodiscard]] EYEHAND_MCP_API std::shared_ptr<const agent::ModeFactory> session_mode();
[[nodiscard]] EYEHAND_MCP_API agent::Toolbox session_tools();

} // namespace eyehand::mcp
