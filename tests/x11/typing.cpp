#include "desktop_contract.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "test_window.hpp"
#include "x11/x11_desktop.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace eyehand::winio;
using desktop_contract::eventually;
using x11_tests::patience;
using x11_tests::Process;
using x11_tests::TestWindow;

namespace {

void type(Desktop& desktop, std::string_view text) {
    const ExecutionReport report =
        InputExecutor(desktop, WorkArea(Rect{0, 0, 1920, 1080})).execute(gesture::type(text));
    INFO(report.problem);
    REQUIRE(report.complete());
}

/// Three hundred different CJK characters in parts with fewer characters than the 19 spare keys of Xvfb. A key may get
/// another meaning only after the program has handled its events; a test that waits for each part does not depend on the
/// program's speed.
std::vector<std::string> different_characters() {
    std::vector<std::string> parts(30);
    char32_t character = 0x4E00;
    for (std::string& part : parts)
        for (int i = 0; i < 10; ++i, character += 7) eyehand::base::utf8::append(part, character);
    return parts;
}

std::vector<std::uint32_t> keyboard(const x11::X11Desktop& desktop) {
    const auto reply =
        desktop.connection().take(xcb_get_keyboard_mapping_reply,
                                  xcb_get_keyboard_mapping(desktop.connection().get(), 8, 248));
    const auto* keysyms = xcb_get_keyboard_mapping_keysyms(reply.get());
    return {keysyms, keysyms + xcb_get_keyboard_mapping_keysyms_length(reply.get())};
}

/// A terminal with a shell that waits for commands.
class Terminal {
public:
    explicit Terminal(Desktop& desktop)
        : xterm_({"xterm", "-T", title(), "-u8", "-fa", "DejaVu Sans Mono", "-e", "sh", "-c",
                  "echo > '" + ready() + "'; exec sh"}) {
        REQUIRE(eventually([&] { return std::filesystem::exists(ready()); }, patience));
        const auto window = wait_for_window(*desktop.windows(), {.title = title()}, patience);
        desktop.windows()->apply({window.id, WindowAction::focus, {}});
    }
    [[nodiscard]] std::filesystem::path file(const std::string& name) const {
        return folder_ / name;
    }

private:
    /// On a busy machine, the window of the terminal before this one may still exist.
    [[nodiscard]] std::string title() const { return folder_.path().filename().string(); }
    [[nodiscard]] std::string ready() const { return (folder_ / "ready").string(); }
    test::TempFolder folder_;
    Process xterm_;
};

} // namespace

TEST_CASE("text arrives even if the keyboard layout lacks its characters") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Text");
    const std::string text = "Hello, World! {[~@|]} é ß Ł я 世界 😀";
    type(desktop, text);
    CHECK(eventually([&] { return window.text() == text; }, patience));
}

TEST_CASE("line breaks and tabs arrive as the keys Enter and Tab") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Lines");
    type(desktop, "a\tb\nc");
    CHECK(eventually(
        [&] {
            return window.lines("key") ==
                   std::vector<std::string>{"61 a", "ff09", "62 b", "ff0d", "63 c"};
        },
        patience));
}

TEST_CASE("three hundred different characters arrive with fewer spare keys") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Many");
    std::string text;
    for (const std::string& part : different_characters()) {
        type(desktop, part);
        text += part;
        eventually([&] { return window.text().size() >= text.size(); }, patience);
        REQUIRE(window.text() == text);
    }
}

TEST_CASE("closing the desktop restores the keyboard after the last character arrived") {
    x11::X11Desktop watching;
    const auto before = keyboard(watching);
    const TestWindow window(watching, "Restored");
    {
        x11::X11Desktop desktop;
        type(desktop, "世");
        // The server handles requests of different programs in any order.
        CHECK(eventually([&] { return keyboard(watching) != before; }, patience));
    }
    CHECK(eventually([&] { return keyboard(watching) == before; }, patience));
    CHECK(eventually([&] { return window.text() == "世"; }, patience));
}

TEST_CASE("keys that a killed program had bound are cleared by the next program") {
    const x11::X11Desktop watching;
    const auto before = keyboard(watching);
    const pid_t killed = fork();
    if (killed == 0) {
        x11::X11Desktop desktop;
        const InputEvent typed = TypedScalar{U'世'};
        (void)desktop.send({&typed, 1});
        desktop.connection().synchronize();
        kill(getpid(), SIGKILL);
    }
    waitpid(killed, nullptr, 0);
    REQUIRE(keyboard(watching) != before);
    { const x11::X11Desktop next; }
    CHECK(eventually([&] { return keyboard(watching) == before; }, patience));
}

TEST_CASE("a command typed into a terminal runs") {
    const auto desktop = open_desktop();
    const Terminal terminal(*desktop);
    const auto file = terminal.file("written");
    type(*desktop, "printf '%s' 'é 世界 😀 Ł' > '" + file.string() + ".new' && mv '" +
                       file.string() + ".new' '" + file.string() + "'\n");
    REQUIRE(eventually([&] { return std::filesystem::exists(file); }, patience));
    CHECK(test::read_file(file) == "é 世界 😀 Ł");
}

TEST_CASE("a terminal receives three hundred different characters") {
    const auto desktop = open_desktop();
    const Terminal terminal(*desktop);
    const auto file = terminal.file("many");
    type(*desktop, "cat > '" + file.string() + "'\n");
    std::string text;
    for (const std::string& part : different_characters()) {
        type(*desktop, part + "\n");
        text += part + "\n";
        const auto received = [&] {
            return std::filesystem::exists(file) ? test::read_file(file) : std::string();
        };
        eventually([&] { return received().size() >= text.size(); }, patience);
        REQUIRE(received() == text);
    }
}
