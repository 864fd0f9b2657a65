#include "wire/decode_reply.hpp"

#include "catch_error.hpp"
#include "llama_server.hpp"
#include "wire/json.hpp"

using namespace eyehand;
using vlm::ChatReply;
using vlm::errc;
using vlm::FinishReason;
using vlm::IgnoredCall;
using vlm::wire::TextCallRule;

namespace {

const vlm::wire::Where where{"http://h/v1/chat/completions", "m", "sk-0123456789"};

ChatReply decode(std::string_view body) { return vlm::wire::decode_reply(body, where); }

ChatReply decode_message(const std::string& message, const std::string& finish = "\"stop\"") {
    return decode(R"({"choices":[{"finish_reason":)" + finish + R"(,"message":)" + message + "}]}");
}

vlm::ToolCall decode_call(const std::string& call) {
    const ChatReply reply = decode_message(R"({"tool_calls":[)" + call + "]}");
    REQUIRE(reply.tool_calls.size() == 1);
    return reply.tool_calls[0];
}

std::string arguments(const std::string& json) {
    return decode_call(R"({"id":"c","function":{"name":"f","arguments":)" + json + "}}")
        .arguments_json;
}

vlm::Error refused(std::string_view body) {
    CAPTURE(body.substr(0, 100));
    const vlm::Error error = error_of([&] { (void)decode(body); });
    CHECK(error.code() == errc::bad_response);
    CHECK(error.status() == 200);
    CHECK(mentions(error, where.url));
    return error;
}

} // namespace

TEST_CASE("llama-server: a plain answer") {
    const ChatReply reply = decode(llama_server::plain);
    CHECK(reply.text == " models press supported use click performance double which.");
    CHECK(reply.reasoning.empty());
    CHECK(reply.tool_calls.empty());
    CHECK(reply.finish == FinishReason::stop);
    CHECK(reply.model == "tiny-vl");
    CHECK(reply.usage.prompt_tokens == 30);
    CHECK(reply.usage.completion_tokens == 10);
    CHECK(reply.usage.cached_tokens == 0);
}

TEST_CASE("llama-server: a text cut off by max_tokens is an answer") {
    const ChatReply reply = decode(llama_server::length);
    CHECK(reply.finish == FinishReason::length);
    CHECK(reply.text == " server tools menu can");
    CHECK(reply.usage.cached_tokens == 29);
}

TEST_CASE("llama-server: two calls in one message") {
    const ChatReply reply = decode(llama_server::two_calls);
    REQUIRE(reply.tool_calls.size() == 2);
    CHECK(reply.finish == FinishReason::tool_calls);
    CHECK(reply.tool_calls[0] ==
          vlm::ToolCall{"YNtvQRAbc8eGJQt3fNue7bBiJMBcD0Mb", "click", "{\"x\"\n:8,\"y\":6}", ""});
    CHECK(reply.tool_calls[1].arguments_json == R"({"x":589,"y":3,"button":"right"})");
}

TEST_CASE("llama-server: a call cut off by max_tokens is an error, never a call") {
    const vlm::Error error = error_of([] { (void)decode(llama_server::cut_call); });
    CHECK(error.code() == errc::truncated);
    CHECK(mentions(error, "after 25 tokens"));
    CHECK(mentions(error, "click"));
    CHECK(mentions(error, "max_tokens"));
}

TEST_CASE("llama-server: reasoning is separate from the text") {
    const ChatReply reply = decode(llama_server::thinking);
    CHECK(reply.reasoning == " models press supported use click performance double which.");
    CHECK(reply.text == reply.reasoning);
    CHECK(reply.tool_calls.size() == 1);
}

TEST_CASE("llama-server: the list of models") {
    CHECK(vlm::wire::decode_models(llama_server::models, where) ==
          std::vector<std::string>{"tiny-vl"});
}

TEST_CASE("content may be missing, null, empty, text or parts") {
    CHECK(decode_message("{}").text.empty());
    CHECK(decode_message(R"({"content":null})").text.empty());
    CHECK(decode_message(R"({"content":""})").text.empty());
    CHECK(decode_message(R"({"content":"a"})").text == "a");
    CHECK(decode_message(R"({"content":["a",{"type":"text","text":"b"},{"type":"image"}]})").text ==
          "ab");
}

