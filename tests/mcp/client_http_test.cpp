// The client and a server that is reached by HTTP.
#include "client/conversation.hpp"
#include "eyehand/mcp/client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"

#include "json/json.hpp"

#include "catch.hpp"
#include "eventually.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>

using namespace eyehand;
using vlm::testing::Answer;
using vlm::testing::ReceivedRequest;

namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

/// A server of HTTP whose answers a test computes from the messages of the client.
class HttpServer {
public:
    /// Returns the answer to a request of the protocol; nothing: an answer that `default_answer` gives.
    using Handle = std::function<std::optional<Answer>(
        const std::string& method, const json::object& message, const ReceivedRequest& request)>;

    HttpServer(std::string revision, Handle handle)
        : revision_(std::move(revision)), handle_(std::move(handle)),
          server_(
              {.respond = [this](const ReceivedRequest& request) { return respond(request); }}) {}

    [[nodiscard]] mcp::ClientOptions options() const {
        mcp::ClientOptions options{.name = "web", .url = server_.url() + "/mcp"};
        options.connect_timeout = 60s; // only to catch hangs
        options.call_timeout = 60s;
        return options;
    }
    [[nodiscard]] std::vector<ReceivedRequest> requests() const { return server_.requests(); }
    [[nodiscard]] vlm::testing::ChatServer& server() { return server_; }
    /// The methods of the messages so far, and those of HTTP for other requests.
    [[nodiscard]] std::string methods() const {
        std::string all;
        for (const ReceivedRequest& request : requests()) {
            if (!all.empty()) all += ' ';
            const auto message = agent::parse_json(request.body);
            if (request.method != "POST")
                all += request.method;
            else if (message->as_object().contains("method"))
                all += message->at("method").as_string();
            else
                all += "answer";
        }
        return all;
    }

private:
    Answer respond(const ReceivedRequest& request) {
        static const json::object none;
        const auto message = agent::parse_json(request.body.empty() ? "{}" : request.body);
        const json::object& object = message->as_object();
        const json::value* member = object.if_contains("method");
        const std::string method = member != nullptr ? std::string(member->as_string()) : "";
        if (std::optional<Answer> answer = handle_(method, object, request)) return *answer;
        return default_answer(method, object, request);
    }
    Answer default_answer(const std::string& method, const json::object& message,
                          const ReceivedRequest& request) const;

    std::string revision_;
    Handle handle_;
    vlm::testing::ChatServer server_;
};

Answer result(const json::object& message, json::object result) {
    return {.body = json::serialize(json::object{
                {"jsonrpc", "2.0"}, {"id", message.at("id")}, {"result", std::move(result)}})};
}

Answer error(const json::object& message, int code, int status, json::object data = {}) {
    json::object details{{"code", code}, {"message", "no"}};
    if (!data.empty()) details["data"] = std::move(data);
    return {.status = status,
            .body = json::serialize(json::object{
                {"jsonrpc", "2.0"}, {"id", message.at("id")}, {"error", std::move(details)}})};
}

json::object text_result_json(const std::string& text) {
    return {{"content", json::array{json::object{{"type", "text"}, {"text", text}}}}};
}

/// One event for each message.
std::string events(const std::vector<json::object>& messages) {
    std::string all;
    for (const json::object& message : messages)
        all += "data: " + json::serialize(message) + "\n\n";
    return all;
}

Answer HttpServer::default_answer(const std::string& method, const json::object& message,
                                  const ReceivedRequest& request) const {
    const bool stateless = revision_ >= "2026";
    if (request.method != "POST") return {.status = 405};
    if (!message.contains("id")) return {.status = 202};
    if (method == "server/discover" && stateless)
        return result(message, {{"supportedVersions", json::array{revision_}},
                                {"capabilities", json::object()}});
    if (method == "initialize" && !stateless)
        return result(message, {{"protocolVersion", revision_}, {"capabilities", json::object()}});
    if (method == "tools/list")
        return result(
            message,
            {{"tools", json::array{json::object{
                           {"name", "echo"}, {"inputSchema", json::object{{"type", "object"}}}}}}});
    if (method == "tools/call")
        return result(message,
                      text_result_json(json::serialize(message.at("params").at("arguments"))));
    if (method == "server/discover") return {.status = 400, .body = "Bad Request: no session"};
    return error(message, -32601, 404);
}

