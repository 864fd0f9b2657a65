// The script that repeats a run (script.hpp).
#include "eyehand/agent/agent.hpp"
#include "eyehand/session/script.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <boost/json.hpp>

#include <cstdlib>
#include <fstream>

using namespace eyehand;

namespace {

struct ScriptStage {
    agent::MemoryStore store;
    winio::testing::MemoryDesktop desktop{winio::Size{1001, 1001}};
    vlm::testing::ScriptedModel model;
    agent::AgentOptions options;
    agent::Profile profile = agent::load_profile("observer");

    ScriptStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    /// The lines of the script, without its first two.
    std::vector<std::string> script() {
        model.say("Done.");
        const agent::RunControl control;
        (void)agent::Agent(desktop, model, profile, agent::built_in_tools(), options)
            .run("do it", store, control);
        const std::string text = session::script_of(store);
        REQUIRE(text.starts_with("#!/bin/sh\nset -eu\n"));
        std::istringstream in(text);
        std::vector<std::string> lines;
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        return {lines.begin() + 2, lines.end()};
    }
};

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("a script has one command per action, for the area of the run") {
    ScriptStage stage;
    stage.options.settings = {{"display", "1", "--display"},
                              {"crop", "0,0,1000,500", "--crop"},
                              {"window", "", "default"}};
    stage.options.with = {"drag", "move", "paste_text", "hold_key"};
    stage.model.call("click_element", R"({"label":"OK","box":[500,250]})")
        .call("scroll_at_position", R"({"box":[10,20],"amount":2})")
        .call("scroll_at_position", R"({"box":[10,20],"direction":"up"})")
        .call("press_key", R"({"key":"ctrl+s"})")
        .call("paste_text", R"({"text":"pasted"})")
        .call("observe_screen", "{}");
    const std::string area = " --display '1' --crop '0,0,1000,500' -- ";
    CHECK(stage.script() == Lines{"agent-cli do click" + area + "'500' '250'",
                                  "agent-cli do scroll" + area + "'10' '20' '-2'",
                                  "agent-cli do scroll" + area + "'10' '20' '3'",
                                  "agent-cli do press" + area + "'ctrl+s'",
                                  "agent-cli do paste" + area + "'pasted'"});
}

TEST_CASE("a script says what it does not repeat") {
    ScriptStage stage;
    stage.options.with = {"hold_key"};
    stage.options.guard = agent::Guard(agent::GuardLevel::standard);
    stage.options.guard.add({{.name = "no text",
                              .when = {.effects = {agent::EffectKind::text}},
                              .then = agent::Decision::deny}},
                            agent::RuleOrigin::user);
    stage.model.call("type_text", R"({"text":"denied"})")
        .call("hold_key", R"({"key":"shift","seconds":0.1})")
        .call("press_key", R"({"key":"nonsense"})");
    CHECK(stage.script() == Lines{"# turn 1, not repeated: type, which was refused or failed",
                                  "# turn 2, not repeated: the tool hold_key",
                                  "# turn 3, not repeated: press, which was refused or failed"});
}

TEST_CASE("a script does not type the names of the run's secrets") {
    const bool has_secrets = GENERATE(true, false);
    ScriptStage stage;
    if (has_secrets) {
        for (const char* name : {"mail", "code"})
            stage.options.secrets.add({.name = name, .read = [] { return "battery staple"; }});
        stage.options.settings = {{"secrets", "mail, code", "--secrets"}};
    }
    stage.model.call("type_text", R"({"text":"anna"})")
        .call("type_text", R"({"text":"my secret://code"})");
    CHECK(stage.script() == Lines{"agent-cli do type -- 'anna'",
                                  has_secrets
                                      ? "# turn 2, not repeated: type, whose text contains a secret"
                                      : "agent-cli do type -- 'my secret://code'"});
}

#ifndef _WIN32
TEST_CASE("the shell passes texts of the model to the program and runs no part of them") {
    const std::vector<std::string> texts{
        "it's", "'; echo no; '", "$HOME `id` $(id) \\ \"", "a\nb\tc", "-x", "zażółć ‘ ’"};
    ScriptStage stage;
    for (const std::string& text : texts)
        stage.model.call("type_text", boost::json::serialize(boost::json::object{{"text", text}}));
    (void)stage.script();
    // A program of this name that writes its arguments.
    const test::TempFolder folder;
    const std::filesystem::path program = folder / "agent-cli";
    std::ofstream(program) << "#!/bin/sh\nprintf '%s\\n' \"$@\" >> " << (folder / "out").string()
                           << "\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    std::ofstream(folder / "run.sh") << session::script_of(stage.store);
    const std::string command =
        "PATH=" + folder.path().string() + ":$PATH sh " + (folder / "run.sh").string();
    REQUIRE(std::system(command.c_str()) == 0); // NOLINT(concurrency-mt-unsafe): one thread
    std::string expected;
    for (const std::string& text : texts) expected += "do\ntype\n--\n" + text + "\n";
    CHECK(test::read_file(folder / "out") == expected);
}
#endif