TEST_CASE("a reasoning part belongs to the reasoning") {
    const ChatReply reply = decode_message(
        R"({"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"yes"}]})");
    CHECK(reply.text == "yes");
    CHECK(reply.reasoning == "hm");
}

TEST_CASE("reasoning has two names") {
    CHECK(decode_message(R"({"content":"a","reasoning":"b"})").reasoning == "b");
    CHECK(decode_message(R"({"reasoning_content":"b","reasoning":"b"})").reasoning == "b");
}

TEST_CASE("think blocks stay in the text") {
    CHECK(decode_message(R"({"content":"<think>x</think>y"})").text == "<think>x</think>y");
}

TEST_CASE("a refusal replaces missing text") {
    CHECK(decode_message(R"({"content":null,"refusal":"I cannot."})").text == "I cannot.");
}

TEST_CASE("missing, null and empty tool_calls mean no calls") {
    CHECK(decode_message(R"({"content":"a"})").tool_calls.empty());
    CHECK(decode_message(R"({"tool_calls":null})").tool_calls.empty());
    CHECK(decode_message(R"({"tool_calls":[]})").tool_calls.empty());
}

TEST_CASE("a call without a name is dropped") {
    CHECK(decode_message(R"({"tool_calls":[{"id":"c","function":{"name":""}},{"id":"d"},
                             {"function":{"arguments":"{}"}}]})")
              .tool_calls.empty());
}

TEST_CASE("arguments may be text, an object, empty, null or missing") {
    CHECK(arguments(R"("{\"x\":1}")") == R"({"x":1})");
    CHECK(arguments(R"({"x":1,"y":[true,null]})") == R"({"x":1,"y":[true,null]})");
    CHECK(arguments(R"("")") == "{}");
    CHECK(arguments(R"("  ")") == "{}");
    CHECK(arguments("null") == "{}");
    CHECK(decode_call(R"({"id":"c","function":{"name":"f"}})").arguments_json == "{}");
}

TEST_CASE("malformed arguments are passed on unchanged") {
    CHECK(arguments(R"("{not json")") == "{not json");
    CHECK(arguments(R"("\"{\\\"x\\\":1}\"")") == R"("{\"x\":1}")");
    CHECK(arguments("[1,2]") == "[1,2]");
    CHECK(arguments("5") == "5");
}

TEST_CASE("a missing id is generated: equal for the same bytes, different in another answer") {
    const std::string one =
        R"({"tool_calls":[{"function":{"name":"f"}},{"function":{"name":"f"}}]})";
    const ChatReply first = decode_message(one);
    const ChatReply again = decode_message(one);
    const ChatReply other = decode_message(one, "\"tool_calls\"");
    CHECK(!first.tool_calls[0].id.empty());
    CHECK(first.tool_calls[0].id != first.tool_calls[1].id);
    CHECK(first.tool_calls == again.tool_calls);
    CHECK(first.tool_calls[0].id != other.tool_calls[0].id);
}

TEST_CASE("a repeated id is replaced") {
    const ChatReply reply = decode_message(
        R"({"tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"a","function":{"name":"g"}}]})");
    CHECK(reply.tool_calls[0].id == "a");
    CHECK(reply.tool_calls[1].id != "a");
}

TEST_CASE("unknown fields of a call are kept") {
    CHECK(decode_call(R"({"id":"c","index":0,"type":"function","extra_content":{"google":
        {"thought_signature":"s"}},"function":{"name":"f","arguments":"{}","strict":true}})")
              .extra_json ==
          R"({"extra_content":{"google":{"thought_signature":"s"}},"function":{"strict":true}})");
}

TEST_CASE("unknown fields of a call with any numbers can be sent back") {
    const ChatReply reply = decode(
        R"({"choices":[{"message":{"tool_calls":[{"id":"a","x":[1e999,{"y":-1e999}],"function":)"
        R"({"name":"f","arguments":{"z":1e999}}}]}}]})");
    REQUIRE(reply.tool_calls.size() == 1);
    CHECK(vlm::wire::parse_json(reply.tool_calls[0].extra_json));
    CHECK(vlm::wire::parse_json(reply.tool_calls[0].arguments_json));
}

