// Calls that go on as tasks, which the client polls (the Tasks extension).
#include "test_client.hpp"

#include "eyehand/agent/run_port.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/mcp/desktop_server.hpp"

#include "eventually.hpp"
#include "latch.hpp"

#include <stdexcept>

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

/// A tool whose calls become tasks.
Tool long_tool(std::function<CallResult(agent::JsonView, Exchange&)> call) {
    return simple_tool("work",
                       [call = std::move(call)](agent::JsonView arguments, Exchange& exchange) {
                           exchange.continue_as_task();
                           return call(arguments, exchange);
                       });
}

json::object call_params(const json::object& capabilities = knows_tasks) {
    return stateless({{"name", "work"}, {"arguments", json::object{}}}, capabilities);
}

json::object task_params(const json::value& id, const json::object& capabilities = knows_tasks) {
    return stateless({{"taskId", id}}, capabilities);
}

/// The text of the result in a state or in a response.
std::string result_text(const json::object& from) {
    return std::string(from.at("result").at("content").at(0).at("text").as_string());
}

/// The state of the task when it has the status.
json::object state_when(TestClient& client, const json::value& id, std::string_view status) {
    json::object state;
    REQUIRE(test::eventually([&] {
        state = client.result("tasks/get", task_params(id));
        return string_in(state, "status") == status;
    }));
    CHECK(state.at("resultType") == "complete");
    CHECK(state.at("taskId") == id);
    return state;
}

} // namespace

TEST_CASE("a long call is a task for clients that know them, and has its result at the end") {
    Server server({.name = "tests"});
    test::Latch begun(1);
    test::Latch let_go(1);
    server.add(long_tool([&](agent::JsonView, Exchange& exchange) {
        exchange.progress(1, 2, "half done");
        begun.count_down();
        let_go.wait();
        return text_result("done");
    }));
    TestClient client(server);
    CHECK(client.result("server/discover", stateless()).at("capabilities").at("extensions") ==
          knows_tasks.at("extensions"));
    const json::object created = client.result("tools/call", call_params());
    CHECK(created.at("resultType") == "task");
    CHECK(created.at("status") == "working");
    const json::value id = created.at("taskId");
    begun.wait();
    const json::object working = state_when(client, id, "working");
    CHECK(working.at("statusMessage") == "half done");
    CHECK(working.at("ttlMs").is_null());
    CHECK(working.at("pollIntervalMs").is_int64());
    CHECK(working.at("createdAt").as_string().ends_with("Z"));
    let_go.count_down();
    const json::object completed = state_when(client, id, "completed");
    CHECK(result_text(completed) == "done");
    CHECK(completed.at("ttlMs").as_int64() > 0);
}

TEST_CASE("a client that does not know tasks waits for the result") {
    Server server({.name = "tests"});
    server.add(long_tool([](agent::JsonView, Exchange&) { return text_result("done"); }));
    TestClient client(server);
    const json::object result = client.result("tools/call", call_params({}));
    CHECK(result.at("resultType") == "complete");
    CHECK(result.at("content").at(0).at("text") == "done");
    CHECK(client.error_code("tasks/get", task_params("x", {})) == -32021);
    CHECK(client.error_code("tasks/cancel", task_params("x", {})) == -32021);
    CHECK(client.error_code("tasks/update", task_params("x", {})) == -32021);
    CHECK(client.error_code("subscriptions/listen",
                            stateless({{"notifications", {{"taskIds", json::array{"x"}}}}})) ==
          -32021);
}

