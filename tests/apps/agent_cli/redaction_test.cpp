// What agent-cli keeps out of the screenshots of a run, on a real desktop.
#include "process.hpp"

#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/png.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fstream>
#include <span>

using namespace eyehand;
using test::agent_cli;
using test::ProcessResult;
using vlm::testing::ChatServer;
using vlm::testing::completion;
using Rects = std::vector<winio::Rect>;

namespace {

/// A run whose model looks at the screen in each turn.
struct RedactionStage {
    test::TempFolder folder;
    ChatServer server;

    RedactionStage() {
        for (int i = 0; i < 10; ++i)
            server.enqueue({.body = completion("", "observe_screen", "{}")});
    }
    ProcessResult start(std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), {"--no-probe", "--endpoint", server.url()});
        words.insert(words.end(), more.begin(), more.end());
        return agent_cli(words);
    }
    ProcessResult run(std::vector<std::string> more) {
        more.insert(more.end(), {"--max-turns", "1", "--run-dir", folder.path().string()});
        return start({"run", "look"}, more);
    }
    ProcessResult resume(const std::vector<std::string>& more) {
        return start({"resume", run_path().string()}, more);
    }
    [[nodiscard]] std::filesystem::path run_path() const { return folder / "run_0001"; }
    [[nodiscard]] std::vector<agent::Observed> seen() const {
        std::vector<agent::Observed> all;
        agent::JournalReader journal(run_path() / "events.jsonl");
        while (const auto event = journal.next())
            if (const auto* fact = std::get_if<agent::Observed>(&event->payload))
                all.push_back(*fact);
        return all;
    }
};

} // namespace

TEST_CASE("a redacted area is black in the screenshots of a run") {
    RedactionStage stage;
    const auto result = stage.run({"--redact", "area:400x300+0+0"});
    INFO(result.err);
    CHECK(result.status == 3);
    const auto seen = stage.seen();
    REQUIRE_FALSE(seen.empty());
    CHECK(seen[0].redacted == Rects{{0, 0, 400, 300}});
    const std::string bytes = test::read_file(stage.run_path() / seen[0].file);
    const winio::Image image = winio::decode_png(
        std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    const double scale = static_cast<double>(seen[0].size.width) / seen[0].area.width;
    const int inside = static_cast<int>(300 * scale) - 2;
    int visible = 0;
    for (int y = 0; y < inside; ++y)
        for (int x = 0; x < inside; ++x) visible += image.at(x, y) != winio::Color{};
    CHECK(visible == 0);
}

TEST_CASE("a resumed run shows neither what the run hides nor what the settings hide now") {
    RedactionStage stage;
    CHECK(stage.run({"--redact", "area:40x30+0+0"}).status == 3);
    const std::string settings = (stage.folder / "settings.json").string();
    std::ofstream(settings) << R"({"redact": ["area:20x20+100+0"]})";
    const auto result =
        stage.resume({"--config", settings, "--redact", "area:10x10+200+0", "--max-turns", "2"});
    INFO(result.err);
    const auto seen = stage.seen();
    REQUIRE(seen.size() > 1);
    CHECK(seen.back().redacted == Rects{{0, 0, 40, 30}, {100, 0, 20, 20}, {200, 0, 10, 10}});
}

TEST_CASE("only a flag of the resumption shows the own windows again") {
    RedactionStage stage;
    CHECK(stage.run({"--show-own-windows"}).status == 3);
    const auto kept = [&] { return test::read_file(stage.run_path() / "run.json"); };
    CHECK_THAT(kept(), ContainsSubstring(R"("redact_own_windows":{"value":"false")"));
    (void)stage.resume({"--max-turns", "2"});
    CHECK_THAT(kept(), ContainsSubstring(R"("redact_own_windows":{"value":"true")"));
    (void)stage.resume({"--max-turns", "3", "--show-own-windows"});
    CHECK_THAT(kept(), ContainsSubstring(R"("redact_own_windows":{"value":"false")"));
}

TEST_CASE("an element of redact that cannot be read ends the program before the run") {
    RedactionStage stage;
    const auto result = stage.run({"--redact", "keepassxc"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("--redact") && ContainsSubstring("process:NAME"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
}
