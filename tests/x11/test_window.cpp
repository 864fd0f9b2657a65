#include "test_window.hpp"

#include "desktop_contract.hpp"
#include "program.hpp"

#include <csignal>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT

namespace x11_tests {

using namespace eyehand::winio;
using desktop_contract::eventually;

Process::Process(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    if (posix_spawnp(&process_, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
        throw std::runtime_error("not started: " + command[0]);
}

Process::~Process() {
    if (has_ended()) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
}

bool Process::has_ended() {
    if (!ended_) ended_ = waitpid(process_, nullptr, WNOHANG) == process_;
    return ended_;
}

namespace {

std::vector<std::string> command_of(const std::filesystem::path& log, const std::string& title,
                                    const Look& look) {
    std::vector<std::string> words{test::program_file("eyehand-x11-window").string(),
                                   log.string(),
                                   title,
                                   std::to_string(look.size.width),
                                   std::to_string(look.size.height),
                                   look.color};
    if (look.reaction) words.push_back(std::to_string(look.reaction->count()));
    return words;
}

} // namespace

TestWindow::TestWindow(Desktop& desktop, const std::string& title, const Look& look)
    : desktop_(desktop), title_(title), process_(command_of(folder_ / "log", title, look)) {
    REQUIRE(eventually([&] { return std::filesystem::exists(folder_ / "log"); }, patience));
    REQUIRE(eventually([&] { return !test::lines_of(folder_ / "log").empty(); }, patience));
    // Wait for both: the window manager may declare the window active before the server moves the
    // focus, and a key pressed in between goes elsewhere. It may also move the focus first.
    const auto has_focus = [&] {
        const auto changes = lines("focus");
        const auto window = find_window(desktop_.windows()->list(), {.title = title_});
        return window && window->foreground && !changes.empty() && changes.back() == "in";
    };
    if (!eventually(has_focus, 500ms))
        desktop_.windows()->apply({info().id, WindowAction::focus, {}});
    REQUIRE(eventually(has_focus, patience));
}

WindowInfo TestWindow::info() const {
    const auto window = find_window(desktop_.windows()->list(), {.title = title_});
    REQUIRE(window.has_value());
    return *window;
}

Point TestWindow::center() const {
    const Rect bounds = info().bounds;
    return {bounds.x + bounds.width / 2, bounds.y + bounds.height / 2};
}

std::vector<std::string> TestWindow::lines(const std::string& what) const {
    std::vector<std::string> found;
    for (const std::string& line : test::lines_of(folder_ / "log"))
        if (line.starts_with(what + " ")) found.push_back(line.substr(what.size() + 1));
    return found;
}

std::string TestWindow::text() const {
    std::string text;
    for (const std::string& line : lines("key"))
        if (const auto space = line.find(' '); space != std::string::npos)
            text += line.substr(space + 1);
    return text;
}

} // namespace x11_tests
