#include "wire/assemble_reply.hpp"

#include "catch_error.hpp"
#include "llama_server.hpp"
#include "stream_data.hpp"
#include "wire/decode_reply.hpp"

using namespace eyehand;
using vlm::ChatReply;
using vlm::Delta;
using vlm::errc;
using vlm::FinishReason;
using vlm::wire::ReplyAssembler;
using vlm::wire::ServerEvent;

namespace {

const vlm::wire::Where where{"http://h/v1/chat/completions", "m", "sk-0123456789"};

struct Streamed {
    ChatReply reply{};
    std::vector<Delta> deltas{};

    [[nodiscard]] std::string joined(Delta::Kind kind) const {
        std::string text;
        for (const Delta& delta : deltas)
            if (delta.kind == kind) text += delta.text;
        return text;
    }
};

Streamed stream(std::string_view bytes, std::size_t piece = 1000,
                const std::vector<vlm::ToolSpec>& offered = {},
                vlm::wire::TextCallRule rule = vlm::wire::TextCallRule::accept) {
    Streamed result;
    ReplyAssembler assembler(where, offered, rule);
    for (const ServerEvent& event : stream_data::events_of(bytes, piece))
        for (Delta& delta : assembler.take(event)) result.deltas.push_back(std::move(delta));
    result.reply = assembler.finish();
    return result;
}

std::string event(const std::string& json) { return "data: " + json + "\n\n"; }

std::string delta_chunk(const std::string& delta, const std::string& finish = "null") {
    return event(R"({"id":"c1","model":"m","choices":[{"index":0,"delta":)" + delta +
                 R"(,"finish_reason":)" + finish + "}]}");
}

std::string call_chunk(const std::string& calls) {
    return delta_chunk(R"({"tool_calls":[)" + calls + "]}");
}

const std::string stop = delta_chunk("{}", "\"stop\"");
const std::string done = "data: [DONE]\n\n";

std::vector<vlm::ToolCall> calls_of(const std::string& chunks) {
    return stream(chunks + delta_chunk("{}", "\"tool_calls\"") + done).reply.tool_calls;
}

vlm::Error failure(const std::string& bytes) {
    CAPTURE(bytes);
    return error_of([&] { (void)stream(bytes); });
}

void check_same(const ChatReply& streamed, const ChatReply& plain) {
    CHECK(streamed.text == plain.text);
    CHECK(streamed.reasoning == plain.reasoning);
    CHECK(streamed.finish == plain.finish);
    CHECK(streamed.model == plain.model);
    CHECK(streamed.usage.prompt_tokens == plain.usage.prompt_tokens);
    CHECK(streamed.usage.completion_tokens == plain.usage.completion_tokens);
    REQUIRE(streamed.tool_calls.size() == plain.tool_calls.size());
    for (std::size_t i = 0; i < plain.tool_calls.size(); ++i) {
        CHECK(streamed.tool_calls[i].name == plain.tool_calls[i].name);
        CHECK(streamed.tool_calls[i].arguments_json == plain.tool_calls[i].arguments_json);
        CHECK(streamed.tool_calls[i].extra_json == plain.tool_calls[i].extra_json);
    }
}

} // namespace

TEST_CASE("llama-server: a streamed answer gives the same reply as a plain one") {
    const Streamed streamed = stream(stream_data::recorded("llama_server_text"));
    check_same(streamed.reply, vlm::wire::decode_reply(llama_server::plain, where));
    CHECK(streamed.reply.usage.cached_tokens == 29);
    CHECK(streamed.deltas.size() == 9);
    CHECK(streamed.deltas.front().text == " models");
    CHECK(streamed.joined(Delta::Kind::text) == streamed.reply.text);
}

TEST_CASE("llama-server: a streamed call") {
    const Streamed streamed = stream(stream_data::recorded("llama_server_call"));
    CHECK(streamed.reply.tool_calls ==
          std::vector<vlm::ToolCall>{
              {"pjDqjk55V9IEa1RCHUHEyGXxEd6h6Y5L", "click", R"({"x":341,"y":3})", ""}});
    CHECK(streamed.reply.finish == FinishReason::tool_calls);
    CHECK(streamed.reply.usage.prompt_tokens == 660);
    CHECK(streamed.reply.usage.cached_tokens == 647);
}

