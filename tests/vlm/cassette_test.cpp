#include "eyehand/vlm/cassette.hpp"

#include "cassette_diff.hpp"
#include "cassette_json.hpp"
#include "cassette_turn.hpp"
#include "catch_error.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "llama_server.hpp"
#include "soon.hpp"
#include "stream_data.hpp"
#include "temp_folder.hpp"

#include <fstream>
#include <functional>
#include <future>
#include <limits>

#ifndef _WIN32
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#endif

using namespace eyehand;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using test::lines_of;
using test::read_file;
using test::TempFolder;
using vlm::CassetteError;
using vlm::CassetteMismatch;
using vlm::ChatReply;
using vlm::ChatRequest;
using vlm::Delta;
using vlm::errc;
using vlm::Message;
using vlm::RecordingModel;
using vlm::ReplayMatch;
using vlm::ReplayModel;
using vlm::testing::ScriptedModel;

namespace {

using Deltas = std::vector<Delta>;

/// Streams `deltas` and replies with `reply`.
struct StreamingModel final : vlm::ChatModel {
    Deltas deltas{};
    ChatReply answer{};
    bool listened = false;

    ChatReply reply(const ChatRequest&, const vlm::OnDelta& on_delta, std::stop_token) override {
        listened = static_cast<bool>(on_delta);
        for (const Delta& delta : deltas)
            if (on_delta) on_delta(delta);
        return answer;
    }
};

ChatRequest ask(const std::string& text) {
    ChatRequest request;
    request.messages = {Message::user(text)};
    return request;
}

std::vector<std::uint8_t> image(const std::string& bytes = "not really a picture") {
    return {bytes.begin(), bytes.end()};
}

ChatRequest show(const std::string& bytes, const std::string& media_type = "image/png") {
    ChatRequest request;
    request.messages = {Message::user("look", vlm::make_image(image(bytes), media_type))};
    return request;
}

/// A request with all members.
ChatRequest full_request() {
    ChatRequest request;
    request.model = "qwen";
    request.messages = {
        Message::system("You see a desktop.\nBe \"brief\"."),
        Message::user("What is on it?", vlm::make_image(image())),
        Message::assistant("I click.",
                           {{"call_1", "click", R"({"x":500,"y":0.7})", R"({"extra":{"a":[1]}})"},
                            {"call_2", "click", R"({ "x" : 1, )", ""},
                            {"call_3", "type", R"({"bytes":"abc"})", ""}}),
        Message::tool("call_1", "done \xFF\xC3\xA9\xE2\x82"),
        Message::user("Gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \xE4\xBD\xA0",
                      {.sha256 = "a name only"}),
    };
    request.messages.back().parts.emplace_back(std::string("nul \0 inside", 12));
    request.tools = {{"click", "Clicks.", R"({"type":"object","properties":{"x":{}}})"},
                     {"type", "", R"({"type": "object"})"}};
    request.tool_choice = vlm::ToolChoice::required;
    request.sampling = {.temperature = 0.7,
                        .top_p = 0.1 + 0.2,
                        .top_k = 20,
                        .presence_penalty = 1e-300,
                        .seed = std::numeric_limits<std::int64_t>::min(),
                        .max_tokens = 100,
                        .stop = {"END", ""},
                        .reasoning_effort = vlm::ReasoningEffort::xhigh,
                        .thinking_tokens = 512,
                        .image_detail = vlm::ImageDetail::automatic};
    request.response_format = {"answer", R"({"type":"object"})"};
    return request;
}

/// The part of `full_request` that can be sent.
ChatRequest sendable_request() {
    ChatRequest request = full_request();
    request.messages.back().parts.erase(request.messages.back().parts.begin() + 1);
    request.response_format.reset();
    return request;
}

ChatReply full_reply() {
    ChatReply reply;
    reply.text = "I click.";
    reply.reasoning = "First the button.";
    reply.tool_calls = {{"call_9", "click", R"({"x":1})", R"({"signature":"s"})"},
                        {"call_10", "wait", "{}", {}, vlm::Provenance::text}};
    reply.ignored_call = vlm::IgnoredCall::quoted; // not with calls, except in this test
    reply.finish = vlm::FinishReason::tool_calls;
    reply.usage = {1000, 900, 50, 12.3, 0.1};
    reply.model = "qwen-vl";
    reply.wait = 12ms;
    reply.total = 345ms;
    reply.notes = {"mended"};
    return reply;
}

bool same_part(const vlm::Part& left, const vlm::Part& right) {
    if (left.index() != right.index()) return false;
    if (const auto* text = std::get_if<std::string>(&left))
        return *text == std::get<std::string>(right);
    const auto& one = std::get<vlm::Image>(left);
    const auto& other = std::get<vlm::Image>(right);
    return one.sha256 == other.sha256 && one.media_type == other.media_type;
}

void check_same(const ChatRequest& left, const ChatRequest& right) {
    CHECK(left.model == right.model);
    REQUIRE(left.messages.size() == right.messages.size());
    for (std::size_t i = 0; i < left.messages.size(); ++i) {
        const Message& one = left.messages[i];
        const Message& other = right.messages[i];
        CHECK(one.role == other.role);
        CHECK(std::equal(one.parts.begin(), one.parts.end(), other.parts.begin(), other.parts.end(),
                         same_part));
        CHECK(one.tool_calls == other.tool_calls);
        CHECK(one.tool_call_id == other.tool_call_id);
    }
    REQUIRE(left.tools.size() == right.tools.size());
    for (std::size_t i = 0; i < left.tools.size(); ++i) {
        CHECK(left.tools[i].name == right.tools[i].name);
        CHECK(left.tools[i].description == right.tools[i].description);
        CHECK(left.tools[i].parameters_json == right.tools[i].parameters_json);
    }
    CHECK(left.tool_choice == right.tool_choice);
    CHECK(left.sampling.temperature == right.sampling.temperature);
    CHECK(left.sampling.top_p == right.sampling.top_p);
    CHECK(left.sampling.top_k == right.sampling.top_k);
    CHECK(left.sampling.presence_penalty == right.sampling.presence_penalty);
    CHECK(left.sampling.seed == right.sampling.seed);
    CHECK(left.sampling.max_tokens == right.sampling.max_tokens);
    CHECK(left.sampling.stop == right.sampling.stop);
    CHECK(left.sampling.reasoning_effort == right.sampling.reasoning_effort);
    CHECK(left.sampling.thinking_tokens == right.sampling.thinking_tokens);
    CHECK(left.sampling.image_detail == right.sampling.image_detail);
    REQUIRE(left.response_format.has_value() == right.response_format.has_value());
    if (!left.response_format) return;
    CHECK(left.response_format->name == right.response_format->name);
    CHECK(left.response_format->schema_json == right.response_format->schema_json);
}

void check_same(const ChatReply& left, const ChatReply& right) {
    CHECK(left.text == right.text);
    CHECK(left.reasoning == right.reasoning);
    CHECK(left.tool_calls == right.tool_calls);
    CHECK(left.ignored_call == right.ignored_call);
    CHECK(left.finish == right.finish);
    CHECK(left.usage.prompt_tokens == right.usage.prompt_tokens);
    CHECK(left.usage.cached_tokens == right.usage.cached_tokens);
    CHECK(left.usage.completion_tokens == right.usage.completion_tokens);
    CHECK(left.usage.prompt_ms == right.usage.prompt_ms);
    CHECK(left.usage.completion_ms == right.usage.completion_ms);
    CHECK(left.model == right.model);
    CHECK(left.wait == right.wait);
    CHECK(left.total == right.total);
    CHECK(left.notes == right.notes);
}

void check_same(const vlm::Error& left, const vlm::Error& right) {
    CHECK(left.code() == right.code());
    CHECK(std::string(left.what()) == right.what());
    CHECK(left.status() == right.status());
    CHECK(left.server_message() == right.server_message());
    CHECK(left.details().retry == right.details().retry);
    CHECK(left.details().retry_after == right.details().retry_after);
    CHECK(left.details().prompt_tokens == right.details().prompt_tokens);
    CHECK(left.details().context_tokens == right.details().context_tokens);
}

void check_same(const Deltas& left, const Deltas& right) {
    REQUIRE(left.size() == right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        CHECK(left[i].kind == right[i].kind);
        CHECK(left[i].text == right[i].text);
        CHECK(left[i].call == right[i].call);
        CHECK(left[i].tool == right[i].tool);
    }
}

/// Records a cassette in which each of `requests` is answered with "yes".
void record(const fs::path& file, const std::vector<ChatRequest>& requests) {
    ScriptedModel model;
    RecordingModel recorder(model, file);
    for (const ChatRequest& request : requests) {
        model.say("yes");
        recorder.reply(request);
    }
}

void write_file(const fs::path& file, std::string_view text) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    REQUIRE(out);
}

