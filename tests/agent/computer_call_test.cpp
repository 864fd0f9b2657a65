// Runs with the computer tool of the Responses API, on a real socket: batched actions, screenshots as
// results, and the server's safety checks.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/responses.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "unguarded.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace eyehand;
using namespace agent;
using vlm::testing::ChatServer;
using vlm::testing::Response;

namespace {

std::string computer_call(const std::string& id, const std::string& actions,
                          const std::string& checks = "[]") {
    return R"({"id":"cu_)" + id + R"(","type":"computer_call","status":"completed","call_id":")" +
           id + R"(","actions":)" + actions + R"(,"pending_safety_checks":)" + checks + "}";
}

const std::string a_check =
    R"([{"id":"sc_1","code":"malicious_instructions","message":"The page gives instructions."}])";

struct ComputerCallStage {
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}};
    std::vector<Response> responses;
    std::unique_ptr<ChatServer> server;
    MemoryStore store;
    RunControl control;
    AgentOptions options = test::unguarded();
    Profile profile = load_profile("observer");
    bool stream = true;

    ComputerCallStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        profile.dialect = Dialect::openai_computer;
        profile.coordinates = CoordinateConvention::norm1000; // pixels of this screen
    }
    ComputerCallStage& call(const std::string& item) {
        responses.push_back({.reasoning = "I think.", .items_json = {item}});
        return *this;
    }
    ComputerCallStage& say(const std::string& text) {
        responses.push_back({.text = text});
        return *this;
    }
    RunFinished run() {
        server = std::make_unique<ChatServer>(
            vlm::testing::ServerOptions{.respond = vlm::testing::scripted_responses(responses)});
        vlm::OpenAiClient client({.endpoint = server->url(),
                                  .api = vlm::Api::responses,
                                  .stream = stream,
                                  .retries = {.max_retries = 0}});
        Agent agent(desktop, client, profile, built_in_tools(), options);
        return agent.run("do it", store, control);
    }
    /// Runs, and answers each approval request; returns what was requested.
    std::vector<ApprovalRequest> run_with_user(bool grants) {
        options.approvals = Approvals::user;
        std::vector<ApprovalRequest> asked;
        std::jthread user([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                for (const ApprovalRequest& request : control.status().approval_requests) {
                    if (!asked.empty() && asked.back().id == request.id) continue;
                    asked.push_back(request);
                    (void)control.resolve(request.id, {.granted = grants, .channel = "test"});
                }
                std::this_thread::yield();
            }
        });
        (void)run();
        user.request_stop();
        user.join();
        return asked;
    }
    [[nodiscard]] json::object body(std::size_t request) const {
        return json::parse(server->requests().at(request).body).as_object();
    }
    [[nodiscard]] json::array input(std::size_t request) const {
        return body(request).at("input").as_array();
    }
    /// The items of a type in the input of a request.
    [[nodiscard]] std::vector<json::object> items(std::size_t request,
                                                  const std::string& type) const {
        std::vector<json::object> all;
        for (const json::value& item : input(request))
            if (std::string_view(item.at("type").as_string()) == type)
                all.push_back(item.as_object());
        return all;
    }
    [[nodiscard]] std::vector<GuardRecord> decisions() const {
        std::vector<GuardRecord> all;
        for (const Event& event : read_journal(store))
            if (const auto* judged = std::get_if<Judged>(&event.payload))
                all.push_back(judged->guard);
        return all;
    }
};

} // namespace

TEST_CASE("computer tool: it takes the place of the function") {
    ComputerCallStage stage;
    CHECK(stage.say("Done.").run().reason == "Done.");
    const json::array tools = stage.body(0).at("tools").as_array();
    CHECK(tools.at(0) == json::value{{"type", "computer"}});
    for (std::size_t i = 1; i < tools.size(); ++i) CHECK(tools[i].at("name") != "computer");
}

TEST_CASE("computer tool: the actions of a call are carried out in order") {
    for (const bool stream : {true, false}) {
        ComputerCallStage stage;
        stage.stream = stream;
        stage.call(computer_call("c1", R"([{"type":"click","button":"left","x":300,"y":400},)"
                                       R"({"type":"type","text":"ab"}])"));
        CHECK(stage.say("Done.").run().reason == "Done.");
        CHECK(stage.desktop.pointer() == winio::Point{150, 200});
        CHECK(stage.desktop.typed() == "ab");
    }
}

