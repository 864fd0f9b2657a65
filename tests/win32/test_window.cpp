#include "test_window.hpp"

#include "win32/system_text.hpp"

#include <algorithm>
#include <array>

using namespace winio;
using namespace std::chrono_literals;

namespace {

std::wstring program_beside_this_one() {
    std::array<wchar_t, 1024> path{};
    const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    const std::wstring_view own(path.data(), length);
    return std::wstring(own.substr(0, own.find_last_of(L'\\') + 1)) + L"eyehand-test-window.exe";
}

} // namespace

Rect rect_of(const SharedRect& shared) {
    return {shared.left, shared.top, shared.right - shared.left, shared.bottom - shared.top};
}

Point centre_of(const SharedRect& shared) {
    return {(shared.left + shared.right) / 2, (shared.top + shared.bottom) / 2};
}

TestWindow::TestWindow(Desktop& desktop, Point at) : desktop_(desktop) {
    static int number = 0;
    const std::wstring name = L"eyehand-test-" + std::to_wstring(GetCurrentProcessId()) + L"-" +
                              std::to_wstring(++number);
    mapping_ = CreateFileMappingW(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, 0,
                                  sizeof(TestWindowState), name.c_str());
    REQUIRE(mapping_ != nullptr);
    void* memory = MapViewOfFile(mapping_, FILE_MAP_ALL_ACCESS, 0, 0, sizeof(TestWindowState));
    REQUIRE(memory != nullptr);
    state_ = new (memory) TestWindowState();
    std::wstring command = L"\"" + program_beside_this_one() + L"\" " + name + L" " +
                           std::to_wstring(at.x) + L" " + std::to_wstring(at.y);
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    // Under Wine a start was seen to fail once in some hundreds, and to work the next time.
    DWORD error = ERROR_SUCCESS;
    const bool started = eventually(
        [&] {
            const BOOL ok = CreateProcessW(nullptr, command.data(), nullptr, nullptr, FALSE, 0,
                                           nullptr, nullptr, &startup, &process_);
            if (ok == FALSE) error = GetLastError();
            return ok != FALSE;
        },
        3s);
    INFO(win32::describe_error(error));
    REQUIRE(started);
    REQUIRE(eventually([&] { return state_->ready == 1 && listed(); }, 20s));
    desktop_.windows()->apply({info().id, WindowAction::focus, {}});
    REQUIRE(info().foreground);
}

TestWindow::~TestWindow() {
    if (process_.hProcess != nullptr) {
        if (listed()) desktop_.windows()->apply({info().id, WindowAction::close, {}});
        if (!exits_within(5s)) TerminateProcess(process_.hProcess, 1);
        CloseHandle(process_.hThread);
        CloseHandle(process_.hProcess);
    }
    if (state_ != nullptr) UnmapViewOfFile(state_);
    if (mapping_ != nullptr) CloseHandle(mapping_);
}

std::string TestWindow::text() const {
    return win32::narrow({state_->text, static_cast<std::size_t>(state_->text_length)});
}

bool TestWindow::listed() const {
    const auto windows = desktop_.windows()->list();
    return std::ranges::any_of(windows, [&](const WindowInfo& window) {
        DWORD process = 0;
        GetWindowThreadProcessId(reinterpret_cast<HWND>(window.id), &process);
        return process == process_.dwProcessId;
    });
}

WindowInfo TestWindow::info() const {
    for (WindowInfo& window : desktop_.windows()->list()) {
        DWORD process = 0;
        GetWindowThreadProcessId(reinterpret_cast<HWND>(window.id), &process);
        if (process == process_.dwProcessId) return window;
    }
    FAIL("the test window is gone");
    return {};
}

bool TestWindow::exits_within(std::chrono::milliseconds limit) const {
    return WaitForSingleObject(process_.hProcess, static_cast<DWORD>(limit.count())) ==
           WAIT_OBJECT_0;
}
