#include "test_window.hpp"

#include "eyehand/base/create_process.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/winio/error.hpp"
#include "win32/system_text.hpp"

#include <array>

using namespace eyehand::winio;

namespace {

std::wstring program_beside_this_one() {
    std::array<wchar_t, 1024> path{};
    const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    const std::wstring_view own(path.data(), length);
    return std::wstring(own.substr(0, own.find_last_of(L'\\') + 1)) + L"eyehand-test-window.exe";
}

std::wstring unused_name() {
    static int number = 0;
    return L"eyehand-test-" + std::to_wstring(GetCurrentProcessId()) + L"-" +
           std::to_wstring(++number);
}

} // namespace

Rect rect_of(const SharedRect& shared) {
    return {shared.left, shared.top, shared.right - shared.left, shared.bottom - shared.top};
}

Point center_of(const SharedRect& shared) {
    return {(shared.left + shared.right) / 2, (shared.top + shared.bottom) / 2};
}

TestWindow::SharedState::SharedState(const std::wstring& name)
    : mapping_(CreateFileMappingW(INVALID_HANDLE_VALUE, nullptr, PAGE_READWRITE, 0,
                                  sizeof(TestWindowState), name.c_str())) {
    REQUIRE(mapping_);
    void* memory =
        MapViewOfFile(mapping_.get(), FILE_MAP_ALL_ACCESS, 0, 0, sizeof(TestWindowState));
    REQUIRE(memory != nullptr);
    view_.reset(new (memory) TestWindowState());
}

// CreateProcessW writes into the command.
TestProcess::TestProcess(std::wstring command, std::wstring console_title) {
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    DWORD flags = 0;
    if (!console_title.empty()) {
        startup.lpTitle = console_title.data();
        flags = CREATE_NEW_CONSOLE;
    }
    PROCESS_INFORMATION process{};
    const DWORD error = eyehand::base::create_process([&] {
        return CreateProcessW(nullptr, command.data(), nullptr, nullptr, FALSE, flags, nullptr,
                              nullptr, &startup, &process);
    });
    INFO(win32::describe_error(error));
    REQUIRE(error == ERROR_SUCCESS);
    process_ = win32::KernelObject(process.hProcess);
    id_ = process.dwProcessId;
    CloseHandle(process.hThread);
}

TestWindow::TestWindow(Desktop& desktop, Point at)
    : desktop_(desktop), name_(unused_name()), state_(name_),
      process_(L"\"" + program_beside_this_one() + L"\" " + name_ + L" " + std::to_wstring(at.x) +
               L" " + std::to_wstring(at.y)) {
    REQUIRE(eventually([&] { return state().ready == 1 && find(); }));
    desktop_.windows()->apply({info().id, WindowAction::focus, {}});
    REQUIRE(info().foreground);
}

TestWindow::~TestWindow() {
    go_on();
    try {
        if (const auto window = find())
            desktop_.windows()->apply({window->id, WindowAction::close, {}});
        (void)exits_within(desktop_contract::patience);
    } catch (
        const eyehand::winio::Error&) { // NOLINT(bugprone-empty-catch): the process is ended anyway
    }
}

// Posted, because a sent message overtakes posted ones.
bool TestWindow::answers() const {
    const int before = state().answers;
    const auto window = find();
    return window && PostMessageW(reinterpret_cast<HWND>(window->id), message_answer, 0, 0) != 0 &&
           eventually([&] { return state().answers > before; });
}

void TestWindow::set_title(const std::string& utf8) {
    const std::wstring title = eyehand::base::to_wide(utf8);
    // Not SetWindowTextW, which does not reach windows of other programs.
    SendMessageW(handle(), WM_SETTEXT, 0, reinterpret_cast<LPARAM>(title.c_str()));
    REQUIRE(info().title == utf8);
}

void TestWindow::copy(const std::string& utf8) {
    const HWND edit = FindWindowExW(handle(), nullptr, L"EDIT", nullptr);
    const std::wstring units = eyehand::base::to_wide(utf8);
    SendMessageW(edit, WM_SETTEXT, 0, reinterpret_cast<LPARAM>(units.c_str()));
    SendMessageW(edit, EM_SETSEL, 0, -1);
    SendMessageW(edit, WM_COPY, 0, 0);
    DWORD owner = 0;
    GetWindowThreadProcessId(GetClipboardOwner(), &owner);
    REQUIRE(owner == process_.id());
}

void TestWindow::hang() {
    REQUIRE(PostMessageW(handle(), message_hang, 0, 0));
    REQUIRE(eventually([&] { return state().hanging == 1; }));
}

std::string TestWindow::text() const {
    return eyehand::base::to_utf8(
        std::wstring_view{state().text, static_cast<std::size_t>(state().text_length)});
}

WindowInfo TestWindow::info() const {
    const auto window = find();
    REQUIRE(window);
    return *window;
}

std::optional<WindowInfo> TestWindow::find() const {
    for (WindowInfo& window : desktop_.windows()->list()) {
        DWORD process = 0;
        GetWindowThreadProcessId(reinterpret_cast<HWND>(window.id), &process);
        if (process == process_.id()) return window;
    }
    return std::nullopt;
}

bool TestWindow::exits_within(std::chrono::milliseconds limit) const {
    return WaitForSingleObject(process(), static_cast<DWORD>(limit.count())) == WAIT_OBJECT_0;
}
