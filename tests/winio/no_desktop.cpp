// libwinio built for a system that it has no back-end for.
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include "catch.hpp"

using namespace eyehand;

TEST_CASE("a system without back-end says that it has none") {
    try {
        (void)winio::open_desktop();
        FAIL("no error");
    } catch (const winio::Error& error) {
        CHECK(error.code() == winio::errc::not_supported);
    }
}
