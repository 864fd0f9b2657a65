// Runs a program to its end, or to its time's.
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
    std::vector<std::string> command{};          ///< the program and its arguments, UTF-8
    std::filesystem::path folder{};              ///< empty: that of this process
    std::string input{};                         ///< the whole of its standard input
    std::vector<std::string> hidden_variables{}; ///< of this process's environment; UTF-8
    std::chrono::milliseconds timeout{30000};
    std::size_t max_output = 16000; ///< bytes that are kept of the beginning of standard output
    std::size_t max_error = 2000;   ///< and of the end of standard error
    /// Asked every few milliseconds: whether to break it off.
    std::function<bool()> stop{};
};

struct ProgramEnd {
    enum class How {
        exited, ///< with `status`
        killed, ///< by somebody else; `status` is the signal
        timed_out,
        stopped,
        not_started, ///< `problem` says why
    };
    How how = How::not_started;
    int status = 0;
    std::string problem{};
    std::string out{};
    std::uintmax_t out_bytes = 0; ///< all that it wrote
    std::string error_end{};
};

/// The program gets no open file but its three streams, and no signal that this process ignores or
/// blocks. When it has to be ended, all processes of its group (Windows: job) are killed. When it
/// ends by itself, what it started may go on. Nothing of it is left behind: no zombie, no handle.
[[nodiscard]] ProgramEnd run_program(const ProgramCall& call);

/// Keeps what is kept of a program's two streams.
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
