#include "eyehand/winio/error.hpp"

#include "catch.hpp"

#include <sstream>

using namespace eyehand::winio;

TEST_CASE("the text of an error is exactly the given one, so that the remedy comes last") {
    const Error error(errc::capture_unavailable, "BitBlt was refused; is the session locked?");
    CHECK(std::string(error.what()) == "BitBlt was refused; is the session locked?");
    CHECK(error.code() == errc::capture_unavailable);
    const Error from_code(make_error_code(errc::cancelled), "stopped");
    CHECK(std::string(from_code.what()) == "stopped");
    CHECK(from_code.code() == errc::cancelled);
}

TEST_CASE("a copy of an error outlives the original and does not throw") {
    static_assert(std::is_nothrow_copy_constructible_v<Error>);
    static_assert(std::is_nothrow_copy_assignable_v<Error>);
    auto first = std::make_unique<Error>(errc::launch_failed, "a missing program");
    const Error copy = *first;
    first.reset();
    CHECK(std::string(copy.what()) == "a missing program");
    CHECK(copy.code() == errc::launch_failed);
}

TEST_CASE("older journals depend on the values of the codes") {
    CHECK(static_cast<int>(errc::no_display) == 1);
    CHECK(static_cast<int>(errc::capture_unavailable) == 3);
    CHECK(static_cast<int>(errc::capture_failed) == 4);
    CHECK(static_cast<int>(errc::outside_work_area) == 7);
    CHECK(static_cast<int>(errc::decode_failed) == 14);
    CHECK(static_cast<int>(errc::raced) == 15);
    CHECK(static_cast<int>(errc::interrupted) == 16);
}

TEST_CASE("a code's name is its enumerator") {
    CHECK(to_string(errc::no_display) == "no_display");
    CHECK(to_string(errc::decode_failed) == "decode_failed");
    CHECK(to_string(static_cast<errc>(0)) == "unknown");
    CHECK(to_string(static_cast<errc>(999)) == "unknown");
}

TEST_CASE("a code is streamed and formatted by its name") {
    std::ostringstream out;
    out << eyehand::winio::errc::no_display;
    CHECK(out.str() == "no_display");
    CHECK(format_as(eyehand::winio::errc::capture_failed) == "capture_failed");
}
