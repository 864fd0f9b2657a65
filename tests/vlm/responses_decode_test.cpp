// Answers of the Responses API: documents and streams.
#include "wire/responses/assemble_reply.hpp"
#include "wire/responses/decode_reply.hpp"
#include "wire/sse.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/testing/responses.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace eyehand;
using vlm::errc;
using vlm::FinishReason;
using vlm::testing::Response;
using vlm::testing::response_document;
using vlm::testing::response_events;

namespace {

const vlm::wire::Where where{"http://h/v1/responses", "m", "sk-0123456789", "/v1/responses"};

vlm::ChatReply decoded(const std::string& body) {
    return vlm::wire::responses::decode_reply(body, where);
}

std::string event(const std::string& data) { return "data: " + data + "\n\n"; }

struct Streamed {
    std::string text;
    std::string reasoning;
    std::vector<std::pair<std::string, std::string>> calls; ///< tool, arguments
    vlm::ChatReply reply;
};

Streamed streamed(const std::string& bytes) {
    Streamed result;
    vlm::wire::EventParser events(where.url, 0);
    vlm::wire::responses::ReplyAssembler assembler(where);
    const auto take = [&](const vlm::wire::ServerEvent& one) {
        for (const vlm::Delta& delta : assembler.take(one)) {
            if (delta.kind == vlm::Delta::Kind::text) result.text += delta.text;
            if (delta.kind == vlm::Delta::Kind::reasoning) result.reasoning += delta.text;
            if (delta.kind != vlm::Delta::Kind::tool_call) continue;
            if (delta.call >= result.calls.size()) result.calls.resize(delta.call + 1);
            result.calls[delta.call].first += delta.tool;
            result.calls[delta.call].second += delta.text;
        }
    };
    events.feed(bytes, take);
    events.finish(take);
    result.reply = assembler.finish();
    return result;
}

const Response everything{.reasoning = "The button is blue. Zażółć.",
                          .text = "I click the button.",
                          .calls = {{"click", R"({"x":1,"label":"Zażółć"})"}, {"wait", "{}", "w"}}};

} // namespace

TEST_CASE("responses: a document becomes a reply with its items") {
    const vlm::ChatReply reply = decoded(response_document(everything));
    CHECK(reply.text == "I click the button.");
    CHECK(reply.reasoning == "The button is blue. Zażółć.");
    REQUIRE(reply.tool_calls.size() == 2);
    CHECK(reply.tool_calls[0] ==
          vlm::ToolCall{"call_of_click", "click", R"({"x":1,"label":"Zażółć"})"});
    CHECK(reply.tool_calls[1].id == "w");
    CHECK(reply.finish == FinishReason::tool_calls);
    CHECK(reply.model == "test-model");
    CHECK(reply.usage.prompt_tokens == 30);
    CHECK(reply.usage.cached_tokens == 20);
    CHECK(reply.usage.completion_tokens == 10);
    CHECK_THAT(reply.items_json,
               ContainsSubstring(R"({"id":"rs_1_0","type":"reasoning","summary":[{"type":)"
                                 R"("summary_text","text":"The button is blue. Zażółć."}],)"
                                 R"("encrypted_content":"gAAAAA1-éncrypted=="})"));
    CHECK_THAT(reply.items_json, ContainsSubstring(R"("id":"fc_1_2","type":"function_call")"));
}

TEST_CASE("responses: a stream gives the reply of the document, and its deltas make it up") {
    const vlm::ChatReply whole = decoded(response_document(everything));
    const Streamed result = streamed(response_events(everything));
    CHECK(result.text == whole.text);
    CHECK(result.reasoning == whole.reasoning);
    REQUIRE(result.calls.size() == 2);
    CHECK(result.calls[0].first == "click");
    CHECK(result.calls[0].second == whole.tool_calls[0].arguments_json);
    CHECK(result.calls[1].first == "wait");
    CHECK(result.reply.text == whole.text);
    CHECK(result.reply.tool_calls == whole.tool_calls);
    CHECK(result.reply.items_json == whole.items_json);
    CHECK(result.reply.finish == whole.finish);
    CHECK(result.reply.usage.cached_tokens == whole.usage.cached_tokens);
}

TEST_CASE("responses: complete items without deltas are delivered as deltas") {
    const std::string item =
        R"({"type":"function_call","call_id":"c","name":"click","arguments":"{\"x\":1}"})";
    const Streamed result = streamed(
        event(R"({"type":"response.output_item.done","output_index":0,"item":)" + item + "}") +
        event(R"({"type":"response.completed","response":{"status":"completed","output":[]}})"));
    REQUIRE(result.calls.size() == 1);
    CHECK(result.calls[0] == std::pair<std::string, std::string>("click", R"({"x":1})"));
    CHECK(result.reply.tool_calls.at(0).id == "c");
    CHECK(result.reply.items_json == "[" + item + "]");
}

