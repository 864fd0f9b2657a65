#include "utf8.hpp"

#include "catch.hpp"

using namespace eyehand::winio;

TEST_CASE("every scalar survives the way through UTF-8") {
    for (char32_t scalar = 1; scalar <= 0x10FFFF; scalar += scalar < 0x1000 ? 1 : 97) {
        if (scalar >= 0xD800 && scalar <= 0xDFFF) continue;
        std::string text;
        utf8::append(text, scalar);
        const auto decoded = utf8::decode(text, 0);
        REQUIRE(decoded);
        REQUIRE(decoded->scalar == scalar);
        REQUIRE(decoded->length == text.size());
    }
}

TEST_CASE("broken UTF-8 is found where it starts") {
    CHECK(utf8::first_invalid("ab\x80") == 2);           // a tail without lead
    CHECK(utf8::first_invalid("ab\xc3") == 2);           // a lead without tail
    CHECK(utf8::first_invalid("\xc0\xaf") == 0);         // overlong
    CHECK(utf8::first_invalid("\xe0\x80\xaf") == 0);     // overlong
    CHECK(utf8::first_invalid("x\xed\xa0\x80") == 1);    // surrogate
    CHECK(utf8::first_invalid("\xf4\x90\x80\x80") == 0); // past the last scalar
    CHECK(utf8::first_invalid("\xff") == 0);
    CHECK_FALSE(utf8::first_invalid("Zażółć 世界 😀"));
}

TEST_CASE("what is no scalar is written as the replacement character") {
    std::string text;
    utf8::append(text, 0xD800);
    utf8::append(text, 0x110000);
    CHECK(text == "\xEF\xBF\xBD\xEF\xBF\xBD");
}
