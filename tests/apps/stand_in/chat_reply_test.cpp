#include "chat_reply.hpp"

#include "catch.hpp"

#include <boost/json.hpp>

using namespace stand_in;
namespace json = boost::json;

namespace {

const Reply typing{"I type \"世界\".",
                   ToolCall{"type_text", {{"text", "Zażółć gęślą jaźń, 你好，世界！"}}}};

std::vector<std::string> events_of(const std::string& stream) {
    std::vector<std::string> events;
    for (std::size_t at = 0; at < stream.size();) {
        const std::size_t end = stream.find("\n\n", at);
        REQUIRE(end != std::string::npos);
        REQUIRE(stream.substr(at, 6) == "data: ");
        events.push_back(stream.substr(at + 6, end - at - 6));
        at = end + 2;
    }
    return events;
}

} // namespace

TEST_CASE("Decimals in the arguments have no exponent") {
    const Reply pointing{"", ToolCall{"move_mouse", {{"x", 0.25}, {"y", 0.5}}}};
    const std::string arguments = R"({\"x\":0.25,\"y\":0.5})";
    CHECK_THAT(completion(pointing, {}), ContainsSubstring(arguments));
    CHECK_THAT(completion_events(pointing, {}), ContainsSubstring(arguments));
}

TEST_CASE("A completion contains the call with its arguments as JSON text") {
    const json::value body = json::parse(completion(typing, {.number = 7, .prompt_tokens = 50}));
    const json::value& choice = body.at("choices").at(0);
    const json::value& call = choice.at("message").at("tool_calls").at(0);
    CHECK(choice.at("finish_reason") == "tool_calls");
    CHECK(choice.at("message").at("content") == json::value(json::string(typing.content)));
    CHECK(call.at("id") == "call_7");
    CHECK(call.at("type") == "function");
    CHECK(json::parse(call.at("function").at("arguments").as_string()) == typing.call->arguments);
    CHECK(body.at("usage").at("prompt_tokens") == 50);
    CHECK(body.at("usage").at("completion_tokens").as_int64() > 0);
}

TEST_CASE("A completion without a call has no list of calls") {
    const json::value body = json::parse(completion({"Done.", {}}, {}));
    const json::value& choice = body.at("choices").at(0);
    CHECK(choice.at("finish_reason") == "stop");
    CHECK_FALSE(choice.at("message").as_object().contains("tool_calls"));
}

TEST_CASE("A stream contains the reply in pieces, then the finish reason, then DONE") {
    const auto events = events_of(completion_events(typing, {.number = 7}));
    std::string content, name, arguments, reason;
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
        const json::value event = json::parse(events[i]);
        const json::value& choice = event.at("choices").at(0);
        const json::object& delta = choice.at("delta").as_object();
        if (const auto* text = delta.if_contains("content")) content += text->as_string();
        if (const auto* calls = delta.if_contains("tool_calls")) {
            const json::object& function = calls->at(0).at("function").as_object();
            CHECK(calls->at(0).at("index") == 0);
            if (const auto* named = function.if_contains("name")) name += named->as_string();
            arguments += function.at("arguments").as_string();
        }
        if (choice.at("finish_reason").is_string()) reason = choice.at("finish_reason").as_string();
    }
    CHECK(content == typing.content);
    CHECK(name == "type_text");
    CHECK(json::parse(arguments) == typing.call->arguments);
    CHECK(reason == "tool_calls");
    CHECK(events.back() == "[DONE]");
}

TEST_CASE("A stream ends with the usage if the request asks for it") {
    const auto events =
        events_of(completion_events(typing, {.prompt_tokens = 50, .with_usage = true}));
    const json::value last = json::parse(events[events.size() - 2]);
    CHECK(last.at("choices").as_array().empty());
    CHECK(last.at("usage").at("prompt_tokens") == 50);
}
