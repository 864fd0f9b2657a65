// Messages and answers of a server, for clients with `initialize` and for stateless ones.
#include "test_client.hpp"

#include "eyehand/base/stoppable_wait.hpp"
#include "latch.hpp"

#include <atomic>
#include <stdexcept>

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

ServerOptions named() { return {.name = "tests", .version = "1.0", .instructions = "Be kind."}; }

std::string text_of(const json::object& result) {
    return std::string(result.at("content").at(0).at("text").as_string());
}

/// A tool that adds two numbers.
Tool adder() {
    return {.name = "add",
            .description = "Adds.",
            .input_schema_json = R"({"type":"object","properties":{"a":{"type":"integer"},
                "b":{"type":"integer","minimum":0}},"required":["a","b"]})",
            .call = [](agent::JsonView arguments, Exchange&) {
                return text_result(std::to_string(*arguments.find("a")->integer() +
                                                  *arguments.find("b")->integer()));
            }};
}

Tool waiter(test::Latch& started) {
    return simple_tool("wait", [&](agent::JsonView, Exchange& exchange) {
        started.count_down();
        (void)base::wait_for(std::chrono::milliseconds::max(), exchange.stop());
        return text_result("stopped");
    });
}

/// Both forms of the parameters of a request.
struct Generation {
    bool is_stateless = false;
    json::object operator()(json::object params = {}, json::object capabilities = {}) const {
        return is_stateless ? stateless(std::move(params), std::move(capabilities))
                            : std::move(params);
    }
};

Generation begin(TestClient& client, bool is_stateless, const json::object& capabilities = {}) {
    if (!is_stateless) (void)client.initialize(newest_legacy_revision, capabilities);
    return {is_stateless};
}

json::object call_of(std::string_view name, json::object arguments = {}) {
    return {{"name", name}, {"arguments", std::move(arguments)}};
}

} // namespace

TEST_CASE("initialize agrees on the client's revision, or else on the newest one") {
    Server server(named());
    for (const auto& [asked, agreed] : {std::pair{"2025-11-25", "2025-11-25"},
                                        {"2025-06-18", "2025-06-18"},
                                        {"2025-03-26", "2025-03-26"},
                                        {"2024-11-05", "2024-11-05"},
                                        {"1999-01-01", "2025-11-25"},
                                        {"2026-07-28", "2025-11-25"}}) {
        TestClient client(server);
        const json::object result = client.initialize(asked);
        CHECK(result.at("protocolVersion") == agreed);
        CHECK(result.at("serverInfo").at("name") == "tests");
        CHECK(result.at("instructions") == "Be kind.");
    }
}

TEST_CASE("a request before initialize is refused, a ping is answered") {
    Server server(named());
    TestClient client(server);
    CHECK(client.error_code("tools/list") == rpc_code::invalid_params);
    CHECK(client.result("ping").empty());
    CHECK(client.error_code("initialize", {{"protocolVersion", "2025-11-25"}}) ==
          rpc_code::invalid_params);
    (void)client.initialize();
    CHECK(client.error_code("initialize", {{"protocolVersion", "2025-11-25"},
                                           {"capabilities", json::object{}},
                                           {"clientInfo", json::object{}}}) ==
          rpc_code::invalid_request);
}

TEST_CASE("capabilities are those of what the server offers") {
    Server server(named());
    TestClient client(server);
    const json::object empty = client.initialize().at("capabilities").as_object();
    CHECK(empty.contains("tools"));
    CHECK(!empty.contains("resources"));
    CHECK(!empty.contains("prompts"));
    CHECK(client.error_code("prompts/list") == rpc_code::method_not_found);
    CHECK(client.error_code("resources/list") == rpc_code::method_not_found);
    server.add(Prompt{.name = "p"});
    CHECK(client.result("prompts/list").at("prompts").as_array().size() == 1);
    server.remove_prompt("p");
    CHECK(client.result("prompts/list").at("prompts").as_array().empty());
}

