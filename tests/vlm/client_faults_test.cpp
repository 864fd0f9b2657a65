// Faults of servers and networks, as a program sees them through the client: each fault gives a
// valid reply or a vlm::Error with a remedy, and the next request succeeds.
#include "eyehand/vlm/openai_client.hpp"

#include "catch_error.hpp"
#include "certificates.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "llama_server.hpp"
#include "temp_folder.hpp"
#include "transport.hpp"
#include "wire/encode_request.hpp"
#include "wire/json.hpp"
#include "wire/utf8.hpp"

#include <fstream>
#include <optional>
#include <set>

using namespace eyehand;
using namespace std::chrono_literals;
using transport::parts;
using transport::raw;
using transport::redirect;
using vlm::errc;
using vlm::OpenAiClient;
using vlm::Retry;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::chunk;
using vlm::testing::chunked_head;
using vlm::testing::completion;
using vlm::testing::Gate;
using vlm::testing::gzipped;
using vlm::testing::Repeated;

namespace {

const std::string key = "sk-0123456789";
constexpr std::size_t max_bytes = std::size_t{1} << 20;
constexpr vlm::RetryPolicy no_retries{.max_retries = 0, .max_loading_time = 0ms};

vlm::ChatRequest ask() {
    return {.messages = {vlm::Message::user("hi")},
            .tools = {{"click", "", R"({"type":"object"})"}}};
}

Answer body(std::string text, std::string content_type = "application/json") {
    return {.content_type = std::move(content_type), .body = std::move(text)};
}

Answer with_headers(Answer answer, std::map<std::string, std::string> headers) {
    answer.headers = std::move(headers);
    return answer;
}

Answer then_reset(Answer answer) {
    answer.reset = true;
    return answer;
}

Answer then_closed(Answer answer) {
    answer.close = true;
    return answer;
}

Answer cut_after(std::size_t bytes) {
    return {.body = completion("cut"), .close = true, .cut_after = bytes};
}

/// A program that shows the reply as it arrives, or one that waits for the whole reply.
enum class Listener { none, to_deltas };

/// May run on another thread than the test, whose CHECK is for one thread only.
vlm::ChatReply reply_of(OpenAiClient& client, Listener listener, std::string* heard = nullptr) {
    bool whole_characters = true;
    vlm::OnDelta on_delta;
    if (listener == Listener::to_deltas)
        on_delta = [&](const vlm::Delta& delta) {
            whole_characters &= vlm::wire::valid_utf8(delta.text) == delta.text;
            if (heard) *heard += delta.text;
        };
    vlm::ChatReply reply = client.reply(ask(), on_delta);
    if (!whole_characters) throw std::runtime_error("a delta was cut within a character");
    return reply;
}

} // namespace

// --- Unreachable servers ------------------------------------------------------------------------

TEST_CASE("client faults: a refused connection is an error with a remedy") {
    const transport::RefusingPort refusing;
    OpenAiClient client({.endpoint = refusing.url().text(), .retries = no_retries});
    const vlm::Error error = error_of([&] { client.reply(ask()); });
    CHECK(error.code() == errc::unreachable);
    CHECK(error.retry() == Retry::later);
    CHECK_FALSE(error.status().has_value());
    CHECK(mentions(error, "Start it, or correct the endpoint"));
}

TEST_CASE("client faults: an unknown host name is an error with a remedy") {
    // A part of a name has at most 63 characters, so this lookup fails without the network.
    const std::string host = std::string(64, 'a') + ".invalid";
    OpenAiClient client({.endpoint = "http://" + host, .retries = no_retries});
    const vlm::Error error = error_of([&] { client.reply(ask()); });
    CHECK(error.code() == errc::unreachable);
    CHECK(error.retry() == Retry::later);
    CHECK(mentions(error, "the name " + host + " is not known"));
    CHECK(mentions(error, "check its spelling and the network"));
}

TEST_CASE("client faults: bad certificates are rejected at once, and no key is sent") {
    static const certificates::Authority authority;
    const test::TempFolder folder;
    const std::string ca_file = (folder / "ca.pem").string();
    std::ofstream(ca_file, std::ios::binary) << authority.pem();
    struct Row {
        vlm::testing::TlsIdentity identity;
        const char* words;
    };
    const std::vector<Row> rows{
        {authority.issue({.valid_from_days = -10, .valid_until_days = -2}), "has expired"},
        {authority.issue({.names = {"DNS:elsewhere.test"}}), "for another host"},
        {certificates::self_signed(), "self-signed"}};
    for (const Row& row : rows) {
        INFO(row.words);
        ChatServer server({.tls = row.identity});
        OpenAiClient client({.endpoint = server.url(), .api_key = key, .ca_file = ca_file});
        const vlm::Error error = error_of([&] { client.reply(ask()); });
        CHECK(error.code() == errc::untrusted);
        CHECK(error.retry() == Retry::never);
        CHECK(mentions(error, row.words));
        CHECK(server.connections() == 1);
        CHECK(server.requests().empty());
    }
    ChatServer server({.tls = authority.issue()});
    server.enqueue(body(completion("hello")));
    OpenAiClient client({.endpoint = server.url(), .ca_file = ca_file});
    CHECK(client.reply(ask()).text == "hello");
}

