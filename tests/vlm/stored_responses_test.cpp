// Conversations whose responses the server of the Responses API stores, on a real socket.
#include "eyehand/vlm/testing/responses.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/openai_client.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::Message;
using vlm::OpenAiClient;
using vlm::testing::ChatServer;
using vlm::testing::Response;
using vlm::testing::response_document;
using vlm::testing::ResponseStore;
using vlm::testing::scripted_responses;

namespace {

vlm::ClientOptions storing(const ChatServer& server) {
    return {.endpoint = server.url(),
            .api = vlm::Api::responses,
            .store_responses = true,
            .retries = {.first_delay = 1ms}};
}

Message screenshot(std::uint8_t pixel) {
    return Message::user("The screen", vlm::make_image({0x89, pixel}));
}

/// A conversation with a tool that begins with a screenshot.
vlm::ChatRequest conversation() {
    return {.messages = {Message::system("You work."), screenshot(0)},
            .tools = {{"click", "", R"({"type":"object"})"}}};
}

/// Appends a reply, the results of its calls, and the next screenshot.
void continue_with(vlm::ChatRequest& request, const vlm::ChatReply& reply, std::uint8_t pixel) {
    request.messages.push_back(message_of(reply));
    for (const vlm::ToolCall& call : reply.tool_calls)
        request.messages.push_back(Message::tool(call.id, "done"));
    request.messages.push_back(screenshot(pixel));
}

boost::json::object sent(const ChatServer& server, std::size_t request) {
    return boost::json::parse(server.requests().at(request).body).as_object();
}

/// The response that a request continues, or empty.
std::string continued(const ChatServer& server, std::size_t request) {
    const boost::json::object body = sent(server, request);
    const boost::json::value* id = body.if_contains("previous_response_id");
    return id ? std::string(id->as_string()) : std::string();
}

std::size_t items(const ChatServer& server, std::size_t request) {
    return sent(server, request).at("input").as_array().size();
}

const vlm::OnDelta ignore = [](const vlm::Delta&) {};
const Response click{.reasoning = "I look.", .text = "I click.", .calls = {{"click"}}};
const std::vector<Response> three{click, click, {.text = "Done."}};

} // namespace

TEST_CASE("stored responses: a request sends only the items after the earlier response") {
    for (const vlm::OnDelta& on_delta : {vlm::OnDelta(), ignore}) {
        ChatServer server({.respond = scripted_responses(three, ResponseStore::keeps)});
        OpenAiClient client(storing(server));
        vlm::ChatRequest request = conversation();
        for (std::uint8_t turn = 1; turn <= 2; ++turn)
            continue_with(request, client.reply(request, on_delta), turn);
        const vlm::ChatReply last = client.reply(request, on_delta);
        CHECK(last.text == "Done.");
        CHECK(last.response_id == "resp_3");
        CHECK(last.notes.empty());
        CHECK(continued(server, 0).empty());
        CHECK(continued(server, 1) == "resp_1");
        CHECK(continued(server, 2) == "resp_2");
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(sent(server, i).at("store") == true);
            CHECK(sent(server, i).at("instructions") == "You work.");
            CHECK(sent(server, i).at("tools").as_array().size() == 1);
        }
        const boost::json::array input = sent(server, 2).at("input").as_array();
        REQUIRE(input.size() == 2);
        CHECK(input[0].at("type") == "function_call_output");
        CHECK(input[1].at("role") == "user");
    }
}

TEST_CASE("stored responses: without the option, the server stores nothing") {
    ChatServer server({.respond = scripted_responses({click, click})}); // rejects "store": true
    OpenAiClient client({.endpoint = server.url(), .api = vlm::Api::responses});
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    CHECK(client.reply(request).tool_calls.size() == 1);
    CHECK(continued(server, 1).empty());
}

TEST_CASE("stored responses: chat completions ignore the option") {
    ChatServer server;
    server.enqueue({.body = R"({"choices":[{"message":{"role":"assistant","content":"Hi."}}]})"});
    vlm::ClientOptions options = storing(server);
    options.api = vlm::Api::chat_completions;
    OpenAiClient client(options);
    CHECK(client.reply({.messages = {Message::user("a")}}).text == "Hi.");
    CHECK_FALSE(sent(server, 0).contains("store"));
}

