#include "eyehand/base/utf8.hpp"

#include "catch.hpp"

using namespace eyehand::base;

TEST_CASE("every scalar survives a round trip through UTF-8") {
    for (char32_t scalar = 1; scalar <= 0x10FFFF; scalar += scalar < 0x1000 ? 1 : 97) {
        if (scalar >= 0xD800 && scalar <= 0xDFFF) continue;
        std::string text;
        utf8::append(text, scalar);
        const utf8::Decoded decoded = utf8::decode(text);
        REQUIRE(decoded.valid);
        REQUIRE(decoded.scalar == scalar);
        REQUIRE(decoded.length == text.size());
    }
}

TEST_CASE("the position of invalid UTF-8 is its first byte") {
    CHECK(utf8::first_invalid("ab\x80") == 2);           // a continuation byte without a lead byte
    CHECK(utf8::first_invalid("ab\xc3") == 2);           // a lead byte without continuation bytes
    CHECK(utf8::first_invalid("\xc0\xaf") == 0);         // overlong
    CHECK(utf8::first_invalid("\xe0\x80\xaf") == 0);     // overlong
    CHECK(utf8::first_invalid("\xf0\x80\x80\xaf") == 0); // overlong
    CHECK(utf8::first_invalid("x\xed\xa0\x80") == 1);    // surrogate
    CHECK(utf8::first_invalid("\xf4\x90\x80\x80") == 0); // past the last scalar
    CHECK(utf8::first_invalid("\xff") == 0);
    CHECK_FALSE(utf8::first_invalid("Zażółć 世界 😀"));
}

TEST_CASE("invalid bytes have the length that one replacement character may replace") {
    const auto length = [](std::string_view text) {
        const utf8::Decoded decoded = utf8::decode(text);
        CHECK_FALSE(decoded.valid);
        CHECK(decoded.scalar == 0xFFFD);
        return decoded.length;
    };
    CHECK(length("\x80") == 1);
    CHECK(length("\xff") == 1);
    CHECK(length("\xe2\x82") == 2);     // truncated
    CHECK(length("\xf0\x9f\x98") == 3); // truncated
    CHECK(length("\xe2\x82z") == 2);
    CHECK(length("\xc0\xaf") == 1);         // overlong
    CHECK(length("\xe0\x80\x80") == 1);     // overlong
    CHECK(length("\xed\xa0\x80") == 1);     // surrogate
    CHECK(length("\xf4\x90\x80\x80") == 1); // past the last scalar
}

TEST_CASE("a value that is not a scalar is written as the replacement character") {
    std::string text;
    utf8::append(text, 0xD800);
    utf8::append(text, 0x110000);
    CHECK(text == "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("each byte that is not UTF-8 becomes a replacement character") {
    CHECK(utf8::replace_invalid("é 世 😀") == "é 世 😀");
    CHECK(utf8::replace_invalid("a\xff\xe9z") == "a\xEF\xBF\xBD\xEF\xBF\xBDz");
    CHECK(utf8::replace_invalid("\xe2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(utf8::replace_invalid("") == "");
}

TEST_CASE("characters are counted, not bytes") {
    CHECK(utf8::count("") == 0);
    CHECK(utf8::count("aé世😀") == 4);
}

TEST_CASE("a boundary is never inside a character") {
    const std::string_view text = "a世b"; // bytes 0, 1 to 3, 4
    const std::size_t before[] = {0, 1, 1, 1, 4, 5, 5};
    const std::size_t after[] = {0, 1, 4, 4, 4, 5, 5};
    for (std::size_t at = 0; at < 7; ++at) {
        CHECK(utf8::boundary_at_or_before(text, at) == before[at]);
        CHECK(utf8::boundary_at_or_after(text, at) == after[at]);
    }
}

TEST_CASE("ISO 8859-1 is converted to UTF-8 and back") {
    CHECK(utf8::from_latin1("caf\xe9") == "café");
    CHECK(utf8::to_latin1("café") == "caf\xe9");
    CHECK_FALSE(utf8::to_latin1("Łódź"));
    CHECK_FALSE(utf8::to_latin1("caf\xe9"));
}