// --- Invalid answers ----------------------------------------------------------------------------

namespace {

struct Fault {
    std::string name;
    Answer answer;
    errc code;
    Retry retry;
    std::string words; ///< of the remedy
    std::chrono::milliseconds patience = soon;
    std::size_t times = 1; ///< number of times that the server gives this answer
};

std::vector<Fault> faults() {
    using enum errc;
    constexpr Retry never = Retry::never;
    constexpr Retry later = Retry::later;
    const std::string log = "Look at its log";
    const std::string url_hint = "is the URL right? It should end in /v1";
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    const std::string whole = completion("whole");
    const std::string packed = gzipped(whole);
    std::string damaged = packed;
    damaged[packed.size() / 2] = static_cast<char>(~damaged[packed.size() / 2]);
    const Repeated gigabyte{std::string(std::size_t{1} << 20, ' '), 1024};
    const Repeated chunked_gigabyte{chunk(gigabyte.block), gigabyte.times};
    const auto gzip = [](std::string bytes) {
        return with_headers(body(std::move(bytes)), {{"Content-Encoding", "gzip"}});
    };
    return {
        // name, answer, code, retry, words
        {"reset before the answer", then_reset(cut_after(0)), connection_lost, later, log},
        {"closed before the answer", then_closed(parts({""})), connection_lost, later, log},
        {"reset in the header", then_reset(raw("HTTP/1.1 2")), connection_lost, later, log},
        {"closed in the header", cut_after(30), connection_lost, later, log},
        {"reset in the body", then_reset(cut_after(200)), connection_lost, later, log},
        {"closed in the body", cut_after(200), connection_lost, later, log},
        {"silence", transport::silent(), timeout, later, "raise first_byte_timeout", 50ms},
        {"silence in the header", parts({"HTTP/1.1 200", Gate()}), timeout, later,
         "raise idle_timeout", 50ms},
        {"silence in the body", parts({head + "Content-Length: 9\r\n\r\n{", Gate()}), timeout,
         later, "raise idle_timeout", 50ms},
        {"a body shorter than its length", with_headers(body(whole), {{"Content-Length", "9999"}}),
         timeout, later, "raise idle_timeout", 50ms},
        {"a body longer than its length", with_headers(body(whole), {{"Content-Length", "20"}}),
         bad_response, never, url_hint},
        {"malformed chunks", parts({chunked_head("application/json"), "xyz\r\n"}), bad_response,
         never, "is the port right"},
        {"chunks that break off", then_closed(parts({chunked_head("application/json"), "99\r\n{"})),
         connection_lost, later, log},
        {"not HTTP", raw("SSH-2.0-OpenSSH_9.2\r\n"), bad_response, never, "is the port right"},
        {"an endless header",
         raw("HTTP/1.1 200 OK\r\nX: " + std::string(std::size_t{1} << 17, 'x')), bad_response,
         never, "is the port right"},
        {"endless interim answers",
         parts({Repeated{"HTTP/1.1 100 Continue\r\n\r\n", 1000}, Gate()}), bad_response, never,
         "is this a model server?"},
        {"damaged gzip", gzip(damaged), bad_response, never, "switch compression off"},
        {"the beginning of gzip", gzip(packed.substr(0, 12)), bad_response, never, log},
        {"gzip without the end", gzip(packed.substr(0, packed.size() - 5)), bad_response, never,
         log},
        {"a compression bomb", gzip(gzipped(std::string(max_bytes * 2, ' '))), response_too_large,
         never, "max_response_bytes"},
        {"an unknown compression", with_headers(body("x"), {{"Content-Encoding", "br"}}),
         bad_response, never, "switch compression off"},
        {"1 GB with a length", parts({head + "Content-Length: 1073741824\r\n\r\n", gigabyte}),
         response_too_large, never, "max_response_bytes"},
        {"1 GB without a length", parts({chunked_head("application/json"), chunked_gigabyte}),
         response_too_large, never, "max_response_bytes"},
        {"a redirection to another host", redirect(307, "http://elsewhere.test/" + key),
         http_status, never, "give that address as the endpoint"},
        {"a redirection to a GET", redirect(302, "/other?" + key), http_status, never,
         "give that URL as the endpoint"},
        {"a redirection to an invalid URL", redirect(308, "http://"), bad_response, never,
         "correct the endpoint"},
        {"a redirection without a target", Answer{.status = 307}, http_status, never,
         "give its final URL"},
        {"endless redirections", redirect(307, "/again"), bad_response, never,
         "correct the endpoint", soon, 6},
        {"HTML", body("<!DOCTYPE html><h1>Welcome</h1>", "text/html"), bad_response, never,
         url_hint},
        {"HTML announced as JSON", body("\n <html>"), bad_response, never, url_hint},
        {"HTML announced as a stream", body("<html>\n\n</html>", "text/event-stream"), bad_response,
         never, url_hint},
        {"nothing", body(""), bad_response, never, url_hint},
        {"nothing but white space", body(" \r\n"), bad_response, never, url_hint},
        {"no content", {.status = 204}, bad_response, never, url_hint},
        {"plain text", body("It works! " + key, "text/plain"), bad_response, never, url_hint},
        {"half of a JSON text", body(whole.substr(0, 50)), bad_response, never, url_hint},
        {"two JSON texts", body(whole + whole), bad_response, never, url_hint},
        {"bytes that are not UTF-8", body("{\"\xFF\xFE\":1}"), bad_response, never, url_hint},
        {"10,000 levels", body(std::string(10000, '[') + std::string(10000, ']')), bad_response,
         never, url_hint},
        {"10,000 levels without the end", body(R"({"choices":)" + std::string(10000, '[')),
         bad_response, never, url_hint},
        {"{}", body("{}"), bad_response, never, url_hint},
        {"[]", body("[]"), bad_response, never, url_hint},
        {"null", body("null"), bad_response, never, url_hint},
        {"a string", body("\"hello\""), bad_response, never, url_hint},
        {"a number", body("1e999"), bad_response, never, url_hint},
        {"a list of models", body(std::string(llama_server::models)), bad_response, never,
         url_hint},
        {"no choice", body(R"({"choices":[]})"), bad_response, never, "a fault of the server"},
        {"a choice without a message", body(R"({"choices":[{}]})"), bad_response, never,
         "a fault of the server"},
        {"an error object", body(R"({"error":{"message":"no )" + key + R"("}})"), server_error,
         never, "no [API key]"},
        {"an error text", body(R"({"error":"no, sorry"})"), server_error, never, "no, sorry"},
        {"an error in a list", body(R"([{"error":{"message":"no, sorry"}}])"), server_error, never,
         "no, sorry"},
        {"an old error object", body(R"({"object":"error","message":"no, sorry"})"), server_error,
         never, "no, sorry"},
        {"an error in a choice",
         body(R"({"choices":[{"error":{"message":"no, sorry"},"message":{"content":"x"}}]})"),
         server_error, never, "no, sorry"},
        {"a crash", body(R"({"error":{"message":"The model has crashed"}})"), server_error,
         Retry::once, "reload it"},
        {"a call that the output limit cut off", body(std::string(llama_server::cut_call)),
         truncated, never, "raise max_tokens"},
    };
}

} // namespace