TEST_CASE("a tool may answer at once, or ask before its task begins") {
    Server server({.name = "tests"});
    server.add(simple_tool("work", [](agent::JsonView arguments, Exchange& exchange) {
        if (arguments.find("quick")) return text_result("done");
        const ElicitResult answer = exchange.elicit("sure", "Sure?", R"({"type":"object"})");
        if (answer.action != ElicitResult::Action::accept) return text_result("not sure");
        const bool is_task = exchange.continue_as_task();
        const bool still = exchange.continue_as_task(); // it is one already
        return text_result(is_task && still ? "worked" : "no task");
    }));
    TestClient client(server);
    json::object params = call_params();
    params["arguments"] = json::object{{"quick", true}};
    CHECK(client.result("tools/call", params).at("resultType") == "complete");

    json::object capabilities = knows_tasks;
    capabilities["elicitation"] = json::object{};
    params = call_params(capabilities);
    const json::object asking = client.result("tools/call", params);
    CHECK(asking.at("resultType") == "input_required");
    params["inputResponses"] = json::object{{"sure", json::object{{"action", "accept"}}}};
    const json::object created = client.result("tools/call", params);
    CHECK(created.at("resultType") == "task");
    CHECK(result_text(state_when(client, created.at("taskId"), "completed")) == "worked");
}

TEST_CASE("a tool that requires a task is refused to clients that do not know tasks") {
    Server server({.name = "tests"});
    server.add(simple_tool("work", [](agent::JsonView, Exchange& exchange) {
        exchange.require_task();
        return text_result("worked");
    }));
    TestClient client(server);
    CHECK(client.error_code("tools/call", call_params({})) == -32021);
    CHECK(client.result("tools/call", call_params()).at("resultType") == "task");
}

TEST_CASE("a request that has become a task cannot be canceled by its id") {
    Server server({.name = "tests"});
    test::Latch let_go(1);
    server.add(long_tool([&](agent::JsonView, Exchange& exchange) {
        let_go.wait();
        return text_result(exchange.stop().stop_requested() ? "stopped" : "done");
    }));
    TestClient client(server);
    const auto request = client.post("tools/call", call_params());
    const json::value id = client.inbox->take_response(request).at("result").at("taskId");
    client.notify("notifications/cancelled", {{"requestId", request}});
    let_go.count_down();
    CHECK(result_text(state_when(client, id, "completed")) == "done");
}

TEST_CASE("failures of a tool are results of its task, those of the protocol are errors") {
    Server server({.name = "tests"});
    server.add(long_tool(
        [](agent::JsonView, Exchange&) -> CallResult { throw std::runtime_error("no paper"); }));
    Tool refuse = long_tool([](agent::JsonView, Exchange&) -> CallResult {
        throw Error(errc::invalid_params, "not today");
    });
    refuse.name = "refuse";
    server.add(refuse);
    TestClient client(server);
    const json::value id = client.result("tools/call", call_params()).at("taskId");
    const json::object completed = state_when(client, id, "completed");
    CHECK(completed.at("result").at("isError") == true);
    const json::object params = stateless({{"name", "refuse"}}, knows_tasks);
    const json::object failed =
        state_when(client, client.result("tools/call", params).at("taskId"), "failed");
    CHECK(failed.at("error").at("code") == rpc_code::invalid_params);
    CHECK(failed.at("statusMessage") == "not today");
}

TEST_CASE("a missing id, and an id without a task, are refused") {
    Server server({.name = "tests"});
    server.add(long_tool([](agent::JsonView, Exchange&) { return text_result("done"); }));
    TestClient client(server);
    for (const char* method : {"tasks/get", "tasks/cancel", "tasks/update"}) {
        CHECK(client.error_code(method, task_params("unknown")) == rpc_code::invalid_params);
        CHECK(client.error_code(method, stateless({}, knows_tasks)) == rpc_code::invalid_params);
    }
    const json::value id = client.result("tools/call", call_params()).at("taskId");
    CHECK(client.error_code("tasks/update", task_params(id)) == rpc_code::invalid_params);
}

TEST_CASE("a task that is canceled stops its handler") {
    Server server({.name = "tests"});
    server.add(long_tool([](agent::JsonView, Exchange& exchange) {
        (void)base::wait_for(std::chrono::milliseconds::max(), exchange.stop());
        return text_result("stopped");
    }));
    TestClient client(server);
    const json::value id = client.result("tools/call", call_params()).at("taskId");
    CHECK(client.result("tasks/cancel", task_params(id)).at("resultType") == "complete");
    CHECK_FALSE(state_when(client, id, "cancelled").contains("result"));
}