TEST_CASE("responses: an item of the stream replaces the same item at its end") {
    const auto item = [](const std::string& content) {
        return R"({"id":"rs","type":"reasoning","summary":[],"encrypted_content":")" + content +
               "\"}";
    };
    const Streamed result = streamed(
        event(R"({"type":"response.output_item.done","output_index":0,"item":)" + item("whole") +
              "}") +
        event(R"({"type":"response.completed","response":{"output":[)" + item("cut") + "]}}"));
    CHECK(result.reply.items_json == "[" + item("whole") + "]");
}

TEST_CASE("responses: two messages are joined by a line break, also in deltas") {
    const Response first{.text = "One.",
                         .items_json = {R"({"type":"message","role":"assistant","content":)"
                                        R"([{"type":"output_text","text":"Two."}]})"}};
    CHECK(decoded(response_document(first)).text == "One.\nTwo.");
    const Streamed result = streamed(
        event(R"({"type":"response.output_text.delta","output_index":0,"delta":"One."})") +
        event(R"({"type":"response.output_text.delta","output_index":1,"delta":"Two."})") +
        event(R"({"type":"response.completed","response":)" + response_document(first) + "}"));
    CHECK(result.text == result.reply.text);
}

TEST_CASE("responses: a refusal is the text of a reply without text") {
    const Response refused{.refusal = "I can't do that."};
    CHECK(decoded(response_document(refused)).text == "I can't do that.");
    CHECK(decoded(response_document(refused)).finish == FinishReason::stop);
    CHECK(streamed(response_events(refused)).text == "I can't do that.");
}

TEST_CASE("responses: an incomplete response tells why it ended") {
    const Response cut{.text = "I", .incomplete = "max_output_tokens"};
    CHECK(decoded(response_document(cut)).finish == FinishReason::length);
    CHECK(streamed(response_events(cut)).reply.finish == FinishReason::length);
    const Response filtered{.text = "I", .incomplete = "content_filter"};
    CHECK(decoded(response_document(filtered)).finish == FinishReason::content_filter);
}

TEST_CASE("responses: a call that the output limit cut off is an error") {
    const Response cut{.calls = {{"click", R"({"x":)"}}, .incomplete = "max_output_tokens"};
    CHECK(error_of([&] { (void)decoded(response_document(cut)); }).code() == errc::truncated);
    CHECK(error_of([&] { (void)streamed(response_events(cut)); }).code() == errc::truncated);
}

TEST_CASE("responses: a call that the output limit cut off before its arguments is an error") {
    const auto cut = [](const std::string& arguments, const std::string& status) {
        return R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},)"
               R"("output":[{"type":"function_call","call_id":"c","name":"look","arguments":")" +
               arguments + R"(","status":")" + status + R"("}]})";
    };
    for (const std::string& body : {cut("", "incomplete"), cut("", "completed"),
                                    cut("{}", "incomplete"), cut("{}", "in_progress")})
        CHECK(error_of([&] { (void)decoded(body); }).code() == errc::truncated);
    CHECK(decoded(cut("{}", "completed")).tool_calls.size() == 1);
    const std::string computer =
        R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":)"
        R"([{"type":"computer_call","call_id":"c","actions":[{"type":"wait"}],"status":)"
        R"("incomplete"}]})";
    CHECK(error_of([&] { (void)decoded(computer); }).code() == errc::truncated);
}

TEST_CASE("responses: a call that the content filter cut off is left out") {
    const vlm::ChatReply reply = decoded(
        R"({"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":)"
        R"([{"type":"function_call","call_id":"c","name":"look","arguments":"","status":)"
        R"("incomplete"}]})");
    CHECK(reply.finish == FinishReason::content_filter);
    CHECK(reply.tool_calls.empty());
}

TEST_CASE("responses: malformed safety checks are errors of the server") {
    const auto with_checks = [](const std::string& checks) {
        return R"({"status":"completed","output":[{"type":"computer_call","call_id":"c",)"
               R"("actions":[{"type":"wait"}],"pending_safety_checks":)" +
               checks + "}]}";
    };
    std::string many = R"([{"id":"sc"})";
    for (int i = 0; i < 100; ++i) many += R"(,{"id":"sc"})";
    for (const std::string& checks :
         {std::string(R"({"id":"sc_1"})"), std::string(R"(["sc_1"])"), std::string(R"("sc_1")"),
          std::string("[{}]"), std::string(R"([{"id":""}])"), std::string(R"([{"id":1}])"),
          std::string(R"([{"id":"sc_1","code":1}])"),
          std::string(R"([{"id":"sc_1","message":[]}])"), many + "]"}) {
        INFO(checks);
        CHECK(error_of([&] { (void)decoded(with_checks(checks)); }).code() == errc::bad_response);
    }
    for (const char* checks : {"null", "[]", R"([{"id":"sc_1","code":null,"message":null}])"})
        CHECK(decoded(with_checks(checks)).tool_calls.size() == 1);
}

