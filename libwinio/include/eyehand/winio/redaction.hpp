// Keeps windows and areas of the desktop out of screenshots.
//
//     Redaction redaction;
//     redaction.windows.push_back({.process = "keepassxc"});
//     RedactingCapturer capturer(desktop->open_capturer({}), desktop->windows(), redaction);
//     capturer.capture(area, frame); // black where the windows of keepassxc are visible
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/frame.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace eyehand::winio {

/// What is black in frames.
struct Redaction {
    /// All windows that match one of them. The process "keepassxc" includes "keepassxc.exe".
    std::vector<WindowQuery> windows{};
    std::vector<Rect> areas{};    ///< desktop pixels
    bool password_fields = false; ///< those that the back-end tells (`Windows::password_fields`)
    /// Further windows, chosen from the list of all; may be empty. Called on the thread of the
    /// capturer.
    std::function<std::vector<WindowId>(std::span<const WindowInfo> windows)> more_windows{};

    /// Whether it needs a desktop that lists its windows.
    [[nodiscard]] bool needs_windows() const {
        return !windows.empty() || more_windows || password_fields;
    }
};

/// The parts of the desktop that a redaction hides except password fields: its areas, and the parts of
/// its windows that no other window hides (`WindowInfo::opaque`). `windows`: all, topmost first. Desktop pixels;
/// the rectangles do not overlap within a window. Minimized windows are not visible.
[[nodiscard]] EYEHAND_WINIO_API std::vector<Rect>
redacted_areas(const Redaction& redaction, std::span<const WindowInfo> windows);

/// Makes areas (desktop pixels) of a frame black. The pointer of the frame does not change.
EYEHAND_WINIO_API void black_out(Frame& frame, std::span<const Rect> areas);

/// Captures with another capturer, and blacks out what the redaction hides. Lists the windows before
/// and after each capture. If a window has moved, opened, closed or come to the front in between, the
/// windows of the redaction are black where others hide them, too, and along their way.
///
/// Limitations: a window that opens and closes during one capture; a window that the system still
/// shows after it has moved or closed, as animations do; and copies of a window in others, such as the
/// preview of a task bar.
class EYEHAND_WINIO_API RedactingCapturer final : public Capturer {
public:
    /// `windows` may be null if the redaction has only areas, and must outlive the capturer. Throws
    /// std::invalid_argument if the redaction has windows and `windows` is null.
    RedactingCapturer(std::unique_ptr<Capturer> inner, Windows* windows, Redaction redaction);

    /// Throws what the inner capturer and `Windows::list` throw. The frame is then undefined.
    void capture(const Rect& area, Frame& into) override;

    /// What the latest capture blacked out within its area; desktop pixels.
    [[nodiscard]] const std::vector<Rect>& redacted() const { return redacted_; }

private:
    std::unique_ptr<Capturer> inner_;
    Windows* windows_;
    Redaction redaction_;
    std::vector<Rect> redacted_;
};

} // namespace eyehand::winio
