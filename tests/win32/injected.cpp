// Situations that cannot be created on a test machine: the test simulates the system's answers.
#include "catch.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "win32/win32_desktop.hpp"

#include <set>

using namespace eyehand::winio;
using win32::SystemCalls;
using win32::Win32Desktop;

namespace {

// An id that no window has.
HWND elevated_window() { return reinterpret_cast<HWND>(INT_PTR{0x7FFFFF00}); }
constexpr POINT inside_elevated{400, 5};

// A simulated keyboard and mouse: records the input of SendInput.
struct Recorder {
    std::vector<INPUT> inputs;
    std::size_t take_at_most = 1'000'000; // then refuses once
    int swapped = 0;
    std::set<int> users_keys;
    DWORD integrity_of_others = SECURITY_MANDATORY_MEDIUM_RID;
    POINT pointer{5, 5};
    HWND foreground = GetDesktopWindow();

    SystemCalls system() {
        SystemCalls calls;
        calls.send_input = [this](UINT count, INPUT* batch, int) -> UINT {
            const auto taken = std::min<std::size_t>(count, take_at_most);
            take_at_most = 1'000'000;
            inputs.insert(inputs.end(), batch, batch + taken);
            SetLastError(taken < count ? ERROR_ACCESS_DENIED : ERROR_SUCCESS);
            return static_cast<UINT>(taken);
        };
        calls.get_system_metrics = [this](int index) {
            return index == SM_SWAPBUTTON ? swapped : GetSystemMetrics(index);
        };
        calls.vk_key_scan = [](WCHAR character, HKL) -> SHORT {
            return character == L'@' ? SHORT{0x600 | 'Q'} : VkKeyScanW(character); // as on a German
                                                                                   // layout
        };
        calls.get_async_key_state = [this](int key) -> SHORT {
            return users_keys.contains(key) ? SHORT{-0x8000} : SHORT{0};
        };
        calls.own_integrity = [] { return std::optional<DWORD>(SECURITY_MANDATORY_MEDIUM_RID); };
        calls.integrity_of_window = [this](HWND) {
            return std::optional<DWORD>(integrity_of_others);
        };
        calls.get_cursor_pos = [this](POINT* at) -> BOOL {
            *at = pointer;
            return TRUE;
        };
        calls.runs_under_wine = [] { return false; };
        calls.foreground_window = [this] { return foreground; };
        calls.window_from_point = [](POINT) { return GetDesktopWindow(); };
        calls.wheel_follows_focus = [] { return false; };
        return calls;
    }
    // A window with higher rights begins at x = 320.
    SystemCalls system_with_elevated_right_half() {
        SystemCalls calls = system();
        calls.window_from_point = [](POINT at) {
            return at.x >= 320 ? elevated_window() : GetDesktopWindow();
        };
        calls.integrity_of_window = [](HWND window) {
            return std::optional<DWORD>(window == elevated_window()
                                            ? SECURITY_MANDATORY_HIGH_RID
                                            : SECURITY_MANDATORY_MEDIUM_RID);
        };
        return calls;
    }

    // Keys as "+q" and "-q" by virtual key, extended ones with "e".
    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> result;
        for (const INPUT& input : inputs) {
            if (input.type != INPUT_KEYBOARD) continue;
            std::string text = (input.ki.dwFlags & KEYEVENTF_KEYUP) != 0 ? "-" : "+";
            if ((input.ki.dwFlags & KEYEVENTF_EXTENDEDKEY) != 0) text += "e";
            result.push_back(text + std::to_string(input.ki.wVk));
        }
        return result;
    }
    [[nodiscard]] std::vector<DWORD> mouse_flags() const {
        std::vector<DWORD> flags;
        for (const INPUT& input : inputs)
            if (input.type == INPUT_MOUSE) flags.push_back(input.mi.dwFlags);
        return flags;
    }
};

const WorkArea anywhere({0, 0, 640, 480});

} // namespace

TEST_CASE("a batch is sent to the system in one call") {
    Recorder recorder;
    auto system = recorder.system();
    int calls = 0;
    system.send_input = [&](UINT count, INPUT*, int) {
        ++calls;
        return count;
    };
    Win32Desktop desktop(system);
    CHECK(desktop.send(std::get<Batch>(gesture::type("a😀b").steps[0].effect)).complete());
    CHECK(calls == 1);
}

TEST_CASE("after a half-accepted click, the button is released and the count is reported") {
    Recorder recorder;
    Win32Desktop desktop(recorder.system());
    InputExecutor executor(desktop, anywhere);
    recorder.take_at_most = 2;
    const ExecutionReport report = executor.execute(gesture::click({5, 5}));
    CHECK(report.error == errc::input_refused);
    CHECK(report.events == 2);
    CHECK(report.released == 1);
    CHECK_THAT(report.problem, ContainsSubstring("2 of 3"));
    CHECK(recorder.mouse_flags().back() == MOUSEEVENTF_LEFTUP);
}