template <class Exception>
std::string words_of(const std::function<void()>& action) {
    std::string words;
    try {
        action();
    } catch (const Exception& exception) {
        words = exception.what();
    }
    if (words.empty()) FAIL("nothing was thrown");
    return words;
}

std::string mismatch_of(const ChatRequest& recorded, const ChatRequest& asked) {
    const TempFolder folder;
    record(folder / "c", {recorded});
    ReplayModel replay(folder / "c");
    return words_of<CassetteMismatch>([&] { replay.reply(asked); });
}

std::string reading_problem(const std::string& turn) {
    const TempFolder folder;
    write_file(folder / "broken", "{\"cassette\":1}\n" + turn + "\n");
    const std::string words = words_of<CassetteError>([&] { ReplayModel(folder / "broken"); });
    CHECK(words == words_of<eyehand::vlm::Error>([&] { ReplayModel(folder / "broken"); }));
    CHECK_THAT(words, ContainsSubstring("broken, line 2: "));
    return words.substr(words.find("line 2: ") + 8);
}

/// The only image of the cassette.
fs::path only_image(const fs::path& cassette) {
    fs::path found = cassette;
    found += ".images";
    REQUIRE(std::distance(fs::directory_iterator(found), fs::directory_iterator()) == 1);
    return fs::directory_iterator(found)->path();
}

} // namespace

// --- Recording and replaying ------------------------------------------------------------------

TEST_CASE("cassette: a replayed model gives the recorded answers") {
    const TempFolder folder;
    ScriptedModel model;
    model.reply_with(full_reply()).say("Done.");
    {
        RecordingModel recorder(model, folder / "c");
        check_same(recorder.reply(full_request()), full_reply());
        CHECK(recorder.reply(ask("and now?")).text == "Done.");
    }
    check_same(model.requests().at(0), full_request());

    ReplayModel replay(folder / "c");
    CHECK(replay.remaining() == 2);
    check_same(replay.reply(full_request()), full_reply());
    CHECK(replay.reply(ask("and now?")).text == "Done.");
    CHECK(replay.remaining() == 0);
}

#ifndef _WIN32
TEST_CASE("cassette: only its owner can read a recording, whatever the umask") {
    const TempFolder folder;
    ScriptedModel model;
    model.reply_with(full_reply());
    const mode_t before = umask(GENERATE(mode_t{0}, mode_t{0777}));
    {
        RecordingModel recorder(model, folder / "c");
        (void)recorder.reply(full_request());
    }
    umask(before);
    using fs::perms;
    const perms file = perms::owner_read | perms::owner_write;
    CHECK(fs::status(folder / "c").permissions() == file);
    CHECK(fs::status(only_image(folder / "c")).permissions() == file);
    CHECK(fs::status(folder / "c.images").permissions() == perms::owner_all);
    CHECK(ReplayModel(folder / "c").remaining() == 1);
}
#endif

TEST_CASE("cassette: a request is restored byte for byte") {
    const ChatRequest request = vlm::cassette::with_hashes(full_request());
    const vlm::cassette::Turn turn{.request = vlm::cassette::abridge(request, {}),
                                   .outcome = ChatReply{}};
    const std::string text = vlm::cassette::header_line() + vlm::cassette::turn_line(1, turn);
    const vlm::cassette::Tape tape = vlm::cassette::read_tape(text, "tape");
    REQUIRE(tape.turns.size() == 1);
    ChatRequest restored;
    vlm::cassette::restore(tape.turns[0].request, restored);
    check_same(restored, request);
    CHECK(vlm::cassette::as_sent(restored) == vlm::cassette::as_sent(request));
    // Only the image with bytes has a file.
    REQUIRE(tape.images.size() == 1);
    CHECK(tape.images[0].bytes == image().size());
}

