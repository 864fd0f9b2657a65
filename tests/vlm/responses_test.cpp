// The client with the Responses API, on a real socket.
#include "eyehand/vlm/testing/responses.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/cassette.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/probe.hpp"
#include "eyehand/vlm/raw_response.hpp"
#include "temp_folder.hpp"
#include "transport.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace eyehand;
using namespace std::chrono_literals;
using test::TempFolder;
using vlm::Api;
using vlm::errc;
using vlm::Message;
using vlm::OpenAiClient;
using vlm::testing::ChatServer;
using vlm::testing::chunk;
using vlm::testing::chunked_head;
using vlm::testing::Gate;
using vlm::testing::Response;
using vlm::testing::response_document;
using vlm::testing::response_events;
using vlm::testing::scripted_responses;

namespace {

vlm::ClientOptions options_for(const ChatServer& server) {
    return {.endpoint = server.url(), .api = Api::responses, .retries = {.first_delay = 1ms}};
}

vlm::ChatRequest ask(const std::string& text) { return {.messages = {Message::user(text)}}; }

const vlm::OnDelta ignore = [](const vlm::Delta&) {};

boost::json::object body_of(const ChatServer& server, std::size_t request) {
    return boost::json::parse(server.requests().at(request).body).as_object();
}

} // namespace

TEST_CASE("responses: a conversation with calls returns the reasoning unchanged") {
    ChatServer server({.respond = scripted_responses(
                           {{.reasoning = "I look.", .text = "I click.", .calls = {{"click"}}},
                            {.reasoning = "Done?", .calls = {{"look"}}},
                            {.text = "Done."}})});
    OpenAiClient client(options_for(server));
    vlm::ChatRequest request = ask("go");
    request.tools = {{"click", "", R"({"type":"object"})"}, {"look", "", R"({"type":"object"})"}};
    for (const bool stream : {true, false}) {
        const vlm::ChatReply reply = client.reply(request, stream ? ignore : vlm::OnDelta());
        REQUIRE(reply.tool_calls.size() == 1);
        request.messages.push_back(message_of(reply));
        request.messages.push_back(Message::tool(reply.tool_calls[0].id, "ok"));
    }
    CHECK(client.reply(request).text == "Done.");
    CHECK(server.requests().at(0).target == "/v1/responses");
    const boost::json::array input = body_of(server, 2).at("input").as_array();
    REQUIRE(input.size() == 8);
    const boost::json::array first =
        boost::json::parse(
            response_document({.reasoning = "I look.", .text = "I click.", .calls = {{"click"}}}))
            .at("output")
            .as_array();
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(input[1 + i] == first[i]);
    CHECK(input[4].at("type") == "function_call_output");
    CHECK(input[5].at("encrypted_content") == "gAAAAA2-éncrypted==");
}

TEST_CASE("responses: deltas arrive while the server is still sending") {
    const Gate gate;
    const std::string events = response_events({.text = "Hello there, you."});
    const std::size_t cut = events.find("event: response.output_text.done");
    ChatServer server;
    server.enqueue(transport::parts({chunked_head() + chunk(events.substr(0, cut)), gate,
                                     chunk(events.substr(cut)) + chunk({})}));
    OpenAiClient client(options_for(server));
    std::string seen;
    const vlm::ChatReply reply = client.reply(ask("a"), [&](const vlm::Delta& delta) {
        seen += delta.text;
        if (seen == "Hello there, you.") gate.open();
    });
    CHECK(seen == reply.text);
}

TEST_CASE("responses: a stream that is split anywhere gives the same reply") {
    const std::string events =
        response_events({.reasoning = "Zażółć", .text = "Hi.", .calls = {{"click"}}});
    ChatServer server;
    std::vector<vlm::testing::Part> pieces{chunked_head()};
    for (const char byte : events) pieces.emplace_back(chunk(std::string(1, byte)));
    pieces.emplace_back(chunk({}));
    server.enqueue(transport::parts(std::move(pieces)));
    server.enqueue({.content_type = "text/event-stream", .body = events});
    OpenAiClient client(options_for(server));
    const vlm::ChatReply split = client.reply(ask("a"), ignore);
    const vlm::ChatReply whole = client.reply(ask("a"), ignore);
    CHECK(split.reasoning == whole.reasoning);
    CHECK(split.items_json == whole.items_json);
}

TEST_CASE("responses: a failure before the first delta is sent again") {
    ChatServer server;
    server.enqueue({.status = 500, .body = R"({"error":{"message":"busy"}})"});
    server.enqueue({.content_type = "text/event-stream", .body = response_events({.text = "Hi."})});
    OpenAiClient client(options_for(server));
    const vlm::ChatReply reply = client.reply(ask("a"), ignore);
    CHECK(reply.text == "Hi.");
    REQUIRE(reply.notes.size() == 1);
    CHECK(reply.notes[0].starts_with("asked 2 times"));
}

