// Runs with a model behind the Responses API, on a real socket.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/prompt.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/responses.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "unguarded.hpp"

#include <string>
#include <vector>

using namespace eyehand;
using namespace agent;
using vlm::testing::ChatServer;
using vlm::testing::Response;

namespace {

struct ResponsesRunStage {
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}};
    ChatServer server;
    vlm::OpenAiClient client{{.endpoint = server.url(),
                              .api = vlm::Api::responses,
                              .stream = false,
                              .retries = {.max_retries = 0}}};
    MemoryStore store;
    AgentOptions options = test::unguarded();

    ResponsesRunStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    void answer(const Response& response, int number) {
        server.enqueue({.body = vlm::testing::response_document(response, number)});
    }
    void answer_failure() { server.enqueue({.status = 400, .body = R"({"error":"no"})"}); }

    RunFinished run() { return agent().run("do it", store, RunControl()); }
    RunFinished resume() { return agent().resume(store, RunControl()); }

    /// The input of a request, one JSON text per item.
    [[nodiscard]] std::vector<std::string> input(std::size_t request) const {
        const std::string body = server.requests().at(request).body;
        CHECK(vlm::testing::response_request_problem(body) == "");
        std::vector<std::string> items;
        const json::value request_json = json::parse(body);
        for (const json::value& item : request_json.at("input").as_array())
            items.push_back(json::serialize(item));
        return items;
    }

private:
    Agent agent() { return {desktop, client, load_profile("observer"), built_in_tools(), options}; }
};

std::vector<std::string> items_of(const Response& response, int number) {
    std::vector<std::string> items;
    const auto document = json::parse(vlm::testing::response_document(response, number));
    for (const json::value& item : document.at("output").as_array())
        items.push_back(json::serialize(item));
    return items;
}

const Response looks{
    .reasoning = "I look first.", .text = "I look.", .calls = {{"observe_screen", "{}", "call_1"}}};
const Response types{.reasoning = "Now I type.",
                     .calls = {{"type_text", R"({"text":"a"})", "call_2"}}};

} // namespace

TEST_CASE("responses run: the output items of a reply are sent back unchanged") {
    ResponsesRunStage stage;
    stage.answer(looks, 1);
    stage.answer(types, 2);
    stage.answer({.text = "Done."}, 3);
    CHECK(stage.run().reason == "Done.");
    CHECK(stage.desktop.typed() == "a");
    const std::vector<std::string> input = stage.input(2);
    const std::vector<std::string> first = items_of(looks, 1);
    const std::vector<std::string> second = items_of(types, 2);
    REQUIRE(input.size() >= 1 + first.size() + 2 + second.size() + 1);
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(input[1 + i] == first[i]);
    for (std::size_t i = 0; i < second.size(); ++i) CHECK(input[6 + i] == second[i]);
}

TEST_CASE("responses run: a resumed run sends the same items, byte for byte") {
    ResponsesRunStage stage;
    stage.answer(looks, 1);
    stage.answer(types, 2);
    stage.answer_failure();
    CHECK(stage.run().outcome == Outcome::endpoint_failed);
    stage.answer({.text = "Done."}, 4);
    CHECK(stage.resume().reason == "Done.");
    const std::vector<std::string> before = stage.input(2);
    const std::vector<std::string> again = stage.input(3);
    REQUIRE(again.size() >= before.size());
    for (std::size_t i = 0; i + 1 < before.size(); ++i) CHECK(again[i] == before[i]);
}

TEST_CASE("responses run: the journal names the stored text of the items") {
    ResponsesRunStage stage;
    stage.answer(looks, 1);
    stage.answer({.text = "Done."}, 2);
    CHECK(stage.run().reason == "Done.");
    std::string items;
    for (const Event& event : read_journal(stage.store)) {
        const auto* asked = std::get_if<Asked>(&event.payload);
        if (asked == nullptr || !asked->sent) continue;
        for (const SentMessage& message : asked->sent->added)
            if (message.items) items = read_prompt(stage.store, message.items->hash).value_or("");
    }
    std::string expected = "[";
    for (const std::string& item : items_of(looks, 1))
        expected += (expected.size() > 1 ? "," : "") + item;
    CHECK(items == expected + "]");
}

TEST_CASE("responses run: a message of the user continues after the final answer with its items") {
    ResponsesRunStage stage;
    stage.answer({.reasoning = "I am done.", .text = "Done.\n"}, 1);
    stage.answer({.text = "Really done."}, 2);
    RunControl control;
    const auto send = [&] { control.send_message("And now?"); };
    struct Speaker : Observer {
        std::function<void()> speak;
        void on_event(const Event& event) override {
            if (std::holds_alternative<Asked>(event.payload) && speak) std::exchange(speak, {})();
        }
    } speaker;
    speaker.speak = send;
    Agent agent(stage.desktop, stage.client, load_profile("observer"), built_in_tools(),
                stage.options);
    CHECK(agent.run("do it", stage.store, control, &speaker).reason == "Really done.");
    const std::vector<std::string> expected =
        items_of({.reasoning = "I am done.", .text = "Done.\n"}, 1);
    const std::vector<std::string> input = stage.input(1);
    REQUIRE(input.size() >= 3);
    CHECK(input[1] == expected[0]);
    CHECK(input[2] == expected[1]);
}
