// The interface of a desktop back-end: a screen to capture, and a pointer and keyboard to control
// it.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/backend_registry.hpp"
#include "eyehand/winio/effect.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
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
    std::string id{};   ///< stable while the display stays attached; the value of `--display`
    std::string name{}; ///< shown to users
    Rect bounds{};      ///< physical pixels of the virtual desktop
    int dpi = 96;       ///< 96 is 100 %
    bool primary = false;
};

struct CaptureOptions {
    bool pointer = true;          ///< deliver the pointer's shape and position with each frame
    bool layered_windows = false; ///< Win32: CAPTUREBLT, at the price of a flickering pointer
};

/// Reads the screen. Keeps buffers between calls; use it on the thread that opened it.
class EYEHAND_WINIO_API Capturer {
public:
    virtual ~Capturer() = default;
    /// Copies `area` (desktop pixels) into `into` and reuses its memory. Pixels outside the desktop
    /// are black. Throws Error{capture_unavailable} if a retry may help, Error{capture_failed} if
    /// not, Error{no_display} without a display, and std::invalid_argument if `area` is empty or
    /// exceeds the maximum size of an image.
    virtual void capture(const Rect& area, Frame& into) = 0;
};

/// The result of sending a batch.
struct SendReport {
    std::size_t sent = 0;     ///< events passed to the system
    std::size_t accepted = 0; ///< events that the system accepted, counted from the front
    std::string problem{};    ///< why the system did not accept all events, or empty
    std::error_code error{};  ///< the same as a code: `input_refused`, `input_not_permitted`
    [[nodiscard]] bool complete() const { return accepted == sent; }
};

enum class WindowState { normal, minimized, maximized };
/// The name of the enumerator.
[[nodiscard]] EYEHAND_WINIO_API std::string_view to_string(WindowState state) noexcept;

struct WindowInfo {
    WindowId id{};
    std::string title{}; ///< UTF-8
    std::string window_class{};
    std::string process{};        ///< file name of the program; empty if unknown
    std::uint32_t process_id = 0; ///< 0 if unknown
    Rect bounds{};                ///< desktop pixels
    WindowState state = WindowState::normal;
    bool foreground = false;
    /// The part of `bounds` that hides what is behind the window; desktop pixels. Empty if the window
    /// is possibly transparent or not shown, or the back-end does not know.
    Rect opaque{};
    /// Its program has more rights than this one, such as those of an administrator or of root. False
    /// if the back-end does not know.
    bool elevated = false;
    friend bool operator==(const WindowInfo&, const WindowInfo&) = default;
};

/// Describes a window: all non-empty fields must match. ASCII letters match regardless of case.
struct WindowQuery {
    std::string title{};        ///< a part of the title
    std::string window_class{}; ///< the whole class
    std::string process{};      ///< the whole file name of the program
};

[[nodiscard]] EYEHAND_WINIO_API bool matches(const WindowInfo& window, const WindowQuery& query);

/// Returns the topmost window that matches, but prefers a window whose title equals `query.title`;
/// empty if no window matches.
[[nodiscard]] EYEHAND_WINIO_API std::optional<WindowInfo>
find_window(std::span<const WindowInfo> windows, const WindowQuery& query);

/// A control that does not show what is typed into it.
struct PasswordField {
    WindowId window{};    ///< its top-level window
    Rect bounds{};        ///< desktop pixels; other windows may cover it
    bool focused = false; ///< it has the keyboard focus
    friend bool operator==(const PasswordField&, const PasswordField&) = default;
};

/// Optional part of a desktop: its top-level windows.
class EYEHAND_WINIO_API Windows {
public:
    virtual ~Windows() = default;
    /// Visible top-level windows, topmost first.
    virtual std::vector<WindowInfo> list() = 0;
    /// The bounds (desktop pixels) of the innermost visible child window of `window` at a point; empty
    /// if no child window is there, the window does not exist, or the system does not report it (the
    /// default). Many programs draw their controls without child windows.
    virtual std::optional<Rect> control_at(WindowId /*window*/, Point /*at*/) {
        return std::nullopt;
    }
    /// The visible password fields that the system reports: on Windows, edit controls with the style
    /// ES_PASSWORD. Empty (the default) on X11 and for programs that draw their own controls, such as
    /// browsers.
    virtual std::vector<PasswordField> password_fields() { return {}; }
    /// Executes a command. After `focus`, the window gets the keys that are pressed, unless it takes none.
    /// Throws Error{window_not_found}, Error{input_refused} or Error{input_not_permitted}.
    virtual void apply(const WindowCommand& command) = 0;
};