std::string text_of(const mcp::CallResult& result) {
    return std::get<mcp::Text>(result.content.at(0)).text;
}

mcp::errc code_of(mcp::Client& client, const std::string& tool = "echo") {
    try {
        (void)client.call(tool, "{}");
    } catch (const mcp::Error& failure) {
        UNSCOPED_INFO(failure.what());
        return static_cast<mcp::errc>(failure.code().value());
    }
    return {};
}

std::optional<Answer> usual(const std::string&, const json::object&, const ReceivedRequest&) {
    return std::nullopt;
}

} // namespace

TEST_CASE("A stateless server receives no initialize, and each request says what it is") {
    HttpServer server("2026-07-28", usual);
    mcp::ClientOptions options = server.options();
    options.headers = {{"Authorization", "Bearer key"}};
    mcp::Client client(std::move(options));
    CHECK(text_of(client.call("echo", R"({"a":"b"})")) == R"({"a":"b"})");
    CHECK(client.revision() == "2026-07-28");
    CHECK(server.methods() == "server/discover tools/list tools/call");
    const ReceivedRequest request = server.requests().back();
    CHECK(request.headers.at("mcp-protocol-version") == "2026-07-28");
    CHECK(request.headers.at("mcp-method") == "tools/call");
    CHECK(request.headers.at("mcp-name") == "echo");
    CHECK(request.headers.at("authorization") == "Bearer key");
    CHECK_THAT(request.headers.at("accept"),
               ContainsSubstring("application/json") && ContainsSubstring("text/event-stream"));
    const auto message = agent::parse_json(request.body);
    const json::object& meta = message->at("params").at("_meta").as_object();
    CHECK(meta.at("io.modelcontextprotocol/protocolVersion") == "2026-07-28");
    CHECK(meta.at("io.modelcontextprotocol/clientInfo").at("name") == "eyehand");
    CHECK(meta.contains("io.modelcontextprotocol/clientCapabilities"));
}

TEST_CASE("An older server receives initialize, and keeps its session until the end") {
    HttpServer server("2025-06-18",
                      [](const std::string& method, const json::object& message,
                         const ReceivedRequest&) -> std::optional<Answer> {
                          if (method != "initialize") return std::nullopt;
                          Answer answer = result(message, {{"protocolVersion", "2025-06-18"}});
                          answer.headers["Mcp-Session-Id"] = "one";
                          return answer;
                      });
    {
        mcp::Client client(server.options());
        CHECK(text_of(client.call("echo", "{}")) == "{}");
        CHECK(client.revision() == "2025-06-18");
    }
    CHECK(server.methods() ==
          "server/discover initialize notifications/initialized tools/call DELETE");
    const auto requests = server.requests();
    CHECK_FALSE(requests[1].headers.contains("mcp-protocol-version"));
    for (std::size_t i = 2; i < requests.size(); ++i) {
        CHECK(requests[i].headers.at("mcp-session-id") == "one");
        CHECK(requests[i].headers.at("mcp-protocol-version") == "2025-06-18");
        CHECK_FALSE(requests[i].headers.contains("mcp-method"));
    }
}

TEST_CASE("A forgotten session is replaced, and the call repeated") {
    std::atomic<int> sessions{0};
    HttpServer server("2025-11-25",
                      [&](const std::string& method, const json::object& message,
                          const ReceivedRequest& request) -> std::optional<Answer> {
                          if (method == "initialize") {
                              Answer answer = result(message, {{"protocolVersion", "2025-11-25"}});
                              answer.headers["Mcp-Session-Id"] = std::to_string(++sessions);
                              return answer;
                          }
                          if (method == "tools/call" && request.headers.at("mcp-session-id") == "1")
                              return Answer{.status = 404};
                          return std::nullopt;
                      });
    mcp::Client client(server.options());
    CHECK(text_of(client.call("echo", "{}")) == "{}");
    CHECK(sessions == 2);
}