TEST_CASE("client faults: each invalid answer has its error, and the next request succeeds") {
    for (const Fault& fault : faults()) {
        for (const Listener listener : {Listener::none, Listener::to_deltas}) {
            INFO(fault.name << (listener == Listener::none ? "" : ", streaming"));
            ChatServer server;
            for (std::size_t i = 0; i < fault.times; ++i) server.enqueue(fault.answer);
            vlm::Exchange logged;
            OpenAiClient client({.endpoint = server.url(),
                                 .api_key = key,
                                 .first_byte_timeout = fault.answer.never ? fault.patience : soon,
                                 .idle_timeout = fault.patience,
                                 .max_response_bytes = max_bytes,
                                 .retries = no_retries,
                                 .on_exchange = [&](const vlm::Exchange& e) { logged = e; }});
            std::string heard;
            const vlm::Error error = error_of([&] { reply_of(client, listener, &heard); });
            CHECK(error.code() == fault.code);
            CHECK(error.retry() == fault.retry);
            CHECK_THAT(error.what(), ContainsSubstring(fault.words));
            CHECK(mentions(error, "127.0.0.1:" + std::to_string(server.port())));
            CHECK_FALSE(mentions(error, key));
            CHECK(logged.error == error.what());
            CHECK_THAT(logged.response_body, !ContainsSubstring(key));
            CHECK(heard.empty());

            if (fault.patience != soon) continue; // the limit is too short for a busy computer
            server.enqueue(body(completion("better")));
            CHECK(reply_of(client, listener).text == "better");
        }
    }
}

// --- Unusual answers ----------------------------------------------------------------------------

