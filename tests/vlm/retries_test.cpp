// When the client sends a request again.
#include "eyehand/vlm/openai_client.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "llama_server.hpp"
#include "soon.hpp"
#include "transport.hpp"
#include "wire/retry_hint.hpp"

#include <future>

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::errc;
using vlm::OpenAiClient;
using vlm::Retry;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;
using vlm::wire::read_retry_hint;

namespace {

constexpr vlm::RetryPolicy quick{.first_delay = 1ms, .max_delay = 4ms, .loading_interval = 1ms};

vlm::ChatRequest ask() { return {.messages = {vlm::Message::user("hi")}}; }

Answer failing(int status, std::string body = "", std::map<std::string, std::string> headers = {}) {
    return {.status = status, .body = std::move(body), .headers = std::move(headers)};
}

/// The number of requests that a server gets if it gives this answer three times, and then
/// succeeds.
std::size_t requests_after(const Answer& answer, const vlm::RetryPolicy& policy = quick) {
    ChatServer server;
    for (int i = 0; i < 3; ++i) server.enqueue(answer);
    server.enqueue({.body = completion("hello")});
    OpenAiClient client({.endpoint = server.url(), .retries = policy});
    try {
        (void)client.reply(ask());
    } catch (const vlm::Error&) {
        return server.requests().size();
    }
    return server.requests().size() * 100; // the request succeeded
}

} // namespace

TEST_CASE("retries: each status is retried or not") {
    for (const int status : {400, 401, 402, 403, 404, 405, 413, 422, 501}) {
        INFO(status);
        CHECK(requests_after(failing(status)) == 1);
    }
    for (const int status : {408, 409, 429, 500, 502, 503, 504}) {
        INFO(status);
        CHECK(requests_after(failing(status)) == 3);
    }
}

TEST_CASE("retries: the server's message takes precedence over the status") {
    CHECK(requests_after(failing(500, "", {{"x-should-retry", "false"}})) == 1);
    CHECK(requests_after(failing(400, "", {{"x-should-retry", "true"}})) == 3);
    CHECK(requests_after(failing(402, "", {{"retry-after-ms", "1"}})) == 3);
    CHECK(requests_after(failing(429, R"({"error":{"code":"insufficient_quota"}})")) == 1);
    CHECK(requests_after(failing(500, R"({"error":"Jinja template: roles must alternate"})")) == 1);
    CHECK(requests_after(failing(500, std::string(llama_server::no_mmproj))) == 1);
    CHECK(requests_after(failing(500, std::string(llama_server::bad_history))) == 1);
    CHECK(requests_after(failing(500, R"({"error":"the peg-native format is violated"})")) == 2);
    CHECK(requests_after(failing(400, R"({"error":"Channel Error"})")) == 2);
    CHECK(requests_after(failing(404, R"({"error":"No models loaded."})")) == 1);
    CHECK(requests_after(failing(503, R"({"error":"Context size has been exceeded"})")) == 1);
}

TEST_CASE("retries: max_retries = 0 disables them") {
    CHECK(requests_after(failing(500), {.max_retries = 0}) == 1);
}

TEST_CASE("retries: broken and refused connections are retried") {
    Answer broken;
    broken.cut_after = 0;
    CHECK(requests_after(broken) == 3);

    const transport::RefusingPort refusing;
    std::vector<vlm::Attempt> attempts;
    OpenAiClient client({.endpoint = refusing.url().text(),
                         .retries = quick,
                         .on_retry = [&](const vlm::Attempt& a) { attempts.push_back(a); }});
    CHECK(error_of([&] { client.reply(ask()); }).code() == errc::unreachable);
    REQUIRE(attempts.size() == 2);
    CHECK(attempts[0].number == 2);
    CHECK(attempts[1].number == 3);
    CHECK_THAT(attempts[0].reason, ContainsSubstring("nothing listens"));
}

TEST_CASE("retries: delays grow up to the maximum, shortened by at most a quarter") {
    ChatServer server;
    for (int i = 0; i < 7; ++i) server.enqueue(failing(500));
    std::vector<std::chrono::milliseconds> delays;
    OpenAiClient client(
        {.endpoint = server.url(),
         .retries = {.max_retries = 6, .first_delay = 4ms, .max_delay = 20ms},
         .on_retry = [&](const vlm::Attempt& attempt) { delays.push_back(attempt.delay); }});
    CHECK_THROWS_AS(client.reply(ask()), vlm::Error);
    REQUIRE(delays.size() == 6);
    const std::vector<std::chrono::milliseconds> full{4ms, 8ms, 16ms, 20ms, 20ms, 20ms};
    for (std::size_t i = 0; i < full.size(); ++i) {
        CHECK(delays[i] <= full[i]);
        CHECK(delays[i] >= full[i] * 3 / 4);
    }
}

