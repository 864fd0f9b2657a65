// The desktop at one moment, to be compared with another one.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/frame.hpp"

#include <optional>
#include <vector>

namespace eyehand::winio {

struct ScreenState {
    Frame frame{}; ///< as captured: without the pointer
    /// Topmost first; empty if they cannot be listed.
    std::optional<std::vector<WindowInfo>> windows{};
};

/// Captures `area`, and lists the windows, into `into`, whose memory is reused. Throws what the
/// capturer throws.
EYEHAND_WINIO_API void capture_state(Desktop& desktop, Capturer& capturer, const Rect& area,
                                     ScreenState& into);

/// The windows of the desktop, topmost first; empty if it has no list of windows, or cannot make one
/// at the moment.
[[nodiscard]] EYEHAND_WINIO_API std::optional<std::vector<WindowInfo>>
listed_windows(Desktop& desktop);

/// The topmost window at a point in desktop pixels; nullptr if no window is there.
[[nodiscard]] EYEHAND_WINIO_API const WindowInfo* window_at(const std::vector<WindowInfo>& windows,
                                                            Point at);

/// The window with the keyboard focus; nullptr if no window has it.
[[nodiscard]] EYEHAND_WINIO_API const WindowInfo*
foreground_window(const std::vector<WindowInfo>& windows);

/// The regions in which two captures of the same area differ, in desktop pixels; regions at most 8
/// pixels apart belong together. Carets are left out: regions at most 3 pixels wide (at 96 DPI) and
/// at most 64 high. The whole area if the captures show different areas.
[[nodiscard]] EYEHAND_WINIO_API std::vector<Rect> changed_regions(const Frame& before,
                                                                  const Frame& after, int dpi = 96);

} // namespace eyehand::winio
