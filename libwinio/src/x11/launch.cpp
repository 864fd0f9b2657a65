#include "x11/launch.hpp"

#include "utf8.hpp"
#include "winio/error.hpp"
#include "x11/command_words.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace winio::x11 {
namespace {

class FileDescriptor {
public:
    explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { close(); }
    [[nodiscard]] int get() const { return descriptor_; }
    void close() {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }

private:
    int descriptor_;
};

[[noreturn]] void fail(const std::string& command, int error) {
    throw Error(errc::launch_failed,
                "\"" + command + "\" cannot be started: " + std::generic_category().message(error));
}

// Between fork and exec only what is safe in a signal handler may be called: another thread may
// have held any lock, that of malloc included.
[[noreturn]] void become(char* const* arguments, int report_to) {
    setsid();
    for (const int signal : {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGCHLD}) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
    execvp(arguments[0], arguments);
    const int error = errno;
    // A full pipe is impossible: nothing else is written.
    [[maybe_unused]] const auto written = write(report_to, &error, sizeof error);
    _exit(127);
}

// The child ends at once and is waited for here, so that the grandchild is nobody's zombie.
[[noreturn]] void leave_behind(char* const* arguments, int report_to) {
    const pid_t grandchild = fork();
    if (grandchild == 0) become(arguments, report_to);
    if (grandchild < 0) {
        const int error = errno;
        [[maybe_unused]] const auto written = write(report_to, &error, sizeof error);
    }
    _exit(0);
}

void wait_for_end_of(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

// Zero, or the reason why not (errno).
int start(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    const FileDescriptor result(ends[0]);
    FileDescriptor report(ends[1]);
    const pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) leave_behind(arguments.data(), report.get());
    report.close();
    wait_for_end_of(child);
    int error = 0; // exec closes the pipe: then there is nothing to read
    ssize_t length = 0;
    while ((length = read(result.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    return length == static_cast<ssize_t>(sizeof error) ? error : 0;
}

bool is_address(const std::string& text) { return text.find("://") != std::string::npos; }

bool is_there(const std::string& file) { return access(file.c_str(), F_OK) == 0; }

void open_document(const std::string& name) {
    const int error = start({"xdg-open", name});
    if (error == ENOENT)
        throw Error(errc::launch_failed, "\"" + name +
                                             "\" is a document, and xdg-open, which would know its "
                                             "program, is not installed (package xdg-utils)");
    if (error != 0) fail(name, error);
}

} // namespace

void launch(const LaunchCommand& command) {
    const std::string& text = command.command;
    utf8::check_text(text, "the command");
    const auto words = words_of(text);
    if (words && words->empty()) throw Error(errc::launch_failed, "no program is named");
    if (is_address(text)) return open_document(text);
    const int error = words ? start(*words) : EINVAL;
    if (error == 0) return;
    // What cannot be run may be a document, whose name may have spaces without being quoted.
    if (is_there(text)) return open_document(text);
    if (!words) throw Error(errc::launch_failed, "\"" + text + "\" has a quote that is not closed");
    if (words->size() == 1 && is_there(words->front())) return open_document(words->front());
    fail(text, error);
}

} // namespace winio::x11
