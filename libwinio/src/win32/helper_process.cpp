#include "win32/helper_process.hpp"

#include "eyehand/base/create_process.hpp"
#include "eyehand/base/utf16.hpp"
#include "eyehand/winio/error.hpp"
#include "win32/system_text.hpp"

#include <windows.h>

#include <array>
#include <memory>
#include <utility>

namespace eyehand::winio {
namespace {

using win32::KernelObject;

constexpr DWORD time_to_end = 1000; // milliseconds

[[noreturn]] void fail(const std::string& program, DWORD error) {
    throw Error(errc::launch_failed, "the watchdog \"" + program +
                                         "\" cannot be started: " + win32::describe_error(error));
}

// As CommandLineToArgvW reads it: a backslash is special only before a quote.
std::wstring in_quotes(std::wstring_view word) {
    std::wstring text = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t character : word) {
        if (character == L'\\') {
            ++backslashes;
            continue;
        }
        text.append(character == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
        backslashes = 0;
        text += character;
    }
    text.append(2 * backslashes, L'\\');
    return text + L'"';
}

struct Pipe {
    KernelObject reader;
    KernelObject writer;
};

Pipe make_pipe(const std::string& program) {
    HANDLE reader = nullptr;
    HANDLE writer = nullptr;
    if (CreatePipe(&reader, &writer, nullptr, 0) == 0) fail(program, GetLastError());
    return {KernelObject(reader), KernelObject(writer)};
}

// The handles that a process inherits, and no others: without this list, a program that another
// thread starts would inherit them, too.
class InheritedHandles {
public:
    explicit InheritedHandles(std::array<HANDLE, 2> handles) : handles_(handles) {
        SIZE_T size = 0;
        InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
        memory_ = std::make_unique<std::byte[]>(size);
        list_ = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.get());
        if (InitializeProcThreadAttributeList(list_, 1, 0, &size) == 0) list_ = nullptr;
        if (list_ != nullptr)
            UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                      sizeof handles_, nullptr, nullptr);
        for (const HANDLE handle : handles_)
            SetHandleInformation(handle, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
    }
    ~InheritedHandles() {
        if (list_ != nullptr) DeleteProcThreadAttributeList(list_);
    }
    InheritedHandles(const InheritedHandles&) = delete;
    InheritedHandles& operator=(const InheritedHandles&) = delete;
    [[nodiscard]] LPPROC_THREAD_ATTRIBUTE_LIST get() const { return list_; }

private:
    std::array<HANDLE, 2> handles_;
    std::unique_ptr<std::byte[]> memory_;
    LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
};

} // namespace

namespace win32 {

Win32HelperProcess::Win32HelperProcess(const std::vector<std::string>& command) {
    if (command.empty()) fail({}, ERROR_INVALID_PARAMETER);
    Pipe to = make_pipe(command.front());
    Pipe from = make_pipe(command.front());
    if (const DWORD error = start(command, to.reader.get(), from.writer.get()))
        fail(command.front(), error);
    to_ = std::move(to.writer);
    from_ = std::move(from.reader);
}

Win32HelperProcess::~Win32HelperProcess() {
    to_ = KernelObject();
    WaitForSingleObject(process_.get(), time_to_end);
}

bool Win32HelperProcess::send(std::string_view text) {
    DWORD written = 0;
    return WriteFile(to_.get(), text.data(), static_cast<DWORD>(text.size()), &written, nullptr) !=
               0 &&
           written == text.size();
}

bool Win32HelperProcess::has_answered() {
    DWORD waiting = 0;
    if (PeekNamedPipe(from_.get(), nullptr, 0, nullptr, &waiting, nullptr) == 0 || waiting == 0)
        return false;
    std::array<char, 16> bytes{};
    return receive(bytes) > 0;
}

std::size_t Win32HelperProcess::receive(std::span<char> into) {
    DWORD size = 0;
    if (ReadFile(from_.get(), into.data(), static_cast<DWORD>(into.size()), &size, nullptr) == 0)
        return 0;
    return size;
}

void Win32HelperProcess::end() {
    to_ = KernelObject();
    if (WaitForSingleObject(process_.get(), time_to_end) == WAIT_TIMEOUT)
        TerminateProcess(process_.get(), 1);
}

DWORD Win32HelperProcess::start(const std::vector<std::string>& command, HANDLE input,
                                HANDLE output) {
    std::wstring line;
    for (const std::string& word : command)
        line += (line.empty() ? L"" : L" ") + in_quotes(base::to_wide(word));
    const InheritedHandles inherited({input, output});
    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = input;
    startup.StartupInfo.hStdOutput = output;
    startup.lpAttributeList = inherited.get();
    constexpr DWORD flags = DETACHED_PROCESS | EXTENDED_STARTUPINFO_PRESENT;
    // A job that ends all its processes would end the watchdog together with this program. Some
    // jobs keep their processes; the watchdog then only helps if this program ends alone.
    for (const DWORD out_of_job : {DWORD{CREATE_BREAKAWAY_FROM_JOB}, DWORD{0}}) {
        PROCESS_INFORMATION started{};
        const DWORD error = base::create_process([&] {
            return CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, flags | out_of_job,
                                  nullptr, nullptr, &startup.StartupInfo, &started);
        });
        if (error == ERROR_SUCCESS) {
            const KernelObject thread(started.hThread);
            process_ = KernelObject(started.hProcess);
        }
        if (error != ERROR_ACCESS_DENIED) return error;
    }
    return ERROR_ACCESS_DENIED;
}

} // namespace win32

std::unique_ptr<HelperProcess> start_helper(const std::vector<std::string>& command) {
    return std::make_unique<win32::Win32HelperProcess>(command);
}

namespace helper {

// Anonymous pipes have no timeouts, so a read with a deadline polls.
std::optional<std::size_t> read(std::span<char> into,
                                std::optional<std::chrono::steady_clock::time_point> deadline) {
    constexpr DWORD interval = 5; // milliseconds
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    while (deadline) {
        const bool is_last = std::chrono::steady_clock::now() >= *deadline;
        DWORD waiting = 0;
        if (PeekNamedPipe(input, nullptr, 0, nullptr, &waiting, nullptr) == 0) return 0;
        if (waiting > 0) break;
        if (is_last) return std::nullopt;
        Sleep(interval);
    }
    DWORD size = 0;
    if (ReadFile(input, into.data(), static_cast<DWORD>(into.size()), &size, nullptr) == 0)
        return 0; // the other end is closed
    return size;
}

void answer(char byte) {
    DWORD written = 0;
    WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), &byte, 1, &written, nullptr);
}

// A process without a console gets none.
void ignore_signals() {}
void heed_signals() {}

} // namespace helper
} // namespace eyehand::winio