TEST_CASE("cassette: each turn is in the file when reply returns") {
    const TempFolder folder;
    ScriptedModel model;
    model.say("one").say("two");
    RecordingModel recorder(model, folder / "c");
    CHECK(read_file(folder / "c") == "{\"cassette\":1}\n");
    recorder.reply(ask("1"));
    CHECK(lines_of(folder / "c").size() == 2);
    recorder.reply(ask("2"));
    CHECK(lines_of(folder / "c").size() == 3);
    CHECK(ReplayModel(folder / "c").remaining() == 2);
}

TEST_CASE("cassette: a turn has the documented format") {
    const TempFolder folder;
    ScriptedModel model;
    model.call("click", R"({"x":1})", "I click.").say("Done.");
    RecordingModel recorder(model, folder / "c");
    ChatRequest request = ask("Press OK.");
    request.tools = {{"click", "Clicks.", R"({"type":"object"})"}};
    request.sampling.temperature = 0.7;
    const ChatReply reply = recorder.reply(request, [](const Delta&) {});
    request.messages.push_back(Message::assistant(reply.text, reply.tool_calls));
    request.messages.push_back(Message::tool("call_1", "clicked"));
    recorder.reply(request);

    const std::vector<std::string> lines = lines_of(folder / "c");
    REQUIRE(lines.size() == 3);
    const auto without_times = [](const std::string& line) {
        return line.substr(0, line.find(R"(,"times":{)"));
    };
    CHECK(without_times(lines[1]) ==
          R"({"turn":1,"request":{"messages":[{"role":"user","parts":["Press OK."]}],)"
          R"("tools":[{"name":"click","description":"Clicks.","parameters":{"type":"object"}}],)"
          R"("sampling":{"temperature":0.7}},"deltas":[{"text":"I click."}],)"
          R"("reply":{"text":"I click.","tool_calls":[{"id":"call_1","name":"click",)"
          R"("arguments":{"x":1}}],"finish":"tool_calls"})");
    CHECK(without_times(lines[2]) ==
          R"({"turn":2,"request":{"same_messages":1,"messages":[{"role":"assistant",)"
          R"("parts":["I click."],"tool_calls":[{"id":"call_1","name":"click",)"
          R"("arguments":{"x":1}}]},{"role":"tool","answers":"call_1","parts":["clicked"]}],)"
          R"("same_tools":true,"sampling":{"temperature":0.7}},)"
          R"("reply":{"text":"Done.","finish":"stop"})");
}

TEST_CASE("cassette: a second recording of the same conversation differs only in times") {
    const TempFolder folder;
    std::vector<std::vector<std::string>> recordings;
    for (const std::string name : {"a", "b"}) {
        ScriptedModel model;
        model.reply_with(full_reply()).fail({errc::timeout, "too slow"});
        RecordingModel recorder(model, folder / name);
        recorder.reply(full_request(), [](const Delta&) {});
        CHECK_THROWS_AS(recorder.reply(full_request()), vlm::Error);
        recordings.push_back(lines_of(folder / name));
        for (std::string& line : recordings.back())
            line = line.substr(0, line.find(R"(,"times":)"));
    }
    CHECK(recordings[0] == recordings[1]);
}

TEST_CASE("cassette: shared messages are counted, and the smallest difference prevents sharing") {
    ChatRequest first = vlm::cassette::with_hashes(full_request());
    ChatRequest second = first;
    second.messages.push_back(Message::user("more"));
    CHECK(vlm::cassette::abridge(second, first).same_messages == 5);
    CHECK(vlm::cassette::abridge(second, first).rest.messages.size() == 1);
    CHECK(vlm::cassette::abridge(first, second).same_messages == 5);

    second = first;
    second.messages[2].tool_calls[1].extra_json = "{}";
    CHECK(vlm::cassette::abridge(second, first).same_messages == 2);
    second.messages[1].parts[1] = vlm::make_image(image("another"));
    CHECK(vlm::cassette::abridge(second, first).same_messages == 1);
    second.messages[1] = first.messages[1];
    std::get<vlm::Image>(second.messages[1].parts[1]).media_type = "image/webp";
    CHECK(vlm::cassette::abridge(second, first).same_messages == 1);
    second.messages[1] = first.messages[1];
    std::get<vlm::Image>(second.messages[1].parts[1]).bytes.reset();
    CHECK(vlm::cassette::abridge(second, first).same_messages == 1);
    second.messages[0].role = vlm::Role::user;
    CHECK(vlm::cassette::abridge(second, first).same_messages == 0);
    CHECK(vlm::cassette::abridge(second, first).same_tools);
    second.tools[1].parameters_json += ' ';
    CHECK_FALSE(vlm::cassette::abridge(second, first).same_tools);
}

TEST_CASE("cassette: a conversation that drops old messages replays") {
    const TempFolder folder;
    ChatRequest request = full_request();
    ChatRequest pruned = full_request();
    pruned.messages.erase(pruned.messages.begin() + 1, pruned.messages.begin() + 4);
    pruned.tools.clear();
    ChatRequest longer = pruned;
    longer.messages.push_back(Message::user("go on"));
    longer.tools = request.tools;
    const std::vector<ChatRequest> requests{request, pruned, longer, request};
    record(folder / "c", requests);
    ReplayModel replay(folder / "c");
    for (const ChatRequest& each : requests) CHECK(replay.reply(each).text == "yes");
}

TEST_CASE("cassette: a conversation with a server replays, its errors included") {
    const TempFolder folder;
    vlm::testing::ChatServer server;
    server.enqueue(
        {.content_type = "text/event-stream", .body = stream_data::recorded("llama_server_call")});
    server.enqueue({.status = 429,
                    .body = R"({"error":{"message":"slow down"}})",
                    .headers = {{"Retry-After", "7"}}});
    server.enqueue({.status = 400, .body = std::string(llama_server::context_exceeded)});
    vlm::OpenAiClient client(
        {.endpoint = server.url(), .api_key = "sk-0123456789", .retries = {.max_retries = 0}});
    Deltas recorded_deltas;
    ChatReply recorded;
    std::vector<vlm::Error> errors;
    {
        RecordingModel recorder(client, folder / "c");
        recorded = recorder.reply(sendable_request(),
                                  [&](const Delta& delta) { recorded_deltas.push_back(delta); });
        errors.push_back(error_of([&] { recorder.reply(ask("2")); }));
        errors.push_back(error_of([&] { recorder.reply(ask("3")); }));
    }
    CHECK(server.requests().size() == 3);
    CHECK(recorded_deltas.size() > 1);
    CHECK(errors[0].code() == errc::overloaded);
    CHECK_THAT(read_file(folder / "c"), !ContainsSubstring("sk-0123456789"));

    ReplayModel replay(folder / "c");
    Deltas deltas;
    check_same(replay.reply(sendable_request(), [&](const Delta& d) { deltas.push_back(d); }),
               recorded);
    check_same(deltas, recorded_deltas);
    check_same(error_of([&] { replay.reply(ask("2")); }), errors[0]);
    check_same(error_of([&] { replay.reply(ask("3")); }), errors[1]);
}

