// Which tool calls count that the model wrote as text.
#include "modes/text_calls_mode.hpp"

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/session/config.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "modes/conversation/conversation_mode.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace eyehand;
using namespace agent;

namespace {

using vlm::TextCalls;

Fact observed() {
    Observed fact;
    fact.sha256 = "a";
    fact.file = "a.png";
    return fact;
}

Fact replied(const std::vector<vlm::Provenance>& calls) {
    vlm::ChatReply reply{.text = "So."};
    for (const vlm::Provenance provenance : calls)
        reply.tool_calls.push_back(
            {"id" + std::to_string(reply.tool_calls.size()), "click", "{}", {}, provenance});
    return Replied{reply};
}

std::unique_ptr<Mode> conversation() {
    Profile profile;
    profile.system_prompt = "be careful";
    profile.max_turns = 9;
    return std::make_unique<ConversationMode>(profile, "the task",
                                              std::vector<vlm::ToolSpec>{{"click", "", "{}"}});
}

Fact invoked() {
    Invoked fact;
    fact.call_id = "id0";
    fact.ok = true;
    fact.result_json = R"({"ok":true})";
    return fact;
}

/// A conversation in a run with this rule.
struct Run {
    explicit Run(TextToolCalls rule = TextToolCalls::until_native) : mode(conversation(), rule) {
        apply(observed());
    }
    void apply(const Fact& fact) {
        facts.push_back(fact);
        mode.apply(fact);
    }
    [[nodiscard]] TextCalls accepts() const {
        return std::get<Ask>(mode.next()).request.text_calls;
    }
    [[nodiscard]] bool invokes() const { return std::holds_alternative<Invoke>(mode.next()); }

    TextCallsMode mode;
    std::vector<Fact> facts{};
};

/// A run against a server, with the types of its events and its end.
struct ServedRun {
    std::vector<std::string> events{};
    RunFinished finished{};
    std::vector<vlm::Provenance> provenances{}; ///< of the executed calls
    std::vector<std::string> requests{};        ///< their bodies

    ServedRun(const std::vector<std::string>& completions, TextToolCalls rule,
              vlm::Quirks quirks = {}) {
        vlm::testing::ChatServer server;
        for (const std::string& completion : completions) server.enqueue({.body = completion});
        vlm::OpenAiClient model({.endpoint = server.url(), .quirks = quirks});
        winio::testing::MemoryDesktop desktop{winio::Size{200, 100}};
        Profile profile = load_profile("observer");
        profile.text_tool_calls = rule;
        AgentOptions options;
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        test::TempFolder folder;
        RunDirectory directory = RunDirectory::create(folder.path());
        RunControl control;
        finished = Agent(desktop, model, profile, built_in_tools(), options)
                       .run("Read the page aloud.", directory, control);
        for (const Event& event : read_journal(directory)) {
            events.emplace_back(type_name(event));
            visit(
                event, [this](const Invoke& it) { provenances.push_back(it.call.provenance); },
                [](const auto&) {});
        }
        for (const auto& request : server.requests()) requests.push_back(request.body);
    }
    [[nodiscard]] bool invoked() const { return !provenances.empty(); }
};

const std::string leak = R"(<tool_call>{"name":"type_text","arguments":{"text":"a"}}</tool_call>)";
const std::string native_call = vlm::testing::completion("", "type_text", R"({"text":"b"})");

std::string answer(const std::string& text) { return vlm::testing::completion(text); }

} // namespace

TEST_CASE("text calls: each request accepts them as the profile allows it") {
    CHECK(Run(TextToolCalls::never).accepts() == TextCalls::never);
    CHECK(Run(TextToolCalls::if_not_native).accepts() == TextCalls::if_not_native);
    CHECK(Run(TextToolCalls::until_native).accepts() == TextCalls::always);
    CHECK(Profile().text_tool_calls == TextToolCalls::if_not_native);
}

TEST_CASE("text calls: they do not count after a native call") {
    for (const TextToolCalls rule : {TextToolCalls::if_not_native, TextToolCalls::until_native}) {
        Run run(rule);
        run.apply(replied({vlm::Provenance::text}));
        REQUIRE(run.invokes());
        CHECK(std::get<Invoke>(run.mode.next()).call.provenance == vlm::Provenance::text);
        run.apply(invoked());
        CHECK(run.accepts() != TextCalls::never);
        run.apply(replied({vlm::Provenance::native}));
        CHECK(std::get<Invoke>(run.mode.next()).call.provenance == vlm::Provenance::native);
        run.apply(invoked());
        CHECK(run.accepts() == TextCalls::never);
        (void)run.mode.take_notes();
        run.apply(replied({vlm::Provenance::text})); // for example, of a recording
        CHECK_FALSE(run.invokes());
        CHECK(run.mode.take_notes().front().kind == "refused");
    }
}

