#include "wire/thinking.hpp"

#include "catch.hpp"

using namespace eyehand;

TEST_CASE("think blocks are found, even if one of their tags is missing") {
    // The text without them.
    const auto visible = [](const std::string& text) {
        std::string rest;
        std::size_t at = 0;
        for (const vlm::wire::Span& span : vlm::wire::thinking(text)) {
            rest += text.substr(at, span.begin - at);
            at = span.end;
        }
        return rest + text.substr(at);
    };
    CHECK(visible("no thoughts") == "no thoughts");
    CHECK(visible("<think>a\nb</think>c") == "c");
    CHECK(visible("a<think>x</think>b<think>y</think>c") == "abc");
    CHECK(visible("so I thought</think>c") == "c");
    CHECK(visible("a<think>x</think>b</think>c") == "c");
    CHECK(visible("a<think>and then") == "a");
    CHECK(visible("<think>a<think>b</think>c</think>d") == "d");
    CHECK(visible("<think></think>").empty());
    CHECK(visible("").empty());
}
