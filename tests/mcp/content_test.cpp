#include "content_json.hpp"

#include "catch.hpp"

using namespace eyehand;
using namespace eyehand::mcp;

TEST_CASE("content that is written can be read again") {
    const std::vector<std::uint8_t> bytes{0, 1, 254, 255};
    const std::vector<Content> all{Text{"one\ntwo"},
                                   Image{bytes, "image/png"},
                                   Audio{bytes, "audio/wav"},
                                   ResourceLink{"file:///a", "a", "A", "the file", "text/plain"},
                                   ResourceContents{"file:///a", "text/plain", std::string("text")},
                                   ResourceContents{"file:///b", "", bytes}};
    for (const Content& content : all) CHECK(read_content(to_json(content)) == content);
}

TEST_CASE("a result that is written can be read again") {
    const CallResult result{
        .content = {Text{"3 files"}}, .structured_json = R"({"files":3})", .is_error = true};
    CHECK(read_call_result(to_json(result)) == result);
}

TEST_CASE("content with a missing member is not read") {
    for (const char* text :
         {R"({})", R"({"type":"text"})", R"({"type":"text","text":1})", R"({"type":"hologram"})",
          R"({"type":"image","data":"AA=="})",
          R"({"type":"image","data":"A","mimeType":"image/png"})", R"({"type":"resource"})",
          R"({"type":"resource","resource":{"uri":"a:b"}})",
          R"({"type":"resource","resource":{"text":"x"}})", R"({"type":"resource_link"})"}) {
        CAPTURE(text);
        CHECK(!read_content(json::parse(text).as_object()));
    }
}

TEST_CASE("a result without content or with a wrong type is not read") {
    for (const char* text : {R"({})", R"({"content":{}})", R"({"content":[1]})",
                             R"({"content":[],"isError":1})", R"({"content":[{"type":"text"}]})"}) {
        CAPTURE(text);
        CHECK(!read_call_result(json::parse(text).as_object()));
    }
}

TEST_CASE("bytes of a text that are not UTF-8 are replaced") {
    CHECK(to_json(Content(Text{"a\xFF"})).at("text").as_string() == "a\xEF\xBF\xBD");
}

TEST_CASE("a structured result that is not JSON is a mistake of the handler") {
    CHECK_THROWS_AS(to_json(CallResult{.structured_json = "{"}), std::invalid_argument);
}
