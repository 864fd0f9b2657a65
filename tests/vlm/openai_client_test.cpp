#include "eyehand/vlm/openai_client.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "llama_server.hpp"
#include "soon.hpp"

#include <future>

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::errc;
using vlm::OpenAiClient;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

constexpr vlm::RetryPolicy no_retries{.max_retries = 0, .max_loading_time = 0ms};

vlm::ChatRequest ask(const std::string& text) {
    vlm::ChatRequest request;
    request.messages = {vlm::Message::user(text)};
    return request;
}

Answer answer_of(int status, std::string body, std::string content_type = "application/json") {
    Answer answer;
    answer.status = status;
    answer.body = std::move(body);
    answer.content_type = std::move(content_type);
    return answer;
}

vlm::Error failure(int status, std::string body, std::string content_type = "application/json") {
    ChatServer server;
    server.enqueue(answer_of(status, std::move(body), std::move(content_type)));
    OpenAiClient client({.endpoint = server.url(), .retries = no_retries});
    const vlm::Error error = error_of([&] { client.reply(ask("hi")); });
    CHECK(error.status() == status);
    CHECK(mentions(error, client.url()));
    return error;
}

} // namespace

TEST_CASE("client: a request gets a reply") {
    ChatServer server;
    server.enqueue(answer_of(200, std::string(llama_server::plain)));
    OpenAiClient client({.endpoint = server.url()});
    const vlm::ChatReply reply = client.reply(ask("hi"));
    CHECK(reply.text == " models press supported use click performance double which.");
    CHECK(reply.total >= reply.wait);

    const auto request = server.requests().at(0);
    CHECK(request.method == "POST");
    CHECK(request.target == "/v1/chat/completions");
    CHECK(request.headers.at("content-type") == "application/json");
    CHECK(request.headers.count("authorization") == 0);
    CHECK(request.body == R"({"messages":[{"role":"user","content":"hi"}]})");
}

TEST_CASE("client: a reply with a tool call, and the turn after it on the same connection") {
    ChatServer server;
    server.enqueue(answer_of(200, std::string(llama_server::two_calls)));
    server.enqueue(answer_of(200, completion("done")));
    OpenAiClient client({.endpoint = server.url()});
    vlm::ChatRequest request = ask("hi");
    const vlm::ChatReply reply = client.reply(request);
    request.messages.push_back(vlm::Message::assistant(reply.text, reply.tool_calls));
    for (const vlm::ToolCall& call : reply.tool_calls)
        request.messages.push_back(vlm::Message::tool(call.id, "ok"));
    CHECK(client.reply(request).text == "done");
    CHECK(server.connections() == 1);
    CHECK_THAT(server.requests().at(1).body,
               ContainsSubstring("\"tool_call_id\":\"YNtvQRAbc8eGJQt3fNue7bBiJMBcD0Mb\""));
}

TEST_CASE("client: the key is sent as a bearer token") {
    ChatServer server;
    server.enqueue(answer_of(200, completion("hi")));
    OpenAiClient client({.endpoint = server.url(), .api_key = "sk-0123456789"});
    client.reply(ask("hi"));
    CHECK(server.requests().at(0).headers.at("authorization") == "Bearer sk-0123456789");
}

TEST_CASE("client: a key that is not valid in a header is rejected") {
    CHECK_THROWS_AS(OpenAiClient({.api_key = "a\r\nX: y"}), std::invalid_argument);
    CHECK_THROWS_AS(OpenAiClient({.api_key = "a b"}), std::invalid_argument);
}

TEST_CASE("client: the models of the server are listed") {
    ChatServer server;
    server.enqueue(answer_of(200, std::string(llama_server::models)));
    OpenAiClient client({.endpoint = server.url()});
    CHECK(client.models() == std::vector<std::string>{"tiny-vl"});
    CHECK(server.requests().at(0).method == "GET");
    CHECK(server.requests().at(0).target == "/v1/models");
}

TEST_CASE("client: the endpoint is completed and checked when the client is made") {
    CHECK(OpenAiClient().url() == "http://localhost:1234/v1/chat/completions");
    CHECK(OpenAiClient({.endpoint = "http://h:1"}).url() == "http://h:1/v1/chat/completions");
    CHECK(error_of([] { OpenAiClient({.endpoint = "h:1"}); }).code() == errc::bad_url);
}

