#include "win32/system_calls.hpp"

#include "poll.hpp"
#include "watchdog/hold.hpp"
#include "win32/handles.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <span>

namespace eyehand::winio::win32 {
namespace {

KernelObject token_of(HANDLE process) {
    HANDLE token = nullptr;
    return OpenProcessToken(process, TOKEN_QUERY, &token) != 0 ? KernelObject(token)
                                                               : KernelObject();
}

std::optional<DWORD> level_of(const KernelObject& token) {
    // A label with its SID: a SID has at most SECURITY_MAX_SID_SIZE bytes.
    alignas(TOKEN_MANDATORY_LABEL)
        std::array<std::byte, sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE>
            buffer{};
    DWORD length = 0;
    if (GetTokenInformation(token.get(), TokenIntegrityLevel, buffer.data(),
                            static_cast<DWORD>(buffer.size()), &length) == 0)
        return std::nullopt;
    const auto* label = reinterpret_cast<const TOKEN_MANDATORY_LABEL*>(buffer.data());
    const auto parts = *GetSidSubAuthorityCount(label->Label.Sid);
    if (parts == 0) return std::nullopt;
    return *GetSidSubAuthority(label->Label.Sid, parts - 1U);
}

bool may_work_every_window(const KernelObject& token) {
    DWORD ui_access = 0;
    DWORD length = 0;
    return GetTokenInformation(token.get(), TokenUIAccess, &ui_access, sizeof ui_access, &length) !=
               0 &&
           ui_access != 0;
}

int screen_dpi() {
    const ScreenDc screen(GetDC(nullptr));
    const int dpi = screen ? GetDeviceCaps(screen.get(), LOGPIXELSX) : 0;
    return dpi > 0 ? dpi : USER_DEFAULT_SCREEN_DPI;
}

// dwmapi.dll is loaded on demand, because Windows Server Core lacks it.
template <typename Value>
std::optional<Value> window_manager_attribute(HWND window, DWORD attribute) {
    using GetAttribute = HRESULT(WINAPI*)(HWND, DWORD, void*, DWORD);
    static const auto get_attribute = [] {
        const HMODULE library =
            LoadLibraryExW(L"dwmapi.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
        return library == nullptr ? nullptr
                                  : reinterpret_cast<GetAttribute>(reinterpret_cast<void*>(
                                        GetProcAddress(library, "DwmGetWindowAttribute")));
    }();
    Value value{};
    if (get_attribute == nullptr || FAILED(get_attribute(window, attribute, &value, sizeof value)))
        return std::nullopt;
    return value;
}

// The pointer's positions from the system's history, the latest first.
std::vector<MOUSEMOVEPOINT> places_of_pointer() {
    POINT now{};
    GetCursorPos(&now);
    MOUSEMOVEPOINT from{};
    from.x = now.x;
    from.y = now.y;
    std::vector<MOUSEMOVEPOINT> places(64); // the length of the system's history
    const int found =
        GetMouseMovePointsEx(sizeof from, &from, places.data(), static_cast<int>(places.size()),
                             GMMP_USE_DISPLAY_POINTS);
    places.resize(static_cast<std::size_t>(std::max(found, 0)));
    return places;
}

// The marked move and the later positions, the latest first; empty if the pointer was already
// there.
std::vector<MOUSEMOVEPOINT> places_since(ULONG_PTR mark) {
    auto places = places_of_pointer();
    const auto move = std::ranges::find(places, mark, &MOUSEMOVEPOINT::dwExtraInfo);
    places.erase(move == places.end() ? places.begin() : std::next(move), places.end());
    return places;
}

// A program that is busy, for example because it opens a dialog, answers late.
void let_answer(HWND window, const WhileWaiting& call) {
    constexpr std::chrono::milliseconds limit{1000};
    const auto deadline = std::chrono::steady_clock::now() + limit;
    const auto answers = [&] {
        DWORD_PTR result = 0;
        SetLastError(ERROR_SUCCESS); // for Wine, which does not set it for a thread that ends
        const LRESULT answered =
            SendMessageTimeoutW(window, WM_NULL, 0, 0, SMTO_ABORTIFHUNG,
                                static_cast<UINT>(renewal_interval.count()), &result);
        // Windows of ended programs fail at once, and hanging ones time out at once.
        return answered != 0 || GetLastError() != ERROR_TIMEOUT || IsHungAppWindow(window) != 0;
    };
    while (!answers() && std::chrono::steady_clock::now() < deadline) call();
    call();
}

BOOL CALLBACK collect_monitor(HMONITOR monitor, HDC, LPRECT, LPARAM into) {
    reinterpret_cast<std::vector<HMONITOR>*>(into)->push_back(monitor);
    return TRUE;
}

} // namespace

std::optional<DWORD> integrity_of_window(HWND window) {
    DWORD process_id = 0;
    if (GetWindowThreadProcessId(window, &process_id) == 0) return std::nullopt;
    // Access to a process of another user, or to a protected one such as csrss.exe, is denied; that
    // says nothing about input. For an elevated process of the same user, only the token cannot be
    // opened. The tokens of system processes cannot be opened even by an elevated process: their
    // level is always higher than ours.
    const KernelObject process(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process_id));
    if (!process) return std::nullopt;
    const KernelObject token = token_of(process.get());
    if (token) return level_of(token);
    if (GetLastError() == ERROR_ACCESS_DENIED) return DWORD{SECURITY_MANDATORY_SYSTEM_RID};
    return std::nullopt;
}

std::optional<DWORD> integrity_of_this_process() {
    const KernelObject token = token_of(GetCurrentProcess());
    const auto level = level_of(token);
    // Accessibility programs with UIAccess in their manifest may send input to windows of any
    // higher level.
    if (level && may_work_every_window(token))
        return std::max(*level, DWORD{SECURITY_MANDATORY_SYSTEM_RID});
    return level;
}

bool refuses_messages(HWND window) {
    static const UINT meaningless = RegisterWindowMessageW(L"Eyehand: may this be sent?");
    return PostMessageW(window, meaningless, 0, 0) == 0 && GetLastError() == ERROR_ACCESS_DENIED;
}

std::optional<RECT> visible_frame(HWND window) {
    constexpr DWORD extended_frame_bounds = 9; // DWMWA_EXTENDED_FRAME_BOUNDS
    return window_manager_attribute<RECT>(window, extended_frame_bounds);
}

bool is_cloaked(HWND window) {
    constexpr DWORD cloaked = 14; // DWMWA_CLOAKED
    return window_manager_attribute<DWORD>(window, cloaked).value_or(0) != 0;
}

std::vector<HMONITOR> monitors() {
    std::vector<HMONITOR> found;
    EnumDisplayMonitors(nullptr, nullptr, collect_monitor, reinterpret_cast<LPARAM>(&found));
    return found;
}

// shcore.dll is loaded on demand, because Windows Server Core lacks it.
int dpi_of_monitor(HMONITOR monitor) {
    using GetDpiForMonitor = HRESULT(WINAPI*)(HMONITOR, int, UINT*, UINT*);
    static const auto get_dpi = [] {
        const HMODULE library =
            LoadLibraryExW(L"shcore.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
        return library == nullptr ? nullptr
                                  : reinterpret_cast<GetDpiForMonitor>(reinterpret_cast<void*>(
                                        GetProcAddress(library, "GetDpiForMonitor")));
    }();
    constexpr int effective_dpi = 0; // MDT_EFFECTIVE_DPI
    UINT x = 0;
    UINT y = 0;
    if (get_dpi != nullptr && SUCCEEDED(get_dpi(monitor, effective_dpi, &x, &y)) && x > 0)
        return static_cast<int>(x);
    return screen_dpi();
}

bool wheel_follows_focus() {
    constexpr UINT get_mouse_wheel_routing = 0x201C; // SPI_GETMOUSEWHEELROUTING
    constexpr DWORD to_focus = 0;                    // MOUSEWHEEL_ROUTING_FOCUS
    DWORD routing = 0;
    return SystemParametersInfoW(get_mouse_wheel_routing, 0, &routing, 0) != 0 &&
           routing == to_focus;
}

void let_reports_arrive(const WhileWaiting& call) {
    POINT at{};
    GetCursorPos(&at);
    const ScreenDc screen(GetDC(nullptr));
    // The X server serves each client that has sent something before it reads again, so after the
    // second answer it has executed the requests of this process. A process that answers has
    // handled its X events, or will handle them before it answers again.
    for (int round = 0; round < 3; ++round) {
        GetPixel(screen.get(), 0, 0);
        call();
        for (const HWND window : {GetDesktopWindow(), WindowFromPoint(at)})
            let_answer(window, call);
    }
}

bool let_pointer_arrive(ULONG_PTR mark, bool from_window, const WhileWaiting& call) {
    // The Wine desktop may be slow on a busy machine; without a Wine desktop, no report arrives.
    constexpr std::chrono::milliseconds limit{250};
    constexpr std::chrono::milliseconds interval{1};
    std::vector<MOUSEMOVEPOINT> places;
    const auto is_there = [&](const MOUSEMOVEPOINT& place) {
        return place.x == places.back().x && place.y == places.back().y;
    };
    static_cast<void>(poll(
        limit,
        [&] {
            call();
            places = places_since(mark);
            if (places.empty()) return true;
            const POINT to{places.back().x, places.back().y};
            const bool to_window = WindowFromPoint(to) != GetDesktopWindow();
            const auto told = std::span(places).first(places.size() - 1);
            // The reports arrive in either order.
            return (!from_window || !std::ranges::all_of(told, is_there)) &&
                   (!to_window || std::ranges::any_of(told, is_there));
        },
        interval));
    let_reports_arrive(call); // each may arrive several times
    places = places_since(mark);
    return places.empty() || is_there(places.front());
}

bool runs_under_wine() {
    static const bool wine =
        GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "wine_get_version") != nullptr;
    return wine;
}

} // namespace eyehand::winio::win32
