// agent-cli guard, and the guard of run and resume, on a real desktop.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fstream>

using namespace eyehand;
using test::agent_cli;
using test::ProcessResult;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

constexpr const char* windows_key = R"({"key":"windows"})";

std::string write(const test::TempFolder& folder, const std::string& text) {
    const auto file = folder / "rules.json";
    std::ofstream(file) << text;
    return file.string();
}

/// A run without a terminal whose model presses the Windows key `times` times, then is done.
struct GuardStage {
    test::TempFolder folder;
    ChatServer server;

    void press(int times, const std::string& key = windows_key) {
        for (int i = 0; i < times; ++i) server.enqueue({.body = completion("", "press_key", key)});
        server.enqueue({.body = completion("done")});
    }
    ProcessResult start(std::vector<std::string> words, std::vector<std::string> more) {
        for (const std::string& word :
             {std::string("--no-probe"), std::string("--endpoint"), server.url()})
            words.push_back(word);
        words.insert(words.end(), more.begin(), more.end());
        return agent_cli(words);
    }
    ProcessResult run(std::vector<std::string> more) {
        more.insert(more.end(), {"--run-dir", folder.path().string()});
        return start({"run", "do it"}, more);
    }
    [[nodiscard]] std::string run_path() const { return (folder / "run_0001").string(); }
};

} // namespace

TEST_CASE("guard test names the decision and the rule") {
    const test::TempFolder folder;
    const std::string mine = write(folder, R"({"rules": [
        {"name": "no deletions", "when": {"kind": "terminal", "text": "*rm -r*"}, "then": "deny",
         "reason": "Deleted files are gone."}]})");
    const auto decision = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"guard", "test"});
        const auto result = agent_cli(words);
        INFO(result.err);
        CHECK(result.status == 0);
        return result.out;
    };
    CHECK(decision({"text", "Hello", "--process", "mousepad"}) == "allow (default)\n");
    CHECK_THAT(decision({"text", "ls", "--process", "xterm"}),
               ContainsSubstring("ask (built_in: terminal): "));
    CHECK(decision({"text", "rm -r /", "--process", "xterm", "--guard-rules", mine}) ==
          "deny (user: no deletions): Deleted files are gone.\n");
    CHECK_THAT(decision({"key", "ctrl+alt+f1"}),
               ContainsSubstring("deny (invariant: forbidden chord)"));
    CHECK_THAT(decision({"launch", "notepad"}), ContainsSubstring("ask (built_in: launch)"));
    CHECK_THAT(decision({"move", "--guard", "strict"}),
               ContainsSubstring("ask (built_in: strict)"));
    CHECK(decision({"launch", "notepad", "--guard", "off"}) == "allow (off)\n");
    CHECK(agent_cli({"guard", "test", "dance"}).status == 2);
    CHECK(agent_cli({"guard", "test", "key", "hyper"}).status == 2);
}

TEST_CASE("a file of rules that is not valid ends the program before the run") {
    GuardStage stage;
    const std::string file = write(stage.folder, R"({"rules": [{"name": "a", "when": {}}]})");
    const auto result = stage.run({"--guard", "standard", "--guard-rules", file});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("rules.json"));
    CHECK_THAT(result.err, ContainsSubstring("\"then\" is missing"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
    CHECK(stage.server.requests().empty());
}

TEST_CASE(
    "without a user, the model is told what the guard denies, and guard explain names the rule") {
    GuardStage stage;
    stage.press(1);
    const auto result = stage.run({"--guard", "standard"});
    INFO(result.err);
    CHECK(result.status == 0);
    REQUIRE(stage.server.requests().size() == 2);
    CHECK_THAT(stage.server.requests().back().body, ContainsSubstring("no user can be asked"));
    const auto explained = agent_cli({"guard", "explain", stage.run_path()});
    CHECK(explained.status == 0);
    CHECK_THAT(explained.out, ContainsSubstring("press_key: denied by the absence of a user, rule "
                                                "\"built_in: system chord\", in "));
}

TEST_CASE(
    "guard explain prints each decision with its duration, also those of a recovery and of older "
    "journals") {
    const test::TempFolder folder;
    std::filesystem::create_directory(folder / "screenshots");
    std::ofstream(folder / "run.json") << "{}";
    std::ofstream(folder / "events.jsonl") << R"({"type":"recover","turn":2,"why":"a loop"}
{"type":"judged","turn":2,"step":"press Escape","allowed":true,"rule":"built_in: terminal","decider":"user","channel":"panel","policy_ms":3200}
{"type":"judged","turn":2,"step":"click in the corner","allowed":false,"rule":"default","decider":"rule","policy_ms":2.5}
{"type":"recovered","turn":2,"policy_ms":3202.5,"act_ms":1,"guard":{"allowed":false,"rule":"default","decider":"rule"}}
{"type":"invoke","turn":3,"call_id":"a","tool":"click"}
{"type":"invoked","turn":3,"call_id":"a","tool":"click","ok":true,"result":"","policy_ms":12,"act_ms":1,"guard":{"allowed":true,"rule":"default","decider":"rule"}}
{"type":"recover","turn":4,"why":"a loop"}
{"type":"recovered","turn":4,"act_ms":1,"guard":{"allowed":true,"rule":"default","decider":"rule"}}
)";
    const auto explained = agent_cli({"guard", "explain", folder.path().string()});
    CHECK(explained.status == 0);
    CHECK(
        explained.out ==
        "turn 2: recovery (press Escape): allowed by the user (panel), rule \"built_in: "
        "terminal\", in 3.2 s\n"
        "turn 2: recovery (click in the corner): denied by the rule, rule \"default\", in 2.5 ms\n"
        "turn 3: click: allowed by the rule, rule \"default\", in 12.0 ms\n"
        "turn 4: recovery: allowed by the rule, rule \"default\"\n");
}

