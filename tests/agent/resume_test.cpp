// Resumes runs that were interrupted at any point.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/vlm/digest.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fstream>

using namespace eyehand;

namespace {

using namespace agent;
using vlm::testing::ScriptedModel;
using winio::testing::MemoryDesktop;

/// The model's replies in a complete run: the typed text shows which calls took effect.
const std::vector<std::pair<std::string, std::string>> script{
    {"type_text", R"({"text":"a"})"}, {"observe_screen", "{}"},
    {"type_text", R"({"text":"b"})"}, {"type_text", R"({"text":"c"})"},
    {"type_text", R"({"text":""})"}, // refused
    {"observe_screen", "{}"},         {"type_text", R"({"text":"d"})"},
};

ScriptedModel model_from(std::size_t reply) {
    ScriptedModel model;
    for (std::size_t i = reply; i < script.size(); ++i)
        model.call(script[i].first, script[i].second);
    model.say("Done.");
    return model;
}

struct Result {
    std::string typed;
    RunFinished finished;
    std::vector<vlm::ChatRequest> requests;
};

AgentOptions at_once() {
    AgentOptions options;
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    return options;
}

Result run_whole(RunDirectory& directory) {
    MemoryDesktop desktop{winio::Size{200, 100}};
    ScriptedModel model = model_from(0);
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
    const RunFinished finished = agent.run("do it", directory, control);
    return {desktop.typed(), finished, model.requests()};
}

Result resume(RunDirectory& directory, std::size_t replies_so_far, Watch watch = Watch::check) {
    MemoryDesktop desktop{winio::Size{200, 100}};
    ScriptedModel model = model_from(replies_so_far);
    RunControl control;
    AgentOptions options = at_once();
    options.watch = watch;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), options);
    const RunFinished finished = agent.resume(directory, control);
    return {desktop.typed(), finished, model.requests()};
}

std::size_t count(const std::vector<std::string>& lines, std::size_t max, const std::string& type) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < max; ++i)
        found += lines[i].find("\"type\":\"" + type + "\"") != std::string::npos ? 1 : 0;
    return found;
}

/// A copy of the run with only a part of its journal.
RunDirectory cut_off(const RunDirectory& whole, const std::filesystem::path& to,
                     const std::string& journal) {
    std::filesystem::remove_all(to);
    std::filesystem::copy(whole.path(), to, std::filesystem::copy_options::recursive);
    std::ofstream(to / "events.jsonl", std::ios::binary | std::ios::trunc) << journal;
    return RunDirectory::open(to);
}

} // namespace

TEST_CASE("resume: a run interrupted after any entry continues, and no action is repeated") {
    test::TempFolder folder;
    RunDirectory whole = RunDirectory::create(folder.path());
    REQUIRE(run_whole(whole).typed == "abcd");
    const auto lines = test::lines_of(whole.journal_file());
    std::string journal;
    for (std::size_t kept = 1; kept < lines.size() - 1;
         ++kept) { // the last entry is the end of the run
        INFO("kept " << kept << ", the last one is " << lines[kept - 1]);
        journal += lines[kept - 1] + "\n";
        for (const std::string& torn :
             {std::string(), lines[kept].substr(0, lines[kept].size() / 2)}) {
            RunDirectory directory = cut_off(whole, folder / "cut", journal + torn);
            const std::size_t before = count(lines, kept, "invoke");
            const Result result = resume(directory, count(lines, kept, "replied"));
            CHECK(result.finished.outcome == Outcome::completed);
            CHECK(result.finished.turns == 8);
            // An announced action may have happened, so it is not repeated. One that was about to be
            // carried out is refused: the model must look first.
            const bool about_to = lines[kept - 1].find("\"type\":\"replied\"") != std::string::npos;
            std::string expected;
            std::size_t number = 0;
            for (const auto& [tool, arguments] : script) {
                if (number++ < before + (about_to ? 1 : 0) || tool != "type_text") continue;
                expected += arguments.substr(9, arguments.size() - 11);
            }
            CHECK(result.typed == expected);
            const auto after = test::lines_of(directory.journal_file());
            for (const std::string& line : after) CHECK(parse_json(line));
            CHECK(count(after, after.size(), "run_resumed") == 1);
        }
    }
}

