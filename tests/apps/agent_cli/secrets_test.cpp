// agent-cli run --secrets: the value of a secret reaches the desktop, and nothing else.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace eyehand;
using test::agent_cli;
using test::ProcessResult;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

constexpr const char* password = "battery\"horse\\staple";

/// A run whose model types the secret "mail", then is done.
struct Stage {
    test::TempFolder folder;
    ChatServer server;

    Stage() {
        server.enqueue({.body = completion("", "type_text", R"({"text":"secret://mail"})")});
        server.enqueue({.body = completion("done")});
        std::ofstream(folder / "password.txt", std::ios::binary) << password << "\n";
    }
    [[nodiscard]] std::string secrets(const std::string& members = "") const {
        const auto file = folder / "secrets.json";
        std::ofstream(file) << R"({"secrets": [{"name": "mail", "file": "password.txt")" << members
                            << "}]}";
        return file.string();
    }
    ProcessResult run(std::vector<std::string> more) {
        std::vector<std::string> words{"run",        "log in",     "--no-probe", "--verbose",
                                       "--endpoint", server.url(), "--run-dir",  runs().string()};
        words.insert(words.end(), more.begin(), more.end());
        return agent_cli(words);
    }
    [[nodiscard]] std::filesystem::path runs() const { return folder / "runs"; }
    [[nodiscard]] std::filesystem::path run_path() const { return runs() / "run_0001"; }
};

} // namespace

TEST_CASE("a secret is typed, and appears in no request, no file and no output") {
    Stage stage;
    const ProcessResult result = stage.run({"--secrets", stage.secrets(), "--panel"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(test::read_file(stage.run_path() / "events.jsonl"),
               ContainsSubstring(R"(\"typed\":\"secret://mail\")"));
    const auto requests = stage.server.requests();
    REQUIRE(requests.size() == 2);
    CHECK_THAT(requests[0].body, ContainsSubstring("can type but not read: secret://mail"));
    // Any part of the value: quotes and backslashes have several representations.
    for (const auto& request : requests) CHECK_THAT(request.body, !ContainsSubstring("staple"));
    CHECK_THAT(result.out + result.err, !ContainsSubstring("staple"));
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(stage.runs())) {
        if (!entry.is_regular_file()) continue;
        ++files;
        INFO(entry.path().string());
        CHECK(test::read_file(entry.path()).find("staple") == std::string::npos);
    }
    CHECK(files > 5); // journal, logs, report, run.json, prompts, screenshots
}

TEST_CASE("a secret of another window is not typed, and the model is told") {
    Stage stage;
    const ProcessResult result =
        stage.run({"--secrets", stage.secrets(R"(, "process": "browser*")")});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(test::read_file(stage.run_path() / "events.jsonl"),
               ContainsSubstring("may not be typed into the window"));
}

TEST_CASE("a run with secrets is resumed with the same file") {
    Stage stage;
    CHECK(stage.run({"--secrets", stage.secrets(), "--max-turns", "1"}).status == 3);
    const std::vector<std::string> resume{"resume",     stage.run_path().string(),
                                          "--endpoint", stage.server.url(),
                                          "--no-probe", "--max-turns",
                                          "5"};
    const ProcessResult without = agent_cli(resume);
    CHECK(without.status == 2);
    CHECK_THAT(without.err, ContainsSubstring("--secrets"));
    std::vector<std::string> with = resume;
    with.insert(with.end(), {"--secrets", stage.secrets()});
    const ProcessResult result = agent_cli(with);
    INFO(result.err);
    CHECK(result.status == 0);
}

TEST_CASE("a file of secrets that is not valid ends the program before the run") {
    Stage stage;
    const ProcessResult result = stage.run({"--secrets", stage.secrets(R"(, "value": "x")")});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("\"value\" is unknown"));
    const ProcessResult prompt =
        stage.run({"--secrets", stage.secrets(R"(, "file": null, "prompt": true)")});
    CHECK(prompt.status == 2);
    CHECK_THAT(prompt.err, ContainsSubstring("no user can be asked"));
    CHECK_FALSE(std::filesystem::exists(stage.runs()));
}
