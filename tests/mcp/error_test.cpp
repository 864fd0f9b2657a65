#include "eyehand/mcp/error.hpp"

#include "catch.hpp"

#include <sstream>

using namespace eyehand;

TEST_CASE("every code of mcp has its own name and message") {
    for (int code = 1; code <= static_cast<int>(mcp::errc::bad_config); ++code) {
        CHECK(mcp::to_string(static_cast<mcp::errc>(code)) != "unknown");
        CHECK(mcp::error_category().message(code) != "unknown mcp error");
    }
    CHECK(mcp::error_category().message(999) == "unknown mcp error");
}

TEST_CASE("a code of mcp is streamed and formatted by its name") {
    std::ostringstream out;
    out << mcp::errc::bad_config;
    CHECK(out.str() == "bad_config");
    CHECK(format_as(mcp::errc::bad_config) == "bad_config");
}

TEST_CASE("an error of mcp shows the text that it was made with") {
    const mcp::Error error(mcp::errc::timeout, "the server \"files\" did not answer");
    CHECK(error.code() == mcp::errc::timeout);
    CHECK(error.what() == std::string("the server \"files\" did not answer"));
}
