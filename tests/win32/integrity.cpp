// The assumed rights of a window's program if the system does not report them.
#include "test_window.hpp"

#include "win32/system_calls.hpp"

using namespace eyehand::winio;
using win32::integrity_of_this_process;
using win32::integrity_of_window;

namespace {

// From now on, opening the object is denied, as for an object of another user.
void deny_access(HANDLE object) {
    ACL empty_list{};
    REQUIRE(InitializeAcl(&empty_list, sizeof empty_list, ACL_REVISION));
    SECURITY_DESCRIPTOR descriptor{};
    REQUIRE(InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION));
    REQUIRE(SetSecurityDescriptorDacl(&descriptor, TRUE, &empty_list, FALSE));
    REQUIRE(SetKernelObjectSecurity(object, DACL_SECURITY_INFORMATION, &descriptor));
}

bool has_ui_access() {
    HANDLE opened = nullptr;
    REQUIRE(OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &opened));
    const win32::KernelObject token(opened);
    DWORD answer = 0;
    DWORD size = 0;
    return GetTokenInformation(token.get(), TokenUIAccess, &answer, sizeof answer, &size) !=
               FALSE &&
           answer != 0;
}

HWND handle_of(const TestWindow& window) { return reinterpret_cast<HWND>(window.info().id); }

} // namespace

TEST_CASE("a program of the same user has the same rights") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const HWND own =
        CreateWindowW(L"STATIC", L"", 0, 0, 0, 0, 0, HWND_MESSAGE, nullptr, nullptr, nullptr);
    REQUIRE(own != nullptr);
    const auto level = integrity_of_window(own);
    DestroyWindow(own);
    REQUIRE(level);
    CHECK(integrity_of_window(handle_of(window)) == level);
    // A program with UIAccess may send input to all windows. On Wine 10, every program has it.
    CHECK(integrity_of_this_process() ==
          (has_ui_access() ? DWORD{SECURITY_MANDATORY_SYSTEM_RID} : *level));
}

TEST_CASE("the rights of a process that may not be opened are unknown") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    deny_access(window.process());
    const win32::KernelObject opened(
        OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, GetProcessId(window.process())));
    REQUIRE_FALSE(opened);
    CHECK_FALSE(integrity_of_window(handle_of(window)));
    CHECK_FALSE(win32::refuses_messages(handle_of(window)));
}

TEST_CASE("a process whose token may not be read has higher rights") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    HANDLE opened = nullptr;
    REQUIRE(OpenProcessToken(window.process(), WRITE_DAC, &opened));
    const win32::KernelObject token(opened);
    deny_access(token.get());
    REQUIRE_FALSE(OpenProcessToken(window.process(), TOKEN_QUERY, &opened));
    CHECK(integrity_of_window(handle_of(window)) == DWORD{SECURITY_MANDATORY_SYSTEM_RID});
}

TEST_CASE("the rights of a window that does not exist are unknown") {
    const auto none = reinterpret_cast<HWND>(INT_PTR{0x7FFFFF00});
    CHECK_FALSE(integrity_of_window(none));
    CHECK_FALSE(win32::refuses_messages(none));
}
