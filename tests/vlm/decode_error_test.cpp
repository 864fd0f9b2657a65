#include "wire/decode_error.hpp"

#include "catch_error.hpp"
#include "llama_server.hpp"

using namespace eyehand;
using vlm::errc;
using vlm::Error;

namespace {

const vlm::wire::Where where{"http://h/v1/chat/completions", "some-model", "sk-0123456789"};

Error decode(int status, std::string_view body) {
    return vlm::wire::decode_error(status, body, where);
}

} // namespace

TEST_CASE("llama-server: a context overflow") {
    const Error error = decode(400, llama_server::context_exceeded);
    CHECK(error.code() == errc::context_overflow);
    CHECK(error.status() == 400);
    CHECK(error.server_message() == "request (72023 tokens) exceeds the available context size "
                                    "(32768 tokens), try increasing it");
    CHECK(mentions(error, "longer context"));
    CHECK(error.details().prompt_tokens == 72023);
    CHECK(error.details().context_tokens == 32768);
}

TEST_CASE("impossible numbers of a context overflow are unknown") {
    const Error error = decode(
        400,
        R"({"error":{"type":"exceed_context_size_error","n_prompt_tokens":1e999,"n_ctx":-1}})");
    CHECK(error.code() == errc::context_overflow);
    CHECK_FALSE(error.details().prompt_tokens.has_value());
    CHECK_FALSE(error.details().context_tokens.has_value());
}

TEST_CASE("llama-server: an invalid history and an invalid tool_choice") {
    CHECK(decode(500, llama_server::bad_history).code() == errc::http_status);
    const Error error = decode(400, llama_server::bad_tool_choice);
    CHECK(error.code() == errc::http_status);
    CHECK(mentions(error, "Invalid tool_choice: sometimes"));
}

TEST_CASE("llama-server: a model that is being loaded") {
    const Error error = decode(503, llama_server::loading);
    CHECK(error.code() == errc::overloaded);
    CHECK(mentions(error, "still loading"));
}

TEST_CASE("llama-server: a missing API key") {
    const Error error = decode(401, llama_server::invalid_key);
    CHECK(error.code() == errc::unauthorized);
    CHECK(mentions(error, "check the API key"));
}

TEST_CASE("llama-server: an image for a model without its vision part") {
    const Error error = decode(500, llama_server::no_mmproj);
    CHECK(error.code() == errc::not_supported);
    CHECK(mentions(error, "vision model"));
}

TEST_CASE("llama-server: an unknown path") {
    const Error error = decode(404, llama_server::unknown_path);
    CHECK(error.code() == errc::not_found);
    CHECK(mentions(error, "should end in /v1/chat/completions"));
}

TEST_CASE("a 404 about the model names the model") {
    const Error error = decode(404, R"({"error":{"message":"The model does not exist"}})");
    CHECK(error.code() == errc::not_found);
    CHECK(mentions(error, "\"some-model\""));
}

TEST_CASE("each status has its code") {
    const auto category = [](int status) { return decode(status, "").code(); };
    for (const int status : {400, 402, 405, 413, 418, 422, 500, 502, 504, 302, 599, 199, 0}) {
        CAPTURE(status);
        CHECK(category(status) == errc::http_status);
    }
    CHECK(category(401) == errc::unauthorized);
    CHECK(category(403) == errc::unauthorized);
    CHECK(category(404) == errc::not_found);
    for (const int status : {408, 409, 429, 503}) {
        CAPTURE(status);
        CHECK(category(status) == errc::overloaded);
    }
    CHECK(category(501) == errc::not_supported);
    CHECK(category(200) == errc::server_error);
}

TEST_CASE("each error message has status, URL and a remedy") {
    for (const int status :
         {400, 401, 402, 403, 404, 405, 408, 409, 413, 422, 429, 500, 501, 502, 503, 504}) {
        CAPTURE(status);
        const Error error = decode(status, "");
        CHECK(error.status() == status);
        CHECK(
            mentions(error, where.url + " answered with status " + std::to_string(status) + ": "));
    }
}

TEST_CASE("a used-up quota is not retried") {
    const Error error =
        decode(429, R"({"error":{"message":"You exceeded","code":"insufficient_quota"}})");
    CHECK(error.code() == errc::http_status);
    CHECK(mentions(error, "quota"));
}