TEST_CASE("stored responses: a request whose history has changed is sent as a whole") {
    ChatServer server({.respond = scripted_responses(three, ResponseStore::keeps)});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    SECTION("a screenshot was removed") { request.messages[1] = Message::user("The screen"); }
    SECTION("a screenshot was replaced") { request.messages[1] = screenshot(9); }
    SECTION("the text of the reply was changed") {
        request.messages[2].parts = {std::string("I clicked.")};
    }
    SECTION("the first messages were left out") {
        request.messages.erase(request.messages.begin() + 1);
    }
    SECTION("images are sent with another detail") {
        request.sampling.image_detail = vlm::ImageDetail::low;
    }
    const vlm::ChatReply reply = client.reply(request);
    CHECK(reply.notes.empty());
    CHECK(continued(server, 1).empty());
    CHECK(items(server, 1) >= 4);
    CHECK(sent(server, 1).at("store") == true);
    // It is the beginning of what follows.
    continue_with(request, reply, 2);
    CHECK(client.reply(request).text == "Done.");
    CHECK(continued(server, 2) == "resp_2");
}

TEST_CASE("stored responses: a request that replaces one continues the response before it") {
    ChatServer server({.respond = scripted_responses(three, ResponseStore::keeps)});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    (void)client.reply(request); // the program discards the reply
    request.messages.back() = screenshot(2);
    (void)client.reply(request);
    CHECK(continued(server, 2) == "resp_1");
    CHECK(items(server, 2) == 2);
}

TEST_CASE("stored responses: the same request is sent as a whole") {
    ChatServer server({.respond = scripted_responses(three, ResponseStore::keeps)});
    OpenAiClient client(storing(server));
    for (int i = 0; i < 2; ++i) (void)client.reply(conversation());
    CHECK(continued(server, 1).empty());
}

TEST_CASE("stored responses: the conversations of a client do not mix") {
    ChatServer server(
        {.respond = scripted_responses({click, click, click, click}, ResponseStore::keeps)});
    OpenAiClient client(storing(server));
    vlm::ChatRequest lead = conversation();
    vlm::ChatRequest worker = conversation();
    worker.messages[1] = Message::user("Another task");
    continue_with(lead, client.reply(lead), 1);
    continue_with(worker, client.reply(worker), 1);
    (void)client.reply(lead);
    (void)client.reply(worker);
    CHECK(continued(server, 1).empty());
    CHECK(continued(server, 2) == "resp_1");
    CHECK(continued(server, 3) == "resp_2");
}

TEST_CASE("stored responses: another client, as after resume, sends the whole conversation") {
    ChatServer server({.respond = scripted_responses(three, ResponseStore::keeps)});
    vlm::ChatRequest request = conversation();
    continue_with(request, OpenAiClient(storing(server)).reply(request), 1);
    OpenAiClient client(storing(server));
    continue_with(request, client.reply(request), 2);
    CHECK(continued(server, 1).empty());
    (void)client.reply(request);
    CHECK(continued(server, 2) == "resp_2");
}

TEST_CASE("stored responses: a server that has deleted a response gets the whole conversation") {
    ChatServer server;
    server.enqueue({.body = response_document(click, 1)});
    server.enqueue({.status = 400,
                    .body =
                        R"({"error":{"message":"Previous response with id 'resp_1' not found.",)"
                        R"("type":"invalid_request_error","param":"previous_response_id",)"
                        R"("code":"previous_response_not_found"}})"});
    server.enqueue({.body = response_document(click, 2)});
    server.enqueue({.body = response_document({.text = "Done."}, 3, "resp_2")});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    const vlm::ChatReply reply = client.reply(request);
    REQUIRE(reply.notes.size() == 1);
    CHECK_THAT(reply.notes[0], Catch::Matchers::StartsWith("the whole conversation was sent"));
    continue_with(request, reply, 2);
    CHECK(client.reply(request).notes.empty());
    CHECK(continued(server, 1) == "resp_1");
    CHECK(continued(server, 2).empty());
    CHECK(items(server, 2) == 6);
    CHECK(continued(server, 3) == "resp_2");
}

TEST_CASE("stored responses: other servers refuse a continuation in other words") {
    const auto [status, body] = GENERATE(table<int, std::string>({
        {404, R"({"error":{"message":"Response with id 'resp_1' not found.","code":404}})"},
        {400, R"({"error":{"message":"llama.cpp does not support 'previous_response_id'."}})"},
        {400, R"({"error":{"message":"gone","code":"previous_response_not_found"}})"},
    }));
    ChatServer server;
    server.enqueue({.body = response_document(click, 1)});
    server.enqueue({.status = status, .body = body});
    server.enqueue({.body = response_document({.text = "Done."}, 2)});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    CHECK(client.reply(request).text == "Done.");
    CHECK(continued(server, 2).empty());
}

