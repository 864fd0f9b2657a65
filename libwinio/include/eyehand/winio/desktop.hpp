// What a back-end implements: a screen to look at and a pair of hands to work it with.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/backend_registry.hpp"
#include "eyehand/winio/effect.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace eyehand::winio {

struct Display {
    std::string id{};   ///< stable while the display stays attached; what `--display` takes
    std::string name{}; ///< for people
    Rect bounds{};      ///< physical pixels of the virtual desktop
    int dpi = 96;       ///< 96 is 100 %
    bool primary = false;
};

struct CaptureOptions {
    bool pointer = true;          ///< deliver the pointer's shape and place with each frame
    bool layered_windows = false; ///< Win32: CAPTUREBLT, at the price of a flickering pointer
};

/// Reads the screen. Keeps buffers between calls; use it on the thread that opened it.
class EYEHAND_WINIO_API Capturer {
public:
    virtual ~Capturer() = default;
    /// Copies `area` (desktop pixels) into `into`, reusing its memory; what lies outside the
    /// desktop is black. Throws Error{capture_unavailable} when trying again may help,
    /// Error{capture_failed} when not, Error{no_display} without a display and
    /// std::invalid_argument for an area that is empty or larger than an image can be.
    virtual void capture(const Rect& area, Frame& into) = 0;
};

/// What became of a batch.
struct SendReport {
    std::size_t sent = 0;     ///< events given to the system
    std::size_t accepted = 0; ///< events it took, counted from the front
    std::string problem{};    ///< why not all, or empty
    std::error_code error{};  ///< the same for programs: `input_refused`, `input_not_permitted`
    [[nodiscard]] bool complete() const { return accepted == sent; }
};

enum class WindowState { normal, minimised, maximised };

struct WindowInfo {
    WindowId id{};
    std::string title{}; ///< UTF-8
    std::string window_class{};
    std::string process{};        ///< file name of the program, where it is known
    std::uint32_t process_id = 0; ///< 0 where it is not known
    Rect bounds{};                ///< desktop pixels
    WindowState state = WindowState::normal;
    bool foreground = false;
};

/// Describes a window: each part that is not empty has to fit, upper and lower case (of ASCII)
/// alike.
struct WindowQuery {
    std::string title{};        ///< a part of the title
    std::string window_class{}; ///< the whole class
    std::string process{};      ///< the whole file name of the program
};

/// The window that fits, among several the one whose title is just the one asked for, then the
/// topmost; nothing where none fits.
[[nodiscard]] EYEHAND_WINIO_API std::optional<WindowInfo>
find_window(std::span<const WindowInfo> windows, const WindowQuery& query);

/// The optional part of a desktop that knows its top-level windows.
class EYEHAND_WINIO_API Windows {
public:
    virtual ~Windows() = default;
    /// Visible top-level windows, topmost first.
    virtual std::vector<WindowInfo> list() = 0;
    /// Carries out a command. Throws Error{window_not_found}, Error{input_refused} or
    /// Error{input_not_permitted}.
    virtual void apply(const WindowCommand& command) = 0;
};

/// The optional part of a desktop that has a clipboard. Text is UTF-8. All throw
/// Error{clipboard_failed}.
class EYEHAND_WINIO_API Clipboard {
public:
    virtual ~Clipboard() = default;
    virtual std::string text() = 0; ///< empty when it holds no text
    /// Throws std::invalid_argument for text that is not UTF-8 or has a NUL character.
    virtual void set_text(std::string_view utf8) = 0;
    virtual std::optional<Image> image() = 0; ///< opaque pixels; nothing when it holds no image
    /// Throws std::invalid_argument for an empty image. Alpha is ignored.
    virtual void set_image(const ImageView& image) = 0;
    virtual bool holds_other() = 0; ///< nothing that `text` or `image` can read: files, say
    virtual void clear() = 0;
    /// What programs of this system expect between two lines of text; `text` and `set_text` take
    /// and give lines as they are.
    [[nodiscard]] virtual std::string_view line_break() const noexcept { return "\n"; }
};