TEST_CASE("a tool is listed with its schema, and called with its arguments") {
    Server server(named());
    server.add(adder());
    TestClient client(server);
    const Generation form = begin(client, GENERATE(false, true));
    const json::object tool = client.result("tools/list", form()).at("tools").at(0).as_object();
    CHECK(tool.at("name") == "add");
    CHECK(tool.at("inputSchema").at("required").as_array().size() == 2);
    CHECK(text_of(client.result("tools/call", form(call_of("add", {{"a", 2}, {"b", 3}})))) == "5");
}

TEST_CASE("mistakes that the model can correct are results, others are protocol errors") {
    Server server(named());
    server.add(adder());
    server.add(simple_tool("fail", [](agent::JsonView, Exchange&) -> CallResult {
        throw std::runtime_error("the disk is full");
    }));
    server.add(simple_tool("relay", [](agent::JsonView, Exchange&) -> CallResult {
        throw Error(errc::remote_error, "the other server is busy");
    }));
    server.add(simple_tool("reject", [](agent::JsonView, Exchange&) -> CallResult {
        throw Error(errc::invalid_params, "not like this");
    }));
    TestClient client(server);
    const Generation form = begin(client, GENERATE(false, true));

    json::object result = client.result("tools/call", form(call_of("add", {{"a", 2}, {"b", -1}})));
    CHECK(result.at("isError") == true);
    CHECK(text_of(result) == "invalid arguments: \"b\" must be at least 0");
    result = client.result("tools/call", form(call_of("fail")));
    CHECK(result.at("isError") == true);
    CHECK(text_of(result) == "the disk is full");
    CHECK(text_of(client.result("tools/call", form(call_of("relay")))) ==
          "the other server is busy");

    for (const json::object& params :
         {call_of("missing"), json::object{}, json::object{{"name", "add"}, {"arguments", 1}},
          call_of("reject")})
        CHECK(client.error_code("tools/call", form(params)) == rpc_code::invalid_params);
    CHECK(client.error_code("tools/list", form({{"cursor", "x"}})) == rpc_code::invalid_params);
    CHECK(client.error_code("tools/unknown", form()) == rpc_code::method_not_found);
}

TEST_CASE("a structured result is checked, and sent to clients that know it") {
    Server server(named());
    json::value value = json::parse(GENERATE(R"({"n":1})", R"({"n":"x"})"));
    const bool is_valid = value.at("n").is_int64();
    Tool tool = simple_tool("count", [&](agent::JsonView, Exchange&) {
        return CallResult{.structured_json = json::serialize(value)};
    });
    tool.output_schema_json = R"({"type":"object","properties":{"n":{"type":"integer"}}})";
    server.add(tool);
    const std::string_view revision = GENERATE("2025-06-18", "2025-03-26");
    TestClient client(server);
    (void)client.initialize(revision);
    const json::object result = client.result("tools/call", call_of("count"));
    CHECK(result.contains("isError") == !is_valid);
    CHECK(result.contains("structuredContent") == (is_valid && revision == "2025-06-18"));
    if (is_valid) CHECK(text_of(result) == R"({"n":1})");
}

TEST_CASE("resources are read by URI or by template") {
    Server server(named());
    server.add(Resource{.uri = "test://a", .name = "a", .read = [](Exchange&) {
                            return std::vector<ResourceContents>{{"test://a", "", "text a"}};
                        }});
    server.add(
        ResourceTemplate{.uri_template = "test://item/{id}",
                         .name = "item",
                         .read = [](std::string_view uri, Exchange&) {
                             if (uri.ends_with("/0"))
                                 throw Error(errc::resource_not_found, "there is no item 0");
                             return std::vector<ResourceContents>{{std::string(uri), "", "item"}};
                         }});
    TestClient client(server);
    const bool modern = GENERATE(false, true);
    const Generation form = begin(client, modern);
    const auto read = [&](std::string_view uri) {
        return client.request("resources/read", form({{"uri", uri}}));
    };
    CHECK(read("test://a").at("result").at("contents").at(0).at("text") == "text a");
    CHECK(read("test://item/7").at("result").at("contents").at(0).at("uri") == "test://item/7");
    for (const char* uri : {"test://b", "test://item/", "test://item/1/2", "test://item/0"}) {
        const json::value error = read(uri).at("error");
        CHECK(error.at("code") == (modern ? rpc_code::invalid_params : -32002));
        CHECK(error.at("data").at("uri") == uri);
    }
    CHECK(client.result("resources/templates/list", form())
              .at("resourceTemplates")
              .at(0)
              .at("uriTemplate") == "test://item/{id}");
}

