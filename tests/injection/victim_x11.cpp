#include "terminal_victim.hpp"

#include "eventually.hpp"
#include "test_window.hpp"

#include <fmt/format.h>

#include <xcb/xcb.h>

#include <cstdlib>
#include <type_traits>

namespace injection_tests {
namespace {

using namespace eyehand;
using x11_tests::Process;
using x11_tests::TestWindow;

/// Whether the window or one in it has the focus of the server, which the window manager moves later
/// than it declares the window active.
bool has_focus(winio::WindowId window) {
    const std::unique_ptr<xcb_connection_t, decltype(&xcb_disconnect)> server(
        xcb_connect(nullptr, nullptr), xcb_disconnect);
    const auto taken = [](auto* reply) {
        return std::unique_ptr<std::remove_pointer_t<decltype(reply)>, decltype(&std::free)>(
            reply, std::free);
    };
    const auto focus =
        taken(xcb_get_input_focus_reply(server.get(), xcb_get_input_focus(server.get()), nullptr));
    for (xcb_window_t it = focus ? focus->focus : 0; it > XCB_INPUT_FOCUS_POINTER_ROOT;) {
        if (winio::WindowId{it} == window) return true;
        const auto tree =
            taken(xcb_query_tree_reply(server.get(), xcb_query_tree(server.get(), it), nullptr));
        it = tree ? tree->parent : 0;
    }
    return false;
}

class Window final : public Victim {
public:
    Window(winio::Desktop& desktop, const std::string& title)
        : window_(desktop, title, x11_tests::Look{.size = {200, 150}}) {}
    [[nodiscard]] winio::Point target() const override { return window_.center(); }
    [[nodiscard]] bool was_clicked() const override { return !window_.lines("button").empty(); }
    [[nodiscard]] std::string text() const override { return window_.text(); }

private:
    TestWindow window_;
};

std::string script_of(TerminalProgram program, const TerminalFiles& files) {
    const std::string ready = fmt::format("touch {}; ", files.ready.string());
    const std::string mark = files.mark.string();
    switch (program) {
    case TerminalProgram::shell:
        return ready + "exec sh";
    case TerminalProgram::confirmation:
        return fmt::format("{}read line; touch {}; sleep 60", ready, mark);
    case TerminalProgram::mouse:
        // Receives clicks once the terminal has answered that it is in order (4 bytes).
        return fmt::format(R"(stty raw -echo; printf '\033[?1000h\033[5n'; head -c 4 >/dev/null; )"
                           "{}head -c 3 >{}.new; mv {}.new {}; sleep 60",
                           ready, mark, mark, mark);
    }
    return {};
}

class Terminal final : public TerminalVictim {
public:
    Terminal(winio::Desktop& desktop, const std::string& title, TerminalProgram program,
             const TerminalFiles& files)
        : TerminalVictim(desktop, title),
          process_({"xterm", "-T", title, "-e", "sh", "-c", script_of(program, files)}) {
        REQUIRE(test::eventually([&] { return std::filesystem::exists(files.ready) && window(); }));
        // The window manager may leave the focus with another window.
        desktop_.windows()->apply({window()->id, winio::WindowAction::focus, {}});
        REQUIRE(test::eventually([&] {
            const auto found = window();
            return found && found->foreground && has_focus(found->id);
        }));
    }

private:
    Process process_;
};

} // namespace

std::unique_ptr<Victim> open_window(winio::Desktop& desktop, const std::string& title) {
    return std::make_unique<Window>(desktop, title);
}

std::unique_ptr<Victim> open_terminal(winio::Desktop& desktop, const std::string& title,
                                      TerminalProgram program, const TerminalFiles& files) {
    return std::make_unique<Terminal>(desktop, title, program, files);
}

std::string creates(const std::filesystem::path& file) { return "touch " + file.string(); }

std::vector<std::string> command_keys() { return {}; }

std::vector<std::string> lists(const std::filesystem::path& folder) {
    return {"ls", folder.string()};
}

std::vector<std::string> writes(const std::string& text) { return {"echo", text}; }

} // namespace injection_tests
