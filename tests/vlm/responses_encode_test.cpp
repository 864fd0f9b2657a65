// Requests to the Responses API.
#include "wire/encode_request.hpp"
#include "wire/json.hpp"

#include "catch.hpp"
#include "eyehand/vlm/testing/responses.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace eyehand;
using vlm::Message;
using vlm::ToolCall;

namespace {

constexpr const char* reasoning =
    R"({"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"})";
constexpr const char* message =
    R"({"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary",)"
    R"("content":[{"type":"output_text","text":"I click.","annotations":[],"logprobs":[]}]})";
constexpr const char* call =
    R"({"id":"fc_1","type":"function_call","status":"completed","call_id":"c1","name":"click",)"
    R"("arguments":"{\"x\":1}"})";

std::string list(std::initializer_list<const char*> items) {
    std::string all;
    for (const char* item : items) all.append(all.empty() ? "[" : ",").append(item);
    return all + "]";
}

std::string encoded(const vlm::ChatRequest& request, vlm::Quirks quirks = {}, bool stream = false) {
    return vlm::wire::encode_request(
        request, {.quirks = quirks, .stream = stream, .api = vlm::Api::responses});
}

std::string input_of(const vlm::ChatRequest& request) {
    const auto body = vlm::wire::parse_json(encoded(request));
    return boost::json::serialize(body->as_object().at("input"));
}

/// A conversation in which the model has replied with `reply`, whose call is answered.
vlm::ChatRequest after(Message reply) {
    vlm::ChatRequest request;
    request.messages = {Message::user("go"), std::move(reply)};
    for (const ToolCall& one : request.messages[1].tool_calls)
        request.messages.push_back(Message::tool(one.id, "done"));
    return request;
}

Message with_items(std::string text, std::vector<ToolCall> calls, std::string items) {
    Message reply = Message::assistant(std::move(text), std::move(calls));
    reply.items_json = std::move(items);
    return reply;
}

const std::string go =
    R"({"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]})";
const std::string done = R"({"type":"function_call_output","call_id":"c1","output":"done"})";

} // namespace

TEST_CASE("responses: a request has its instructions, its input, and no state on the server") {
    const vlm::ChatRequest request{.model = "m",
                                   .messages = {Message::system("s"), Message::user("go")}};
    CHECK(encoded(request) == R"({"model":"m","instructions":"s","input":[)" + go +
                                  R"(],"include":["reasoning.encrypted_content"],"store":false})");
}

TEST_CASE("responses: a stream is requested without stream_options") {
    const std::string body = encoded({.messages = {Message::user("go")}}, {}, true);
    CHECK_THAT(body, ContainsSubstring(R"("stream":true})"));
    CHECK(body.find("stream_options") == std::string::npos);
}

TEST_CASE("responses: tools are flat and not strict") {
    vlm::ChatRequest request{.messages = {Message::user("go")}};
    request.tools = {{"click", "Clicks.", R"({"type": "object"})"}};
    request.tool_choice = vlm::ToolChoice::required;
    CHECK_THAT(encoded(request, {.one_call_at_a_time = true}),
               ContainsSubstring(R"("tools":[{"type":"function","name":"click","description":)"
                                 R"("Clicks.","parameters":{"type": "object"},"strict":false}],)"
                                 R"("tool_choice":"required","parallel_tool_calls":false)"));
}

TEST_CASE("responses: options have the names of the API") {
    vlm::ChatRequest request{.messages = {Message::user("go")}};
    request.sampling = {.temperature = 0.5, .top_p = 0.9, .max_tokens = 64};
    request.sampling.reasoning_effort = vlm::ReasoningEffort::low;
    request.response_format = {"answer", R"({"type":"object"})"};
    const std::string body = encoded(request);
    CHECK_THAT(body, ContainsSubstring(R"("temperature":0.5,"top_p":0.9,"max_output_tokens":64,)"
                                       R"("reasoning":{"effort":"low"})"));
    CHECK_THAT(body, ContainsSubstring(R"("text":{"format":{"type":"json_schema","name":"answer",)"
                                       R"("strict":true,"schema":{"type":"object"}}})"));
    CHECK(vlm::testing::response_request_problem(body).empty());
}

TEST_CASE("responses: options that the API does not have are not sent to OpenAI") {
    vlm::ChatRequest request{.messages = {Message::user("go")}};
    request.sampling = {.top_k = 20, .presence_penalty = 1.5, .seed = 7, .stop = {"x"}};
    CHECK_THAT(encoded(request),
               ContainsSubstring(R"("top_k":20,"presence_penalty":1.5,"seed":7,"stop":["x"])"));
    const std::string body = encoded(request, {.standard_fields_only = true});
    for (const char* name : {"top_k", "presence_penalty", "seed", "stop"})
        CHECK(body.find(name) == std::string::npos);
}