TEST_CASE("retries: the server's own delay is used, unless it is too long") {
    ChatServer server;
    server.enqueue(failing(429, "", {{"retry-after-ms", "7"}}));
    server.enqueue(failing(429, "", {{"Retry-After", "0.009"}}));
    server.enqueue({.body = completion("hello")});
    server.enqueue(failing(429, "", {{"Retry-After", "121"}}));
    std::vector<std::chrono::milliseconds> delays;
    OpenAiClient client(
        {.endpoint = server.url(), .retries = quick, .on_retry = [&](const vlm::Attempt& attempt) {
             delays.push_back(attempt.delay);
         }});
    CHECK(client.reply(ask()).notes ==
          std::vector<std::string>{"asked 3 times: the server is busy"});
    CHECK(delays == std::vector<std::chrono::milliseconds>{7ms, 9ms});
    const vlm::Error error = error_of([&] { client.reply(ask()); });
    CHECK(error.details().retry_after == 121s);
    CHECK(delays.size() == 2);
}

TEST_CASE("retries: a server cannot request a shorter delay than the client's own") {
    for (const std::map<std::string, std::string>& hint :
         {std::map<std::string, std::string>{{"retry-after-ms", "1"}},
          {{"Retry-After", "0.001"}},
          {{"Retry-After", "0"}}}) {
        ChatServer server;
        for (int i = 0; i < 3; ++i) server.enqueue(failing(503, "", hint));
        std::vector<std::chrono::milliseconds> delays;
        OpenAiClient client(
            {.endpoint = server.url(),
             .retries = {.first_delay = 40ms},
             .on_retry = [&](const vlm::Attempt& a) { delays.push_back(a.delay); }});
        CHECK_THROWS_AS(client.reply(ask()), vlm::Error);
        REQUIRE(delays.size() == 2);
        CHECK(delays[0] >= 30ms); // shortened by at most a quarter
        CHECK(delays[1] >= 60ms);
    }
}

TEST_CASE("retries: a server that loads its model cannot be made to flood itself") {
    ChatServer server;
    for (int i = 0; i < 3; ++i)
        server.enqueue(failing(503, std::string(llama_server::loading), {{"retry-after-ms", "1"}}));
    server.enqueue(failing(503, std::string(llama_server::loading), {{"retry-after-ms", "30"}}));
    server.enqueue({.body = completion("ready")});
    std::vector<std::chrono::milliseconds> delays;
    OpenAiClient client({.endpoint = server.url(),
                         .retries = {.loading_interval = 20ms},
                         .on_retry = [&](const vlm::Attempt& a) { delays.push_back(a.delay); }});
    CHECK(client.reply(ask()).text == "ready");
    CHECK(delays == std::vector<std::chrono::milliseconds>{20ms, 20ms, 20ms, 30ms});
}

TEST_CASE("retries: a server that loads its model is polled until it is loaded") {
    ChatServer server;
    for (int i = 0; i < 10; ++i) server.enqueue(failing(503, std::string(llama_server::loading)));
    server.enqueue({.body = completion("ready")});
    int polls = 0;
    OpenAiClient client(
        {.endpoint = server.url(), .retries = quick, .on_retry = [&](const vlm::Attempt& attempt) {
             CHECK(attempt.loading);
             ++polls;
         }});
    CHECK(client.reply(ask()).text == "ready");
    CHECK(polls == 10);
}

TEST_CASE("retries: waiting for a loading model has a time limit") {
    ChatServer server;
    server.enqueue(failing(503, std::string(llama_server::loading)));
    OpenAiClient client({.endpoint = server.url(), .retries = {.max_loading_time = 0ms}});
    const vlm::Error error = error_of([&] { client.reply(ask()); });
    CHECK(error.code() == errc::overloaded);
    CHECK(error.retry() == Retry::while_loading);
}

TEST_CASE("retries: a delay can be cancelled") {
    ChatServer server;
    server.enqueue(failing(503));
    std::stop_source stop;
    OpenAiClient client({.endpoint = server.url(),
                         .retries = {.first_delay = 1h, .max_delay = 1h, .max_retry_after = 2h},
                         .on_retry = [&](const vlm::Attempt&) { stop.request_stop(); }});
    CHECK(error_of([&] { client.reply(ask(), {}, stop.get_token()); }).code() == errc::cancelled);
}

TEST_CASE("retries: requests for the list of models are retried, too") {
    ChatServer server;
    server.enqueue(failing(503));
    server.enqueue({.body = std::string(llama_server::models)});
    OpenAiClient client({.endpoint = server.url(), .retries = quick});
    CHECK(client.models() == std::vector<std::string>{"tiny-vl"});
}

