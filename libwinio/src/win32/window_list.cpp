#include "win32/window_list.hpp"

#include "eyehand/base/utf16.hpp"
#include "eyehand/winio/error.hpp"
#include "poll.hpp"
#include "win32/dpi_scope.hpp"
#include "win32/handles.hpp"
#include "win32/higher_rights.hpp"
#include "win32/system_text.hpp"

#include <windows.h>

#include <array>
#include <cstdint>

namespace eyehand::winio::win32 {
namespace {

using namespace std::chrono_literals;

HWND handle_of(WindowId id) { return reinterpret_cast<HWND>(static_cast<std::uintptr_t>(id)); }
WindowId id_of(HWND window) { return WindowId{reinterpret_cast<std::uintptr_t>(window)}; }

Rect to_rect(const RECT& rect) {
    return {rect.left, rect.top, rect.right - rect.left, rect.bottom - rect.top};
}

// The bounds that the system uses, including the invisible border.
Rect outer_bounds_of(HWND window) {
    RECT rect{};
    GetWindowRect(window, &rect);
    return to_rect(rect);
}

WindowState state_of(HWND window) {
    const LONG_PTR style = GetWindowLongPtrW(window, GWL_STYLE);
    if ((style & WS_MINIMIZE) != 0) return WindowState::minimized;
    return (style & WS_MAXIMIZE) != 0 ? WindowState::maximized : WindowState::normal;
}

// The visible bounds. A minimized window has no frame.
Rect bounds_of(const SystemCalls& system, HWND window, WindowState state) {
    if (state != WindowState::minimized)
        if (const auto frame = system.visible_frame(window)) return to_rect(*frame);
    return outer_bounds_of(window);
}

Rect bounds_of(const SystemCalls& system, HWND window) {
    return bounds_of(system, window, state_of(window));
}

// The bounds at which the system must place the window so that its visible bounds are `to`.
Rect outer_bounds_for(const SystemCalls& system, HWND window, const Rect& to) {
    const Rect outer = outer_bounds_of(window);
    const Rect seen = bounds_of(system, window);
    return {to.x + outer.x - seen.x, to.y + outer.y - seen.y, to.width + outer.width - seen.width,
            to.height + outer.height - seen.height};
}

// The part that hides what is behind the window. Each pixel of a layered window can be transparent,
// except if one opacity applies to all of them. So can each pixel of a window that draws with
// DirectComposition.
Rect opaque_part_of(HWND window, const Rect& bounds) {
    const LONG_PTR style = GetWindowLongPtrW(window, GWL_EXSTYLE);
    if ((style & (WS_EX_TRANSPARENT | WS_EX_NOREDIRECTIONBITMAP)) != 0) return {};
    if ((style & WS_EX_LAYERED) != 0) {
        BYTE opacity = 0;
        DWORD flags = 0;
        if (GetLayeredWindowAttributes(window, nullptr, &opacity, &flags) == 0 ||
            (flags & LWA_COLORKEY) != 0 || ((flags & LWA_ALPHA) != 0 && opacity < 255))
            return {};
    }
    RECT box{};
    const int region = GetWindowRgnBox(window, &box);
    if (region == ERROR) return bounds; // the window has none
    if (region != SIMPLEREGION) return {};
    const Rect outer = outer_bounds_of(window);
    return intersection(bounds, {outer.x + box.left, outer.y + box.top, box.right - box.left,
                                 box.bottom - box.top});
}

std::string class_of(HWND window) {
    std::array<wchar_t, 257> text{}; // class names have at most 256 characters
    const int length = GetClassNameW(window, text.data(), static_cast<int>(text.size()));
    return base::to_utf8(std::wstring_view{text.data(), static_cast<std::size_t>(length)});
}

std::uint32_t process_id_of(HWND window) {
    DWORD process_id = 0;
    GetWindowThreadProcessId(window, &process_id);
    return process_id;
}

std::string program_of(std::uint32_t process_id) {
    const KernelObject process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process_id));
    if (!process) return {};
    std::array<wchar_t, 1024> path{};
    auto length = static_cast<DWORD>(path.size());
    if (QueryFullProcessImageNameW(process.get(), 0, path.data(), &length) == 0) return {};
    const std::wstring_view text(path.data(), length);
    const auto slash = text.find_last_of(L"\\/");
    return base::to_utf8(slash == std::wstring_view::npos ? text : text.substr(slash + 1));
}

