// The built-in tools, once for all profiles.
#pragma once

#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"

namespace eyehand::agent {

/// What eyes and hands can do, under these names; profiles give them their faces:
///
///     observe, wait                              (seconds)
///     click, double_click, right_click           (label, box)
///     drag                                       (label, start, end)
///     move, click_here                           (x, y), ()
///     scroll, scroll_here                        (box, direction, amount), (direction, amount)
///     scroll_down, scroll_up                     (amount): in the middle of the work area
///     type, paste_text                           (text)
///     press, hotkey, hold_key                    (key), (keys), (key, seconds)
///     list_windows, focus_window, launch_app     (), (title), (command)
///     read_clipboard                             ()
///
/// Points and boxes are normalised and clamped; a box is hit in its centre.
[[nodiscard]] EYEHAND_AGENT_API Toolbox desktop_tools();

/// brief, archive, report, complete and confirm, with which the roles of a team talk to each other:
/// their results carry signals (signal.hpp). Only the mode "team" heeds them.
[[nodiscard]] EYEHAND_AGENT_API Toolbox team_tools();

/// All of them.
[[nodiscard]] EYEHAND_AGENT_API Toolbox built_in_tools();

} // namespace eyehand::agent
