// agent-cli profile, and folders as profiles.
#include "process.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <algorithm>

using test::agent_cli;

TEST_CASE("the built-in profiles are listed, one line each") {
    const auto result = agent_cli({"profile", "list"});
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("basic      conversation  One agent"));
    CHECK_THAT(result.out, ContainsSubstring("commander  team          A commander"));
    CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 5);
    CHECK_THAT(result.out, ContainsSubstring("story      visual_loop   No conversation"));
    CHECK(result.err.empty());
}

TEST_CASE("profile show prints all values of a profile") {
    const auto result = agent_cli({"profile", "show", "planner"});
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("\n  \"mode\": \"team\",\n"));
    CHECK_THAT(result.out, ContainsSubstring("\"temperature\": 0.35"));
    CHECK_THAT(result.out, ContainsSubstring("update_execution_plan hands the executor"));
    CHECK(result.out.ends_with("}\n"));
}

TEST_CASE("an exported profile is loaded unchanged, and nothing is overwritten") {
    const test::TempFolder folder;
    const std::string copy = (folder / "copy").string();
    const auto exported = agent_cli({"profile", "export", "commander", copy});
    CHECK(exported.status == 0);
    CHECK(exported.out.empty());
    CHECK(std::filesystem::exists(folder / "copy/operator.txt"));
    CHECK(agent_cli({"profile", "show", copy}).out ==
          agent_cli({"profile", "show", "commander"}).out);

    std::ofstream(folder / "copy/operator.txt", std::ios::binary) << "My own words.";
    const auto again = agent_cli({"profile", "export", "planner", copy});
    CHECK(again.status == 2);
    CHECK_THAT(again.err, ContainsSubstring("overwrites no files"));
    CHECK(test::read_file(folder / "copy/operator.txt") == "My own words.");
    CHECK_THAT(agent_cli({"profile", "show", copy}).out, ContainsSubstring("My own words."));
}

TEST_CASE("a mistake in a profile folder is exit code 2 and reported by every command") {
    const test::TempFolder folder;
    const auto write = [&](const std::string& json) {
        std::ofstream(folder / "profile.json", std::ios::binary | std::ios::trunc) << json;
        std::ofstream(folder / "system.txt", std::ios::binary | std::ios::trunc) << "Do it.";
    };
    struct Row {
        const char* json;
        const char* words;
    };
    const Row row = GENERATE(
        Row{"{", "profile.json is not JSON"},
        Row{R"({"schema":1,"name":"x","mode":"teem"})", "did you mean \"team\"?"},
        Row{R"({"schema":1,"name":"x","system_prompt":"system.txt","tools":[{"tool":"clik"}]})",
            "did you mean \"click\"?"},
        Row{R"({"schema":1,"name":"x","system_prompt":"system.txt","extra_tools":["fly"]})",
            "extra_tools: the tool \"fly\" is unknown"});
    write(row.json);
    const std::string place = folder.path().string();
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"profile", "show", place},
          std::vector<std::string>{"run", "x", "--profile", place}}) {
        const auto result = agent_cli(command);
        INFO(result.out << result.err);
        CHECK(result.status == 2);
        CHECK_THAT(result.err, ContainsSubstring(row.words));
        CHECK_THAT(result.err, ContainsSubstring("profile.json"));
    }
}

TEST_CASE("a mistake in the profile command is exit code 2 and names the mistake") {
    struct Row {
        std::vector<std::string> arguments;
        const char* words;
    };
    const Row row =
        GENERATE(Row{{"profile"}, "subcommand"}, Row{{"profile", "paint"}, "subcommand"},
                 Row{{"profile", "show"}, "NAME"},
                 Row{{"profile", "show", "comander"}, "did you mean \"commander\"?"},
                 Row{{"profile", "export", "basic"}, "DIR"},
                 Row{{"profile", "export", "missing-profile", "x"}, "basic, commander"});
    const auto result = agent_cli(row.arguments);
    INFO(result.out << result.err);
    CHECK(result.status == 2);
    CHECK_THAT(result.out + result.err, ContainsSubstring(row.words));
}
