// Reasoning options in the forms of servers, and options that a server rejects.
#include "catch_error.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "wire/encode_request.hpp"

#include <optional>
#include <string>
#include <vector>

using namespace eyehand;
using vlm::ChatRequest;
using vlm::Message;
using vlm::OpenAiClient;
using vlm::Quirks;
using vlm::ReasoningEffort;
using vlm::ReasoningForm;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

ChatRequest request_with(std::optional<ReasoningEffort> effort, std::optional<int> tokens = {}) {
    return {.messages = {Message::user("u")},
            .sampling = {.reasoning_effort = effort, .thinking_tokens = tokens}};
}

/// The members of the body after the messages.
std::string options_in(const ChatRequest& request, const Quirks& quirks) {
    const std::string begin = R"({"messages":[{"role":"user","content":"u"}])";
    const std::string body = vlm::wire::encode_request(request, {.quirks = quirks});
    REQUIRE(body.starts_with(begin));
    return body.substr(begin.size(), body.size() - begin.size() - 1);
}

vlm::testing::Answer refusal(const std::string& message, int status = 400) {
    return {.status = status, .body = R"({"error":{"message":")" + message + "\"}}"};
}

struct ReasoningStage {
    ChatServer server;
    OpenAiClient client;
    explicit ReasoningStage(const Quirks& quirks = {})
        : client({.endpoint = server.url(), .quirks = quirks}) {}
    void answer() { server.enqueue({.body = completion("ok")}); }
    [[nodiscard]] std::string body(std::size_t number) const {
        return server.requests().at(number).body;
    }
};

using Notes = std::vector<std::string>;

} // namespace

TEST_CASE("reasoning: the words of efforts are read back") {
    for (const char* word : {"none", "minimal", "low", "medium", "high", "xhigh"}) {
        const auto effort = vlm::parse_reasoning_effort(word);
        REQUIRE(effort);
        CHECK(vlm::to_string(*effort) == word);
    }
    CHECK_FALSE(vlm::parse_reasoning_effort("High"));
    CHECK_FALSE(vlm::parse_reasoning_effort(""));
}

TEST_CASE("reasoning: each form has its members, and drops what the server does not support") {
    using enum ReasoningEffort;
    struct Row {
        ReasoningForm form;
        std::optional<ReasoningEffort> effort;
        std::optional<int> tokens;
        std::string sent;
        Notes notes;
    };
    const std::string combined = " was not sent: it cannot be combined with thinking_tokens";
    const std::string unsupported = " was not sent: the server does not support it";
    const std::string not_thinking = R"("chat_template_kwargs":{"enable_thinking":false})";
    const std::vector<Row> rows{
        {ReasoningForm::standard, {}, {}, "", {}},
        {ReasoningForm::standard, xhigh, {}, R"(,"reasoning_effort":"xhigh")", {}},
        {ReasoningForm::standard, {}, 0, R"(,"reasoning_effort":"none")", {}},
        {ReasoningForm::standard, {}, 9, "", {"thinking_tokens" + unsupported}},
        {ReasoningForm::standard,
         low,
         0,
         R"(,"reasoning_effort":"none")",
         {"reasoning_effort" + combined}},
        {ReasoningForm::openrouter, minimal, {}, R"(,"reasoning":{"effort":"minimal"})", {}},
        {ReasoningForm::openrouter, {}, 2000, R"(,"reasoning":{"max_tokens":2000})", {}},
        {ReasoningForm::openrouter, {}, 0, R"(,"reasoning":{"effort":"none"})", {}},
        {ReasoningForm::openrouter,
         high,
         2000,
         R"(,"reasoning":{"max_tokens":2000})",
         {"reasoning_effort" + combined}},
        {ReasoningForm::gemini, medium, {}, R"(,"reasoning_effort":"medium")", {}},
        {ReasoningForm::gemini,
         medium,
         800,
         R"(,"extra_body":{"google":{"thinking_config":{"thinking_budget":800}}})",
         {"reasoning_effort" + combined}},
        {ReasoningForm::llama_server,
         low,
         500,
         R"(,"reasoning_effort":"low","thinking_budget_tokens":500,)"
         R"("chat_template_kwargs":{"reasoning_effort":"low"})",
         {}},
        {ReasoningForm::llama_server,
         none,
         {},
         R"(,"reasoning_effort":"none",)" + not_thinking,
         {}},
        {ReasoningForm::llama_server, {}, 0, R"(,"thinking_budget_tokens":0,)" + not_thinking, {}},
        {ReasoningForm::vllm,
         high,
         500,
         R"(,"reasoning_effort":"high","thinking_token_budget":500)",
         {}},
        {ReasoningForm::vllm, {}, 0, "," + not_thinking, {}}};
    for (const Row& row : rows) {
        INFO(row.sent);
        ReasoningStage stage({.reasoning = row.form});
        const ChatRequest request = request_with(row.effort, row.tokens);
        CHECK(options_in(request, {.reasoning = row.form}) == row.sent);
        stage.answer();
        CHECK(stage.client.reply(request).notes == row.notes);
    }
}

TEST_CASE("reasoning: a negative number of thinking tokens is an invalid argument") {
    CHECK_THROWS_AS(vlm::wire::encode_request(request_with({}, -1)), std::invalid_argument);
}

