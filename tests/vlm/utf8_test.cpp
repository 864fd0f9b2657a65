#include "wire/utf8.hpp"

#include "catch.hpp"

using namespace eyehand;
using vlm::wire::excerpt;

TEST_CASE("an excerpt is one line of valid UTF-8") {
    CHECK(excerpt("  a\r\n\tb\xFF  ", 100) == "a b\xEF\xBF\xBD");
    CHECK(excerpt("\x01x", 100) == " x");
    CHECK(excerpt("", 100).empty());
}

TEST_CASE("an excerpt never cuts a character in two") {
    CHECK(excerpt("\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96", 4) == "\xE4\xB8\x96\xE4\xB8\x96...");
}

TEST_CASE("a character in pieces is joined") {
    const std::string text = "a\xC5\xBC\xE2\x82\xAC\xF0\x9F\x96\x90z";
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        CAPTURE(piece);
        vlm::wire::Utf8Joiner joiner;
        std::string joined;
        for (std::size_t at = 0; at < text.size(); at += piece) {
            const std::string whole = joiner.add(text.substr(at, piece));
            CHECK(vlm::wire::valid_utf8(whole) == whole);
            joined += whole;
        }
        CHECK(joined == text);
        CHECK(joiner.rest().empty());
    }
}

TEST_CASE("surrogate halves are joined, and single ones are replaced") {
    const auto valid = [](const std::string& json) {
        return vlm::wire::valid_utf8(vlm::wire::bytes_for_lone_surrogates(json));
    };
    CHECK(valid(R"(\ud83d)") == "\xEF\xBF\xBD");
    CHECK(valid(R"(\uDD90)") == "\xEF\xBF\xBD");
    CHECK(valid(R"(\ud83d\ud83da)") == "\xEF\xBF\xBD\xEF\xBF\xBD"
                                       "a");
    CHECK(valid(R"(\ud83d\udd90 \\ud83d \u00e9 \n)") == R"(\ud83d\udd90 \\ud83d \u00e9 \n)");
    vlm::wire::Utf8Joiner joiner;
    CHECK(joiner.add("\xED\xA0\xBD").empty());
    CHECK(joiner.add("\xED\xB6\x90").append(joiner.add("")) == "\xF0\x9F\x96\x90");
    CHECK(joiner.add("\xED\xA0\xBD").append(joiner.add("b")) == "\xEF\xBF\xBD"
                                                                "b");
}

TEST_CASE("malformed UTF-8 is replaced, also an incomplete character at the end") {
    CHECK(vlm::wire::valid_utf8("a\xFFz") == "a\xEF\xBF\xBDz");
    CHECK(vlm::wire::valid_utf8("a\xE2\x82") == "a\xEF\xBF\xBD");
    CHECK(vlm::wire::valid_utf8("\xE2\x82z") == "\xEF\xBF\xBDz");
    CHECK(vlm::wire::valid_utf8("").empty());
}
