#include "win32/command_line.hpp"

#include "catch.hpp"

using namespace eyehand;
using winio::win32::split_command_line;

namespace {

using Parts = std::pair<std::wstring_view, std::wstring_view>;

Parts parts_of(std::wstring_view text) {
    const auto [program, arguments] = split_command_line(text);
    return {program, arguments};
}

} // namespace

TEST_CASE("a program ends at the first space or tab") {
    CHECK((parts_of(L"setup.exe /S  /D=C:\\a b") == Parts(L"setup.exe", L"/S  /D=C:\\a b")));
    CHECK((parts_of(L"setup.exe\t\t/S") == Parts(L"setup.exe", L"/S")));
    CHECK((parts_of(L"  setup.exe ") == Parts(L"setup.exe", L"")));
}

TEST_CASE("a quoted program loses its quotes and ends at the second one") {
    CHECK((parts_of(LR"("C:\a b\c.exe" "x y" \"z)") == Parts(LR"(C:\a b\c.exe)", LR"("x y" \"z)")));
    CHECK((parts_of(LR"("C:\a b\c.exe"/S)") == Parts(LR"(C:\a b\c.exe)", L"/S")));
    CHECK((parts_of(LR"("C:\a b\c.exe)") == Parts(LR"(C:\a b\c.exe)", L"")));
}

TEST_CASE("an empty command line has neither a program nor arguments") {
    for (const auto* text : {L"", L"  ", L"\"", L"\"\""})
        CHECK((parts_of(text) == Parts(L"", L"")));
}
