#include "eyehand/vlm/error.hpp"

#include "catch.hpp"

#include <sstream>

using namespace eyehand;

TEST_CASE("an error has its code, the HTTP status and the server's message") {
    const vlm::Error error(vlm::errc::not_found, "no such model",
                           {.status = 404, .server_message = "model x not found"});
    CHECK(error.code() == vlm::errc::not_found);
    CHECK(error.status() == 404);
    CHECK(error.server_message() == "model x not found");
    CHECK_THAT(error.what(), ContainsSubstring("no such model"));
}

TEST_CASE("every code has its own message") {
    for (int code = 1; code <= static_cast<int>(vlm::errc::cassette_mismatch); ++code)
        CHECK(vlm::error_category().message(code) != "unknown vlm error");
    CHECK(vlm::error_category().message(999) == "unknown vlm error");
    CHECK(std::string(vlm::error_category().name()) == "vlm");
}

TEST_CASE("older journals and cassettes depend on the values of the codes") {
    CHECK(static_cast<int>(vlm::errc::bad_url) == 1);
    CHECK(static_cast<int>(vlm::errc::unreachable) == 2);
    CHECK(static_cast<int>(vlm::errc::http_status) == 5);
    CHECK(static_cast<int>(vlm::errc::context_overflow) == 9);
    CHECK(static_cast<int>(vlm::errc::untrusted) == 16);
    CHECK(static_cast<int>(vlm::errc::cassette_mismatch) == 18);
}

TEST_CASE("a code's name is its enumerator") {
    CHECK(to_string(vlm::errc::bad_url) == "bad_url");
    CHECK(to_string(vlm::errc::cassette_mismatch) == "cassette_mismatch");
    CHECK(to_string(static_cast<vlm::errc>(999)) == "unknown");
}

TEST_CASE("a code is streamed and formatted by its name") {
    std::ostringstream out;
    out << eyehand::vlm::errc::timeout;
    CHECK(out.str() == "timeout");
    CHECK(format_as(eyehand::vlm::errc::http_status) == "http_status");
}
