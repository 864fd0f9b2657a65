// Run directories from before named error codes, which every version must read, report and resume.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/session/report.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "source_folder.hpp"
#include "temp_folder.hpp"
#include "unguarded.hpp"

#include <algorithm>

using namespace eyehand;
using namespace eyehand::agent;

namespace {

/// A copy, because reading a run may lock its files and resuming it appends to them.
std::filesystem::path copy_of(const std::string& name, const test::TempFolder& folder) {
    std::filesystem::copy(test::source_folder() / "tests/data" / "runs-0.1" / name, folder / name,
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directories(folder / name / "screenshots"); // Git drops empty folders
    return folder / name;
}

std::string text_of(const vlm::ChatRequest& request) {
    std::string all;
    for (const vlm::Message& message : request.messages) all += message.text() + "\n";
    return all;
}

} // namespace

TEST_CASE("golden runs: the summary of an older run is read") {
    struct Row {
        const char* name;
        const char* profile;
        const char* task;
        int max_turns;
        const char* outcome;
    };
    const Row row = GENERATE(Row{"conversation", "observer", "Write a note.", 10, "completed"},
                             Row{"team", "commander", "write a greeting", 30, "completed"},
                             Row{"visual_loop", "story", "Draw a line.", 50, "completed"},
                             Row{"crashed", "observer", "Type two letters.", 10, ""},
                             Row{"resumed", "observer", "Type two letters.", 10, "completed"});
    CAPTURE(row.name);
    const test::TempFolder folder;
    const StoredRun run = load_run(copy_of(row.name, folder));
    CHECK(run.version == "0.1.0");
    CHECK(run.outcome == row.outcome);
    CHECK(run.summary.task == row.task);
    CHECK(run.summary.profile.name == row.profile);
    CHECK(run.summary.profile.max_turns == row.max_turns);
}

TEST_CASE("golden runs: an older run gets a report") {
    struct Row {
        const char* name;
        const char* words;
    };
    const Row row =
        GENERATE(Row{"conversation", "I click beside it."}, Row{"team", "the dialog is gone"},
                 Row{"visual_loop", "The line is drawn."}, Row{"crashed", "Type two letters."},
                 Row{"resumed", "vlm.unreachable"});
    CAPTURE(row.name);
    const test::TempFolder folder;
    const std::string page = test::read_file(session::write_report(copy_of(row.name, folder)));
    CHECK_THAT(page, ContainsSubstring(row.words));
}

TEST_CASE("golden runs: the facts of an older journal are read") {
    struct Row {
        const char* name;
        int replies;
        const char* outcome;
    };
    const Row row = GENERATE(Row{"conversation", 6, "completed"}, Row{"team", 7, "completed"},
                             Row{"visual_loop", 3, "completed"}, Row{"crashed", 2, ""},
                             Row{"resumed", 3, "completed"});
    CAPTURE(row.name);
    const test::TempFolder folder;
    const Journal journal(copy_of(row.name, folder) / "events.jsonl");
    const auto& facts = journal.recovered();
    CHECK(std::count_if(facts.begin(), facts.end(), [](const Fact& fact) {
              return std::holds_alternative<Replied>(fact);
          }) == row.replies);
    CHECK(journal.outcome() == row.outcome);
}

TEST_CASE("golden runs: a completed older run cannot be resumed") {
    const std::string name = GENERATE("conversation", "team", "visual_loop", "resumed");
    CAPTURE(name);
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::open(copy_of(name, folder));
    winio::testing::MemoryDesktop desktop{winio::Size{640, 360}};
    vlm::testing::ScriptedModel model;
    RunControl control;
    Agent agent(desktop, model, load_run(directory.path()).summary.profile);
    try {
        (void)agent.resume(directory, control);
        FAIL("it was resumed");
    } catch (const Error& error) {
        CHECK(error.code() == errc::run_over);
    }
}

TEST_CASE("golden runs: an older run that crashed is resumed and repeats no action") {
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::open(copy_of("crashed", folder));
    winio::testing::MemoryDesktop desktop{winio::Size{640, 360}};
    vlm::testing::ScriptedModel model;
    model.call("observe_screen", "{}", "I look first.").say("Both letters are there.");
    AgentOptions options = test::unguarded();
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    RunControl control;
    Agent agent(desktop, model, load_run(directory.path()).summary.profile, built_in_tools(),
                options);
    const RunFinished result = agent.resume(directory, control);
    CHECK(result.outcome == Outcome::completed);
    CHECK(result.turns == 4); // two before the crash
    std::vector<Asked> requests;
    for (const Event& event : read_journal(directory.journal_file()))
        if (const auto* request = std::get_if<Asked>(&event.payload)) requests.push_back(*request);
    REQUIRE(requests.size() >= 4);
    CHECK_FALSE(requests[1].sent); // of the older version
    REQUIRE(requests[2].sent);
    CHECK(requests[2].number == 3);
    CHECK(requests[2].sent->added.size() == requests[2].messages);
    CHECK(requests[3].sent->same > 0);
    CHECK(desktop.typed().empty());
    CHECK_THAT(text_of(model.requests().front()), ContainsSubstring("interrupted"));
}