TEST_CASE("llama-server: without usage the cached tokens come from the timings") {
    const Streamed streamed = stream(stream_data::recorded("llama_server_call_without_usage"));
    CHECK(!streamed.reply.usage.prompt_tokens);
    CHECK(streamed.reply.usage.cached_tokens == 659);
}

TEST_CASE("llama-server: two streamed calls stay separate") {
    const Streamed streamed = stream(stream_data::recorded("llama_server_two_calls"));
    CHECK(streamed.reply.tool_calls ==
          std::vector<vlm::ToolCall>{
              {"NCdiI2AukGLsok7TtDUdyYw83U3xO1NW", "click", R"({"x":7,"y":3})", ""},
              {"cEQh81qQ53J23ZU13JmXowzViD6eiVIJ", "click", R"({"x":341,"y":3})", ""}});
}

TEST_CASE("llama-server: streamed reasoning is separate from the text") {
    const Streamed streamed = stream(stream_data::recorded("llama_server_thinking"));
    check_same(streamed.reply, vlm::wire::decode_reply(llama_server::thinking, where));
    CHECK(streamed.joined(Delta::Kind::reasoning) == streamed.reply.reasoning);
}

TEST_CASE("a stream gives the same deltas and reply however its bytes are split") {
    for (const char* name : {"llama_server_two_calls", "llama_server_thinking"}) {
        const std::string bytes = stream_data::recorded(name);
        const Streamed whole = stream(bytes, bytes.size());
        for (const std::size_t piece : {1U, 3U, 17U, 500U}) {
            CAPTURE(name, piece);
            const Streamed cut = stream(bytes, piece);
            CHECK(cut.reply.text == whole.reply.text);
            CHECK(cut.reply.tool_calls == whole.reply.tool_calls);
            REQUIRE(cut.deltas.size() == whole.deltas.size());
            for (std::size_t i = 0; i < cut.deltas.size(); ++i)
                CHECK(cut.deltas[i].text == whole.deltas[i].text);
        }
    }
}

TEST_CASE("the deltas of a call contain its number, its name once, and its arguments") {
    const Streamed streamed = stream(
        call_chunk(R"({"index":0,"id":"a","function":{"name":"click","arguments":""}})") +
        call_chunk(R"({"index":0,"function":{"name":"","arguments":"{\"x\""}})") +
        call_chunk(R"({"index":0,"function":{"name":"click","arguments":":1}"}})") +
        call_chunk(R"({"index":1,"id":"b","function":{"name":"type","arguments":"{}"}})") + stop);
    struct Row {
        std::size_t call;
        std::string tool;
        std::string text;
    };
    const std::vector<Row> expected{
        {0, "click", ""}, {0, "", "{\"x\""}, {0, "", ":1}"}, {1, "type", "{}"}};
    REQUIRE(streamed.deltas.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(streamed.deltas[i].kind == Delta::Kind::tool_call);
        CHECK(streamed.deltas[i].call == expected[i].call);
        CHECK(streamed.deltas[i].tool == expected[i].tool);
        CHECK(streamed.deltas[i].text == expected[i].text);
    }
}

TEST_CASE("streamed content may be missing, null, empty, text or parts") {
    const Streamed streamed = stream(
        delta_chunk(R"({"role":"assistant","content":null})") + delta_chunk("{}") +
        delta_chunk(R"({"content":""})") + delta_chunk(R"({"content":"a"})") +
        delta_chunk(R"({"content":[{"type":"text","text":"b"},{"type":"thinking","text":"hm"}]})") +
        stop);
    CHECK(streamed.reply.text == "ab");
    CHECK(streamed.reply.reasoning == "hm");
    CHECK(streamed.deltas.size() == 3);
}

TEST_CASE("streamed reasoning has two names, and one of them counts in each chunk") {
    CHECK(stream(delta_chunk(R"({"reasoning":"a"})") + delta_chunk(R"({"reasoning":"b"})") + stop)
              .reply.reasoning == "ab");
    CHECK(stream(delta_chunk(R"({"reasoning_content":"a","reasoning":"a"})") + stop)
              .reply.reasoning == "a");
}

TEST_CASE("a streamed refusal replaces missing text") {
    CHECK(
        stream(delta_chunk(R"({"refusal":"I can"})") + delta_chunk(R"({"refusal":"not."})") + stop)
            .reply.text == "I cannot.");
    CHECK(stream(delta_chunk(R"({"refusal":"no"})") + delta_chunk(R"({"content":"yes"})") + stop)
              .reply.text == "yes");
}