TEST_CASE("a URI matches a template if each variable has a value without slashes") {
    CHECK(matches_template("a://x/y", "a://{one}/{two}"));
    CHECK(matches_template("a://x-y.png", "a://{one}.png"));
    CHECK(!matches_template("a://x/y/z", "a://{one}/{two}"));
    CHECK(!matches_template("a:///y", "a://{one}/{two}"));
    CHECK(!matches_template("b://x/y", "a://{one}/{two}"));
    CHECK(!matches_template("a://x", "a://{one"));
}

TEST_CASE("a prompt needs its required arguments, as strings") {
    Server server(named());
    server.add(
        Prompt{.name = "greet",
               .arguments = {{.name = "who", .required = true}},
               .get = [](agent::JsonView arguments, Exchange&) {
                   return std::vector<PromptMessage>{
                       {.content = Text{"Greet " + std::string(arguments.find("who")->string())}}};
               }});
    TestClient client(server);
    const Generation form = begin(client, GENERATE(false, true));
    CHECK(client.result("prompts/get", form(call_of("greet", {{"who", "Ann"}})))
              .at("messages")
              .at(0)
              .at("content")
              .at("text") == "Greet Ann");
    CHECK(client.error_code("prompts/get", form(call_of("greet"))) == rpc_code::invalid_params);
    CHECK(client.error_code("prompts/get", form(call_of("greet", {{"who", 1}}))) ==
          rpc_code::invalid_params);
    CHECK(client.error_code("prompts/get", form(call_of("part"))) == rpc_code::invalid_params);
}

TEST_CASE("what a server offers must have unique names and usable schemas") {
    Server server(named());
    server.add(adder());
    CHECK_THROWS_AS(server.add(adder()), std::invalid_argument);
    CHECK_THROWS_AS(server.add(Prompt{}), std::invalid_argument);
    for (const char* schema :
         {"", "[]", "{", "{}", R"({"type":"string"})",
          R"({"type":"object","$ref":"https://example.com/schema"})",
          R"({"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}})",
          R"({"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}})"}) {
        CAPTURE(schema);
        Tool tool = adder();
        tool.name = "other";
        tool.input_schema_json = schema;
        CHECK_THROWS_AS(server.add(tool), std::invalid_argument);
    }
}

TEST_CASE("values in a schema do not mark arguments") {
    Server server(named());
    Tool tool = adder();
    tool.input_schema_json =
        R"({"type":"object","properties":{"a":{"type":"object","default":{"x-mcp-header":1}}}})";
    CHECK_NOTHROW(server.add(tool));
}

// ---- several requests ---------------------------------------------------------------------------

TEST_CASE("two requests of a client run at the same time") {
    Server server(named());
    test::Latch both(2);
    server.add(simple_tool("meet", [&](agent::JsonView, Exchange&) {
        both.arrive_and_wait();
        return text_result("met");
    }));
    TestClient client(server);
    const Generation form = begin(client, GENERATE(false, true));
    const auto first = client.post("tools/call", form(call_of("meet")));
    const auto second = client.post("tools/call", form(call_of("meet")));
    CHECK(client.inbox->take_response(second).contains("result"));
    CHECK(client.inbox->take_response(first).contains("result"));
}

TEST_CASE("a canceled request is stopped and not answered") {
    Server server(named());
    test::Latch started(1);
    server.add(waiter(started));
    TestClient client(server);
    const Generation form = begin(client, GENERATE(false, true));
    const auto id = client.post("tools/call", form(call_of("wait")));
    started.wait();
    client.notify("notifications/cancelled", {{"requestId", 999}});
    client.notify("notifications/cancelled", {{"requestId", id}});
    client.inbox->await_drop();
    CHECK(client.inbox->size() == 0);
    // The id can be used again.
    client.session->receive(RpcRequest{.id = id, .method = "tools/list", .params = form()},
                            client.inbox);
    CHECK(client.inbox->take_response(id).contains("result"));
}