TEST_CASE("a run that the guard lets do nothing is exit code 6") {
    GuardStage stage;
    stage.press(6);
    const auto result = stage.run({"--guard", "standard"});
    INFO(result.err);
    CHECK(result.status == 6);
    CHECK_THAT(result.err, ContainsSubstring("the guard denied 5 actions in a row"));
}

TEST_CASE("a rule of the user allows without asking") {
    GuardStage stage;
    stage.press(1, R"({"key":"shift"})"); // without an effect on the desktop
    const std::string file = write(stage.folder, R"({"rules": [
        {"name": "harmless", "when": {"chord": "shift"}, "then": "allow"}]})");
    const auto result = stage.run({"--guard", "strict", "--unattended", "--guard-rules", file});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(agent_cli({"guard", "explain", stage.run_path()}).out,
               ContainsSubstring("press_key: allowed by the rule, rule \"user: harmless\""));
}

TEST_CASE(
    "the file of --unattended supplies rules, and the flag alone leaves the task to the run") {
    GuardStage stage;
    const std::string file = write(stage.folder, R"({"rules": [
        {"name": "harmless", "when": {"chord": "shift"}, "then": "allow"}]})");
    const bool with_rules = GENERATE(false, true);
    stage.press(1, R"({"key":"shift"})");
    const auto result =
        stage.start({"run", with_rules ? "--unattended=" + file : "--unattended", "do it"},
                    {"--guard", "strict", "--run-dir", stage.folder.path().string()});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(stage.server.requests().front().body, ContainsSubstring("do it"));
    const std::string rule = with_rules
                                 ? "allowed by the rule, rule \"user: harmless\""
                                 : "denied by the absence of a user, rule \"built_in: strict\"";
    CHECK_THAT(agent_cli({"guard", "explain", stage.run_path()}).out,
               ContainsSubstring("press_key: " + rule));
    const std::string settings =
        test::read_file(std::filesystem::path(stage.run_path()) / "run.json");
    CHECK((settings.find("rules.json") != std::string::npos) == with_rules);
}

TEST_CASE("a resumed run has at least the guard of the run, unless a flag sets it") {
    GuardStage stage;
    stage.press(6);
    CHECK(stage.run({"--guard", "standard"}).status == 6);
    const auto last_decision = [&] {
        const std::string all = agent_cli({"guard", "explain", stage.run_path()}).out;
        const auto begin = all.rfind("turn ");
        return begin == std::string::npos ? all : all.substr(begin);
    };
    const std::string before = last_decision();
    std::vector<std::string> flags{"--max-turns", "50"};
    SECTION("without flags") {}
    SECTION("--approve never is the default, and chooses no level") {
        flags.insert(flags.end(), {"--approve", "never"});
    }
    stage.press(1);
    (void)stage.start({"resume", stage.run_path()}, flags);
    CHECK(last_decision() != before);
    CHECK_THAT(last_decision(), ContainsSubstring("denied"));
}

TEST_CASE("an unknown value of --approve is refused when a run is resumed") {
    GuardStage stage;
    stage.press(1);
    CHECK(stage.run({}).status == 0);
    const auto result = stage.start({"resume", stage.run_path()}, {"--approve", "sometimes"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("--approve") && ContainsSubstring("sometimes"));
}

TEST_CASE("without a flag the guard is standard, and the program says that no user can be asked") {
    GuardStage stage;
    stage.press(1);
    const auto result = stage.run({});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.err, ContainsSubstring("actions that need approval are denied"));
    CHECK_THAT(agent_cli({"guard", "explain", stage.run_path()}).out, ContainsSubstring("denied"));
}

