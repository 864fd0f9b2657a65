#include "vlm/error.hpp"

#include "catch.hpp"

TEST_CASE("an error carries its code, the HTTP status and the server's words") {
    const vlm::Error error(vlm::errc::not_found, "no such model",
                           {.status = 404, .server_message = "model x not found"});
    CHECK(error.code() == vlm::errc::not_found);
    CHECK(error.status() == 404);
    CHECK(error.server_message() == "model x not found");
    CHECK_THAT(error.what(), ContainsSubstring("no such model"));
}

TEST_CASE("every code has words of its own") {
    for (int code = 1; code <= static_cast<int>(vlm::errc::cancelled); ++code)
        CHECK(vlm::error_category().message(code) != "unknown vlm error");
    CHECK(vlm::error_category().message(999) == "unknown vlm error");
    CHECK(std::string(vlm::error_category().name()) == "vlm");
}