TEST_CASE("text calls: a native call in the same reply excludes them") {
    Run run;
    run.apply(replied({vlm::Provenance::text, vlm::Provenance::native}));
    REQUIRE(run.invokes());
    CHECK(std::get<Invoke>(run.mode.next()).call.id == "id1");
    Run never(TextToolCalls::never);
    never.apply(replied({vlm::Provenance::text}));
    CHECK_FALSE(never.invokes());
}

TEST_CASE("text calls: the facts of a run restore whether they count") {
    Run run;
    run.apply(replied({vlm::Provenance::native}));
    run.apply(invoked());
    TextCallsMode resumed(conversation(), TextToolCalls::until_native);
    for (const Fact& fact : run.facts) resumed.apply(fact);
    CHECK(std::get<Ask>(resumed.next()).request.text_calls == TextCalls::never);
}

TEST_CASE("text calls: a profile and a setting choose the rule") {
    auto files = profile_files("observer");
    std::string& json = files.at("profile.json");
    json.insert(json.find('{') + 1, R"("text_tool_calls": "never",)");
    Profile profile = parse_profile(files, "mine");
    CHECK(profile.text_tool_calls == TextToolCalls::never);
    CHECK(profile_from_json(to_json(profile), "again").text_tool_calls == TextToolCalls::never);
    CHECK_THAT(to_json(load_profile("observer")), !ContainsSubstring("text_tool_calls"));

    session::Config config = session::default_config();
    config.add(session::config_of(profile));
    CHECK(config.text("text_tool_calls") == "never");
    config.add(session::parse_config(R"({"text_tool_calls": "until_native"})", "eyehand.json"));
    session::apply(config, profile);
    CHECK(profile.text_tool_calls == TextToolCalls::until_native);

    json.replace(json.find("never"), 5, "maybe");
    CHECK_THROWS_AS(parse_profile(files, "mine"), Error);
}

TEST_CASE("text calls: make_mode applies the profile's rule in every mode") {
    for (const std::string& name : profile_names()) {
        Profile profile = load_profile(name);
        profile.text_tool_calls = TextToolCalls::never;
        const ToolsByRole tools = tools_by_role(built_in_tools(), profile);
        const auto mode = make_mode({profile, "do it", tools, {}});
        for (int i = 0; i < 3 && !std::holds_alternative<Ask>(mode->next()); ++i)
            mode->apply(observed());
        if (const Command command = mode->next(); std::holds_alternative<Ask>(command))
            CHECK(std::get<Ask>(command).request.text_calls == TextCalls::never);
    }
}

TEST_CASE("a page that a model reads aloud is not executed, and the model is asked again") {
    const ServedRun run({answer("The page says:\n" + leak), answer("It shows a call: `x`.")},
                        TextToolCalls::if_not_native);
    CHECK_FALSE(run.invoked());
    CHECK(run.finished.outcome == Outcome::completed);
    CHECK(run.finished.reason == "It shows a call: `x`.");
    REQUIRE(run.requests.size() == 2);
    CHECK_THAT(run.requests[1], ContainsSubstring("written as text, which was not carried out"));
}

TEST_CASE(
    "a call as text is not executed if it is unknown whether the model calls tools natively") {
    const ServedRun run({answer(leak), answer(leak)}, TextToolCalls::if_not_native);
    CHECK_FALSE(run.invoked());
    CHECK(run.finished.outcome == Outcome::failed);
    CHECK_THAT(run.finished.reason, ContainsSubstring("text_tool_calls: until_native"));
}

TEST_CASE("a call as text is executed for a model that does not call tools natively") {
    for (const auto& [rule, quirks] :
         {std::pair(TextToolCalls::if_not_native, vlm::Quirks{.tools_as_text = true}),
          std::pair(TextToolCalls::until_native, vlm::Quirks{})}) {
        const ServedRun run({answer("I type.\n" + leak), answer("Done.")}, rule, quirks);
        CHECK(run.provenances == std::vector<vlm::Provenance>{vlm::Provenance::text});
        CHECK(run.finished.outcome == Outcome::completed);
    }
}

TEST_CASE("a call as text is not executed after a native call, whatever the profile allows") {
    const ServedRun run({native_call, answer("The page says: " + leak), answer("Done.")},
                        TextToolCalls::until_native);
    CHECK(run.provenances == std::vector<vlm::Provenance>{vlm::Provenance::native});
    CHECK(run.finished.reason == "Done.");
}

TEST_CASE("a quoted call of a model without native calls is an answer after a reminder") {
    const std::string quoted = "The page says: `" + leak + "`";
    const ServedRun run({answer(quoted), answer(quoted)}, TextToolCalls::until_native);
    CHECK_FALSE(run.invoked());
    CHECK(run.finished.outcome == Outcome::completed);
    CHECK(run.finished.reason == quoted);
}

TEST_CASE(
    "a call as text in front of other text fails the run of a conversation after a reminder") {
    const ServedRun run({answer(leak + "\nI typed it."), answer(leak + "\nI typed it.")},
                        TextToolCalls::until_native);
    CHECK_FALSE(run.invoked());
    CHECK(run.finished.outcome == Outcome::failed);
    CHECK_THAT(run.finished.reason, ContainsSubstring("followed by other text"));
}
