#include "platform.hpp"

#include "eyehand/base/utf16.hpp"
#include "eyehand/base/utf8.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#ifdef _WIN32
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#else
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#endif

namespace eyehand::cli {

namespace {

std::string rest_of(std::istream& in) {
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

} // namespace

std::filesystem::path path_of(std::string_view utf8) {
    return std::u8string(utf8.begin(), utf8.end());
}

std::string text_of(const std::filesystem::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

void print_to(std::FILE* stream, const std::string& text) noexcept {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);
}

#ifdef _WIN32

namespace {

std::string utf8(const wchar_t* text) { return base::to_utf8(std::wstring_view(text)); }

/// Never fails: bytes that are not UTF-8 become U+FFFD.
std::wstring utf16(const std::string& text) {
    return base::to_wide(base::utf8::replace_invalid(text));
}

} // namespace

std::filesystem::path own_program() {
    std::wstring path(32768, L'\0'); // the longest path
    path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
    return path;
}

std::vector<std::string> utf8_arguments(int, char**) {
    // argv is in the code page and has lost all characters outside of it.
    int count = 0;
    const std::unique_ptr<LPWSTR, decltype(&LocalFree)> all(
        CommandLineToArgvW(GetCommandLineW(), &count), &LocalFree);
    if (!all) throw std::runtime_error("the command line cannot be read");
    std::vector<std::string> arguments;
    for (int i = 1; i < count; ++i) arguments.push_back(utf8(all.get()[i]));
    return arguments;
}

std::string environment_variable(const std::string& name) {
    const wchar_t* value = _wgetenv(utf16(name).c_str());
    return value == nullptr ? std::string() : utf8(value);
}

std::filesystem::path configuration_folder() {
    const std::filesystem::path folder = path_of(environment_variable("APPDATA"));
    return folder.is_absolute() ? folder / "Eyehand" : std::filesystem::path();
}

const char* configuration_variables() { return "APPDATA"; }

bool only_the_user_can_change(const std::filesystem::path&) { return true; }

bool write_private_file(const std::filesystem::path& file, std::string_view text) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::filesystem::path draft = file;
    draft += "." + std::to_string(GetCurrentProcessId());
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    const bool replaced =
        out && MoveFileExW(draft.c_str(), file.c_str(), MOVEFILE_REPLACE_EXISTING) != 0;
    if (!replaced) std::filesystem::remove(draft, error);
    return replaced;
}

bool variables_have_case() { return false; }

void prepare_console() {
    SetConsoleOutputCP(CP_UTF8);
    SetConsoleCP(CP_UTF8);
    _setmode(_fileno(stdout), _O_BINARY); // "\n" stays "\n": other programs read the JSON lines
    _setmode(_fileno(stderr), _O_BINARY);
}

namespace {

// Only ReadConsoleW returns text outside the code page.
constexpr wchar_t end_of_input = 0x1A; // Ctrl+Z

bool is_console(HANDLE input) {
    DWORD mode = 0;
    return GetConsoleMode(input, &mode) != 0;
}

/// Whether a character is available. Drops the events before it (mouse moves, focus changes,
/// released keys, keys without a character): they do not begin a line, and ReadConsoleW would wait
/// for one.
bool typing_begins(HANDLE input) {
    INPUT_RECORD record{};
    DWORD count = 0;
    while (PeekConsoleInputW(input, &record, 1, &count) != 0 && count == 1) {
        if (record.EventType == KEY_EVENT && record.Event.KeyEvent.bKeyDown != 0 &&
            record.Event.KeyEvent.uChar.UnicodeChar != 0)
            return true;
        if (ReadConsoleInputW(input, &record, 1, &count) == 0) break;
    }
    return false;
}

/// A line with its end; empty at the end of the input.
std::wstring console_line(HANDLE input) {
    std::wstring units;
    wchar_t unit = 0;
    DWORD read = 0;
    while (ReadConsoleW(input, &unit, 1, &read, nullptr) != 0 && read == 1) {
        if (unit != L'\r') units += unit;
        if (unit == L'\n') break;
    }
    return units;
}

} // namespace

// _isatty takes the NUL device for a terminal, too.
bool input_is_terminal() { return is_console(GetStdHandle(STD_INPUT_HANDLE)); }
bool errors_go_to_terminal() { return is_console(GetStdHandle(STD_ERROR_HANDLE)); }

std::string read_line() {
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    std::string line;
    if (!is_console(input)) {
        std::getline(std::cin, line);
        return line;
    }
    std::wstring units = console_line(input);
    std::erase_if(units, [](wchar_t unit) { return unit == L'\n' || unit == end_of_input; });
    return utf8(units.c_str());
}

std::optional<std::string> ask(const std::string& question, const std::stop_token& stop) {
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    FlushConsoleInputBuffer(input);
    print_to(stderr, question);
    // After the first character, ReadConsoleW waits for the end of the line; Ctrl+C ends that wait,
    // too.
    while (!stop.stop_requested()) {
        if (WaitForSingleObject(input, 50) != WAIT_OBJECT_0 || !typing_begins(input)) continue;
        std::wstring units = console_line(input);
        if (stop.stop_requested() || units.empty()) return std::nullopt;
        std::erase_if(units, [](wchar_t unit) { return unit == L'\n' || unit == end_of_input; });
        return utf8(units.c_str());
    }
    return std::nullopt;
}

std::optional<std::string> ask_hidden(const std::string& question) {
    std::stop_source stop; // Ctrl+C must not leave a terminal that shows nothing
    const InterruptWatch watch([&](Interrupt) { stop.request_stop(); });
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    DWORD mode = 0;
    const bool known = GetConsoleMode(input, &mode) != 0;
    if (known) SetConsoleMode(input, mode & ~static_cast<DWORD>(ENABLE_ECHO_INPUT));
    std::optional<std::string> line = ask(question, stop.get_token());
    if (known) SetConsoleMode(input, mode);
    print_to(stderr, "\n");
    return line;
}

void forbid_core_dumps() noexcept { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX); }