TEST_CASE("the end of a session stops its requests and is reported once") {
    Server server(named());
    test::Latch started(1);
    server.add(waiter(started));
    std::atomic<int> ended = 0;
    server.on_session_end([&](const std::string& session) {
        if (session == "session 1") ++ended;
    });
    {
        TestClient client(server);
        (void)client.initialize();
        client.post("tools/call", call_of("wait"));
        started.wait();
        CHECK(ended == 0);
        client.session->close();
        client.session->wait();
        CHECK(ended == 1);
    }
    CHECK(ended == 1);
}

TEST_CASE("requests beyond the limits are refused") {
    ServerOptions options = named();
    options.max_calls = 1;
    options.max_waiting = 2;
    Server server(options);
    test::Latch started(1);
    server.add(waiter(started));
    TestClient client(server);
    (void)client.initialize();
    client.post("tools/call", call_of("wait"));
    started.wait();
    client.post("tools/call", call_of("wait"));
    client.post("tools/call", call_of("wait"));
    CHECK(client.error_code("tools/call", call_of("wait")) == rpc_code::internal_error);
    CHECK(client.result("tools/list").contains("tools")); // needs no thread
}

TEST_CASE("an id that is in use is refused") {
    Server server(named());
    test::Latch started(1);
    server.add(waiter(started));
    TestClient client(server);
    (void)client.initialize();
    client.send(R"({"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"wait"}})");
    started.wait();
    client.send(R"({"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"wait"}})");
    CHECK(client.inbox->take_response("x").at("error").at("code") == rpc_code::invalid_request);
}

TEST_CASE("bytes that are not a message are answered with an error without an id") {
    Server server(named());
    TestClient client(server);
    client.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}");
    const json::object error =
        client.inbox->take([](const json::object& message) { return message.contains("error"); });
    CHECK(error.at("error").at("code") == rpc_code::parse_error);
    CHECK(!error.contains("id"));
    CHECK(client.result("ping").empty());
}

// ---- notifications ------------------------------------------------------------------------------

TEST_CASE("progress is sent with the client's token, and only increases") {
    Server server(named());
    server.add(simple_tool("work", [](agent::JsonView, Exchange& exchange) {
        for (const double done : {1.0, 1.0, 0.5, 2.0}) exchange.progress(done, 2, "working");
        return text_result("done");
    }));
    TestClient client(server);
    (void)client.initialize();
    json::object params = call_of("work");
    (void)client.result("tools/call", params);
    CHECK(client.inbox->size() == 0);
    params["_meta"] = json::object{{"progressToken", "t"}};
    (void)client.result("tools/call", params);
    for (const double done : {1.0, 2.0}) {
        const json::value told = client.inbox->take_method("notifications/progress").at("params");
        CHECK(told.at("progressToken") == "t");
        CHECK(told.at("progress") == done);
        CHECK(told.at("message") == "working");
    }
    CHECK(client.inbox->size() == 0);
}

TEST_CASE("log messages are sent from the level on that the client has set") {
    Server server(named());
    server.add(simple_tool("log", [](agent::JsonView, Exchange& exchange) {
        exchange.log(LogLevel::debug, "a", "1");
        exchange.log(LogLevel::warning, "b", R"({"n":2})");
        return text_result("done");
    }));
    TestClient client(server);
    (void)client.initialize();
    CHECK(client.error_code("logging/setLevel", {{"level", "loud"}}) == rpc_code::invalid_params);
    CHECK(client.result("logging/setLevel", {{"level", "warning"}}).empty());
    (void)client.result("tools/call", call_of("log"));
    CHECK(client.inbox->take_method("notifications/message").at("params").at("data").at("n") == 2);
    CHECK(client.inbox->size() == 0);
    // A stateless request sets it for itself.
    (void)client.result("tools/call", stateless(call_of("log")));
    CHECK(client.inbox->size() == 0);
    (void)client.result("tools/call", stateless(call_of("log"), {},
                                                {{"io.modelcontextprotocol/logLevel", "debug"}}));
    CHECK(client.inbox->size() == 2);
}