TEST_CASE("pieces of a call are added to the right call") {
    struct Row {
        std::string name;
        std::string chunks;
        std::vector<std::string> calls; // name and arguments
    };
    const auto rows = std::vector<Row>{
        {"by index, also interleaved",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"a\""}})") +
             call_chunk(R"({"index":1,"id":"b","function":{"name":"g","arguments":"{\"b\""}})") +
             call_chunk(R"({"index":0,"function":{"arguments":":1}"}})") +
             call_chunk(R"({"index":1,"function":{"arguments":":2}"}})"),
         {R"(f{"a":1})", R"(g{"b":2})"}},
        {"without index by a new id",
         call_chunk(R"({"id":"a","function":{"name":"f","arguments":"{\"a\""}})") +
             call_chunk(R"({"function":{"arguments":":1}"}})") +
             call_chunk(R"({"id":"b","function":{"name":"g","arguments":"{"}})") +
             call_chunk(R"({"id":"","function":{"arguments":"}"}})"),
         {R"(f{"a":1})", "g{}"}},
        {"without index by a known id",
         call_chunk(R"({"id":"a","function":{"name":"f","arguments":"{"}})") +
             call_chunk(R"({"id":"b","function":{"name":"g","arguments":"{"}})") +
             call_chunk(R"({"id":"a","function":{"arguments":"}"}})") +
             call_chunk(R"({"id":"b","function":{"arguments":"}"}})"),
         {"f{}", "g{}"}},
        {"without index and id the last",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})") +
             call_chunk(R"({"function":{"arguments":"}"}})"),
         {"f{}"}},
        {"a new id and name on a used index begin a new call",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})") +
             call_chunk(R"({"index":0,"function":{"arguments":"}"}})") +
             call_chunk(R"({"index":0,"id":"b","function":{"name":"f","arguments":"{\"x\":"}})") +
             call_chunk(R"({"index":0,"function":{"arguments":"1}"}})"),
         {"f{}", R"(f{"x":1})"}},
        {"a new id without a name begins none",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})") +
             call_chunk(R"({"index":0,"id":"b","function":{"arguments":"}"}})"),
         {"f{}"}},
        {"the name is set once, even if it is repeated",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{"}})") +
             call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"}"}})") +
             call_chunk(R"({"index":0,"function":{"name":"","arguments":""}})"),
         {"f{}"}},
        {"the name may come after the id",
         call_chunk(R"({"index":0,"id":"a"})") +
             call_chunk(R"({"index":0,"function":{"name":"f","arguments":"{}"}})"),
         {"f{}"}},
        {"whole calls in one chunk, as of Ollama",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}},)"
                    R"({"index":1,"id":"b","function":{"name":"g","arguments":"{}"}})"),
         {R"(f{"x":1})", "g{}"}},
        {"whole calls with neither index nor id",
         call_chunk(R"({"function":{"name":"f","arguments":"{}"}},)"
                    R"({"function":{"name":"f","arguments":"{\"x\":1}"}})") +
             call_chunk(R"({"function":{"name":"f","arguments":""}})"),
         {"f{}", R"(f{"x":1})"}},
        {"arguments as an object",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":{"x":[1]}}})"),
         {R"(f{"x":[1]})"}},
        {"missing arguments",
         call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":null}})"),
         {"f{}"}},
        {"no name, no call", call_chunk(R"({"index":0,"id":"a","function":{"name":""}})"), {}},
        {"no calls in three ways",
         delta_chunk(R"({"tool_calls":null})") + delta_chunk(R"({"tool_calls":[]})") +
             delta_chunk("{}"),
         {}},
        {"the old function_call",
         delta_chunk(R"({"function_call":{"name":"f","arguments":"{\"x\""}})") +
             delta_chunk(R"({"function_call":{"arguments":":1}"}})"),
         {R"(f{"x":1})"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        std::vector<std::string> found;
        for (const vlm::ToolCall& call : calls_of(row.chunks)) {
            CHECK(!call.id.empty());
            found.push_back(call.name + call.arguments_json);
        }
        CHECK(found == row.calls);
    }
}

