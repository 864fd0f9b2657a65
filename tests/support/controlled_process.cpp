#include "controlled_process.hpp"

#include "catch.hpp"
#include "eventually.hpp"

#include <stdexcept>
#include <utility>

#ifdef _WIN32
#include "eyehand/base/create_process.hpp"
#include "eyehand/base/utf16.hpp"

// windows.h comes first.
#include <windows.h>

#include <tlhelp32.h>
#else
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace test {

#ifdef _WIN32

namespace {

/// Suspends or resumes all threads of a process; Windows documents such functions only for threads.
using ChangeProcess = LONG(NTAPI*)(HANDLE);

ChangeProcess system_function(const char* name) {
    const FARPROC function = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), name);
    if (function == nullptr) throw std::runtime_error(std::string("no function ") + name);
    return reinterpret_cast<ChangeProcess>(reinterpret_cast<void*>(function));
}

bool runs(const std::wstring& program) {
    const HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    PROCESSENTRY32W entry{};
    entry.dwSize = sizeof entry;
    bool found = false;
    for (BOOL more = Process32FirstW(all, &entry); more != 0 && !found;
         more = Process32NextW(all, &entry))
        found = program == entry.szExeFile;
    CloseHandle(all);
    return found;
}

} // namespace

class ControlledProcess::Impl {
public:
    Impl(const std::filesystem::path& program, const std::vector<std::string>& arguments)
        : name_(program.filename().wstring() + L".exe") {
        std::wstring line = L"\"" + program.wstring() + L".exe\"";
        for (const std::string& argument : arguments)
            line += L" \"" + eyehand::base::to_wide(argument) + L"\"";
        STARTUPINFOW startup{};
        startup.cb = sizeof startup;
        PROCESS_INFORMATION started{};
        const DWORD refusal = eyehand::base::create_process([&] {
            return CreateProcessW(nullptr, line.data(), nullptr, nullptr, FALSE, DETACHED_PROCESS,
                                  nullptr, nullptr, &startup, &started);
        });
        if (refusal != ERROR_SUCCESS)
            throw std::runtime_error(program.string() + " does not start");
        CloseHandle(started.hThread);
        process_ = started.hProcess;
    }
    ~Impl() { CloseHandle(process_); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void end() const {
        kill();
        WaitForSingleObject(process_, INFINITE);
        CHECK(eventually([&] { return !runs(name_); }));
    }
    void kill() const { TerminateProcess(process_, 9); }
    void suspend() const { CHECK(system_function("NtSuspendProcess")(process_) == 0); }
    void resume() const { CHECK(system_function("NtResumeProcess")(process_) == 0); }
    [[nodiscard]] int wait() const {
        WaitForSingleObject(process_, INFINITE);
        DWORD status = 0;
        GetExitCodeProcess(process_, &status);
        return static_cast<int>(status);
    }

private:
    std::wstring name_;
    HANDLE process_ = nullptr;
};

#else

class ControlledProcess::Impl {
public:
    Impl(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
        // Processes whose parent has ended become children of this one.
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        std::vector<std::string> words{program.string()};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        if (posix_spawn(&process_, argv[0], nullptr, nullptr, argv.data(), environ) != 0)
            throw std::runtime_error(program.string() + " does not start");
    }
    ~Impl() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void end() {
        if (process_ != 0) {
            kill();
            static_cast<void>(wait());
        }
        CHECK(eventually([] {
            while (waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
        }));
    }
    void kill() const { ::kill(process_, SIGKILL); }
    void suspend() const { ::kill(process_, SIGSTOP); }
    void resume() const { ::kill(process_, SIGCONT); }
    [[nodiscard]] int wait() {
        int status = 0;
        waitpid(std::exchange(process_, 0), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t process_ = 0;
};

#endif

ControlledProcess::ControlledProcess(const std::filesystem::path& program,
                                     const std::vector<std::string>& arguments)
    : impl_(std::make_unique<Impl>(program, arguments)) {}
ControlledProcess::~ControlledProcess() { end(); }
void ControlledProcess::end() { impl_->end(); }
void ControlledProcess::kill() { impl_->kill(); }
void ControlledProcess::suspend() { impl_->suspend(); }
void ControlledProcess::resume() { impl_->resume(); }
int ControlledProcess::wait() { return impl_->wait(); }

} // namespace test