TEST_CASE("responses: a failed response is the server's error") {
    const Response failed{
        .text = "I", .error_code = "server_error", .error_message = "The model had a bad day."};
    for (const auto& error : {error_of([&] { (void)decoded(response_document(failed)); }),
                              error_of([&] { (void)streamed(response_events(failed)); })}) {
        CHECK(error.code() == errc::server_error);
        CHECK(error.server_message() == "The model had a bad day.");
    }
}

TEST_CASE("responses: what the model wrote does not decide about the category of an error") {
    const Response failed{
        .text = "maximum context length", .error_code = "server_error", .error_message = "Oops."};
    CHECK(error_of([&] { (void)decoded(response_document(failed)); }).code() == errc::server_error);
}

TEST_CASE("responses: an error in a stream has any of the known forms") {
    for (
        const std::string& stream :
        {std::string("event: error\ndata: {\"type\":\"error\",\"code\":\"context_length_exceeded\","
                     "\"message\":\"too long\",\"param\":null}\n\n"),
         event(R"({"type":"error","code":"context_length_exceeded","message":"too long"})"),
         event(
             R"({"type":"error","error":{"code":"context_length_exceeded","message":"too long"}})"),
         event(R"({"error":{"code":"context_length_exceeded","message":"too long"}})")}) {
        const vlm::Error error = error_of([&] { (void)streamed(stream); });
        CHECK(error.code() == errc::context_overflow);
        CHECK(error.server_message() == "too long");
    }
}

TEST_CASE("responses: a stream without its last event is a lost connection") {
    const std::string whole = response_events(everything);
    const std::string cut = whole.substr(0, whole.find("event: response.completed"));
    CHECK(error_of([&] { (void)streamed(cut); }).code() == errc::connection_lost);
    CHECK(error_of([&] { (void)streamed(cut + event("[DONE]")); }).code() == errc::connection_lost);
    CHECK(error_of([&] { (void)streamed({}); }).code() == errc::connection_lost);
}

TEST_CASE("responses: unknown events and items are ignored, and unknown items are kept") {
    const Response odd{.text = "Hi.", .items_json = {R"({"type":"web_search_call","id":"ws"})"}};
    const Streamed result = streamed(event(R"({"type":"keepalive"})") + response_events(odd));
    CHECK(result.reply.text == "Hi.");
    CHECK_THAT(result.reply.items_json,
               ContainsSubstring(R"({"type":"web_search_call","id":"ws"})"));
}

TEST_CASE("responses: a call without an id gets one") {
    const vlm::ChatReply reply = decoded(
        R"({"status":"completed","output":[{"type":"function_call","name":"f","arguments":""}]})");
    REQUIRE(reply.tool_calls.size() == 1);
    CHECK(reply.tool_calls[0].id.starts_with("call_"));
    CHECK(reply.tool_calls[0].arguments_json == "{}");
}

TEST_CASE("responses: reasoning is read in the form of llama-server, too") {
    CHECK(decoded(R"({"output":[{"type":"reasoning","summary":[],"content":[{"type":)"
                  R"("reasoning_text","text":"I think."}]}]})")
              .reasoning == "I think.");
}

TEST_CASE("responses: an answer of another API is an error that names the URL of this one") {
    const vlm::Error error =
        error_of([] { (void)decoded(R"({"choices":[{"message":{"content":"x"}}]})"); });
    CHECK(error.code() == errc::bad_response);
    CHECK_THAT(error.what(), ContainsSubstring("/v1/responses"));
    CHECK(error_of([] {
              (void)streamed(event(R"({"choices":[{"delta":{"content":"x"}}]})"));
          }).code() == errc::bad_response);
}

TEST_CASE("responses: members of wrong types are errors of the server") {
    for (const char* body :
         {R"({"output":{}})", R"({"output":[1]})", R"({"output":[{"type":"message","content":1}]})",
          R"({"output":[{"type":"function_call","name":1}]})",
          R"({"output":[{"type":"function_call","name":"f","call_id":1}]})",
          R"({"status":"in_progress","output":[]})", R"({"status":"queued","output":[]})"})
        CHECK(error_of([&] { (void)decoded(body); }).code() == errc::bad_response);
    CHECK(error_of([] { (void)decoded(R"({"status":"cancelled","output":[]})"); }).code() ==
          errc::server_error);
}
