// The built-in tools, shared by all profiles.
#pragma once

#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"

namespace eyehand::agent {

/// Tools for the screen, mouse and keyboard, under these names; a profile can present them under
/// others:
///
///     observe, wait                              (), (seconds)
///     zoom                                       (region)
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
/// Points and boxes are normalized coordinates and are clamped; a click on a box hits its center.
[[nodiscard]] EYEHAND_AGENT_API Toolbox desktop_tools();

/// brief, archive, report, complete and confirm: tools for the communication between the roles of a
/// team. Their results carry signals (signal.hpp), which only the mode "team" uses.
[[nodiscard]] EYEHAND_AGENT_API Toolbox team_tools();

/// The tools of both.
[[nodiscard]] EYEHAND_AGENT_API Toolbox built_in_tools();

} // namespace eyehand::agent