TEST_CASE(
    "under Wine the pointer arrives before the button is pressed, and both changes go together") {
    Recorder recorder;
    auto system = recorder.system();
    std::string order;
    const auto send = system.send_input;
    system.send_input = [&](UINT count, INPUT* batch, int size) {
        order += std::to_string(count);
        return send(count, batch, size);
    };
    system.runs_under_wine = [] { return true; };
    bool is_there = true;
    system.let_reports_arrive = [](const win32::WhileWaiting&) {};
    HWND under_pointer = GetDesktopWindow();
    system.window_from_point = [&](POINT) { return under_pointer; };
    system.let_pointer_arrive = [&](ULONG_PTR mark, bool from_window, const win32::WhileWaiting&) {
        CHECK(from_window == (under_pointer != GetDesktopWindow()));
        CHECK(recorder.inputs.back().mi.dwExtraInfo == mark);
        order += " arrived ";
        return is_there;
    };
    Win32Desktop desktop(system);
    InputExecutor executor(desktop, anywhere);
    CHECK(executor.execute(gesture::click({5, 5})).complete());
    CHECK(order == "1 arrived 2");
    order.clear();
    CHECK(executor.execute(gesture::move({6, 6})).complete());
    CHECK(order == "1 arrived ");
    order.clear();
    is_there = false;
    under_pointer = reinterpret_cast<HWND>(INT_PTR{0x10});
    CHECK(executor.execute(gesture::click({7, 7})).complete());
    CHECK(order == "1 arrived 12");

    recorder.take_at_most = 0;
    const ExecutionReport refused = executor.execute(gesture::click({5, 5}));
    CHECK(refused.error == errc::input_refused);
    CHECK(refused.events == 0);
}

TEST_CASE("no key stays pressed if the system stops between a modifier and its key") {
    Recorder recorder;
    Win32Desktop desktop(recorder.system());
    recorder.take_at_most = 1;
    const SendReport report = desktop.send(Batch{KeyChange{U'@', Press::down}});
    CHECK(report.accepted == 0);
    CHECK(recorder.keys() == std::vector<std::string>{"+e165", "-e165"});
}

TEST_CASE("input to a window with higher rights is refused before it is sent") {
    Recorder recorder;
    recorder.integrity_of_others = SECURITY_MANDATORY_HIGH_RID;
    Win32Desktop desktop(recorder.system());
    for (const Plan& plan : {gesture::click({5, 5}), gesture::type("x"), gesture::scroll({5, 5}, 1),
                             gesture::press(*parse_chord("enter"))}) {
        InputExecutor executor(desktop, anywhere);
        const ExecutionReport report = executor.execute(plan);
        CHECK(report.error == errc::input_not_permitted);
        CHECK(report.events == 0);
        CHECK_THAT(report.problem, ContainsSubstring("higher rights"));
    }
    CHECK(recorder.inputs.empty());
}

TEST_CASE("a button is released over a window with higher rights that appeared after the press") {
    Recorder recorder;
    auto system = recorder.system();
    const auto record = system.send_input;
    system.send_input = [&](UINT count, INPUT* batch, int size) {
        recorder.integrity_of_others = SECURITY_MANDATORY_HIGH_RID;
        return record(count, batch, size);
    };
    Win32Desktop desktop(system);
    InputExecutor executor(desktop, anywhere);
    CHECK(executor.execute(gesture::drag({5, 5}, {50, 50}, {.steps = 2})).complete());
    REQUIRE_FALSE(recorder.inputs.empty());
    CHECK((recorder.mouse_flags().back() & MOUSEEVENTF_LEFTUP) != 0);
}

TEST_CASE("a key is released although a window with higher rights is in the foreground") {
    Recorder recorder;
    Win32Desktop desktop(recorder.system());
    REQUIRE(desktop.send(Batch{KeyChange{NamedKey::ctrl, Press::down}}).complete());
    recorder.integrity_of_others = SECURITY_MANDATORY_HIGH_RID;
    CHECK(desktop.send(Batch{KeyChange{NamedKey::ctrl, Press::up}}).complete());
    CHECK(recorder.keys() == std::vector<std::string>{"+162", "-162"});
}

TEST_CASE("moving the pointer over a window with higher rights is allowed") {
    Recorder recorder;
    recorder.integrity_of_others = SECURITY_MANDATORY_HIGH_RID;
    Win32Desktop desktop(recorder.system());
    CHECK(desktop.send(Batch{PointerMove{{5, 5}}}).complete());
}