TEST_CASE("responses: no thinking tokens are an effort of none, or llama-server's own option") {
    vlm::ChatRequest request{.messages = {Message::user("go")}};
    request.sampling.thinking_tokens = 0;
    CHECK_THAT(encoded(request), ContainsSubstring(R"("reasoning":{"effort":"none"})"));
    request.sampling.thinking_tokens = 512;
    CHECK(encoded(request).find("512") == std::string::npos);
    CHECK_THAT(encoded(request, {.reasoning = vlm::ReasoningForm::llama_server}),
               ContainsSubstring(R"("thinking_budget_tokens":512)"));
    CHECK_THAT(encoded(request, {.reasoning = vlm::ReasoningForm::openrouter}),
               ContainsSubstring(R"("reasoning":{"max_tokens":512})"));
}

TEST_CASE("responses: an image is a data URL with its detail") {
    const vlm::ChatRequest request{
        .messages = {Message::user("What?", vlm::make_image({1, 2, 3}))}};
    CHECK_THAT(encoded(request),
               ContainsSubstring(R"([{"type":"input_text","text":"What?"},{"type":"input_image",)"
                                 R"("detail":"auto","image_url":"data:image/png;base64,AQID"}])"));
    CHECK_THAT(vlm::wire::encode_request(
                   request, {.images = vlm::wire::ImageMode::redacted, .api = vlm::Api::responses}),
               ContainsSubstring(R"("image_url":"sha256:039058c6f2c0cb492c533b0a4d14ef77cc0f78abcc)"
                                 R"(ced5287d84a1a2011cfb81, 3 bytes")"));
}

TEST_CASE("responses: without output items, text and calls become items") {
    CHECK(input_of(after(Message::assistant("I click.", {{"c1", "click", R"({"x":1})"}}))) ==
          "[" + go + R"(,{"type":"message","role":"assistant","content":"I click."},)" +
              R"({"type":"function_call","call_id":"c1","name":"click","arguments":"{\"x\":1}"},)" +
              done + "]");
}

TEST_CASE("responses: output items are sent back unchanged") {
    const std::string items = list({reasoning, message, call});
    const std::string input =
        input_of(after(with_items("I click.", {{"c1", "click", R"({"x":1})"}}, items)));
    CHECK(input == "[" + go + "," + items.substr(1, items.size() - 2) + "," + done + "]");
}

TEST_CASE("responses: consecutive replies keep their own items") {
    vlm::ChatRequest request;
    request.messages = {Message::user("go"), with_items("I click.", {}, list({reasoning, message})),
                        Message::assistant("Well."), Message::user("go")};
    CHECK(input_of(request) == "[" + go + "," + reasoning + "," + message +
                                   R"(,{"type":"message","role":"assistant","content":"Well."},)" +
                                   go + "]");
}

TEST_CASE("responses: a text that the caller has changed replaces the message and its reasoning") {
    const std::string input = input_of(after(with_items(
        "I shortened.", {{"c1", "click", R"({"x":1})"}}, list({reasoning, message, call}))));
    CHECK(input == "[" + go +
                       R"(,{"type":"message","role":"assistant","content":"I shortened."},)" +
                       call + "," + done + "]");
}

TEST_CASE("responses: a call that the caller has removed is left out with its reasoning") {
    const std::string input =
        input_of(after(with_items("I click.", {}, list({message, reasoning, call}))));
    CHECK(input == "[" + go + "," + message + "]");
}

TEST_CASE("responses: a call that the caller has changed replaces its item") {
    const std::string input =
        input_of(after(with_items({}, {{"c1", "click", R"({"x":2})"}}, list({reasoning, call}))));
    CHECK(input == "[" + go +
                       R"(,{"type":"function_call","call_id":"c1","name":"click","arguments":)" +
                       R"("{\"x\":2}"},)" + done + "]");
}

TEST_CASE("responses: reasoning without a following item is left out") {
    const std::string input = input_of(after(with_items({}, {}, list({reasoning}))));
    CHECK(input == "[" + go + "]");
}

TEST_CASE("responses: a call without arguments is sent back unchanged") {
    constexpr const char* bare =
        R"({"type":"function_call","call_id":"c1","name":"look","arguments":""})";
    const std::string input = input_of(after(with_items({}, {{"c1", "look", "{}"}}, list({bare}))));
    CHECK(input == "[" + go + "," + bare + "," + done + "]");
}

TEST_CASE("responses: reasoning that a server without a state cannot know is left out") {
    constexpr const char* plain = R"({"id":"rs_1","type":"reasoning","summary":[]})";
    constexpr const char* own =
        R"({"id":"rs_1","type":"reasoning","summary":[],"content":[{"type":"reasoning_text",)"
        R"("text":"I think."}]})";
    const vlm::ChatRequest without = after(
        with_items("I click.", {{"c1", "click", R"({"x":1})"}}, list({plain, message, call})));
    CHECK(input_of(without) == "[" + go + "," + message + "," + call + "," + done + "]");
    const vlm::ChatRequest with =
        after(with_items("I click.", {{"c1", "click", R"({"x":1})"}}, list({own, message, call})));
    CHECK(input_of(with) == "[" + go + "," + own + "," + message + "," + call + "," + done + "]");
    // A response that the server has stored is continued only by its own items.
    const std::string stored =
        vlm::wire::encode_request(without, {.api = vlm::Api::responses, .store = true});
    CHECK_THAT(stored, ContainsSubstring(plain));
}

