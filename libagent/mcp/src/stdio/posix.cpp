#include "stdio/streams.hpp"

#include "eyehand/mcp/error.hpp"

#include <array>
#include <cerrno>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

namespace eyehand::mcp {
namespace {

/// Keeps a write to a closed pipe from ending the program: the library does not change how the program
/// handles signals.
class WithoutBrokenPipeSignal {
public:
    WithoutBrokenPipeSignal() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        if (!was_pending_) pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~WithoutBrokenPipeSignal() {
        if (was_pending_) return;
        const int error = errno;
        const timespec at_once{};
        while (sigtimedwait(&signal_, nullptr, &at_once) == -1 && errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = error;
    }
    WithoutBrokenPipeSignal(const WithoutBrokenPipeSignal&) = delete;
    WithoutBrokenPipeSignal& operator=(const WithoutBrokenPipeSignal&) = delete;

private:
    sigset_t signal_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

class PosixStreams final : public Streams {
public:
    PosixStreams(int input, int output) : input_(input), output_(output) {
        if (pipe(wake_.data()) != 0) throw Error(errc::unreachable, "the system has no pipe left");
    }
    ~PosixStreams() override {
        for (const int end : wake_) close(end);
    }
    PosixStreams(const PosixStreams&) = delete;
    PosixStreams& operator=(const PosixStreams&) = delete;

    std::size_t read(char* buffer, std::size_t size) override {
        while (wait_for(input_, POLLIN)) {
            const ssize_t bytes = ::read(input_, buffer, size);
            if (bytes >= 0) return static_cast<std::size_t>(bytes);
            if (errno != EINTR && errno != EAGAIN) return 0;
        }
        return 0;
    }

    bool write(std::string_view bytes) override {
        const WithoutBrokenPipeSignal guard;
        while (!bytes.empty()) {
            if (!wait_for(output_, POLLOUT)) return false;
            // A pipe that is ready accepts so many bytes without blocking.
            const std::size_t part = std::min<std::size_t>(bytes.size(), PIPE_BUF);
            const ssize_t written = ::write(output_, bytes.data(), part);
            if (written >= 0)
                bytes.remove_prefix(static_cast<std::size_t>(written));
            else if (errno != EINTR && errno != EAGAIN)
                return false;
        }
        return true;
    }

    void stop() override {
        // Never read, so every later poll sees it, too.
        if (::write(wake_[1], "x", 1) < 0) return;
    }

private:
    /// False: stopped.
    bool wait_for(int file, short event) {
        for (;;) {
            std::array<pollfd, 2> files{pollfd{file, event, 0}, pollfd{wake_[0], POLLIN, 0}};
            if (poll(files.data(), files.size(), -1) < 0) {
                if (errno == EINTR) continue;
                return false;
            }
            if (files[1].revents != 0) return false;
            if (files[0].revents != 0) return true; // also errors, which the next call reports
        }
    }

    const int input_;
    const int output_;
    std::array<int, 2> wake_{};
};

} // namespace

std::unique_ptr<Streams> make_streams(NativeFile input, NativeFile output) {
    return std::make_unique<PosixStreams>(static_cast<int>(input), static_cast<int>(output));
}

std::unique_ptr<Streams> standard_streams() { return make_streams(STDIN_FILENO, STDOUT_FILENO); }

} // namespace eyehand::mcp
