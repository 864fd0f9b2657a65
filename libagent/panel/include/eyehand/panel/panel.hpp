// The panel: a local web page that shows a run in progress. Its users can pause the run, step
// through it, send messages, approve actions and stop it.
//
//     panel::Panel panel;
//     std::puts(panel.url().c_str());
//     const auto observer = panel.show(directory, control, profile);
//     agent.run(task, directory, control, observer.get());
//
// Link eyehand::panel. Anyone with access to the page controls the desktop through the agent. By
// default, the panel therefore listens on the loopback address only and requires the token from the
// fragment of its URL ("http://127.0.0.1:8080/#token=...").
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/setting.hpp"
#include "eyehand/export.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace eyehand::panel {

/// Limits for the clients of a panel. A request that exceeds them is refused, or its connection is
/// closed.
struct PanelLimits {
    /// Of clients with access. Further requests of such clients are answered, but their connections
    /// are closed afterwards, and event streams are refused.
    std::size_t connections = 32;
    /// Connections without a request that has access; at least 1. A further one closes the one that
    /// has been idle the longest, so that idle connections cannot exclude the user.
    std::size_t unauthenticated_connections = 16;
    std::uint32_t header_bytes = 16U << 10U;
    std::size_t body_bytes = std::size_t{128} << 10U;
    std::size_t screenshot_bytes = std::size_t{64} << 20U; ///< of a body with a screenshot
    std::chrono::milliseconds request_time{10000}; ///< until a header, and until a body has arrived
    std::chrono::milliseconds write_time{10000};   ///< without progress; for an event: in total
    std::chrono::milliseconds heartbeat{10000};    ///< interval in an idle event stream
};

/// The clients that may use the panel.
enum class PanelAccess {
    with_token,    ///< clients with the token from the URL
    without_token, ///< any program of any user of this computer, for clients without token support;
                   ///< posts may have any content type; pages of other origins are still refused.
                   ///< Requires a loopback address
};

struct PanelOptions {
    std::string host = "127.0.0.1"; ///< to listen on; the default admits this computer only
    std::uint16_t port = 0;         ///< 0: any free port
    PanelAccess access = PanelAccess::with_token;
    /// The origin of other pages that may use the panel, as browsers send it:
    /// "http://localhost:3000".
    std::optional<std::string> cors_origin{};
    PanelLimits limits{};
};

/// The settings of a panel, for programs with a configuration: panel, host, port, panel_cors and
/// panel_compat.
[[nodiscard]] EYEHAND_PANEL_API std::span<const agent::SettingSpec> setting_specs();

/// Serves the page on a thread of its own. Thread-safe. Shows one run at a time: the one that was
/// passed last to `show`, also after it has ended. A failure of the panel does not affect the run.
class EYEHAND_PANEL_API Panel {
public:
    /// Starts to listen. Throws agent::Error{panel_failed} if the port is in use, the host is not an
    /// address of this computer, or access without a token is not limited to this computer.
    explicit Panel(PanelOptions options = {});
    ~Panel();
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    /// The address of the page, including the token: it gives full access.
    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::uint16_t port() const;

    /// Shows a run that is about to start or to resume. Pass the observer to `Agent::run` or
    /// `resume`; while it exists, the page can use the control, which must outlive the observer.
    /// `annotation` is the agent's option: with Source::client the page annotates the screenshots.
    /// The observer may outlive the panel.
    [[nodiscard]] std::unique_ptr<agent::Observer>
    show(const agent::RunDirectory& directory, agent::RunControl& control,
         const agent::Profile& profile, agent::Source annotation = agent::Source::library);
    /// Shows a run directory without controls: a run that has ended, or a run of another process,
    /// whose journal is read twice a second. Throws agent::Error{bad_run} if the directory contains
    /// no run. Unreadable entries of the journal are skipped.
    void show(const std::filesystem::path& run);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::panel
