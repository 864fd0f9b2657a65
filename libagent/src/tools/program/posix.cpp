#include "tools/program/run_program.hpp"

#include "eyehand/base/posix_spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX requires the declaration

namespace eyehand::agent {
namespace {

using Clock = std::chrono::steady_clock;
using How = ProgramEnd::How;

constexpr int look_every = 10; // ms: interval of checks for the end of the program and for a stop

std::string words_of(int error) { return std::generic_category().message(error); }

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    [[nodiscard]] int get() const { return number_; }
    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    void close() {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }

private:
    int number_ = -1;
};

/// A descriptor above 2: if this process has closed its standard streams, the system reuses their
/// numbers, which the program's streams would overwrite.
Descriptor above_streams(Descriptor descriptor) {
    if (!descriptor.is_open() || descriptor.get() > STDERR_FILENO) return descriptor;
    return Descriptor(fcntl(descriptor.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

struct Pipe {
    Descriptor read;
    Descriptor write;
};

std::optional<Pipe> open_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
    Pipe pipe{above_streams(Descriptor(ends[0])), above_streams(Descriptor(ends[1]))};
    if (!pipe.read.is_open() || !pipe.write.is_open() ||
        fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK) != 0)
        return std::nullopt;
    return pipe;
}

/// A file without a name, at its beginning: unlike a pipe, it can be filled without a reader.
Descriptor file_with(const std::string& text) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    if (!file) return {};
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fflush(file.get()) != 0 || lseek(fileno(file.get()), 0, SEEK_SET) != 0)
        return {};
    return Descriptor(fcntl(fileno(file.get()), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// This process's environment without the hidden variables: "NAME=value" each, and a null pointer.
std::vector<char*> environment_without(const std::vector<std::string>& hidden) {
    std::vector<char*> all;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const std::string_view name = text.substr(0, text.find('='));
        if (std::find(hidden.begin(), hidden.end(), name) == hidden.end()) all.push_back(*variable);
    }
    all.push_back(nullptr);
    return all;
}

/// A started program; the destructor kills it and waits for its end unless it has ended.
class Child {
public:
    explicit Child(pid_t id) : id_(id) {}
    ~Child() { kill(); }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Whether it has ended by itself; then sets `end`.
    bool ended(ProgramEnd& end) {
        int status = 0;
        const pid_t result = waitpid(id_, &status, WNOHANG);
        if (result == 0 || (result < 0 && errno == EINTR)) return false;
        id_ = 0;
        end.how = How::exited;
        if (result < 0)
            end.status = -1; // this process ignores the end of its children
        else if (WIFSIGNALED(status))
            end.how = How::killed, end.status = WTERMSIG(status);
        else
            end.status = WEXITSTATUS(status);
        return true;
    }
    void kill() {
        if (id_ == 0) return;
        // The process id stays valid until waitpid. The program may have left its group.
        ::kill(-id_, SIGKILL);
        ::kill(id_, SIGKILL);
        int status = 0;
        while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
        }
        id_ = 0;
    }

private:
    pid_t id_;
};

/// Reads the available data, with a limit, because a program may write faster than this reads.
template <class Take>
void read_some(Descriptor& from, Take take) {
    std::array<char, 16384> bytes{};
    for (int times = 0; from.is_open() && times < 64; ++times) {
        const ssize_t count = read(from.get(), bytes.data(), bytes.size());
        if (count > 0) {
            take(std::string_view(bytes.data(), static_cast<std::size_t>(count)));
        } else {
            if (count == 0 || (errno != EAGAIN && errno != EINTR)) from.close();
            return;
        }
    }
}

} // namespace

ProgramEnd run_program(const ProgramCall& call) {
    ProgramEnd end;
    const auto not_started = [&](int error) {
        end.problem = words_of(error);
        return end;
    };
    Descriptor in = file_with(call.input);
    if (!in.is_open()) return not_started(errno);
    std::optional<Pipe> out = open_pipe();
    std::optional<Pipe> error = open_pipe();
    if (!out || !error) return not_started(errno);

    base::SpawnActions actions;
    posix_spawn_file_actions_adddup2(actions.get(), in.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), out->write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), error->write.get(), STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(actions.get(), STDERR_FILENO + 1);
    if (!call.folder.empty())
        posix_spawn_file_actions_addchdir_np(actions.get(), call.folder.c_str());
    base::SpawnAttributes attributes(POSIX_SPAWN_SETPGROUP); // to kill all its processes
    std::vector<std::string> words = call.command;
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<char*> environment = environment_without(call.hidden_variables);
    pid_t id = 0;
    const int refused = posix_spawnp(&id, arguments[0], actions.get(), attributes.get(),
                                     arguments.data(), environment.data());
    if (refused != 0) return not_started(refused);
    Child child(id);
    in.close();
    out->write.close();
    error->write.close();

    const ProgramOutput output(call);
    const auto read_both = [&] {
        read_some(out->read, [&](std::string_view bytes) { output.out(bytes, end); });
        read_some(error->read, [&](std::string_view bytes) { output.error(bytes, end); });
    };
    const Clock::time_point until = Clock::now() + call.timeout;
    while (true) {
        // A closed descriptor is -1, which poll ignores.
        std::array<pollfd, 2> ready{pollfd{out->read.get(), POLLIN, 0},
                                    pollfd{error->read.get(), POLLIN, 0}};
        poll(ready.data(), ready.size(), look_every);
        read_both();
        if (child.ended(end)) {
            read_both(); // the last output; its children may keep the pipes open for hours
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
    child.kill();
    read_both();
    return end;
}

} // namespace eyehand::agent