TEST_CASE("responses: an error in the middle of a stream is not sent again after a delta") {
    const std::string events = response_events({.text = "Hello there."});
    ChatServer server;
    server.enqueue({.content_type = "text/event-stream",
                    .body = events.substr(0, events.find("event: response.output_text.done")) +
                            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\","
                            "\"message\":\"I broke\",\"param\":null}\n\n"});
    OpenAiClient client(options_for(server));
    const vlm::Error error = error_of([&] { (void)client.reply(ask("a"), ignore); });
    CHECK(error.code() == errc::server_error);
    CHECK(error.server_message() == "I broke");
    CHECK(server.requests().size() == 1);
}

TEST_CASE("responses: a stream that the server breaks off is a lost connection") {
    const std::string events = response_events({.text = "Hello there."});
    ChatServer server;
    server.enqueue({.content_type = "text/event-stream",
                    .body = events.substr(0, events.find("event: response.completed"))});
    OpenAiClient client(options_for(server));
    CHECK(error_of([&] { (void)client.reply(ask("a"), ignore); }).code() == errc::connection_lost);
}

TEST_CASE("responses: a request that the server rejects is the server's error") {
    ChatServer server({.respond = scripted_responses({{.text = "never"}})});
    OpenAiClient client(options_for(server));
    vlm::ChatRequest request = ask("go");
    request.messages.push_back(Message::assistant({}, {{"c1", "click", "{}"}}));
    const vlm::Error error = error_of([&] { (void)client.reply(request); });
    CHECK(error.status() == 400);
    CHECK(error.server_message() == "No tool output found for function call c1.");
}

TEST_CASE("responses: a model that does not reason is asked again without encrypted reasoning") {
    ChatServer server;
    server.enqueue(
        {.status = 400,
         .body = R"({"error":{"message":"Encrypted content is not supported with this model.",)"
                 R"("type":"invalid_request_error","param":"include","code":null}})"});
    for (int i = 0; i < 2; ++i) server.enqueue({.body = response_document({.text = "Hi."})});
    OpenAiClient client(options_for(server));
    CHECK(client.reply(ask("a")).text == "Hi.");
    CHECK(client.reply(ask("b")).notes.empty());
    CHECK(body_of(server, 0).contains("include"));
    CHECK_FALSE(body_of(server, 1).contains("include"));
    CHECK_FALSE(body_of(server, 2).contains("include"));
}

TEST_CASE("responses: reasoning that the server cannot verify is left out from then on") {
    const auto answer = [](const Response& response, int number) {
        return vlm::testing::Answer{.body = response_document(response, number)};
    };
    ChatServer server;
    server.enqueue(answer({.reasoning = "I look.", .text = "One."}, 1));
    server.enqueue(
        {.status = 400,
         .body =
             R"({"error":{"message":"The encrypted content gAAA...DQ== could not be verified.",)"
             R"("type":"invalid_request_error","param":null,)"
             R"("code":"invalid_encrypted_content"}})"});
    server.enqueue(answer({.reasoning = "I look again.", .text = "Two."}, 2));
    server.enqueue(answer({.text = "Three."}, 3));
    OpenAiClient client(options_for(server));
    vlm::ChatRequest request = ask("a");
    const auto go_on = [&] {
        const vlm::ChatReply reply = client.reply(request);
        request.messages.push_back(message_of(reply));
        request.messages.push_back(Message::user("go on"));
        return reply;
    };
    const auto reasoning_in = [&](std::size_t index) {
        std::vector<std::string> ids;
        const boost::json::array input = body_of(server, index).at("input").as_array();
        for (const boost::json::value& item : input)
            if (item.at("type") == "reasoning") ids.emplace_back(item.at("id").as_string());
        return ids;
    };
    (void)go_on();
    const vlm::ChatReply second = go_on();
    CHECK(second.text == "Two.");
    REQUIRE(second.notes.size() == 1);
    CHECK_THAT(second.notes[0], ContainsSubstring("could not verify"));
    CHECK(go_on().notes.empty());
    CHECK(reasoning_in(1) == std::vector<std::string>{"rs_1_0"});
    CHECK(reasoning_in(2).empty());
    CHECK(reasoning_in(3) == std::vector<std::string>{"rs_2_0"}); // the later one is sent
    for (std::size_t i = 0; i < 4; ++i) CHECK(body_of(server, i).contains("include"));
}

TEST_CASE("responses: an error about encrypted content without reasoning is the server's error") {
    ChatServer server;
    server.enqueue({.status = 400,
                    .body = R"({"error":{"message":"The encrypted content gAAA could not be )"
                            R"(verified.","code":"invalid_encrypted_content"}})"});
    OpenAiClient client(options_for(server));
    CHECK(error_of([&] { (void)client.reply(ask("a")); }).status() == 400);
    CHECK(server.requests().size() == 1);
}

