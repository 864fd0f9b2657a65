// Faults of the model's server.
#include "scene.hpp"

namespace fault_tests {
namespace {

/// The setting is a limit that the server of the row exceeds.
std::function<void(Scene&)> limit(const std::string& setting) {
    return [setting](Scene& scene) {
        scene.arguments = {"--retries", "0"};
        scene.variables[setting] = "0.3";
    };
}

/// The beginning of a streamed reply.
std::string first_words() {
    using namespace eyehand::vlm::testing;
    return chunked_head() + chunk("data: "
                                  R"({"choices":[{"index":0,"delta":{"content":"I "}}]})"
                                  "\n\n");
}

} // namespace

std::vector<Row> endpoint_rows() {
    using eyehand::vlm::testing::Gate;
    const Answer fails{.status = 500, .body = R"({"error":{"message":"out of order"}})"};
    return {
        {.name = "endpoint: no server",
         .before =
             [](Scene& scene) {
                 scene.endpoint = "http://127.0.0.1:1";
                 scene.arguments = {"--retries", "0"};
             },
         .exit_code = 4,
         .message = "nothing listens at 127.0.0.1:1",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: the server ends between two requests",
         .answers = {{.body = looks().body, .close = true}},
         .before =
             [](Scene& scene) {
                 scene.arguments = {"--retries", "0"};
             },
         .fault = [](Scene& scene) { scene.server.stop_listening(); },
         .exit_code = 4,
         .message = "nothing listens at 127.0.0.1:",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: the connection is closed in the middle of a stream",
         .answers = {looks(), {.close = true, .parts = {first_words()}}},
         .exit_code = 4,
         .message = "broke the connection in the middle of its answer",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: the connection is reset before an answer",
         .answers = {looks(), {.close = true, .cut_after = 0}, {.close = true, .cut_after = 0}},
         .before =
             [](Scene& scene) {
                 scene.arguments = {"--retries", "0"};
             },
         .exit_code = 4,
         .message = "the connection",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: status 500 forever",
         .answers = {looks(), fails, fails},
         .before =
             [](Scene& scene) {
                 scene.arguments = {"--retries", "1"};
             },
         .exit_code = 4,
         .message = "out of order",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: the key is refused",
         .answers = {{.status = 401, .body = R"({"error":{"message":"wrong key"}})"}},
         .exit_code = 4,
         .message = "check the API key",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: malformed JSON",
         .answers = {looks(), {.body = R"({"choices":[{"message":{)"}},
         .before =
             [](Scene& scene) {
                 scene.arguments = {"--retries", "0"};
             },
         .exit_code = 4,
         .message = "JSON",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: no answer",
         .answers = {never()}, // at once: on a busy machine, no answer comes within the limit
         .before = limit("EYEHAND_FIRST_BYTE_TIMEOUT"),
         .exit_code = 4,
         .message = "first_byte_timeout",
         .outcome = "endpoint_failed"},
        {.name = "endpoint: an answer that stops in the middle",
         .answers = {looks(), {.parts = {first_words(), Gate()}}},
         .before = limit("EYEHAND_IDLE_TIMEOUT"),
         .exit_code = 4,
         .message = "idle_timeout",
         .outcome = "endpoint_failed"},
    };
}

} // namespace fault_tests
