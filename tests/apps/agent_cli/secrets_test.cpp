// agent-cli run --secrets: the value of a secret reaches the desktop, and nothing else.
#include "process.hpp"

#include "client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>
#ifdef __linux__
#include <unistd.h>
#endif

using namespace eyehand;
using test::agent_cli;
using test::ProcessResult;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

constexpr const char* password = "battery\"horse\\staple";
/// A part of it, because quotes and backslashes have several representations.
constexpr const char* part_of_password = "staple";
/// The result of the call that types the secret, as a string in JSON.
constexpr const char* typed = R"(\"typed\":\"secret://mail\")";

/// A run whose model types the secret "mail", then is done.
struct SecretsStage {
    test::TempFolder folder;
    ChatServer server;

    explicit SecretsStage(vlm::testing::Answer second = {.body = completion("done")}) {
        server.enqueue({.body = completion("", "type_text", R"({"text":"secret://mail"})")});
        server.enqueue(std::move(second));
        std::ofstream(folder / "password.txt", std::ios::binary) << password << "\n";
    }
    [[nodiscard]] std::string secrets(const std::string& members = "") const {
        const auto file = folder / "secrets.json";
        std::ofstream(file) << R"({"secrets": [{"name": "mail", "file": "password.txt")" << members
                            << "}]}";
        return file.string();
    }
    [[nodiscard]] std::vector<std::string> arguments(const std::vector<std::string>& more) const {
        std::vector<std::string> words{"run",        "log in",     "--no-probe", "--verbose",
                                       "--endpoint", server.url(), "--run-dir",  runs().string()};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    ProcessResult run(const std::vector<std::string>& more) { return agent_cli(arguments(more)); }
    /// That neither a request nor a file of the run contains the secret.
    void check_requests_and_files() const {
        for (const auto& request : server.requests())
            CHECK_THAT(request.body, !ContainsSubstring(part_of_password));
        int files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(runs())) {
            if (!entry.is_regular_file()) continue;
            ++files;
            INFO(entry.path().string());
            CHECK(test::read_file(entry.path()).find(part_of_password) == std::string::npos);
        }
        CHECK(files > 5); // journal, logs, report, run.json, prompts, screenshots
    }
    [[nodiscard]] std::filesystem::path runs() const { return folder / "runs"; }
    [[nodiscard]] std::filesystem::path run_path() const { return runs() / "run_0001"; }
};

} // namespace

TEST_CASE("a secret is typed, and appears in no request, no file and no output") {
    SecretsStage stage;
    const ProcessResult result = stage.run({"--secrets", stage.secrets(), "--panel"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(test::read_file(stage.run_path() / "events.jsonl"), ContainsSubstring(typed));
    const auto requests = stage.server.requests();
    REQUIRE(requests.size() == 2);
    CHECK_THAT(requests[0].body, ContainsSubstring("can type but not read: secret://mail"));
    stage.check_requests_and_files();
    CHECK_THAT(result.out + result.err, !ContainsSubstring(part_of_password));
}

TEST_CASE("a secret appears neither in the state nor in the event stream of the panel") {
    const SecretsStage stage({.never = true});
    const auto err = stage.folder / "err";
    std::string received;
    const ProcessResult result = test::run_program(
        test::program_folder() / "agent-cli",
        stage.arguments({"--secrets", stage.secrets(), "--panel"}),
        {.err = err, .while_running = [&](const std::function<void()>&) {
             namespace json = boost::json;
             const test::Client client(test::address_in(err, "panel: "));
             test::Follower page(client);
             const auto receive = [&] { received += json::serialize(page.next().data) + "\n"; };
             while (received.find(typed) == std::string::npos) receive();
             const std::string state = client.get("/state").body;
             CHECK_THAT(state, ContainsSubstring(typed));
             received += state;
             CHECK(client.post("/stop").status == 200);
             while (page.state().at("phase").as_string() != "finished") receive();
         }});
    INFO(result.err);
    CHECK(result.status == 130);
    CHECK(received.find(part_of_password) == std::string::npos);
}

#ifdef __linux__
namespace {

/// `words` as a command for env. As root: without capabilities, with which every process can be read.
std::vector<std::string> without_capabilities(const std::vector<std::string>& words) {
    std::vector<std::string> command;
    if (geteuid() == 0) command = {"setpriv", "--bounding-set=-all", "--inh-caps=-all"};
    command.insert(command.end(), words.begin(), words.end());
    return command;
}

bool can_be_read(const std::string& file) {
    return test::run_program("/usr/bin/env", without_capabilities({"cat", file})).status == 0;
}

} // namespace

// The attribute of a process that prevents core dumps also prevents that others of its user open these
// files (prctl(2), PR_SET_DUMPABLE). A core dump itself depends on settings of the machine.
TEST_CASE("a run with secrets leaves no core dump") {
    SecretsStage stage({.never = true});
    const bool has_secrets = GENERATE(true, false);
    const auto more = has_secrets ? std::vector<std::string>{"--secrets", stage.secrets()}
                                  : std::vector<std::string>();
    const auto process = stage.folder / "process";
    std::vector<std::string> command{"sh", "-c", R"(echo $$ >"$0"; exec "$@")", process.string(),
                                     (test::program_folder() / "agent-cli").string()};
    for (const std::string& word : stage.arguments(more)) command.push_back(word);
    bool readable = has_secrets;
    (void)test::run_program(
        "/usr/bin/env", without_capabilities(command),
        {.while_running = [&](const std::function<void()>& interrupt) {
            REQUIRE(test::eventually([&] { return !stage.server.requests().empty(); }));
            const std::string id = test::lines_of(process).front();
            readable = can_be_read("/proc/" + id + "/environ");
            interrupt();
        }});
    CHECK(readable == !has_secrets);
}
#endif

TEST_CASE("a secret of another window is not typed, and the model is told") {
    SecretsStage stage;
    const ProcessResult result =
        stage.run({"--secrets", stage.secrets(R"(, "process": "browser*")")});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(test::read_file(stage.run_path() / "events.jsonl"),
               ContainsSubstring("may not be typed into the window"));
}

TEST_CASE("a run with secrets is resumed with the same file") {
    SecretsStage stage;
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
    stage.check_requests_and_files();
}

TEST_CASE("a file of secrets that is not valid ends the program before the run") {
    SecretsStage stage;
    const ProcessResult result = stage.run({"--secrets", stage.secrets(R"(, "value": "x")")});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("\"value\" is unknown"));
    const ProcessResult prompt =
        stage.run({"--secrets", stage.secrets(R"(, "file": null, "prompt": true)")});
    CHECK(prompt.status == 2);
    CHECK_THAT(prompt.err, ContainsSubstring("no user can be asked"));
    CHECK_FALSE(std::filesystem::exists(stage.runs()));
}
