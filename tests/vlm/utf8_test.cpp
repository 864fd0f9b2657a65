#include "wire/utf8.hpp"

#include "catch.hpp"

using vlm::wire::excerpt;
using vlm::wire::utf8_step;

namespace {

/// Valid sequences in brackets, invalid bytes as "?" with their count.
std::string steps(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const auto step = utf8_step(text);
        result.append(step.valid ? "v" : "?").append(std::to_string(step.length));
        text.remove_prefix(step.length);
    }
    return result;
}

} // namespace

TEST_CASE("valid UTF-8 is taken one scalar at a time") {
    CHECK(steps("a\xC3\xA9\xE4\xB8\x96\xF0\x9F\x98\x80") == "v1v2v3v4");
}

TEST_CASE("overlong forms, surrogates and values past U+10FFFF are invalid") {
    CHECK(steps("\xC0\xAF") == "?1?1");
    CHECK(steps("\xE0\x80\x80") == "?1?1?1");
    CHECK(steps("\xED\xA0\x80") == "?1?1?1");
    CHECK(steps("\xF4\x90\x80\x80") == "?1?1?1?1");
    CHECK(steps("\xFF") == "?1");
}

TEST_CASE("a sequence that is cut off counts as one mistake") {
    CHECK(steps("\xF0\x9F\x98") == "?3");
    CHECK(steps("\xE4\xB8z") == "?2v1");
    CHECK(steps("\x80") == "?1");
}

TEST_CASE("an excerpt is one line of valid UTF-8") {
    CHECK(excerpt("  a\r\n\tb\xFF  ", 100) == "a b\xEF\xBF\xBD");
    CHECK(excerpt("\x01x", 100) == " x");
    CHECK(excerpt("", 100).empty());
}

TEST_CASE("an excerpt never cuts a character in two") {
    CHECK(excerpt("\xE4\xB8\x96\xE4\xB8\x96\xE4\xB8\x96", 4) == "\xE4\xB8\x96\xE4\xB8\x96...");
}
