// Starts programs: what the tools of a run and the clients of other programs share.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::agent {

#ifdef _WIN32
using NativeHandle = void*; // HANDLE
inline const NativeHandle no_handle = nullptr;
#else
using NativeHandle = int;
inline constexpr NativeHandle no_handle = -1;
#endif

void close_handle(NativeHandle handle) noexcept;

/// Owns a descriptor, or on Windows a handle.
class Handle {
public:
    Handle() = default;
    explicit Handle(NativeHandle handle) : handle_(handle) {}
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, no_handle)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { close(); }
    [[nodiscard]] NativeHandle get() const { return handle_; }
    [[nodiscard]] NativeHandle release() { return std::exchange(handle_, no_handle); }
    [[nodiscard]] bool is_open() const { return handle_ != no_handle; }
    void close() {
        if (is_open()) close_handle(std::exchange(handle_, no_handle));
    }

private:
    NativeHandle handle_ = no_handle;
};

/// No program inherits an end, except those that ProcessStart names.
struct Pipe {
    Handle read;
    Handle write;
};

/// Which end of a pipe belongs to this process.
enum class OurEnd { read, write };
/// On Windows, only our end of such a pipe supports overlapped operations. Returns nothing on failure, which
/// `last_error` then describes.
[[nodiscard]] std::optional<Pipe> open_pipe(OurEnd ours);
[[nodiscard]] std::string last_error();

/// After that, a write of this thread to a pipe without a reader fails, instead of ending this process.
void ignore_broken_pipes();

/// This process's variables: "NAME=value" each, UTF-8.
[[nodiscard]] std::vector<std::string> environment();
/// Without the variables with these names, whose case does not matter on Windows.
[[nodiscard]] std::vector<std::string> environment_without(const std::vector<std::string>& hidden);

struct ProcessStart {
    std::vector<std::string> command{};     ///< the program and its arguments, UTF-8
    std::filesystem::path folder{};         ///< the working directory; empty: that of this process
    std::vector<std::string> environment{}; ///< the complete one: "NAME=value" each, UTF-8
    NativeHandle in = no_handle;            ///< standard streams: the program inherits nothing else
    NativeHandle out = no_handle;
    NativeHandle error = no_handle;
};

struct ProcessEnd {
    bool killed = false; ///< by a signal
    int status = 0;      ///< the exit code or the signal
};

/// A program in a process group (Windows: job) of its own. It blocks and ignores no signals. On Windows, a
/// program that is a .cmd or .bat file is found and started like others, and all its processes end with this
/// process. Not thread-safe.
class ChildProcess {
public:
    /// Returns nothing if the program cannot be started, with the reason in `problem`.
    [[nodiscard]] static std::optional<ChildProcess> start(const ProcessStart& start,
                                                           std::string& problem);
    ~ChildProcess() { kill(); }
    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&&) = delete;
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Whether it has ended by itself.
    [[nodiscard]] bool has_ended();
#ifdef _WIN32
    /// The same after a wait of at most this time; other systems wait for its output instead.
    [[nodiscard]] bool wait(unsigned long milliseconds);
#endif
    /// How it ended, after `has_ended`. Processes that it started may continue, even if this process ends;
    /// `kill` no longer has an effect.
    ProcessEnd let_go();
    /// Asks the processes of the group to end. On Windows, which knows no such request: `kill`.
    void terminate();
    /// Ends the processes of the group, also if the program itself has ended, and waits for the program.
    void kill();

private:
    ChildProcess() = default;
#ifdef _WIN32
    Handle process_;
    Handle job_; ///< not open: the program is not in a job
#else
    int id_ = 0; ///< 0: has ended, and the system may use its number again
#endif
};

} // namespace eyehand::agent
