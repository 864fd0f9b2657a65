// A server over Streamable HTTP.
#include "test_client.hpp"

#include "eyehand/base/stoppable_wait.hpp"
#include "latch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <atomic>
#include <map>

using namespace eyehand;
using namespace eyehand::mcp;
namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

using HeaderMap = std::map<std::string, std::string>;
constexpr const char* both_types = "application/json, text/event-stream";

struct HttpAnswer {
    unsigned status = 0;
    HeaderMap fields; ///< names in lower case
    std::string body;

    [[nodiscard]] json::object json() const { return json::parse(body).as_object(); }
    /// The messages of a stream.
    [[nodiscard]] std::vector<json::object> events() const {
        std::vector<json::object> found;
        std::size_t at = 0;
        while ((at = body.find("data: ", at)) != std::string::npos) {
            at += 6;
            found.push_back(json::parse(body.substr(at, body.find('\n', at) - at)).as_object());
        }
        return found;
    }
};

/// One connection.
class HttpClient {
public:
    explicit HttpClient(const HttpEndpoint& endpoint) : port_(endpoint.port()) {
        socket_.connect({asio::ip::make_address("127.0.0.1"), port_});
    }

    void send(const std::string& method, const HeaderMap& fields, const std::string& body,
              const std::string& path = "/mcp") {
        std::string text = method + " " + path + " HTTP/1.1\r\n";
        HeaderMap all = fields;
        all.emplace("Host", "127.0.0.1:" + std::to_string(port_));
        if (method == "POST") {
            all.emplace("Content-Type", "application/json");
            all.emplace("Accept", both_types);
            all.emplace("Content-Length", std::to_string(body.size()));
        }
        for (const auto& [name, value] : all) text += name + ": " + value + "\r\n";
        asio::write(socket_, asio::buffer(text + "\r\n" + body));
    }
    HttpAnswer receive() {
        http::response_parser<http::string_body> parser;
        parser.body_limit(boost::none);
        boost::system::error_code error;
        http::read(socket_, buffer_, parser, error);
        if (error && error != http::error::end_of_stream) FAIL(error.message());
        HttpAnswer answer{
            .status = parser.get().result_int(), .fields = {}, .body = parser.get().body()};
        for (const auto& field : parser.get()) {
            std::string name(field.name_string());
            for (char& c : name)
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
            answer.fields[name] = std::string(field.value());
        }
        return answer;
    }
    void await_header() {
        while (!line().empty()) {
        }
    }
    /// Everything until the server disconnects.
    std::string rest() {
        while (fill()) {
        }
        return text_;
    }
    /// The next event of a stream.
    json::object next_event() {
        for (;;) {
            const std::string text = line();
            if (text.starts_with("data: ")) return json::parse(text.substr(6)).as_object();
        }
    }
    HttpAnswer ask(const std::string& method, const HeaderMap& fields = {},
                   const std::string& body = {}, const std::string& path = "/mcp") {
        send(method, fields, body, path);
        return receive();
    }
    void disconnect() { socket_.close(); }

private:
    bool fill() {
        std::array<char, 4096> part{};
        boost::system::error_code error;
        const std::size_t bytes = socket_.read_some(asio::buffer(part), error);
        text_.append(part.data(), bytes);
        return !error;
    }
    std::string line() {
        std::size_t end = 0;
        while ((end = text_.find('\n')) == std::string::npos) REQUIRE(fill());
        std::string text = text_.substr(0, end);
        text_.erase(0, end + 1);
        if (text.ends_with('\r')) text.pop_back();
        return text;
    }

    const std::uint16_t port_;
    asio::io_context context_;
    asio::ip::tcp::socket socket_{context_};
    boost::beast::flat_buffer buffer_;
    std::string text_; ///< of a stream: what has not been used
};

std::string request(std::string_view method, json::object params = {}, int id = 1) {
    return write_message(
        RpcRequest{.id = id, .method = std::string(method), .params = std::move(params)});
}

const std::string initialize_request =
    request("initialize", {{"protocolVersion", "2025-11-25"},
                           {"capabilities", {{"elicitation", json::object{}}}},
                           {"clientInfo", {{"name", "t"}, {"version", "1"}}}});

/// Header fields of a stateless request.
HeaderMap stateless_fields(const std::string& method, const std::string& name = {}) {
    HeaderMap fields{{"MCP-Protocol-Version", std::string(stateless_revision)},
                     {"Mcp-Method", method}};
    if (!name.empty()) fields["Mcp-Name"] = name;
    return fields;
}