TEST_CASE("client: without a stream, on_delta gets the text once") {
    ChatServer server;
    server.enqueue(answer_of(200, completion("hello")));
    server.enqueue(answer_of(200, completion("", "click")));
    OpenAiClient client({.endpoint = server.url()});
    std::vector<std::string> deltas;
    const vlm::OnDelta collect = [&](const vlm::Delta& delta) { deltas.push_back(delta.text); };
    client.reply(ask("hi"), collect);
    client.reply(ask("hi"), collect);
    CHECK(deltas == std::vector<std::string>{"hello"});
}

TEST_CASE("client: a successful status without a chat completion is an error") {
    CHECK(failure(200, "<html>Welcome</html>", "text/html").code() == errc::bad_response);
    CHECK(failure(200, "").code() == errc::bad_response);
    CHECK(failure(200, "{}").code() == errc::bad_response);
    CHECK(failure(200, R"({"error":{"message":"overloaded"}})").code() == errc::server_error);
    CHECK(failure(200, std::string(llama_server::cut_call)).code() == errc::truncated);
}

TEST_CASE("client: failures have their codes") {
    CHECK(failure(400, std::string(llama_server::context_exceeded)).code() ==
          errc::context_overflow);
    CHECK(failure(400, R"({"error":"text"})").server_message() == "text");
    CHECK(failure(401, std::string(llama_server::invalid_key)).code() == errc::unauthorized);
    CHECK(failure(403, "Forbidden", "text/plain").code() == errc::unauthorized);
    CHECK(failure(404, std::string(llama_server::unknown_path)).code() == errc::not_found);
    CHECK(failure(404, "<html>nginx</html>", "text/html").code() == errc::not_found);
    CHECK(failure(413, "").code() == errc::http_status);
    CHECK(failure(422, R"({"detail":"bad field"})").server_message() == "bad field");
    CHECK(failure(429, R"([{"error":{"message":"slow down"}}])").code() == errc::overloaded);
    CHECK(failure(500, R"({"object":"error","message":"oops"})").server_message() == "oops");
    CHECK(failure(503, std::string(llama_server::loading)).code() == errc::overloaded);
}

TEST_CASE("client: a redirection is an error that names its target") {
    ChatServer server;
    Answer answer = answer_of(308, "");
    answer.headers = {{"Location", "http://elsewhere/v1"}};
    server.enqueue(answer);
    OpenAiClient client({.endpoint = server.url()});
    CHECK(mentions(error_of([&] { client.reply(ask("hi")); }), "http://elsewhere/v1"));
}

TEST_CASE("client: after a failure the next request succeeds") {
    ChatServer server;
    server.enqueue(answer_of(500, ""));
    server.enqueue(answer_of(200, completion("better")));
    OpenAiClient client({.endpoint = server.url(), .retries = no_retries});
    CHECK_THROWS_AS(client.reply(ask("hi")), vlm::Error);
    CHECK(client.reply(ask("hi")).text == "better");
}

TEST_CASE("client: the options limit time and size") {
    ChatServer server;
    Answer silent;
    silent.never = true;
    server.enqueue(silent);
    server.enqueue(answer_of(200, completion(std::string(1000, 'x'))));
    OpenAiClient client({.endpoint = server.url(), .timeout = 100ms, .retries = no_retries});
    CHECK(error_of([&] { client.reply(ask("hi")); }).code() == errc::timeout);
    OpenAiClient small({.endpoint = server.url(), .max_response_bytes = 1000});
    CHECK(error_of([&] { small.reply(ask("hi")); }).code() == errc::response_too_large);
}

