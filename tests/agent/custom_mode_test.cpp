// The mode of a program: docs/examples/custom_mode.
#include "describe_factory.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include "eyehand/session/report.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "source_folder.hpp"

using namespace eyehand::agent;
using eyehand::vlm::testing::ScriptedModel;
using eyehand::winio::testing::MemoryDesktop;

namespace {

ModeRegistry modes() {
    ModeRegistry all = ModeRegistry::built_in();
    all.add(std::make_shared<DescribeFactory>());
    return all;
}

const std::string profile_folder =
    (test::source_folder() / "docs/examples/custom_mode/profile").string();

struct CustomModeStage {
    test::TempFolder folder;
    MemoryDesktop desktop{eyehand::winio::Size{640, 360}};
    ScriptedModel model;
    RunControl control;
    AgentOptions options;
    RunDirectory directory = RunDirectory::create(folder.path());

    CustomModeStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    Agent agent(Profile profile) {
        return {desktop, model, std::move(profile), built_in_tools(), options};
    }
};

std::vector<std::string> plans_of(const RunDirectory& directory) {
    std::vector<std::string> plans;
    for (const Event& event : read_journal(directory.journal_file()))
        visit(
            event, [&](const StateChanged& it) { plans.push_back(it.state.plan); },
            [](const auto&) {});
    return plans;
}

} // namespace

TEST_CASE("custom mode: a profile file selects it, and it runs to its end") {
    CustomModeStage stage;
    stage.model.say("A desktop.").say("A desktop with a clock.");
    const RunFinished result = stage.agent(load_profile(profile_folder, modes()))
                                   .run("Describe it.", stage.directory, stage.control);
    CHECK(result.outcome == Outcome::completed);
    CHECK(result.reason == "A desktop.\nA desktop with a clock.\n");
    CHECK(result.turns == 2);
    CHECK(load_run(stage.directory.path(), modes()).summary.profile.settings<DescribeSettings>());
    CHECK(plans_of(stage.directory) ==
          std::vector<std::string>{"A desktop.\n", "A desktop.\nA desktop with a clock.\n"});
}

TEST_CASE("custom mode: an interrupted run is resumed") {
    CustomModeStage stage;
    stage.model.say("A desktop.").fail({eyehand::vlm::errc::unreachable, "no server"});
    CHECK(stage.agent(load_profile(profile_folder, modes()))
              .run("Describe it.", stage.directory, stage.control)
              .outcome == Outcome::endpoint_failed);
    Profile profile = load_run(stage.directory.path(), modes()).summary.profile;
    stage.model.say("A clock.");
    RunControl control;
    const RunFinished result = stage.agent(std::move(profile)).resume(stage.directory, control);
    CHECK(result.outcome == Outcome::completed);
    CHECK(result.reason == "A desktop.\nA clock.\n");
}

TEST_CASE("custom mode: a stopped run ends with the mode's own outcome, and has a report") {
    CustomModeStage stage;
    stage.control.stop("enough");
    const RunFinished result = stage.agent(load_profile(profile_folder, modes()))
                                   .run("Describe it.", stage.directory, stage.control);
    CHECK(result.outcome == Outcome::cancelled);
    CHECK(result.reason == "enough");
    CHECK_THAT(eyehand::session::report_html(stage.directory.path()),
               ContainsSubstring("Describe it."));
}

TEST_CASE(
    "custom mode: a program that does not register it can show its runs, but not resume them") {
    CustomModeStage stage;
    stage.model.say("A desktop.").fail({eyehand::vlm::errc::unreachable, "no server"});
    (void)stage.agent(load_profile(profile_folder, modes()))
        .run("Describe it.", stage.directory, stage.control);
    const Profile profile = load_run(stage.directory.path()).summary.profile;
    CHECK(profile.mode == "describe");
    CHECK_THAT(to_json(profile), ContainsSubstring("\"looks\":2"));
    CHECK_THAT(eyehand::session::report_html(stage.directory.path()),
               ContainsSubstring("A desktop."));
    try {
        (void)stage.agent(profile);
        FAIL("it was accepted");
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_profile);
        CHECK_THAT(error.what(), ContainsSubstring("\"describe\""));
    }
}

TEST_CASE("custom mode: the error for an unregistered mode names the registered ones") {
    try {
        (void)load_profile(profile_folder);
        FAIL("it was loaded");
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_profile);
        CHECK_THAT(error.what(), ContainsSubstring("conversation, team, visual_loop"));
    }
}

TEST_CASE("custom mode: errors in its settings name file and member") {
    const std::map<std::string, std::string> files{
        {"profile.json", R"({"schema": 1, "name": "d", "mode": "describe", "model": "m",
                             "system_prompt": "p", "describe": {"looks": 0}})"},
        {"p", "Describe."}};
    try {
        (void)parse_profile(files, "mine", modes());
        FAIL("it was accepted");
    } catch (const Error& error) {
        CHECK_THAT(error.what(), ContainsSubstring("mine/profile.json: \"describe\" must have"));
    }
}

TEST_CASE("custom mode: two modes of a registry cannot have the same name") {
    ModeRegistry all = modes();
    CHECK_THROWS_AS(all.add(std::make_shared<DescribeFactory>()), std::invalid_argument);
    CHECK_THROWS_AS(all.add(nullptr), std::invalid_argument);
    CHECK(all.names() ==
          std::vector<std::string>{"conversation", "team", "visual_loop", "describe"});
    CHECK(ModeRegistry::built_in().find("describe") == nullptr);
}