TEST_CASE("reasoning: only the first reply has the note that an option was not sent") {
    ReasoningStage stage;
    stage.server.enqueue(refusal("overheated", 418)); // a request that fails has no reply
    stage.answer();
    stage.answer();
    const ChatRequest request = request_with({}, 100);
    CHECK(error_of([&] { (void)stage.client.reply(request); }).status() == 418);
    CHECK(stage.client.reply(request).notes.size() == 1);
    CHECK(stage.client.reply(request).notes.empty());
}

TEST_CASE("reasoning: a request that is rejected because of an option is sent without it") {
    struct Row {
        ReasoningForm form;
        int status;
        const char* message;
        const char* left; ///< of the effort "high" and 0 or 500 tokens, after the refusal
        int tokens = 500;
    };
    const Row row = GENERATE(
        Row{ReasoningForm::standard, 400,
            "Unsupported parameter: 'reasoning_effort' is not supported with this model.", ""},
        Row{ReasoningForm::standard, 400,
            "Unrecognized request argument supplied: reasoning_effort", ""},
        Row{ReasoningForm::standard, 400, "invalid reasoning value: 'high'", ""},
        Row{ReasoningForm::standard, 400, "llama3 does not support thinking", ""},
        Row{ReasoningForm::standard, 422, "body.reasoning_effort: extra_forbidden", ""},
        Row{ReasoningForm::openrouter, 400,
            "Reasoning is mandatory for this endpoint and cannot be disabled.",
            R"("reasoning":{"effort":"high"})", 0},
        Row{ReasoningForm::gemini, 400,
            "Budget 0 is invalid. This model only works in thinking mode.",
            R"("reasoning_effort":"high")", 0},
        Row{ReasoningForm::vllm, 400,
            "thinking_token_budget is set but reasoning_config is not configured.",
            R"("reasoning_effort":"high")"},
        Row{ReasoningForm::vllm, 400, "[{'loc': ('body', 'reasoning_effort')}]",
            R"("thinking_token_budget":500)"});
    INFO(row.message);
    ReasoningStage stage({.reasoning = row.form});
    stage.server.enqueue(refusal(row.message, row.status));
    stage.answer();
    stage.answer();
    const ChatRequest request = request_with(ReasoningEffort::high, row.tokens);
    const vlm::ChatReply reply = stage.client.reply(request);
    CHECK(reply.text == "ok");
    CHECK(stage.client.reply(request).notes.empty());
    REQUIRE(stage.server.requests().size() == 3); // the client remembers the refusal
    const std::string begin = R"({"messages":[{"role":"user","content":"u"}])";
    const std::string left = *row.left != '\0' ? "," + std::string(row.left) : "";
    CHECK(stage.body(1) == begin + left + "}");
    CHECK(stage.body(2) == stage.body(1));
    const bool quoted = std::any_of(reply.notes.begin(), reply.notes.end(), [&](const auto& note) {
        return note.ends_with(" was not sent: the server does not support it (\"" +
                              std::string(row.message) + "\")");
    });
    CHECK(quoted);
}

TEST_CASE("reasoning: a client leaves out one option after another") {
    ReasoningStage stage({.reasoning = ReasoningForm::vllm});
    stage.server.enqueue(refusal("reasoning_effort"));
    stage.server.enqueue(refusal("thinking_token_budget"));
    stage.answer();
    const vlm::ChatReply reply = stage.client.reply(request_with(ReasoningEffort::low, 5));
    CHECK(reply.notes == Notes{"reasoning_effort was not sent: the server does not support it "
                               "(\"reasoning_effort\")",
                               "thinking_tokens was not sent: the server does not support it "
                               "(\"thinking_token_budget\")"});
}

TEST_CASE("an option is left out only if the server's error names it, and it was sent") {
    struct Row {
        const char* message;
        int status;
        std::optional<ReasoningEffort> effort;
    };
    const Row row = GENERATE(Row{"the temperature is too high", 400, ReasoningEffort::low},
                             Row{"reasoning_effort", 400, {}},
                             Row{"reasoning_effort", 401, ReasoningEffort::low});
    ReasoningStage stage;
    stage.server.enqueue(refusal(row.message, row.status));
    CHECK(error_of([&] { (void)stage.client.reply(request_with(row.effort)); }).status() ==
          row.status);
    CHECK(stage.server.requests().size() == 1);
}

TEST_CASE("a response format that the server rejects is not sent again") {
    ReasoningStage stage;
    stage.server.enqueue(refusal("'response_format.type' must be 'text'"));
    stage.answer();
    stage.answer();
    ChatRequest request = request_with({});
    request.response_format = vlm::ResponseFormat{"turn", R"({"type":"object"})"};
    CHECK(stage.client.reply(request).notes ==
          Notes{"response_format was not sent: the server does not support it "
                "(\"'response_format.type' must be 'text'\")"});
    CHECK(stage.client.reply(request).notes.empty());
    CHECK_THAT(stage.body(0), ContainsSubstring("response_format"));
    CHECK_THAT(stage.body(1) + stage.body(2), !ContainsSubstring("response_format"));
}