std::string read_input() {
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    if (!is_console(input)) {
        _setmode(_fileno(stdin), _O_BINARY); // in binary mode, Ctrl+Z does not end the input
        return rest_of(std::cin);
    }
    std::wstring units;
    while (units.find(end_of_input) == std::wstring::npos) {
        const std::wstring line = console_line(input);
        if (line.empty()) break;
        units += line;
    }
    units.resize(std::min(units.find(end_of_input), units.size()));
    return utf8(units.c_str());
}

namespace {

std::mutex watch_mutex;
std::condition_variable watch_ended;
std::function<void(Interrupt)> watch_callback;

// The system calls this on a thread of its own. When it returns from a close, logoff or shutdown
// event, the system ends the process at once. So it waits until the files of the run are closed,
// for which the system allows about 5 s
// (https://learn.microsoft.com/windows/console/handlerroutine).
BOOL WINAPI on_console_event(DWORD event) {
    std::unique_lock lock(watch_mutex);
    if (!watch_callback) return FALSE;
    const bool forced =
        event == CTRL_CLOSE_EVENT || event == CTRL_LOGOFF_EVENT || event == CTRL_SHUTDOWN_EVENT;
    watch_callback(forced ? Interrupt::forced : Interrupt::asked);
    if (forced) watch_ended.wait_for(lock, std::chrono::seconds(4), [] { return !watch_callback; });
    return TRUE;
}

} // namespace