namespace {

struct Oddity {
    std::string name;
    std::vector<Answer> answers;
};

std::vector<Oddity> oddities() {
    const std::string hello = completion("hello");
    const std::string length = std::to_string(hello.size());
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n";
    const std::string call = R"("tool_calls":[],"function_call":null)";
    const std::string event = R"(data: {"choices":[{"delta":{"content":"hello"}}]})";
    return {
        {"100 Continue and 103 Early Hints first",
         {raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + head +
              hello)}},
        {"gzip", {with_headers(body(gzipped(hello)), {{"Content-Encoding", "gzip"}})}},
        {"gzip in chunks",
         {raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunk(gzipped(hello).substr(0, 9)) + chunk(gzipped(hello).substr(9)) + chunk(""))}},
        {"a redirection on the same host", {redirect(308, "/other"), body(hello)}},
        {"no length", {then_closed(raw("HTTP/1.1 200 OK\r\n\r\n" + hello))}},
        {"HTTP/1.0", {raw("HTTP/1.0 200 OK\r\nContent-Length: " + length + "\r\n\r\n" + hello)}},
        {"no content type", {raw(head + hello)}},
        {"another success", {{.status = 201, .body = hello}}},
        {"a byte order mark and white space", {body("\xEF\xBB\xBF \r\n" + hello + "\n\n")}},
        {"duplicate keys",
         {body(R"({"choices":7,"choices":[{"message":{"content":"no","content":"hello"}}]})")}},
        {"huge numbers in minor fields",
         {body(R"({"created":1180591620717411303424,"choices":[{"index":-0,"message":{"content":)"
               R"("hello",)" +
               call + R"(}}],"usage":{"prompt_tokens":1180591620717411303424,)" +
               R"("completion_tokens":-0}})")}},
        {"a plain answer announced as a stream", {body(hello, "text/event-stream")}},
        {"a stream announced as JSON", {body(event + "\n\ndata: [DONE]\n\n")}},
        {"a stream announced as text",
         {body(": ping\n\n" + event + "\n\ndata: [DONE]\n\n", "text/plain")}},
    };
}

} // namespace

TEST_CASE("client faults: an unusual but complete answer is accepted") {
    for (const Oddity& oddity : oddities()) {
        for (const Listener listener : {Listener::none, Listener::to_deltas}) {
            INFO(oddity.name << (listener == Listener::none ? "" : ", streaming"));
            ChatServer server;
            for (const Answer& answer : oddity.answers) server.enqueue(answer);
            OpenAiClient client({.endpoint = server.url(), .api_key = key, .retries = no_retries});
            std::string heard;
            CHECK(reply_of(client, listener, &heard).text == "hello");
            if (listener == Listener::to_deltas) CHECK(heard == "hello");
            // The key is also sent after a redirection on the same host.
            CHECK(server.requests().back().headers.at("authorization") == "Bearer " + key);
        }
    }
}

TEST_CASE("client faults: an answer in single bytes, header included, is accepted") {
    const std::string event = R"(data: {"choices":[{"delta":{"content":"hello"}}]})";
    const std::string stream = event + "\r\n\r\ndata: [DONE]\r\n\r\n";
    const std::string plain = completion("hello");
    struct Row {
        Listener listener;
        std::string bytes;
    };
    for (const Row& row :
         {Row{Listener::none, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(plain.size()) +
                                  "\r\n\r\n" + plain},
          Row{Listener::to_deltas, chunked_head() + chunk(stream) + chunk("")}}) {
        ChatServer server;
        const Gate gate;
        server.enqueue(parts(vlm::testing::byte_by_byte(row.bytes, gate)));
        OpenAiClient client({.endpoint = server.url(), .idle_timeout = soon});
        vlm::ChatReply reply;
        CHECK(transport::interrupted([&] { reply = reply_of(client, row.listener); },
                                     [&] {
                                         for (std::size_t i = 1; i < row.bytes.size(); ++i) {
                                             CHECK(gate.wait_until_reached(i, soon));
                                             gate.pass();
                                         }
                                     }) == std::error_code());
        CHECK(reply.text == "hello");
    }
}

TEST_CASE("client faults: a redirection never sends the key to another server") {
    ChatServer other;
    for (const int status : {301, 302, 303, 307, 308}) {
        ChatServer server;
        server.enqueue(redirect(status, other.url() + "/v1/chat/completions"));
        OpenAiClient client({.endpoint = server.url(), .api_key = key, .retries = no_retries});
        CHECK(error_of([&] { client.reply(ask()); }).code() == errc::http_status);
        server.enqueue(redirect(status, other.url() + "/v1/models"));
        CHECK(error_of([&] { (void)client.models(); }).code() == errc::http_status);
    }
    CHECK(other.connections() == 0);
}