TEST_CASE(
    "an initialized client is told of changed lists and of resources to which it subscribes") {
    Server server(named());
    server.add(Resource{.uri = "test://a"});
    TestClient client(server);
    server.add(adder()); // before the handshake
    (void)client.initialize();
    CHECK(client.inbox->size() == 0);
    server.remove_tool("add");
    (void)client.inbox->take_method("notifications/tools/list_changed");
    server.add(Prompt{.name = "p"});
    (void)client.inbox->take_method("notifications/prompts/list_changed");
    server.resource_updated("test://a");
    CHECK(client.inbox->size() == 0);
    (void)client.result("resources/subscribe", {{"uri", "test://a"}});
    server.resource_updated("test://b");
    server.resource_updated("test://a");
    CHECK(client.inbox->take_method("notifications/resources/updated").at("params").at("uri") ==
          "test://a");
    (void)client.result("resources/unsubscribe", {{"uri", "test://a"}});
    server.resource_updated("test://a");
    CHECK(client.inbox->size() == 0);
}

TEST_CASE("a subscription of a stateless client has its id in each notification") {
    Server server(named());
    server.add(Prompt{.name = "p"});
    TestClient client(server);
    const auto id =
        client.post("subscriptions/listen",
                    stateless({{"notifications",
                                {{"toolsListChanged", true}, {"unknown", json::array{"x"}}}}}));
    const json::value told =
        client.inbox->take_method("notifications/subscriptions/acknowledged").at("params");
    CHECK(told.at("notifications") == json::value{{"toolsListChanged", true}});
    constexpr std::string_view key = "io.modelcontextprotocol/subscriptionId";
    CHECK(told.at("_meta").at(key) == id);
    server.remove_prompt("p"); // not asked for
    server.add(adder());
    CHECK(client.inbox->take_method("notifications/tools/list_changed")
              .at("params")
              .at("_meta")
              .at(key) == id);
    CHECK(client.inbox->size() == 0);
    SECTION("until the client cancels it") {
        client.notify("notifications/cancelled", {{"requestId", id}});
        server.remove_tool("add");
        CHECK(client.inbox->size() == 0);
    }
    SECTION("until the server ends") {
        client.session->close();
        CHECK(client.inbox->take_response(id).at("result").at("_meta").at(key) == id);
    }
}

// ---- questions ----------------------------------------------------------------------------------

namespace {

constexpr const char* name_schema =
    R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

/// Asks twice and tells what the user has answered.
Tool asker(std::atomic<int>& runs) {
    return simple_tool("ask", [&runs](agent::JsonView, Exchange& exchange) {
        ++runs;
        exchange.set_request_state(exchange.request_state() + "x");
        const ElicitResult first = exchange.elicit("first", "Who?", name_schema);
        if (first.action != ElicitResult::Action::accept) return text_result("refused");
        const ElicitResult second = exchange.elicit("second", "And who?", name_schema);
        return text_result(first.content_json + second.content_json + exchange.request_state());
    });
}

json::object accepted(std::string_view name) {
    return {{"action", "accept"}, {"content", {{"name", name}}}};
}

const json::object can_elicit{{"elicitation", json::object{}}};

} // namespace