TEST_CASE("responses: a server without encrypted reasoning gets no reasoning back") {
    const std::string plain = R"({"id":"rs_1","type":"reasoning","summary":[]})";
    const std::string said =
        R"({"id":"msg_1","type":"message","role":"assistant","status":"completed","content":)"
        R"([{"type":"output_text","text":"One.","annotations":[]}]})";
    ChatServer server(
        {.respond = scripted_responses({{.items_json = {plain, said}}, {.text = "Two."}})});
    vlm::ClientOptions options = options_for(server);
    options.quirks = vlm::Quirks{.no_encrypted_reasoning = true};
    OpenAiClient client(options);
    vlm::ChatRequest request = ask("a");
    request.messages.push_back(message_of(client.reply(request)));
    request.messages.push_back(Message::user("go on"));
    CHECK(client.reply(request).text == "Two.");
}

TEST_CASE("responses: an effort that the server rejects is left out, with a note") {
    ChatServer server;
    server.enqueue({.status = 400,
                    .body = R"({"error":{"message":"Unsupported parameter: 'reasoning.effort' is )"
                            R"(not supported with this model.","param":"reasoning.effort"}})"});
    server.enqueue({.body = response_document({.text = "Hi."})});
    OpenAiClient client(options_for(server));
    vlm::ChatRequest request = ask("a");
    request.sampling.reasoning_effort = vlm::ReasoningEffort::low;
    const vlm::ChatReply reply = client.reply(request);
    REQUIRE(reply.notes.size() == 1);
    CHECK_THAT(reply.notes[0], ContainsSubstring("reasoning_effort was not sent"));
    CHECK_FALSE(body_of(server, 1).contains("reasoning"));
}

TEST_CASE("responses: what the server sent decodes to the same reply again") {
    const Response response{.reasoning = "I look.", .text = "I click.", .calls = {{"click"}}};
    ChatServer server({.respond = scripted_responses({response, response})});
    OpenAiClient client(options_for(server));
    vlm::ChatRequest request = ask("go");
    request.keep_response = true;
    for (const bool stream : {true, false}) {
        const vlm::ChatReply reply = client.reply(request, stream ? ignore : vlm::OnDelta());
        REQUIRE(reply.response != nullptr);
        CHECK(reply.response->api == Api::responses);
        const vlm::ChatReply again = vlm::decode_response(*reply.response, request);
        CHECK(again.text == reply.text);
        CHECK(again.tool_calls == reply.tool_calls);
        CHECK(again.items_json == reply.items_json);
    }
}

TEST_CASE("responses: logs contain neither the key nor image data") {
    const std::string key = "sk-0123456789abcdef";
    ChatServer server;
    server.enqueue({.body = response_document({.text = "Your key is " + key + "."})});
    std::vector<vlm::Exchange> log;
    vlm::ClientOptions options = options_for(server);
    options.api_key = key;
    options.on_exchange = [&](const vlm::Exchange& exchange) { log.push_back(exchange); };
    OpenAiClient client(options);
    vlm::ChatRequest request{.messages = {Message::user("a", vlm::make_image({1, 2, 3}))}};
    request.keep_response = true;
    CHECK(client.reply(request).response == nullptr);
    REQUIRE(log.size() == 1);
    CHECK(log[0].url.ends_with("/v1/responses"));
    CHECK_THAT(log[0].request_body, ContainsSubstring("sha256:"));
    CHECK(log[0].request_body.find("base64") == std::string::npos);
    CHECK(log[0].response_body.find(key) == std::string::npos);
}

TEST_CASE("responses: a server without tool calling gets the tools as text") {
    ChatServer server;
    server.enqueue({.status = 400, .body = R"({"error":{"message":"m does not support tools"}})"});
    server.enqueue(
        {.body = response_document(
             {.text = "<tool_call>\n{\"name\":\"click\",\"arguments\":{}}\n</tool_call>"})});
    OpenAiClient client(options_for(server));
    vlm::ChatRequest request = ask("go");
    request.tools = {{"click", "Clicks.", R"({"type":"object"})"}};
    const vlm::ChatReply reply = client.reply(request);
    REQUIRE(reply.tool_calls.size() == 1);
    CHECK(reply.tool_calls[0].provenance == vlm::Provenance::text);
    CHECK_FALSE(body_of(server, 1).contains("tools"));
    CHECK_THAT(std::string(body_of(server, 1).at("instructions").as_string()),
               ContainsSubstring("You have these tools"));
}

