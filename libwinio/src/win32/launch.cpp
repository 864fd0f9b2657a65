#include "win32/launch.hpp"

#include "check_text.hpp"
#include "eyehand/base/create_process.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/winio/error.hpp"
#include "win32/command_line.hpp"
#include "win32/handles.hpp"
#include "win32/system_text.hpp"

#include <windows.h>
// After <windows.h>, which they need.
#include <objbase.h>
#include <shellapi.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::winio::win32 {
namespace {

bool is_same_name(std::wstring_view a, std::wstring_view b) {
    return CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(),
                                static_cast<int>(b.size()), TRUE) == CSTR_EQUAL;
}

// This process's environment without some variables: "NAME=value" each, with a NUL character after
// each and one more at the end.
std::wstring environment_without(const std::vector<std::wstring>& hidden) {
    const auto free = [](wchar_t* block) { FreeEnvironmentStringsW(block); };
    const std::unique_ptr<wchar_t, decltype(free)> block(GetEnvironmentStringsW(), free);
    std::wstring all;
    for (const wchar_t* at = block.get(); at != nullptr && *at != 0;) {
        const std::wstring_view text(at);
        at += text.size() + 1;
        // From 1: variables of the system, such as the drives' folders, begin with "=".
        const std::wstring_view name = text.substr(0, text.find(L'=', 1));
        if (std::ranges::none_of(hidden,
                                 [&](const std::wstring& one) { return is_same_name(one, name); }))
            all.append(text).push_back(L'\0');
    }
    all.append(all.empty() ? 2 : 1, L'\0');
    return all;
}

// ShellExecuteExW starts programs with the environment of this process: it accepts no other one.
// The variables are therefore missing in this process during the call, for all threads. (The C
// runtime has its own copy.)
class WithoutVariables {
public:
    explicit WithoutVariables(const std::vector<std::wstring>& names) : lock_(one_at_a_time()) {
        for (const std::wstring& name : names) {
            // An empty variable has the length 0, as a missing one has.
            const DWORD size = GetEnvironmentVariableW(name.c_str(), nullptr, 0);
            std::wstring value(size, L'\0');
            if (size == 0 ||
                GetEnvironmentVariableW(name.c_str(), value.data(), size) >= value.size())
                continue;
            removed_.emplace_back(name, value);
            SetEnvironmentVariableW(name.c_str(), nullptr);
        }
    }
    ~WithoutVariables() {
        for (const auto& [name, value] : removed_)
            SetEnvironmentVariableW(name.c_str(), value.c_str());
    }
    WithoutVariables(const WithoutVariables&) = delete;
    WithoutVariables& operator=(const WithoutVariables&) = delete;

private:
    static std::mutex& one_at_a_time() {
        static std::mutex mutex;
        return mutex;
    }
    std::lock_guard<std::mutex> lock_;
    std::vector<std::pair<std::wstring, std::wstring>> removed_;
};

// Zero, or GetLastError's reason why not.
DWORD start_program(std::wstring command_line, // CreateProcessW writes into it
                    const std::vector<std::wstring>& hidden) {
    std::wstring environment = environment_without(hidden);
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION started{};
    // A console program gets its own console, so that Ctrl+C in the console of this program does
    // not reach it.
    constexpr DWORD flags =
        CREATE_NEW_CONSOLE | CREATE_DEFAULT_ERROR_MODE | CREATE_UNICODE_ENVIRONMENT;
    const DWORD error = base::create_process([&] {
        return CreateProcessW(nullptr, command_line.data(), nullptr, nullptr, FALSE, flags,
                              environment.data(), nullptr, &startup, &started);
    });
    if (error != ERROR_SUCCESS) return error;
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
    std::vector<std::wstring> hidden;
    for (const std::string& name : command.hidden_variables) hidden.push_back(base::to_wide(name));
    const DWORD as_program = start_program(text, hidden);
    if (as_program == ERROR_SUCCESS) return;
    // This case includes documents, programs that need administrator rights, and programs that only
    // the shell finds.
    const DWORD by_shell = [&] {
        const WithoutVariables without(hidden);
        return open_by_shell(text);
    }();
    if (by_shell == ERROR_SUCCESS) return;
    throw Error(errc::launch_failed, "\"" + command.command + "\" can neither be started (" +
                                         describe_error(as_program) + ") nor opened (" +
                                         describe_error(by_shell) + ")");
}

} // namespace eyehand::winio::win32
