#include "wire/encode_request.hpp"

#include "catch.hpp"
#include "wire/json.hpp"

#include <limits>

using namespace eyehand;
using vlm::ChatRequest;
using vlm::Image;
using vlm::Message;
using vlm::ToolCall;
using vlm::wire::encode_request;
using vlm::wire::ImageMode;

namespace {

ChatRequest request_of(std::vector<Message> messages) {
    ChatRequest request;
    request.messages = std::move(messages);
    return request;
}

std::string encode(std::vector<Message> messages) {
    return encode_request(request_of(std::move(messages)));
}

Image image_of(std::string_view bytes) {
    return vlm::make_image(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

ToolCall call(const std::string& id, const std::string& arguments = "{}",
              const std::string& extra = {}) {
    return {id, "click", arguments, extra};
}

} // namespace

TEST_CASE("the smallest request has only its message") {
    CHECK(encode({Message::user("hi")}) == R"({"messages":[{"role":"user","content":"hi"}]})");
}

TEST_CASE("a full request has its fields in a fixed order") {
    ChatRequest request = request_of({Message::system("s"), Message::user("u")});
    request.model = "m";
    request.tools = {{"click", "Clicks.", R"({"type":"object", "properties":{}})"}};
    request.tool_choice = vlm::ToolChoice::required;
    request.sampling = {.temperature = 0.35,
                        .top_p = 0.8,
                        .top_k = 20,
                        .presence_penalty = 1.5,
                        .seed = 9007199254740993,
                        .max_tokens = 1200,
                        .stop = {"</s>", "\n"}};
    const std::string body = encode_request(request);
    CHECK(
        body ==
        R"({"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}],)"
        R"("tools":[{"type":"function","function":{"name":"click","description":"Clicks.",)"
        R"("parameters":{"type":"object", "properties":{}}}}],"tool_choice":"required",)"
        R"("temperature":0.35,"top_p":0.8,"top_k":20,"presence_penalty":1.5,)"
        R"("seed":9007199254740993,"max_tokens":1200,"stop":["</s>","\n"]})");
    CHECK(encode_request(request) == body);
}

TEST_CASE("without tools neither tools nor tool_choice are sent") {
    ChatRequest request = request_of({Message::user("u")});
    request.tool_choice = vlm::ToolChoice::required;
    CHECK_THAT(encode_request(request), !ContainsSubstring("tool"));
}

TEST_CASE("numbers are printed in the shortest form that reads back the same") {
    ChatRequest request = request_of({Message::user("u")});
    request.sampling.temperature = 0.1;
    CHECK_THAT(encode_request(request), ContainsSubstring(R"("temperature":0.1})"));
    request.sampling.temperature = 1.0 / 3;
    CHECK_THAT(encode_request(request), ContainsSubstring(R"("temperature":0.3333333333333333})"));
    request.sampling.temperature = -std::numeric_limits<double>::max();
    CHECK_THAT(encode_request(request), ContainsSubstring("-1.7976931348623157e+308"));
}

TEST_CASE("a sampling value that is not finite is an invalid argument") {
    ChatRequest request = request_of({Message::user("u")});
    request.sampling.top_p = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(encode_request(request), std::invalid_argument);
    request.sampling.top_p = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(encode_request(request), std::invalid_argument);
}

TEST_CASE("text is escaped, and malformed UTF-8 becomes U+FFFD") {
    const std::string body =
        encode({Message::user(std::string("q\"b\\n\nt\t\x01\0z\x7F\xC3\xA9\xFF\xE4\xB8", 17))});
    CHECK(body ==
          "{\"messages\":[{\"role\":\"user\",\"content\":\"q\\\"b\\\\n\\nt\\u0009\\u0001\\u0000z"
          "\x7F\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\"}]}");
    CHECK(vlm::wire::parse_json(body));
}

TEST_CASE("all system texts become one message at the beginning") {
    CHECK(encode({Message::user("u"), Message::system("a"), Message::system("b")}) ==
          R"({"messages":[{"role":"system","content":"a\nb"},{"role":"user","content":"u"}]})");
}

