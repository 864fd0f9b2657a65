// The panel: a local web page that shows a run while it goes on, and lets whoever has its address hold
// it, step it, tell it something, allow its actions and stop it.
//
//     panel::Panel panel;
//     std::puts(panel.url().c_str());
//     const auto observer = panel.show(directory, control, profile);
//     agent.run(task, directory, control, observer.get());
//
// Link eyehand::panel. Who reaches the page can work the desktop through the agent, so that it listens
// only to this machine unless told otherwise, and asks for the token that is in its address.
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

/// What its clients may take. Who exceeds them is refused, or dropped.
struct PanelLimits {
    std::size_t connections = 32;
    std::uint32_t header_bytes = 16U << 10U;
    std::size_t body_bytes = std::size_t{128} << 10U;
    std::size_t picture_bytes = std::size_t{64} << 20U; ///< of the body that brings a picture
    std::chrono::milliseconds request_time{10000};      ///< until one has arrived
    std::chrono::milliseconds write_time{10000};        ///< without progress; of an event: in all
    std::chrono::milliseconds heartbeat{10000};         ///< of a stream that has no news
};

/// Who may use the panel.
enum class PanelAccess {
    with_token, ///< who knows its address
    anybody, ///< any program of this machine: for clients that know no token; pages of other sites
             ///< are refused nevertheless
};

struct PanelOptions {
    std::string host = "127.0.0.1"; ///< to listen at; another machine's programs need another one
    std::uint16_t port = 0;         ///< 0: any free one
    PanelAccess access = PanelAccess::with_token;
    std::optional<std::string> cors_origin{}; ///< of pages that may use it besides its own, as
                                              ///< browsers send it: "http://localhost:3000"
    PanelLimits limits{};
};

/// The settings of a panel, for programs that have a configuration: panel, host, port, panel_cors and
/// panel_compat.
[[nodiscard]] EYEHAND_PANEL_API std::span<const agent::SettingSpec> setting_specs();

/// Owns one thread, on which it serves. Thread-safe. It shows one run at a time, the one that was
/// given last, also when that has ended; where something is wrong with the panel, the run goes on.
class EYEHAND_PANEL_API Panel {
public:
    /// Listens. Throws Error{panel_failed}: the port is taken, or the host is none of this machine's.
    explicit Panel(PanelOptions options = {});
    ~Panel();
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    /// With the token: whoever is given it may do what the page can.
    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::uint16_t port() const;

    /// Shows a run that is about to begin, or to go on. The observer is for `Agent::run` or `resume`;
    /// while it exists, the page can use the control, which must outlive it. `annotation` is the agent's
    /// option: with Source::client the page draws. The observer may outlive the panel.
    [[nodiscard]] std::unique_ptr<agent::Observer>
    show(const agent::RunDirectory& directory, agent::RunControl& control,
         const agent::Profile& profile, agent::Source annotation = agent::Source::library);
    /// Shows a run as its directory tells of it, without anything to control it by: one that is over,
    /// or one that another program is working on, of which news is looked for twice a second. Throws
    /// Error{bad_run} when there is no run; what cannot be read of its journal is left out.
    void show(const std::filesystem::path& run);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::panel