TEST_CASE("computer tool: the result is the screenshot, and the call is sent back unchanged") {
    const std::string call = computer_call("c1", R"([{"type":"screenshot"}])");
    ComputerCallStage stage;
    CHECK(stage.call(call).say("Done.").run().reason == "Done.");
    REQUIRE(stage.items(1, "computer_call").size() == 1);
    CHECK(stage.items(1, "computer_call")[0] == json::parse(call));
    CHECK(stage.items(1, "reasoning").size() == 1);
    const auto results = stage.items(1, "computer_call_output");
    REQUIRE(results.size() == 1);
    CHECK(results[0].at("call_id") == "c1");
    CHECK_FALSE(results[0].contains("acknowledged_safety_checks"));
    CHECK(results[0].at("output").at("type") == "computer_screenshot");
    CHECK(std::string(results[0].at("output").at("image_url").as_string())
              .starts_with("data:image/png;base64,"));
    // The image is not sent twice: the user message after the result has only words.
    const json::array input = stage.input(1);
    const json::array words = input.back().at("content").as_array();
    for (const json::value& part : words) CHECK(part.at("type") == "input_text");
}

TEST_CASE("computer tool: a call whose screenshot was removed becomes a call of a function") {
    ComputerCallStage stage;
    stage.profile.screenshots = {.keep = 1, .batch = 1};
    for (const char* id : {"c1", "c2", "c3"})
        stage.call(computer_call(id, R"([{"type":"screenshot"}])"));
    CHECK(stage.say("Done.").run().reason == "Done.");
    CHECK(stage.items(3, "computer_call").size() == 1);
    CHECK(stage.items(3, "computer_call_output").size() == 1);
    CHECK(stage.items(3, "function_call").size() == 2);
    CHECK(stage.items(3, "function_call_output").size() == 2);
}

TEST_CASE("computer tool: an action that is not possible is answered in words") {
    ComputerCallStage stage;
    stage.call(computer_call("c1", R"([{"type":"click","button":"left"}])"));
    CHECK(stage.say("Done.").run().reason == "Done.");
    const json::value last = stage.input(1).back();
    CHECK_THAT(json::serialize(last), ContainsSubstring("needs"));
}

TEST_CASE(
    "safety checks: the user is asked once for a call, and approved checks are acknowledged") {
    ComputerCallStage stage;
    stage.call(computer_call("c1",
                             R"([{"type":"click","button":"left","x":300,"y":400},)"
                             R"({"type":"type","text":"ab"},{"type":"screenshot"}])",
                             a_check));
    const std::vector<ApprovalRequest> asked = stage.say("Done.").run_with_user(true);
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].text == "malicious_instructions: The page gives instructions.");
    CHECK(asked[0].rule == "server: safety check");
    CHECK(stage.desktop.typed() == "ab");
    const auto results = stage.items(1, "computer_call_output");
    REQUIRE(results.size() == 1);
    CHECK(results[0].at("acknowledged_safety_checks") == json::parse(a_check));
    CHECK(stage.decisions() ==
          std::vector{GuardRecord{true, "server: safety check", "user", "test"}});
}

TEST_CASE("safety checks: a denied call is not carried out, and its checks are not acknowledged") {
    ComputerCallStage stage;
    stage.call(
        computer_call("c1", R"([{"type":"click","button":"left","x":300,"y":400}])", a_check));
    REQUIRE(stage.say("Done.").run_with_user(false).size() == 1);
    CHECK(stage.desktop.events().empty());
    CHECK(json::serialize(stage.input(1)).find("acknowledged") == std::string::npos);
    CHECK(stage.items(1, "computer_call").empty());
    CHECK_THAT(json::serialize(stage.items(1, "function_call_output").at(0)),
               ContainsSubstring("The user did not allow this action"));
    CHECK(stage.decisions() ==
          std::vector{GuardRecord{false, "server: safety check", "user", "test"}});
}