TEST_CASE("client faults: a server may close the connection after each answer") {
    for (const Listener listener : {Listener::none, Listener::to_deltas}) {
        ChatServer server;
        for (int i = 0; i < 3; ++i) server.enqueue(then_closed(body(completion("hello"))));
        int attempts = 0;
        OpenAiClient client({.endpoint = server.url(),
                             .retries = no_retries,
                             .on_exchange = [&](const vlm::Exchange&) { ++attempts; }});
        for (int i = 0; i < 3; ++i) CHECK(reply_of(client, listener).notes.empty());
        CHECK(attempts == 3);
        CHECK(server.connections() == 3);
        CHECK(server.requests().size() == 3);
    }
}

// --- Statuses -----------------------------------------------------------------------------------

namespace {

struct Status {
    int status;
    errc code;
    Retry retry;
    const char* remedy;
};

constexpr std::array<Status, 16> statuses{{
    {400, errc::http_status, Retry::never, "its message says which part it does not accept"},
    {401, errc::unauthorized, Retry::never, "check the API key, or set one"},
    {402, errc::http_status, Retry::never, "no credit left"},
    {403, errc::unauthorized, Retry::never, "check the API key, or set one"},
    {404, errc::not_found, Retry::never, "should end in /v1/chat/completions"},
    {405, errc::http_status, Retry::never, "should end in /v1/chat/completions"},
    {408, errc::overloaded, Retry::later, "try again"},
    {409, errc::overloaded, Retry::later, "try again"},
    {413, errc::http_status, Retry::never, "send fewer or smaller images"},
    {422, errc::http_status, Retry::never, "its message says which part it does not accept"},
    {429, errc::overloaded, Retry::later, "wait a little and try again"},
    {500, errc::http_status, Retry::later, "see the server's own log"},
    {501, errc::not_supported, Retry::never, "the server does not support this request"},
    {502, errc::http_status, Retry::later, "is it running?"},
    {503, errc::overloaded, Retry::later, "try again in a moment"},
    {504, errc::http_status, Retry::later, "is it running?"},
}};

/// A body with the message "no KEY today" in some format, and the expected server_message.
struct Shape {
    std::string body;
    std::string content_type;
    std::string server_message;
};

std::vector<Shape> shapes() {
    const std::string words = "no " + key + " today";
    const std::string object =
        R"({"error":{"message":")" + words + R"(","type":"t","param":null,"code":)";
    const std::string understood = "no [API key] today";
    return {{object + "\"c\"}}", "application/json", understood},
            {object + "418}}", "application/json", understood},
            {R"({"error":")" + words + "\"}", "application/json", understood},
            {R"({"object":"error","message":")" + words + "\"}", "application/json", understood},
            {"[" + object + "1}}]", "application/json", understood},
            {words + "\r\n", "text/plain", understood},
            {"<html><body>" + words + "</body></html>", "text/html", ""},
            {"", "text/plain", ""}};
}

} // namespace

TEST_CASE("client faults: each status in each format has its error") {
    for (const Status& row : statuses) {
        ChatServer server;
        vlm::Exchange logged;
        OpenAiClient client({.endpoint = server.url() + "/v1?key=" + key,
                             .api_key = key,
                             .retries = no_retries,
                             .on_exchange = [&](const vlm::Exchange& e) { logged = e; }});
        for (const Shape& shape : shapes()) {
            for (const Listener listener : {Listener::none, Listener::to_deltas}) {
                CAPTURE(row.status, shape.body);
                server.enqueue(
                    {.status = row.status, .content_type = shape.content_type, .body = shape.body});
                const vlm::Error error = error_of([&] { reply_of(client, listener); });
                CHECK(error.code() == row.code);
                CHECK(error.retry() == row.retry);
                CHECK(error.status() == row.status);
                CHECK(error.server_message() == shape.server_message);
                CHECK_THAT(error.what(), ContainsSubstring(client.url() + " answered with status " +
                                                           std::to_string(row.status)) &&
                                             ContainsSubstring(row.remedy) &&
                                             ContainsSubstring(shape.server_message));
                CHECK_FALSE(mentions(error, key));
                CHECK_THAT(logged.url + logged.response_body + logged.error,
                           !ContainsSubstring(key));
            }
        }
        CHECK(server.connections() == 1); // the connection is kept after a failure
    }
}

// --- Streams ------------------------------------------------------------------------------------