TEST_CASE("Only errors of the stateless revisions keep the client from initialize") {
    HttpServer newer(
        "2026-07-28",
        [](const std::string& method, const json::object& message,
           const ReceivedRequest&) -> std::optional<Answer> {
            if (method != "server/discover") return std::nullopt;
            return error(message, -32022, 400, {{"supported", json::array{"2027-01-01"}}});
        });
    mcp::Client to_newer(newer.options());
    CHECK(code_of(to_newer) == mcp::errc::not_supported);
    CHECK(newer.methods() == "server/discover");

    HttpServer both(
        "2025-11-25",
        [](const std::string& method, const json::object& message,
           const ReceivedRequest&) -> std::optional<Answer> {
            if (method != "server/discover") return std::nullopt;
            return error(message, -32022, 400, {{"supported", json::array{"2025-11-25"}}});
        });
    mcp::Client to_both(both.options());
    CHECK(code_of(to_both) == mcp::errc{});
    CHECK(to_both.revision() == "2025-11-25");

    HttpServer refuses("2025-11-25",
                       [](const std::string&, const json::object&, const ReceivedRequest&)
                           -> std::optional<Answer> { return Answer{.status = 401}; });
    mcp::Client without_key(refuses.options());
    CHECK(code_of(without_key) == mcp::errc::unreachable);
    CHECK(refuses.methods() == "server/discover");
}

TEST_CASE("An answer may be a stream with progress and requests of the server") {
    HttpServer server(
        "2025-11-25",
        [](const std::string& method, const json::object& message,
           const ReceivedRequest&) -> std::optional<Answer> {
            if (method != "tools/call") return std::nullopt;
            const json::value token = message.at("params").at("_meta").at("progressToken");
            return Answer{
                .content_type = "text/event-stream",
                .body =
                    ": a comment\n\n" +
                    events({{{"jsonrpc", "2.0"},
                             {"method", "notifications/progress"},
                             {"params", json::object{{"progressToken", token}, {"progress", 0.5}}}},
                            {{"jsonrpc", "2.0"}, {"id", 7}, {"method", "ping"}},
                            {{"jsonrpc", "2.0"},
                             {"id", message.at("id")},
                             {"result", text_result_json("done")}}})};
        });
    mcp::Client client(server.options());
    double done = 0;
    CHECK(text_of(client.call("echo", "{}", {}, [&](const mcp::Progress& progress) {
              done = progress.done;
          })) == "done");
    CHECK(done == 0.5);
    CHECK(test::eventually([&] { return server.methods().find("answer") != std::string::npos; }));
    CHECK_THAT(server.requests().back().body, ContainsSubstring(R"("id":7,"result":{})"));
}

TEST_CASE("The rest of an answer is requested if its stream ends early") {
    HttpServer server(
        "2025-11-25",
        [](const std::string& method, const json::object& message,
           const ReceivedRequest& request) -> std::optional<Answer> {
            if (method == "tools/call")
                return Answer{.content_type = "text/event-stream",
                              .body = "id: " + std::to_string(message.at("id").as_int64()) +
                                      "\nretry: 10\ndata:\n\n"};
            if (request.method == "GET")
                return Answer{.content_type = "text/event-stream",
                              .body =
                                  events({{{"jsonrpc", "2.0"},
                                           {"id", std::stoll(request.headers.at("last-event-id"))},
                                           {"result", text_result_json("late")}}})};
            return std::nullopt;
        });
    mcp::Client client(server.options());
    CHECK(text_of(client.call("echo", "{}")) == "late");
}

TEST_CASE("A stopped call closes its connection; an older server is told") {
    for (const std::string revision : {"2026-07-28", "2025-11-25"}) {
        CAPTURE(revision);
        std::atomic<bool> called{false};
        std::atomic<bool> disconnected{false};
        HttpServer server(revision,
                          [&](const std::string& method, const json::object&,
                              const ReceivedRequest&) -> std::optional<Answer> {
                              if (method != "tools/call") return std::nullopt;
                              called = true;
                              return Answer{.never = true,
                                            .on_disconnect = [&] { disconnected = true; }};
                          });
        mcp::Client client(server.options());
        std::stop_source stop;
        std::jthread stopper([&] {
            (void)test::eventually([&] { return called.load(); });
            stop.request_stop();
        });
        try {
            (void)client.call("echo", "{}", stop.get_token());
            FAIL("it returned");
        } catch (const mcp::Error& failure) {
            CHECK(failure.code() == mcp::errc::cancelled);
        }
        CHECK(test::eventually([&] { return disconnected.load(); }));
        if (revision == "2025-11-25")
            CHECK(test::eventually([&] {
                return server.methods().find("notifications/cancelled") != std::string::npos;
            }));
    }
}

