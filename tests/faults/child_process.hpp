// A program that runs while the test does something to it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fault_tests {

struct ChildOptions {
    std::vector<std::string> command; ///< with the environment of the test
    std::filesystem::path folder;     ///< its working directory
    std::filesystem::path output;     ///< receives standard output and standard error
};

/// The destructor kills it.
class ChildProcess {
public:
    explicit ChildProcess(const ChildOptions& options);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    [[nodiscard]] pid_t id() const { return process_; }
    void send(int signal) const;
    /// Waits until SIGSTOP has stopped it.
    void wait_until_stopped() const;
    /// Waits for its end. The exit status as a shell reports it: 128 + N after signal N.
    int wait();

private:
    pid_t process_;
    bool ended_ = false;
    int exit_code_ = 0;
};

} // namespace fault_tests