/// Waits until a window fits and returns it. Throws Error{window_not_found} when none did within
/// `timeout`, naming those there are, and Error{cancelled}.
[[nodiscard]] EYEHAND_WINIO_API WindowInfo wait_for_window(Windows& windows,
                                                           const WindowQuery& query,
                                                           std::chrono::milliseconds timeout,
                                                           std::stop_token stop = {});

/// A screen with pointer and keyboard. Not thread-safe: one thread at a time.
///
/// A back-end implements the four pure functions, and the others if its system has what they need.
/// `testing::check_desktop` checks a back-end against this documentation.
class EYEHAND_WINIO_API Desktop {
public:
    virtual ~Desktop() = default;
    /// Enumerated afresh at each call; empty when there is none.
    virtual std::vector<Display> displays() = 0;
    /// Throws Error{not_supported} for a screen whose pixels it cannot read: on X11, of another depth
    /// than 24 bits.
    virtual std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) = 0;
    /// Gives the events to the system in one piece. Never sleeps, never throws for a refused event:
    /// the report says how many were taken.
    [[nodiscard]] virtual SendReport send(std::span<const InputEvent> events) = 0;
    /// Where the pointer is; nothing where that cannot be known.
    virtual std::optional<Point> pointer() = 0;
    /// Starts a program. Throws Error{launch_failed}, Error{not_supported} if this desktop cannot
    /// start programs (the default), and std::invalid_argument for a command that is not UTF-8 or
    /// has a NUL character.
    virtual void launch(const LaunchCommand& command);
    /// Two clicks at one place within this time are a double-click to programs; zero where that
    /// never happens. The default is 500 ms, the longest default of the usual systems and toolkits.
    /// A value that is too large is safe: InputExecutor waits longer between two clicks at one
    /// place. A value that is too small turns two clicks into a double-click.
    virtual std::chrono::milliseconds double_click_time();
    virtual Windows* windows() noexcept { return nullptr; }     ///< nullptr: this back-end has none
    virtual Clipboard* clipboard() noexcept { return nullptr; } ///< nullptr: this back-end has none
};

/// Opens the desktop that `options` select among the back-ends of `registry`; by default the desktop
/// of this session: Win32 on Windows, elsewhere the X11 display that DISPLAY names. This is the one
/// place where libwinio reads the environment, and only if `DesktopOptions::display` is empty.
///
/// Throws Error{no_display} if the session has no display, and Error{not_supported} if the registry
/// has no back-end or none of the requested name: the text lists the names that it has. If no name
/// is requested and several back-ends fail with an Error, the code is that of the first one and the
/// text has the reasons of all. Exceptions of other types pass through at once.
[[nodiscard]] EYEHAND_WINIO_API std::unique_ptr<Desktop>
open_desktop(const DesktopOptions& options = {},
             const BackendRegistry& registry = BackendRegistry::built_in());

/// Which part of the desktop an agent works on.
struct AreaChoice {
    std::string display{}; ///< a display's id; empty: the primary one; "all": every display
    std::optional<WindowQuery> window{}; ///< that window instead, as far as it is on a display
    std::optional<NormBox> crop{};       ///< a part of that, in 0..1000
};

/// The work area that `choice` means among these displays and windows (topmost first). Throws Error{no_display} when there is no
/// display, Error{display_not_found} (naming those there are), Error{window_not_found} when no
/// window fits or none of it can be seen, and std::invalid_argument for an empty crop.
[[nodiscard]] EYEHAND_WINIO_API WorkArea choose_area(std::span<const Display> displays,
                                                     const AreaChoice& choice,
                                                     std::span<const WindowInfo> windows = {});
/// The same for what the desktop has at the moment.
[[nodiscard]] EYEHAND_WINIO_API WorkArea choose_area(Desktop& desktop, const AreaChoice& choice);

} // namespace eyehand::winio
