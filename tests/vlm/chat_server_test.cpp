#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "soon.hpp"
#include "wire/decode_reply.hpp"

#include <future>
#include <stop_token>

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::testing::ChatServer;
using vlm::testing::completion;
using vlm::testing::Gate;

TEST_CASE("the decoder accepts a scripted completion") {
    const auto reply = vlm::wire::decode_reply(completion("hi \"you\""), {});
    CHECK(reply.text == "hi \"you\"");
    CHECK(reply.tool_calls.empty());
    CHECK(reply.finish == vlm::FinishReason::stop);
}

TEST_CASE("a scripted completion with a tool has one call") {
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

TEST_CASE("a chat server without requests reports none") {
    const ChatServer server;
    CHECK(server.requests().empty());
    CHECK(server.connections() == 0);
    CHECK_FALSE(server.wait_for_requests(1, 1ms));
    CHECK(server.wait_until_disconnected(1ms));
}

namespace {

vlm::ChatRequest hello() {
    vlm::ChatRequest request;
    request.messages = {vlm::Message::user("hello")};
    return request;
}

} // namespace

TEST_CASE("a chat server that keeps no requests counts them") {
    const ChatServer server({.respond = [](const auto&) -> vlm::testing::Answer {
                                 return {.body = completion("hello")};
                             },
                             .keep_requests = false});
    vlm::OpenAiClient model({.endpoint = server.url()});
    CHECK(model.reply(hello()).text == "hello");
    CHECK(model.reply(hello()).text == "hello");
    CHECK(server.wait_for_requests(2, soon));
    CHECK_FALSE(server.wait_for_requests(3, 1ms));
    CHECK(server.requests().empty());
}

TEST_CASE("a chat server can answer depending on the request") {
    const ChatServer server({.respond = [](const vlm::testing::ReceivedRequest& request) {
        vlm::testing::Answer answer;
        answer.body = completion(request.method + ' ' + request.target);
        return answer;
    }});
    vlm::OpenAiClient model({.endpoint = server.url()});
    CHECK(model.reply(hello()).text == "POST /v1/chat/completions");
    CHECK(server.requests().size() == 1);
}

TEST_CASE("a chat server reports a client that disconnects during an answer") {
    const Gate gate;
    vlm::testing::Answer answer = GENERATE_COPY(vlm::testing::Answer{.never = true},
                                                vlm::testing::Answer{.parts = {"HTTP/1.1 ", gate}});
    ChatServer server;
    std::promise<void> disconnected;
    answer.on_disconnect = [&] { disconnected.set_value(); };
    server.enqueue(answer);
    std::stop_source stop;
    auto asking = std::async(std::launch::async, [&] {
        vlm::OpenAiClient model({.endpoint = server.url()});
        try {
            (void)model.reply(hello(), {}, stop.get_token());
        } catch (const vlm::Error&) {
            return true;
        }
        return false;
    });
    REQUIRE(server.wait_for_requests(1, soon));
    stop.request_stop();
    CHECK(disconnected.get_future().wait_for(soon) == std::future_status::ready);
    CHECK(asking.get());
}

TEST_CASE("a complete answer, or the end of the chat server, is not a client's disconnect") {
    int disconnects = 0; // written on the server's thread, read after its end
    {
        ChatServer server;
        vlm::testing::Answer answer;
        answer.on_disconnect = [&] { ++disconnects; };
        answer.body = completion("hi");
        server.enqueue(answer);
        {
            vlm::OpenAiClient model({.endpoint = server.url()});
            (void)model.reply(hello());
        }
        REQUIRE(server.wait_until_disconnected(soon));
    }
    CHECK(disconnects == 0);
}

TEST_CASE("a gate lets the given number of arrivals pass, waiting ones first") {
    const Gate gate;
    int woken = 0;
    int here = 0;
    int there = 0;
    CHECK_FALSE(gate.arrive(&here, [&] { woken += 1; }));
    CHECK_FALSE(gate.arrive(&there, [&] { woken += 10; }));
    gate.pass();
    CHECK(woken == 1);
    gate.pass(2);
    CHECK(woken == 11);
    CHECK(gate.arrive(&here, [] {}));
    CHECK_FALSE(gate.arrive(&here, [&] { woken += 100; }));
    gate.open();
    CHECK(woken == 111);
    CHECK(gate.arrive(&here, [] {}));
    CHECK(gate.wait_until_reached(5, 1ms));
    CHECK_FALSE(gate.wait_until_reached(6, 1ms));
}

TEST_CASE("a gate does not wake a forgotten arrival") {
    const Gate gate;
    int who = 0;
    CHECK_FALSE(gate.arrive(&who, [] { FAIL("woken"); }));
    gate.forget(&who);
    gate.open();
}

TEST_CASE("chunk and chunked_head follow the HTTP format") {
    CHECK(vlm::testing::chunk("hello, hello, hello") == "13\r\nhello, hello, hello\r\n");
    CHECK(vlm::testing::chunk("") == "0\r\n\r\n");
    CHECK(vlm::testing::byte_by_byte("abc", Gate()).size() == 5);
    CHECK(vlm::testing::gzipped("x").substr(0, 2) == "\x1F\x8B");
}

TEST_CASE("a chat server with an invalid identity is rejected") {
    CHECK_THROWS_AS(ChatServer({.tls = vlm::testing::TlsIdentity{"rubbish", "rubbish"}}),
                    std::runtime_error);
}