std::string begin_session(const HttpEndpoint& endpoint) {
    const HttpAnswer answer = HttpClient(endpoint).ask("POST", {}, initialize_request);
    REQUIRE(answer.status == 200);
    return answer.fields.at("mcp-session-id");
}

ServerOptions http_options() { return {.name = "tests", .version = "1"}; }

void add_echo(Server& server) {
    server.add(simple_tool("echo", [](agent::JsonView arguments, Exchange& exchange) {
        exchange.progress(1);
        return text_result(arguments.text());
    }));
}

/// A tool that asks the user of the client.
void add_question(Server& server) {
    server.add(simple_tool("ask", [](agent::JsonView, Exchange& exchange) {
        const ElicitResult answer = exchange.elicit("q", "Who?", R"({"type":"object"})");
        return text_result(answer.content_json);
    }));
}

} // namespace

TEST_CASE("a session over HTTP lasts from initialize to DELETE") {
    Server server(http_options());
    test::Latch ended(1);
    server.on_session_end([&](const std::string&) { ended.count_down(); });
    const HttpEndpoint endpoint(server, {});
    const std::string session = begin_session(endpoint);
    HttpClient client(endpoint);
    const HeaderMap fields{{"Mcp-Session-Id", session}, {"MCP-Protocol-Version", "2025-11-25"}};
    CHECK(client.ask("POST", fields, R"({"jsonrpc":"2.0","method":"notifications/initialized"})")
              .status == 202);
    CHECK(client.ask("POST", fields, request("tools/list")).json().contains("result"));
    CHECK(client.ask("DELETE", fields).status == 204);
    ended.wait();
    CHECK(client.ask("POST", fields, request("tools/list")).status == 404);
    CHECK(client.ask("DELETE", fields).status == 404);
    CHECK(client.ask("POST", {}, request("tools/list")).status == 400);
}

TEST_CASE("a request over HTTP must have the right form") {
    Server server(http_options());
    const HttpEndpoint endpoint(server, {});
    const std::string session = begin_session(endpoint);
    const auto status = [&](const std::string& method, const HeaderMap& fields,
                            const std::string& body, const std::string& path = "/mcp") {
        return HttpClient(endpoint).ask(method, fields, body, path).status;
    };
    const std::string list = request("tools/list");
    CHECK(status("POST", {}, list, "/other") == 404);
    CHECK(status("PUT", {}, {}) == 405);
    CHECK(status("GET", {}, {}) == 405);
    CHECK(status("GET", {{"Mcp-Session-Id", session}, {"Accept", "text/html"}}, {}) == 406);
    CHECK(status("GET", {{"Mcp-Session-Id", "other"}, {"Accept", "text/event-stream"}}, {}) == 404);
    CHECK(status("POST", {{"Content-Type", "text/plain"}}, list) == 415);
    CHECK(status("POST", {{"Accept", "application/json"}}, list) == 406);
    CHECK(status("POST", {{"MCP-Protocol-Version", "1999-01-01"}}, list) == 400);
    CHECK(status("POST", {}, "{") == 400);
    CHECK(status("POST", {}, "[" + list + "]") == 400);
    CHECK(status("POST", {}, "{\"a\":\"\xFF\"}") == 400);
    CHECK(status("POST", {{"Host", "evil.example.com"}}, initialize_request) == 403);
    CHECK(status("POST", {{"Origin", "http://evil.example.com"}}, initialize_request) == 403);
    CHECK(status("POST", {{"Host", "localhost:" + std::to_string(endpoint.port())}},
                 initialize_request) == 200);
}

TEST_CASE("a body that is too long is refused before it is read") {
    ServerOptions options = http_options();
    options.max_message_bytes = 1000;
    Server server(options);
    const HttpEndpoint endpoint(server, {});
    HttpClient client(endpoint);
    client.send("POST", {{"Content-Length", "100000000"}}, {});
    CHECK(client.receive().status == 413);
}

