// The guard of agent-cli do, on a desktop in memory.
#include "commands.hpp"

#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

using namespace eyehand;
using cli::ExitCode;

namespace {

winio::WindowInfo window(std::uint64_t id, std::string process) {
    winio::WindowInfo it;
    it.id = winio::WindowId{id};
    it.title = "window " + std::to_string(id);
    it.process = std::move(process);
    it.bounds = {0, 0, 200, 200};
    it.foreground = true;
    return it;
}

/// `do type` with 250 characters, which are three batches.
struct Stage {
    winio::testing::MemoryDesktop desktop{winio::Size{200, 200}};
    cli::DoFlags flags;

    Stage() {
        desktop.set_windows({window(1, "editor")});
        flags.action = "type";
        flags.text = std::string(250, 'x');
    }
    void after_the_first_batch(const std::function<void()>& change) {
        desktop.on_input = [this, change](const winio::InputEvent&) {
            if (desktop.events().size() == 100) change();
        };
    }
    ExitCode act() { return cli::do_action(flags, {}, desktop); }
};

} // namespace

TEST_CASE("a command does not type on into a window or a password field that takes the focus") {
    Stage stage;
    SECTION("a window") {
        stage.after_the_first_batch([&] {
            stage.desktop.set_windows({window(2, "xterm"), window(1, "editor")});
        });
    }
    SECTION("a password field") {
        stage.after_the_first_batch([&] {
            stage.desktop.set_password_fields({{winio::WindowId{1}, {10, 10, 50, 20}, true}});
        });
    }
    CHECK(stage.act() == ExitCode::refused);
    CHECK(stage.desktop.events().size() == 100);
}

TEST_CASE("a command without a guard types on whatever takes the focus") {
    Stage stage;
    stage.flags.guard.level = "off";
    stage.after_the_first_batch([&] { stage.desktop.set_windows({window(2, "xterm")}); });
    CHECK(stage.act() == ExitCode::completed);
    CHECK(stage.desktop.events().size() == 250);
}

TEST_CASE("a rule about password fields holds for commands of the user") {
    const test::TempFolder folder;
    std::ofstream(folder / "rules.json") << R"({"rules": [
        {"name": "no passwords", "when": {"kind": "password"}, "then": "deny"}]})";
    Stage stage;
    stage.flags.guard.rules = {(folder / "rules.json").string()};
    const bool focused = GENERATE(true, false);
    stage.desktop.set_password_fields({{winio::WindowId{1}, {10, 10, 50, 20}, focused}});
    CHECK(stage.act() == (focused ? ExitCode::refused : ExitCode::completed));
    CHECK(stage.desktop.events().size() == (focused ? 0U : 250U));
}