TEST_CASE("stored responses: an error about something else is the error of the request") {
    ChatServer server;
    server.enqueue({.body = response_document(click, 1)});
    server.enqueue({.status = 400, .body = R"({"error":{"message":"Invalid image."}})"});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    CHECK(error_of([&] { (void)client.reply(request); }).server_message() == "Invalid image.");
    CHECK(server.requests().size() == 2);
}

TEST_CASE("stored responses: a server that does not keep them is no longer asked to store them") {
    ChatServer server({.respond = scripted_responses({click, click, click, click, click},
                                                     ResponseStore::forgets)});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    std::vector<std::string> notes;
    for (std::uint8_t turn = 1; turn <= 5; ++turn) {
        const vlm::ChatReply reply = client.reply(request);
        notes.insert(notes.end(), reply.notes.begin(), reply.notes.end());
        continue_with(request, reply, turn);
    }
    REQUIRE(notes.size() == 2);
    CHECK_THAT(notes[1], ContainsSubstring("no longer stored"));
    REQUIRE(server.requests().size() == 7);
    for (std::size_t i = 0; i < 7; ++i) {
        INFO(i);
        CHECK(continued(server, i).empty() == (i != 1 && i != 3));
        CHECK(sent(server, i).at("store") == (i < 4));
    }
}

TEST_CASE("stored responses: an answer that ignores the earlier conversation is not used") {
    for (const bool stream : {true, false}) {
        ChatServer server({.respond = scripted_responses(
                               {{.text = "Hi."}, {.text = "What screen?"}, {.text = "Done."}},
                               ResponseStore::ignores)});
        OpenAiClient client(storing(server));
        vlm::ChatRequest request = conversation();
        continue_with(request, client.reply(request), 1);
        std::string seen;
        const vlm::OnDelta show = [&](const vlm::Delta& delta) { seen += delta.text; };
        const vlm::ChatReply reply = client.reply(request, stream ? show : vlm::OnDelta());
        CHECK(reply.text == "Done.");
        CHECK(reply.notes.size() == 1);
        CHECK(seen == (stream ? "Done." : ""));
        CHECK(continued(server, 1) == "resp_1");
        CHECK(continued(server, 2).empty());
    }
}

TEST_CASE("stored responses: a failed attempt is repeated with the same continuation") {
    ChatServer server;
    server.enqueue({.body = response_document(click, 1)});
    server.enqueue({.status = 500, .body = R"({"error":{"message":"busy"}})"});
    server.enqueue({.body = response_document({.text = "Done."}, 2, "resp_1")});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    CHECK(client.reply(request).text == "Done.");
    CHECK(continued(server, 2) == "resp_1");
}

TEST_CASE("stored responses: an incomplete response is not continued") {
    ChatServer server(
        {.respond = scripted_responses(
             {{.text = "I wanted", .incomplete = "max_output_tokens"}, {.text = "Done."}},
             ResponseStore::keeps)});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    (void)client.reply(request);
    CHECK(continued(server, 1).empty());
}

TEST_CASE("stored responses: the screenshot of a computer call is a new item") {
    const Response computer{
        .items_json = {
            R"({"id":"cu_1","type":"computer_call","call_id":"c1","status":"completed",)"
            R"("pending_safety_checks":[],"actions":[{"type":"click","button":"left","x":1,"y":2}]})"}};
    ChatServer server(
        {.respond = scripted_responses({computer, {.text = "Done."}}, ResponseStore::keeps)});
    OpenAiClient client(storing(server));
    vlm::ChatRequest request = conversation();
    request.tools = {{"computer", "", R"({"type":"object"})", true}};
    continue_with(request, client.reply(request), 1);
    CHECK(client.reply(request).text == "Done.");
    CHECK(continued(server, 1) == "resp_1");
    CHECK(sent(server, 1).at("input").at(0).at("type") == "computer_call_output");
}

TEST_CASE("stored responses: the log has the request as it was sent") {
    ChatServer server({.respond = scripted_responses(three, ResponseStore::keeps)});
    std::vector<vlm::Exchange> log;
    vlm::ClientOptions options = storing(server);
    options.on_exchange = [&](const vlm::Exchange& exchange) { log.push_back(exchange); };
    OpenAiClient client(options);
    vlm::ChatRequest request = conversation();
    continue_with(request, client.reply(request), 1);
    (void)client.reply(request);
    REQUIRE(log.size() == 2);
    const boost::json::object logged = boost::json::parse(log[1].request_body).as_object();
    CHECK(logged.at("previous_response_id") == "resp_1");
    CHECK(logged.at("input").as_array().size() == 2);
}