TEST_CASE("a server with a token answers only clients that have it") {
    Server server(http_options());
    const HttpEndpoint endpoint(server, {.token = "secret"});
    CHECK(HttpClient(endpoint).ask("POST", {}, initialize_request).status == 401);
    CHECK(HttpClient(endpoint)
              .ask("POST", {{"Authorization", "Bearer wrong"}}, initialize_request)
              .status == 401);
    CHECK(HttpClient(endpoint)
              .ask("POST", {{"Authorization", "Bearer secret"}}, initialize_request)
              .status == 200);
    CHECK_THROWS_AS(HttpEndpoint(server, {.host = "0.0.0.0"}), Error);
    CHECK_THROWS_AS(HttpEndpoint(server, {.port = endpoint.port()}), Error);
}

TEST_CASE("the session that has been idle the longest makes room for another one") {
    Server server(http_options());
    const HttpEndpoint endpoint(server, {.max_sessions = 2});
    const std::string first = begin_session(endpoint);
    const std::string second = begin_session(endpoint);
    const auto status = [&](const std::string& session) {
        return HttpClient(endpoint)
            .ask("POST", {{"Mcp-Session-Id", session}}, request("tools/list"))
            .status;
    };
    CHECK(status(first) == 200);
    const std::string third = begin_session(endpoint);
    CHECK(status(first) == 200);
    CHECK(status(second) == 404);
    CHECK(status(third) == 200);
}

TEST_CASE("notifications of a request make its answer a stream") {
    Server server(http_options());
    add_echo(server);
    const HttpEndpoint endpoint(server, {});
    json::object params = stateless({{"name", "echo"}, {"arguments", {{"a", 1}}}});
    SECTION("which is a document without them") {
        const HttpAnswer answer = HttpClient(endpoint).ask(
            "POST", stateless_fields("tools/call", "echo"), request("tools/call", params));
        CHECK(answer.fields.at("content-type") == "application/json");
        CHECK(answer.json().at("result").at("resultType") == "complete");
    }
    SECTION("which ends with the result") {
        params.at("_meta").as_object()["progressToken"] = 5;
        const HttpAnswer answer = HttpClient(endpoint).ask(
            "POST", stateless_fields("tools/call", "echo"), request("tools/call", params));
        CHECK(answer.fields.at("content-type").starts_with("text/event-stream"));
        const auto events = answer.events();
        REQUIRE(events.size() == 2);
        CHECK(events[0].at("params").at("progressToken") == 5);
        CHECK(events[1].contains("result"));
    }
}

TEST_CASE("a connection can be used for several requests") {
    Server server(http_options());
    add_echo(server);
    const HttpEndpoint endpoint(server, {});
    HttpClient client(endpoint);
    for (int i = 0; i < 20; ++i) {
        const HttpAnswer answer = client.ask(
            "POST", stateless_fields("tools/call", "echo"),
            request("tools/call", stateless({{"name", "echo"}, {"arguments", {{"i", i}}}}), i));
        CHECK(answer.json().at("id") == i);
    }
}

