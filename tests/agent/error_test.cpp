#include "eyehand/agent/error.hpp"

#include "eyehand/vlm/error.hpp"
#include "eyehand/winio/error.hpp"

#include "catch.hpp"

#include <sstream>

using namespace eyehand;
using namespace eyehand::agent;

TEST_CASE("older run directories depend on the values of the codes") {
    CHECK(static_cast<int>(errc::empty_task) == 1);
    CHECK(static_cast<int>(errc::journal_corrupt) == 6);
    CHECK(static_cast<int>(errc::run_locked) == 14);
    CHECK(static_cast<int>(errc::panel_failed) == 16);
    CHECK(static_cast<int>(errc::bad_run) == 17);
    CHECK(static_cast<int>(errc::bad_guard) == 18);
    CHECK(static_cast<int>(errc::bad_secret) == 19);
}

TEST_CASE("every code has its own name and message") {
    for (int code = 1; code <= static_cast<int>(errc::bad_secret); ++code) {
        CHECK(to_string(static_cast<errc>(code)) != "unknown");
        CHECK(error_category().message(code) != "unknown agent error");
    }
    CHECK(error_category().message(999) == "unknown agent error");
}

TEST_CASE("files store category and name of an error") {
    CHECK(error_name(winio::errc::capture_failed) == "winio.capture_failed");
    CHECK(error_name(vlm::errc::unreachable) == "vlm.unreachable");
    CHECK(error_name(errc::bad_run) == "agent.bad_run");
    CHECK(error_name(std::make_error_code(std::errc::permission_denied)) == "generic.13");
    CHECK(error_name({999, winio::error_category()}) == "winio.999");
    CHECK(error_name({}).empty());
}

TEST_CASE("an error that an older journal contains by number has the current name") {
    CHECK(current_error_name("winio:4") == "winio.capture_failed");
    CHECK(current_error_name("vlm:2") == "vlm.unreachable");
    CHECK(current_error_name("agent:6") == "agent.journal_corrupt");
    CHECK(current_error_name("winio:999") == "winio.999");
}

TEST_CASE("any other stored error stays unchanged") {
    for (const char* text : {"winio.capture_failed", "", "winio:", "winio:x", "winio:0",
                             "generic:13", "winio:99999999999999999999", "a:b:1"})
        CHECK(current_error_name(text) == text);
}

TEST_CASE("a code is streamed and formatted by its name") {
    std::ostringstream out;
    out << eyehand::agent::errc::bad_profile;
    CHECK(out.str() == "bad_profile");
    CHECK(format_as(eyehand::agent::errc::run_locked) == "run_locked");
}
