#include "x11/launch.hpp"

#include "check_text.hpp"
#include "eyehand/winio/error.hpp"
#include "x11/command_words.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::winio::x11 {
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

// The program inherits no files of the host except its standard streams.
void inherit_nothing() {
    constexpr unsigned first = 3;
    if (close_range(first, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
    const auto end = static_cast<int>(sysconf(_SC_OPEN_MAX)); // for kernels before 5.11
    for (int descriptor = first; descriptor < end; ++descriptor)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

// The program would inherit the signals that the host ignores.
void heed_all_signals() {
    for (int signal = 1; signal <= SIGRTMAX; ++signal) ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

// How a program is started.
struct Surroundings {
    const std::string& display; // empty: the host's
    const std::vector<std::string>& hidden_variables;
};

// The environment of a program that does not inherit the host's unchanged; empty otherwise.
class Environment {
public:
    explicit Environment(const Surroundings& surroundings) {
        const auto& [display, hidden] = surroundings;
        if (display.empty() && hidden.empty()) return;
        constexpr std::string_view display_name = "DISPLAY";
        for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
            const std::string_view text(*variable);
            const std::string_view name = text.substr(0, text.find('='));
            const bool is_replaced = !display.empty() && name == display_name;
            if (!is_replaced && std::ranges::find(hidden, name) == hidden.end())
                variables_.emplace_back(text);
        }
        if (!display.empty()) variables_.push_back(std::string(display_name) + "=" + display);
        for (std::string& variable : variables_) pointers_.push_back(variable.data());
        pointers_.push_back(nullptr);
    }
    /// Safe between fork and exec.
    void use() {
        if (!pointers_.empty()) environ = pointers_.data();
    }

private:
    std::vector<std::string> variables_;
    std::vector<char*> pointers_;
};

// If the host has closed its standard streams, new descriptors get their numbers.
int above_streams(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

// Between fork and exec, only functions that are safe in a signal handler may be called: another
// thread may have held any lock, including that of malloc.
[[noreturn]] void become(char* const* arguments, Environment& environment, int report_to) {
    setsid();
    heed_all_signals();
    const int report = above_streams(report_to);
    const int nowhere = above_streams(open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
    inherit_nothing();
    environment.use();
    execvp(arguments[0], arguments);
    const int error = errno;
    // The pipe cannot be full: nothing else is written to it.
    [[maybe_unused]] const auto written = write(report, &error, sizeof error);
    _exit(127);
}

// The child exits at once and is reaped here, so the grandchild cannot become a zombie of the host.
[[noreturn]] void leave_behind(char* const* arguments, Environment& environment, int report_to) {
    const pid_t grandchild = fork();
    if (grandchild == 0) become(arguments, environment, report_to);
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
int start(std::vector<std::string> words, const Surroundings& surroundings) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    Environment environment(surroundings); // before fork, because it allocates

    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
    const FileDescriptor result(ends[0]);
    FileDescriptor report(ends[1]);
    const pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) leave_behind(arguments.data(), environment, report.get());
    report.close();
    wait_for_end_of(child);
    int error = 0; // exec closes the pipe, so a successful start writes nothing
    ssize_t length = 0;
    while ((length = read(result.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    return length == static_cast<ssize_t>(sizeof error) ? error : 0;
}

// Begins with a scheme ("https://").
bool is_address(std::string_view text) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto is_of_scheme = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
    };
    const std::string_view scheme = text.substr(0, text.find("://"));
    return scheme.size() < text.size() && !scheme.empty() && is_letter(scheme.front()) &&
           std::ranges::all_of(scheme, is_of_scheme);
}

// The address if the command is only an address. An address without spaces may contain quotes.
std::optional<std::string> address_of(const std::string& text,
                                      const std::optional<std::vector<std::string>>& words) {
    if (is_address(text) && text.find_first_of(" \t\r\n") == std::string::npos) return text;
    if (words && words->size() == 1 && is_address(words->front())) return words->front();
    return std::nullopt;
}

bool is_there(const std::string& file) { return access(file.c_str(), F_OK) == 0; }

void open_document(const std::string& name, const Surroundings& surroundings) {
    const int error = start({"xdg-open", name}, surroundings);
    if (error == ENOENT)
        throw Error(errc::launch_failed, "\"" + name +
                                             "\" is a document, and xdg-open, which opens "
                                             "documents, is not installed (package xdg-utils)");
    if (error != 0) fail(name, error);
}

} // namespace

void launch(const LaunchCommand& command, const std::string& display) {
    const std::string& text = command.command;
    const Surroundings surroundings{display, command.hidden_variables};
    check_text(text, "the command");
    const auto words = words_of(text);
    if (words && words->empty()) throw Error(errc::launch_failed, "the command is empty");
    if (const auto address = address_of(text, words)) return open_document(*address, surroundings);
    const int error = words ? start(*words, surroundings) : EINVAL;
    if (error == 0) return;
    // A command that cannot be run may be a document, whose name may have spaces without quotes.
    if (is_there(text)) return open_document(text, surroundings);
    if (!words) throw Error(errc::launch_failed, "\"" + text + "\" has a quote that is not closed");
    if (words->size() == 1 && is_there(words->front()))
        return open_document(words->front(), surroundings);
    fail(text, error);
}

} // namespace eyehand::winio::x11