TEST_CASE("What a server of HTTP does wrong is an error with a category") {
    std::mutex mutex; // the answer belongs to the server's thread, too
    Answer wrong;
    const auto answer_with = [&](Answer next) {
        const std::lock_guard lock(mutex);
        wrong = std::move(next);
    };
    HttpServer server("2026-07-28",
                      [&](const std::string& method, const json::object&,
                          const ReceivedRequest&) -> std::optional<Answer> {
                          const std::lock_guard lock(mutex);
                          return method == "tools/call" ? std::optional(wrong) : std::nullopt;
                      });
    mcp::ClientOptions options = server.options();
    options.max_message_bytes = 100000;
    mcp::Client client(options);
    answer_with({.body = "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"});
    CHECK(code_of(client) == mcp::errc::bad_message);
    answer_with({.content_type = "text/html", .body = "<html>"});
    CHECK(code_of(client) == mcp::errc::bad_message);
    answer_with({.status = 500, .body = "oops"});
    CHECK(code_of(client) == mcp::errc::bad_message);
    answer_with({.body = "{}", .cut_after = 0});
    CHECK(code_of(client) == mcp::errc::connection_lost);
    answer_with({.content_type = "text/event-stream", .body = ": nothing\n\n"});
    CHECK(code_of(client) == mcp::errc::connection_lost);
    using vlm::testing::Repeated;
    answer_with({.parts = {vlm::testing::chunked_head("application/json"),
                           Repeated{vlm::testing::chunk(std::string(10000, 'x')), 10000}}});
    CHECK(code_of(client) == mcp::errc::message_too_large);
    answer_with({.parts = {vlm::testing::chunked_head(), vlm::testing::chunk("data: "),
                           Repeated{vlm::testing::chunk(std::string(10000, 'x')), 10000}}});
    CHECK(code_of(client) == mcp::errc::message_too_large);
    answer_with({.never = true});
    options.call_timeout = 200ms;
    mcp::Client impatient(options);
    CHECK(code_of(impatient) == mcp::errc::timeout);
    // Comments keep a stream open, but do not extend the time.
    answer_with({.parts = {vlm::testing::chunked_head(),
                           Repeated{vlm::testing::chunk(": still here\n\n"), 1000000000}}});
    CHECK(code_of(impatient) == mcp::errc::timeout);
    server.server().stop_listening();
    CHECK(code_of(client) == mcp::errc::unreachable);
}

