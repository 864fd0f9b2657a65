#include "win32/launch.hpp"

#include "check_text.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/winio/error.hpp"
#include "win32/command_line.hpp"
#include "win32/handles.hpp"
#include "win32/system_text.hpp"

#include <windows.h>
// After <windows.h>, which they need.
#include <objbase.h>
#include <shellapi.h>

namespace eyehand::winio::win32 {
namespace {

// Zero, or GetLastError's reason why not.
DWORD start_program(std::wstring command_line) { // CreateProcessW writes into it
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION started{};
    // A console program gets its own console, so that Ctrl+C in the console of this program does
    // not reach it.
    if (CreateProcessW(nullptr, command_line.data(), nullptr, nullptr, FALSE,
                       CREATE_NEW_CONSOLE | CREATE_DEFAULT_ERROR_MODE, nullptr, nullptr, &startup,
                       &started) == 0)
        return GetLastError();
    const KernelObject process(started.hProcess);
    const KernelObject thread(started.hThread);
    return ERROR_SUCCESS;
}

// The shell may delegate to COM objects.
class Com {
public:
    Com() : result_(CoInitializeEx(nullptr, COINIT_APARTMENTTHREADED | COINIT_DISABLE_OLE1DDE)) {}
    ~Com() {
        if (SUCCEEDED(result_)) CoUninitialize();
    }
    Com(const Com&) = delete;
    Com& operator=(const Com&) = delete;

private:
    HRESULT result_;
};

// Zero, or GetLastError's reason why not.
DWORD open(const std::wstring& file, const std::wstring& arguments) {
    const Com com;
    SHELLEXECUTEINFOW info{};
    info.cbSize = sizeof info;
    info.fMask = SEE_MASK_FLAG_NO_UI | SEE_MASK_NOASYNC;
    info.lpFile = file.c_str();
    if (!arguments.empty()) info.lpParameters = arguments.c_str();
    info.nShow = SW_SHOWNORMAL;
    return ShellExecuteExW(&info) != 0 ? ERROR_SUCCESS : GetLastError();
}

// Tries the whole text first, because the name of a document may have spaces without quotes.
DWORD open_by_shell(const std::wstring& text) {
    const DWORD as_document = open(text, {});
    const auto [program, arguments] = split_command_line(text);
    // After another error (the user declined, for example), a second attempt would fail again or
    // start the wrong program.
    const bool not_there = as_document == ERROR_FILE_NOT_FOUND ||
                           as_document == ERROR_PATH_NOT_FOUND || as_document == ERROR_INVALID_NAME;
    if (!not_there || program.empty() || program == text) return as_document;
    return open(std::wstring(program), std::wstring(arguments));
}

} // namespace

void launch(const LaunchCommand& command) {
    if (command.command.empty()) throw Error(errc::launch_failed, "the command is empty");
    check_text(command.command, "the command");
    const std::wstring text = base::to_wide(command.command);
    const DWORD as_program = start_program(text);
    if (as_program == ERROR_SUCCESS) return;
    // This case includes documents, programs that need administrator rights, and programs that only
    // the shell finds.
    const DWORD by_shell = open_by_shell(text);
    if (by_shell == ERROR_SUCCESS) return;
    throw Error(errc::launch_failed, "\"" + command.command + "\" can neither be started (" +
                                         describe_error(as_program) + ") nor opened (" +
                                         describe_error(by_shell) + ")");
}

} // namespace eyehand::winio::win32