TEST_CASE("unknown fields of a streamed call are kept, and a later null does not replace them") {
    const auto calls = calls_of(
        call_chunk(
            R"({"index":0,"id":"a","type":"function","extra_content":{"google":)"
            R"({"thought_signature":"s"}},"function":{"name":"f","arguments":"{}","strict":true}})") +
        call_chunk(R"({"index":0,"extra_content":null,"function":{"arguments":""}})"));
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].extra_json ==
          R"({"extra_content":{"google":{"thought_signature":"s"}},"function":{"strict":true}})");
}

TEST_CASE(
    "missing ids of streamed calls are generated: equal for the same stream, different otherwise") {
    const std::string bytes = call_chunk(R"({"function":{"name":"f","arguments":"{}"}})") + stop;
    std::string other = bytes;
    for (std::size_t at = 0; (at = other.find("\"c1\"", at)) != std::string::npos;)
        other.replace(at, 4, "\"c2\"");
    const std::string id = stream(bytes).reply.tool_calls.at(0).id;
    CHECK(!id.empty());
    CHECK(stream(bytes, 1).reply.tool_calls.at(0).id == id);
    CHECK(stream(other).reply.tool_calls.at(0).id != id);
}

TEST_CASE("the last finish reason of a stream counts") {
    const auto finish = [](const std::string& json) {
        return stream(delta_chunk(R"({"content":"a"})") + delta_chunk("{}", json) +
                      delta_chunk("{}") + done)
            .reply.finish;
    };
    CHECK(finish("\"stop\"") == FinishReason::stop);
    CHECK(finish("\"length\"") == FinishReason::length);
    CHECK(finish("\"tool_calls\"") == FinishReason::tool_calls);
    CHECK(finish("\"content_filter\"") == FinishReason::content_filter);
    CHECK(finish("\"function_call\"") == FinishReason::tool_calls);
    CHECK(finish("\"error\"") == FinishReason::error);
    CHECK(finish("\"eos\"") == FinishReason::unknown);
    CHECK(finish("null") == FinishReason::unknown);
    CHECK(finish("\"\"") == FinishReason::unknown);
    CHECK(finish("7") == FinishReason::unknown);
}

TEST_CASE("an unknown finish reason ends a stream as stop does") {
    CHECK(stream(delta_chunk(R"({"content":"a"})", "\"eos\"")).reply.text == "a");
}

TEST_CASE("streamed calls count, regardless of the finish reason") {
    CHECK(stream(call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})") +
                 stop)
              .reply.tool_calls.size() == 1);
}

TEST_CASE("a streamed call that the output limit cut off is an error, a complete one is a call") {
    const auto at_limit = [](const std::string& arguments) {
        return stream(call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":")" +
                                 arguments + "\"}}") +
                      delta_chunk("{}", "\"length\"") + done);
    };
    CHECK(at_limit(R"({\"x\":1})").reply.tool_calls.size() == 1);
    CHECK(error_of([&] { (void)at_limit(R"({\"x\":)"); }).code() == errc::truncated);
    CHECK(error_of([&] { (void)at_limit(""); }).code() == errc::truncated);
}

TEST_CASE(
    "usage may be in the last chunk, in a chunk without choices after it, or in every chunk") {
    const std::string usage = R"("usage":{"prompt_tokens":7,"completion_tokens":9})";
    const std::string text = delta_chunk(R"({"content":"a"})");
    const auto tokens = [](const std::string& bytes) {
        return stream(bytes).reply.usage.completion_tokens;
    };
    CHECK(tokens(text + stop + event(R"({"choices":[],)" + usage + "}") + done) == 9);
    CHECK(tokens(text + stop + event("{" + usage + "}") + done) == 9);
    CHECK(tokens(text +
                 event(R"({"choices":[{"delta":{},"finish_reason":"stop"}],)" + usage + "}")) == 9);
    CHECK(
        tokens(event(R"({"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1}})") +
               event(R"({"choices":[{"delta":{},"finish_reason":"stop"}],)" + usage + "}") +
               event(R"({"choices":[],"usage":null})")) == 9);
    CHECK(!tokens(text + stop));
}

TEST_CASE("[DONE] is a prefix, and the stream after it is ignored") {
    ReplyAssembler assembler(where);
    (void)assembler.take({"", R"({"choices":[{"delta":{"content":"a"}}]})"});
    CHECK(!assembler.done());
    (void)assembler.take({"", " [DONE] bye"});
    CHECK(assembler.done());
    CHECK(assembler.take({"error", "late"}).empty());
    CHECK(assembler.take({"", "not json"}).empty());
    CHECK(assembler.finish().text == "a");
}

