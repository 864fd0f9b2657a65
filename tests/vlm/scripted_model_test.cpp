#include "eyehand/vlm/testing/scripted_model.hpp"

#include "catch.hpp"

using namespace eyehand;
using vlm::testing::ScriptedModel;

namespace {

vlm::ChatRequest ask(const std::string& text) {
    vlm::ChatRequest request;
    request.messages = {vlm::Message::user(text)};
    return request;
}

} // namespace

TEST_CASE("a scripted model answers in order and stores the requests") {
    ScriptedModel model;
    model.call("click", R"({"x":1})", "I click.").say("Done.");

    const vlm::ChatReply first = model.reply(ask("one"));
    CHECK(first.text == "I click.");
    REQUIRE(first.tool_calls.size() == 1);
    CHECK(first.tool_calls[0].name == "click");
    CHECK(first.tool_calls[0].arguments_json == R"({"x":1})");
    CHECK(first.finish == vlm::FinishReason::tool_calls);
    CHECK(model.remaining() == 1);

    CHECK(model.reply(ask("two")).text == "Done.");
    REQUIRE(model.requests().size() == 2);
    CHECK(model.requests()[1].messages[0].text() == "two");
}

TEST_CASE("each scripted call has its own id") {
    ScriptedModel model;
    model.call("a", "{}").call("a", "{}");
    CHECK(model.reply(ask("")).tool_calls[0].id != model.reply(ask("")).tool_calls[0].id);
}

TEST_CASE("a scripted model without a reply left throws logic_error") {
    ScriptedModel model;
    CHECK_THROWS_AS(model.reply(ask("")), std::logic_error);
}

TEST_CASE("a scripted failure is thrown with its code") {
    ScriptedModel model;
    model.fail({vlm::errc::overloaded, "busy", {.status = 503}});
    try {
        model.reply(ask(""));
        FAIL("nothing was thrown");
    } catch (const vlm::Error& error) {
        CHECK(error.code() == vlm::errc::overloaded);
        CHECK(error.status() == 503);
    }
}

TEST_CASE("a scripted answer may depend on the request") {
    ScriptedModel model;
    model.answer([](const vlm::ChatRequest& request) {
        vlm::ChatReply reply;
        reply.text = request.messages[0].text() + "!";
        return reply;
    });
    CHECK(model.reply(ask("echo")).text == "echo!");
}

TEST_CASE("a scripted model passes the text to on_delta once") {
    ScriptedModel model;
    model.say("hello");
    std::vector<std::string> deltas;
    model.reply(ask(""), [&](const vlm::Delta& delta) { deltas.push_back(delta.text); });
    CHECK(deltas == std::vector<std::string>{"hello"});
}

TEST_CASE("a cancelled request does not consume a scripted reply") {
    ScriptedModel model;
    model.say("later");
    std::stop_source stop;
    stop.request_stop();
    CHECK_THROWS_AS(model.reply(ask(""), {}, stop.get_token()), vlm::Error);
    CHECK(model.remaining() == 1);
}
