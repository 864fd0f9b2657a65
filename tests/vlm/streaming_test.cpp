// The client with answers that arrive in pieces, on a real socket.
#include "eyehand/vlm/openai_client.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "soon.hpp"
#include "stream_data.hpp"
#include "transport.hpp"

#include <future>

using namespace eyehand;
using namespace std::chrono_literals;
using transport::parts;
using vlm::errc;
using vlm::OpenAiClient;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::chunk;
using vlm::testing::chunked_head;
using vlm::testing::Gate;

namespace {

vlm::ChatRequest ask(const std::string& text) { return {.messages = {vlm::Message::user(text)}}; }

std::string event(const std::string& data) { return chunk("data: " + data + "\n\n"); }
std::string words(const std::string& text) {
    return event(R"({"choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})");
}
const std::string stopped = event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})");
const std::string done = event("[DONE]");

struct Collected {
    std::string text;
    std::string reasoning;
    std::string arguments;
    std::string tools;

    vlm::OnDelta taker() {
        return [this](const vlm::Delta& delta) {
            switch (delta.kind) {
            case vlm::Delta::Kind::text:
                text += delta.text;
                break;
            case vlm::Delta::Kind::reasoning:
                reasoning += delta.text;
                break;
            case vlm::Delta::Kind::tool_call:
                tools += delta.tool;
                arguments += delta.text;
                break;
            }
        };
    }
};

} // namespace

TEST_CASE("streaming: a stream is requested only with an on_delta") {
    ChatServer server;
    for (int i = 0; i < 3; ++i) server.enqueue({.body = vlm::testing::completion("hello")});
    OpenAiClient client({.endpoint = server.url()});
    OpenAiClient plain({.endpoint = server.url(), .stream = false});
    Collected seen;
    (void)client.reply(ask("a"), seen.taker());
    (void)client.reply(ask("a"));
    (void)plain.reply(ask("a"), seen.taker());
    CHECK(server.requests().at(0).body ==
          R"({"messages":[{"role":"user","content":"a"}],"stream":true,)"
          R"("stream_options":{"include_usage":true}})");
    CHECK(server.requests().at(0).headers.at("accept") == "text/event-stream");
    CHECK(server.requests().at(1).body == R"({"messages":[{"role":"user","content":"a"}]})");
    CHECK(server.requests().at(2).body == server.requests().at(1).body);
    CHECK(seen.text == "hellohello"); // one delta for the plain answer
}

TEST_CASE("streaming: deltas arrive while the server is still sending, and make up the reply") {
    ChatServer server;
    const Gate gate;
    server.enqueue(
        parts({chunked_head(), words("Hel"), gate, words("lo"), gate, stopped, done, chunk("")}));
    OpenAiClient client({.endpoint = server.url()});
    std::vector<std::string> pieces;
    const vlm::ChatReply reply = client.reply(ask("hi"), [&](const vlm::Delta& delta) {
        pieces.push_back(delta.text);
        gate.pass(); // the server continues only after this piece has arrived
    });
    CHECK(pieces == std::vector<std::string>{"Hel", "lo"});
    CHECK(reply.text == "Hello");
    CHECK(reply.finish == vlm::FinishReason::stop);
    CHECK(reply.wait <= reply.total);
}

TEST_CASE("streaming: recorded streams of llama-server give deltas and reply") {
    for (const std::string name :
         {"llama_server_text", "llama_server_two_calls", "llama_server_thinking"}) {
        INFO(name);
        ChatServer server;
        server.enqueue({.content_type = "text/event-stream; charset=utf-8",
                        .body = stream_data::recorded(name)});
        OpenAiClient client({.endpoint = server.url()});
        Collected seen;
        const vlm::ChatReply reply = client.reply(ask("hi"), seen.taker());
        CHECK(reply.text == seen.text);
        CHECK(reply.reasoning == seen.reasoning);
        std::string arguments;
        for (const vlm::ToolCall& call : reply.tool_calls) arguments += call.arguments_json;
        CHECK(arguments == seen.arguments);
        CHECK(reply.usage.completion_tokens.has_value());
    }
}

TEST_CASE("streaming: the connection is kept after a stream") {
    ChatServer server;
    for (int i = 0; i < 2; ++i)
        server.enqueue(parts({chunked_head(), words("x"), stopped, done + chunk("")}));
    OpenAiClient client({.endpoint = server.url()});
    Collected seen;
    (void)client.reply(ask("a"), seen.taker());
    (void)client.reply(ask("b"), seen.taker());
    CHECK(server.connections() == 1);
}

TEST_CASE("streaming: the client does not wait for the end of the body after [DONE]") {
    ChatServer server;
    server.enqueue(parts({chunked_head(), words("x"), stopped, done, Gate()}));
    server.enqueue({.body = vlm::testing::completion("next")});
    OpenAiClient client({.endpoint = server.url(), .timeout = soon});
    Collected seen;
    CHECK(client.reply(ask("a"), seen.taker()).text == "x");
    CHECK(server.wait_until_disconnected(soon));
    CHECK(client.reply(ask("b"), seen.taker()).text == "next");
}

