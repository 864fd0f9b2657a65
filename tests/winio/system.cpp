#include "eyehand/winio/system.hpp"

#include "catch.hpp"

#include <algorithm>

using namespace eyehand::winio;

TEST_CASE("this program is among the running programs") {
    const std::vector<std::string> running = running_programs();
    CHECK(std::ranges::any_of(running, [](const std::string& name) {
        return name == "winio-tests" || name == "winio-tests.exe";
    }));
    CHECK(std::ranges::none_of(running, [](const std::string& name) {
        return name.empty() || name.find_first_of("/\\") != std::string::npos;
    }));
}

TEST_CASE("a registry value is read as text, and is empty on systems without a registry") {
    const auto version =
        registry_value(R"(HKLM\Software\Microsoft\Windows NT\CurrentVersion)", "CurrentVersion");
    CHECK(version.has_value() == has_registry());
    CHECK(version != std::string());
    CHECK(version ==
          registry_value(R"(HKEY_LOCAL_MACHINE\Software\Microsoft\Windows NT\CurrentVersion)",
                         "CurrentVersion"));
}

TEST_CASE("an invalid registry key or value is empty") {
    CHECK_FALSE(registry_value(R"(HKCU\Software\No such key)", "value"));
    CHECK_FALSE(registry_value(R"(No such root\Software)", "value"));
    CHECK_FALSE(registry_value("", ""));
    CHECK_FALSE(registry_value("HKCU\\caf\xe9", "value"));
    CHECK_FALSE(registry_value(R"(HKCU\Software)", std::string_view("a\0b", 3)));
}