BOOL CALLBACK collect_visible(HWND window, LPARAM into) {
    if (IsWindowVisible(window) != 0 && !is_cloaked(window))
        reinterpret_cast<std::vector<HWND>*>(into)->push_back(window);
    return TRUE;
}

// "Edit", "RichEdit20W", "WindowsForms10.EDIT.app.0.1": their style ES_PASSWORD has this meaning only
// for them.
bool is_edit_control(HWND window) {
    std::string name = class_of(window);
    for (char& letter : name)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return name.find("edit") != std::string::npos;
}

BOOL CALLBACK collect_password_fields(HWND window, LPARAM into) {
    const bool hides = (GetWindowLongPtrW(window, GWL_STYLE) & ES_PASSWORD) != 0;
    if (hides && IsWindowVisible(window) != 0 && is_edit_control(window))
        reinterpret_cast<std::vector<HWND>*>(into)->push_back(window);
    return TRUE;
}

// While two threads share their input state, one may bring the other's window to the foreground.
class SharedInput {
public:
    SharedInput(const SystemCalls& system, DWORD other)
        : system_(system), other_(other),
          attached_(other != 0 && other != GetCurrentThreadId() &&
                    system.attach_thread_input(GetCurrentThreadId(), other, TRUE) != 0) {}
    ~SharedInput() {
        if (attached_) system_.attach_thread_input(GetCurrentThreadId(), other_, FALSE);
    }
    SharedInput(const SharedInput&) = delete;
    SharedInput& operator=(const SharedInput&) = delete;

private:
    const SystemCalls& system_;
    DWORD other_;
    bool attached_;
};

[[noreturn]] void not_found() {
    throw Error(errc::window_not_found, "the window does not exist or was closed");
}

void check_exists(HWND window) {
    if (IsWindow(window) == 0) not_found();
}

// A window with a modal dialog is disabled: only the dialog can have the foreground.
HWND window_to_activate(HWND window) {
    if (IsWindowEnabled(window) != 0) return window;
    const HWND popup = GetLastActivePopup(window);
    return popup == nullptr ? window : popup;
}

// Windows drops input to a window with higher rights, mostly silently.
void check_permitted(const SystemCalls& system, HWND window) {
    if (has_higher_rights(system, window))
        throw Error(errc::input_not_permitted, higher_rights_problem(window, {}));
}

void focus(const SystemCalls& system, HWND window) {
    if (IsIconic(window) != 0) ShowWindowAsync(window, SW_RESTORE);
    const HWND target = window_to_activate(window);
    const auto has_it = [&] {
        return system.foreground_window() == target && IsIconic(window) == 0;
    };
    if (has_it()) return;
    // SetForegroundWindow alone works only for a program that has the foreground, was started by
    // the foreground program, or received the last input. Sending input does not count, so this
    // program usually must share the input of the foreground thread.
    SetForegroundWindow(target);
    if (poll(100ms, has_it)) return;
    // Sharing the input of a program that hangs would hang this program, too. So would
    // BringWindowToTop, which waits for the window's program: the system detects a hang only after
    // five seconds.
    if (const HWND foreground = system.foreground_window();
        system.is_hung_app_window(foreground) == 0 && system.is_hung_app_window(target) == 0) {
        const SharedInput shared(system, GetWindowThreadProcessId(foreground, nullptr));
        SetWindowPos(target, HWND_TOP, 0, 0, 0, 0,
                     SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS);
        SetForegroundWindow(target);
    }
    if (poll(500ms, has_it)) return;
    check_exists(window);
    check_permitted(system, window); // checked last, because the system may allow it
    throw Error(errc::input_refused, "the window \"" + title_of(window) +
                                         "\" did not come to the foreground; click on it instead");
}

// Asynchronous, because a program that hangs would hang this program, too.
void place(HWND window, const Rect& outer) {
    if (SetWindowPos(window, nullptr, outer.x, outer.y, outer.width, outer.height,
                     SWP_NOZORDER | SWP_NOACTIVATE | SWP_ASYNCWINDOWPOS) == 0)
        throw Error(errc::input_refused,
                    "the window \"" + title_of(window) +
                        "\" cannot be moved: " + describe_error(GetLastError()));
}