TEST_CASE("a client with initialize is asked while the handler waits") {
    Server server(named());
    std::atomic<int> runs = 0;
    server.add(asker(runs));
    TestClient client(server);
    (void)client.initialize("2025-11-25", can_elicit);
    const auto id = client.post("tools/call", call_of("ask"));
    const auto answer = [&](const json::object& result) {
        const json::object asked = client.inbox->take_method("elicitation/create");
        CHECK(asked.at("params").at("requestedSchema").at("required").at(0) == "name");
        client.session->receive(RpcResponse{.id = asked.at("id").as_int64(), .outcome = result},
                                client.inbox);
    };
    SECTION("and accepts") {
        answer(accepted("Ann"));
        answer(accepted("Bob"));
        CHECK(text_of(client.inbox->take_response(id).at("result").as_object()) ==
              R"({"name":"Ann"}{"name":"Bob"})");
    }
    SECTION("and declines") {
        answer({{"action", "decline"}});
        CHECK(text_of(client.inbox->take_response(id).at("result").as_object()) == "refused");
    }
    SECTION("and answers something else") {
        answer({{"action", "accept"}, {"content", {{"name", 1}}}});
        CHECK(client.inbox->take_response(id).at("error").at("code") == rpc_code::invalid_params);
    }
    SECTION("and answers with an error") {
        const json::object asked = client.inbox->take_method("elicitation/create");
        client.session->receive(RpcResponse{.id = asked.at("id").as_int64(),
                                            .outcome = RpcError{.code = -1, .message = "no"}},
                                client.inbox);
        CHECK(client.inbox->take_response(id).at("result").at("isError") == true);
    }
    SECTION("and answers with a malformed message") {
        const json::object asked = client.inbox->take_method("elicitation/create");
        client.send(json::serialize(
            json::object{{"jsonrpc", "2.0"}, {"id", asked.at("id")}, {"result", 1}}));
        CHECK(client.inbox->take_response(id).at("result").at("isError") == true);
        CHECK(client.inbox->size() == 0); // a response is not answered
    }
    SECTION("and disconnects") {
        (void)client.inbox->take_method("elicitation/create");
        client.session->client_left(client.inbox);
        CHECK(client.inbox->take_response(id).at("result").at("isError") == true);
    }
    CHECK(runs == 1);
}

TEST_CASE("a question that is withdrawn is closed at the client") {
    Server server(named());
    std::stop_source answered;
    server.add(simple_tool("ask", [&](agent::JsonView, Exchange& exchange) {
        try {
            (void)exchange.elicit("q", "Who?", name_schema, answered.get_token());
        } catch (const Error& error) {
            return text_result(error.code() == errc::cancelled ? "withdrawn" : error.what());
        }
        return text_result("answered");
    }));
    TestClient client(server);
    (void)client.initialize("2025-11-25", can_elicit);
    const auto id = client.post("tools/call", call_of("ask"));
    const json::object asked = client.inbox->take_method("elicitation/create");
    answered.request_stop();
    const json::object closed = client.inbox->take_method("notifications/cancelled");
    CHECK(closed.at("params").at("requestId") == asked.at("id"));
    CHECK(text_of(client.inbox->take_response(id).at("result").as_object()) == "withdrawn");
}

TEST_CASE("a stateless client repeats the request with its answers") {
    Server server(named());
    std::atomic<int> runs = 0;
    server.add(asker(runs));
    TestClient client(server);
    json::object params = stateless(call_of("ask"), can_elicit);
    json::object result = client.result("tools/call", params);
    CHECK(result.at("resultType") == "input_required");
    CHECK(result.at("inputRequests").at("first").at("method") == "elicitation/create");
    params["requestState"] = result.at("requestState");
    params["inputResponses"] = json::object{{"first", accepted("Ann")}, {"other", 1}};
    SECTION("until it has answered everything") {
        result = client.result("tools/call", params);
        CHECK(result.at("inputRequests").as_object().contains("second"));
        CHECK(result.at("requestState") != params.at("requestState"));
        params["requestState"] = result.at("requestState");
        params["inputResponses"] = json::object{{"second", accepted("Bob")}};
        result = client.result("tools/call", params);
        CHECK(result.at("resultType") == "complete");
        CHECK(text_of(result) == R"({"name":"Ann"}{"name":"Bob"}xx)");
        CHECK(runs == 3);
    }
    SECTION("but not with a changed state") {
        const std::string state(params.at("requestState").as_string());
        for (const std::string& changed :
             {state + "x", "1" + state, std::string(), std::string(".."), state.substr(1)}) {
            params["requestState"] = changed;
            CHECK(client.error_code("tools/call", params) == rpc_code::invalid_params);
        }
        params["requestState"] = 1;
        CHECK(client.error_code("tools/call", params) == rpc_code::invalid_params);
        CHECK(runs == 1);
    }
    SECTION("but not with the state of another request") {
        params["arguments"] = json::object{{"n", 1}};
        CHECK(client.error_code("tools/call", params) == rpc_code::invalid_params);
    }
    SECTION("but not with malformed answers") {
        params["inputResponses"] = nullptr;
        CHECK(client.error_code("tools/call", params) == rpc_code::invalid_params);
        params["inputResponses"] = json::object{{"first", 12345}};
        CHECK(client.error_code("tools/call", params) == rpc_code::invalid_params);
    }
}

