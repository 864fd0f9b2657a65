// The tools and resources of a desktop as clients of a server use them.
#include "session_stage.hpp"
#include "test_client.hpp"

#include "eyehand/mcp/desktop_server.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

const json::object can_ask_user{{"elicitation", json::object{}}};

struct ServerStage {
    test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{640, 480}};
    DesktopServerOptions options = test::quick_options(folder.path());
    Server server{ServerOptions{.name = "tests", .version = "1"}};
    std::optional<DesktopServer> tools;

    void begin() { tools.emplace(server, desktop, options); }
    void guard_strictly() { options.agent.guard = agent::Guard(agent::GuardLevel::strict); }
    [[nodiscard]] auto presses() const {
        return std::ranges::count_if(desktop.events(), [](const winio::InputEvent& event) {
            const auto* button = std::get_if<winio::ButtonChange>(&event);
            return button != nullptr && button->press == winio::Press::down;
        });
    }
};

/// A client of the stateless revision over HTTP: its requests have no session.
class Program {
public:
    Program(Server& server, std::string name, json::object capabilities = {})
        : server_(server), name_(std::move(name)), capabilities_(std::move(capabilities)) {}

    /// Sends a call with further parameters, and returns its id.
    std::int64_t post(std::string_view tool, json::object arguments, json::object parameters = {}) {
        parameters["name"] = tool;
        parameters["arguments"] = std::move(arguments);
        const std::int64_t id = ++latest_id_;
        server_.core()
            .open({}, nullptr)
            ->receive(RpcRequest{.id = id,
                                 .method = "tools/call",
                                 .params = stateless(std::move(parameters), capabilities_,
                                                     {{"io.modelcontextprotocol/clientInfo",
                                                       {{"name", name_}, {"version", "1"}}}})},
                      inbox_);
        return id;
    }
    json::object result_of(std::int64_t id) {
        const json::object response = inbox_->take_response(id);
        INFO(json::serialize(response));
        REQUIRE(response.contains("result"));
        return response.at("result").as_object();
    }
    json::object call(std::string_view tool, json::object arguments = {},
                      json::object parameters = {}) {
        return result_of(post(tool, std::move(arguments), std::move(parameters)));
    }

private:
    Server& server_;
    const std::string name_;
    const json::object capabilities_;
    const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
    std::int64_t latest_id_ = 0;
};

const json::object somewhere{{"position", {100, 100}}};

bool is_error(const json::object& result) {
    const json::value* error = result.if_contains("isError");
    return error != nullptr && error->as_bool();
}

bool needs_input(const json::object& result) { return result.at("resultType") == "input_required"; }

/// The parameters that repeat a call together with the user's consent.
json::object consent_to(const json::object& question) {
    REQUIRE(needs_input(question));
    json::object answers;
    for (const auto& [key, request] : question.at("inputRequests").as_object())
        answers[key] = json::object{{"action", "accept"}, {"content", {{"allow", true}}}};
    return {{"requestState", question.at("requestState")}, {"inputResponses", std::move(answers)}};
}

} // namespace

TEST_CASE("mcp desktop: a new client does not keep another one from answering a question") {
    ServerStage stage;
    stage.guard_strictly();
    stage.begin();
    Program asked(stage.server, "asked", can_ask_user);
    (void)asked.call("look");
    const json::object question = asked.call("click", somewhere);
    REQUIRE(needs_input(question));
    Program other(stage.server, "other");
    const std::int64_t waits = other.post("look", {}); // until the desktop is free
    CHECK_FALSE(is_error(asked.call("click", somewhere, consent_to(question))));
    CHECK(stage.presses() == 1);
    CHECK_FALSE(is_error(other.result_of(waits)));
}

TEST_CASE("mcp desktop: an answer to a question of an earlier session does not count") {
    ServerStage stage;
    stage.guard_strictly();
    stage.options.max_sessions = 1;
    stage.begin();
    Program client(stage.server, "client", can_ask_user);
    (void)client.call("look");
    const json::object consent = consent_to(client.call("click", somewhere));
    CHECK_FALSE(is_error(client.call("click", somewhere, consent)));
    Program other(stage.server, "other");
    (void)other.call("look"); // ends the session of the first client
    (void)client.call("look");
    CHECK(needs_input(client.call("click", somewhere, consent)));
    CHECK(stage.presses() == 1);
}