TEST_CASE("the end of a session stops its tasks") {
    Server server({.name = "tests"});
    test::Latch begun(1);
    test::Latch stopped(1);
    server.add(long_tool([&](agent::JsonView, Exchange& exchange) {
        begun.count_down();
        (void)base::wait_for(std::chrono::milliseconds::max(), exchange.stop());
        stopped.count_down();
        return text_result("stopped");
    }));
    {
        TestClient client(server);
        (void)client.result("tools/call", call_params());
        begun.wait();
    }
    stopped.wait();
}

TEST_CASE("a task asks the client's user, each question under a key of its own") {
    constexpr const char* schema =
        R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";
    Server server({.name = "tests"});
    server.add(long_tool([&](agent::JsonView, Exchange& exchange) {
        if (!exchange.waits_for_answers()) return text_result("does not wait");
        const ElicitResult first = exchange.elicit("who", "Who?", schema);
        const ElicitResult second = exchange.elicit("who", "And who?", schema);
        return text_result(first.content_json + second.content_json);
    }));
    TestClient client(server);
    json::object capabilities = knows_tasks;
    capabilities["elicitation"] = json::object{};
    const json::value id = client.result("tools/call", call_params(capabilities)).at("taskId");
    const auto answer = [&](std::string_view key, std::string_view name) {
        json::object params = task_params(id);
        params["inputResponses"] = json::object{
            {key, json::object{{"action", "accept"}, {"content", json::object{{"name", name}}}}}};
        CHECK(client.result("tasks/update", params).at("resultType") == "complete");
    };
    const json::object asking = state_when(client, id, "input_required");
    CHECK(asking.at("inputRequests").at("who").at("method") == "elicitation/create");
    CHECK(asking.at("inputRequests").at("who").at("params").at("message") == "Who?");
    answer("what", "ignored");
    answer("who", "Anna");
    answer("who", "too late");
    json::object next;
    REQUIRE(test::eventually([&] {
        next = state_when(client, id, "input_required");
        return next.at("inputRequests").as_object().contains("who_2");
    }));
    CHECK(next.at("inputRequests").as_object().size() == 1);
    answer("who_2", "Ben");
    CHECK(result_text(state_when(client, id, "completed")) == R"({"name":"Anna"}{"name":"Ben"})");
}

TEST_CASE("a question of a task ends with the task, or when it is withdrawn") {
    Server server({.name = "tests"});
    std::stop_source withdrawn;
    server.add(long_tool([&](agent::JsonView, Exchange& exchange) {
        try {
            (void)exchange.elicit("who", "Who?", R"({"type":"object"})", withdrawn.get_token());
        } catch (const Error& error) {
            return text_result(error.code() == errc::cancelled ? "withdrawn" : error.what());
        }
        return text_result("answered");
    }));
    TestClient client(server);
    json::object capabilities = knows_tasks;
    capabilities["elicitation"] = json::object{};
    const json::value id = client.result("tools/call", call_params(capabilities)).at("taskId");
    (void)state_when(client, id, "input_required");
    SECTION("withdrawn") {
        withdrawn.request_stop();
        const json::object completed = state_when(client, id, "completed");
        CHECK_FALSE(completed.contains("inputRequests"));
        CHECK(result_text(completed) == "withdrawn");
    }
    SECTION("canceled") {
        (void)client.result("tasks/cancel", task_params(id));
        CHECK_FALSE(state_when(client, id, "cancelled").contains("inputRequests"));
    }
    SECTION("answered with something else than an object") {
        json::object params = task_params(id);
        params["inputResponses"] = json::object{{"who", "Anna"}};
        (void)client.result("tasks/update", params);
        const std::string text = result_text(state_when(client, id, "completed"));
        CHECK(text.find("must be an object") != std::string::npos);
    }
}