TEST_CASE("a client that cannot be asked is told what it lacks") {
    Server server(named());
    std::atomic<int> runs = 0;
    server.add(asker(runs));
    TestClient client(server);
    const json::object response = client.request("tools/call", stateless(call_of("ask")));
    CHECK(response.at("error").at("code") == -32021);
    CHECK(response.at("error").at("data").at("requiredCapabilities") ==
          json::value{{"elicitation", json::object{}}});
    CHECK(client.inbox->status() == 400);
    (void)client.initialize();
    CHECK(client.request("tools/call", call_of("ask")).contains("error"));
}

TEST_CASE("a client that can be asked by URL only does not receive forms") {
    Server server(named());
    server.add(simple_tool("can", [](agent::JsonView, Exchange& exchange) {
        return text_result(std::string(exchange.can_elicit() ? "elicit " : "") +
                           (exchange.can_ask("sampling/createMessage") ? "sample" : ""));
    }));
    TestClient client(server);
    const auto answer = [&](const json::object& capabilities) {
        return text_of(client.result("tools/call", stateless(call_of("can"), capabilities)));
    };
    CHECK(answer({}).empty());
    CHECK(answer({{"elicitation", {{"url", json::object{}}}}}).empty());
    CHECK(answer({{"elicitation", {{"form", json::object{}}}}}) == "elicit ");
    CHECK(answer({{"elicitation", json::object{}}, {"sampling", json::object{}}}) ==
          "elicit sample");
}

// ---- the stateless revision ---------------------------------------------------------------------

TEST_CASE("a stateless client discovers the server") {
    ServerOptions options = named();
    options.list_ttl = std::chrono::seconds(5);
    Server server(options);
    TestClient client(server);
    const json::object result = client.result("server/discover", stateless());
    CHECK(result.at("resultType") == "complete");
    CHECK(result.at("supportedVersions") == json::value{stateless_revision});
    CHECK(result.at("ttlMs") == 5000);
    CHECK(result.at("cacheScope") == "private");
    CHECK(result.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name") == "tests");
}

TEST_CASE("a stateless request needs a supported revision and capabilities") {
    Server server(named());
    TestClient client(server);
    json::object params = stateless();
    params.at("_meta").as_object().erase("io.modelcontextprotocol/clientCapabilities");
    CHECK(client.error_code("tools/list", params) == rpc_code::invalid_params);
    CHECK(client.inbox->status() == 400);
    params = stateless();
    params.at("_meta").as_object()["io.modelcontextprotocol/protocolVersion"] = "1900-01-01";
    const json::object response = client.request("tools/list", params);
    CHECK(response.at("error").at("code") == -32022);
    CHECK(response.at("error").at("data").at("requested") == "1900-01-01");
}

TEST_CASE("a stateless client has no methods of the older revisions") {
    Server server(named());
    server.add(Resource{.uri = "test://a"});
    TestClient client(server);
    for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                               "resources/unsubscribe", "roots/list"}) {
        CAPTURE(method);
        CHECK(client.error_code(method, stateless()) == rpc_code::method_not_found);
        CHECK(client.inbox->status() == 404);
    }
    // Both kinds of clients can use one connection.
    CHECK(client.initialize().contains("protocolVersion"));
    CHECK(client.result("tools/list", stateless()).contains("ttlMs"));
    CHECK(!client.result("tools/list").contains("ttlMs"));
}
