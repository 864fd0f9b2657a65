// Loop detection with the pointer that a real desktop draws.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <array>

using namespace eyehand;
using namespace agent;

TEST_CASE("loops: three clicks on the empty desktop that differ by a few units count as a loop") {
    test::TempFolder folder;
    const auto desktop = winio::open_desktop();
    vlm::testing::ScriptedModel model;
    model.call("observe_screen", "{}");
    // The pointer is visible and at another place in each screenshot.
    constexpr std::array boxes{"[500,500]", "[504,497]", "[496,503]"};
    for (const char* box : boxes)
        model.call("click_element", std::string(R"({"label":"nothing","box":)") + box + "}")
            .call("observe_screen", "{}");
    model.say("Done.");
    Profile profile = load_profile("observer");
    profile.loops.answer = LoopAnswer::tell;
    Agent agent(*desktop, model, profile);
    RunDirectory directory = RunDirectory::create(folder.path());
    RunControl control;
    const RunFinished finished = agent.run("click", directory, control);
    INFO(finished.reason);
    CHECK(finished.outcome == Outcome::completed);

    int clicks = 0;
    int loops = 0;
    std::vector<winio::NormPoint> pointers;
    JournalReader journal(directory.journal_file());
    while (const auto event = journal.next()) {
        if (const auto* fact = std::get_if<Invoked>(&event->payload)) {
            CHECK_FALSE(fact->stale);
            clicks += fact->action.acts ? 1 : 0;
        }
        if (const auto* seen = std::get_if<Observed>(&event->payload); seen && seen->pointer)
            pointers.push_back(*seen->pointer);
        if (const auto* note = std::get_if<Noted>(&event->payload); note && note->kind == "loop") {
            ++loops;
            CHECK(clicks == 3);
        }
    }
    CHECK(loops == 1);
    REQUIRE(pointers.size() >= 3);
    CHECK(pointers[pointers.size() - 1].x != pointers[pointers.size() - 2].x);
}