TEST_CASE(
    "streaming: a stream that breaks off after its first delta is an error and is not retried") {
    ChatServer server;
    Answer broken = parts({chunked_head(), words("I will"), chunk("")});
    server.enqueue(broken);
    OpenAiClient client({.endpoint = server.url()});
    Collected seen;
    const vlm::Error error = error_of([&] { client.reply(ask("hi"), seen.taker()); });
    CHECK(error.code() == errc::connection_lost);
    CHECK(seen.text == "I will");
    CHECK(server.requests().size() == 1);
}

TEST_CASE("streaming: a stream that breaks off before its first delta is retried") {
    ChatServer server;
    server.enqueue(parts({chunked_head(), chunk(": ping\n\n"), chunk("")}));
    server.enqueue(parts({chunked_head(), words("now"), stopped, done, chunk("")}));
    OpenAiClient client({.endpoint = server.url(), .retries = {.first_delay = 1ms}});
    Collected seen;
    const vlm::ChatReply reply = client.reply(ask("hi"), seen.taker());
    CHECK(reply.text == "now");
    CHECK(reply.notes == std::vector<std::string>{"asked 2 times: the connection was lost"});
}

TEST_CASE("streaming: an error in the middle is decoded in each server's format") {
    const std::string message = R"({"error":{"message":"The model has crashed","code":500}})";
    for (const std::string& piece :
         {chunk("event: error\ndata: " + message + "\n\n"), event(message) + done}) {
        ChatServer server;
        server.enqueue(parts({chunked_head(), words("I"), piece, chunk("")}));
        OpenAiClient client({.endpoint = server.url()});
        Collected seen;
        const vlm::Error error = error_of([&] { client.reply(ask("hi"), seen.taker()); });
        CHECK(error.code() == errc::server_error);
        CHECK(error.server_message() == "The model has crashed");
        CHECK(error.retry() == vlm::Retry::once);
    }
}

TEST_CASE("streaming: the idle limit applies between two deltas") {
    ChatServer server;
    server.enqueue(parts({chunked_head(), words("I"), Gate()}));
    OpenAiClient client({.endpoint = server.url(), .idle_timeout = 50ms});
    Collected seen;
    const vlm::Error error = error_of([&] { client.reply(ask("hi"), seen.taker()); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "sent nothing for "));
}

TEST_CASE("streaming: a stop request between two deltas closes the connection") {
    ChatServer server;
    server.enqueue(parts({chunked_head(), words("I"), Gate()}));
    OpenAiClient client({.endpoint = server.url()});
    std::stop_source stop;
    const vlm::Error error = error_of([&] {
        client.reply(
            ask("hi"), [&](const vlm::Delta&) { stop.request_stop(); }, stop.get_token());
    });
    CHECK(error.code() == errc::cancelled);
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("streaming: a tool call in the text is recovered and mentioned in the notes") {
    ChatServer server;
    server.enqueue(parts({chunked_head(),
                          words(R"(<tool_call>{\"name\":\"click\",\"arguments\":{}}</tool_call>)"),
                          stopped, done, chunk("")}));
    OpenAiClient client({.endpoint = server.url()});
    vlm::ChatRequest request = ask("hi");
    request.tools = {{"click", "", R"({"type":"object"})"}};
    request.text_calls = vlm::TextCalls::always;
    Collected seen;
    const vlm::ChatReply reply = client.reply(request, seen.taker());
    REQUIRE(reply.tool_calls.size() == 1);
    CHECK(reply.tool_calls[0].name == "click");
    CHECK(reply.notes.size() == 1);
    CHECK(reply.text.empty());
}

TEST_CASE("streaming: the log contains the stream as received") {
    ChatServer server;
    server.enqueue({.content_type = "text/event-stream", .body = "data: [DONE]\n\n"});
    server.enqueue(
        {.content_type = "text/event-stream", .body = stream_data::recorded("llama_server_text")});
    std::vector<vlm::Exchange> exchanges;
    OpenAiClient client({.endpoint = server.url(),
                         .retries = {.max_retries = 0},
                         .on_exchange = [&](const vlm::Exchange& e) { exchanges.push_back(e); }});
    Collected seen;
    CHECK_THROWS_AS(client.reply(ask("a"), seen.taker()), vlm::Error);
    (void)client.reply(ask("b"), seen.taker());
    REQUIRE(exchanges.size() == 2);
    CHECK(exchanges[0].response_body == "data: [DONE]\n\n");
    CHECK_FALSE(exchanges[0].error.empty());
    CHECK(exchanges[1].response_body == stream_data::recorded("llama_server_text"));
    CHECK(exchanges[1].status == 200);
}
