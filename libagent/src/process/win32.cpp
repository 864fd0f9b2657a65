#include "process/child_process.hpp"

#include "eyehand/base/create_process.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/base/utf8.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace eyehand::agent {
namespace {

constexpr DWORD longest_end = 5000; // ms: maximum wait after a kill, which usually takes a few
constexpr DWORD pipe_bytes = 64 * 1024;

/// Never fails: bytes that are not UTF-8 become U+FFFD.
std::wstring wide(std::string_view text) {
    return base::to_wide(base::utf8::replace_invalid(text));
}

std::string words_of(DWORD error) {
    std::array<wchar_t, 512> text{};
    const DWORD size =
        FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error,
                       0, text.data(), static_cast<DWORD>(text.size()), nullptr);
    std::string words = base::to_utf8(std::wstring_view(text.data(), size));
    while (!words.empty() && (words.back() == '\r' || words.back() == '\n' || words.back() == '.'))
        words.pop_back();
    return words.empty() ? "error " + std::to_string(error) : words;
}

/// Quotes an argument for CommandLineToArgvW: backslashes matter only before a quote.
std::wstring in_quotes(const std::wstring& argument) {
    std::wstring text = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t c : argument) {
        if (c == L'"') text.append(backslashes + 1, L'\\');
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        text += c;
    }
    return text.append(backslashes, L'\\') + L"\"";
}

/// Quotes an argument of a batch file, whose command processor knows no backslashes, but replaces variables: the
/// empty substring of %cd% keeps a percent sign from beginning one.
std::wstring in_quotes_for_batch(const std::wstring& argument) {
    std::wstring text = L"\"";
    for (const wchar_t c : argument) {
        if (c == L'%')
            text += L"%%cd:~,%";
        else if (c == L'"')
            text += L"\"\"";
        else
            text += c;
    }
    return text + L"\"";
}

bool is_same_name(std::wstring_view a, std::wstring_view b) {
    return CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(),
                                static_cast<int>(b.size()), TRUE) == CSTR_EQUAL;
}

bool ends_with(std::wstring_view text, std::wstring_view end) {
    return text.size() >= end.size() && is_same_name(text.substr(text.size() - end.size()), end);
}

bool has_folder(const std::wstring& name) { return name.find_first_of(L"\\/:") != name.npos; }

std::wstring system_folder() {
    std::array<wchar_t, MAX_PATH> path{};
    return {path.data(), GetSystemDirectoryW(path.data(), static_cast<UINT>(path.size()))};
}

std::wstring value_of(const wchar_t* variable) {
    std::wstring value(GetEnvironmentVariableW(variable, nullptr, 0), L'\0'); // with its NUL
    value.resize(GetEnvironmentVariableW(variable, value.data(), static_cast<DWORD>(value.size())));
    return value;
}

/// The folders in which Windows looks for programs, without the working directory, which may contain
/// files of another user.
std::wstring program_folders() {
    std::array<wchar_t, 4096> own{};
    const DWORD size = GetModuleFileNameW(nullptr, own.data(), static_cast<DWORD>(own.size()));
    std::wstring folders(own.data(), size < own.size() ? size : 0);
    folders.resize(std::min(folders.find_last_of(L'\\'), folders.size()));
    return folders + L";" + system_folder() + L";" + value_of(L"PATH");
}

/// The path of a program; empty: not found.
std::wstring find_file(const std::wstring& name, const wchar_t* extension) {
    std::array<wchar_t, 4096> path{};
    const std::wstring folders = has_folder(name) ? std::wstring() : program_folders();
    const DWORD size =
        SearchPathW(has_folder(name) ? nullptr : folders.c_str(), name.c_str(), extension,
                    static_cast<DWORD>(path.size()), path.data(), nullptr);
    return size == 0 || size >= path.size() ? std::wstring() : std::wstring(path.data(), size);
}

/// The path of the batch file that the name means; empty: it means a program. CreateProcess finds programs only,
/// but many programs, such as npx, are batch files.
std::wstring batch_file(const std::wstring& name) {
    if (ends_with(name, L".cmd") || ends_with(name, L".bat")) return find_file(name, nullptr);
    if (!find_file(name, L".exe").empty()) return {};
    for (const wchar_t* extension : {L".cmd", L".bat"})
        if (std::wstring path = find_file(name, extension); !path.empty()) return path;
    return {};
}