TEST_CASE("mcp desktop: programs without a session have images of their own") {
    ServerStage stage;
    stage.begin();
    Program first(stage.server, "first");
    Program second(stage.server, "second");
    (void)first.call("look");
    CHECK(is_error(second.call("click", somewhere))); // it has not received an image
    CHECK(stage.presses() == 0);
    CHECK_FALSE(is_error(first.call("click", somewhere)));
    CHECK(stage.presses() == 1);
}

TEST_CASE("mcp desktop: a client whose session was stopped cannot run a task") {
    ServerStage stage;
    std::optional<agent::RunControl> control;
    std::atomic<int> tasks = 0;
    stage.options.on_session = [&](const agent::RunDirectory&, agent::RunControl& run,
                                   const agent::Profile&) {
        control = run;
        return std::unique_ptr<agent::Observer>();
    };
    stage.options.run_task = [&](const std::string&, int, Exchange&) {
        ++tasks;
        return text_result("done");
    };
    stage.begin();
    Program client(stage.server, "client");
    const json::object task{{"task", "Open the letter."}};
    CHECK_FALSE(is_error(client.call("run_task", task)));
    CHECK(tasks == 1);
    REQUIRE(control);
    control->stop_now("stopped by the user");
    CHECK(is_error(client.call("look")));
    CHECK(is_error(client.call("run_task", task)));
    CHECK(tasks == 1);
}

TEST_CASE("mcp desktop: the end of the tools ends a question, and removes what they offered") {
    ServerStage stage;
    stage.guard_strictly();
    stage.begin();
    TestClient client(stage.server);
    (void)client.initialize(newest_legacy_revision, can_ask_user);
    (void)client.result("tools/call", {{"name", "look"}, {"arguments", json::object{}}});
    const auto id = client.post("tools/call", {{"name", "click"}, {"arguments", somewhere}});
    (void)client.inbox->take_method("elicitation/create");
    stage.tools.reset();
    (void)client.inbox->take_method("notifications/cancelled"); // of the question
    CHECK(is_error(client.inbox->take_response(id).at("result").as_object()));
    CHECK(stage.presses() == 0);
    CHECK(client.result("tools/list").at("tools").as_array().empty());
    CHECK(client.result("prompts/list").at("prompts").as_array().empty());
    CHECK(client.result("resources/list").at("resources").as_array().empty());
    CHECK(client.result("resources/templates/list").at("resourceTemplates").as_array().empty());
}

TEST_CASE("mcp desktop: the resource of the windows shows no more than the tool") {
    ServerStage stage;
    stage.options.agent.area.crop = winio::NormBox{0, 0, 500, 500};
    stage.options.agent.secrets.add({.name = "pin", .read = [] { return "correct horse"; }});
    winio::WindowInfo window;
    window.id = winio::WindowId{7};
    window.title = "correct horse - Editor";
    window.bounds = {300, 200, 200, 100};
    stage.desktop.set_windows({window});
    stage.begin();
    TestClient client(stage.server);
    (void)client.initialize();
    const json::object read = client.result("resources/read", {{"uri", "eyehand://windows"}});
    const json::value content = json::parse(read.at("contents").at(0).at("text").as_string());
    CHECK(content.at("untrusted") == "window");
    const json::object& shown = content.at("windows").at(0).as_object();
    CHECK(shown.at("title") == "secret://pin - Editor");
    CHECK(shown.at("bounds").at(2).to_number<int>() < 30); // a tenth is in the area
}

TEST_CASE("mcp desktop: only a new screenshot updates its resource") {
    ServerStage stage;
    stage.begin();
    TestClient client(stage.server);
    (void)client.initialize();
    (void)client.result("resources/subscribe", {{"uri", "eyehand://screenshot"}});
    const auto call = [&](const char* tool) {
        return client.result("tools/call", {{"name", tool}, {"arguments", json::object{}}});
    };
    (void)call("windows");
    CHECK(client.inbox->size() == 0);
    (void)call("look");
    CHECK(client.inbox->take_method("notifications/resources/updated").at("params").at("uri") ==
          "eyehand://screenshot");
    (void)call("look"); // the same screen
    CHECK(client.inbox->size() == 0);
}
