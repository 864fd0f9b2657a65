#include "eyehand/base/folder_file.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#ifdef _WIN32
#include <windows.h>
// After <windows.h>, which it needs.
#include <aclapi.h>
#endif

using namespace eyehand::base;
using test::TempFolder;

TEST_CASE("folder file: names lead nowhere else") {
    for (const char* name : {"a", "a/b", "a..b", "..a", "\xC5\xBC"})
        CHECK(is_name_in_folder(std::filesystem::path(name)));
    for (const char* name : {"", ".", "..", "../a", "a/..", "a/../b", "./a", "/a", "a/", "//a"})
        CHECK_FALSE(is_name_in_folder(name));
#ifdef _WIN32
    for (const char* name : {"C:a", "C:\\a", "a:b", "..\\a", "a\\..\\b", "a.", "a ", "\\\\a\\b"})
        CHECK_FALSE(is_name_in_folder(name));
#endif
}

TEST_CASE("folder file: a file is written once, replaced and read back up to a limit") {
    const TempFolder folder;
    FileProblem problem;
    const std::string bytes("a\0\r\n\xFF", 5);
    CHECK(create_in_folder(folder.path(), "x/y", bytes, Folders::create, problem));
    CHECK_FALSE(create_in_folder(folder.path(), "x/y", "z", Folders::create, problem));
    CHECK(problem.file == folder.path() / "x/y");
    CHECK(read_in_folder(folder.path(), "x/y", 5) == bytes);
    CHECK_FALSE(read_in_folder(folder.path(), "x/y", 4));
    CHECK(size_in_folder(folder.path(), "x/y", 5) == 5);
    CHECK_FALSE(size_in_folder(folder.path(), "x/y", 4));
    CHECK(replace_in_folder(folder.path(), "x/y", "y.new", "z", Folders::existing, problem));
    CHECK(read_in_folder(folder.path(), "x/y", 5) == "z");
    CHECK_FALSE(read_in_folder(folder.path(), "x/y.new", 5));
    CHECK_FALSE(create_in_folder(folder.path(), "w/y", "z", Folders::existing, problem));
    CHECK_FALSE(read_in_folder(folder.path(), "x", 5)); // a folder
    CHECK_FALSE(read_in_folder(folder.path() / "nowhere", "x", 5));
}

TEST_CASE("folder file: a stream follows a file that grows, up to its limit") {
    const TempFolder folder;
    FolderFile file(folder.path(), "log", FileAccess::append);
    REQUIRE(file.is_open());
    REQUIRE(file.write("one\ntw"));
    const auto in = open_in_folder(folder.path(), "log", 12);
    REQUIRE(in);
    std::string line;
    CHECK(std::getline(*in, line));
    CHECK(line == "one");
    CHECK(in->tellg() == std::streampos(4));
    CHECK(std::getline(*in, line));
    CHECK(in->eof());
    REQUIRE(file.write("o\nthree"));
    in->clear();
    in->seekg(4);
    CHECK(std::getline(*in, line));
    CHECK(line == "two");
    CHECK(std::getline(*in, line));
    CHECK(line == "thre"); // the limit
    CHECK(file.size() == 13);
    CHECK(file.cut(3));
    CHECK(file.write("!"));
    CHECK(file.sync());
    CHECK(read_in_folder(folder.path(), "log", 100) == "one!");
    CHECK(open_in_folder(folder.path(), "log", 3) == nullptr);
}

#ifdef _WIN32
namespace {

/// Whether the access control list grants rights to anyone but the user and the system.
bool others_have_access(const std::filesystem::path& path) {
    ACL* list = nullptr;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    PSID owner = nullptr;
    REQUIRE(GetNamedSecurityInfoW(path.c_str(), SE_FILE_OBJECT,
                                  DACL_SECURITY_INFORMATION | OWNER_SECURITY_INFORMATION, &owner,
                                  nullptr, &list, nullptr, &descriptor) == ERROR_SUCCESS);
    bool others = list == nullptr;
    for (DWORD i = 0; list != nullptr && i < list->AceCount; ++i) {
        void* entry = nullptr;
        REQUIRE(GetAce(list, i, &entry) != 0);
        const auto* ace = static_cast<ACCESS_ALLOWED_ACE*>(entry);
        if (ace->Header.AceType != ACCESS_ALLOWED_ACE_TYPE || ace->Mask == 0) continue;
        PSID who = const_cast<DWORD*>(&ace->SidStart);
        others = others || !(EqualSid(who, owner) != 0 || IsWellKnownSid(who, WinLocalSystemSid));
    }
    LocalFree(descriptor);
    return others;
}

} // namespace

TEST_CASE("folder file: on Windows, only the user has access to new files and folders") {
    const TempFolder folder;
    std::error_code error;
    REQUIRE(create_private_folder(folder.path() / "private", error));
    FileProblem problem;
    REQUIRE(create_in_folder(folder.path() / "private", "x/y", "z", Folders::create, problem));
    for (const char* name : {"private", "private/x", "private/x/y"}) {
        CAPTURE(name);
        CHECK_FALSE(others_have_access(folder.path() / name));
    }
    CHECK_FALSE(create_private_folder(folder.path() / "private", error));
    CHECK_FALSE(error);
}
#endif
