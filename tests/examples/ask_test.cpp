// Runs the example "ask" with a streaming server, and checks its request and its output.
//   example-ask-test PROGRAM
#include "program.hpp"
#include "temp_folder.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include <cstdio>

using namespace eyehand;

namespace {

using vlm::testing::chunk;

constexpr const char* answer = "A cat.";

vlm::testing::Answer streamed() {
    const auto event = [](const std::string& data) { return chunk("data: " + data + "\n\n"); };
    const auto word = [&](const std::string& text) {
        return event(R"({"choices":[{"index":0,"delta":{"content":")" + text + R"("}}]})");
    };
    return {.parts = {vlm::testing::chunked_head(), word("A "), word("cat."),
                      event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})"),
                      event("[DONE]"), chunk("")}};
}

bool check(bool good, const char* what, const std::string& found) {
    if (!good) std::fprintf(stderr, "%s: %s\n", what, found.c_str());
    return good;
}

} // namespace

int main(int, char** argv) {
    const test::TempFolder folder;
    std::ofstream(folder / "picture.png", std::ios::binary) << "not looked at";
    vlm::testing::ChatServer server;
    server.enqueue(streamed());
    const test::ProcessResult result =
        test::run_program(argv[1], {server.url(), (folder / "picture.png").string()});
    const std::string body = server.requests().empty() ? "none" : server.requests().front().body;
    const auto has = [&](const char* text) { return body.find(text) != std::string::npos; };
    const bool good =
        check(result.status == 0, "it failed", result.err) &&
        check(result.out == answer, "it printed", result.out) &&
        check(has("\"stream\":true"), "no stream was asked for", body) &&
        check(has("data:image/png;base64,bm90IGxvb2tlZCBhdA=="), "no picture was sent", body);
    return good ? 0 : 1;
}
