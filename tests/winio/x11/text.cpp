#include "x11/text.hpp"

#include "catch.hpp"

using namespace eyehand::winio::x11;

TEST_CASE("Latin-1 becomes UTF-8 and back") {
    CHECK(text_of_latin1("caf\xe9") == "café");
    CHECK(latin1_of("café") == "caf\xe9");
    CHECK_FALSE(latin1_of("Łódź").has_value());
}

TEST_CASE("each byte that is not UTF-8 becomes a replacement character") {
    CHECK(valid_utf8("é 世 😀") == "é 世 😀");
    CHECK(valid_utf8("a\xff\xe9z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}
