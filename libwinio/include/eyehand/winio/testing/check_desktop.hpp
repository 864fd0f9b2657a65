// A conformance suite for desktop back-ends, for any test framework.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

namespace eyehand::winio::testing {

/// Permissions of `check_desktop` beyond reading the screen and the windows. Each option disturbs a
/// user at the desktop, so all are off by default; the tests of a back-end turn all of them on.
struct CheckDesktopOptions {
    /// Moves the pointer to the corners and the center of each display, and back.
    bool moves_pointer = false;
    /// Replaces the clipboard's content, and restores text or an image. If the clipboard holds
    /// content that cannot be restored (files, for example), this is a finding and the clipboard is
    /// not changed.
    bool changes_clipboard = false;
    /// Focuses another window, and then the one that had the foreground. The order of the other
    /// windows changes. Does nothing unless there is a second window with a title that is neither
    /// minimized nor as large as a display.
    bool changes_focus = false;
    /// Maximum wait for delayed effects, such as a moved pointer. A long timeout does not delay a
    /// desktop that conforms.
    std::chrono::milliseconds timeout{5000};
};

/// A requirement that the desktop does not meet.
struct Finding {
    std::string requirement{}; ///< one of `desktop_requirements`
    std::string observed{};    ///< the desktop's behavior
    friend bool operator==(const Finding&, const Finding&) = default;
};
/// "requirement: observed".
EYEHAND_WINIO_API std::ostream& operator<<(std::ostream& out, const Finding& finding);

/// Checks a desktop against the documentation of Desktop, Capturer, Windows and Clipboard, as far as
/// that can be observed from outside. Returns the requirements that the desktop does not meet; empty
/// if it conforms. An exception that the documentation does not allow is a finding and is never
/// thrown. Presses no key and no button, closes no window and starts no program: it gives `launch`
/// only commands that must be refused.
///
/// The desktop needs a display. Call it on the desktop's thread, while nothing else changes displays,
/// windows, the clipboard or the pointer. Optional parts that the desktop lacks are not checked.
///
///     for (const auto& finding : testing::check_desktop(desktop, {.moves_pointer = true}))
///         std::cerr << finding << '\n';
[[nodiscard]] EYEHAND_WINIO_API std::vector<Finding>
check_desktop(Desktop& desktop, const CheckDesktopOptions& options = {});

/// Every requirement that `check_desktop` knows, in the order in which it checks them.
[[nodiscard]] EYEHAND_WINIO_API std::vector<std::string> desktop_requirements();

} // namespace eyehand::winio::testing