TEST_CASE(
    "a click that moves off a window with higher rights is sent, one that moves onto it is not") {
    Recorder recorder;
    recorder.pointer = inside_elevated;
    Win32Desktop desktop(recorder.system_with_elevated_right_half());
    CHECK(desktop.send(std::get<Batch>(gesture::click({5, 5}).steps[0].effect)).complete());
    recorder.pointer = {5, 5};
    recorder.inputs.clear();
    InputExecutor executor(desktop, anywhere);
    CHECK(executor.execute(gesture::click({inside_elevated.x, inside_elevated.y})).error ==
          errc::input_not_permitted);
    CHECK(recorder.inputs.empty());
}

TEST_CASE("the wheel is checked against the window under the pointer, not the foreground window") {
    Recorder recorder;
    Win32Desktop desktop(recorder.system_with_elevated_right_half());
    InputExecutor executor(desktop, anywhere);
    const ExecutionReport report =
        executor.execute(gesture::scroll({inside_elevated.x, inside_elevated.y}, -3));
    CHECK(report.error == errc::input_not_permitted);
    CHECK_THAT(report.problem, ContainsSubstring("under the pointer"));
    CHECK(executor.execute(gesture::scroll({5, 5}, -3)).complete());
    recorder.foreground = elevated_window();
    CHECK(executor.execute(gesture::scroll({5, 5}, -3)).complete());
}

TEST_CASE("a wheel that follows the focus is checked against the foreground window") {
    Recorder recorder;
    auto system = recorder.system_with_elevated_right_half();
    system.wheel_follows_focus = [] { return true; };
    Win32Desktop desktop(system);
    InputExecutor executor(desktop, anywhere);
    CHECK(executor.execute(gesture::scroll({inside_elevated.x, inside_elevated.y}, 1)).complete());
    recorder.foreground = elevated_window();
    const ExecutionReport report = executor.execute(gesture::scroll({5, 5}, 1));
    CHECK(report.error == errc::input_not_permitted);
    CHECK_THAT(report.problem, ContainsSubstring("in the foreground"));
}

TEST_CASE("text is checked against the foreground window, not the window under the pointer") {
    Recorder recorder;
    recorder.pointer = inside_elevated;
    Win32Desktop desktop(recorder.system_with_elevated_right_half());
    CHECK(desktop.send(Batch{TypedScalar{U'x'}}).complete());
    recorder.pointer = {5, 5};
    recorder.foreground = elevated_window();
    const SendReport report = desktop.send(Batch{TypedScalar{U'x'}});
    CHECK(report.error == errc::input_not_permitted);
    CHECK(report.accepted == 0);
}

TEST_CASE("a drag may cross a window with higher rights and end on it, but not begin there") {
    Recorder recorder;
    Win32Desktop desktop(recorder.system_with_elevated_right_half());
    InputExecutor executor(desktop, anywhere);
    const Plan across{{Step{Batch{PointerMove{{5, 5}}, ButtonChange{Button::left, Press::down}}},
                       Step{Batch{PointerMove{{400, 5}}}}, Step{Batch{PointerMove{{5, 50}}}},
                       Step{Batch{ButtonChange{Button::left, Press::up}}}}};
    CHECK(executor.execute(across).complete());
    CHECK(executor.execute(gesture::drag({5, 5}, {400, 5}, {.steps = 2})).complete());
    CHECK((recorder.mouse_flags().back() & MOUSEEVENTF_LEFTUP) != 0);
    recorder.inputs.clear();
    CHECK(executor.execute(gesture::drag({400, 5}, {5, 5}, {.steps = 2})).error ==
          errc::input_not_permitted);
    for (const DWORD flags : recorder.mouse_flags()) CHECK((flags & MOUSEEVENTF_LEFTDOWN) == 0);
}

TEST_CASE("the report of input that the secure desktop refuses names the cause") {
    Recorder recorder;
    recorder.take_at_most = 0;
    auto system = recorder.system();
    system.open_input_desktop = [](DWORD, BOOL, ACCESS_MASK) -> HDESK {
        SetLastError(ERROR_ACCESS_DENIED);
        return nullptr;
    };
    Win32Desktop desktop(system);
    const SendReport report = desktop.send(Batch{PointerMove{{1, 1}}});
    CHECK(report.error == errc::input_refused);
    CHECK_THAT(report.problem, ContainsSubstring("0 of 1") && ContainsSubstring("the lock screen"));
}

TEST_CASE("a window whose rights are unknown receives the input if it accepts messages") {
    Recorder recorder;
    auto system = recorder.system();
    system.integrity_of_window = [](HWND) { return std::optional<DWORD>(); };
    bool refuses = false;
    system.refuses_messages = [&](HWND) { return refuses; };
    Win32Desktop desktop(system);
    CHECK(desktop.send(Batch{TypedScalar{U'x'}}).complete());
    refuses = true;
    CHECK(desktop.send(Batch{TypedScalar{U'x'}}).error == errc::input_not_permitted);
}