TEST_CASE("the older function_call is a call") {
    const ChatReply reply = decode_message(
        R"({"content":null,"function_call":{"name":"f","arguments":"{}"}})", "\"function_call\"");
    REQUIRE(reply.tool_calls.size() == 1);
    CHECK(reply.tool_calls[0].name == "f");
    CHECK(reply.finish == FinishReason::tool_calls);
}

TEST_CASE("calls count, regardless of the finish reason") {
    CHECK(decode_message(R"({"tool_calls":[{"function":{"name":"f"}}]})", "\"stop\"")
              .tool_calls.size() == 1);
}

TEST_CASE("known finish reasons are decoded, others are unknown") {
    const auto finish = [](const std::string& json) { return decode_message("{}", json).finish; };
    CHECK(finish("\"stop\"") == FinishReason::stop);
    CHECK(finish("\"length\"") == FinishReason::length);
    CHECK(finish("\"tool_calls\"") == FinishReason::tool_calls);
    CHECK(finish("\"content_filter\"") == FinishReason::content_filter);
    CHECK(finish("\"error\"") == FinishReason::error);
    CHECK(finish("\"eos\"") == FinishReason::unknown);
    CHECK(finish("null") == FinishReason::unknown);
    CHECK(finish("7") == FinishReason::unknown);
}