TEST_CASE("errors in the middle of a stream are decoded in every server's format") {
    const std::string text = delta_chunk(R"({"content":"a"})");
    struct Row {
        std::string server;
        std::string bytes;
        std::string message;
    };
    const std::vector<Row> rows{
        {"LM Studio", "event: error\ndata: {\"error\":{\"message\":\"crashed\"}}\n\n", "crashed"},
        {"LM Studio, text", "event: error\ndata: {\"error\":\"crashed\"}\n\n", "crashed"},
        {"no JSON at all", "event: error\ndata: crashed\n\n", "crashed"},
        {"llama-server",
         event(R"({"error":{"code":500,"message":"crashed","type":"server_error"}})"), "crashed"},
        {"llama-server, old", "error: {\"code\":500,\"message\":\"crashed\"}\n\n", "crashed"},
        {"vLLM", event(R"({"error":{"message":"crashed","code":400}})") + done, "crashed"},
        {"vLLM, old", event(R"({"object":"error","message":"crashed"})") + done, "crashed"},
        {"Gemini", event(R"([{"error":{"message":"crashed"}}])"), "crashed"},
        {"OpenRouter",
         event(
             R"({"error":{"message":"crashed"},"choices":[{"delta":{},"finish_reason":"error"}]})"),
         "crashed"},
        {"OpenRouter, in the choice",
         event(R"({"choices":[{"delta":{},"error":{"message":"crashed"}}]})"), "crashed"},
        {"ended by the end of the stream", "data: {\"error\":{\"message\":\"crashed\"}}",
         "crashed"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.server);
        for (const std::string& before : {std::string(), text, text + stop}) {
            const vlm::Error error = failure(before + row.bytes);
            CHECK(error.code() == errc::server_error);
            CHECK(error.status() == 200);
            CHECK(error.server_message() == row.message);
            CHECK(mentions(error, where.url));
        }
    }
}

TEST_CASE("a context overflow in the middle of a stream is recognized") {
    CHECK(failure(delta_chunk(R"({"content":"a"})") +
                  event(R"({"error":{"message":"Context size has been exceeded."}})"))
              .code() == errc::context_overflow);
}

TEST_CASE("a null error in a stream is not an error") {
    CHECK(stream(event(R"({"error":null,"choices":[{"delta":{"content":"a"}}]})") + stop)
              .reply.text == "a");
}

TEST_CASE("a stream that ends with neither finish reason nor [DONE] is a lost connection") {
    const std::string call =
        call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{}"}})");
    for (const std::string& bytes :
         {std::string(), std::string(": ping\n\n"), delta_chunk(R"({"content":"a"})"), call,
          delta_chunk(R"({"content":"a"})") +
              delta_chunk("{}")}) { // the last: Ollama, when it fails
        const vlm::Error error = failure(bytes);
        CHECK(error.code() == errc::connection_lost);
        CHECK(mentions(error, where.url));
    }
}

TEST_CASE("a finish reason or [DONE] completes a stream") {
    CHECK(stream(delta_chunk(R"({"content":"a"})") + done).reply.text == "a");
    CHECK(stream(delta_chunk(R"({"content":"a"})") + stop).reply.text == "a");
    CHECK(stream(delta_chunk(R"({"content":"a"})") + "data: [DONE]").reply.text == "a");
}

TEST_CASE("the end of the stream delivers an event that parses and drops any other") {
    const std::string last = delta_chunk(R"({"content":"b"})", "\"stop\"");
    const std::string first = delta_chunk(R"({"content":"a"})");
    CHECK(stream(first + last.substr(0, last.size() - 2)).reply.text == "ab");
    CHECK(stream(first + stop + last.substr(0, last.size() - 5)).reply.text == "a");
}

TEST_CASE("a chunk in the middle of a stream that is not JSON is rejected and quoted") {
    const vlm::Error error =
        failure(delta_chunk(R"({"content":"a"})") + event("oops sk-0123456789") + stop);
    CHECK(error.code() == errc::bad_response);
    CHECK(mentions(error, "oops [API key]"));
    CHECK(failure(event("{\"choices\":") + stop).code() == errc::bad_response);
    CHECK(failure(event(std::string(10000, '[')) + stop).code() == errc::bad_response);
}