TEST_CASE("safety checks: without a user, the call is denied at every level of the guard") {
    const auto level = GENERATE(GuardLevel::off, GuardLevel::standard, GuardLevel::strict);
    ComputerCallStage stage;
    stage.options.guard = Guard(level);
    stage.call(computer_call("c1", R"([{"type":"wait"}])", a_check));
    CHECK(stage.say("Done.").run().reason == "Done.");
    CHECK(stage.decisions() ==
          std::vector{GuardRecord{false, "server: safety check", "unattended", {}}});
    CHECK(json::serialize(stage.input(1)).find("acknowledged") == std::string::npos);
}

TEST_CASE("safety checks: a check of another reply is asked again, also with the same id") {
    ComputerCallStage stage;
    for (const char* id : {"c1", "c2"})
        stage.call(computer_call(id, R"([{"type":"screenshot"}])", a_check));
    CHECK(stage.say("Done.").run_with_user(true).size() == 2);
}

TEST_CASE("safety checks: another check with the same id is asked about, also in the same reply") {
    const std::string other =
        R"([{"id":"sc_1","code":"irrelevant_domain","message":"This is another page."}])";
    ComputerCallStage stage;
    stage.responses.push_back(
        {.items_json = {computer_call("c1", R"([{"type":"wait"}])", a_check),
                        computer_call("c2", R"([{"type":"type","text":"ab"}])", other)}});
    CHECK(stage.say("Done.").run_with_user(true).size() == 2);
    CHECK(stage.desktop.typed() == "ab");
}

TEST_CASE("safety checks: the question has the code of each check, also after a long message") {
    ComputerCallStage stage;
    stage.call(computer_call("c1", R"([{"type":"wait"}])",
                             R"([{"id":"sc_1","code":"first","message":")" +
                                 std::string(3000, 'x') +
                                 R"("},{"id":"sc_2","code":"second","message":"Look."}])"));
    const std::vector<ApprovalRequest> asked = stage.say("Done.").run_with_user(true);
    REQUIRE(asked.size() == 1);
    CHECK_THAT(asked[0].text, Catch::Matchers::StartsWith("first: xxx"));
    CHECK_THAT(asked[0].text, Catch::Matchers::EndsWith("\nsecond: Look."));
    CHECK(asked[0].text.size() < 1000);
}

TEST_CASE("safety checks: those of a refining reply need an approval, too") {
    for (const bool grants : {true, false}) {
        ComputerCallStage stage;
        stage.profile.refine = Refine::on;
        stage.call(computer_call("c1", R"([{"type":"click","button":"left","x":300,"y":400}])"));
        stage.call(
            computer_call("r1", R"([{"type":"click","button":"left","x":0,"y":0}])", a_check));
        const std::vector<ApprovalRequest> asked = stage.say("Done.").run_with_user(grants);
        REQUIRE(asked.size() == 1);
        CHECK(asked[0].text == "malicious_instructions: The page gives instructions.");
        CHECK(stage.desktop.events().empty() != grants);
        // The conversation does not contain the refining call.
        CHECK(json::serialize(stage.input(2)).find("acknowledged") == std::string::npos);
    }
}

TEST_CASE("safety checks: a resumed run acknowledges what the user has approved") {
    ComputerCallStage stage;
    stage.call(computer_call("c1", R"([{"type":"screenshot"}])", a_check));
    REQUIRE(stage.run_with_user(true).size() == 1); // the server has no second response
    const json::array before = stage.input(1);
    ChatServer again({.respond = vlm::testing::scripted_responses({{.text = "Done."}})});
    vlm::OpenAiClient client({.endpoint = again.url(), .api = vlm::Api::responses});
    Agent agent(stage.desktop, client, stage.profile, built_in_tools(), stage.options);
    CHECK(agent.resume(stage.store, RunControl()).reason == "Done.");
    const auto items = json::parse(again.requests().at(0).body).at("input").as_array();
    REQUIRE(items.size() >= 4);
    CHECK(items[3].at("acknowledged_safety_checks") == json::parse(a_check));
    for (std::size_t i = 0; i < 3; ++i) CHECK(items[i] == before[i]);
}
