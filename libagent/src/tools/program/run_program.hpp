// Runs a program until it ends or its time is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

struct ProgramCall {
    std::vector<std::string> command{}; ///< the program and its arguments, UTF-8
    std::filesystem::path folder{};     ///< the working directory; empty: that of this process
    std::string input{};                ///< its complete standard input
    std::vector<std::string> hidden_variables{}; ///< variables to hide from the program; UTF-8
    std::chrono::milliseconds timeout{30000};
    std::size_t max_output = 16000; ///< bytes to keep from the beginning of standard output
    std::size_t max_error = 2000;   ///< bytes to keep from the end of standard error
    /// Called every few milliseconds; returns true to kill the program.
    std::function<bool()> stop{};
};

struct ProgramEnd {
    enum class How {
        exited, ///< with `status`
        killed, ///< by another process; `status` is the signal
        timed_out,
        stopped,
        not_started, ///< `problem` says why
    };
    How how = How::not_started;
    int status = 0;
    std::string problem{};
    std::string out{};
    std::uintmax_t out_bytes = 0; ///< total length of its standard output
    std::string error_end{};
};

/// The program inherits only its three standard streams, and no ignored or blocked signals. To end
/// it, all processes of its group (Windows: job) are killed. If it ends by itself, processes that
/// it started may continue. No zombie and no handle is left.
[[nodiscard]] ProgramEnd run_program(const ProgramCall& call);

/// Collects the output of a program up to the limits.
class ProgramOutput {
public:
    explicit ProgramOutput(const ProgramCall& call)
        : max_output_(call.max_output), max_error_(call.max_error) {}

    void out(std::string_view bytes, ProgramEnd& end) const {
        end.out_bytes += bytes.size();
        end.out += bytes.substr(0, max_output_ - end.out.size());
    }
    void error(std::string_view bytes, ProgramEnd& end) const {
        end.error_end += bytes;
        if (end.error_end.size() > max_error_)
            end.error_end.erase(0, end.error_end.size() - max_error_);
    }

private:
    std::size_t max_output_;
    std::size_t max_error_;
};

} // namespace eyehand::agent
