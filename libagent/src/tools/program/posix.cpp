#include "process/child_process.hpp"
#include "tools/program/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>

namespace eyehand::agent {
namespace {

using Clock = std::chrono::steady_clock;
using How = ProgramEnd::How;

constexpr int look_every = 10; // ms: interval of checks for the end of the program and for a stop

std::optional<Pipe> open_output() {
    std::optional<Pipe> pipe = open_pipe(OurEnd::read);
    if (!pipe || fcntl(pipe->read.get(), F_SETFL, O_NONBLOCK) != 0) return std::nullopt;
    return pipe;
}

/// A file without a name, at its beginning: unlike a pipe, it can be filled without a reader.
Handle file_with(const std::string& text) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    if (!file) return {};
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fflush(file.get()) != 0 || lseek(fileno(file.get()), 0, SEEK_SET) != 0)
        return {};
    return Handle(fcntl(fileno(file.get()), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

/// Reads the available data, with a limit, because a program may write faster than this reads.
template <class Take>
void read_some(Handle& from, Take take) {
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
    const auto not_started = [&] {
        end.problem = last_error();
        return end;
    };
    Handle in = file_with(call.input);
    if (!in.is_open()) return not_started();
    std::optional<Pipe> out = open_output();
    std::optional<Pipe> error = open_output();
    if (!out || !error) return not_started();
    std::optional<ChildProcess> child =
        ChildProcess::start({.command = call.command,
                             .folder = call.folder,
                             .environment = environment_without(call.hidden_variables),
                             .in = in.get(),
                             .out = out->write.get(),
                             .error = error->write.get()},
                            end.problem);
    if (!child) return end;
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
        if (child->has_ended()) {
            read_both(); // the last output; its children may keep the pipes open for hours
            const ProcessEnd how = child->let_go();
            end.how = how.killed ? How::killed : How::exited;
            end.status = how.status;
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
    child->kill();
    read_both();
    return end;
}

} // namespace eyehand::agent
