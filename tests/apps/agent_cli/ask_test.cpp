// agent-cli ask, with a real socket: requests, output and exit codes.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/responses.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <thread>

using namespace eyehand;

namespace {

using test::agent_cli;
using test::ProcessResult;
using test::run_program;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::chunk;
using vlm::testing::completion;
using vlm::testing::Gate;

std::string event(const std::string& data) { return chunk("data: " + data + "\n\n"); }

std::string piece(const std::string& field, const std::string& text) {
    return event(R"({"choices":[{"index":0,"delta":{")" + field + R"(":")" + text + R"("}}]})");
}

const std::string end_of_stream =
    event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})") +
    event(R"({"model":"tiny","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}})") +
    event("[DONE]") + chunk("");

Answer streamed(std::vector<vlm::testing::Part> pieces) {
    Answer answer;
    answer.parts = std::move(pieces);
    answer.parts.insert(answer.parts.begin(), vlm::testing::chunked_head());
    answer.parts.emplace_back(end_of_stream);
    return answer;
}

const std::string plain_answer =
    R"({"model":"tiny","choices":[{"finish_reason":"stop","message":{"content":"zażółć",)"
    R"("reasoning_content":"hm"}}],"usage":{"prompt_tokens":7,"completion_tokens":2,)"
    R"("prompt_tokens_details":{"cached_tokens":3}}})";

/// Waits up to 60 s until the content of the file is `text`.
bool comes_to_hold(const std::filesystem::path& file, const std::string& text) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (test::read_file(file) != text) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::yield(); // another process writes it without a notification
    }
    return true;
}

struct Asked {
    test::TempFolder folder;
    ChatServer server;

    ProcessResult ask(std::vector<std::string> arguments,
                      const std::map<std::string, std::string>& variables = {}) {
        arguments.insert(arguments.begin(), {"ask", "--endpoint", server.url()});
        return agent_cli(arguments, variables);
    }
    [[nodiscard]] std::string body() const { return server.requests().at(0).body; }
    /// The name of a file with these bytes.
    std::string file(const std::string& name, const std::string& bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
        const std::u8string text = (folder / name).u8string();
        return {text.begin(), text.end()};
    }
};

} // namespace

TEST_CASE("ask prints the answer and nothing else") {
    Asked it;
    it.server.enqueue({.body = plain_answer});
    const auto result = it.ask({"What is this?"});
    CHECK(result.status == 0);
    CHECK(result.out == "zażółć\n");
    CHECK(result.err.empty());
    CHECK(it.body() == R"({"messages":[{"role":"user","content":"What is this?"}]})");
}

TEST_CASE("ask sends the values of the flags, otherwise those of the variables") {
    Asked it;
    it.server.enqueue({.body = plain_answer});
    const std::map<std::string, std::string> variables{{"LMSTUDIO_MODEL", "from-variable"},
                                                       {"LMSTUDIO_TEMPERATURE", "0.25"},
                                                       {"LMSTUDIO_MAX_TOKENS", "77"},
                                                       {"EYEHAND_REASONING_EFFORT", "low"}};
    CHECK(it.ask({"--system", "Be brief.", "--model", "from-flag", "--max-tokens", "5", "hi"},
                 variables)
              .status == 0);
    CHECK(it.body() ==
          R"({"model":"from-flag","messages":[{"role":"system","content":"Be brief."},)"
          R"({"role":"user","content":"hi"}],"temperature":0.25,"max_tokens":5,)"
          R"("reasoning_effort":"low"})");
}