TEST_CASE("responses: a cassette replays the conversation, with its items") {
    const TempFolder folder;
    const auto file = folder / "a.cassette";
    ChatServer server({.respond = scripted_responses(
                           {{.reasoning = "I look.", .calls = {{"click"}}}, {.text = "Done."}})});
    OpenAiClient client(options_for(server));
    const auto talk = [](vlm::ChatModel& model) {
        vlm::ChatRequest request = ask("go");
        const vlm::ChatReply first = model.reply(request, ignore);
        request.messages.push_back(message_of(first));
        request.messages.push_back(Message::tool("call_of_click", "ok"));
        return std::pair{first.items_json, model.reply(request, ignore).text};
    };
    vlm::RecordingModel recorded(client, file);
    const auto live = talk(recorded);
    vlm::ReplayModel replayed(file);
    CHECK(talk(replayed) == live);

    vlm::ReplayModel other(file);
    vlm::ChatRequest request = ask("go");
    Message reply = message_of(other.reply(request));
    reply.items_json.clear();
    request.messages.push_back(reply);
    request.messages.push_back(Message::tool("call_of_click", "ok"));
    CHECK(error_of([&] { (void)other.reply(request); }).code() == errc::cassette_mismatch);
}

TEST_CASE("responses: a cassette keeps computer calls, their checks, and their acknowledgement") {
    const TempFolder folder;
    const auto file = folder / "a.cassette";
    const std::string call =
        R"({"type":"computer_call","call_id":"c","actions":[{"type":"wait"}],)"
        R"("pending_safety_checks":[{"id":"sc","code":"odd","message":"Look."}]})";
    ChatServer server({.respond = scripted_responses({{.items_json = {call}}, {.text = "Done."}})});
    OpenAiClient client(options_for(server));
    const auto talk = [](vlm::ChatModel& model) {
        vlm::ChatRequest request = ask("go");
        request.tools = {{"computer", "", R"({"type":"object"})", true}};
        const vlm::ChatReply first = model.reply(request);
        REQUIRE(first.tool_calls.size() == 1);
        request.messages.push_back(message_of(first));
        Message result = Message::tool("c", "ok");
        result.acknowledged_checks = first.tool_calls[0].safety_checks;
        request.messages.push_back(result);
        request.messages.push_back(Message::user("Now:", vlm::make_image({1, 2, 3})));
        return std::pair{first.tool_calls, model.reply(request).text};
    };
    vlm::RecordingModel recorded(client, file);
    const auto live = talk(recorded);
    CHECK(live.first[0].safety_checks == std::vector<vlm::SafetyCheck>{{"sc", "odd", "Look."}});
    CHECK(live.second == "Done.");
    vlm::ReplayModel replayed(file);
    CHECK(talk(replayed) == live);
}

TEST_CASE("responses: the probe works with the URL of this API") {
    ChatServer server({.respond = scripted_responses({})});
    const vlm::ServerInfo info =
        vlm::probe(options_for(server), "test-model", {.bypass_cache = true});
    CHECK(info.model.id == "test-model");
}

TEST_CASE("responses: the probe tests images and tools with this API") {
    ChatServer server({.respond = scripted_responses({{.text = "Red."}, {.calls = {{"ready"}}}})});
    const vlm::ServerInfo info =
        vlm::probe(options_for(server), "test-model", {.active = true, .bypass_cache = true});
    CHECK(info.model.images == vlm::Support::yes);
    CHECK(info.model.tools == vlm::Support::yes);
}

// --- The scripted server ----------------------------------------------------------------------------

TEST_CASE("responses: a scripted item needs no id") {
    const Response bare{.items_json = {R"({"type":"message","content":[{"type":"output_text",)"
                                       R"("text":"Hi."}]})",
                                       R"({"type":"function_call","name":"f"})"}};
    for (const bool stream : {true, false}) {
        ChatServer server({.respond = scripted_responses({bare})});
        OpenAiClient client(options_for(server));
        const vlm::ChatReply reply = client.reply(ask("a"), stream ? ignore : vlm::OnDelta());
        CHECK(reply.text == "Hi.");
        CHECK(reply.tool_calls.size() == 1);
    }
}

TEST_CASE("responses: a scripted item that is not a JSON object is refused at once") {
    for (const char* item : {"{", "[]", "1", R"({"type":"message","content":1})",
                             R"({"type":"message","content":[1]})",
                             R"({"type":"message","content":[{"type":"output_text","text":1}]})",
                             R"({"type":"function_call","name":"f","arguments":1})"}) {
        INFO(item);
        const Response odd{.items_json = {item}};
        CHECK_THROWS_AS(response_document(odd), std::invalid_argument);
        CHECK_THROWS_AS(response_events(odd), std::invalid_argument);
        CHECK_THROWS_AS(scripted_responses({odd}), std::invalid_argument);
    }
}
