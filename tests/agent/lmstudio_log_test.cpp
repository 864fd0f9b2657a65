// The part of LM Studio's log that belongs to a run.
#include "eyehand/agent/lmstudio_log.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace eyehand;

namespace {

using agent::LmStudioLog;

struct Logs {
    test::TempFolder folder;
    std::filesystem::path month = folder / "logs/2025-11";
    std::filesystem::path run = folder / "run";

    Logs() {
        std::filesystem::create_directories(month);
        std::filesystem::create_directories(run);
    }
    void add(const char* name, const std::string& text) const {
        std::ofstream(month / name, std::ios::binary | std::ios::app) << text;
    }
    [[nodiscard]] LmStudioLog start() const { return LmStudioLog({folder / "logs"}); }
    [[nodiscard]] std::string raw() const { return test::read_file(run / "lmstudio_raw.log"); }
};

} // namespace

TEST_CASE("only the part written since the start is saved") {
    Logs logs;
    logs.add("2025-11-22.1.log", "[10:00] before\n");
    const LmStudioLog log = logs.start();
    logs.add("2025-11-22.1.log", "[10:01] during\n");
    const auto saved = log.save(logs.run);
    CHECK(saved.note.empty());
    CHECK(saved.bytes == 15);
    CHECK(logs.raw() == "[10:01] during\n");
    CHECK(test::read_file(logs.run / "lmstudio_clean.log") == "[10:01] during\n");
}

TEST_CASE("a resumed run appends to the logs of its first part") {
    Logs logs;
    for (const char* part : {"first\n", "second\n"}) {
        const LmStudioLog log = logs.start();
        logs.add("server.log", part);
        CHECK(log.save(logs.run).bytes == std::string_view(part).size());
    }
    CHECK(logs.raw() == "first\nsecond\n");
}

TEST_CASE("a new log is saved completely, after the previous one") {
    Logs logs;
    logs.add("2025-11-22.1.log", "old\n");
    const LmStudioLog log = logs.start();
    logs.add("2025-11-22.2.log", "second\n");
    logs.add("2025-11-22.1.log", "first\n");
    logs.add("notes.txt", "not a log\n");
    CHECK(log.save(logs.run).note.empty());
    CHECK(logs.raw() == "first\nsecond\n");
}

TEST_CASE("a restarted log is saved from its start") {
    Logs logs;
    logs.add("server.log", "[10:00] a long story of before\n");
    const LmStudioLog log = logs.start();
    std::filesystem::remove(logs.month / "server.log");
    const bool longer = GENERATE(false, true);
    const std::string anew = longer ? "[11:00] another story, longer than the one before\n" : "x\n";
    logs.add("server.log", anew);
    CHECK(log.save(logs.run).note.empty());
    CHECK(logs.raw() == anew);
}

TEST_CASE("a renamed log is followed") {
    Logs logs;
    logs.add("server.log", "[10:00] before\n");
    const LmStudioLog log = logs.start();
    logs.add("server.log", "[10:01] during\n");
    std::filesystem::rename(logs.month / "server.log", logs.month / "server.1.log");
    logs.add("server.log", "[10:02] anew\n");
    CHECK(log.save(logs.run).note.empty());
    CHECK(logs.raw() == "[10:01] during\n[10:02] anew\n");
}

TEST_CASE("missing or unchanged logs cause a note, and nothing is written") {
    Logs logs;
    logs.add("server.log", "before\n");
    CHECK_THAT(logs.start().save(logs.run).note, ContainsSubstring("logged nothing"));
    const LmStudioLog nowhere({logs.folder / "none"});
    CHECK_THAT(nowhere.save(logs.run).note,
               ContainsSubstring("none; name their folder with --lmstudio-logs"));
    CHECK(std::filesystem::is_empty(logs.run));
}

TEST_CASE("a folder that cannot take the copies causes a note") {
    Logs logs;
    const LmStudioLog log = logs.start();
    logs.add("server.log", "during\n");
    CHECK_THAT(log.save(logs.folder / "no such run").note, ContainsSubstring("cannot be written"));
}

TEST_CASE("a clean log has indented JSON") {
    CHECK(agent::clean_lmstudio_log(
              "[10:01] body: {\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a { "
              "b\"}],"
              "\"empty\":{}}\nnext {not JSON} {\"short\":1}\n") ==
          "[10:01] body: {\n"
          "  \"model\": \"m\",\n"
          "  \"messages\": [\n"
          "    {\n"
          "      \"role\": \"user\",\n"
          "      \"content\": \"a { b\"\n"
          "    }\n"
          "  ],\n"
          "  \"empty\": {}\n"
          "}\nnext {not JSON} {\"short\":1}\n");
}

TEST_CASE("a clean log has shortened base64, across pieces and at the end") {
    const std::string image = "iVBORw0KGgoAAAAN" + std::string(100000, 'A') + "==";
    const std::string expected = "iVBORw0KGgoAAAAN...[100018 characters of base64]";
    CHECK(agent::clean_lmstudio_log("data:image/png;base64," + image) ==
          "data:image/png;base64," + expected);
    Logs logs;
    const LmStudioLog log = logs.start();
    logs.add("server.log", "url \"" + image + "\"\n" + std::string(64, 'a') + "\n");
    CHECK(log.save(logs.run).note.empty());
    CHECK(test::read_file(logs.run / "lmstudio_clean.log") ==
          "url \"" + expected + "\"\n" + std::string(64, 'a') + "\n");
    CHECK_THAT(logs.raw(), ContainsSubstring(image));
}

TEST_CASE("a log full of open braces is processed in limited time") {
    const std::string open(300000, '{');
    CHECK(agent::clean_lmstudio_log(open) == open);
}

TEST_CASE("LM Studio's log folders are below the home folder") {
    const auto folders = agent::lmstudio_log_folders("home");
    REQUIRE(folders.size() == 2);
    CHECK(folders[0] == std::filesystem::path("home/.lmstudio/server-logs"));
    CHECK(folders[1] == std::filesystem::path("home/.cache/lm-studio/server-logs"));
}
