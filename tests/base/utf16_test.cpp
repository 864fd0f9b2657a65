#include "eyehand/base/utf16.hpp"

#include "catch.hpp"

#include <stdexcept>

using namespace eyehand::base;

TEST_CASE("scalars past U+FFFF are two surrogates") {
    CHECK(utf16_units(U'é') == u"é");
    CHECK(utf16_units(U'😀') == std::u16string{0xD83D, 0xDE00});
    CHECK(utf16_units(0x10FFFF) == std::u16string{0xDBFF, 0xDFFF});
}

TEST_CASE("text survives a round trip through UTF-16") {
    for (const char* text : {"", "plain", "Zażółć gęślą jaźń", "世界 😀\r\n"})
        CHECK(to_utf8(to_utf16(text)) == text);
}

TEST_CASE("lone surrogates become replacement characters and invalid UTF-8 is refused") {
    CHECK(to_utf8(std::u16string{u'a', 0xD83D}) == "a\xEF\xBF\xBD");
    CHECK(to_utf8(std::u16string{0xDE00, 0xD83D, u'b'}) == "\xEF\xBF\xBD\xEF\xBF\xBD"
                                                           "b");
    CHECK_THROWS_AS(to_utf16("a\xff"), std::invalid_argument);
}

#ifdef _WIN32
TEST_CASE("text survives a round trip through Windows' wide characters") {
    CHECK(to_wide("é😀") == L"é😀");
    CHECK(to_utf8(std::wstring_view(L"é😀")) == "é😀");
}
#endif