class InterruptWatch::Impl {
public:
    explicit Impl(std::function<void(Interrupt)> callback) {
        {
            const std::lock_guard lock(watch_mutex);
            watch_callback = std::move(callback);
        }
        // Without the lock: a running handler holds the system's lock and waits for this one.
        SetConsoleCtrlHandler(nullptr, FALSE); // a parent may have switched Ctrl+C off
        SetConsoleCtrlHandler(on_console_event, TRUE);
    }
    ~Impl() {
        {
            const std::lock_guard lock(watch_mutex);
            watch_callback = nullptr;
        }
        watch_ended.notify_all();
        // Last: it may wait for a running handler, which waits for the notification above.
        SetConsoleCtrlHandler(on_console_event, FALSE);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
};

#else

std::filesystem::path own_program() { return std::filesystem::read_symlink("/proc/self/exe"); }

std::vector<std::string> utf8_arguments(int argc, char** argv) {
    return {argv + (argc > 0 ? 1 : 0), argv + argc};
}

std::string environment_variable(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::string() : std::string(value);
}

std::filesystem::path configuration_folder() {
    const std::filesystem::path folder = path_of(environment_variable("XDG_CONFIG_HOME"));
    if (folder.is_absolute()) return folder / "eyehand"; // others are ignored, as the standard says
    const std::filesystem::path home = path_of(environment_variable("HOME"));
    return home.is_absolute() ? home / ".config/eyehand" : std::filesystem::path();
}

const char* configuration_variables() { return "XDG_CONFIG_HOME or HOME"; }

bool only_the_user_can_change(const std::filesystem::path& file) {
    struct stat found {};
    return stat(file.c_str(), &found) == 0 && found.st_uid == geteuid() &&
           (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool write_private_file(const std::filesystem::path& file, std::string_view text) {
    std::error_code error;
    const std::filesystem::path folder = file.parent_path();
    std::filesystem::create_directories(folder.parent_path(), error);
    mkdir(folder.c_str(), S_IRWXU);
    std::string draft = file.string() + ".XXXXXX";
    const int out = mkstemp(draft.data()); // with the mode 0600
    if (out < 0) return false;
    bool written = true;
    while (written && !text.empty()) {
        const ssize_t count = write(out, text.data(), text.size());
        written = count > 0;
        if (written) text.remove_prefix(static_cast<std::size_t>(count));
    }
    written = fsync(out) == 0 && written;
    written = close(out) == 0 && written;
    const bool replaced = written && std::rename(draft.c_str(), file.c_str()) == 0;
    if (!replaced) unlink(draft.c_str());
    return replaced;
}

bool variables_have_case() { return true; }

void prepare_console() {
    signal(SIGPIPE, SIG_IGN); // a closed pipe must not abort a run
    signal(SIGXFSZ, SIG_IGN); // nor a limit of the size of files (ulimit -f): the write reports it
}

bool input_is_terminal() { return isatty(STDIN_FILENO) != 0; }
bool errors_go_to_terminal() { return isatty(STDERR_FILENO) != 0; }

std::string read_line() {
    std::string line;
    std::getline(std::cin, line);
    return line;
}

std::optional<std::string> ask(const std::string& question, const std::stop_token& stop) {
    tcflush(STDIN_FILENO, TCIFLUSH);
    print_to(stderr, question);
    // The end-of-input flags are sticky. Without this, one Ctrl+D would answer all later questions.
    std::clearerr(stdin);
    std::cin.clear();
    while (!stop.stop_requested()) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        if (poll(&input, 1, 50) <= 0) continue;
        std::string line;
        if (std::getline(std::cin, line)) return line;
        return std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::string> ask_hidden(const std::string& question) {
    std::stop_source stop; // Ctrl+C must not leave a terminal that shows nothing
    const InterruptWatch watch([&](Interrupt) { stop.request_stop(); });
    termios shown{};
    const bool known = tcgetattr(STDIN_FILENO, &shown) == 0;
    termios hidden = shown;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    if (known) tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    std::optional<std::string> line = ask(question, stop.get_token());
    if (known) tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    print_to(stderr, "\n");
    return line;
}

void forbid_core_dumps() noexcept {
    prctl(PR_SET_DUMPABLE, 0); // unlike a limit, not inherited by programs that tools start
}

std::string read_input() { return rest_of(std::cin); }

// A signal handler may call only a few functions; a thread that waits for signals may call any. The
// signals are blocked in all threads (this object is created first), and only that thread receives
// them.
class InterruptWatch::Impl {
public:
    explicit Impl(std::function<void(Interrupt)> callback) : callback_(std::move(callback)) {
        sigemptyset(&signals_);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, wake_up}) sigaddset(&signals_, signal);
        pthread_sigmask(SIG_BLOCK, &signals_, &previous_);
        thread_ = std::thread([this] {
            int signal = 0;
            // Another process can send the signal, too.
            while (sigwait(&signals_, &signal) == 0 && !over_) {
                if (signal != wake_up)
                    callback_(signal == SIGHUP ? Interrupt::forced : Interrupt::asked);
            }
        });
    }
    ~Impl() {
        over_ = true;
        pthread_kill(thread_.native_handle(), wake_up);
        thread_.join();
        pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

private:
    static constexpr int wake_up = SIGUSR1;
    std::function<void(Interrupt)> callback_;
    sigset_t signals_{};
    sigset_t previous_{};
    std::atomic<bool> over_{false};
    std::thread thread_;
};

#endif

InterruptWatch::InterruptWatch(std::function<void(Interrupt)> on_interrupt)
    : impl_(std::make_unique<Impl>(std::move(on_interrupt))) {}

InterruptWatch::~InterruptWatch() = default;

} // namespace eyehand::cli