TEST_CASE("Arguments that a schema marks become headers, and invalid marks exclude a tool") {
    const auto schema_with = [](const json::value& property) {
        return json::object{{"type", "object"}, {"properties", json::object{{"x", property}}}};
    };
    HttpServer server(
        "2026-07-28",
        [&](const std::string& method, const json::object& message,
            const ReceivedRequest&) -> std::optional<Answer> {
            if (method != "tools/list") return std::nullopt;
            json::array tools;
            tools.push_back(json::object{
                {"name", "good"},
                {"inputSchema", schema_with({{"type", "string"}, {"x-mcp-header", "Region"}})}});
            tools.push_back(json::object{
                {"name", "number"},
                {"inputSchema", schema_with({{"type", "number"}, {"x-mcp-header", "Region"}})}});
            tools.push_back(json::object{
                {"name", "blank"},
                {"inputSchema", schema_with({{"type", "string"}, {"x-mcp-header", "a b"}})}});
            tools.push_back(json::object{
                {"name", "inside"},
                {"inputSchema",
                 schema_with(
                     {{"type", "array"},
                      {"items", json::object{{"type", "string"}, {"x-mcp-header", "Region"}}}})}});
            return result(message, {{"tools", std::move(tools)}});
        });
    mcp::Client client(server.options());
    const auto header_for = [&](const std::string& arguments) {
        (void)client.call("good", arguments);
        const auto headers = server.requests().back().headers;
        const auto found = headers.find("mcp-param-region");
        return found != headers.end() ? found->second : "none";
    };
    CHECK(header_for(R"({"x":"us-west1"})") == "us-west1");
    CHECK(header_for(R"({"x":" padded "})") == "=?base64?IHBhZGRlZCA=?=");
    CHECK(header_for(R"({"x":"a\nb"})") == "=?base64?YQpi?=");
    CHECK(header_for(R"({"x":"=?base64?literal?="})") == "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    CHECK(header_for(R"({"x":null})") == "none");
    CHECK(header_for("{}") == "none");
    REQUIRE(client.tools().size() == 1);
    CHECK(client.tools()[0].name == "good");
}

TEST_CASE("A change of the tools is reported by a stream of its own") {
    for (const std::string revision : {"2026-07-28", "2025-11-25"}) {
        CAPTURE(revision);
        HttpServer server(
            revision,
            [](const std::string& method, const json::object&,
               const ReceivedRequest& request) -> std::optional<Answer> {
                if (method != "subscriptions/listen" && request.method != "GET")
                    return std::nullopt;
                vlm::testing::Gate never;
                return Answer{.parts = {vlm::testing::chunked_head(),
                                        vlm::testing::chunk(events(
                                            {{{"jsonrpc", "2.0"},
                                              {"method", "notifications/tools/list_changed"}}})),
                                        never}};
            });
        mcp::Client client(server.options());
        std::atomic<int> changes{0};
        client.on_tools_changed([&] { ++changes; });
        CHECK(client.tools().size() == 1);
        CHECK(test::eventually([&] { return changes > 0; }));
    }
}

TEST_CASE("Requests to an older server wait until it can ask the user") {
    vlm::testing::Gate head;
    std::atomic<bool> listed{false};
    HttpServer server("2025-11-25",
                      [&](const std::string& method, const json::object&,
                          const ReceivedRequest& request) -> std::optional<Answer> {
                          if (method == "tools/list") listed = true;
                          if (request.method != "GET") return std::nullopt;
                          vlm::testing::Gate never;
                          return Answer{.parts = {head, vlm::testing::chunked_head(), never}};
                      });
    mcp::ClientOptions options = server.options();
    options.on_elicit = [](const std::string&, const std::string&) { return mcp::ElicitResult{}; };
    mcp::Client client(options);
    auto tools = std::async(std::launch::async, [&] { return client.tools(); });
    REQUIRE(head.wait_until_reached(1, 60s));
    CHECK_FALSE(test::eventually([&] { return listed.load(); }, 100ms));
    head.open();
    CHECK(tools.get().size() == 1);
}

TEST_CASE("A server cannot keep the client busy with the answer to a notification") {
    using vlm::testing::Repeated;
    HttpServer server(
        "2025-11-25",
        [&](const std::string& method, const json::object&,
            const ReceivedRequest&) -> std::optional<Answer> {
            if (method != "notifications/initialized") return std::nullopt;
            return Answer{
                .parts = {vlm::testing::chunked_head("text/plain"),
                          Repeated{vlm::testing::chunk(std::string(10000, 'x')), 1000000000}}};
        });
    mcp::Client client(server.options());
    CHECK(code_of(client) == mcp::errc::message_too_large);
}

TEST_CASE("A list of tools has a limit for all its pages") {
    std::atomic<int> pages = 0;
    HttpServer server(
        "2026-07-28",
        [&](const std::string& method, const json::object& message,
            const ReceivedRequest&) -> std::optional<Answer> {
            if (method != "tools/list") return std::nullopt;
            const std::string page = std::to_string(++pages);
            return result(
                message,
                {{"tools", json::array{json::object{{"name", "tool_" + page},
                                                    {"description", std::string(40000, 'x')},
                                                    {"inputSchema", {{"type", "object"}}}}}},
                 {"nextCursor", page}});
        });
    mcp::ClientOptions options = server.options();
    options.max_message_bytes = 100000;
    mcp::Client client(options);
    CHECK_THROWS_AS(client.tools(), mcp::Error);
    CHECK(pages < 20); // of 40 kB
}

TEST_CASE("An error without an id answers a request only if no other is in progress") {
    std::string log;
    mcp::Conversation conversation("the server",
                                   {.log = [&](std::string_view line) { log += line; }}, 100000);
    const auto receive = [&] {
        conversation.receive(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})",
                             [](const std::string&) {});
    };
    mcp::Conversation::Waiting first(conversation, conversation.next_id());
    {
        mcp::Conversation::Waiting second(conversation, conversation.next_id());
        receive();
        CHECK(!first.take());
        CHECK(!second.take());
        CHECK(log.find("no") != std::string::npos);
    }
    receive();
    CHECK(first.take().has_value());
}

TEST_CASE("A malformed URL is refused") {
    mcp::Client client({.name = "web", .url = "ftp://example.org"});
    CHECK(code_of(client) == mcp::errc::bad_config);
}