TEST_CASE("cassette: every error is replayed with all details") {
    const TempFolder folder;
    std::vector<vlm::Error> errors;
    for (int code = 1; code <= static_cast<int>(errc::untrusted); ++code)
        errors.emplace_back(static_cast<errc>(code), "what " + std::to_string(code));
    errors.emplace_back(errc::overloaded, "busy \xC3\xBC",
                        vlm::ErrorDetails{.status = 503,
                                          .server_message = "server \xFF says",
                                          .retry = vlm::Retry::while_loading,
                                          .retry_after = 0ms,
                                          .prompt_tokens = 70000,
                                          .context_tokens = 32768});
    for (const vlm::Retry retry : {vlm::Retry::never, vlm::Retry::once, vlm::Retry::later})
        errors.emplace_back(errc::http_status, "", vlm::ErrorDetails{.retry = retry});

    ScriptedModel model;
    for (const vlm::Error& error : errors) model.fail(error);
    RecordingModel recorder(model, folder / "c");
    for (const vlm::Error& error : errors)
        check_same(error_of([&] { recorder.reply(ask("x")); }), error);
    ReplayModel replay(folder / "c");
    for (const vlm::Error& error : errors)
        check_same(error_of([&] { replay.reply(ask("x")); }), error);
    CHECK(replay.remaining() == 0);
}

TEST_CASE("cassette: other exceptions are replayed, too") {
    const TempFolder folder;
    ScriptedModel model;
    model.answer([](const ChatRequest&) -> ChatReply { throw std::invalid_argument("no tool"); });
    model.answer([](const ChatRequest&) -> ChatReply { throw std::range_error("far off"); });
    model.answer([](const ChatRequest&) -> ChatReply { throw 1; });
    RecordingModel recorder(model, folder / "c");
    CHECK_THROWS_AS(recorder.reply({}), std::invalid_argument); // an invalid request
    CHECK_THROWS_AS(recorder.reply(ask("2")), std::range_error);
    CHECK_THROWS_AS(recorder.reply(ask("3")), int);
    ReplayModel replay(folder / "c");
    CHECK(words_of<std::invalid_argument>([&] { replay.reply({}); }) == "no tool");
    CHECK(words_of<std::runtime_error>([&] { replay.reply(ask("2")); }) == "far off");
    CHECK_THROWS_AS(replay.reply(ask("3")), std::runtime_error);
    CHECK(replay.remaining() == 0);
}

TEST_CASE("cassette: deltas of all kinds are replayed in order") {
    const TempFolder folder;
    StreamingModel model;
    model.deltas = {{Delta::Kind::reasoning, "hm"},
                    {Delta::Kind::text, "I "},
                    {Delta::Kind::text, ""},
                    {Delta::Kind::tool_call, "", 0, "click"},
                    {Delta::Kind::tool_call, "{\"x\"", 0, ""},
                    {Delta::Kind::tool_call, "{}", 1, "type"},
                    {Delta::Kind::tool_call, ":1}", 0, ""},
                    {Delta::Kind::text, "\xF0\x9F\x98\x80 \xFF"}};
    Deltas heard;
    const auto listen = [&](const Delta& delta) { heard.push_back(delta); };
    RecordingModel(model, folder / "c").reply(ask("x"), listen);
    check_same(heard, model.deltas);
    heard.clear();
    ReplayModel(folder / "c").reply(ask("x"), listen);
    check_same(heard, model.deltas);
    CHECK_NOTHROW(ReplayModel(folder / "c").reply(ask("x")));
}

TEST_CASE("cassette: a recorder does not make a model stream") {
    const TempFolder folder;
    StreamingModel model;
    RecordingModel recorder(model, folder / "c");
    recorder.reply(ask("x"));
    CHECK_FALSE(model.listened);
    recorder.reply(ask("x"), [](const Delta&) {});
    CHECK(model.listened);
}

TEST_CASE("cassette: deltas before an error are replayed before it") {
    const TempFolder folder;
    struct Breaking final : vlm::ChatModel {
        ChatReply reply(const ChatRequest&, const vlm::OnDelta& on_delta,
                        std::stop_token) override {
            on_delta({Delta::Kind::text, "half"});
            throw vlm::Error(errc::connection_lost, "gone");
        }
    } model;
    int heard = 0;
    RecordingModel recorder(model, folder / "c");
    CHECK_THROWS(recorder.reply(ask("x"), [&](const Delta&) { ++heard; }));
    ReplayModel replay(folder / "c");
    const vlm::Error error =
        error_of([&] { replay.reply(ask("x"), [&](const Delta&) { ++heard; }); });
    CHECK(error.code() == errc::connection_lost);
    CHECK(heard == 2);
}

// --- Matching ---------------------------------------------------------------------------------

TEST_CASE("cassette: a request that differs is shown line by line, with turn and file") {
    const TempFolder folder;
    ChatRequest first = ask("Open the editor.");
    ChatRequest second = first;
    second.messages.push_back(Message::assistant("Which one?"));
    second.messages.push_back(Message::user("The blue one."));
    record(folder / "login.cassette", {first, second});

    ReplayModel replay(folder / "login.cassette");
    replay.reply(first);
    second.messages[2] = Message::user("The red one.");
    second.sampling.temperature = 0.5;
    const std::string words = words_of<CassetteMismatch>([&] { replay.reply(second); });
    CHECK_THAT(words, ContainsSubstring("login.cassette, turn 2: "));
    CHECK(words.substr(words.find("\n") + 1) == R"(--- recorded
+++ asked
@@ -10,7 +10,8 @@
     },
     {
       "role": "user",
-      "content": "The blue one."
+      "content": "The red one."
     }
-  ]
+  ],
+  "temperature": 0.5
 }
)");
}

