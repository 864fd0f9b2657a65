#include "tools/program/run_program.hpp"

#include "eyehand/base/utf16.hpp"
#include "eyehand/base/utf8.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace eyehand::agent {
namespace {

using Clock = std::chrono::steady_clock;
using How = ProgramEnd::How;

constexpr DWORD look_every = 10;    // ms: interval of checks for its end, its output, and a stop
constexpr DWORD longest_end = 5000; // ms: maximum wait after a kill, which usually takes a few

struct CloseHandleOf {
    using pointer = HANDLE;
    void operator()(HANDLE handle) const {
        if (handle != nullptr && handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    }
};
using Handle = std::unique_ptr<HANDLE, CloseHandleOf>;

bool is_open(const Handle& handle) {
    return handle.get() != nullptr && handle.get() != INVALID_HANDLE_VALUE;
}

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

bool is_same_name(std::wstring_view a, std::wstring_view b) {
    return CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(),
                                static_cast<int>(b.size()), TRUE) == CSTR_EQUAL;
}

/// This process's environment without the hidden variables: "NAME=value" each, with a NUL character
/// after each and one more at the end.
std::wstring environment_without(const std::vector<std::string>& hidden) {
    const auto free = [](wchar_t* block) { FreeEnvironmentStringsW(block); };
    const std::unique_ptr<wchar_t, decltype(free)> block(GetEnvironmentStringsW(), free);
    std::wstring all;
    for (const wchar_t* at = block.get(); at != nullptr && *at != 0;) {
        const std::wstring_view text(at);
        at += text.size() + 1;
        // From 1: variables of the system, such as the drives' folders, begin with "=".
        const std::wstring_view name = text.substr(0, text.find(L'=', 1));
        if (std::none_of(hidden.begin(), hidden.end(),
                         [&](const std::string& one) { return is_same_name(wide(one), name); }))
            all.append(text).push_back(L'\0');
    }
    all.append(all.empty() ? 2 : 1, L'\0');
    return all;
}

SECURITY_ATTRIBUTES inheritable() { return {sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE}; }

struct Pipe {
    Handle read;
    Handle write; ///< inherited
};

std::optional<Pipe> open_pipe() {
    SECURITY_ATTRIBUTES inherit = inheritable();
    HANDLE read = nullptr;
    HANDLE write = nullptr;
    if (CreatePipe(&read, &write, &inherit, 0) == 0) return std::nullopt;
    Pipe pipe{Handle(read), Handle(write)};
    if (SetHandleInformation(read, HANDLE_FLAG_INHERIT, 0) == 0) return std::nullopt;
    return pipe;
}

/// A file that is deleted with its handle: unlike a pipe, it can be filled without a reader.
Handle file_with(const std::string& text) {
    std::array<wchar_t, MAX_PATH + 1> folder{};
    std::array<wchar_t, MAX_PATH + 1> name{};
    if (GetTempPathW(static_cast<DWORD>(folder.size()), folder.data()) == 0 ||
        GetTempFileNameW(folder.data(), L"eye", 0, name.data()) == 0)
        return {};
    SECURITY_ATTRIBUTES inherit = inheritable();
    Handle file(CreateFileW(name.data(), GENERIC_READ | GENERIC_WRITE,
                            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherit,
                            CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE,
                            nullptr));
    if (!is_open(file)) return {};
    DWORD written = 0;
    if (WriteFile(file.get(), text.data(), static_cast<DWORD>(text.size()), &written, nullptr) ==
            0 ||
        written != text.size() ||
        SetFilePointer(file.get(), 0, nullptr, FILE_BEGIN) == INVALID_SET_FILE_POINTER)
        return {};
    return file;
}

/// Sets whether all processes of the job end when its last handle is closed, such as when this
/// process dies.
void set_end_with_us(const Handle& job, bool end) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = end ? JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE : 0;
    SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
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

/// Reads the available data, with a limit, because a program may write faster than this reads.
template <class Take>
void read_some(const Handle& from, Take take) {
    std::array<char, 16384> bytes{};
    for (int times = 0; times < 64; ++times) {
        DWORD there = 0;
        DWORD count = 0;
        if (PeekNamedPipe(from.get(), nullptr, 0, nullptr, &there, nullptr) == 0 || there == 0)
            return;
        const DWORD max = std::min(there, static_cast<DWORD>(bytes.size()));
        if (ReadFile(from.get(), bytes.data(), max, &count, nullptr) == 0 || count == 0) return;
        take(std::string_view(bytes.data(), count));
    }
}

} // namespace

ProgramEnd run_program(const ProgramCall& call) {
    ProgramEnd end;
    const auto not_started = [&](DWORD error) {
        end.problem = words_of(error);
        return end;
    };
    Handle in = file_with(call.input);
    if (!is_open(in)) return not_started(GetLastError());
    std::optional<Pipe> out = open_pipe();
    std::optional<Pipe> error = open_pipe();
    if (!out || !error) return not_started(GetLastError());
    const Handle job(CreateJobObjectW(nullptr, nullptr));
    Inherited inherited({in.get(), out->write.get(), error->write.get()});
    if (!is_open(job) || !inherited.ok()) return not_started(GetLastError());

    std::wstring command;
    for (const std::string& word : call.command)
        command += (command.empty() ? L"" : L" ") + in_quotes(wide(word));
    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = in.get();
    startup.StartupInfo.hStdOutput = out->write.get();
    startup.StartupInfo.hStdError = error->write.get();
    startup.lpAttributeList = inherited.list();
    std::wstring environment = environment_without(call.hidden_variables);
    PROCESS_INFORMATION info{};
    // Suspended, so that all processes that it starts are in the job.
    if (CreateProcessW(nullptr, command.data(), nullptr, nullptr, TRUE,
                       CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT |
                           EXTENDED_STARTUPINFO_PRESENT,
                       environment.data(), call.folder.empty() ? nullptr : call.folder.c_str(),
                       &startup.StartupInfo, &info) == 0)
        return not_started(GetLastError());
    const Handle process(info.hProcess);
    const Handle thread(info.hThread);
    const bool in_job = AssignProcessToJobObject(job.get(), process.get()) != 0;
    // While it runs, the system ends it if this process dies.
    set_end_with_us(job, true);
    ResumeThread(thread.get());
    in.reset();
    out->write.reset();
    error->write.reset();

    const ProgramOutput output(call);
    const auto read_both = [&] {
        read_some(out->read, [&](std::string_view bytes) { output.out(bytes, end); });
        read_some(error->read, [&](std::string_view bytes) { output.error(bytes, end); });
    };
    const Clock::time_point until = Clock::now() + call.timeout;
    while (true) {
        const bool ended = WaitForSingleObject(process.get(), look_every) == WAIT_OBJECT_0;
        read_both(); // also the last output; its children may keep the pipes open for hours
        if (ended) {
            set_end_with_us(job, false); // processes that it started may continue
            DWORD status = 0;
            GetExitCodeProcess(process.get(), &status);
            end.how = How::exited;
            end.status = static_cast<int>(status);
            return end;
        }
        if (call.stop && call.stop()) {
            end.how = How::stopped;
            break;
        }
        if (Clock::now() >= until) {
            end.how = How::timed_out;
            break;
        }
    }
    if (!in_job || TerminateJobObject(job.get(), 1) == 0) TerminateProcess(process.get(), 1);
    // Limited, because the system cannot end a process that waits in a driver.
    WaitForSingleObject(process.get(), longest_end);
    read_both();
    return end;
}

} // namespace eyehand::agent