TEST_CASE("the header fields of a stateless request must match its message") {
    Server server(http_options());
    add_echo(server);
    server.add(Tool{.name = "where",
                    .input_schema_json = R"({"type":"object","properties":{"at":{"type":"object",
                        "properties":{"n":{"type":"integer","x-mcp-header":"Number"}}}}})",
                    .call = [](agent::JsonView, Exchange&) { return text_result("here"); }});
    const HttpEndpoint endpoint(server, {});
    const auto code = [&](HeaderMap fields, const HeaderMap& changes, const std::string& body) {
        for (const auto& [name, value] : changes) {
            fields.erase(name);
            if (!value.empty()) fields[name] = value;
        }
        const HttpAnswer answer = HttpClient(endpoint).ask("POST", fields, body);
        const json::object message = answer.json();
        if (message.contains("result")) return std::int64_t{0};
        CHECK(answer.status == 400);
        CHECK(message.at("id") == 1);
        return message.at("error").at("code").as_int64();
    };
    const HeaderMap fields = stateless_fields("tools/call", "echo");
    const std::string call =
        request("tools/call", stateless({{"name", "echo"}, {"arguments", json::object{}}}));
    CHECK(code(fields, {}, call) == 0);
    CHECK(code(fields, {{"Mcp-Name", "=?base64?ZWNobw==?="}}, call) == 0);
    CHECK(code(fields, {{"Mcp-Name", ""}}, call) == -32020);
    CHECK(code(fields, {{"Mcp-Name", "other"}}, call) == -32020);
    CHECK(code(fields, {{"Mcp-Name", "=?base64?!?="}}, call) == -32020);
    CHECK(code(fields, {{"Mcp-Method", ""}}, call) == -32020);
    CHECK(code(fields, {{"Mcp-Method", "TOOLS/CALL"}}, call) == -32020);
    CHECK(code(fields, {{"MCP-Protocol-Version", ""}}, call) == -32020);
    CHECK(code(fields, {{"MCP-Protocol-Version", "2025-11-25"}}, call) == -32020);
    CHECK(code(fields, {}, request("tools/call", {{"name", "echo"}})) == rpc_code::invalid_params);

    const HeaderMap where = stateless_fields("tools/call", "where");
    const std::string at_42 =
        request("tools/call", stateless({{"name", "where"}, {"arguments", {{"at", {{"n", 42}}}}}}));
    CHECK(code(where, {{"Mcp-Param-Number", "42"}}, at_42) == 0);
    CHECK(code(where, {{"Mcp-Param-Number", "42.0"}}, at_42) == 0);
    CHECK(code(where, {{"Mcp-Param-Number", "43"}}, at_42) == -32020);
    CHECK(code(where, {}, at_42) == -32020);

    const HeaderMap get = stateless_fields("tasks/get", "x");
    const std::string state = request("tasks/get", stateless({{"taskId", "x"}}, knows_tasks));
    CHECK(code(get, {{"Mcp-Name", "other"}}, state) == -32020);
    CHECK(HttpClient(endpoint).ask("POST", get, state).json().at("error").at("code") ==
          rpc_code::invalid_params); // no such task
    HeaderMap list = stateless_fields("tasks/list", "");
    list.erase("Mcp-Name");
    CHECK(HttpClient(endpoint)
              .ask("POST", list, request("tasks/list", stateless({}, knows_tasks)))
              .json()
              .at("error")
              .at("code") == rpc_code::method_not_found);
}

TEST_CASE("a task over HTTP goes on after its request, until the endpoint ends") {
    Server server(http_options());
    test::Latch stopped(1);
    server.add(simple_tool("work", [&](agent::JsonView, Exchange& exchange) {
        exchange.continue_as_task();
        (void)base::wait_for(std::chrono::milliseconds::max(), exchange.stop());
        stopped.count_down();
        return text_result("stopped");
    }));
    {
        const HttpEndpoint endpoint(server, {});
        const json::object created =
            HttpClient(endpoint)
                .ask("POST", stateless_fields("tools/call", "work"),
                     request("tools/call", stateless({{"name", "work"}}, knows_tasks)))
                .json();
        const std::string id(created.at("result").at("taskId").as_string());
        const json::object state =
            HttpClient(endpoint)
                .ask("POST", stateless_fields("tasks/get", id),
                     request("tasks/get", stateless({{"taskId", id}}, knows_tasks)))
                .json();
        CHECK(state.at("result").at("status") == "working");
    }
    stopped.wait();
}

TEST_CASE("a stateless client that disconnects stops its request") {
    Server server(http_options());
    test::Latch started(1);
    test::Latch stopped(1);
    server.add(simple_tool("wait", [&](agent::JsonView, Exchange& exchange) {
        started.count_down();
        (void)base::wait_for(std::chrono::milliseconds::max(), exchange.stop());
        stopped.count_down();
        return text_result("late");
    }));
    const HttpEndpoint endpoint(server, {});
    HttpClient client(endpoint);
    client.send("POST", stateless_fields("tools/call", "wait"),
                request("tools/call", stateless({{"name", "wait"}})));
    started.wait();
    client.disconnect();
    stopped.wait();
    CHECK(HttpClient(endpoint)
              .ask("POST", stateless_fields("tools/list"), request("tools/list", stateless()))
              .status == 200);
}

TEST_CASE("a client with a session is asked on the stream of its request") {
    Server server(http_options());
    add_question(server);
    const HttpEndpoint endpoint(server, {});
    const std::string session = begin_session(endpoint);
    HttpClient client(endpoint);
    client.send("POST", {{"Mcp-Session-Id", session}}, request("tools/call", {{"name", "ask"}}, 7));
    const json::object asked = client.next_event();
    CHECK(asked.at("method") == "elicitation/create");
    json::object answer{{"jsonrpc", "2.0"},
                        {"id", asked.at("id")},
                        {"result", {{"action", "accept"}, {"content", {{"name", "Ann"}}}}}};
    CHECK(HttpClient(endpoint)
              .ask("POST", {{"Mcp-Session-Id", session}}, json::serialize(answer))
              .status == 202);
    const json::object result = client.next_event();
    CHECK(result.at("id") == 7);
    CHECK(result.at("result").at("content").at(0).at("text") == R"({"name":"Ann"})");
}