TEST_CASE("cassette: a mismatch does not consume a turn") {
    const TempFolder folder;
    record(folder / "c", {ask("a"), ask("b")});
    ReplayModel replay(folder / "c");
    CHECK_THROWS_AS(replay.reply(ask("b")), CassetteMismatch);
    CHECK(replay.remaining() == 2);
    CHECK_NOTHROW(replay.reply(ask("a")));
    CHECK_NOTHROW(replay.reply(ask("b")));
}

TEST_CASE("cassette: a mismatch in any part is shown") {
    ChatRequest request = sendable_request();
    const auto difference = [&] { return mismatch_of(sendable_request(), request); };
    SECTION("an image") {
        request.messages[1].parts[1] = vlm::make_image(image("other"));
        CHECK_THAT(difference(), ContainsSubstring("-            \"url\": \"sha256:"));
    }
    SECTION("the type of an image") {
        std::get<vlm::Image>(request.messages[1].parts[1]).media_type = "image/webp";
        CHECK_THAT(difference(), ContainsSubstring("image/webp"));
    }
    SECTION("a space in a schema") {
        request.tools[0].parameters_json = R"({"type":"object","properties":{"x": {}}})";
        CHECK_THAT(difference(),
                   ContainsSubstring(R"(+{"model":"qwen")") && ContainsSubstring(R"({"x": {}})"));
    }
    SECTION("the last bit of a number") {
        request.sampling.top_p = 0.3;
        CHECK_THAT(difference(), ContainsSubstring(R"(-  "top_p": 0.30000000000000004,)") &&
                                     ContainsSubstring(R"(+  "top_p": 0.3,)"));
    }
    SECTION("the form of the answer") {
        ChatRequest formless = ask("x");
        request = formless;
        request.response_format = {"answer", R"({"type":"object"})"};
        CHECK_THAT(mismatch_of(formless, request), ContainsSubstring("+  \"response_format\": {"));
    }
    SECTION("an invalid request") {
        request.messages[3].tool_call_id.clear();
        CHECK_THAT(difference(), ContainsSubstring("+"));
    }
}

TEST_CASE("cassette: images match by their hash, with or without bytes") {
    const TempFolder folder;
    record(folder / "c", {show("a"), show("b")});
    ReplayModel replay(folder / "c");
    ChatRequest named = show("a");
    std::get<vlm::Image>(named.messages[0].parts[1]).bytes.reset();
    CHECK_NOTHROW(replay.reply(named));
    ChatRequest unnamed = show("b");
    std::get<vlm::Image>(unnamed.messages[0].parts[1]).sha256.clear();
    CHECK_NOTHROW(replay.reply(unnamed));
}

TEST_CASE("cassette: replay by turn accepts any request") {
    const TempFolder folder;
    record(folder / "c", {show("a"), ask("b")});
    ReplayModel replay(folder / "c", {.match = ReplayMatch::by_turn});
    CHECK(replay.reply(ask("something else")).text == "yes");
    CHECK(replay.reply({}).text == "yes");
    CHECK(replay.remaining() == 0);
}

TEST_CASE("cassette: a turn after the last one is a mismatch") {
    const TempFolder folder;
    record(folder / "c", {ask("a")});
    const ReplayMatch match = GENERATE(ReplayMatch::strict, ReplayMatch::by_turn);
    ReplayModel replay(folder / "c", {.match = match});
    replay.reply(ask("a"));
    const std::string words = words_of<CassetteMismatch>([&] { replay.reply(ask("a")); });
    CHECK_THAT(words, ContainsSubstring("/c: turn 2 ") && ContainsSubstring("has 1"));
}