TEST_CASE("at the output limit, a complete call is a call, an empty one is an error") {
    const auto at_limit = [](const std::string& arguments_json) {
        return decode_message(R"({"tool_calls":[{"function":{"name":"f","arguments":)" +
                                  arguments_json + "}}]}",
                              "\"length\"");
    };
    CHECK(at_limit(R"("{\"x\":1}")").tool_calls.size() == 1);
    CHECK(error_of([&] { (void)at_limit(R"("")"); }).code() == errc::truncated);
    CHECK(error_of([&] { (void)at_limit(R"("{\"x\":")"); }).code() == errc::truncated);
}

TEST_CASE("token counts that are missing or impossible are unknown") {
    const auto usage = [](const std::string& json) {
        return decode(R"({"choices":[{"message":{"content":"a"}}],"usage":)" + json + "}").usage;
    };
    CHECK(!usage("null").prompt_tokens);
    CHECK(!usage("7").prompt_tokens);
    CHECK(!usage(R"({"prompt_tokens":"7"})").prompt_tokens);
    CHECK(!usage(R"({"prompt_tokens":-1})").prompt_tokens);
    CHECK(!usage(R"({"prompt_tokens":1e300})").prompt_tokens);
    CHECK(!usage(R"({"prompt_tokens":99999999999999999999999999})").prompt_tokens);
    CHECK(usage(R"({"prompt_tokens":7.0})").prompt_tokens == 7);
    CHECK(!usage(R"({"prompt_tokens":7})").cached_tokens);
}

TEST_CASE("cached tokens are read from usage, or else from llama-server's timings") {
    const std::string choices = R"({"choices":[{"message":{}}],"timings":{"cache_n":5})";
    CHECK(decode(choices + "}").usage.cached_tokens == 5);
    CHECK(decode(choices + R"(,"usage":{"prompt_tokens_details":{"cached_tokens":9}}})")
              .usage.cached_tokens == 9);
}

TEST_CASE("llama-server: times are read from the timings; impossible ones are unknown") {
    const vlm::Usage usage = decode(llama_server::plain).usage;
    CHECK(usage.prompt_ms == 4.703);
    CHECK(usage.completion_ms == 2.769);
    const auto prompt_ms = [](const std::string& value) {
        return decode(R"({"choices":[{"message":{}}],"timings":{"prompt_ms":)" + value + "}}")
            .usage.prompt_ms;
    };
    CHECK(prompt_ms("7") == 7);
    for (const char* nothing : {"-1", "null", "\"7\"", "[]"}) CHECK_FALSE(prompt_ms(nothing));
}

TEST_CASE("an error object in a successful answer is the server's error") {
    const vlm::Error error =
        error_of([] { (void)decode(R"({"error":{"message":"no luck","code":500}})"); });
    CHECK(error.code() == errc::server_error);
    CHECK(error.status() == 200);
    CHECK(error.server_message() == "no luck");
    CHECK(mentions(error, "no luck"));
    CHECK(error_of([] { (void)decode(R"({"error":"text"})"); }).server_message() == "text");
    CHECK(error_of([] { (void)decode(R"([{"error":{"message":"m"}}])"); }).server_message() == "m");
    CHECK(error_of([] { (void)decode(R"({"object":"error","message":"m"})"); }).code() ==
          errc::server_error);
    CHECK(error_of([] {
              (void)decode(R"({"choices":[{"message":{},"error":{"message":"m"}}]})");
          }).server_message() == "m");
}

TEST_CASE("a null error is not an error") {
    CHECK(decode(R"({"error":null,"choices":[{"message":{"content":"a"}}]})").text == "a");
}

TEST_CASE("a context overflow in a successful answer is recognized") {
    CHECK(error_of([] { (void)decode(R"({"error":"maximum context length is 4096"})"); }).code() ==
          errc::context_overflow);
}

TEST_CASE("HTML is an error that shows the expected URL") {
    for (const std::string_view body :
         {"<!DOCTYPE html><html>", "  \r\n<html>", "\xEF\xBB\xBF<a>"}) {
        const vlm::Error error = refused(body);
        CHECK(mentions(error, "HTML"));
        CHECK(mentions(error, "/v1"));
    }
}

TEST_CASE("an empty body is an error that says so") {
    CHECK(mentions(refused(""), "empty"));
    CHECK(mentions(refused(" \n"), "empty"));
}

TEST_CASE("text that is not JSON is quoted briefly") {
    CHECK(mentions(refused("not json"), "\"not json\""));
    CHECK(std::string(refused(std::string(100000, 'x')).what()).size() < 1000);
    CHECK(mentions(refused("no json with sk-0123456789 in it"), "with [API key] in it"));
}

TEST_CASE("an unexpected event stream is an error that says so") {
    CHECK(mentions(refused("data: {\"choices\":[]}\n\n"), "event stream"));
}

TEST_CASE("JSON that is not a chat completion is rejected") {
    for (const std::string_view body :
         {"{}", "[]", "7", "null", "\"text\"", "{\"choices\":null}", "{\"choices\":{}}",
          "{\"choices\":[]}", "{\"choices\":[7]}", "{\"choices\":[{}]}",
          "{\"choices\":[{\"message\":null}]}", "{\"choices\":[{\"message\":\"a\"}]}"})
        refused(body);
}

TEST_CASE("a wrong type in an essential field is an error that names the field") {
    const auto refuses = [](const std::string& message, const std::string& field) {
        CHECK(mentions(refused(R"({"choices":[{"message":)" + message + "}]}"), field));
    };
    refuses(R"({"content":7})", "\"content\"");
    refuses(R"({"content":{"text":"a"}})", "\"content\"");
    refuses(R"({"content":[7]})", "\"content\"");
    refuses(R"({"tool_calls":7})", "\"tool_calls\"");
    refuses(R"({"tool_calls":{"id":"c"}})", "\"tool_calls\"");
    refuses(R"({"tool_calls":["f"]})", "\"tool_calls\"");
    refuses(R"({"tool_calls":[{"function":"f"}]})", "\"function\"");
    refuses(R"({"tool_calls":[{"function":{"name":7}}]})", "\"name\"");
}

TEST_CASE("a wrong type in a minor field is ignored") {
    const ChatReply reply = decode(R"({"choices":[{"finish_reason":{},"message":{"content":"a",
        "reasoning_content":7,"refusal":[],"tool_calls":[{"id":7,"type":8,"index":"x",
        "function":{"name":"f"}}]}}],"model":9,"usage":"much","timings":[]})");
    CHECK(reply.text == "a");
    CHECK(reply.model.empty());
    CHECK(!reply.tool_calls.at(0).id.empty());
}

TEST_CASE("too many calls are rejected") {
    const auto with_calls = [](int count) {
        std::string calls;
        for (int i = 0; i < count; ++i)
            calls += std::string(i == 0 ? "" : ",") + R"({"function":{"name":"f"}})";
        return R"({"choices":[{"message":{"tool_calls":[)" + calls + "]}}]}";
    };
    CHECK(decode(with_calls(1000)).tool_calls.size() == 1000);
    const std::string too_many = with_calls(1001);
    CHECK(error_of([&] { (void)decode(too_many); }).code() == errc::bad_response);
}

TEST_CASE("arguments of more than a MiB are rejected, as text and as an object") {
    const std::string text((std::size_t{1} << 20) + 1, 'x');
    const auto with_arguments = [](const std::string& arguments) {
        return R"({"choices":[{"message":{"tool_calls":[{"function":{"name":"f","arguments":)" +
               arguments + "}}]}}]}";
    };
    for (const std::string& arguments : {'"' + text + '"', R"({"text":")" + text + "\"}"}) {
        const std::string body = with_arguments(arguments);
        const vlm::Error error = error_of([&] { (void)decode(body); });
        CHECK(error.code() == errc::bad_response);
        CHECK(mentions(error, "more than 1048576 bytes of arguments"));
    }
}

TEST_CASE("an id, a name or unknown members of a call above their limits are rejected") {
    const std::string long_name(1001, 'n');
    for (const std::string& call : {R"({"id":")" + long_name + R"(","function":{"name":"f"}})",
                                    R"({"function":{"name":")" + long_name + R"("}})",
                                    R"({"function":{"name":"f"},"more":")" +
                                        std::string(std::size_t{1} << 20, 'x') + "\"}"}) {
        const std::string body = R"({"choices":[{"message":{"tool_calls":[)" + call + "]}}]}";
        CHECK(error_of([&] { (void)decode(body); }).code() == errc::bad_response);
    }
    CHECK(decode(R"({"choices":[{"message":{"content":"a"}}],"model":")" + long_name + "\"}")
              .model.empty());
}