TEST_CASE("a malformed response over HTTP ends the question") {
    Server server(http_options());
    add_question(server);
    const HttpEndpoint endpoint(server, {});
    const std::string session = begin_session(endpoint);
    HttpClient client(endpoint);
    client.send("POST", {{"Mcp-Session-Id", session}}, request("tools/call", {{"name", "ask"}}, 7));
    const json::object asked = client.next_event();
    const json::object answer{{"jsonrpc", "2.0"}, {"id", asked.at("id")}, {"result", nullptr}};
    CHECK(HttpClient(endpoint)
              .ask("POST", {{"Mcp-Session-Id", session}}, json::serialize(answer))
              .status == 400);
    const json::object result = client.next_event();
    CHECK(result.at("id") == 7);
    CHECK(result.at("result").at("isError") == true);
}

TEST_CASE("a stream of a session receives what belongs to no request") {
    Server server(http_options());
    const HttpEndpoint endpoint(server, {});
    const std::string session = begin_session(endpoint);
    const HeaderMap fields{{"Mcp-Session-Id", session}, {"Accept", "text/event-stream"}};
    CHECK(HttpClient(endpoint)
              .ask("POST", {{"Mcp-Session-Id", session}},
                   R"({"jsonrpc":"2.0","method":"notifications/initialized"})")
              .status == 202);
    HttpClient older(endpoint);
    older.send("GET", fields, {});
    older.await_header();
    HttpClient client(endpoint);
    client.send("GET", fields, {});
    client.await_header();
    add_echo(server);
    CHECK(client.next_event().at("method") == "notifications/tools/list_changed");
    CHECK(older.rest().find("list_changed") == std::string::npos); // replaced: it has ended
}

TEST_CASE("a subscription over HTTP is a stream that the end of the server ends") {
    Server server(http_options());
    auto endpoint = std::make_unique<HttpEndpoint>(server, HttpOptions{});
    HttpClient client(*endpoint);
    client.send("POST", stateless_fields("subscriptions/listen"),
                request("subscriptions/listen",
                        stateless({{"notifications", {{"toolsListChanged", true}}}})));
    CHECK(client.next_event().at("method") == "notifications/subscriptions/acknowledged");
    add_echo(server);
    CHECK(client.next_event().at("method") == "notifications/tools/list_changed");
    endpoint.reset();
    CHECK(client.next_event().at("result").at("resultType") == "complete");
}

TEST_CASE("the end of an endpoint waits for the requests of a session that was deleted") {
    Server server(http_options());
    test::Latch started(1);
    test::Latch deleted(1);
    std::atomic<bool> finished = false;
    server.add(simple_tool("work", [&](agent::JsonView, Exchange&) {
        started.count_down();
        deleted.wait();
        finished = true;
        return text_result("late");
    }));
    auto endpoint = std::make_unique<HttpEndpoint>(server, HttpOptions{});
    const std::string session = begin_session(*endpoint);
    HttpClient client(*endpoint);
    client.send("POST", {{"Mcp-Session-Id", session}}, request("tools/call", {{"name", "work"}}));
    started.wait();
    CHECK(HttpClient(*endpoint).ask("DELETE", {{"Mcp-Session-Id", session}}).status == 204);
    deleted.count_down();
    endpoint.reset();
    CHECK(finished.load());
}

TEST_CASE("an endpoint can be destroyed while requests run and clients wait") {
    Server server(http_options());
    test::Latch started(2);
    server.add(simple_tool("wait", [&](agent::JsonView, Exchange& exchange) {
        started.count_down();
        (void)base::wait_for(std::chrono::milliseconds::max(), exchange.stop());
        return text_result("late");
    }));
    auto endpoint = std::make_unique<HttpEndpoint>(server, HttpOptions{});
    const std::string session = begin_session(*endpoint);
    HttpClient modern(*endpoint);
    modern.send("POST", stateless_fields("tools/call", "wait"),
                request("tools/call", stateless({{"name", "wait"}})));
    HttpClient legacy(*endpoint);
    legacy.send("POST", {{"Mcp-Session-Id", session}}, request("tools/call", {{"name", "wait"}}));
    started.wait();
    endpoint.reset();
}
