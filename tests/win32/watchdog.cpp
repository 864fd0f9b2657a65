// What remains pressed if a program ends, is suspended or hangs.
#include "../watchdog/watchdog_contract.hpp"

#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "win32/win32_desktop.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "program.hpp"
#include "test_window.hpp"

#include <windows.h>

#include <chrono>
#include <string>
#include <thread>

using eyehand::winio::open_desktop;
namespace gesture = eyehand::winio::gesture;
namespace win32 = eyehand::winio::win32;

namespace {

bool is_down(int key) { return (GetAsyncKeyState(key) & 0x8000) != 0; }

const watchdog_contract::Keys keys{
    .shift_is_down = [] { return is_down(VK_SHIFT); },
    .left_is_down = [] { return is_down(VK_LBUTTON); },
};

} // namespace

TEST_CASE("a watchdog releases what a killed program holds") {
    watchdog_contract::check_kill(keys);
}

TEST_CASE("a watchdog releases what a suspended program holds, and the program knows it") {
    watchdog_contract::check_suspension(keys);
}

TEST_CASE("a watchdog releases what a program holds that hangs") {
    watchdog_contract::check_hang(keys);
}

TEST_CASE("a watchdog releases nothing while the pointer of a busy Wine is slow") {
    win32::SystemCalls system;
    system.send_input = [](UINT count, INPUT*, int) { return count; };
    system.runs_under_wine = [] { return true; };
    system.let_reports_arrive = [](const win32::WhileWaiting&) {};
    system.let_pointer_arrive = [](ULONG_PTR, bool, const win32::WhileWaiting& call) {
        constexpr std::chrono::milliseconds longer_than_a_lease{600};
        const auto is_over = [&] {
            call();
            return false;
        };
        return !test::eventually(is_over, longer_than_a_lease);
    };
    win32::Win32Desktop desktop(system,
                                {(test::program_folder() / "eyehand-holder").string(), "watchdog"});
    const auto area = eyehand::winio::choose_area(desktop, {.display = "all"});
    eyehand::winio::InputExecutor executor(desktop, area);
    const auto report = executor.execute(gesture::drag({5, 5}, {9, 9}, {.steps = 2}));
    CHECK(report.problem.empty());
    CHECK(report.complete());
}

TEST_CASE("a watchdog releases nothing while the window under the pointer is busy") {
    const auto other = open_desktop();
    TestWindow window(*other);
    const auto at = center_of(window.state().area);
    const auto area = eyehand::winio::choose_area(*other, {.display = "all"});
    REQUIRE(eyehand::winio::InputExecutor(*other, area).execute(gesture::move(at)).complete());
    win32::SystemCalls system;
    system.runs_under_wine = [] { return true; };
    system.let_reports_arrive = [&](const win32::WhileWaiting& call) {
        constexpr std::chrono::milliseconds longer_than_a_lease{600};
        const auto end = std::chrono::steady_clock::now() + longer_than_a_lease;
        win32::let_reports_arrive([&] {
            call();
            if (std::chrono::steady_clock::now() >= end) window.go_on();
        });
    };
    win32::Win32Desktop desktop(system,
                                {(test::program_folder() / "eyehand-holder").string(), "watchdog"});
    eyehand::winio::InputExecutor executor(desktop, area);
    window.hang();
    const auto report = executor.execute(gesture::click(at));
    CHECK(report.problem.empty());
    CHECK(report.complete());
    CHECK(window.answers());
}

TEST_CASE("a watchdog restores nothing while the owner of the clipboard is busy") {
    const auto other = open_desktop();
    TestWindow window(*other);
    window.copy("of the user");
    REQUIRE(other->clipboard()->text() == "of the user");
    const auto desktop = watchdog_contract::watched_desktop();
    eyehand::winio::InputExecutor executor(*desktop, eyehand::winio::choose_area(*desktop, {}));
    window.hang();
    std::thread busy([&] {
        constexpr std::chrono::milliseconds longer_than_a_lease{600};
        static_cast<void>(test::eventually([] { return false; }, longer_than_a_lease));
        window.go_on();
    });
    const auto report = executor.execute(gesture::paste("of the plan"));
    busy.join();
    CHECK(report.problem.empty());
    CHECK(report.complete());
    CHECK(other->clipboard()->text() == "of the user");
}

TEST_CASE("a watchdog restores the clipboard if a program is killed that pastes") {
    const auto desktop = open_desktop();
    watchdog_contract::check_killed_paste(*desktop);
}

TEST_CASE("a watchdog restores the clipboard if a program that pastes is suspended") {
    const auto desktop = open_desktop();
    watchdog_contract::check_suspended_paste(*desktop);
}

TEST_CASE("a watchdog leaves what the user has copied during a paste") {
    const auto desktop = open_desktop();
    watchdog_contract::check_copy_during_paste(*desktop);
}

TEST_CASE("a watchdog leaves what the user copies before the program has replaced it") {
    const auto desktop = open_desktop();
    watchdog_contract::check_copy_before_paste(*desktop);
}

TEST_CASE("a watchdog leaves what the user copies before the program does anything more") {
    const auto desktop = open_desktop();
    watchdog_contract::check_copy_directly_after_paste(*desktop);
}

TEST_CASE("a drag of agent-cli is released when agent-cli is killed") {
    watchdog_contract::check_killed_drag(keys);
}

TEST_CASE("a drag of agent-cli is released when agent-cli is suspended, and fails afterwards") {
    watchdog_contract::check_suspended_drag(keys);
}