TEST_CASE("a program with UIAccess does not check whether windows accept messages") {
    Recorder recorder;
    auto system = recorder.system();
    system.own_integrity = [] { return std::optional<DWORD>(SECURITY_MANDATORY_SYSTEM_RID); };
    system.integrity_of_window = [](HWND) { return std::optional<DWORD>(); };
    system.refuses_messages = [](HWND) { return true; };
    Win32Desktop desktop(system);
    CHECK(desktop.send(Batch{TypedScalar{U'x'}}).complete());
}

TEST_CASE("on a German keyboard the at sign is AltGr and Q") {
    Recorder recorder;
    Win32Desktop desktop(recorder.system());
    InputExecutor executor(desktop, anywhere);
    REQUIRE(executor.execute(gesture::press(*parse_chord("@"))).complete());
    CHECK(recorder.keys() == std::vector<std::string>{"+e165", "+81", "-81", "-e165"});
    CHECK(recorder.inputs[1].ki.wScan != 0);
}

TEST_CASE("with swapped buttons a left click presses the right one") {
    Recorder recorder;
    recorder.swapped = 1;
    Win32Desktop desktop(recorder.system());
    InputExecutor executor(desktop, anywhere);
    REQUIRE(executor.execute(gesture::click_here()).complete());
    CHECK(recorder.mouse_flags() == std::vector<DWORD>{MOUSEEVENTF_RIGHTDOWN, MOUSEEVENTF_RIGHTUP});
}

TEST_CASE("modifiers that the user holds are released before anything is pressed") {
    Recorder recorder;
    recorder.users_keys = {VK_LSHIFT, VK_RMENU};
    Win32Desktop desktop(recorder.system());
    const SendReport report = desktop.send(Batch{TypedScalar{U'x'}});
    CHECK(report.complete());
    // E8 (232) has no meaning; it prevents a lone Alt from opening a menu.
    CHECK(recorder.keys() ==
          std::vector<std::string>{"+232", "-232", "-160", "+232", "-232", "-e165", "+0", "-0"});
}

TEST_CASE("modifiers that a plan holds stay pressed") {
    Recorder recorder;
    Win32Desktop desktop(recorder.system());
    REQUIRE(desktop.send(Batch{KeyChange{NamedKey::shift, Press::down}}).complete());
    recorder.users_keys = {VK_LSHIFT};
    REQUIRE(desktop.send(Batch{ButtonChange{Button::left, Press::down}}).complete());
    CHECK(recorder.keys() == std::vector<std::string>{"+160"});
}

TEST_CASE("a destroyed desktop releases everything that is still pressed, the last pressed first") {
    Recorder recorder;
    {
        Win32Desktop desktop(recorder.system());
        REQUIRE(desktop.send(Batch{KeyChange{NamedKey::ctrl, Press::down}}).complete());
        REQUIRE(desktop
                    .send(Batch{KeyChange{NamedKey::shift, Press::down},
                                KeyChange{NamedKey::ctrl, Press::up}, PointerMove{{5, 5}},
                                ButtonChange{Button::left, Press::down},
                                ButtonChange{Button::right, Press::down},
                                ButtonChange{Button::right, Press::up}})
                    .complete());
        recorder.inputs.clear();
    }
    CHECK(recorder.mouse_flags() == std::vector<DWORD>{MOUSEEVENTF_LEFTUP});
    CHECK(recorder.keys() == std::vector<std::string>{"-160"});
    REQUIRE(recorder.inputs.size() == 2);
    CHECK(recorder.inputs.front().type == INPUT_MOUSE);
}

TEST_CASE("a move does not release the user's modifiers") {
    Recorder recorder;
    recorder.users_keys = {VK_LSHIFT};
    Win32Desktop desktop(recorder.system());
    REQUIRE(desktop.send(Batch{PointerMove{{1, 1}}}).complete());
    CHECK(recorder.keys().empty());
}

TEST_CASE("input without a display is refused") {
    Recorder recorder;
    auto system = recorder.system();
    system.get_system_metrics = [](int) { return 0; };
    Win32Desktop desktop(system);
    const SendReport report = desktop.send(Batch{PointerMove{{1, 1}}});
    CHECK(report.accepted == 0);
    CHECK(report.error == errc::input_refused);
}

TEST_CASE("a pointer whose position cannot be read is unknown") {
    Recorder recorder;
    auto system = recorder.system();
    system.get_cursor_pos = [](POINT*) -> BOOL { return FALSE; };
    CHECK_FALSE(Win32Desktop(system).pointer().has_value());
}
