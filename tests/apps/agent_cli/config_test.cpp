// agent-cli config and scenario without a desktop.
#include "process.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using test::agent_cli;

namespace {

std::string utf8(const std::filesystem::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

struct File {
    test::TempFolder folder;
    std::string path = utf8(folder / "mine.json");
    explicit File(const std::string& text) {
        std::ofstream(folder / "mine.json", std::ios::binary) << text;
    }
};

std::string row(const std::string& name, const std::string& value, const std::string& source) {
    return "\"" + name + "\": {\"value\": \"" + value + "\", \"source\": \"" + source + "\"}";
}

} // namespace

TEST_CASE("each setting is printed with its value and its source") {
    const File file("{\n  \"top_p\": 0.5, // mine\n  \"model\": \"from-file\",\n}\n");
    const auto result = agent_cli({"config", "--json", "--config", file.path, "--max-turns", "9",
                                   "--no-stream", "--endpoint", "http://a:1/v1?key=hidden"},
                                  {{"LMSTUDIO_MODEL", "from-variable"},
                                   {"AGENT_IMAGE_W", "640"},
                                   {"EYEHAND_API_KEY", "my-secret"}});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring(row("profile", "observer", "default")));
    CHECK_THAT(result.out, ContainsSubstring(row("endpoint", "http://a:1/v1", "--endpoint")));
    CHECK_THAT(result.out, ContainsSubstring(row("model", "from-variable", "LMSTUDIO_MODEL")));
    CHECK_THAT(result.out, ContainsSubstring("\"top_p\": {\"value\": \"0.5\""));
    CHECK_THAT(result.out, ContainsSubstring("mine.json:2\"}"));
    CHECK_THAT(result.out, ContainsSubstring(row("max_turns", "9", "--max-turns")));
    CHECK_THAT(result.out, ContainsSubstring(row("stream", "false", "--no-stream")));
    CHECK_THAT(result.out, ContainsSubstring(row("temperature", "0.6", "profile")));
    CHECK_THAT(result.out, ContainsSubstring(row("image", "640x864", "AGENT_IMAGE_W")));
    CHECK_THAT(result.out, ContainsSubstring(row("api_key", "set", "EYEHAND_API_KEY")));
    CHECK_THAT(result.out, !ContainsSubstring("my-secret") && !ContainsSubstring("hidden"));
}

TEST_CASE("--max-steps is another name for --max-turns") {
    const auto result = agent_cli({"config", "--json", "--max-steps", "9"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("\"max_turns\": {\"value\": \"9\""));
}

TEST_CASE("without --json the settings are a table, one line per setting") {
    const auto result = agent_cli({"config"});
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("\nmodel ") && ContainsSubstring("\nca_file "));
    CHECK_THAT(result.out, ContainsSubstring("not set"));
}

TEST_CASE("a variable names the settings file, and the flag overrides it") {
    const File one(R"({"model": "one"})");
    const File two(R"({"model": "two"})");
    CHECK_THAT(agent_cli({"config"}, {{"EYEHAND_CONFIG", one.path}}).out, ContainsSubstring("one"));
    CHECK_THAT(agent_cli({"config", "--config", two.path}, {{"EYEHAND_CONFIG", one.path}}).out,
               ContainsSubstring("two"));
}

TEST_CASE("a mistake in a setting is exit code 2 and names the place") {
    const File misspelled("{\n\"max_step\": 5}");
    const auto unknown = agent_cli({"run", "x", "--config", misspelled.path});
    CHECK(unknown.status == 2);
    CHECK_THAT(unknown.err,
               ContainsSubstring("mine.json:2: unknown setting \"max_step\"; did you mean "
                                 "\"max_turns\"?"));
    const auto missing = agent_cli({"config", "--config", "no-such-file.json"});
    CHECK(missing.status == 2);
    CHECK_THAT(missing.err, ContainsSubstring("--config: no-such-file.json cannot be read"));
    const auto variable = agent_cli({"config"}, {{"EYEHAND_MODLE", "x"}});
    CHECK(variable.status == 2);
    CHECK_THAT(variable.err, ContainsSubstring("did you mean EYEHAND_MODEL?"));
}

TEST_CASE("scenarios are listed and shown, and an unknown scenario is exit code 2") {
    const auto list = agent_cli({"scenario", "list"});
    CHECK(list.status == 0);
    CHECK_THAT(list.out, ContainsSubstring("basic:2") && ContainsSubstring("notepad-save"));
    const auto show = agent_cli({"scenario", "show", "basic:2"});
    CHECK(show.status == 0);
    CHECK_THAT(show.out, ContainsSubstring("\"name\": \"centre-pointer\""));
    const auto none = agent_cli({"scenario", "run", "nothing"});
    CHECK(none.status == 2);
    CHECK_THAT(none.err, ContainsSubstring("centre-pointer (basic:2)"));
    const File bad(R"({"schema":1,"name":"n","task":"t","checks":[{"file_exist":"x"}]})");
    const auto wrong = agent_cli({"scenario", "show", bad.path});
    CHECK(wrong.status == 2);
    CHECK_THAT(wrong.err, ContainsSubstring("did you mean \"file_exists\"?"));
}