TEST_CASE("retries: each attempt is an exchange") {
    ChatServer server;
    server.enqueue(failing(500, "first"));
    server.enqueue({.body = completion("second")});
    std::vector<std::string> bodies;
    OpenAiClient client(
        {.endpoint = server.url(), .retries = quick, .on_exchange = [&](const vlm::Exchange& e) {
             bodies.push_back(e.response_body);
         }});
    (void)client.reply(ask());
    CHECK(bodies == std::vector<std::string>{"first", completion("second")});
}

TEST_CASE("retry hint: all three forms of a time are read") {
    const auto now = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 30s;
    const auto after = [&](std::string_view ms, std::string_view text) {
        return read_retry_hint({}, ms, text, now).after;
    };
    CHECK(after("1500", "9") == 1500ms);
    CHECK(after("", "9") == 9s);
    CHECK(after("", " 0.5 ") == 500ms);
    CHECK(after("", "Sun, 06 Nov 1994 08:49:37 GMT") == 7s);
    CHECK(after("x", "2") == 2s);
    for (const char* nothing :
         {"", "0", "-3", "soon", "nan", "inf", "1e99", "1 2", "Sun, 06 Nov 1994 08:49:29 GMT",
          "Sun, 31 Feb 1995 08:49:37 GMT", "Sun, 06 Now 1995 08:49:37 GMT",
          "Sun, 06 Nov 1995 24:49:37 GMT", "Sun, 06 Nov 1995 08:49:37 CET",
          "Sun, 06 Nov -995 08:49:37 GMT", "Sun, 06 Nov 9994 08:49:37 GMT"}) {
        INFO(nothing);
        CHECK_FALSE(after("", nothing).has_value());
    }
}

TEST_CASE("retry hint: a date counts from the server's date, whatever the clock of this computer") {
    ChatServer server;
    server.enqueue({.status = 429,
                    .headers = {{"Date", "Sun, 06 Nov 1994 08:49:30 GMT"},
                                {"Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"}}});
    vlm::OpenAiClient client({.endpoint = server.url(), .retries = {.max_retry_after = 6s}});
    try {
        (void)client.reply(ask());
        FAIL("no error");
    } catch (const vlm::Error& error) {
        CHECK(error.details().retry_after == 7s);
    }
}

TEST_CASE("retry hint: x-should-retry is read") {
    const auto now = std::chrono::system_clock::now();
    CHECK(read_retry_hint("true", {}, {}, now).retry == true);
    CHECK(read_retry_hint(" False ", {}, {}, now).retry == false);
    CHECK_FALSE(read_retry_hint("yes", {}, {}, now).retry.has_value());
}

TEST_CASE("one at a time: requests to this computer wait for each other") {
    ChatServer server;
    const vlm::testing::Gate gate;
    const std::string whole = completion("first");
    Answer slow;
    slow.parts = {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                      std::to_string(whole.size()) + "\r\n\r\n",
                  gate, whole};
    server.enqueue(slow);
    server.enqueue({.body = completion("second")});
    OpenAiClient one({.endpoint = server.url()});
    OpenAiClient other({.endpoint = server.url()});
    auto first = std::async(std::launch::async, [&] { return one.reply(ask()).text; });
    REQUIRE(gate.wait_until_reached(1, soon));
    auto second = std::async(std::launch::async, [&] { return other.reply(ask()).text; });
    // A request that waits for its turn can be cancelled.
    std::stop_source stop;
    OpenAiClient third({.endpoint = server.url()});
    auto cancelled = std::async(std::launch::async, [&] {
        return error_of([&] { third.reply(ask(), {}, stop.get_token()); }).code();
    });
    stop.request_stop();
    CHECK(cancelled.get() == errc::cancelled);
    CHECK(server.requests().size() == 1);
    gate.open();
    CHECK(first.get() == "first");
    CHECK(second.get() == "second");
}

TEST_CASE("one at a time: false lets requests run at once") {
    ChatServer server;
    Answer silent;
    silent.never = true;
    server.enqueue(silent);
    server.enqueue({.body = completion("second")});
    OpenAiClient one({.endpoint = server.url()});
    OpenAiClient other({.endpoint = server.url(), .one_at_a_time = false});
    std::stop_source stop;
    auto first = std::async(std::launch::async, [&] {
        return error_of([&] { one.reply(ask(), {}, stop.get_token()); }).code();
    });
    REQUIRE(server.wait_for_requests(1, soon));
    CHECK(other.reply(ask()).text == "second");
    stop.request_stop();
    CHECK(first.get() == errc::cancelled);
}