TEST_CASE("a list of too many models, or of one with a very long name, is rejected") {
    const auto list_of = [](std::size_t count, const std::string& name) {
        std::string models;
        for (std::size_t i = 0; i < count; ++i)
            models.append(i == 0 ? "" : ",").append(R"({"id":")").append(name).append("\"}");
        return R"({"object":"list","data":[)" + models + "]}";
    };
    const auto decode_list = [](const std::string& body) {
        return vlm::wire::decode_models(body, where);
    };
    CHECK(decode_list(list_of(5000, "m")).size() == 5000);
    CHECK(decode_list(list_of(1, std::string(1000, 'm'))).size() == 1);
    const std::string many = list_of(5001, "m");
    CHECK(mentions(error_of([&] { (void)decode_list(many); }), "more than 5000 models"));
    const std::string long_name = list_of(1, std::string(1001, 'm'));
    CHECK(mentions(error_of([&] { (void)decode_list(long_name); }), "more than 1000 bytes"));
}

TEST_CASE("hostile JSON is rejected without harm") {
    refused(std::string(10000, '['));
    std::string deep = R"({"choices":)";
    deep.append(10000, '[').append(10000, ']').append("}");
    refused(deep);
    refused("{\"choices\":[{\"message\":{\"content\":\"\xFF\"}}]}");
    refused("{\"choices\":[{\"message\":{\"content\":\"\\ud800\"}}]}");
    refused(llama_server::plain.substr(0, llama_server::plain.size() - 1));
    std::string with_more(llama_server::plain);
    with_more += 'x';
    refused(with_more);
    refused(std::string_view("\0\0\0", 3));
}

TEST_CASE("the last of duplicate keys counts, and huge numbers are harmless") {
    CHECK(decode(R"({"choices":[],"choices":[{"message":{"content":"a","content":"b"}}]})").text ==
          "b");
    CHECK(decode(R"({"choices":[{"message":{"content":"a"}}],"created":1e999})").text == "a");
}

TEST_CASE("a call in the text is recovered, gets an id, and is mentioned in the notes") {
    const std::vector<vlm::ToolSpec> offered{{"click", "", R"({"type":"object"})"}};
    const std::string body =
        R"({"choices":[{"finish_reason":"stop","message":{"content":"So. <tool_call>{\"name\":)"
        R"(\"click\",\"arguments\":{\"x\":1}}</tool_call>"}}]})";
    const ChatReply reply = vlm::wire::decode_reply(body, where, offered, TextCallRule::accept);
    REQUIRE(reply.tool_calls.size() == 1);
    CHECK(reply.tool_calls[0].provenance == vlm::Provenance::text);
    CHECK(reply.tool_calls[0].name == "click");
    CHECK(reply.tool_calls[0].arguments_json == R"({"x":1})");
    CHECK(!reply.tool_calls[0].id.empty());
    CHECK(reply.text == "So.");
    CHECK(reply.notes ==
          std::vector<std::string>{"recovered 1 tool call from the text (<tool_call>)"});
    CHECK(decode(body).tool_calls.empty());
    CHECK(decode(body).notes.empty());
    CHECK(decode(body).ignored_call == IgnoredCall::none);
}

