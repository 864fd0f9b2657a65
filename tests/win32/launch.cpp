#include "desktop_contract.hpp"

#include "eyehand/winio/desktop.hpp"

#include "temp_folder.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <set>

using namespace eyehand::winio;
using desktop_contract::eventually;

namespace {

std::set<WindowId> notepads(Desktop& desktop) {
    std::set<WindowId> found;
    for (const WindowInfo& window : desktop.windows()->list())
        if (window.process == "notepad.exe" && window.window_class == "Notepad")
            found.insert(window.id);
    return found;
}

// A file type that the shell passes to Notepad with its arguments, as it does for scripts.
// Registered for the user, because types of the machine need an administrator. Wine reads only
// those, but a key that exists for the user is also written for the user through HKEY_CLASSES_ROOT.
class ScriptKind {
public:
    ScriptKind() {
        for (const Root& root : roots) {
            set(root, L".eyehandtest", L"EyehandTest");
            set(root, LR"(EyehandTest\shell\open\command)", L"notepad.exe %*");
        }
    }
    ~ScriptKind() {
        for (const Root& root : roots)
            for (const wchar_t* name : {L".eyehandtest", L"EyehandTest"})
                RegDeleteTreeW(root.key, (root.path + name).c_str());
    }
    ScriptKind(const ScriptKind&) = delete;
    ScriptKind& operator=(const ScriptKind&) = delete;

private:
    struct Root {
        HKEY key;
        std::wstring path;
    };
    inline static const std::array roots{Root{HKEY_CURRENT_USER, LR"(Software\Classes\)"},
                                         Root{HKEY_CLASSES_ROOT, L""}};

    static void set(const Root& root, const wchar_t* name, const std::wstring& value) {
        REQUIRE(RegSetKeyValueW(
                    root.key, (root.path + name).c_str(), nullptr, REG_SZ, value.c_str(),
                    static_cast<DWORD>((value.size() + 1) * sizeof(wchar_t))) == ERROR_SUCCESS);
    }
};

} // namespace

TEST_CASE("a program inherits the environment without the hidden variables") {
    const auto desktop = open_desktop();
    const test::TempFolder folder;
    const auto file = folder / "printed";
    REQUIRE(SetEnvironmentVariableW(L"EYEHAND_API_KEY", L"secret") != 0);
    REQUIRE(SetEnvironmentVariableW(L"EYEHAND_TEST_SHOWN", L"shown") != 0);
    desktop->launch(
        {"cmd /c echo [%EYEHAND_API_KEY%][%EYEHAND_TEST_SHOWN%] > \"" + file.string() + "\"",
         {"eyehand_api_key"}});
    CHECK(eventually([&] {
        return std::filesystem::exists(file) &&
               test::read_file(file).find("[shown]") != std::string::npos;
    }));
    CHECK(test::read_file(file).find("secret") == std::string::npos);
    // It is missing in the child only.
    CHECK(GetEnvironmentVariableW(L"EYEHAND_API_KEY", nullptr, 0) != 0);
    SetEnvironmentVariableW(L"EYEHAND_API_KEY", nullptr);
    SetEnvironmentVariableW(L"EYEHAND_TEST_SHOWN", nullptr);
}

TEST_CASE("a launched program opens its window and can be closed") {
    const auto desktop = open_desktop();
    const auto before = notepads(*desktop);
    desktop->launch({"notepad"});
    std::vector<WindowId> opened;
    CHECK(eventually([&] {
        const auto now = notepads(*desktop);
        opened.clear();
        std::ranges::set_difference(now, before, std::back_inserter(opened));
        return opened.size() == 1;
    }));
    for (const WindowId window : opened)
        desktop->windows()->apply({window, WindowAction::close, {}});
    CHECK(eventually([&] { return notepads(*desktop) == before; }));
}

TEST_CASE("a file that only the shell can start gets its arguments with their quotes") {
    const ScriptKind kind;
    const test::TempFolder folder;
    std::ofstream(folder / "a script.eyehandtest") << "script";
    std::ofstream(folder / "two words.txt") << "text";
    std::ostringstream command; // ... "a script.eyehandtest" "two words.txt"
    command << '"' << (folder / "a script.eyehandtest").string() << "\" \""
            << (folder / "two words.txt").string() << '"';
    const auto desktop = open_desktop();
    const auto before = notepads(*desktop);
    desktop->launch({command.str()});
    std::optional<WindowInfo> opened;
    CHECK(eventually([&] {
        for (const WindowInfo& window : desktop->windows()->list())
            if (window.title.starts_with("two words")) opened = window;
        return opened.has_value();
    }));
    if (opened) desktop->windows()->apply({opened->id, WindowAction::close, {}});
    CHECK(eventually([&] { return notepads(*desktop) == before; }));
}

TEST_CASE("the error for a missing program names it and the system's reason") {
    try {
        open_desktop()->launch({"no-such-program-of-ours --flag"});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::launch_failed);
        CHECK_THAT(error.what(), ContainsSubstring("no-such-program-of-ours"));
        CHECK_THAT(error.what(), ContainsSubstring("system error"));
    }
}