struct Command {
    std::wstring program; ///< empty: as in the line
    std::wstring line;
};

/// Nothing, with the problem, if the program is not found or the line cannot be written.
std::optional<Command> command_of(const std::vector<std::string>& command, std::string& problem) {
    std::wstring line;
    const std::wstring name = wide(command.front());
    const std::wstring batch = batch_file(name);
    if (batch.empty()) {
        for (const std::string& word : command)
            line += (line.empty() ? L"" : L" ") + in_quotes(wide(word));
        if (has_folder(name)) return Command{{}, line};
        std::wstring program = find_file(name, L".exe");
        if (program.empty()) {
            problem = words_of(ERROR_FILE_NOT_FOUND);
            return std::nullopt;
        }
        return Command{std::move(program), std::move(line)};
    }
    line = L"cmd.exe /e:ON /v:OFF /d /c \"" + in_quotes_for_batch(batch);
    for (std::size_t i = 1; i < command.size(); ++i) {
        const std::wstring word = wide(command[i]);
        if (word.find_first_of(L"\r\n") != std::wstring::npos) {
            problem = "an argument of a batch file contains a line break";
            return std::nullopt;
        }
        line += L" " + in_quotes_for_batch(word);
    }
    return Command{system_folder() + L"\\cmd.exe", line + L"\""};
}

/// Each variable with a NUL character after it, and one more at the end.
std::wstring block_of(const std::vector<std::string>& environment) {
    std::wstring all;
    for (const std::string& variable : environment) all.append(wide(variable)).push_back(L'\0');
    all.append(all.empty() ? 2 : 1, L'\0');
    return all;
}

/// Sets whether all processes of the job end when its last handle is closed, such as when this
/// process dies.
void set_end_with_us(HANDLE job, bool end) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = end ? JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE : 0;
    SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

/// The only handles that a program inherits.
class Inherited {
public:
    explicit Inherited(std::array<HANDLE, 3> handles) : handles_(handles) {
        SIZE_T size = 0;
        InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
        memory_.resize(size);
        if (InitializeProcThreadAttributeList(list(), 1, 0, &size) == 0) return;
        made_ = true;
        listed_ =
            UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                      sizeof handles_, nullptr, nullptr) != 0;
        for (HANDLE handle : handles_)
            listed_ = listed_ &&
                      SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) != 0;
    }
    ~Inherited() {
        if (made_) DeleteProcThreadAttributeList(list());
    }
    Inherited(const Inherited&) = delete;
    Inherited& operator=(const Inherited&) = delete;
    [[nodiscard]] bool ok() const { return listed_; }
    LPPROC_THREAD_ATTRIBUTE_LIST list() {
        return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.data());
    }

private:
    std::array<HANDLE, 3> handles_;
    std::vector<std::uint8_t> memory_;
    bool made_ = false;
    bool listed_ = false;
};

} // namespace

void close_handle(NativeHandle handle) noexcept { CloseHandle(handle); }

std::string last_error() { return words_of(GetLastError()); }

std::optional<Pipe> open_pipe(OurEnd ours) {
    // Anonymous pipes do not support overlapped operations.
    static std::atomic<unsigned> number{0};
    const std::wstring name = L"\\\\.\\pipe\\eyehand-" + std::to_wstring(GetCurrentProcessId()) +
                              L"-" + std::to_wstring(GetTickCount64()) + L"-" +
                              std::to_wstring(++number);
    const bool reads = ours == OurEnd::read;
    const HANDLE here = CreateNamedPipeW(name.c_str(),
                                         (reads ? PIPE_ACCESS_INBOUND : PIPE_ACCESS_OUTBOUND) |
                                             FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                         PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1,
                                         pipe_bytes, pipe_bytes, 0, nullptr);
    if (here == INVALID_HANDLE_VALUE) return std::nullopt;
    Handle our_end(here);
    const HANDLE there = CreateFileW(name.c_str(), reads ? GENERIC_WRITE : GENERIC_READ, 0, nullptr,
                                     OPEN_EXISTING, 0, nullptr);
    if (there == INVALID_HANDLE_VALUE) return std::nullopt;
    Handle their_end(there);
    Pipe pipe;
    pipe.read = std::move(reads ? our_end : their_end);
    pipe.write = std::move(reads ? their_end : our_end);
    return pipe;
}