TEST_CASE("responses: items that are not a list of objects are an error of the caller") {
    for (const char* items : {"{}", "[1]", "[", "null"})
        CHECK_THROWS_AS(encoded(after(with_items("x", {}, items))), std::invalid_argument);
}

// --- The computer tool ------------------------------------------------------------------------------

namespace {

constexpr const char* computer_call =
    R"({"id":"cu_1","type":"computer_call","call_id":"c1","status":"completed",)"
    R"("actions":[{"type":"click","button":"left","x":3,"y":4}],"pending_safety_checks":)"
    R"([{"id":"sc_1","code":"odd","message":"Look."}]})";
const vlm::SafetyCheck check{"sc_1", "odd", "Look."};
const ToolCall click{.id = "c1",
                     .name = "computer",
                     .arguments_json =
                         R"({"actions":[{"type":"click","button":"left","x":3,"y":4}]})",
                     .safety_checks = {check}};

vlm::ChatRequest after_computer_call(std::vector<vlm::SafetyCheck> acknowledged,
                                     std::optional<vlm::Image> screen) {
    vlm::ChatRequest request;
    Message result = Message::tool("c1", "ok");
    result.acknowledged_checks = std::move(acknowledged);
    Message now = Message::user("Now:");
    if (screen) now.parts.emplace_back(*screen);
    request.messages = {Message::user("go"),
                        with_items({}, {click}, list({reasoning, computer_call})), result, now};
    return request;
}

const std::string as_function =
    "[" + go + R"(,{"type":"function_call","call_id":"c1","name":"computer","arguments":)" +
    R"("{\"actions\":[{\"type\":\"click\",\"button\":\"left\",\"x\":3,\"y\":4}]}"},)" +
    R"({"type":"function_call_output","call_id":"c1","output":"ok"},)";

} // namespace

TEST_CASE("computer tool: it has no members, and only with the Responses API") {
    vlm::ChatRequest request{.messages = {Message::user("go")}};
    request.tools = {{"computer", "Acts.", R"({"type":"object"})", true}};
    CHECK_THAT(encoded(request), ContainsSubstring(R"("tools":[{"type":"computer"}])"));
    CHECK_THAT(vlm::wire::encode_request(request), ContainsSubstring(R"("name":"computer")"));
}

TEST_CASE("computer tool: only one tool, with this name, can be it") {
    vlm::ChatRequest request{.messages = {Message::user("go")}};
    request.tools = {{"act", "", R"({"type":"object"})", true}};
    CHECK_THROWS_AS(encoded(request), std::invalid_argument);
    CHECK_THROWS_AS(vlm::wire::encode_request(request), std::invalid_argument);
    request.tools = {{"computer", "", R"({"type":"object"})", true},
                     {"computer", "", R"({"type":"object"})", true}};
    CHECK_THROWS_AS(encoded(request), std::invalid_argument);
}

TEST_CASE("computer tool: the screenshot after the results is the result") {
    CHECK(input_of(after_computer_call({check}, vlm::make_image({1, 2, 3}))) ==
          "[" + go + "," + reasoning + "," + computer_call +
              R"(,{"type":"computer_call_output","call_id":"c1","acknowledged_safety_checks":)" +
              R"([{"id":"sc_1","code":"odd","message":"Look."}],"output":{"type":)" +
              R"("computer_screenshot","detail":"original","image_url":)" +
              R"("data:image/png;base64,AQID"}},{"type":"message","role":"user","content":)" +
              R"([{"type":"input_text","text":"Result: ok"},)" +
              R"({"type":"input_text","text":"Now:"}]}])");
}

TEST_CASE("computer tool: without a screenshot, a call is that of a function") {
    CHECK(input_of(after_computer_call({check}, std::nullopt)) ==
          as_function + R"({"type":"message","role":"user","content":)" +
              R"([{"type":"input_text","text":"Now:"}]}])");
}

TEST_CASE("computer tool: a check that is not acknowledged by the caller stays unacknowledged") {
    const std::string input = input_of(after_computer_call({}, vlm::make_image({1, 2, 3})));
    CHECK_THAT(input, Catch::Matchers::StartsWith(as_function));
    CHECK(input.find("acknowledged") == std::string::npos);
}

TEST_CASE("computer tool: only a tool result acknowledges checks") {
    vlm::ChatRequest request{.messages = {Message::user("go")}};
    request.messages[0].acknowledged_checks = {check};
    CHECK_THROWS_AS(encoded(request), std::invalid_argument);
}

TEST_CASE("chat completions ignore output items") {
    const vlm::ChatRequest with = after(with_items("I click.", {}, list({reasoning, message})));
    const vlm::ChatRequest without = after(Message::assistant("I click."));
    CHECK(vlm::wire::encode_request(with) == vlm::wire::encode_request(without));
}