TEST_CASE("an empty system text is not sent") {
    CHECK(encode({Message::system(""), Message::user("u")}) ==
          R"({"messages":[{"role":"user","content":"u"}]})");
}

TEST_CASE("consecutive messages of the same role are merged") {
    CHECK(encode({Message::user("a"), Message::user("b"), Message::assistant("c"),
                  Message::assistant("d"), Message::user("e")}) ==
          R"({"messages":[{"role":"user","content":"a\nb"},{"role":"assistant","content":"c\nd"},)"
          R"({"role":"user","content":"e"}]})");
}

TEST_CASE("an image is a data URL in a separate part") {
    CHECK(encode({Message::user("look", image_of("abc"))}) ==
          R"({"messages":[{"role":"user","content":[{"type":"text","text":"look"},)"
          R"({"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj"}}]}]})");
}

TEST_CASE("base64 pads data whose length is not a multiple of three bytes") {
    // RFC 4648, section 10.
    CHECK_THAT(encode({Message::user("", image_of("f"))}), ContainsSubstring("base64,Zg==\""));
    CHECK_THAT(encode({Message::user("", image_of("fo"))}), ContainsSubstring("base64,Zm8=\""));
    CHECK_THAT(encode({Message::user("", image_of("foo"))}), ContainsSubstring("base64,Zm9v\""));
    CHECK_THAT(encode({Message::user("", image_of("foob"))}), ContainsSubstring("base64,Zm9vYg=="));
    CHECK_THAT(encode({Message::user("", image_of("\xFB\xEF\xFF"))}),
               ContainsSubstring("base64,++//"));
}

TEST_CASE("consecutive texts next to images are merged, empty ones are not sent") {
    Message message = Message::user("", image_of("abc"));
    message.parts.emplace_back("one");
    CHECK(encode({message, Message::user("two")}) ==
          R"({"messages":[{"role":"user","content":[)"
          R"({"type":"image_url","image_url":{"url":"data:image/png;base64,YWJj"}},)"
          R"({"type":"text","text":"one\ntwo"}]}]})");
}

TEST_CASE("the body is allocated once, at its exact size") {
    const std::string body =
        encode({Message::system("s\n"), Message::user("look", image_of(std::string(100000, 'x')))});
    CHECK(body.capacity() - body.size() < 16); // libc++ rounds up to multiples of 16
}

TEST_CASE("in logs, an image is replaced by its hash and length") {
    const ChatRequest request = request_of({Message::user("look", image_of("abc"))});
    const std::string body = encode_request(request, {.images = ImageMode::redacted});
    CHECK_THAT(body,
               ContainsSubstring("{\"url\":\"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396"
                                 "177a9cb410ff61f20015ad, 3 bytes\"}"));
    CHECK_THAT(body, !ContainsSubstring("YWJj"));
}

TEST_CASE("an image without bytes can be logged but not sent") {
    Image name_only;
    name_only.sha256 = "abcd";
    const ChatRequest request = request_of({Message::user("look", name_only)});
    CHECK_THROWS_AS(encode_request(request), std::invalid_argument);
    CHECK_THAT(encode_request(request, {.images = ImageMode::redacted}),
               ContainsSubstring("\"sha256:abcd\""));
}

TEST_CASE("an assistant's calls are sent back with content and without extra fields") {
    CHECK(encode({Message::user("u"), Message::assistant("", {call("c1", R"({"x": 1})")}),
                  Message::tool("c1", "ok")}) ==
          R"({"messages":[{"role":"user","content":"u"},)"
          R"({"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function",)"
          R"("function":{"name":"click","arguments":"{\"x\": 1}"}}]},)"
          R"({"role":"tool","tool_call_id":"c1","content":"ok"}]})");
}

TEST_CASE("an assistant without calls has no tool_calls") {
    CHECK_THAT(encode({Message::user("u"), Message::assistant("a"), Message::user("v")}),
               !ContainsSubstring("tool_calls"));
}