void ignore_broken_pipes() {} // as always

std::vector<std::string> environment() {
    std::vector<std::string> all;
    wchar_t* const block = GetEnvironmentStringsW();
    for (const wchar_t* at = block; at != nullptr && *at != 0;) {
        const std::wstring_view text(at);
        at += text.size() + 1;
        all.push_back(base::to_utf8(text));
    }
    if (block != nullptr) FreeEnvironmentStringsW(block);
    return all;
}

std::vector<std::string> environment_without(const std::vector<std::string>& hidden) {
    std::vector<std::string> all = environment();
    std::erase_if(all, [&](const std::string& variable) {
        // From 1: variables of the system, such as the drives' folders, begin with "=".
        const std::wstring name = wide(variable.substr(0, variable.find('=', 1)));
        return std::ranges::any_of(
            hidden, [&](const std::string& one) { return is_same_name(wide(one), name); });
    });
    return all;
}

std::optional<ChildProcess> ChildProcess::start(const ProcessStart& start, std::string& problem) {
    const auto not_started = [&] {
        problem = last_error();
        return std::nullopt;
    };
    std::optional<Command> command = command_of(start.command, problem);
    if (!command) return std::nullopt;
    ChildProcess child;
    child.job_ = Handle(CreateJobObjectW(nullptr, nullptr));
    Inherited inherited({start.in, start.out, start.error});
    if (!child.job_.is_open() || !inherited.ok()) return not_started();
    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = start.in;
    startup.StartupInfo.hStdOutput = start.out;
    startup.StartupInfo.hStdError = start.error;
    startup.lpAttributeList = inherited.list();
    std::wstring environment = block_of(start.environment);
    PROCESS_INFORMATION info{};
    // Suspended, so that all processes that it starts are in the job.
    constexpr DWORD flags = CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT |
                            EXTENDED_STARTUPINFO_PRESENT;
    const DWORD error = base::create_process([&] {
        return CreateProcessW(
            command->program.empty() ? nullptr : command->program.c_str(), command->line.data(),
            nullptr, nullptr, TRUE, flags, environment.data(),
            start.folder.empty() ? nullptr : start.folder.c_str(), &startup.StartupInfo, &info);
    });
    if (error != ERROR_SUCCESS) {
        problem = words_of(error);
        return std::nullopt;
    }
    child.process_ = Handle(info.hProcess);
    const Handle thread(info.hThread);
    const bool in_job = AssignProcessToJobObject(child.job_.get(), child.process_.get()) != 0;
    // While it runs, the system ends it if this process dies.
    set_end_with_us(child.job_.get(), true);
    if (!in_job) child.job_.close();
    ResumeThread(thread.get());
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::move(other.process_)), job_(std::move(other.job_)) {}

bool ChildProcess::wait(unsigned long milliseconds) {
    return !process_.is_open() ||
           WaitForSingleObject(process_.get(), milliseconds) == WAIT_OBJECT_0;
}

bool ChildProcess::has_ended() { return wait(0); }

ProcessEnd ChildProcess::let_go() {
    ProcessEnd end;
    if (!process_.is_open()) return end;
    WaitForSingleObject(process_.get(), INFINITE);
    if (job_.is_open())
        set_end_with_us(job_.get(), false); // processes that it started may continue
    DWORD status = 0;
    GetExitCodeProcess(process_.get(), &status);
    end.status = static_cast<int>(status);
    process_.close();
    job_.close();
    return end;
}

void ChildProcess::terminate() { kill(); }

void ChildProcess::kill() {
    if (!process_.is_open()) return;
    if (!job_.is_open() || TerminateJobObject(job_.get(), 1) == 0)
        TerminateProcess(process_.get(), 1);
    // Limited, because the system cannot end a process that waits in a driver.
    WaitForSingleObject(process_.get(), longest_end);
    process_.close();
    job_.close();
}

} // namespace eyehand::agent