namespace {

std::string event(const std::string& data) { return chunk("data: " + data + "\n\n"); }
const std::string word = event(R"({"choices":[{"index":0,"delta":{"content":"I"}}]})");
const std::string whole_stream =
    event(R"({"choices":[{"index":0,"delta":{"content":"better"},"finish_reason":"stop"}]})") +
    event("[DONE]") + chunk("");

struct StreamFault {
    std::string name;
    std::vector<vlm::testing::Part> rest; ///< of the stream
    errc code;
    Retry retry;
    std::string words;
    bool reset = false;
};

std::vector<StreamFault> stream_faults() {
    using enum errc;
    const std::string crash = R"({"error":{"message":"The model has crashed"}})";
    const std::string full =
        R"({"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}})";
    const std::string log = "log";
    return {
        {"reset", {""}, connection_lost, Retry::later, log, true},
        {"closed in a chunk", {"99\r\ndata: {"}, connection_lost, Retry::later, log, true},
        {"ended without a chunk", {chunk("")}, connection_lost, Retry::later, log},
        {"an empty delta and nothing more",
         {event(R"({"choices":[{"delta":{"content":""}}]})"), chunk("")},
         connection_lost,
         Retry::later,
         log},
        {"malformed chunks", {"xyz\r\n"}, bad_response, Retry::never, "is the port right"},
        {"an event that is not JSON", {event("oops " + key)}, bad_response, Retry::never, log},
        {"half of an event", {event(R"({"choices":[)")}, bad_response, Retry::never, log},
        {"10,000 levels", {event(std::string(10000, '['))}, bad_response, Retry::never, log},
        {"an event that is not an object",
         {event("7")},
         bad_response,
         Retry::never,
         "is the URL right"},
        {"an endless event",
         {Repeated{chunk(std::string(max_bytes / 8, 'x')), 10}, Gate()},
         response_too_large,
         Retry::never,
         "is this a model server?"},
        {"LM Studio's error",
         {chunk("event: error\ndata: " + crash + "\n\n"), chunk("")},
         server_error,
         Retry::once,
         "reload it"},
        {"llama-server's error",
         {event(full), chunk("")},
         context_overflow,
         Retry::never,
         "a longer context"},
        {"an older llama-server's error",
         {chunk("error: " + full + "\n\n"), chunk("")},
         context_overflow,
         Retry::never,
         "a longer context"},
        {"vLLM's error",
         {event(crash), event("[DONE]"), chunk("")},
         server_error,
         Retry::once,
         "reload it"},
        {"an old vLLM's error",
         {event(R"({"object":"error","message":"no, sorry"})"), event("[DONE]"), chunk("")},
         server_error,
         Retry::never,
         "no, sorry"},
        {"OpenRouter's error",
         {event(R"({"choices":[{"error":{"message":"no, sorry"},"finish_reason":"error"}]})")},
         server_error,
         Retry::never,
         "no, sorry"},
        {"an error text",
         {event(R"({"error":"no, sorry"})")},
         server_error,
         Retry::never,
         "no, sorry"},
        {"Gemini's error",
         {event(R"([{"error":{"message":"no, sorry"}}])")},
         server_error,
         Retry::never,
         "no, sorry"},
    };
}

Answer stream_answer(const StreamFault& fault, const std::string& before) {
    Answer answer;
    answer.parts = {chunked_head(), chunk(": ping\n\n") + before};
    answer.parts.insert(answer.parts.end(), fault.rest.begin(), fault.rest.end());
    answer.reset = fault.reset;
    return answer;
}

} // namespace

TEST_CASE("client faults: a stream that fails before its first delta is retried if that can help") {
    for (const StreamFault& fault : stream_faults()) {
        INFO(fault.name);
        ChatServer server;
        server.enqueue(stream_answer(fault, ""));
        server.enqueue(parts({chunked_head(), whole_stream}));
        std::vector<vlm::Exchange> log;
        OpenAiClient client({.endpoint = server.url(),
                             .api_key = key,
                             .idle_timeout = soon,
                             .max_response_bytes = max_bytes,
                             .retries = {.max_retries = 2, .first_delay = 1ms},
                             .on_exchange = [&](const vlm::Exchange& e) { log.push_back(e); }});
        std::string heard;
        if (fault.retry == Retry::never)
            CHECK(error_of([&] { reply_of(client, Listener::to_deltas, &heard); }).code() ==
                  fault.code);
        else
            CHECK(reply_of(client, Listener::to_deltas, &heard).text == "better");
        CHECK(heard == (fault.retry == Retry::never ? "" : "better"));
        REQUIRE(log.size() == (fault.retry == Retry::never ? 1 : 2));
        CHECK_THAT(log[0].error, ContainsSubstring(fault.words));
        CHECK_THAT(log[0].error + log[0].response_body, !ContainsSubstring(key));
    }
}

