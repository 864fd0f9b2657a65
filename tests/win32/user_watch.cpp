// The signals of the user. Input of programs that are not this library counts as the user's.
#include "hand.hpp"
#include "test_window.hpp"
#include "user_watch_contract.hpp"

#include "program.hpp"

// windows.h comes first.
#include <windows.h>

#include <tlhelp32.h>

#include <algorithm>
#include <iterator>
#include <set>

using namespace eyehand::winio;
namespace contract = user_watch_contract;

namespace {

std::unique_ptr<Desktop> desktop_with_helper(const char* argument = "watchdog") {
    return open_desktop(
        {.watchdog = {(test::program_folder() / "eyehand-holder").string(), argument}});
}

std::set<DWORD> children_of_this_process() {
    const HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
    REQUIRE(all != INVALID_HANDLE_VALUE);
    PROCESSENTRY32W entry{};
    entry.dwSize = sizeof entry;
    std::set<DWORD> children;
    for (BOOL more = Process32FirstW(all, &entry); more != 0; more = Process32NextW(all, &entry))
        if (entry.th32ParentProcessID == GetCurrentProcessId())
            children.insert(entry.th32ProcessID);
    CloseHandle(all);
    return children;
}

} // namespace

TEST_CASE("a stop key counts the presses of its chord, and of no other") {
    contract::check_stop_key(*desktop_with_helper());
}

TEST_CASE("a watch of the user ends with its object, and leaves others") {
    contract::check_two_watches(*desktop_with_helper());
}

TEST_CASE("a stop key is one key with modifiers") {
    contract::check_chords(*desktop_with_helper());
}

TEST_CASE("the end of a watch that the caller destroys is not reported") {
    contract::check_end_by_caller(*desktop_with_helper());
}

TEST_CASE("a watch of the user reports that its helper process has ended") {
    const auto desktop = desktop_with_helper();
    const std::set<DWORD> others = children_of_this_process();
    contract::Counts counts(*desktop, nullptr);
    std::set<DWORD> helper;
    std::ranges::set_difference(children_of_this_process(), others,
                                std::inserter(helper, helper.end()));
    REQUIRE(helper.size() == 1);
    const win32::KernelObject process(OpenProcess(PROCESS_TERMINATE, FALSE, *helper.begin()));
    REQUIRE(TerminateProcess(process.get(), 9) != 0);
    CHECK(counts.reaches(UserSignal::watch_ended, 1));
}

TEST_CASE("a watch of the user needs a helper process") {
    try {
        (void)open_desktop()->watch_user({}, [](UserSignal) {});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::not_supported);
    }
}

TEST_CASE("input of this library is not the user's") {
    contract::check_input_of_program(*desktop_with_helper(), {300, 300});
}

TEST_CASE("a click of this library on the title bar of a window is not the user's") {
    const auto desktop = desktop_with_helper();
    TestWindow window(*desktop);
    contract::Counts counts(*desktop, "ctrl+alt+f7");
    const Rect bounds = window.info().bounds;
    // More than the watch remembers: it must not know the place to which Wine moves the pointer.
    for (int i = 0; i < 34; ++i)
        REQUIRE(desktop->send(Batch{PointerMove{{bounds.x + i, bounds.bottom() - 1}}}).complete());
    REQUIRE(desktop
                ->send(Batch{PointerMove{{bounds.x + 60, bounds.y + 12}},
                             ButtonChange{Button::left, Press::down},
                             ButtonChange{Button::left, Press::up}})
                .complete());
    CHECK(window.answers());
    contract::press(*desktop, "ctrl+alt+f7");
    CHECK(counts.reaches(UserSignal::stop_key, 1));
    CHECK(counts.of(UserSignal::input) == 0);
}

TEST_CASE("input of other programs is the user's") {
    win32_tests::Hand hand;
    contract::check_input_of_user(*desktop_with_helper(), hand.functions(), {300, 300});
}

TEST_CASE("the user holds Escape") {
    win32_tests::Hand hand;
    contract::check_escape(*desktop_with_helper(), hand.functions());
}

TEST_CASE("the user moves the pointer into a corner") {
    win32_tests::Hand hand;
    contract::check_corner(*desktop_with_helper(), hand.functions());
}