/// Optional part of a desktop: its clipboard. Text is UTF-8. All functions except `line_break`
/// throw Error{clipboard_failed}.
class EYEHAND_WINIO_API Clipboard {
public:
    virtual ~Clipboard() = default;
    virtual std::string text() = 0; ///< empty if it holds no text
    /// Throws std::invalid_argument for text that is not UTF-8 or has a NUL character.
    virtual void set_text(std::string_view utf8) = 0;
    virtual std::optional<Image> image() = 0; ///< opaque pixels; empty if it holds no image
    /// Throws std::invalid_argument for an empty image. Alpha is ignored.
    virtual void set_image(const ImageView& image) = 0;
    virtual bool holds_other() = 0; ///< true if it holds only content that neither `text` nor
                                    ///< `image` can read, such as files
    virtual void clear() = 0;
    /// Before a plan replaces a text for a short time: that text, which may be empty. After it has
    /// restored it: std::nullopt. In between, the watchdog of the desktop (`Desktop::renew_hold`)
    /// restores the text if this program cannot, unless another program has copied something.
    /// Without a watchdog (the default), without effect.
    virtual void set_text_to_restore(std::optional<std::string_view> /*text*/) noexcept {}
    /// The line break that programs of this system expect. `text` and `set_text` do not convert
    /// line breaks.
    [[nodiscard]] virtual std::string_view line_break() const noexcept { return "\n"; }
};

/// Waits until a window matches and returns it. Throws Error{window_not_found}, whose text lists
/// the existing windows, if none matches within `timeout`, and Error{cancelled}.
[[nodiscard]] EYEHAND_WINIO_API WindowInfo wait_for_window(Windows& windows,
                                                           const WindowQuery& query,
                                                           std::chrono::milliseconds timeout,
                                                           std::stop_token stop = {});

/// What a user does by hand while a program controls the desktop; see `Desktop::watch_user`.
enum class UserSignal {
    stop_key, ///< has pressed `UserWatchOptions::stop_key`; once until it is released
    escape,   ///< has held Escape for a second
    corner, ///< has moved the pointer to within 2 pixels of a display's corner and left it there for 500 ms
    /// Has pressed a key or button, turned a wheel, or moved the pointer by more than 16 pixels. At
    /// most one within 250 ms.
    input,
    /// Not done by the user: the watch has ended by itself, because its helper process has ended or the
    /// connection to the X server is lost. No other signal follows. Not reported if the caller destroys
    /// the watch.
    watch_ended,
};
struct UserWatchOptions {
    /// One key with any of the modifiers Ctrl, Alt, Shift and Windows; empty: no signal `stop_key`.
    std::optional<KeyChord> stop_key{};
};
/// The destructor waits for a call that is running.
class EYEHAND_WINIO_API UserWatch {
public:
    virtual ~UserWatch() = default;
};

