#include "win32/input_hooks.hpp"

#include "eyehand/winio/error.hpp"
#include "watchdog/helper_process.hpp"
#include "win32/displays.hpp"
#include "win32/dpi_scope.hpp"
#include "win32/native_input.hpp"
#include "win32/open_desktop.hpp"
#include "win32/signal_keys.hpp"
#include "win32/system_text.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <utility>

namespace eyehand::winio::win32 {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = ReportedInput::Kind;

/// The hooks are called on the thread that has installed them, and have no argument of their own.
InputHooks*& of_this_thread() {
    thread_local InputHooks* hooks = nullptr;
    return hooks;
}

bool is_by_user(ULONG_PTR mark) { return (mark & own_input_mask) != own_input; }

/// Windows removes a hook that once was too slow, without notice.
constexpr std::chrono::milliseconds check_interval{1000};
/// The system knows of an input before a hook is called.
constexpr LONG max_delay = 1000; // milliseconds

constexpr std::size_t max_waiting = 64; ///< bytes that the program does not read

bool is_down(std::uint32_t code) {
    const auto down = [](int key) { return GetAsyncKeyState(key) < 0; };
    return down(static_cast<int>(code)) || (code == VK_PAUSE && down(VK_CANCEL));
}

Hook installed_hook(int kind, HOOKPROC procedure) {
    Hook hook(SetWindowsHookExW(kind, procedure, GetModuleHandleW(nullptr), 0));
    if (!hook)
        throw Error(errc::not_supported,
                    "the user's input cannot be watched: " + describe_error(GetLastError()));
    return hook;
}

std::vector<Rect> bounds_of_displays(const SystemCalls& system) {
    std::vector<Rect> bounds;
    for (const Display& display : displays(system)) bounds.push_back(display.bounds);
    return bounds;
}

} // namespace

std::unique_ptr<SignalSource> open_signal_source(const UserWatchOptions& options) {
    return std::make_unique<InputHooks>(options);
}

InputHooks::InputHooks(const UserWatchOptions& options)
    : detector_(
          signal_keys(options), [this] { return bounds_of_displays(system_); },
          system_.runs_under_wine() ? Echoes::yes : Echoes::no),
      stop_(CreateEventW(nullptr, TRUE, FALSE, nullptr)) {
    if (!stop_)
        throw std::system_error(static_cast<int>(GetLastError()), std::system_category(),
                                "CreateEvent");
    std::promise<void> promise;
    auto installed = promise.get_future();
    hooks_ = std::thread([this, &promise] { watch(std::move(promise)); });
    try {
        installed.get();
    } catch (...) {
        hooks_.join();
        throw;
    }
    waiting_.push_back(watching);
    try {
        writer_ = std::thread([this] { write(); });
    } catch (...) {
        SetEvent(stop_.get());
        hooks_.join();
        throw;
    }
}

InputHooks::~InputHooks() {
    SetEvent(stop_.get());
    hooks_.join();
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    writer_.join();
}

void InputHooks::watch(std::promise<void> installed) {
    const DpiScope physical_pixels;
    of_this_thread() = this;
    if (POINT at{}; GetCursorPos(&at) != 0) detector_.is_at({at.x, at.y});
    constexpr std::uint32_t first_key = VK_BACK; // lower codes are buttons
    constexpr std::uint32_t last_key = 0xFE;
    for (std::uint32_t code = first_key; code <= last_key; ++code)
        if (is_down(code)) detector_.is_down(key_code(code), Clock::now());
    try {
        install();
        installed.set_value();
    } catch (...) {
        installed.set_exception(std::current_exception());
        return;
    }
    const HANDLE stop = stop_.get();
    while (true) {
        auto wait = check_interval;
        if (const auto next = detector_.next())
            wait = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()),
                              std::chrono::milliseconds{0}, check_interval);
        const DWORD woken = MsgWaitForMultipleObjects(
            1, &stop, FALSE, static_cast<DWORD>(wait.count()), QS_ALLINPUT);
        if (woken == WAIT_OBJECT_0) break;
        if (woken == WAIT_FAILED) {
            report({UserSignal::watch_ended});
            break;
        }
        // The hooks are called in here.
        for (MSG message{}; PeekMessageW(&message, nullptr, 0, 0, PM_REMOVE) != 0;)
            DispatchMessageW(&message);
        report(detector_.due(Clock::now()));
        detector_.forget_released(is_down, Clock::now());
        install_again_if_removed();
    }
    keys_ = Hook();
    mouse_ = Hook();
}

void InputHooks::install() {
    keys_ = installed_hook(WH_KEYBOARD_LL, on_key);
    mouse_ = installed_hook(WH_MOUSE_LL, on_mouse);
    latest_ = GetTickCount();
}

void InputHooks::install_again_if_removed() {
    LASTINPUTINFO last{sizeof(LASTINPUTINFO), 0};
    if (GetLastInputInfo(&last) == 0) return;
    if (static_cast<LONG>(last.dwTime - latest_) <= max_delay) return; // tick counts wrap around
    try {
        install();
    } catch (const Error&) { // NOLINT(bugprone-empty-catch): tried again
    }
}

void InputHooks::note(const ReportedInput& input, DWORD time) {
    latest_ = time;
    report(detector_.note(input, Clock::now()));
}

void InputHooks::report(const std::vector<UserSignal>& signals) {
    if (signals.empty()) return;
    {
        const std::lock_guard lock(mutex_);
        for (const UserSignal signal : signals)
            if (waiting_.size() < max_waiting) waiting_.push_back(byte_of(signal));
    }
    changed_.notify_all();
}

void InputHooks::write() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return over_ || !waiting_.empty(); });
        if (over_) return;
        const char byte = waiting_.front();
        waiting_.pop_front();
        lock.unlock();
        helper::answer(byte);
        lock.lock();
    }
}

LRESULT CALLBACK InputHooks::on_key(int code, WPARAM message, LPARAM event) {
    if (code == HC_ACTION) {
        const auto& key = *reinterpret_cast<const KBDLLHOOKSTRUCT*>(event);
        const bool down = message == WM_KEYDOWN || message == WM_SYSKEYDOWN;
        of_this_thread()->note({.kind = down ? Kind::key_down : Kind::key_up,
                                .by_user = is_by_user(key.dwExtraInfo),
                                .code = key_code(key.vkCode)},
                               key.time);
    }
    return CallNextHookEx(nullptr, code, message, event);
}

LRESULT CALLBACK InputHooks::on_mouse(int code, WPARAM message, LPARAM event) {
    const auto kind = [&]() -> std::optional<Kind> {
        switch (message) {
        case WM_MOUSEMOVE:
            return Kind::motion;
        case WM_LBUTTONDOWN:
        case WM_RBUTTONDOWN:
        case WM_MBUTTONDOWN:
        case WM_XBUTTONDOWN:
            return Kind::button_down;
        case WM_MOUSEWHEEL:
        case WM_MOUSEHWHEEL:
            return Kind::wheel;
        default:
            return std::nullopt;
        }
    }();
    if (code == HC_ACTION && kind) {
        const auto& mouse = *reinterpret_cast<const MSLLHOOKSTRUCT*>(event);
        of_this_thread()->note({.kind = *kind,
                                .by_user = is_by_user(mouse.dwExtraInfo),
                                .pointer = {mouse.pt.x, mouse.pt.y}},
                               mouse.time);
    }
    return CallNextHookEx(nullptr, code, message, event);
}

} // namespace eyehand::winio::win32