TEST_CASE("only the command line turns the guard off, and a resumed run has one again") {
    GuardStage stage;
    const auto refused = agent_cli({"run", "do it", "--no-probe", "--endpoint", stage.server.url(),
                                    "--run-dir", stage.folder.path().string()},
                                   {{"EYEHAND_GUARD", "off"}});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, ContainsSubstring("EYEHAND_GUARD") && ContainsSubstring("--guard off"));

    stage.server.enqueue({.body = completion("", "press_key", R"({"key":"shift"})")});
    CHECK(stage.run({"--guard", "off", "--max-turns", "1"}).status == 3);
    CHECK_THAT(test::read_file(std::filesystem::path(stage.run_path()) / "run.json"),
               ContainsSubstring(R"("guard":{"value":"off","source":"--guard"})"));
    CHECK_THAT(agent_cli({"guard", "explain", stage.run_path()}).out, !ContainsSubstring("turn "));

    stage.press(1);
    CHECK(stage.start({"resume", stage.run_path()}, {"--max-turns", "50"}).status == 0);
    CHECK_THAT(agent_cli({"guard", "explain", stage.run_path()}).out, ContainsSubstring("denied"));
}

TEST_CASE("a command of the user is judged by the rules that can deny, not by those of the level") {
    const test::TempFolder folder;
    const std::string mine = write(folder, R"({"rules": [
        {"name": "no function keys", "when": {"effect": "key", "chord": "f*"}, "then": "deny",
         "reason": "They are mine."},
        {"name": "careful", "when": {"effect": "text"}, "then": "ask"}]})");
    CHECK(agent_cli({"do", "press", "f7", "--guard-rules", mine}).status == 6);
    const auto denied = agent_cli({"do", "press", "f7", "--guard-rules", mine});
    CHECK_THAT(denied.err, ContainsSubstring("\"user: no function keys\": They are mine."));
    CHECK(agent_cli({"do", "press", "f7"}).status == 0);
    CHECK(agent_cli({"do", "press", "f7", "--guard-rules", mine, "--guard", "off"}).status == 0);
    // Without a terminal, no user can be asked.
    CHECK(agent_cli({"do", "type", "x", "--guard-rules", mine}).status == 6);
    // "system chord" is a rule of the level; "forbidden chord" holds for everybody.
    CHECK(agent_cli({"do", "press", "alt+f1"}).status == 0);
    CHECK_THAT(agent_cli({"do", "press", "ctrl+alt+f1"}).err,
               ContainsSubstring("invariant: forbidden chord"));
    CHECK(agent_cli({"do", "press", "f7", "--guard-rules", "missing.json"}).status == 2);
}

TEST_CASE("the rules in the user's configuration folder hold for every run") {
    const test::TempFolder user;
    const auto folder = user / "eyehand";
    std::filesystem::create_directories(folder);
    const auto file = folder / "guard.json";
    std::ofstream(file) << R"({"rules": [
        {"name": "no Enter", "when": {"chord": "enter"}, "then": "deny"}]})";
    const std::map<std::string, std::string> home{{"XDG_CONFIG_HOME", user.path().string()},
                                                  {"APPDATA", user.path().string()}};
    CHECK(agent_cli({"guard", "test", "key", "enter"}, home).out == "deny (user: no Enter)\n");
    // Those of a flag come first.
    const test::TempFolder other;
    const std::string mine = write(other, R"({"rules": [
        {"name": "Enter", "when": {"chord": "enter"}, "then": "allow"}]})");
    CHECK(agent_cli({"guard", "test", "key", "enter", "--guard-rules", mine}, home).out ==
          "allow (user: Enter)\n");
    std::ofstream(file) << "{";
    CHECK(agent_cli({"guard", "test", "key", "enter"}, home).status == 2);
#ifndef _WIN32
    std::ofstream(file) << R"({"rules": []})";
    std::filesystem::permissions(file, std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    const auto result = agent_cli({"guard", "test", "key", "enter"}, home);
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("other users must not be able"));
#endif
}

TEST_CASE("a run with rules is resumed with rules, or with a level from a flag") {
    GuardStage stage;
    const std::string mine = write(stage.folder, R"({"rules": [
        {"name": "no Enter", "when": {"chord": "enter"}, "then": "deny"}]})");
    stage.press(1, R"({"key":"enter"})");
    CHECK(stage.run({"--guard-rules", mine, "--max-turns", "1"}).status == 3);
    stage.press(0);
    const auto without = stage.start({"resume", stage.run_path()}, {"--max-turns", "5"});
    CHECK(without.status == 2);
    CHECK_THAT(without.err, ContainsSubstring("rules.json"));
    CHECK(stage.start({"resume", stage.run_path()}, {"--max-turns", "5", "--guard-rules", mine})
              .status == 0);
}