TEST_CASE("a wrong type in an essential field of a chunk is an error that names the field") {
    const auto refuses = [](const std::string& delta, const std::string& field) {
        const vlm::Error error = failure(delta_chunk(delta) + stop);
        CHECK(error.code() == errc::bad_response);
        CHECK(mentions(error, field));
    };
    refuses(R"({"content":7})", "\"content\"");
    refuses(R"({"content":[7]})", "\"content\"");
    refuses(R"({"tool_calls":7})", "\"tool_calls\"");
    refuses(R"({"tool_calls":["f"]})", "\"tool_calls\"");
    refuses(R"({"tool_calls":[{"function":"f"}]})", "\"function\"");
    refuses(R"({"tool_calls":[{"function":{"name":7}}]})", "\"name\"");
    CHECK(failure(event("7") + stop).code() == errc::bad_response);
    CHECK(failure(event("[]") + stop).code() == errc::bad_response);
    CHECK(failure(event(R"({"choices":7})") + stop).code() == errc::bad_response);
    CHECK(failure(event(R"({"choices":[7]})") + stop).code() == errc::bad_response);
}

TEST_CASE("a wrong type in a minor field of a chunk is ignored") {
    const Streamed streamed = stream(
        event(
            R"({"model":9,"usage":"much","timings":[],"choices":[{"index":"x","finish_reason":{},)"
            R"("delta":{"content":"a","reasoning":7,"refusal":[],"tool_calls":[{"id":7,)"
            R"("index":"x","function":{"name":"f","arguments":"{}"}}]}}]})") +
        stop);
    CHECK(streamed.reply.text == "a");
    CHECK(streamed.reply.tool_calls.size() == 1);
}

TEST_CASE("too many streamed calls are rejected") {
    std::string bytes;
    for (int i = 0; i < 1001; ++i)
        bytes += call_chunk(R"({"id":"c)" + std::to_string(i) + R"(","function":{"name":"f"}})");
    const vlm::Error error = failure(bytes + stop);
    CHECK(error.code() == errc::bad_response);
    CHECK(mentions(error, "more than 1000 tool calls"));
}

TEST_CASE("a call in very many pieces, each with its name, is read in linear time") {
    // Reading the whole arguments again with each piece would take minutes.
    ReplyAssembler assembler(where);
    const auto take = [&](const std::string& json) { (void)assembler.take({.data = json}); };
    const auto piece = [&](const std::string& arguments) {
        take(R"({"choices":[{"index":0,"delta":{"tool_calls":[{"function":{"name":"type",)"
             R"("arguments":")" +
             arguments + R"("}}]}}]})");
    };
    constexpr std::size_t pieces = 60000;
    piece(R"({\"text\":\")");
    for (std::size_t i = 0; i < pieces; ++i) piece("0123456789abcdef");
    piece(R"(\"})");
    piece(R"({})"); // another call: the first one is complete
    take(R"({"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})");
    const ChatReply reply = assembler.finish();
    REQUIRE(reply.tool_calls.size() == 2);
    CHECK(reply.tool_calls[0].arguments_json.size() == 16 * pieces + 11);
    CHECK(reply.tool_calls[1].arguments_json == "{}");
}

TEST_CASE("pieces of many calls with an index or an id are read in linear time") {
    ReplyAssembler assembler(where);
    constexpr int calls = 1000;
    for (const char* part : {R"({\"n\":)", "1", "2", "}"}) {
        for (int i = 0; i < calls; ++i) {
            const std::string number = std::to_string(i);
            const std::string key =
                i % 2 == 0 ? R"("index":)" + number : R"("id":"c)" + number + '"';
            (void)assembler.take({.data = R"({"choices":[{"index":0,"delta":{"tool_calls":[{)" +
                                          key + R"(,"function":{"name":"f","arguments":")" + part +
                                          R"("}}]}}]})"});
        }
    }
    (void)assembler.take({.data = "[DONE]"});
    const ChatReply reply = assembler.finish();
    REQUIRE(reply.tool_calls.size() == calls);
    for (const vlm::ToolCall& call : reply.tool_calls) CHECK(call.arguments_json == R"({"n":12})");
}

TEST_CASE("streamed arguments above the limit are rejected") {
    std::string bytes;
    const std::string half(600000, 'x');
    for (int i = 0; i < 2; ++i)
        bytes +=
            call_chunk(R"({"index":0,"function":{"name":"type","arguments":")" + half + "\"}}");
    const vlm::Error error = failure(bytes + stop);
    CHECK(error.code() == errc::bad_response);
    CHECK(mentions(error, "more than 1048576 bytes of arguments"));
}

