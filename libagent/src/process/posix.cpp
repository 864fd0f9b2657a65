#include "process/child_process.hpp"

#include "eyehand/base/posix_spawn.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX requires the declaration

namespace eyehand::agent {
namespace {

/// A descriptor above 2: if this process has closed its standard streams, the system reuses their
/// numbers, which the program's streams would overwrite.
Handle above_streams(Handle descriptor) {
    if (!descriptor.is_open() || descriptor.get() > STDERR_FILENO) return descriptor;
    return Handle(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// The texts of `words`, and a null pointer, for functions of C.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> all;
    all.reserve(words.size() + 1);
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

} // namespace

void close_handle(NativeHandle handle) noexcept { ::close(handle); }

std::string last_error() { return std::generic_category().message(errno); }

std::optional<Pipe> open_pipe(OurEnd) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    Pipe pipe{above_streams(Handle(ends[0])), above_streams(Handle(ends[1]))};
    if (!pipe.read.is_open() || !pipe.write.is_open()) return std::nullopt;
    return pipe;
}

void ignore_broken_pipes() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

std::vector<std::string> environment() {
    std::vector<std::string> all;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
        all.emplace_back(*variable);
    return all;
}

std::vector<std::string> environment_without(const std::vector<std::string>& hidden) {
    std::vector<std::string> all = environment();
    std::erase_if(all, [&](const std::string& variable) {
        return std::ranges::find(hidden, variable.substr(0, variable.find('='))) != hidden.end();
    });
    return all;
}

std::optional<ChildProcess> ChildProcess::start(const ProcessStart& start, std::string& problem) {
    base::SpawnActions actions;
    posix_spawn_file_actions_adddup2(actions.get(), start.in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), start.out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), start.error, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(actions.get(), STDERR_FILENO + 1);
    if (!start.folder.empty())
        posix_spawn_file_actions_addchdir_np(actions.get(), start.folder.c_str());
    base::SpawnAttributes attributes(POSIX_SPAWN_SETPGROUP); // to kill all its processes
    std::vector<std::string> words = start.command;
    std::vector<std::string> variables = start.environment;
    const std::vector<char*> arguments = pointers_to(words);
    const std::vector<char*> environment = pointers_to(variables);
    pid_t id = 0;
    const int refused = posix_spawnp(&id, arguments[0], actions.get(), attributes.get(),
                                     arguments.data(), environment.data());
    if (refused != 0) {
        problem = std::generic_category().message(refused);
        return std::nullopt;
    }
    ChildProcess child;
    child.id_ = id;
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, 0)) {}

bool ChildProcess::has_ended() {
    if (id_ == 0) return true;
    siginfo_t info{};
    // It stays a zombie, so that its number and its group stay valid.
    if (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno != EINTR; // ECHILD: this process ignores the end of its children
    return info.si_pid != 0;
}

ProcessEnd ChildProcess::let_go() {
    ProcessEnd end;
    if (id_ == 0) return end;
    int status = 0;
    pid_t result = 0;
    do {
        result = waitpid(id_, &status, 0);
    } while (result < 0 && errno == EINTR);
    id_ = 0;
    if (result < 0)
        end.status = -1; // this process ignores the end of its children
    else if (WIFSIGNALED(status))
        end = {true, WTERMSIG(status)};
    else
        end.status = WEXITSTATUS(status);
    return end;
}

void ChildProcess::terminate() {
    if (id_ != 0) ::kill(-id_, SIGTERM);
}

void ChildProcess::kill() {
    if (id_ == 0) return;
    // The process id stays valid until waitpid. The program may have left its group.
    ::kill(-id_, SIGKILL);
    ::kill(id_, SIGKILL);
    (void)let_go();
}

} // namespace eyehand::agent
