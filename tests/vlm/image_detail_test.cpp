// `detail` of images: sent with each image, and left out if the server rejects it.
#include "catch_error.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "wire/encode_request.hpp"

#include <string>
#include <vector>

using namespace eyehand;
using vlm::ChatRequest;
using vlm::ImageDetail;
using vlm::Message;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

vlm::Image image() { return vlm::make_image(std::vector<std::uint8_t>{1, 2, 3}); }

ChatRequest request_with(std::optional<ImageDetail> detail) {
    return {.messages = {Message::user("u", image()), Message::assistant("a"),
                         Message::user("v", image())},
            .sampling = {.image_detail = detail}};
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

struct ImageDetailStage {
    ChatServer server;
    vlm::OpenAiClient client{{.endpoint = server.url()}};
    [[nodiscard]] std::string body(std::size_t number) const {
        return server.requests().at(number).body;
    }
};

} // namespace

TEST_CASE("image detail: the words are read back") {
    for (const char* word : {"low", "high", "auto", "original"}) {
        const auto detail = vlm::parse_image_detail(word);
        REQUIRE(detail);
        CHECK(vlm::to_string(*detail) == word);
    }
    CHECK_FALSE(vlm::parse_image_detail("High"));
    CHECK_FALSE(vlm::parse_image_detail(""));
}

TEST_CASE("image detail: all images have it, or no image has it") {
    const auto encoded = [](std::optional<ImageDetail> detail) {
        return vlm::wire::encode_request(request_with(detail), {});
    };
    CHECK(count(encoded(ImageDetail::automatic),
                R"({"url":"data:image/png;base64,AQID","detail":"auto"}})") == 2);
    CHECK(count(encoded({}), R"({"url":"data:image/png;base64,AQID"}})") == 2);
    CHECK(count(encoded({}), "detail") == 0);
}

TEST_CASE("image detail: a request that is rejected because of it is sent without it") {
    struct Row {
        int status;
        std::string message;
        ImageDetail detail = ImageDetail::high;
    };
    const std::vector<Row> rows{
        {400, "Invalid value: 'original'. Supported values are: 'auto', 'low', and 'high'.",
         ImageDetail::original},
        {400, "Unrecognized field 'detail' in image_url"},
        {422, "messages.0.content.1.image_url.detail: Extra inputs are not permitted"},
        {400, "unknown variant 'original', expected one of 'low', 'high'", ImageDetail::original}};
    for (const Row& row : rows) {
        INFO(row.message);
        ImageDetailStage stage;
        stage.server.enqueue(
            {.status = row.status, .body = R"({"error":{"message":")" + row.message + "\"}}"});
        stage.server.enqueue({.body = completion("ok")});
        stage.server.enqueue({.body = completion("ok")});
        const vlm::ChatReply reply = stage.client.reply(request_with(row.detail));
        REQUIRE(reply.notes.size() == 1);
        CHECK(reply.notes[0] == "image_detail was not sent: the server does not support it (\"" +
                                    row.message + "\")");
        CHECK(stage.client.reply(request_with(row.detail)).notes.empty());
        CHECK(count(stage.body(0), R"("detail":)") == 2);
        CHECK(stage.body(1) == vlm::wire::encode_request(request_with({}), {}));
        CHECK(stage.body(2) == stage.body(1)); // the client remembers the refusal
    }
}

TEST_CASE("image detail: errors with another cause are not blamed on it") {
    for (const char* message :
         {"the image is too large; see the documentation for details", "model 'high' not found"}) {
        ImageDetailStage stage;
        stage.server.enqueue(
            {.status = 400, .body = R"({"error":{"message":")" + std::string(message) + "\"}}"});
        CHECK(error_of([&] {
                  (void)stage.client.reply(request_with(ImageDetail::high));
              }).status() == 400);
        CHECK(stage.server.requests().size() == 1);
    }
}

TEST_CASE("image detail: an error that rejects the reasoning effort is not blamed on it") {
    constexpr const char* message =
        "Invalid value: 'xhigh'. Supported values are: 'none', 'minimal', 'low', 'medium', and "
        "'high'.";
    ImageDetailStage stage;
    stage.server.enqueue(
        {.status = 400, .body = R"({"error":{"message":")" + std::string(message) + "\"}}"});
    stage.server.enqueue({.body = completion("ok")});
    ChatRequest request = request_with(ImageDetail::high);
    request.sampling.reasoning_effort = vlm::ReasoningEffort::xhigh;
    const vlm::ChatReply reply = stage.client.reply(request);
    REQUIRE(reply.notes.size() == 1);
    CHECK_THAT(reply.notes[0], ContainsSubstring("reasoning_effort was not sent"));
    CHECK(count(stage.body(1), R"("detail":"high")") == 2);
    CHECK(count(stage.body(1), "xhigh") == 0);
}

TEST_CASE("image detail: a request without images has nothing to leave out") {
    ImageDetailStage stage;
    stage.server.enqueue({.body = completion("ok")});
    const ChatRequest request{.messages = {Message::user("u")},
                              .sampling = {.image_detail = ImageDetail::low}};
    CHECK(stage.client.reply(request).notes.empty());
    CHECK(count(stage.body(0), "detail") == 0);
}
