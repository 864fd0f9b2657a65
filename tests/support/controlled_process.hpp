// A program that a test ends or suspends from outside.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace test {

class ControlledProcess {
public:
    /// Starts `program` (without ".exe"), with this test's streams. Arguments are UTF-8 without quotes.
    ControlledProcess(const std::filesystem::path& program,
                      const std::vector<std::string>& arguments);
    ~ControlledProcess(); ///< as `end`
    ControlledProcess(const ControlledProcess&) = delete;
    ControlledProcess& operator=(const ControlledProcess&) = delete;

    /// Kills it, and waits until the processes that it has started have ended by themselves. On Linux,
    /// these are all remaining children of this test; on Windows, all processes of the same program.
    void end();
    void kill();    ///< SIGKILL, TerminateProcess
    void suspend(); ///< all its threads
    void resume();
    /// Waits until it ends, and returns its exit status.
    [[nodiscard]] int wait();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace test
