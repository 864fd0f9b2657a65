#include "changed_variable.hpp"
#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "program.hpp"
#include "test_window.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>

using namespace eyehand::winio;
using desktop_contract::eventually;
using x11_tests::ChangedVariable;
using x11_tests::patience;
using x11_tests::variable_or_empty;

namespace {

void write_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text;
}

/// A script that precedes the system's programs in the path and writes its arguments to a file.
class FakeProgram {
public:
    explicit FakeProgram(const std::string& name)
        : path_("PATH", (folder_.path().string() + ":" + getenv("PATH")).c_str()) {
        const auto script = folder_ / name;
        write_file(script, "#!/bin/sh\nprintf '%s|' \"$@\" > '" + told().string() + ".new'\nmv '" +
                               told().string() + ".new' '" + told().string() + "'\n");
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    }
    /// The received arguments, each followed by a bar.
    [[nodiscard]] std::string arguments() const {
        eventually([&] { return std::filesystem::exists(told()); }, patience);
        return test::read_file(told());
    }

private:
    [[nodiscard]] std::filesystem::path told() const { return folder_ / "told"; }
    test::TempFolder folder_;
    ChangedVariable path_;
};

/// The output of a launched shell.
std::string printed_by_shell(Desktop& desktop, const std::string& commands,
                             std::vector<std::string> hidden_variables = {}) {
    const test::TempFolder folder;
    const std::string file = (folder / "printed").string();
    desktop.launch({"sh -c '(" + commands + ") > \"$1.new\"; mv \"$1.new\" \"$1\"' name " + file,
                    std::move(hidden_variables)});
    eventually([&] { return std::filesystem::exists(file); }, patience);
    return test::read_file(file);
}

/// Temporarily closes standard input, output and error.
class ClosedStreams {
public:
    ClosedStreams() {
        for (int stream = 0; stream < 3; ++stream) {
            kept_[static_cast<std::size_t>(stream)] = fcntl(stream, F_DUPFD_CLOEXEC, 10);
            close(stream);
        }
    }
    ~ClosedStreams() {
        for (int stream = 0; stream < 3; ++stream) {
            dup2(kept_[static_cast<std::size_t>(stream)], stream);
            close(kept_[static_cast<std::size_t>(stream)]);
        }
    }
    ClosedStreams(const ClosedStreams&) = delete;
    ClosedStreams& operator=(const ClosedStreams&) = delete;

private:
    std::array<int, 3> kept_{};
};

} // namespace

TEST_CASE("a program inherits the environment without the hidden variables") {
    const ChangedVariable hidden("EYEHAND_API_KEY", "secret");
    const ChangedVariable shown("EYEHAND_API_KEY_2", "shown");
    const std::string print = "printf %s \"$EYEHAND_API_KEY-$EYEHAND_API_KEY_2-$DISPLAY\"";
    const std::string display = variable_or_empty("DISPLAY");
    for (const DesktopOptions& options : {DesktopOptions{}, DesktopOptions{.display = display}}) {
        const auto desktop = open_desktop(options);
        CHECK(printed_by_shell(*desktop, print) == "secret-shown-" + display);
        CHECK(printed_by_shell(*desktop, print, {"EYEHAND_API_KEY", "OTHER"}) ==
              "-shown-" + display);
    }
}

TEST_CASE("a program is started with its arguments") {
    const auto desktop = open_desktop();
    const test::TempFolder folder;
    const auto file = folder / "it's here";
    desktop->launch({"sh -c 'echo \"$1\" > \"$2\"' name \"two words\" \"" + file.string() + "\""});
    CHECK(eventually(
        [&] { return std::filesystem::exists(file) && test::read_file(file) == "two words\n"; },
        patience));
}

TEST_CASE("a started program does not become a zombie") {
    const auto desktop = open_desktop();
    desktop->launch({"true"});
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("a program's window can be waited for and closed") {
    const auto desktop = open_desktop();
    const test::TempFolder folder;
    desktop->launch({test::program_file("eyehand-x11-window").string() + " '" +
                     (folder / "log").string() + "' 'Launched window' 200 100 ffffff"});
    const WindowInfo window =
        wait_for_window(*desktop->windows(), {.title = "Launched window"}, patience);
    desktop->windows()->apply({window.id, WindowAction::close, {}});
    CHECK(eventually([&] { return test::read_file(folder / "log").ends_with("closed\n"); },
                     patience));
}

TEST_CASE("the error for a command that cannot be started contains the command") {
    const auto desktop = open_desktop();
    for (const char* command : {"no-such-program-anywhere", "/no/such/file", "'never closed", "  "})
        try {
            desktop->launch({command});
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::launch_failed);
        }
}

TEST_CASE("an address is opened by its default program") {
    const auto desktop = open_desktop();
    for (const auto& [command, opened] :
         {std::pair{"https://example.org/?a=b&c=it's", "https://example.org/?a=b&c=it's|"},
          std::pair{"'https://example.org/a b'", "https://example.org/a b|"}}) {
        const FakeProgram opener("xdg-open");
        desktop->launch({command});
        CHECK(opener.arguments() == opened);
    }
}

TEST_CASE("a program with an address as an argument is started") {
    const auto desktop = open_desktop();
    const FakeProgram browser("some-browser");
    desktop->launch({"some-browser --new https://example.org"});
    CHECK(browser.arguments() == "--new|https://example.org|");
}

TEST_CASE("a document is opened by its default program, even if its name has spaces") {
    const auto desktop = open_desktop();
    const test::TempFolder folder;
    const auto document = (folder / "notes for you.txt").string();
    write_file(document, "text");
    const FakeProgram opener("xdg-open");
    desktop->launch({document});
    CHECK(opener.arguments() == document + "|");
}

TEST_CASE("a program gets streams on /dev/null even if the host has none") {
    const auto desktop = open_desktop();
    std::string streams;
    {
        const ClosedStreams closed;
        streams = printed_by_shell(*desktop, "readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2");
    }
    CHECK(streams == "/dev/null\n/dev/null\n/dev/null\n");
}

TEST_CASE("a program starts on the desktop's display, even if the environment names another one") {
    const std::string display = variable_or_empty("DISPLAY");
    const ChangedVariable variable("DISPLAY", ":4711");
    const auto desktop = open_desktop({.display = display});
    CHECK(printed_by_shell(*desktop, "echo $DISPLAY; grep -zc ^DISPLAY= /proc/$$/environ") ==
          display + "\n1\n");
    CHECK(getenv("DISPLAY") == std::string(":4711"));
}

TEST_CASE("a command that cannot be started is an error even if the host has no streams") {
    const auto desktop = open_desktop();
    bool failed = false;
    {
        const ClosedStreams closed;
        try {
            desktop->launch({"no-such-program-anywhere"});
        } catch (const Error&) {
            failed = true;
        }
    }
    CHECK(failed);
}

TEST_CASE("a program inherits neither open files nor ignored signals") {
    const auto desktop = open_desktop();
    const int file = open("/dev/zero", O_RDONLY); // NOLINT: inheritable on purpose
    const auto before = std::signal(SIGUSR1, SIG_IGN);
    CHECK(printed_by_shell(*desktop, "readlink /proc/$$/fd/* | grep -c zero") == "0\n");
    CHECK(printed_by_shell(*desktop, "grep SigIgn /proc/$$/status") ==
          "SigIgn:\t0000000000000000\n");
    std::signal(SIGUSR1, before);
    close(file);
}
