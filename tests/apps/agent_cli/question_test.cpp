// Questions of agent-cli on a terminal, and the effect of the answers.
#include "process.hpp"
#include "terminal.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace eyehand;
using test::Conversation;
using test::on_terminal;

namespace {

using vlm::testing::ChatServer;
using vlm::testing::completion;

/// A run whose model calls a tool once for each answer; the tool returns its arguments. `told` is
/// the last request to the model, if there was a second one.
struct Run {
    Conversation conversation;
    std::string told;
};
Run run(const std::vector<std::string>& answers) {
    const test::TempFolder folder;
    const std::filesystem::path file = folder / "mine.json";
    std::ofstream(file, std::ios::binary)
        << R"({"name":"mine","description":"Mine.","effect":"reads","command":[")"
        << (test::program_folder() / "eyehand-test-tool").string()
        << R"(","echo"],"parameters":{"type":"object","properties":{"city":{"type":"string"}}}})";
    ChatServer server;
    for (std::size_t i = 0; i < answers.size(); ++i)
        server.enqueue(
            {.body = completion("", "mine", R"({"city":"Rome\u202e\u009b\udb40\udc41"})")});
    server.enqueue({.body = completion("done")});
    Run result;
    result.conversation =
        on_terminal({"run", "do it", "--no-probe", "--tool", file.string(), "--endpoint",
                     server.url(), "--run-dir", folder.path().string()},
                    answers);
    const auto requests = server.requests();
    if (requests.size() > 1) result.told = requests.back().body;
    return result;
}

} // namespace

TEST_CASE("a program tool runs when the user says yes, and the question shows the complete call") {
    const Run yes = run({"y\n"});
    INFO(yes.conversation.shown);
    CHECK(yes.conversation.status == 0);
    CHECK_THAT(yes.conversation.shown,
               ContainsSubstring("the model calls your tool \"mine\", which only reads"));
    CHECK_THAT(yes.conversation.shown, ContainsSubstring("eyehand-test-tool echo"));
    CHECK_THAT(yes.conversation.shown,
               ContainsSubstring(R"({"city":"Rome\u202e\u009b\udb40\udc41"})"));
    CHECK_THAT(yes.told, ContainsSubstring(R"(\"output\")"));
}

TEST_CASE("any answer but yes is a no, and the model is informed") {
    const std::string answer = GENERATE("n\n", "\n", "yesterday\n", "\x04");
    const Run no = run({answer});
    INFO(no.conversation.shown);
    CHECK(no.conversation.status == 0);
    CHECK_THAT(no.told, ContainsSubstring("The user did not allow this call"));
}

TEST_CASE("the end of the input answers only one question") {
    const Run later = run({"\x04", "y\n"});
    INFO(later.conversation.shown);
    CHECK(later.conversation.status == 0);
    CHECK_THAT(later.told, ContainsSubstring("The user did not allow this call"));
    CHECK_THAT(later.told, ContainsSubstring(R"(\"output\")"));
}

TEST_CASE("Ctrl+C at the question ends the run") {
    const Run interrupted = run({"\x03"});
    INFO(interrupted.conversation.shown);
    CHECK(interrupted.conversation.status == 130);
    CHECK(interrupted.told.empty());
}

TEST_CASE("with --approve always an action waits for approval on the terminal") {
    const auto [answer, status] = GENERATE(table<std::string, std::string>(
        {{"y\n", R"(\"ok\":true)"}, {"n\n", "The user did not allow this call"}}));
    const test::TempFolder folder;
    ChatServer server;
    server.enqueue({.body = completion("", "click_element", R"({"label":"OK","box":[500,500]})")});
    server.enqueue({.body = completion("done")});
    const Conversation conversation =
        on_terminal({"run", "do it", "--no-probe", "--approve", "always", "--endpoint",
                     server.url(), "--run-dir", folder.path().string()},
                    {answer});
    INFO(conversation.shown);
    CHECK(conversation.status == 0);
    CHECK_THAT(conversation.shown, ContainsSubstring("the model calls \"click_element\""));
    CHECK_THAT(conversation.shown, ContainsSubstring(R"("box":[500,500])"));
    REQUIRE(server.requests().size() == 2);
    CHECK_THAT(server.requests().back().body, ContainsSubstring(status));
}

TEST_CASE("the value of a secret is asked for, and the terminal does not show it") {
    const test::TempFolder folder;
    const std::filesystem::path file = folder / "secrets.json";
    std::ofstream(file) << R"({"secrets": [{"name": "code", "prompt": true}]})";
    ChatServer server;
    server.enqueue({.body = completion("", "type_text", R"({"text":"secret://code"})")});
    server.enqueue({.body = completion("done")});
    const std::vector<std::string> words{
        "run",         "log in",     "--no-probe", "--verbose", "--secrets",
        file.string(), "--endpoint", server.url(), "--run-dir", folder.path().string()};
    const Conversation conversation = on_terminal(words, {"battery staple\n"}, "(not shown): ");
    INFO(conversation.shown);
    CHECK(conversation.status == 0);
    CHECK_THAT(conversation.shown, ContainsSubstring("Value of the secret code (not shown): "));
    CHECK_THAT(conversation.shown, !ContainsSubstring("staple"));
    REQUIRE(server.requests().size() == 2);
    CHECK_THAT(server.requests()[1].body, ContainsSubstring("typed"));
    CHECK_THAT(server.requests()[1].body, !ContainsSubstring("staple"));

    CHECK(conversation.echoes);

    const Conversation interrupted = on_terminal(words, {"\x03"}, "(not shown): ");
    CHECK(interrupted.status == 2);
    CHECK(interrupted.echoes);

    const Conversation nothing = on_terminal(words, {"\n"}, "(not shown): ");
    CHECK(nothing.status == 2);
    CHECK_THAT(nothing.shown, ContainsSubstring("has received no value"));
}
