// The tools of a session and the profile of its run.
#pragma once

#include "eyehand/agent/profile.hpp"
#include "eyehand/mcp/desktop_server.hpp"
#include "eyehand/mcp/server.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace eyehand::mcp {

/// The profile of a session's run, without resolved coordinates.
[[nodiscard]] agent::Profile session_profile(const DesktopServerOptions& options);

/// `session_tools()` whose waits end when `canceled` returns true.
[[nodiscard]] agent::Toolbox session_tools_with(std::function<bool()> canceled);

/// What a tool does, for the client's decisions; by the name under which it is offered. Tools of the
/// caller are unknown.
[[nodiscard]] ToolAnnotations annotations_of(std::string_view tool);
/// For users: "Double-click".
[[nodiscard]] std::string title_of(std::string_view tool);
/// Whether a call of the tool returns effect, changes and a screenshot.
[[nodiscard]] bool is_acting(std::string_view tool);

} // namespace eyehand::mcp