TEST_CASE("ask sends images with the media type of their bytes") {
    Asked it;
    it.server.enqueue({.body = plain_answer});
    const std::string webp = it.file("zażółć.png", std::string("RIFF\x04\0\0\0WEBPxx", 14));
    const std::string jpeg = it.file("two.dat", "\xFF\xD8\xFF");
    const auto result = it.ask({"--image", webp, "--image", jpeg, "What differs?"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(it.body(), ContainsSubstring("data:image/webp;base64,UklGRgQAAABXRUJQeHg="));
    CHECK_THAT(it.body(), ContainsSubstring("data:image/jpeg;base64,/9j/"));
    CHECK_THAT(it.body(), ContainsSubstring("What differs?"));
}

TEST_CASE("ask refuses a file that is not an image and sends no request") {
    Asked it;
    const std::string text = it.file("text.png", "not a picture");
    const std::string empty = it.file("empty.png", "");
    struct Row {
        std::string file;
        const char* words;
    };
    for (const Row& row :
         {Row{text, "is not an image that models read"}, Row{empty, "cannot be read, or is empty"},
          Row{(it.folder / "missing.png").string(), "cannot be read"},
          Row{it.folder.path().string(), "cannot be read"}}) {
        const auto result = it.ask({"--image", row.file, "What is this?"});
        INFO(result.err);
        CHECK(result.status == 2);
        CHECK_THAT(result.err, ContainsSubstring("--image is \""));
        CHECK_THAT(result.err, ContainsSubstring(row.words));
        CHECK(result.out.empty());
    }
    CHECK(it.server.requests().empty());
}

TEST_CASE("ask - reads the question from standard input") {
    Asked it;
    it.server.enqueue({.body = plain_answer});
    const auto result = run_program(test::program_folder() / "agent-cli",
                                    {"ask", "-", "--endpoint", it.server.url()},
                                    {.input = "\xEF\xBB\xBFTwo\nlines: ż\x1A?\r\n"});
    CHECK(result.status == 0);
    CHECK_THAT(it.body(), ContainsSubstring(R"("content":"Two\nlines: ż\u001a?")"));
}

TEST_CASE("ask --stream prints the answer while the server is still sending") {
    Asked it;
    const Gate gate;
    it.server.enqueue(streamed({piece("content", "Hel"), gate, piece("content", "lo")}));
    const std::filesystem::path out = it.folder / "out";
    const auto result =
        run_program(test::program_folder() / "agent-cli",
                    {"ask", "hi", "--stream", "--endpoint", it.server.url()},
                    {.out = out, .while_running = [&](const auto&) {
                         CHECK(gate.wait_until_reached(1, std::chrono::seconds(60)));
                         CHECK(comes_to_hold(out, "Hel"));
                         gate.open();
                     }});
    CHECK(result.status == 0);
    CHECK(result.out == "Hello\n");
    CHECK(result.err.empty());
    CHECK_THAT(it.body(), ContainsSubstring(R"("stream":true)"));
}

TEST_CASE("ask --api responses asks through the Responses API, streamed or not") {
    const vlm::testing::Response response{.reasoning = "hm", .text = "zażółć"};
    vlm::testing::ChatServer server(
        {.respond = vlm::testing::scripted_responses({response, response, response})});
    for (const std::vector<std::string>& how :
         {std::vector<std::string>{"--api", "responses"}, {"--api", "responses", "--stream"}}) {
        std::vector<std::string> arguments{"ask", "hi", "-v", "--endpoint", server.url()};
        arguments.insert(arguments.end(), how.begin(), how.end());
        const auto result = agent_cli(arguments);
        CHECK(result.status == 0);
        CHECK(result.out == "zażółć\n");
        CHECK_THAT(result.err,
                   ContainsSubstring("hm\ntest-model: 30 tokens in (20 of them cached), 10 out; "));
    }
    CHECK(
        agent_cli({"ask", "hi", "--endpoint", server.url()}, {{"EYEHAND_API", "responses"}}).out ==
        "zażółć\n");
    for (const auto& request : server.requests()) CHECK(request.target == "/v1/responses");
    CHECK(agent_cli({"ask", "hi", "--api", "other"}).status == 2);
}

TEST_CASE("ask -v prints reasoning, tokens and times to standard error") {
    Asked it;
    it.server.enqueue({.body = plain_answer});
    const auto whole = it.ask({"-v", "hi"});
    CHECK(whole.out == "zażółć\n");
    CHECK_THAT(whole.err, ContainsSubstring("hm\ntiny: 7 tokens in (3 of them cached), 2 out; "));
    it.server.enqueue(streamed({piece("reasoning_content", "h"), piece("reasoning_content", "m"),
                                piece("content", "Hello")}));
    const auto streaming = it.ask({"-v", "--stream", "hi"});
    CHECK(streaming.out == "Hello\n");
    CHECK_THAT(streaming.err, ContainsSubstring("hm\ntiny: 7 tokens in, 2 out; "));
}

TEST_CASE("ask --json prints the reply as one object") {
    Asked it;
    it.server.enqueue({.body = plain_answer});
    const auto result = it.ask({"--json", "hi"});
    CHECK(result.status == 0);
    CHECK_THAT(
        result.out,
        ContainsSubstring(
            R"({"text":"zażółć","reasoning":"hm","finish":"stop","usage":{"prompt_tokens":7,)"
            R"("cached_tokens":3,"completion_tokens":2},"model":"tiny","wait_ms":)"));
    CHECK(result.out.ends_with("\"notes\":[]}\n"));
    CHECK(result.err.empty());
}

TEST_CASE("ask --json --stream prints one line per delta and then the reply") {
    Asked it;
    it.server.enqueue(streamed(
        {piece("reasoning", "hm"), piece("content", "Hel"), piece("content", "lo\\u009B")}));
    const auto result = it.ask({"--json", "--stream", "hi"});
    CHECK(result.status == 0);
    CHECK(result.out.starts_with("{\"delta\":\"reasoning\",\"text\":\"hm\"}\n"
                                 "{\"delta\":\"text\",\"text\":\"Hel\"}\n"
                                 "{\"delta\":\"text\",\"text\":\"lo\xC2\x9B\"}\n"
                                 "{\"text\":\"Hello\xC2\x9B\",\"reasoning\":\"hm\",\"finish\":"));
    CHECK_THAT(result.out, ContainsSubstring(R"("cached_tokens":null)"));
}

TEST_CASE("ask removes control characters from the answer of a model") {
    Asked it;
    it.server.enqueue(streamed({piece("content", "\\u001b[2Jred\\u009b")}));
    CHECK(it.ask({"--stream", "hi"}).out == "[2Jred\n");
    it.server.enqueue({.body = completion("\x1B[2Jred")});
    CHECK(it.ask({"hi"}).out == "[2Jred\n");
}

TEST_CASE("ask reports why an answer is incomplete") {
    Asked it;
    it.server.enqueue(
        {.body = R"({"choices":[{"finish_reason":"length","message":{"content":"I"}}]})"});
    const auto cut = it.ask({"hi"});
    CHECK(cut.status == 0);
    CHECK(cut.out == "I\n");
    CHECK_THAT(cut.err, ContainsSubstring("--max-tokens"));
    it.server.enqueue({.body = completion("")});
    const auto empty = it.ask({"hi"});
    CHECK(empty.status == 0);
    CHECK(empty.out.empty());
    CHECK_THAT(empty.err, ContainsSubstring("without any text"));
    it.server.enqueue(
        {.body = R"({"choices":[{"finish_reason":"error","message":{"content":"I"}}]})"});
    CHECK(it.ask({"hi"}).status == 4);
}

TEST_CASE("ask reports each retry, and a model that is loading once") {
    Asked it;
    const std::map<std::string, std::string> soon{{"retry-after-ms", "1"}};
    const std::string loading = R"({"error":{"message":"Loading model"}})";
    it.server.enqueue({.status = 503, .body = loading, .headers = soon});
    it.server.enqueue({.status = 503, .body = loading, .headers = soon});
    it.server.enqueue({.status = 500, .body = R"({"error":"oops"})", .headers = soon});
    it.server.enqueue({.body = plain_answer});
    const auto result = it.ask({"hi"});
    CHECK(result.status == 0);
    CHECK(result.out == "zażółć\n");
    const std::size_t told = result.err.find("is loading its model");
    CHECK(told != std::string::npos);
    CHECK(result.err.find("is loading its model", told + 1) == std::string::npos);
    CHECK_THAT(result.err,
               ContainsSubstring("retrying in 0.") && ContainsSubstring(" s (attempt 4): "));
    CHECK_THAT(result.err, ContainsSubstring("oops"));
}

TEST_CASE("ask ends with exit code 4 and the remedy if the endpoint fails") {
    const auto down =
        agent_cli({"ask", "hi", "--retries", "0", "--endpoint", "http://127.0.0.1:1"});
    CHECK(down.status == 4);
    CHECK_THAT(down.err, ContainsSubstring("nothing listens at 127.0.0.1:1"));
    Asked it;
    it.server.enqueue({.status = 400, .body = R"({"error":"no such thing"})"});
    const auto refused = it.ask({"hi"});
    CHECK(refused.status == 4);
    CHECK_THAT(refused.err, ContainsSubstring("no such thing"));
    CHECK(refused.out.empty());
}

TEST_CASE("ask ends the line if a stream breaks off") {
    Asked it;
    Answer broken;
    broken.parts = {vlm::testing::chunked_head(), piece("content", "Hel")};
    broken.close = true;
    it.server.enqueue(broken);
    const auto result = it.ask({"--stream", "hi"});
    CHECK(result.status == 4);
    CHECK(result.out == "Hel\n");
    CHECK(it.server.requests().size() == 1);
}

TEST_CASE("Ctrl+C during a request is exit code 130 and closes the socket") {
    Asked it;
    it.server.enqueue({.never = true});
    const auto result =
        agent_cli({"ask", "hi", "--endpoint", it.server.url()}, {},
                  [&](const std::function<void()>& interrupt) {
                      CHECK(it.server.wait_for_requests(1, std::chrono::seconds(60)));
                      interrupt();
                  });
    INFO(result.err);
    CHECK(result.status == 130);
    CHECK(result.out.empty());
    CHECK(it.server.wait_until_disconnected(std::chrono::seconds(60)));
}