TEST_CASE("the server's message is found in every known format") {
    CHECK(decode(400, R"({"error":{"message":"m","type":"t","param":null,"code":"c"}})")
              .server_message() == "m");
    CHECK(decode(400, R"({"error":{"type":"t"}})").server_message() == "t");
    CHECK(decode(400, R"({"error":"m"})").server_message() == "m");
    CHECK(decode(400, R"({"object":"error","message":"m"})").server_message() == "m");
    CHECK(decode(400, R"([{"error":{"code":400,"message":"m"}}])").server_message() == "m");
    CHECK(decode(400, R"({"detail":"m"})").server_message() == "m");
    CHECK(decode(400, "plain text\n").server_message() == "plain text");
    CHECK(decode(400, R"({"unknown":1})").server_message() == R"({"unknown":1})");
}

TEST_CASE("an HTML page is not repeated") {
    const Error error = decode(502, "<html><body>nginx</body></html>");
    CHECK(error.server_message().empty());
    CHECK(!mentions(error, "nginx"));
}

TEST_CASE("long, binary and multi-line bodies are shortened to one valid line") {
    std::string body(100000, 'x');
    body += '\xFF';
    const Error error = decode(500, body);
    CHECK(error.server_message().size() < 1100);
    CHECK(decode(500, "a\xFF\nb").server_message() == "a\xEF\xBF\xBD b");
}

TEST_CASE("every known message about a context overflow is recognized") {
    for (const std::string_view words :
         {"context_length_exceeded", "exceed_context_size_error",
          "Exceeds The Available Context Size", "Context size has been exceeded.",
          "This model's maximum context length is 8192", "Trying to keep the first 5000 tokens",
          "n_keep: 5000 >= n_ctx: 4096", "does not fit in context length",
          "Mid-generation context overflow", "the input length exceeds the context length",
          "prompt is longer than the context length"}) {
        CAPTURE(words);
        CHECK(decode(400, "{\"error\":\"" + std::string(words) + "\"}").code() ==
              errc::context_overflow);
    }
}

TEST_CASE("an engine's error inside an error of LM Studio is recognized") {
    CHECK(decode(400, R"({"error":"Engine protocol predict request returned 400: {\"error\":)"
                      R"({\"message\":\"request exceeds the available context size\"}}"})")
              .code() == errc::context_overflow);
}

TEST_CASE("LM Studio: no model loaded, a crash, an unknown path") {
    CHECK(mentions(decode(404, R"({"error":{"message":"No models loaded. Please load a model"}})"),
                   "load a model on the server"));
    CHECK(
        mentions(decode(400, R"({"error":"The model has crashed without additional information"})"),
                 "crashed on the server"));
    CHECK(mentions(decode(400, R"({"error":"Channel Error"})"), "crashed on the server"));
    CHECK(mentions(decode(200, R"x({"error":"Unexpected endpoint or method. (POST /foo)"})x"),
                   "should end in /v1/chat/completions"));
}

TEST_CASE("a redirection names its target") {
    const Error error = vlm::wire::decode_error(301, "", where, "https://h/v1");
    CHECK(mentions(error, "redirects to https://h/v1"));
}

TEST_CASE("a key in the server's message is removed") {
    const Error error =
        decode(401, R"({"error":{"message":"Incorrect API key provided: sk-0123456789."}})");
    CHECK(error.server_message() == "Incorrect API key provided: [API key].");
    CHECK(!mentions(error, "sk-0123456789"));
}

TEST_CASE("a key at the edge of an excerpt is removed completely") {
    std::string body(995, 'x');
    body += "sk-0123456789";
    const Error error = decode(401, body);
    CHECK(!mentions(error, "sk-01"));
}

TEST_CASE("a key with slashes is also found in its JSON form") {
    CHECK(vlm::wire::without_secret("a sk-1/2/3/4 b sk-1\\/2\\/3\\/4", "sk-1/2/3/4") ==
          "a [API key] b [API key]");
}

TEST_CASE("very many repetitions of a key are replaced, and quickly") {
    std::string text;
    std::string expected;
    for (int i = 0; i < 1000000; ++i) {
        text += "sk-0123456789,";
        expected += "[API key],";
    }
    CHECK(vlm::wire::without_secret(text, "sk-0123456789") == expected);
}

TEST_CASE("a placeholder for a key is not removed") {
    CHECK(vlm::wire::without_secret("none of it", "none") == "none of it");
    CHECK(vlm::wire::without_secret("text", "") == "text");
}
