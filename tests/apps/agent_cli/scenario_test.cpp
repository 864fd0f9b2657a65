// agent-cli scenario run on a real desktop, with a real socket; and LM Studio's log of a run.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace eyehand;

namespace {

using test::agent_cli;
using vlm::testing::ChatServer;
using vlm::testing::completion;

std::string utf8(const std::filesystem::path& path) {
    const std::u8string text = path.generic_u8string();
    return {text.begin(), text.end()};
}

struct ScenarioStage {
    test::TempFolder folder;
    ChatServer server;

    std::string scenario(const std::string& checks) const {
        std::ofstream(folder / "mine.json")
            << R"({"schema":1,"name":"mine","task":"do it","max_turns":3,"checks":[)" + checks +
                   "]}";
        return utf8(folder / "mine.json");
    }
    test::ProcessResult run(const std::string& file, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{
            "scenario", "run", file, "--endpoint", server.url(), "--run-dir", utf8(folder.path())};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return agent_cli(arguments, {{"AGENT_MAX_STEPS", "8"}});
    }
    [[nodiscard]] std::filesystem::path run_path() const { return folder / "run_0001"; }
};

} // namespace

TEST_CASE("a scenario whose checks hold is exit code 0") {
    ScenarioStage stage;
    std::ofstream(stage.folder / "note.txt") << "hello";
    // Later than the start of the scenario, however long that takes.
    std::filesystem::last_write_time(stage.folder / "note.txt",
                                     std::filesystem::file_time_type::clock::now() +
                                         std::chrono::hours(1));
    stage.server.enqueue({.body = completion("It is done.")});
    const auto file = stage.scenario(R"({"file_contains":")" + utf8(stage.folder / "note.txt") +
                                     R"(","text":"hello"})");
    const auto result = stage.run(file);
    INFO(result.out << result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("It is done.\npass  the file"));
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("max_turns":{"value":"3","source":"scenario mine"})"));
}

TEST_CASE("a scenario is exit code 1 when a check fails, or the run does not complete") {
    ScenarioStage stage;
    const bool completes = GENERATE(true, false);
    if (completes) {
        stage.server.enqueue({.body = completion("It is done.")});
    } else {
        stage.server.enqueue({.body = completion("", "observe_screen")});
    }
    const std::string none = R"({"file_exists":")" + utf8(stage.folder / "none") + R"("})";
    const auto result = stage.run(stage.scenario(completes ? none : ""), {"--max-turns", "1"});
    INFO(result.out << result.err);
    CHECK(result.status == 1);
    if (completes) CHECK_THAT(result.out, ContainsSubstring("FAIL  the file"));
}

TEST_CASE("the run directory contains what LM Studio logs during the run") {
    ScenarioStage stage;
    std::filesystem::create_directories(stage.folder / "logs/2025-11");
    const auto log = stage.folder / "logs/2025-11/2025-11-22.1.log";
    std::ofstream(log, std::ios::binary) << "before\n";
    stage.server.enqueue({.never = true});
    const auto result =
        agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--lmstudio-logs",
                   utf8(stage.folder / "logs"), "--run-dir", utf8(stage.folder.path())},
                  {}, [&](const std::function<void()>& interrupt) {
                      CHECK(stage.server.wait_for_requests(1, std::chrono::seconds(60)));
                      std::ofstream(log, std::ios::app | std::ios::binary) << "during\n";
                      interrupt();
                  });
    INFO(result.err);
    CHECK(result.status == 130); // also after Ctrl+C
    CHECK(test::read_file(stage.run_path() / "lmstudio_raw.log") == "during\n");
    CHECK(test::read_file(stage.run_path() / "lmstudio_clean.log") == "during\n");
}

TEST_CASE("a missing log of LM Studio is a note, not an error") {
    ScenarioStage stage;
    stage.server.enqueue({.body = completion("done")});
    const auto result = stage.run(stage.scenario(""), {"--lmstudio-logs", "no-such-folder"});
    CHECK(result.status == 0);
    CHECK_THAT(result.err, ContainsSubstring("LM Studio's logs are not at no-such-folder"));
}
