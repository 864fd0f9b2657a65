// Tests the characters that a reader does not see.
#include "eyehand/base/invisible.hpp"

#include "catch.hpp"

#include <string>
#include <string_view>

using namespace eyehand::base;

namespace {

std::string u8_text(std::u8string_view text) { return {text.begin(), text.end()}; }

} // namespace

TEST_CASE("invisible: a character is one if it is in a range") {
    for (const char32_t scalar :
         {U'\0',         U'\b',         U'\r',         U'\x1B',      U'\x1F',   U'\x7F',
          U'\x80',       U'\x9F',       U'\u00AD',     U'\u034F',    U'\u061C', U'\u115F',
          U'\u180E',     U'\u200B',     U'\u200D',     U'\u200F',    U'\u2028', U'\u2029',
          U'\u202A',     U'\u202E',     U'\u2060',     U'\u2066',    U'\u2069', U'\u3164',
          U'\uFE00',     U'\uFE0F',     U'\uFEFF',     U'\uFFA0',    U'\uFFF9', U'\U0001D173',
          U'\U000E0000', U'\U000E0041', U'\U000E01EF', U'\U000E0FFF'}) {
        CAPTURE(static_cast<unsigned>(scalar));
        CHECK(is_invisible(scalar));
    }
    for (const char32_t scalar :
         {U'\t',         U'\n',         U' ',         U'A',      U'~',      U'\u00A0',
          U'\u00AC',     U'\u00AE',     U'\u05D0',    U'\u0627', U'\u200A', U'\u2010',
          U'\u2027',     U'\u202F',     U'\u205F',    U'\u2070', U'\uFFFD', U'\U0001F600',
          U'\U000DFFFF', U'\U000E1000', U'\U0010FFFF'}) {
        CAPTURE(static_cast<unsigned>(scalar));
        CHECK_FALSE(is_invisible(scalar));
    }
}

TEST_CASE("invisible: the ranges are in ascending order and do not touch") {
    const auto ranges = invisible_ranges();
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        CHECK(ranges[i].first <= ranges[i].last);
        if (i > 0) CHECK(ranges[i - 1].last + 1 < ranges[i].first);
    }
}

TEST_CASE("invisible: such characters become escapes of JSON, and others stay") {
    CHECK(escape_invisible("").empty());
    CHECK(escape_invisible("plain\ttext\n\"ä\" 日本語") == "plain\ttext\n\"ä\" 日本語");
    CHECK(escape_invisible(u8_text(u8"a\u202Ecod.exe")) == "a\\u202ecod.exe");
    CHECK(escape_invisible(std::string("\0\x1B[2J", 5)) == "\\u0000\\u001b[2J");
    CHECK(escape_invisible(u8_text(u8"a\u200Bb\u2028c\u0085")) == "a\\u200bb\\u2028c\\u0085");
    CHECK(escape_invisible(u8_text(u8"x\U000E0041\U000E01EF")) == "x\\udb40\\udc41\\udb40\\uddef");
}

TEST_CASE("invisible: a carriage return stays only before a line break") {
    CHECK(escape_invisible("a\r\nb") == "a\r\nb");
    CHECK(escape_invisible("a\rb\r") == "a\\u000db\\u000d");
    CHECK(escape_invisible("\r\r\n") == "\\u000d\r\n");
}

TEST_CASE("invisible: one selector of a symbol's style stays") {
    const std::string warning = u8_text(u8"\u26A0\uFE0F");
    CHECK(escape_invisible(warning + " " + u8_text(u8"\U0001F512\uFE0E")) ==
          warning + " " + u8_text(u8"\U0001F512\uFE0E"));
    CHECK(escape_invisible(warning + u8_text(u8"\uFE0F\uFE00")) == warning + "\\ufe0f\\ufe00");
    CHECK(escape_invisible(u8_text(u8"a\uFE0F")) == "a\\ufe0f");
    CHECK(escape_invisible(u8_text(u8"\u26A0\uFE01")) == u8_text(u8"\u26A0") + "\\ufe01");
    CHECK(escape_invisible(u8_text(u8"\u200D\uFE0F")) == "\\u200d\\ufe0f");
}