TEST_CASE("unless calls in the text are accepted, they stay text, and the reply mentions them") {
    const std::vector<vlm::ToolSpec> offered{{"click", "", R"({"type":"object"})"}};
    const auto read = [&](const std::string& content, TextCallRule rule) {
        return vlm::wire::decode_reply(
            R"({"choices":[{"message":{"content":")" + content + "\"}}]}", where, offered, rule);
    };
    const std::string leak = R"(<tool_call>{\"name\":\"click\"}</tool_call>)";
    const ChatReply ignored = read("So. " + leak, TextCallRule::ignore);
    CHECK(ignored.tool_calls.empty());
    CHECK(ignored.text == R"(So. <tool_call>{"name":"click"}</tool_call>)");
    CHECK(ignored.ignored_call == IgnoredCall::not_accepted);
    CHECK(ignored.notes ==
          std::vector<std::string>{"the text ends with a tool call, which was not executed"});
    CHECK(read(leak + " So.", TextCallRule::ignore).ignored_call == IgnoredCall::none);
    CHECK(read("`" + leak + "`", TextCallRule::ignore).ignored_call == IgnoredCall::none);

    CHECK(read(leak + " So.", TextCallRule::accept).ignored_call == IgnoredCall::unclear);
    const ChatReply quoted = read("`" + leak + "`", TextCallRule::accept);
    CHECK(quoted.ignored_call == IgnoredCall::quoted);
    CHECK(quoted.tool_calls.empty());
    CHECK(quoted.notes == std::vector<std::string>{"a tool call in the text was not executed"});
}

TEST_CASE("nothing is recovered from reasoning, or if the server delivered calls") {
    const std::vector<vlm::ToolSpec> offered{{"click", "", R"({"type":"object"})"}};
    const auto names = [&](const std::string& message) {
        const ChatReply reply = vlm::wire::decode_reply(
            R"({"choices":[{"message":)" + message + "}]}", where, offered, TextCallRule::accept);
        std::vector<std::string> called;
        for (const vlm::ToolCall& call : reply.tool_calls) called.push_back(call.name);
        return called;
    };
    using Names = std::vector<std::string>;
    const std::string leak = R"("<tool_call>{\"name\":\"click\"}</tool_call>")";
    CHECK(names(R"({"content":)" + leak + "}") == Names{"click"});
    CHECK(names(R"({"content":)" + leak + R"(,"tool_calls":[{"function":{"name":"f"}}]})") ==
          Names{"f"});
    CHECK(names(R"({"reasoning_content":)" + leak + "}") == Names{});
    CHECK(names(R"({"reasoning":)" + leak + "}") == Names{});
}

TEST_CASE("a call in the text that the output limit cut off is an error") {
    const std::vector<vlm::ToolSpec> offered{{"click", "", R"({"type":"object"})"}};
    const vlm::Error error = error_of([&] {
        (void)vlm::wire::decode_reply(
            R"({"choices":[{"finish_reason":"length","message":{"content":"<tool_call>{\"na"}}]})",
            where, offered, TextCallRule::accept);
    });
    CHECK(error.code() == errc::truncated);
    CHECK(mentions(error, "max_tokens"));
}

TEST_CASE("a malformed list of models is rejected") {
    const auto models = [](std::string_view body) {
        return error_of([&] { (void)vlm::wire::decode_models(body, where); }).code();
    };
    CHECK(models("{}") == errc::bad_response);
    CHECK(models(R"({"data":7})") == errc::bad_response);
    CHECK(models("<html>") == errc::bad_response);
    CHECK(models(R"({"error":"x"})") == errc::server_error);
    CHECK(vlm::wire::decode_models(R"({"data":[7,{"id":8},{"id":"a"},{}]})", where) ==
          std::vector<std::string>{"a"});
}