TEST_CASE("client: canceling closes the connection and is reported as an exchange") {
    ChatServer server;
    Answer silent;
    silent.never = true;
    server.enqueue(silent);
    std::vector<vlm::Exchange> exchanges;
    OpenAiClient client({.endpoint = server.url(),
                         .on_exchange = [&](const vlm::Exchange& e) { exchanges.push_back(e); }});
    std::stop_source stop;
    std::future<std::error_code> result = std::async(std::launch::async, [&] {
        return error_of([&] { client.reply(ask("hi"), {}, stop.get_token()); }).code();
    });
    CHECK(server.wait_for_requests(1, soon));
    stop.request_stop();
    CHECK(result.get() == errc::cancelled);
    CHECK(server.wait_until_disconnected(soon));
    REQUIRE(exchanges.size() == 1);
    CHECK(exchanges[0].status == 0);
    CHECK_THAT(exchanges[0].error, ContainsSubstring("canceled"));
}

TEST_CASE("client: a request that cannot be sent is not an exchange") {
    int exchanges = 0;
    OpenAiClient client({.on_exchange = [&](const vlm::Exchange&) { ++exchanges; }});
    CHECK_THROWS_AS(client.reply({}), std::invalid_argument);
    CHECK(exchanges == 0);
}

TEST_CASE("client: an exchange contains no image data") {
    ChatServer server;
    server.enqueue(answer_of(200, completion("a cat")));
    std::vector<vlm::Exchange> exchanges;
    OpenAiClient client({.endpoint = server.url(),
                         .on_exchange = [&](const vlm::Exchange& e) { exchanges.push_back(e); }});
    vlm::ChatRequest request;
    request.messages = {
        vlm::Message::user("look", vlm::make_image(std::vector<std::uint8_t>{'a', 'b', 'c'}))};
    client.reply(request);

    CHECK_THAT(server.requests().at(0).body, ContainsSubstring("data:image/png;base64,YWJj"));
    REQUIRE(exchanges.size() == 1);
    CHECK(exchanges[0].method == "POST");
    CHECK(exchanges[0].url == client.url());
    CHECK(exchanges[0].status == 200);
    CHECK(exchanges[0].error.empty());
    CHECK(exchanges[0].response_body == completion("a cat"));
    CHECK_THAT(exchanges[0].request_body, !ContainsSubstring("base64"));
    CHECK_THAT(exchanges[0].request_body, ContainsSubstring(", 3 bytes"));
}

TEST_CASE("client: errors and exchanges do not contain an image that the server repeats") {
    ChatServer server;
    std::string logged;
    OpenAiClient client(
        {.endpoint = server.url(), .on_exchange = [&](const vlm::Exchange& exchange) {
             logged = exchange.response_body + exchange.error;
         }});
    const std::string image = "data:image/png;base64," + std::string(4000, 'A') + "==";
    server.enqueue(
        {.status = 422, .body = R"({"detail":[{"msg":"no","input":")" + image + R"("}]})"});
    std::string message;
    try {
        (void)client.reply({.messages = {vlm::Message::user("hi")}});
    } catch (const vlm::Error& error) {
        message = error.what() + error.server_message();
    }
    CHECK_THAT(message, ContainsSubstring("[4002 characters, sha256:"));
    for (const std::string& text : {message, logged}) {
        CHECK_THAT(text, ContainsSubstring("sha256:"));
        CHECK_THAT(text, !ContainsSubstring("AAAAAAAAAA"));
    }
}

TEST_CASE("client: errors and exchanges do not contain the key") {
    const std::string key = "sk-0123456789";
    ChatServer server;
    server.enqueue(answer_of(401, R"({"error":{"message":"Incorrect key: )" + key + "\"}}"));
    server.enqueue(answer_of(200, "rubbish with " + key));
    server.enqueue(answer_of(200, R"({"error":")" + key + "\"}"));
    std::string seen;
    OpenAiClient client({.endpoint = server.url() + "/v1?key=" + key,
                         .api_key = key,
                         .on_exchange = [&](const vlm::Exchange& e) {
                             seen += e.method + e.url + e.request_body + e.response_body + e.error;
                         }});
    for (int i = 0; i < 3; ++i) {
        const vlm::Error error = error_of([&] { client.reply(ask("hi " + key)); });
        seen += error.what() + error.server_message();
    }
    CHECK(server.requests().at(0).target == "/v1/chat/completions?key=" + key);
    CHECK_THAT(seen, ContainsSubstring("[API key]"));
    CHECK_THAT(seen, !ContainsSubstring(key));
}
