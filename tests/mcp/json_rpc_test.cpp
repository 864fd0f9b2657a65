#include "json_rpc.hpp"

#include "catch.hpp"

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

constexpr std::size_t enough = 10'000;

RpcMistake mistake_in(std::string_view text, std::size_t max_bytes = enough) {
    const RpcMessage message = parse_message(text, max_bytes);
    const auto* mistake = std::get_if<RpcMistake>(&message);
    REQUIRE(mistake != nullptr);
    return *mistake;
}

template <class Message>
Message read_as(std::string_view text) {
    const RpcMessage message = parse_message(text, enough);
    const auto* read = std::get_if<Message>(&message);
    REQUIRE(read != nullptr);
    return *read;
}

} // namespace

TEST_CASE("a request has an id, a method and parameters") {
    const auto request = read_as<RpcRequest>(
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}})");
    CHECK(request.id == RequestId(7));
    CHECK(request.method == "tools/call");
    CHECK(string_in(request.params, "name") == "x");
    CHECK(read_as<RpcRequest>(R"({"jsonrpc":"2.0","id":"a","method":"m"})").id == RequestId("a"));
}

TEST_CASE("a message with a method and no id is a notification") {
    const auto notification = read_as<RpcNotification>(R"({"jsonrpc":"2.0","method":"n"})");
    CHECK(notification.method == "n");
    CHECK(notification.params.empty());
}

TEST_CASE("a response has a result or an error") {
    const auto result = read_as<RpcResponse>(R"({"jsonrpc":"2.0","id":1,"result":{"a":2}})");
    CHECK(result.id == RequestId(1));
    CHECK(std::get<json::object>(result.outcome).at("a") == 2);
    const auto error = read_as<RpcResponse>(
        R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad","data":[1]}})");
    CHECK(!error.id);
    CHECK(std::get<RpcError>(error.outcome).code == rpc_code::parse_error);
    CHECK(std::get<RpcError>(error.outcome).message == "bad");
    CHECK(std::get<RpcError>(error.outcome).data == json::parse("[1]"));
}

TEST_CASE("text that is not JSON is a parse error without an id") {
    const std::string deep = R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" +
                             std::string(100, '[') + std::string(100, ']') + "}}";
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("{}{}"), std::string("{\"a\":\"\xFF\"}"),
          std::string(R"({"a":"\ud800"})"), std::string("nul"), deep}) {
        CAPTURE(text);
        const RpcMistake mistake = mistake_in(text);
        CHECK(mistake.error.code == rpc_code::parse_error);
        CHECK(!mistake.id);
    }
}

TEST_CASE("a message that is too long is a parse error") {
    const std::string_view text = R"({"jsonrpc":"2.0","method":"n"})";
    CHECK(mistake_in(text, text.size() - 1).error.code == rpc_code::parse_error);
    CHECK(std::holds_alternative<RpcNotification>(parse_message(text, text.size())));
}

TEST_CASE("JSON that is not a message is an invalid request") {
    for (const char* text :
         {"1", "null", "[]", R"([{"jsonrpc":"2.0","method":"n"}])", "{}", R"({"method":"n"})",
          R"({"jsonrpc":"1.0","method":"n"})", R"({"jsonrpc":"2.0"})",
          R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1.5,"method":"m"})",
          R"({"jsonrpc":"2.0","id":null,"method":"m"})",
          R"({"jsonrpc":"2.0","id":{},"method":"m"})", R"({"jsonrpc":"2.0","method":1})",
          R"({"jsonrpc":"2.0","result":{}})", R"({"jsonrpc":"2.0","id":1,"result":1})",
          R"({"jsonrpc":"2.0","id":1,"error":{"code":1}})",
          R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})"}) {
        CAPTURE(text);
        CHECK(mistake_in(text).error.code == rpc_code::invalid_request);
    }
}

TEST_CASE("a malformed response is told apart from a malformed request") {
    const RpcMistake response = mistake_in(R"({"jsonrpc":"2.0","id":1,"result":null})");
    CHECK(response.is_response);
    CHECK(response.id == RequestId(1));
    CHECK(mistake_in(R"({"jsonrpc":"2.0","id":1,"error":{}})").is_response);
    CHECK(!mistake_in(R"({"jsonrpc":"2.0","id":1,"method":1})").is_response);
}

TEST_CASE("the answer to a mistake has the id of the request if it could be read") {
    CHECK(mistake_in(R"({"id":3,"method":"m"})").id == RequestId(3));
    const RpcMistake mistake = mistake_in(R"({"jsonrpc":"2.0","id":"x","method":"m","params":[]})");
    CHECK(mistake.error.code == rpc_code::invalid_params);
    CHECK(mistake.id == RequestId("x"));
}

TEST_CASE("messages are written as one line that reads back") {
    RpcRequest request{.id = "a\nb", .method = "m", .params = {{"text", "one\ntwo"}}};
    std::string line = write_message(request);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(read_as<RpcRequest>(line).id == request.id);
    CHECK(read_as<RpcRequest>(line).params == request.params);
    CHECK(read_as<RpcNotification>(write_message(RpcNotification{.method = "n"})).method == "n");
    CHECK(write_message(RpcResponse{.id = 5, .outcome = json::object{}}) ==
          R"({"jsonrpc":"2.0","id":5,"result":{}})");
    CHECK(write_message(RpcResponse{.outcome = RpcError{.code = -1, .message = "\xFF"}}) ==
          "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1,\"message\":\"\xEF\xBF\xBD\"}}");
}
