#include "eyehand/base/base64.hpp"

#include "catch.hpp"

using namespace eyehand::base;

TEST_CASE("base64 has the text of RFC 4648") {
    const std::pair<std::string_view, std::string_view> known[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"},
                                                                   {"\xfb\xff\xbf", "+/+/"}};
    for (const auto& [bytes, text] : known) {
        CAPTURE(text);
        CHECK(to_base64(bytes) == text);
        CHECK(base64_length(bytes.size()) == text.size());
        CHECK(from_base64(text) == std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
    }
}

TEST_CASE("every byte survives a round trip through base64, appended to other text") {
    std::vector<std::uint8_t> bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::uint8_t>(i));
    std::string text = "data:";
    append_base64(text, bytes);
    CHECK(from_base64(text.substr(5)) == bytes);
}

TEST_CASE("invalid base64 is refused") {
    for (const std::string_view text :
         {"Zg=", "Zg", "Z", "Zg==Zg==", "Z===", "====", "Zg\n=", "Zm9-", "Zh==", "Zm9="}) {
        CAPTURE(text);
        CHECK_FALSE(from_base64(text));
    }
}
