#include "child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

extern char** environ; // NOLINT

namespace fault_tests {
namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

} // namespace

ChildProcess::ChildProcess(const ChildOptions& options) {
    std::vector<std::string> words = options.command;
    const std::vector<char*> arguments = pointers_to(words);
    posix_spawn_file_actions_t files{};
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, options.output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&files, options.folder.c_str());
    // Otherwise it would keep the sockets of the test's server open.
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    const int error =
        posix_spawnp(&process_, arguments[0], &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::runtime_error("not started: " + options.command[0]);
}

ChildProcess::~ChildProcess() {
    if (ended_) return;
    send(SIGKILL);
    (void)wait();
}

void ChildProcess::send(int signal) const { ::kill(process_, signal); }

void ChildProcess::wait_until_stopped() const {
    siginfo_t stopped{};
    waitid(P_PID, static_cast<id_t>(process_), &stopped, WSTOPPED);
}

int ChildProcess::wait() {
    if (ended_) return exit_code_;
    int status = 0;
    waitpid(process_, &status, 0); // CTest has the time limit
    ended_ = true;
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return exit_code_;
}

} // namespace fault_tests
