#include "watchdog/helper_process.hpp"

#include "eyehand/base/posix_spawn.hpp"
#include "eyehand/winio/error.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace eyehand::winio {
namespace {

constexpr int time_to_end = 1000; // milliseconds
constexpr std::array requests_to_end{SIGINT, SIGTERM, SIGHUP};

[[noreturn]] void fail(const std::string& program, int error) {
    throw Error(errc::launch_failed, "the watchdog \"" + program + "\" cannot be started: " +
                                         std::generic_category().message(error));
}

// The other end must not be a standard stream, which `dup2` would overwrite.
int above_streams(int descriptor) {
    const int above = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    close(descriptor);
    return above;
}

class PosixHelperProcess final : public HelperProcess {
public:
    explicit PosixHelperProcess(const std::vector<std::string>& command) {
        if (command.empty()) fail({}, EINVAL);
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
            fail(command.front(), errno);
        ends_at_ = ends[0];
        const int other = above_streams(ends[1]);
        const int error = other < 0 ? errno : start(command, other);
        if (other >= 0) close(other);
        if (error == 0) return;
        close(ends_at_);
        fail(command.front(), error);
    }
    ~PosixHelperProcess() override {
        shutdown(ends_at_, SHUT_WR);
        for (;;) {
            pollfd end{.fd = ends_at_, .events = POLLIN, .revents = 0};
            if (poll(&end, 1, time_to_end) != 1) break; // hangs: do not wait for it
            if (char byte{}; recv(ends_at_, &byte, 1, 0) == 1) continue;
            waitpid(process_, nullptr, 0);
            break;
        }
        close(ends_at_);
    }
    PosixHelperProcess(const PosixHelperProcess&) = delete;
    PosixHelperProcess& operator=(const PosixHelperProcess&) = delete;

    [[nodiscard]] bool send(std::string_view text) override {
        while (!text.empty()) {
            const auto sent =
                ::send(ends_at_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0 && errno == EAGAIN && can_write()) continue;
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    [[nodiscard]] bool has_answered() override {
        std::array<char, 16> bytes{};
        return recv(ends_at_, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0;
    }

private:
    // A watchdog that does not read is as good as one that has ended.
    [[nodiscard]] bool can_write() const {
        pollfd end{.fd = ends_at_, .events = POLLOUT, .revents = 0};
        return poll(&end, 1, time_to_end) == 1;
    }

    int start(const std::vector<std::string>& command, int other) {
        base::SpawnActions files;
        posix_spawn_file_actions_adddup2(files.get(), other, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(files.get(), other, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(files.get(), STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_addclosefrom_np(files.get(), 3);
        base::SpawnAttributes attributes(POSIX_SPAWN_SETSID);
        std::vector<std::string> words = command;
        std::vector<char*> arguments;
        arguments.reserve(words.size() + 1);
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        return posix_spawnp(&process_, arguments.front(), files.get(), attributes.get(),
                            arguments.data(), environ);
    }

    int ends_at_ = -1;
    pid_t process_ = 0;
};

} // namespace

std::unique_ptr<HelperProcess> start_helper(const std::vector<std::string>& command) {
    return std::make_unique<PosixHelperProcess>(command);
}

namespace helper {

std::optional<std::size_t> read(std::span<char> into,
                                std::optional<std::chrono::steady_clock::time_point> deadline) {
    for (;;) {
        int timeout = -1;
        if (deadline)
            timeout = static_cast<int>(std::max<std::chrono::milliseconds::rep>(
                std::chrono::ceil<std::chrono::milliseconds>(*deadline -
                                                             std::chrono::steady_clock::now())
                    .count(),
                0));
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        const int ready = poll(&input, 1, timeout);
        if (ready == 0) return std::nullopt;
        const auto size = ready < 0 ? -1 : ::read(STDIN_FILENO, into.data(), into.size());
        if (size >= 0) return static_cast<std::size_t>(size);
        if (errno != EINTR) return 0; // such as a reset connection
    }
}

void answer(char byte) {
    // The other end may have ended.
    [[maybe_unused]] const auto sent = send(STDOUT_FILENO, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ignore_signals() {
    for (const int signal : requests_to_end) ::signal(signal, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
}

void heed_signals() {
    for (const int signal : requests_to_end) ::signal(signal, SIG_DFL);
}

} // namespace helper
} // namespace eyehand::winio