TEST_CASE("client faults: a stream that fails after its first delta is not retried") {
    for (const StreamFault& fault : stream_faults()) {
        INFO(fault.name);
        ChatServer server;
        server.enqueue(stream_answer(fault, word));
        server.enqueue(parts({chunked_head(), whole_stream}));
        OpenAiClient client({.endpoint = server.url(),
                             .api_key = key,
                             .idle_timeout = soon,
                             .max_response_bytes = max_bytes,
                             .retries = {.max_retries = 2, .first_delay = 1ms}});
        std::string heard;
        const vlm::Error error = error_of([&] { reply_of(client, Listener::to_deltas, &heard); });
        CHECK(error.code() == fault.code);
        CHECK(error.retry() == fault.retry);
        CHECK_THAT(error.what(), ContainsSubstring(fault.words));
        CHECK_FALSE(mentions(error, key));
        CHECK(heard == "I");
        CHECK(server.requests().size() == 1);
        CHECK(reply_of(client, Listener::to_deltas).text == "better");
    }
}

// --- Wrong types, everywhere --------------------------------------------------------------------

namespace {

namespace json = boost::json;

/// A completion with all fields that are read, and some unknown ones.
const std::string full_completion =
    R"({"id":"c1","object":"chat.completion","created":1,"model":"m",
"error":null,"system_fingerprint":"f","choices":[{"index":0,"finish_reason":"tool_calls",
"logprobs":null,"error":null,"message":{"role":"assistant","content":[{"type":"text","text":"Hi"},
"there",{"type":"thinking","text":"hm"}],"reasoning_content":"r","reasoning":"s","refusal":"no",
"tool_calls":[{"id":"a","type":"function","index":0,"extra":{"signature":"s"},"function":{
"name":"click","arguments":"{\"x\":1}","more":1}},{"id":"b","type":"function","function":{"name":
"click","arguments":{"x":2}}}],"function_call":{"name":"click","arguments":"{}"}}}],"usage":{
"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":1}},
"timings":{"cache_n":1,"prompt_n":2,"prompt_ms":0.5,"predicted_n":2,"predicted_ms":1.5}})";

/// The same as chunks of a stream.
const std::vector<std::string> full_chunks{
    R"({"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","error":null,"choices":[
{"index":0,"finish_reason":null,"error":null,"delta":{"role":"assistant","content":"Hi",
"reasoning_content":"r","reasoning":"s","refusal":"no","tool_calls":[{"index":0,"id":"a","type":
"function","extra":{"signature":"s"},"function":{"name":"click","arguments":"{\"x\"","more":1}}],
"function_call":{"name":"click","arguments":"{"}}}]})",
    R"({"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"there"}],"tool_calls":[
{"index":0,"function":{"name":"","arguments":":1}"}},{"id":"b","function":{"name":"click",
"arguments":{"x":2}}}],"function_call":{"arguments":"}"}}}]})",
    R"({"choices":[{"index":0,"message":{"content":"whole"},"delta":{},"finish_reason":"tool_calls"}],
"usage":{"prompt_tokens":3,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1}},
"timings":{"cache_n":1,"prompt_ms":0.5,"predicted_ms":1.5}})"};

/// JSON values of every type, and malformed ones, as text.
std::vector<std::string> wrong_values() {
    return {"null",
            "true",
            "false",
            "0",
            "-0",
            "-1",
            "1.5",
            "1e999",
            "-1e999",
            "1180591620717411303424",
            "NaN",
            R"("")",
            R"(" ")",
            R"("text")",
            R"("{\"x\":1}")",
            R"("\ud83d")",
            "\"\xFF\xC3\"",
            "\"\\u0000\"",
            "[]",
            "[null]",
            "[[]]",
            R"([{}])",
            R"(["text"])",
            "{}",
            R"({"a":1,"a":"b"})",
            R"({"message":7})",
            std::string(60, '[') + std::string(60, ']'),
            std::string(10000, '[') + std::string(10000, ']'),
            std::string(10000, '{')};
}

void collect_pointers(const json::value& value, const std::string& here,
                      std::vector<std::string>& into) {
    into.push_back(here);
    if (const json::object* object = value.if_object())
        for (const auto& [name, member] : *object)
            collect_pointers(member, here + '/' + std::string(name), into);
    if (const json::array* array = value.if_array())
        for (std::size_t i = 0; i < array->size(); ++i)
            collect_pointers((*array)[i], here + '/' + std::to_string(i), into);
}

/// Calls `use` with copies of `text` in which one value is replaced, for each value and
/// replacement.
template <class Use>
void for_each_wrong(const std::string& text, Use use) {
    const json::value right = json::parse(text);
    std::vector<std::string> pointers;
    collect_pointers(right, "", pointers);
    const std::string mark = "\"#mark#\"";
    for (const std::string& pointer : pointers) {
        json::value marked = right;
        marked.at_pointer(pointer) = "#mark#";
        const std::string printed = json::serialize(marked);
        for (const std::string& value : wrong_values()) {
            INFO(pointer << " is " << value.substr(0, 100));
            std::string wrong = printed;
            use(wrong.replace(wrong.find(mark), mark.size(), value));
        }
    }
}

bool is_utf8(const std::string& text) { return vlm::wire::valid_utf8(text) == text; }