void move(const SystemCalls& system, HWND window, const Rect& to) {
    if (to.empty())
        throw Error(errc::input_refused, "the width and height of a window must be positive");
    check_permitted(system, window);
    // Not SW_RESTORE, which maximizes a window that was maximized before it was minimized.
    if (IsIconic(window) != 0 || IsZoomed(window) != 0) ShowWindowAsync(window, SW_SHOWNOACTIVATE);
    const auto arrived = [&] { return bounds_of(system, window) == to; };
    const Rect outer = outer_bounds_for(system, window, to);
    place(window, outer);
    // A window may have a minimum size, so not reaching `to` is not an error.
    if (poll(200ms, arrived)) return;
    // The border has another width on a display of another DPI, and after the window was maximized.
    const Rect outer_there = outer_bounds_for(system, window, to);
    if (outer_there == outer) return;
    place(window, outer_there);
    (void)poll(200ms, arrived);
}

void close(const SystemCalls& system, HWND window) {
    check_permitted(system, window);
    if (PostMessageW(window, WM_CLOSE, 0, 0) == 0)
        throw Error(errc::input_refused,
                    "the window \"" + title_of(window) +
                        "\" cannot be closed: " + describe_error(GetLastError()));
}

} // namespace

WindowList::Owner WindowList::owner_of(HWND window) const {
    const std::uint32_t process_id = process_id_of(window);
    const auto known = owners_.find(window);
    if (known != owners_.end() && known->second.process_id == process_id &&
        !known->second.program.empty())
        return known->second;
    return {process_id, program_of(process_id), system_.integrity_of_window(window)};
}

std::vector<WindowInfo> WindowList::list() {
    const DpiScope physical_pixels;
    std::vector<HWND> handles; // EnumWindows lists the topmost first
    EnumWindows(collect_visible, reinterpret_cast<LPARAM>(&handles));
    const HWND foreground = system_.foreground_window();
    const auto own_level = system_.own_integrity();
    std::vector<WindowInfo> windows;
    std::map<HWND, Owner> owners;
    for (const HWND handle : handles) {
        const Owner& owner = owners[handle] = owner_of(handle);
        WindowInfo info;
        info.id = id_of(handle);
        info.title = title_of(handle);
        info.window_class = class_of(handle);
        info.process_id = owner.process_id;
        info.process = owner.program;
        info.elevated = own_level && owner.integrity > own_level;
        info.state = state_of(handle);
        info.bounds = bounds_of(system_, handle, info.state);
        info.foreground = handle == foreground;
        info.opaque = opaque_part_of(handle, info.bounds);
        windows.push_back(std::move(info));
    }
    owners_ = std::move(owners);
    return windows;
}

// ChildWindowFromPointEx looks only at the windows' places: it sends no messages, so that a program
// that does not respond cannot block it.
std::optional<Rect> WindowList::control_at(WindowId window, Point at) {
    const HWND root = handle_of(window);
    HWND innermost = root;
    for (;;) {
        POINT inside{at.x, at.y};
        if (ScreenToClient(innermost, &inside) == 0) return std::nullopt; // it was closed
        const HWND child = ChildWindowFromPointEx(innermost, inside, CWP_SKIPINVISIBLE);
        if (child == nullptr || child == innermost) break;
        innermost = child;
    }
    if (innermost == root) return std::nullopt;
    return outer_bounds_of(innermost);
}

std::vector<PasswordField> WindowList::password_fields() {
    const DpiScope physical_pixels;
    std::vector<HWND> roots;
    EnumWindows(collect_visible, reinterpret_cast<LPARAM>(&roots));
    std::vector<HWND> fields;
    for (const HWND root : roots)
        if (IsIconic(root) == 0)
            EnumChildWindows(root, collect_password_fields, reinterpret_cast<LPARAM>(&fields));
    GUITHREADINFO focus{};
    focus.cbSize = sizeof focus;
    if (GetGUIThreadInfo(0, &focus) == 0) focus.hwndFocus = nullptr; // of the foreground thread
    std::vector<PasswordField> found;
    found.reserve(fields.size());
    for (const HWND field : fields)
        found.push_back(
            {id_of(GetAncestor(field, GA_ROOT)), outer_bounds_of(field), field == focus.hwndFocus});
    return found;
}

void WindowList::apply(const WindowCommand& command) {
    const DpiScope physical_pixels;
    const HWND window = handle_of(command.window);
    check_exists(window);
    switch (command.action) {
    case WindowAction::focus:
        return focus(system_, window);
    case WindowAction::move:
        return move(system_, window, command.to);
    case WindowAction::close:
        return close(system_, window);
    }
}

} // namespace eyehand::winio::win32