TEST_CASE("a stream without a choice is not a chat completion") {
    CHECK(failure(done).code() == errc::bad_response);
    CHECK(failure(event(R"({"type":"ping"})") + done).code() == errc::bad_response);
}

TEST_CASE("foreign objects, empty data and further choices in a stream are skipped") {
    CHECK(stream(event(R"({"type":"ping"})") + "data:\n\n" + delta_chunk(R"({"content":"a"})") +
                 event(R"({"choices":[{"index":1,"delta":{"content":"b"}}]})") +
                 event(R"({"choices":[{"index":0,"delta":null}]})") + stop)
              .reply.text == "a");
}

TEST_CASE("a plain answer in one event is an answer") {
    const Streamed streamed = stream(event(std::string(llama_server::two_calls)) + done);
    check_same(streamed.reply, vlm::wire::decode_reply(llama_server::two_calls, where));
}

TEST_CASE("deltas contain only whole characters, wherever the server splits them") {
    const std::string half_low = "\"\\udd90\"";
    struct Row {
        std::string first;
        std::string second;
        std::vector<std::string> deltas;
    };
    const std::vector<Row> rows{
        {"\"a\xC5\"", "\"\xBC\"", {"a", "\xC5\xBC"}},
        {"\"\xF0\x9F\"", "\"\x96\x90!\"", {"\xF0\x9F\x96\x90!"}},
        {R"("\ud83d")", half_low, {"\xF0\x9F\x96\x90"}},
        {R"("a\ud83d")",
         R"("b")",
         {"a", "\xEF\xBF\xBD"
               "b"}},
        {"\"\xFF\"", "\"b\"", {"\xEF\xBF\xBD", "b"}},
    };
    for (const Row& row : rows) {
        for (const std::string& field : {std::string("content"), std::string("reasoning")}) {
            CAPTURE(row.first, row.second);
            const Streamed streamed =
                stream(delta_chunk("{\"" + field + "\":" + row.first + "}") +
                       delta_chunk("{\"" + field + "\":" + row.second + "}") + stop);
            std::vector<std::string> texts;
            std::string joined;
            for (const Delta& delta : streamed.deltas) {
                texts.push_back(delta.text);
                joined += delta.text;
            }
            CHECK(texts == row.deltas);
            CHECK((field == "content" ? streamed.reply.text : streamed.reply.reasoning) == joined);
        }
    }
}

TEST_CASE("an incomplete character at the end of a stream is replaced") {
    CHECK(stream(delta_chunk("{\"content\":\"a\xC5\"}") + stop).reply.text == "a\xEF\xBF\xBD");
    CHECK(stream(call_chunk(R"({"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":\")"
                            "\xC5"
                            R"("}})") +
                 call_chunk("{\"index\":0,\"function\":{\"arguments\":\"\xBC\\\"}\"}}") + stop)
              .reply.tool_calls.at(0)
              .arguments_json == "{\"x\":\"\xC5\xBC\"}");
}

TEST_CASE("calls in a streamed text are recovered like those in a plain answer") {
    const std::vector<vlm::ToolSpec> offered{{"click", "", R"({"type":"object"})"}};
    const std::string bytes =
        delta_chunk(R"({"content":"Now. <tool_call>{\"name\":\"cli"})") +
        delta_chunk(R"({"content":"ck\",\"arguments\":{\"x\":1}}</tool_call>"})") + stop;
    const Streamed streamed = stream(bytes, 1000, offered);
    CHECK(streamed.reply.text == "Now.");
    REQUIRE(streamed.reply.tool_calls.size() == 1);
    CHECK(streamed.reply.tool_calls[0].name == "click");
    CHECK(streamed.reply.tool_calls[0].arguments_json == R"({"x":1})");
    CHECK(!streamed.reply.tool_calls[0].id.empty());
    CHECK(streamed.reply.notes ==
          std::vector<std::string>{"recovered 1 tool call from the text (<tool_call>)"});
    CHECK(stream(bytes).reply.tool_calls.empty());
    const ChatReply ignored = stream(bytes, 1000, offered, vlm::wire::TextCallRule::ignore).reply;
    CHECK(ignored.tool_calls.empty());
    CHECK(ignored.ignored_call == vlm::IgnoredCall::not_accepted);
}
