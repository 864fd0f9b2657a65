// What a server sent decodes to the same reply again.
#include "eyehand/vlm/raw_response.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "stream_data.hpp"

#include <chrono>

using namespace eyehand;
using vlm::ChatReply;
using vlm::ChatRequest;
using vlm::OpenAiClient;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

ChatRequest request_with_tools() {
    ChatRequest request;
    request.messages = {vlm::Message::user("hi")};
    for (const char* name : {"click", "get_weather", "move"})
        request.tools.push_back({name, "It acts.", R"({"type":"object"})"});
    request.keep_response = true;
    return request;
}

void check_equal(const ChatReply& first, const ChatReply& second) {
    CHECK(first.text == second.text);
    CHECK(first.reasoning == second.reasoning);
    REQUIRE(first.tool_calls.size() == second.tool_calls.size());
    for (std::size_t i = 0; i < first.tool_calls.size(); ++i) {
        CHECK(first.tool_calls[i].id == second.tool_calls[i].id);
        CHECK(first.tool_calls[i].name == second.tool_calls[i].name);
        CHECK(first.tool_calls[i].arguments_json == second.tool_calls[i].arguments_json);
    }
    CHECK(first.ignored_call == second.ignored_call);
    CHECK(first.finish == second.finish);
    CHECK(first.usage.prompt_tokens == second.usage.prompt_tokens);
    CHECK(first.usage.completion_tokens == second.usage.completion_tokens);
    CHECK(first.model == second.model);
    CHECK(first.notes == second.notes);
}

/// The reply that a client receives, after a check that its response decodes to the same.
ChatReply checked(const std::vector<Answer>& answers, const ChatRequest& request, bool stream,
                  vlm::ClientOptions options = {}) {
    ChatServer server;
    for (const Answer& answer : answers) server.enqueue(answer);
    options.endpoint = server.url();
    options.retries.first_delay = std::chrono::milliseconds(1);
    OpenAiClient client(options);
    const vlm::OnDelta deltas = [](const vlm::Delta&) {};
    ChatReply reply = client.reply(request, stream ? deltas : vlm::OnDelta());
    REQUIRE(reply.response != nullptr);
    const ChatReply again = vlm::decode_response(*reply.response, request);
    check_equal(reply, again);
    CHECK(again.total == std::chrono::milliseconds(0));
    CHECK(again.response == nullptr);
    return reply;
}

Answer stream_of(std::string body) {
    return {.content_type = "text/event-stream", .body = std::move(body)};
}

} // namespace

TEST_CASE("recorded streams decode to the same reply again") {
    for (const char* name : {"llama_server_call", "llama_server_text", "llama_server_thinking",
                             "llama_server_two_calls"}) {
        INFO(name);
        const std::string body = stream_data::recorded(name);
        const ChatReply reply = checked({stream_of(body)}, request_with_tools(), true);
        CHECK(reply.response->event_stream);
        CHECK_THAT(body, Catch::Matchers::StartsWith(
                             reply.response->body)); // nothing after "[DONE]" is needed
    }
}

TEST_CASE("a document decodes to the same reply again, also if it was announced as a stream") {
    const std::string body = completion("Clicked.", "click", R"({"x": 5})");
    CHECK(checked({{.body = body}}, request_with_tools(), false).response->body == body);
    CHECK(checked({stream_of(body)}, request_with_tools(), true).tool_calls.size() == 1);
    const ChatReply compressed =
        checked({{.body = vlm::testing::gzipped(body), .headers = {{"Content-Encoding", "gzip"}}}},
                request_with_tools(), false);
    CHECK(compressed.response->body == body);
}

TEST_CASE("calls in the text and notes decode to the same reply again") {
    const std::string call = R"(<tool_call>{"name": "click", "arguments": {"x": 5,}}</tool_call>)";
    const ChatReply reply =
        checked({{.status = 503, .body = "busy"}, {.body = completion(call)}}, request_with_tools(),
                false, {.quirks = vlm::Quirks{.tools_as_text = true}});
    CHECK(reply.tool_calls.size() == 1);
    REQUIRE(reply.notes.size() >= 3);
    CHECK(reply.notes[0] == "the tools were described in words");
    CHECK_THAT(reply.notes[1], Catch::Matchers::StartsWith("asked 2 times"));
    CHECK(checked({{.body = completion(call)}}, request_with_tools(), false).tool_calls.empty());
}

TEST_CASE("a response is kept only if the request asks for it and it does not contain the key") {
    const auto kept = [](bool keep, const std::string& text) {
        ChatServer server;
        server.enqueue({.body = completion(text)});
        OpenAiClient client({.endpoint = server.url(), .api_key = "sk-1234567890"});
        ChatRequest request = request_with_tools();
        request.keep_response = keep;
        return client.reply(request).response != nullptr;
    };
    CHECK(kept(true, "hello"));
    CHECK_FALSE(kept(false, "hello"));
    CHECK_FALSE(kept(true, "your key is sk-1234567890"));

    // Divided between two events.
    ChatServer server;
    server.enqueue(stream_of("data: {\"choices\":[{\"delta\":{\"content\":\"sk-1234\"}}]}\n\n"
                             "data: {\"choices\":[{\"delta\":{\"content\":\"567890\"},"
                             "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"));
    OpenAiClient client({.endpoint = server.url(), .api_key = "sk-1234567890"});
    const ChatReply reply = client.reply(request_with_tools(), [](const vlm::Delta&) {});
    CHECK(reply.text == "sk-1234567890");
    CHECK(reply.response == nullptr);
}

TEST_CASE("a response that is not a chat completion is refused as by the client") {
    for (const char* body : {"", "<html>", "{}", R"({"error":{"message":"no"}})"}) {
        INFO(body);
        CHECK_THROWS_AS(vlm::decode_response({.body = body}, request_with_tools()), vlm::Error);
    }
    const std::string stream = stream_data::recorded("llama_server_call");
    const vlm::Error error = error_of([&] {
        (void)vlm::decode_response(
            {.body = stream.substr(0, stream.size() / 2), .event_stream = true},
            request_with_tools());
    });
    CHECK(error.code() == vlm::errc::connection_lost);
}