TEST_CASE("resume: the model is told of an action that may have happened") {
    test::TempFolder folder;
    RunDirectory whole = RunDirectory::create(folder.path());
    (void)run_whole(whole);
    const auto lines = test::lines_of(whole.journal_file());
    std::string journal;
    for (const std::string& line : lines) {
        journal += line + "\n";
        if (line.find("\"type\":\"invoke\"") != std::string::npos) break;
    }
    RunDirectory directory = cut_off(whole, folder / "cut", journal);
    const Result result = resume(directory, 1);
    REQUIRE_FALSE(result.requests.empty());
    CHECK_THAT(result.requests.front().messages.back().text(),
               ContainsSubstring("look at the screen before repeating"));
}

TEST_CASE("resume: a run continues after a stop and after a failure of the server") {
    test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    {
        MemoryDesktop desktop{winio::Size{200, 100}};
        ScriptedModel model;
        model.call("type_text", R"({"text":"a"})");
        model.fail({vlm::errc::unreachable, "nothing listens"});
        RunControl control;
        Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
        CHECK(agent.run("do it", directory, control).outcome == Outcome::endpoint_failed);
    }
    {
        MemoryDesktop desktop{winio::Size{200, 100}};
        ScriptedModel model;
        RunControl control;
        control.stop("enough for today");
        Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
        CHECK(agent.resume(directory, control).outcome == Outcome::cancelled);
    }
    const Result result = resume(directory, 1);
    CHECK(result.finished.outcome == Outcome::completed);
    CHECK(result.typed == "bcd");
}

TEST_CASE("resume: totals include all parts of a run") {
    test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    const auto called = [](int prompt, int completion) {
        vlm::ChatReply reply;
        reply.tool_calls = {{"id", "type_text", R"({"text":"a"})", {}}};
        reply.usage = {prompt, std::nullopt, completion};
        return reply;
    };
    {
        MemoryDesktop desktop{winio::Size{200, 100}};
        ScriptedModel model;
        model.reply_with(called(100, 7)).reply_with(called(200, 8));
        model.fail({vlm::errc::unreachable, "nothing listens"});
        RunControl control;
        Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
        CHECK(agent.run("do it", directory, control).usage.prompt_tokens == 300);
    }
    // As if the first part had taken an hour.
    std::vector<std::string> lines = test::lines_of(directory.journal_file());
    std::string previous(64, '0');
    std::string journal;
    for (std::string& line : lines) {
        json::object entry = parse_json(line)->as_object();
        entry["t"] = entry.at("t").to_number<std::int64_t>() + 3600000;
        entry["prev"] = previous;
        line = to_text(entry);
        previous = vlm::sha256_hex(line);
        journal += line + "\n";
    }
    std::ofstream(directory.journal_file(), std::ios::binary | std::ios::trunc) << journal;

    MemoryDesktop desktop{winio::Size{200, 100}};
    ScriptedModel model;
    model.reply_with(called(400, 9)).say("Done.");
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
    const RunFinished finished = agent.resume(directory, control);
    CHECK(finished.usage.prompt_tokens == 700);
    CHECK(finished.usage.completion_tokens == 24);
    CHECK_FALSE(finished.usage.cached_tokens);
    CHECK(finished.elapsed >= std::chrono::hours(1));
    const auto last = parse_json(test::lines_of(directory.journal_file()).back());
    CHECK(last->at("prompt_tokens").as_int64() == 700);
    CHECK(last->at("elapsed_ms").as_int64() <= last->at("t").as_int64());
}