/// A screen with a pointer and a keyboard. Not thread-safe: use it on one thread at a time.
///
/// A back-end implements the four pure functions, and the other functions if its system supports
/// them. `testing::check_desktop` checks a back-end against this documentation.
class EYEHAND_WINIO_API Desktop {
public:
    virtual ~Desktop() = default;
    /// Enumerates the displays anew in each call; empty if there is no display.
    virtual std::vector<Display> displays() = 0;
    /// Throws Error{not_supported} for a screen whose pixels it cannot read: on X11, a depth other
    /// than 24 bits.
    virtual std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) = 0;
    /// Passes the events to the system in one piece. Never sleeps, and never throws for a refused
    /// event: the report has the number of accepted events.
    [[nodiscard]] virtual SendReport send(std::span<const InputEvent> events) = 0;
    /// The position of the pointer; empty if it cannot be determined.
    virtual std::optional<Point> pointer() = 0;
    /// Starts a program. Throws Error{launch_failed}, Error{not_supported} if this desktop cannot
    /// start programs (the default), and std::invalid_argument for a command that is not UTF-8 or
    /// has a NUL character.
    virtual void launch(const LaunchCommand& command);
    /// Two clicks at one place within this time are a double-click for programs; zero if two clicks
    /// never are. The default is 500 ms, the longest default of the usual systems and toolkits. A
    /// value that is too large is safe: InputExecutor waits longer between two clicks at one place.
    /// A value that is too small turns two clicks into a double-click.
    virtual std::chrono::milliseconds double_click_time();
    /// Whether the system shows that a program is busy: by the shape of the pointer (an hourglass), or
    /// on Windows because the window in the foreground does not respond. False (the default) if the
    /// system does not tell. Throws Error if the desktop has failed.
    virtual bool busy() { return false; }
    /// While `send` has left keys or buttons pressed, or a clipboard has a text to restore: tells the
    /// watchdog of this desktop that this thread still acts. To be called every 50 ms; without a
    /// watchdog (the default), without effect. Throws Error{interrupted} if the watchdog has released
    /// and restored them, and Error{launch_failed} if it has ended and cannot be started again. `send`
    /// then reports the same errors.
    virtual void renew_hold() {}
    /// While the result exists, calls `call` for each signal of the user: on a thread of the result's
    /// own, also while the desktop is used or hangs, and whichever window has the keyboard focus.
    /// `call` must not throw. The result does not refer to this desktop.
    ///
    /// The user's input is told apart from the input of programs: on X11, everything but input through
    /// XTEST, and on Windows everything but input of this library (also of other processes). Only the
    /// stop key counts from any source. Input through a remote desktop is therefore the user's on
    /// Windows, but not with servers on X11 that use XTEST, such as x11vnc.
    ///
    /// On Windows, a second process of this program watches, because input would wait for the hooks of a
    /// program that is stopped: it needs `DesktopOptions::watchdog`, and ends if that process ends
    /// (`UserSignal::watch_ended`).
    ///
    /// Throws Error{not_supported} if the back-end cannot do it (the default), `stop_key` is another
    /// chord than described, or the keyboard lacks it, and Error{launch_failed}.
    [[nodiscard]] virtual std::unique_ptr<UserWatch>
    watch_user(const UserWatchOptions& options, std::function<void(UserSignal)> call);
    virtual Windows* windows() noexcept { return nullptr; }     ///< nullptr: not supported
    virtual Clipboard* clipboard() noexcept { return nullptr; } ///< nullptr: not supported
};

/// Opens the desktop that `options` select among the back-ends of `registry`. The default is the
/// desktop of this session: Win32 on Windows, elsewhere the X11 display that DISPLAY names. No other
/// function of libwinio takes a setting from the environment, and this one only if
/// `DesktopOptions::display` is empty.
///
/// Throws Error{no_display} if the session has no display, and Error{not_supported} if the registry
/// has no back-end or none with the requested name; the text lists the registered names. If no name
/// is requested and several back-ends fail with an Error, the code is that of the first one and the
/// text contains the reasons of all. Exceptions of other types are passed on at once.
[[nodiscard]] EYEHAND_WINIO_API std::unique_ptr<Desktop>
open_desktop(const DesktopOptions& options = {},
             const BackendRegistry& registry = BackendRegistry::built_in());

/// Selects the part of the desktop that an agent works on.
struct AreaChoice {
    std::string display{}; ///< a display's id; empty: the primary one; "all": every display
    std::optional<WindowQuery> window{}; ///< this window instead, clipped to the displays
    std::optional<NormBox> crop{};       ///< a part of the display or window, in 0..1000
};

/// Returns the work area that `choice` selects among these displays and windows (topmost first).
/// Throws Error{no_display} if there is no display, Error{display_not_found} (the text lists the
/// displays), Error{window_not_found} if no window matches or no part of it is visible, and
/// std::invalid_argument for an empty crop.
[[nodiscard]] EYEHAND_WINIO_API WorkArea choose_area(std::span<const Display> displays,
                                                     const AreaChoice& choice,
                                                     std::span<const WindowInfo> windows = {});
/// The same for the current displays and windows of `desktop`.
[[nodiscard]] EYEHAND_WINIO_API WorkArea choose_area(Desktop& desktop, const AreaChoice& choice);

} // namespace eyehand::winio