TEST_CASE("a client that watches a task is told about each change until the end") {
    Server server({.name = "tests"});
    test::Latch let_go(1);
    server.add(long_tool([&](agent::JsonView, Exchange& exchange) {
        let_go.wait();
        exchange.progress(1, 2, "half done");
        return text_result("done");
    }));
    TestClient client(server);
    const json::value id = client.result("tools/call", call_params()).at("taskId");
    const auto listening = client.post(
        "subscriptions/listen",
        stateless({{"notifications", {{"taskIds", json::array{id, "unknown"}}}}}, knows_tasks));
    CHECK(client.inbox->take_method("notifications/subscriptions/acknowledged")
              .at("params")
              .at("notifications") == json::value{{"taskIds", json::array{id}}});
    const auto next = [&] {
        const json::object params =
            client.inbox->take_method("notifications/tasks").at("params").as_object();
        CHECK(params.at("_meta").at("io.modelcontextprotocol/subscriptionId") == listening);
        CHECK(params.at("taskId") == id);
        return params;
    };
    CHECK(next().at("status") == "working"); // as it is
    let_go.count_down();
    // Each notification has the state of its time, which may be a later one.
    json::object state = next();
    while (state.at("status") == "working") {
        CHECK(state.at("statusMessage") == "half done");
        state = next();
    }
    CHECK(state.at("status") == "completed");
    CHECK(result_text(state) == "done");
}

TEST_CASE("approvals of a run are asked through its task, or through the call of an older client") {
    Server server({.name = "tests"});
    server.add(long_tool([](agent::JsonView, Exchange& exchange) {
        if (!ElicitedApprovals::possible(exchange)) return text_result("no user");
        const agent::RunControl control;
        const ElicitedApprovals questions(control, exchange);
        const agent::Approval answer = agent::RunPort(control).request_approval(
            {.tool = "click", .arguments_json = R"({"element":"Delete"})"});
        return text_result(answer.channel + (answer.granted ? ": yes" : ": no"));
    }));
    TestClient client(server);
    const bool allow = GENERATE(true, false);
    const json::object answer{{"action", "accept"}, {"content", {{"allow", allow}}}};
    const std::string expected = allow ? "mcp: yes" : "mcp: no";
    SECTION("a task") {
        json::object capabilities = knows_tasks;
        capabilities["elicitation"] = json::object{};
        const json::value id = client.result("tools/call", call_params(capabilities)).at("taskId");
        const json::object asking = state_when(client, id, "input_required");
        const json::object& requests = asking.at("inputRequests").as_object();
        REQUIRE(requests.size() == 1);
        const json::object& question = requests.begin()->value().as_object();
        CHECK(question.at("params").at("message") == R"(Allow click with {"element":"Delete"}?)");
        json::object params = task_params(id);
        params["inputResponses"] = json::object{{requests.begin()->key(), answer}};
        (void)client.result("tasks/update", params);
        CHECK(result_text(state_when(client, id, "completed")) == expected);
    }
    SECTION("the call of an older client") {
        (void)client.initialize(newest_legacy_revision, {{"elicitation", json::object{}}});
        const auto id = client.post("tools/call", {{"name", "work"}});
        const json::value asked = client.inbox->take_method("elicitation/create").at("id");
        client.session->receive(RpcResponse{.id = asked.as_int64(), .outcome = answer},
                                client.inbox);
        CHECK(result_text(client.inbox->take_response(id)) == expected);
    }
    SECTION("a malformed answer is not a decision of the user") {
        (void)client.initialize(newest_legacy_revision, {{"elicitation", json::object{}}});
        const auto id = client.post("tools/call", {{"name", "work"}});
        const json::value asked = client.inbox->take_method("elicitation/create").at("id");
        client.session->receive(RpcResponse{.id = asked.as_int64(), .outcome = json::object{}},
                                client.inbox);
        CHECK(result_text(client.inbox->take_response(id)) == "unattended: no");
    }
    SECTION("not the call of a stateless client") {
        const json::object result =
            client.result("tools/call", call_params({{"elicitation", json::object{}}}));
        CHECK(result.at("content").at(0).at("text") == "no user");
    }
}
