#include "vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "wire/decode_reply.hpp"

using namespace std::chrono_literals;
using vlm::testing::ChatServer;
using vlm::testing::completion;

TEST_CASE("a completion is one that the decoder accepts") {
    const auto reply = vlm::wire::decode_reply(completion("hi \"you\""), {});
    CHECK(reply.text == "hi \"you\"");
    CHECK(reply.tool_calls.empty());
    CHECK(reply.finish == vlm::FinishReason::stop);
}

TEST_CASE("a completion with a tool has one call of it") {
    const auto reply = vlm::wire::decode_reply(completion("", "click", R"({"x":1})"), {});
    REQUIRE(reply.tool_calls.size() == 1);
    CHECK(reply.tool_calls[0].name == "click");
    CHECK(reply.tool_calls[0].arguments_json == R"({"x":1})");
    CHECK(reply.finish == vlm::FinishReason::tool_calls);
}

TEST_CASE("two chat servers listen on different ports") {
    const ChatServer one;
    const ChatServer two;
    CHECK(one.port() != two.port());
    CHECK(one.url() == "http://127.0.0.1:" + std::to_string(one.port()));
}

TEST_CASE("a chat server that nobody asks says so") {
    const ChatServer server;
    CHECK(server.requests().empty());
    CHECK(server.connections() == 0);
    CHECK_FALSE(server.wait_for_requests(1, 1ms));
    CHECK(server.wait_until_disconnected(1ms));
}
