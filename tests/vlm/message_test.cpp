#include "eyehand/vlm/message.hpp"

#include "catch.hpp"

using namespace eyehand;
using vlm::Message;
using vlm::Role;

TEST_CASE("roles have the names used in the protocol") {
    CHECK(vlm::to_string(Role::system) == "system");
    CHECK(vlm::to_string(Role::user) == "user");
    CHECK(vlm::to_string(Role::assistant) == "assistant");
    CHECK(vlm::to_string(Role::tool) == "tool");
}

TEST_CASE("an image knows the hash of its bytes and shares them with its copies") {
    const vlm::Image image = vlm::make_image(std::vector<std::uint8_t>{'a', 'b', 'c'});
    const vlm::Image copy = image;
    CHECK(image.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(image.media_type == "image/png");
    CHECK(copy.bytes == image.bytes);
}

TEST_CASE("an image cannot be made without bytes") {
    CHECK_THROWS_AS(vlm::make_image(std::shared_ptr<const std::vector<std::uint8_t>>()),
                    std::invalid_argument);
}

TEST_CASE("the factory functions set role, text, calls and call id") {
    CHECK(Message::system("s").role == Role::system);
    CHECK(Message::user("u").text() == "u");
    const Message assistant = Message::assistant("a", {{"id", "name", "{}", ""}});
    CHECK(assistant.role == Role::assistant);
    CHECK(assistant.tool_calls.size() == 1);
    const Message tool = Message::tool("id", "done");
    CHECK(tool.role == Role::tool);
    CHECK(tool.tool_call_id == "id");
}

TEST_CASE("the text of a message is its text parts, joined by line breaks") {
    Message message = Message::user("one", vlm::make_image(std::vector<std::uint8_t>{1}));
    message.parts.emplace_back("two");
    CHECK(message.text() == "one\ntwo");
    CHECK(Message{}.text().empty());
}

TEST_CASE("the media type of an image is detected by its first bytes") {
    const auto type = [](const std::string& text) {
        return vlm::media_type_of(std::vector<std::uint8_t>(text.begin(), text.end()));
    };
    CHECK(type("\x89PNG\r\n\x1A\n...") == "image/png");
    CHECK(type("\xFF\xD8\xFF\xE0...") == "image/jpeg");
    CHECK(type("GIF87a...") == "image/gif");
    CHECK(type("GIF89a...") == "image/gif");
    CHECK(type("RIFF....WEBPVP8 ") == "image/webp");
    for (const char* other :
         {"", "\x89PNG", "RIFF....WAVE", "GIF88a", "BM", "%PDF-1.7", "RIFF....WEB"})
        CHECK(type(other).empty());
}