/// Checks the guarantees that a reply gives.
void check_trustworthy(const vlm::ChatReply& reply) {
    REQUIRE(is_utf8(reply.text));
    REQUIRE(is_utf8(reply.reasoning));
    std::set<std::string> ids;
    for (const vlm::ToolCall& call : reply.tool_calls) {
        REQUIRE_FALSE(call.id.empty());
        REQUIRE_FALSE(call.name.empty());
        REQUIRE_FALSE(call.arguments_json.empty());
        REQUIRE(ids.insert(call.id).second);
    }
    for (const auto& count :
         {reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.completion_tokens})
        REQUIRE(count.value_or(0) >= 0);
    for (const auto& time : {reply.usage.prompt_ms, reply.usage.completion_ms})
        REQUIRE(time.value_or(0) >= 0);
    // The reply can be sent back.
    vlm::ChatRequest next = ask();
    next.messages.push_back(vlm::Message::assistant(reply.text, reply.tool_calls));
    REQUIRE(vlm::wire::parse_json(vlm::wire::encode_request(next)).has_value());
}

/// Returns whether `answered` gives a reply. Otherwise it must throw a vlm::Error; any other
/// exception fails the test.
template <class Answered>
bool is_reply(Answered answered) {
    try {
        check_trustworthy(answered());
        return true;
    } catch (const vlm::Error& error) {
        REQUIRE_FALSE(std::string_view(error.what()).empty());
        REQUIRE(error.code() != std::error_code());
        return false;
    }
}

} // namespace

TEST_CASE("client faults: a completion with a wrong value anywhere is a reply or an error") {
    ChatServer server;
    OpenAiClient client({.endpoint = server.url(), .retries = no_retries});
    server.enqueue(body(full_completion));
    REQUIRE(is_reply([&] { return client.reply(ask()); }));
    int replies = 0;
    int errors = 0;
    for_each_wrong(full_completion, [&](const std::string& wrong) {
        server.enqueue(body(wrong));
        ++(is_reply([&] { return client.reply(ask()); }) ? replies : errors);
    });
    // Most fields are minor, so most faults are tolerated, but not all.
    CHECK(replies > errors);
    CHECK(errors > 200);
    CHECK(server.connections() == 1);
}

TEST_CASE("client faults: a stream with a wrong value anywhere is a reply or an error") {
    ChatServer server;
    OpenAiClient client({.endpoint = server.url(), .retries = no_retries});
    const auto stream_with = [](std::size_t changed, const std::string& data) {
        std::string stream;
        for (std::size_t i = 0; i < full_chunks.size(); ++i)
            stream +=
                "data: " + (i == changed ? data : json::serialize(json::parse(full_chunks[i]))) +
                "\n\n";
        return body(stream + "data: [DONE]\n\n", "text/event-stream");
    };
    server.enqueue(stream_with(full_chunks.size(), ""));
    REQUIRE(is_reply([&] { return reply_of(client, Listener::to_deltas); }));
    int replies = 0;
    int errors = 0;
    for (std::size_t i = 0; i < full_chunks.size(); ++i)
        for_each_wrong(full_chunks[i], [&](const std::string& wrong) {
            server.enqueue(stream_with(i, wrong));
            ++(is_reply([&] { return reply_of(client, Listener::to_deltas); }) ? replies : errors);
        });
    CHECK(replies > errors);
    CHECK(errors > 200);
}

TEST_CASE("client faults: an error with a wrong value anywhere is an error") {
    ChatServer server;
    OpenAiClient client({.endpoint = server.url(), .retries = no_retries});
    for_each_wrong(
        R"([{"error":{"message":"m","type":"t","param":"p","code":"c","n_ctx":5,"n_prompt_tokens":)"
        R"(6}},{"object":"error","message":"exceeds the available context size"}])",
        [&](const std::string& wrong) {
            server.enqueue({.status = 400, .body = wrong});
            const vlm::Error error = error_of([&] { client.reply(ask()); });
            REQUIRE(error.status() == 400);
            REQUIRE(is_utf8(error.server_message()));
            REQUIRE(error.retry() == Retry::never);
        });
}

TEST_CASE("client faults: a list of models with a wrong value anywhere is a list or an error") {
    ChatServer server;
    OpenAiClient client({.endpoint = server.url(), .retries = no_retries});
    for_each_wrong(R"({"object":"list","data":[{"id":"a","object":"model"},{"id":"b"}]})",
                   [&](const std::string& wrong) {
                       server.enqueue(body(wrong));
                       try {
                           for (const std::string& id : client.models()) REQUIRE_FALSE(id.empty());
                       } catch (const vlm::Error& error) {
                           REQUIRE(error.code() == errc::bad_response);
                       }
                   });
}
