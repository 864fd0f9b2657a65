// agent-cli replay without a desktop: the exit codes, and what it prints about a difference.
#include "process.hpp"

#include "catch.hpp"
#include "source_folder.hpp"

#include <filesystem>

using test::ProcessResult;
using test::Workspace;

namespace {

/// A copy of a recorded run.
struct ReplayStage {
    Workspace user;
    std::filesystem::path run = user.folder / "run_0001";

    explicit ReplayStage(const std::string& name = "observer") {
        std::filesystem::copy(test::source_folder() / "tests/replay/runs" / name, run,
                              std::filesystem::copy_options::recursive);
    }
    [[nodiscard]] ProcessResult replay(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"replay", "run_0001"};
        words.insert(words.end(), more.begin(), more.end());
        return user.agent_cli(words);
    }
    void change(const std::string& file, const std::string& from, const std::string& to) const {
        std::string text = test::read_file(run / file);
        const auto at = text.find(from);
        REQUIRE(at != std::string::npos);
        std::ofstream(run / file, std::ios::binary) << text.replace(at, from.size(), to);
    }
};

} // namespace

TEST_CASE("replay: a run that decides as before") {
    const ReplayStage stage;
    const ProcessResult result = stage.replay();
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, Catch::Matchers::StartsWith("identical: ") &&
                               ContainsSubstring("7 replies decoded") &&
                               !ContainsSubstring("not compared"));
}

TEST_CASE("replay: a run that decides otherwise") {
    const ReplayStage stage;
    const ProcessResult result = stage.replay({"--guard", "strict"});
    INFO(result.err);
    CHECK(result.status == 1);
    CHECK_THAT(result.out, ContainsSubstring("turn 1: the result of click_element\n- ") &&
                               ContainsSubstring("\n+ ") && ContainsSubstring("\nturn 2: "));
    CHECK_THAT(stage.replay({"--guard", "strict", "--json"}).out,
               Catch::Matchers::StartsWith(R"({"identical":false,)") &&
                   ContainsSubstring(R"("turn":1)"));
}

TEST_CASE("replay: another reply") {
    const ReplayStage stage;
    stage.change("events.jsonl", R"(\"box\":[200,250])", R"(\"box\":[210,250])");
    const ProcessResult result = stage.replay();
    INFO(result.err);
    CHECK(result.status == 1);
    CHECK_THAT(result.out, ContainsSubstring("turn 1: invoke"));
}

TEST_CASE("replay: a run without a recording") {
    const ReplayStage stage;
    std::filesystem::remove(stage.run / "desktop.jsonl");
    const ProcessResult result = stage.replay();
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("not compared: The run has no recording"));
}

TEST_CASE("replay: what cannot be read") {
    const ReplayStage stage;
    CHECK(stage.user.agent_cli({"replay", "run_0002"}).status == 2);
    stage.change("desktop.jsonl", R"("type":"command")", R"("type":"comma")");
    const ProcessResult result = stage.replay();
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("desktop.jsonl, line 2"));
}