TEST_CASE("cassette: differences are hunks with three lines around them") {
    std::vector<std::string> left;
    for (int i = 1; i <= 30; ++i) left.push_back(std::to_string(i));
    std::vector<std::string> right = left;
    right[4] = "five";
    right.erase(right.begin() + 11); // 12, with six unchanged lines between: one hunk
    right.insert(right.end(), "31");
    CHECK(vlm::cassette::line_difference(left, right) == "@@ -2,14 +2,13 @@\n"
                                                         " 2\n 3\n 4\n-5\n+five\n"
                                                         " 6\n 7\n 8\n 9\n 10\n 11\n-12\n"
                                                         " 13\n 14\n 15\n"
                                                         "@@ -28,3 +27,4 @@\n"
                                                         " 28\n 29\n 30\n+31\n");
    CHECK(vlm::cassette::line_difference(left, left).empty());
    CHECK(vlm::cassette::line_difference({}, {"a"}) == "@@ -0,0 +1 @@\n+a\n");
    CHECK(vlm::cassette::line_difference({"a"}, {}) == "@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("cassette: distant changes have separate hunks") {
    std::vector<std::string> left;
    for (int i = 1; i <= 30; ++i) left.push_back(std::to_string(i));
    std::vector<std::string> right = left;
    right[4] = "five";
    right[12] = "thirteen"; // seven unchanged lines between them: one too many
    CHECK(vlm::cassette::line_difference(left, right) ==
          "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
          "@@ -10,7 +10,7 @@\n 10\n 11\n 12\n-13\n+thirteen\n 14\n 15\n 16\n");
}

TEST_CASE("cassette: long texts are shortened around their difference") {
    const std::string words(5000, 'a');
    std::string characters; // of three bytes, so that windows would end within one
    for (int i = 0; i < 50; ++i) characters += "\xE4\xBD\xA0";
    const auto request = [&](const std::string& middle) {
        return "{\"content\":\"" + words + characters + middle + characters + words + "\"}";
    };
    const std::string difference = vlm::cassette::json_difference(request("one"), request("other"));
    const std::string around = characters.substr(0, 30);
    CHECK_THAT(difference, ContainsSubstring(around + "one" + around) &&
                               ContainsSubstring(around + "other" + around) &&
                               ContainsSubstring("-  \"content\": \"aaaa") &&
                               ContainsSubstring("[... 50"));
    CHECK(difference.size() < 700);
    CHECK(vlm::cassette::from_text(difference).is_string()); // no character is cut
}

TEST_CASE("cassette: a complete difference is shown up to a limit") {
    std::vector<std::string> left;
    std::vector<std::string> right;
    for (int i = 0; i < 3000; ++i) {
        left.push_back("left " + std::to_string(i));
        right.push_back("right " + std::to_string(i));
    }
    const std::string difference = vlm::cassette::line_difference(left, right);
    CHECK_THAT(difference, ContainsSubstring("-left 198\n(5801 more lines)\n"));
}

// --- Images -----------------------------------------------------------------------------------

TEST_CASE("cassette: images are files named by their hash, each written once") {
    const TempFolder folder;
    ScriptedModel model;
    model.say("1").say("2").say("3");
    RecordingModel recorder(model, folder / "c");
    recorder.reply(show("abc"));
    const fs::path image = only_image(folder / "c");
    CHECK(image.filename() ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.png");
    CHECK(read_file(image) == "abc");
    write_file(image, "touched"); // to detect whether it is written again
    recorder.reply(show("abc"));
    CHECK(read_file(image) == "touched");
    recorder.reply(show("def", "image/jpeg"));
    CHECK(fs::exists(folder.path() / "c.images" /
                     "cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34.jpg"));
}

TEST_CASE("cassette: an image is stored before the model is asked") {
    const TempFolder folder;
    ScriptedModel model;
    std::string found;
    model.answer([&](const ChatRequest&) {
        found = read_file(only_image(folder / "c"));
        return ChatReply();
    });
    RecordingModel(model, folder / "c").reply(show("abc"));
    CHECK(found == "abc");
}

TEST_CASE("cassette: images of an earlier recording are kept if they are complete") {
    const TempFolder folder;
    record(folder / "c", {show("abc")});
    const fs::path image = only_image(folder / "c");
    write_file(image, GENERATE("abd", "ab", "")); // same length but other content, and cut off
    write_file(fs::path(image) += ".new", "left over");
    fs::remove(folder / "c");
    record(folder / "c", {show("abc")});
    CHECK(read_file(only_image(folder / "c")) == "abc");

    // Not the clock's zero, which is in 2174: Wine's `stat` then gives the time of the latest access.
    fs::last_write_time(image, fs::file_time_type::clock::now() - 1h);
    const auto time = fs::last_write_time(image);
    fs::remove(folder / "c");
    record(folder / "c", {show("abc")});
    CHECK(fs::last_write_time(image) == time);
}

TEST_CASE("cassette: a missing or modified image is an error that names it") {
    const TempFolder folder;
    record(folder / "c", {ask("a"), show("abc")});
    const fs::path image = only_image(folder / "c");
    SECTION("missing") {
        fs::remove(image);
        const std::string words = words_of<CassetteError>([&] { ReplayModel(folder / "c"); });
        CHECK_THAT(words, ContainsSubstring("c, line 3: ") && ContainsSubstring("missing") &&
                              ContainsSubstring("ba7816bf"));
    }
    SECTION("modified") {
        write_file(image, GENERATE("abd", "abcd", ""));
        const std::string words = words_of<CassetteError>([&] { ReplayModel(folder / "c"); });
        CHECK_THAT(words, ContainsSubstring("c, line 3: ") && ContainsSubstring("ba7816bf"));
    }
    ReplayModel replay(folder / "c", {.check_images = false});
    replay.reply(ask("a"));
    CHECK(replay.reply(show("abc")).text == "yes");
}

TEST_CASE("cassette: an image with the wrong hash is rejected before the model is asked") {
    const TempFolder folder;
    ScriptedModel model;
    RecordingModel recorder(model, folder / "c");
    ChatRequest request = show("abc");
    std::get<vlm::Image>(request.messages[0].parts[1]).sha256 = "../../outside";
    CHECK_THROWS_AS(recorder.reply(request), std::invalid_argument);
    CHECK(model.requests().empty());
    CHECK_FALSE(fs::exists(folder / "c.images"));
}

// --- Files ------------------------------------------------------------------------------------

TEST_CASE("cassette: an incomplete last line is ignored") {
    const TempFolder folder;
    ChatRequest longer = ask("a");
    longer.messages.push_back(Message::assistant("\xF0\x9F\x98\x80 \\ \""));
    longer.messages.push_back(Message::user("b"));
    record(folder / "c", {ask("a"), longer});
    const std::string text = read_file(folder / "c");
    const std::size_t last_line = text.rfind('\n', text.size() - 2) + 1;
    for (std::size_t length = last_line; length <= text.size(); ++length) {
        write_file(folder / "cut", text.substr(0, length));
        ReplayModel replay(folder / "cut");
        // Without its line break the line is still complete.
        CHECK(replay.remaining() == (length + 1 < text.size() ? 1 : 2));
        CHECK(replay.reply(ask("a")).text == "yes");
    }
    for (const std::size_t length : {0U, 1U, 13U}) {
        write_file(folder / "cut", text.substr(0, length));
        CHECK_THROWS_AS(ReplayModel(folder / "cut"), CassetteError);
    }
}

TEST_CASE("cassette: line ends changed by editors and version control are accepted") {
    const TempFolder folder;
    record(folder / "c", {ask("a"), ask("b")});
    std::string text = "\xEF\xBB\xBF";
    for (const std::string& line : lines_of(folder / "c")) text += line + "\r\n\r\n";
    write_file(folder / "edited", text);
    ReplayModel replay(folder / "edited");
    CHECK(replay.reply(ask("a")).text == "yes");
    CHECK(replay.reply(ask("b")).text == "yes");
}

TEST_CASE("cassette: file names outside ASCII are accepted") {
    const TempFolder folder;
    const fs::path file =
        folder.path() / fs::path(u8"Gr\u00FC\u00DFe \u5F55\u97F3 \U0001F4FC.cassette");
    record(file, {show("abc")});
    CHECK(read_file(only_image(file)) == "abc");
    CHECK(ReplayModel(file).reply(show("abc")).text == "yes");
    ReplayModel replay(file);
    const std::string words = words_of<CassetteMismatch>([&] { replay.reply(ask("x")); });
    CHECK_THAT(words, ContainsSubstring("Gr\xC3\xBC\xC3\x9F"
                                        "e \xE5\xBD\x95\xE9\x9F\xB3 \xF0\x9F\x93\xBC.cassette"));
}

TEST_CASE("cassette: an existing file is not overwritten") {
    const TempFolder folder;
    write_file(folder / "c", "precious");
    ScriptedModel model;
    CHECK_THAT(words_of<CassetteError>([&] { RecordingModel(model, folder / "c"); }),
               ContainsSubstring("/c cannot be created"));
    CHECK(read_file(folder / "c") == "precious");
    CHECK_THROWS_AS(RecordingModel(model, folder / "no/such/folder"), CassetteError);
}

TEST_CASE("cassette: a missing file cannot be replayed") {
    const TempFolder folder;
    CHECK_THAT(words_of<CassetteError>([&] { ReplayModel(folder / "c"); }),
               ContainsSubstring("/c cannot be opened"));
}

TEST_CASE("cassette: an image that cannot be written is an error, and the model is not asked") {
    const TempFolder folder;
    write_file(folder / "c.images", "in the way");
    ScriptedModel model;
    RecordingModel recorder(model, folder / "c");
    CHECK_THROWS_AS(recorder.reply(show("abc")), CassetteError);
    CHECK(model.requests().empty());
}

#ifndef _WIN32
namespace {

/// Limits the size of this process's files during its lifetime, like a full disk.
class FileLimit {
public:
    explicit FileLimit(std::uintmax_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
        rlimit limit = before_;
        limit.rlim_cur = static_cast<rlim_t>(bytes);
        REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    ~FileLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, SIG_DFL);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit before_{};
};

} // namespace

TEST_CASE("cassette: after a turn that cannot be written, every call fails") {
    const TempFolder folder;
    ScriptedModel model;
    model.say("one").say("two").say("three");
    RecordingModel recorder(model, folder / "c");
    recorder.reply(ask("1"));
    std::string words;
    {
        const FileLimit limit(fs::file_size(folder / "c") + 10);
        words = words_of<CassetteError>([&] { recorder.reply(ask("2")); });
    }
    CHECK_THAT(words, ContainsSubstring("/c cannot be written"));
    CHECK_THROWS_AS(recorder.reply(ask("3")), CassetteError);
    CHECK(model.remaining() == 1); // the model was not asked
    CHECK(ReplayModel(folder / "c").remaining() == 1);
}
#endif

TEST_CASE("cassette: a file of another format is rejected with file and line") {
    const TempFolder folder;
    for (const std::string text :
         {"", "\n\n", "{}\n", "[]\n", "{\"seq\":1}\n", "\x89PNG\r\n", "{"}) {
        write_file(folder / "other", text);
        CHECK_THAT(words_of<CassetteError>([&] { ReplayModel(folder / "other"); }),
                   ContainsSubstring("not a cassette") && ContainsSubstring("other"));
    }
    write_file(folder / "newer", "{\"cassette\":2}\n");
    CHECK_THAT(words_of<CassetteError>([&] { ReplayModel(folder / "newer"); }),
               ContainsSubstring("newer, line 1: cassette version 2 "));
}

TEST_CASE("cassette: a malformed turn is rejected with the name of the member") {
    const auto turn = [](const std::string& request, const std::string& rest) {
        return R"({"turn":1,"request":{)" + request + "}," + rest + "}";
    };
    const std::string reply = R"("reply":{"finish":"stop"})";
    CHECK_THAT(reading_problem("{\"turn\":"), ContainsSubstring("at byte 9"));
    CHECK(reading_problem(R"({"turn":2})") == "this should be turn 1");
    CHECK(reading_problem(R"({"turn":1})") == "request is missing");
    CHECK(reading_problem(turn("", R"("times":{})")) == "reply, error or exception is missing");
    CHECK(reading_problem(turn(R"("same_messages":1)", reply)) ==
          "request.same_messages is more than the previous turn has");
    CHECK(reading_problem(turn(R"("messages":[{"role":"x"}])", reply)) ==
          "request.messages[0].role is unknown: x");
    CHECK(reading_problem(turn(R"("messages":[{"role":"user","parts":[1]}])", reply)) ==
          "request.messages[0].parts[0] is not an object");
    CHECK(reading_problem(turn(R"("tools":[{"name":{"bytes":"\u0100"}}])", reply)) ==
          "request.tools[0].name is not text");
    CHECK(reading_problem(turn(R"("sampling":{"top_k":2.5})", reply)) ==
          "request.sampling.top_k is not a number in the valid range");
    CHECK(reading_problem(turn("", R"("error":{"code":"odd"})")) == "error.code is unknown: odd");
    CHECK(reading_problem(turn("", reply + R"(,"deltas":[{}])")) ==
          "deltas[0] is neither text nor reasoning nor arguments");
    CHECK(reading_problem(
              turn("", reply + R"(,"deltas":[{"text":""}],"times":{"deltas_ms":[1,2]})")) ==
          "times.deltas_ms and deltas differ in length");
    CHECK(reading_problem(turn("", reply + R"(,"times":{"took_ms":9223372036854775807})")) ==
          "times.took_ms is not a number of milliseconds");
    // It would become a file name outside of the folder.
    CHECK(reading_problem(turn(
              R"("messages":[{"role":"user","parts":[{"image":"../../x","size":1}]}])", reply)) ==
          "request.messages[0].parts[0].image is not a SHA-256");
}

TEST_CASE("cassette: members of later versions are ignored, and times may be missing") {
    const TempFolder folder;
    write_file(folder / "c", R"({"cassette":1,"by":"another program"}
{"turn":1,"mood":"good","request":{"messages":[{"role":"user","parts":["a"],"x":1}]},"deltas":[{"text":"b"}],"reply":{"text":"b","finish":"stop"}}
)");
    int heard = 0;
    ReplayModel replay(folder / "c", {.original_speed = true});
    CHECK(replay.reply(ask("a"), [&](const Delta&) { ++heard; }).text == "b");
    CHECK(heard == 1);
}

// --- Time -------------------------------------------------------------------------------------

namespace {

/// A cassette with one turn: the first delta comes at once, the reply after a minute.
void write_slow_cassette(const fs::path& file) {
    write_file(file, R"({"cassette":1}
{"turn":1,"request":{"messages":[{"role":"user","parts":["a"]}]},"deltas":[{"text":"b"},{"text":"c"}],"reply":{"text":"bc","finish":"stop"},"times":{"deltas_ms":[0,60000],"took_ms":60000}}
)");
}

} // namespace

TEST_CASE("cassette: a stop request ends a replay at the original speed") {
    const TempFolder folder;
    write_slow_cassette(folder / "c");
    ReplayModel replay(folder / "c", {.original_speed = true});
    std::stop_source stop;
    std::promise<void> first_delta;
    std::future<void> streaming = first_delta.get_future();
    std::vector<std::string> heard;
    std::future<std::error_code> result = std::async(std::launch::async, [&] {
        const auto listen = [&](const Delta& delta) {
            heard.push_back(delta.text);
            if (heard.size() == 1) first_delta.set_value();
        };
        return error_of([&] { replay.reply(ask("a"), listen, stop.get_token()); }).code();
    });
    streaming.wait();
    stop.request_stop();
    REQUIRE(result.wait_for(soon) == std::future_status::ready);
    CHECK(result.get() == errc::cancelled);
    CHECK(heard == std::vector<std::string>{"b"});
    CHECK(replay.remaining() == 1);
}

TEST_CASE("cassette: replay does not wait without original_speed") {
    const TempFolder folder;
    write_slow_cassette(folder / "c");
    ReplayModel replay(folder / "c");
    std::future<ChatReply> reply =
        std::async(std::launch::async, [&] { return replay.reply(ask("a")); });
    REQUIRE(reply.wait_for(soon) == std::future_status::ready);
    CHECK(reply.get().text == "bc");
}

TEST_CASE("cassette: a replay at the original speed takes as long as the model took") {
    const TempFolder folder;
    write_file(folder / "c", R"({"cassette":1}
{"turn":1,"request":{"messages":[{"role":"user","parts":["a"]}]},"deltas":[{"text":"b"}],"reply":{"finish":"stop"},"times":{"deltas_ms":[40],"took_ms":80}}
)");
    ReplayModel replay(folder / "c", {.original_speed = true});
    const auto start = std::chrono::steady_clock::now();
    std::chrono::nanoseconds at_delta{};
    replay.reply(ask("a"),
                 [&](const Delta&) { at_delta = std::chrono::steady_clock::now() - start; });
    CHECK(at_delta >= 40ms); // without an upper limit, because the computer may be busy
    CHECK(std::chrono::steady_clock::now() - start >= 80ms);
}

TEST_CASE("cassette: a stop request ends a fast replay between two deltas and does not consume the "
          "turn") {
    const TempFolder folder;
    write_slow_cassette(folder / "c");
    ReplayModel replay(folder / "c");
    std::stop_source stop;
    int heard = 0;
    const auto listen = [&](const Delta&) {
        ++heard;
        stop.request_stop();
    };
    CHECK(error_of([&] { replay.reply(ask("a"), listen, stop.get_token()); }).code() ==
          errc::cancelled);
    CHECK(heard == 1);
    // If the stop was requested before the call, the request is not compared.
    CHECK(error_of([&] { replay.reply(ask("?"), listen, stop.get_token()); }).code() ==
          errc::cancelled);
    CHECK(replay.reply(ask("a")).text == "bc");
}

TEST_CASE("cassette: times are recorded") {
    const TempFolder folder;
    StreamingModel model;
    model.deltas = {{Delta::Kind::text, "a"}, {Delta::Kind::text, "b"}};
    model.answer = full_reply();
    RecordingModel(model, folder / "c").reply(ask("x"), [](const Delta&) {});
    const vlm::cassette::Tape tape = vlm::cassette::read_tape(read_file(folder / "c"), "c");
    const vlm::cassette::Times& times = tape.turns.at(0).times;
    REQUIRE(times.deltas.size() == 2);
    CHECK(times.deltas[0] <= times.deltas[1]);
    CHECK(times.deltas[1] <= times.took);
    CHECK(times.at.size() == std::string("2026-03-01T09:30:00.125Z").size());
    CHECK_THAT(read_file(folder / "c"),
               ContainsSubstring(
                   R"(,"wait_ms":12,"total_ms":345,"prompt_ms":12.3,"completion_ms":0.1}})"));
}

// --- JSON -------------------------------------------------------------------------------------

TEST_CASE("cassette: texts with any bytes are restored") {
    using vlm::cassette::from_text;
    using vlm::cassette::to_text;
    std::string all_bytes;
    for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
    for (const std::string& text :
         {std::string(), std::string("plain"), std::string("\0\x01\x1F\x7F\"\\/\n", 8),
          std::string("\xF0\x9F\x98\x80"), all_bytes, std::string("\xED\xA0\xBD\xED\xB8\x80"),
          std::string("\xE2\x82")}) {
        const std::string line = vlm::cassette::print(from_text(text));
        const auto value = vlm::cassette::parse(line, vlm::cassette::line_depth);
        REQUIRE(value);
        CHECK(to_text(*value) == text);
    }
    CHECK(vlm::cassette::print(from_text("caf\xE9")) == "{\"bytes\":\"caf\xC3\xA9\"}");
}

TEST_CASE("cassette: embedded documents are readable if that loses nothing") {
    using vlm::cassette::from_document;
    using vlm::cassette::to_document;
    for (const std::string readable : {R"({"a":[1,-2.5,1e+30,"\u0001",true,null,{}]})", "{}"}) {
        CHECK(vlm::cassette::print(from_document(readable)) == readable);
        CHECK(to_document(from_document(readable)) == readable);
    }
    const std::string deep(65, '[');
    for (const std::string& text :
         {std::string(R"({"a": 1})"), std::string(R"({"a":1.0})"), std::string(R"({"a":1,"a":2})"),
          std::string(R"({"a":-0.0})"), std::string(R"({"a":1e999})"),
          std::string(R"({"a":12345678901234567890123})"), std::string(R"({"a":"\u00fc"})"),
          std::string(R"("text")"), std::string("[1]"), std::string("null"), std::string("{"),
          std::string(R"({"bytes":"a"})"), std::string("{\"a\":\"\xFF\"}"), std::string(),
          "{\"a\":" + deep + std::string(65, ']') + "}"}) {
        const auto value = vlm::cassette::parse(vlm::cassette::print(from_document(text)),
                                                vlm::cassette::line_depth);
        REQUIRE(value);
        CHECK(to_document(*value) == text);
    }
}

TEST_CASE("cassette: numbers are restored to the last bit") {
    using vlm::cassette::from_double;
    using vlm::cassette::to_double;
    for (const double number : {0.7, 0.1 + 0.2, 1e23, 5e-324, 1.7976931348623157e308, -1.5, 0.0,
                                3.0, std::numeric_limits<double>::infinity()}) {
        const auto value = vlm::cassette::parse(vlm::cassette::print(from_double(number)),
                                                vlm::cassette::line_depth);
        REQUIRE(value);
        CHECK(to_double(*value) == number);
    }
    CHECK(vlm::cassette::print(from_double(0.7)) == "0.7");
    CHECK(std::isnan(*to_double(from_double(std::numeric_limits<double>::quiet_NaN()))));
}