TEST_CASE("resume: a run in progress is not touched") {
    test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    struct Intruder final : Observer {
        explicit Intruder(const std::filesystem::path& path) : path_(path) {}
        void on_event(const Event& event) override {
            if (!std::holds_alternative<Invoked>(event.payload)) return;
            RunDirectory again = RunDirectory::open(path_);
            try {
                (void)resume(again, 1);
            } catch (const Error& error) {
                code = error.code();
            }
        }
        std::error_code code;

    private:
        std::filesystem::path path_;
    } intruder(directory.path());
    MemoryDesktop desktop{winio::Size{200, 100}};
    ScriptedModel model;
    model.call("type_text", R"({"text":"a"})").say("Done.");
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
    CHECK(agent.run("do it", directory, control, &intruder).outcome == Outcome::completed);
    CHECK(intruder.code == errc::run_locked);
    CHECK(desktop.typed() == "a");
}

TEST_CASE("resume: the limit of turns can be raised") {
    test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    Profile profile = load_profile("observer");
    profile.max_turns = 2;
    {
        MemoryDesktop desktop{winio::Size{200, 100}};
        ScriptedModel model = model_from(0);
        RunControl control;
        Agent agent(desktop, model, profile, built_in_tools(), at_once());
        CHECK(agent.run("do it", directory, control).outcome == Outcome::steps_used_up);
    }
    const Result result = resume(directory, 2);
    CHECK(result.finished.outcome == Outcome::completed);
    CHECK(result.typed == "bcd");
}

TEST_CASE("resume: the error names the reason") {
    test::TempFolder folder;
    const auto code_of = [](RunDirectory& directory, Watch watch = Watch::check) {
        try {
            (void)resume(directory, 0, watch);
        } catch (const Error& error) {
            return error.code();
        }
        return std::error_code();
    };
    RunDirectory empty = RunDirectory::create(folder.path());
    CHECK(code_of(empty) == errc::bad_run);
    std::ofstream(empty.journal_file()) << "";
    CHECK(code_of(empty) == errc::journal_corrupt);

    RunDirectory whole = RunDirectory::create(folder.path());
    (void)run_whole(whole);
    CHECK(code_of(whole) == errc::run_over);

    const auto lines = test::lines_of(whole.journal_file());
    RunDirectory changed = cut_off(whole, folder / "cut", lines[0] + "\n" + lines[2] + "\n");
    CHECK(code_of(changed) == errc::journal_corrupt);

    std::string journal;
    for (std::size_t i = 0; i < 4; ++i) journal += lines[i] + "\n";
    RunDirectory without_screenshot = cut_off(whole, folder / "cut", journal);
    std::ofstream(without_screenshot.path() / "screenshots/turn_0001.png") << "not the picture";
    CHECK(code_of(without_screenshot, Watch::off) == errc::bad_run); // otherwise it looks again
    try {
        (void)RunDirectory::open(folder / "nowhere");
        FAIL("a missing directory was opened");
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_run);
        CHECK_THAT(error.what(), ContainsSubstring("is not a run directory"));
    }
}

TEST_CASE("a message during a failed last request is delivered when the run is resumed") {
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    MemoryDesktop desktop{winio::Size{200, 100}};
    {
        ScriptedModel model;
        RunControl control;
        model.answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
            CHECK(control.send_message("Are you there?") == SubmitResult::accepted);
            throw vlm::Error(vlm::errc::unreachable, "nothing listens");
        });
        Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
        CHECK(agent.run("do it", directory, control).outcome == Outcome::endpoint_failed);
    }
    ScriptedModel model;
    model.say("Done.");
    RunControl control;
    Agent agent(desktop, model, load_profile("observer"), built_in_tools(), at_once());
    CHECK(agent.resume(directory, control).outcome == Outcome::completed);
    REQUIRE(model.requests().size() == 1);
    CHECK_THAT(model.requests().at(0).messages.back().text(), ContainsSubstring("Are you there?"));
}