TEST_CASE(
    "tool results directly follow their calls, and the user's text and image come after them") {
    const auto messages = vlm::wire::portable_messages(
        {Message::user("u"), Message::assistant("", {call("c1"), call("c2")}),
         Message::tool("c1", "one"), Message::user("screen", image_of("abc")),
         Message::tool("c2", "two"), Message::user("more")});
    REQUIRE(messages.size() == 5);
    CHECK(messages[2].tool_call_id == "c1");
    CHECK(messages[3].tool_call_id == "c2");
    CHECK(messages[4].role == vlm::Role::user);
    CHECK(messages[4].text() == "screen\nmore");
}

TEST_CASE("the previous request stays a prefix of the next one") {
    const std::vector<Message> turn_1{Message::system("s"), Message::user("task", image_of("abc"))};
    const std::vector<Message> turn_2{turn_1[0], turn_1[1], Message::assistant("", {call("c1")}),
                                      Message::tool("c1", "ok"),
                                      Message::user("", image_of("def"))};
    const std::string before = encode(turn_1);
    const std::string after = encode(turn_2);
    CHECK(after.starts_with(before.substr(0, before.size() - 2))); // without "]}"
}

TEST_CASE("arguments that are not a JSON object are replaced by an empty one") {
    using vlm::wire::portable_arguments;
    CHECK(portable_arguments(R"( {"x" : 1} )") == R"( {"x" : 1} )");
    CHECK(portable_arguments("") == "{}");
    CHECK(portable_arguments("{not json") == "{}");
    CHECK(portable_arguments("[1]") == "{}");
    CHECK(portable_arguments("null") == "{}");
    CHECK(portable_arguments("{\"x\":\"\xFF\"}") == "{}");
}

TEST_CASE("almost valid arguments are repaired before they are sent back") {
    using vlm::wire::portable_arguments;
    CHECK(portable_arguments(R"({"x":1,})") == R"({"x":1})");
    CHECK(portable_arguments("{\"text\":\"a\nb\"}") == R"({"text":"a\nb"})");
    CHECK(portable_arguments(R"({"x":{"y":1})") == R"({"x":{"y":1}})");
}

TEST_CASE("arguments packed into a JSON string are unpacked once") {
    using vlm::wire::portable_arguments;
    CHECK(portable_arguments(R"("{\"x\":1}")") == R"({"x":1})");
    CHECK(portable_arguments(R"("hello")") == "{}");
    CHECK(portable_arguments(R"("\"{}\"")") == "{}");
}

TEST_CASE("unknown fields of a call are sent back in their place") {
    const ToolCall with_extra =
        call("c1", "{}",
             R"({"id":"x","extra_content":{"google":{"thought_signature":"s"}},)"
             R"("function":{"name":"y","strict":true}})");
    CHECK_THAT(encode({Message::user("u"), Message::assistant("", {with_extra})}),
               ContainsSubstring(
                   R"({"id":"c1","type":"function","function":{"name":"click","arguments":"{}",)"
                   R"("strict":true},"extra_content":{"google":{"thought_signature":"s"}}})"));
}

TEST_CASE("a request that no server could process is an invalid argument") {
    Message tool_image = Message::tool("c1", "ok");
    tool_image.parts.emplace_back(image_of("abc"));
    Message user_call = Message::user("u");
    user_call.tool_calls = {call("c1")};
    const ToolCall bad_extra = call("c1", "{}", "[]");
    CHECK_THROWS_AS(encode({}), std::invalid_argument);
    CHECK_THROWS_AS(encode({tool_image}), std::invalid_argument);
    CHECK_THROWS_AS(encode({user_call}), std::invalid_argument);
    CHECK_THROWS_AS(encode({Message::tool("", "ok")}), std::invalid_argument);
    CHECK_THROWS_AS(encode({Message::assistant("", {call("")})}), std::invalid_argument);
    CHECK_THROWS_AS(encode({Message::assistant("", {bad_extra})}), std::invalid_argument);
}

TEST_CASE("a tool needs a name and a JSON object for its parameters") {
    ChatRequest request = request_of({Message::user("u")});
    request.tools = {{"", "", "{}"}};
    CHECK_THROWS_AS(encode_request(request), std::invalid_argument);
    for (const std::string parameters : {"", "{", "[]", "\"x\""}) {
        CAPTURE(parameters);
        request.tools = {{"t", "", parameters}};
        CHECK_THROWS_AS(encode_request(request), std::invalid_argument);
    }
}
