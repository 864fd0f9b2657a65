// agent-cli doctor on a real desktop, with different servers.
#include "process.hpp"

#include "eyehand/session/calibration.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/responses.hpp"

#include "catch.hpp"
#include "llama_double.hpp"

using namespace eyehand;

namespace {

using test::agent_cli;
using test::ProcessResult;
using vlm::testing::ChatServer;
using vlm::testing::completion;

constexpr const char* llama_models =
    R"({"object":"list","data":[{"id":"tiny-vl","owned_by":"llamacpp","meta":{"n_ctx":32768}}]})";

std::string llama_props(const std::string& n_ctx, const std::string& vision) {
    return R"({"default_generation_settings":{"n_ctx":)" + n_ctx + R"(},"modalities":{"vision":)" +
           vision +
           R"(},"chat_template_caps":{"supports_tools":true},"build_info":"b10587-3f545becc"})";
}

/// Runs the doctor with a server that has only these answers.
ProcessResult doctor(const std::vector<std::string>& answers, const std::string& model,
                     const std::vector<std::string>& more = {}) {
    ChatServer server;
    for (const std::string& body : answers) server.enqueue({.body = body});
    std::vector<std::string> arguments{"doctor", "--endpoint", server.url(), "--model", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return agent_cli(arguments);
}

} // namespace

TEST_CASE("the doctor passes with a desktop and a model, and otherwise reports what is missing") {
    const auto well = doctor({R"({"data":[{"id":"good-model"}]})"}, "good-model");
    INFO(well.out);
    CHECK(well.status == 0);
    CHECK_THAT(well.out, ContainsSubstring("pass  display"));
    CHECK_THAT(well.out, ContainsSubstring("DPI"));
    CHECK_THAT(well.out, ContainsSubstring("pass  endpoint  http://127.0.0.1"));
    CHECK_THAT(well.out,
               ContainsSubstring("/v1/chat/completions\npass  api       chat completions\n"));
    CHECK_THAT(well.out, ContainsSubstring("pass  model     good-model"));

    const auto wrong = doctor({R"({"data":[{"id":"other-model"}]})"}, "good-model");
    CHECK(wrong.status == 4);
    CHECK_THAT(wrong.out, ContainsSubstring("choose with --model: other-model"));

    const auto empty = doctor({R"({"data":[]})"}, "good-model");
    CHECK(empty.status == 4);
    CHECK_THAT(empty.out, ContainsSubstring("FAIL  model     the server lists no model"));

    const auto down = agent_cli({"doctor", "--endpoint", "http://127.0.0.1:1"});
    CHECK(down.status == 4);
    CHECK_THAT(down.out, ContainsSubstring("FAIL  endpoint"));
}

TEST_CASE("the doctor reports the kind of server and the capabilities of the model") {
    const auto result = doctor({llama_models, llama_props("32768", "true")}, "tiny-vl");
    INFO(result.out);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("pass  server    llama-server b10587-3f545becc"));
    CHECK_THAT(result.out, ContainsSubstring("pass  model     tiny-vl\n"));
    CHECK_THAT(result.out, ContainsSubstring("pass  images "));
    CHECK_THAT(result.out, ContainsSubstring("pass  tools "));
    CHECK_THAT(result.out, ContainsSubstring("pass  context   32768 tokens"));
    CHECK_THAT(result.out, ContainsSubstring("note  cancel    stops when a client disconnects: "
                                             "unknown; `agent-cli doctor --ask` tests it"));
    CHECK_THAT(result.out, !ContainsSubstring("note  server"));
}

TEST_CASE("the doctor tests the Responses API if it is chosen") {
    ChatServer server(
        {.respond = vlm::testing::scripted_responses({{.text = "Red."}, {.calls = {{"ready"}}}})});
    const auto result = agent_cli({"doctor", "--ask", "--api", "responses", "--endpoint",
                                   server.url(), "--model", "test-model"});
    INFO(result.out);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("/v1/responses\npass  api       Responses\n"));
    CHECK_THAT(result.out, ContainsSubstring("pass  images "));
    CHECK_THAT(result.out, ContainsSubstring("pass  tools "));
}

TEST_CASE("the doctor fails with the remedy if the model does not see images") {
    const auto result = doctor({llama_models, llama_props("32768", "false")}, "tiny-vl");
    CHECK(result.status == 4);
    CHECK_THAT(result.out, ContainsSubstring("FAIL  images "));
    CHECK_THAT(result.out, ContainsSubstring("--mmproj"));
}

TEST_CASE("the doctor notes unknown facts and does not fail") {
    const auto result = doctor({R"({"data":[{"id":"good-model"}]})"}, "good-model");
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("note  server    unknown server"));
    CHECK_THAT(result.out, ContainsSubstring("note  images    unknown"));
    CHECK_THAT(result.out, ContainsSubstring("doctor --ask"));
    CHECK_THAT(result.out, ContainsSubstring("note  tools     unknown"));
    CHECK_THAT(result.out, ContainsSubstring("note  context   unknown"));
}

TEST_CASE("the doctor notes a short context, a model without tools and one that is not loaded") {
    const auto small = doctor({llama_models, llama_props("4096", "true")}, "tiny-vl");
    CHECK(small.status == 0);
    CHECK_THAT(small.out, ContainsSubstring("note  context   4096 tokens are few"));

    const auto studio = doctor({R"({"data":[{"id":"gemma","owned_by":"organization_owner"}]})",
                                R"({"models":[{"key":"gemma","loaded_instances":[],
             "capabilities":{"vision":true,"trained_for_tool_use":false}}]})"},
                               "gemma");
    CHECK(studio.status == 0);
    CHECK_THAT(studio.out, ContainsSubstring("pass  server    LM Studio\n"));
    CHECK_THAT(studio.out, ContainsSubstring("pass  model     gemma (not loaded yet"));
    CHECK_THAT(studio.out, ContainsSubstring("note  tools     the model does not call them"));
}

TEST_CASE("the doctor reports how the family of the model states positions, and does not fail") {
    struct Case {
        std::string model;
        std::string line;
    };
    const Case example = GENERATE(
        Case{"qwen/qwen3-vl-8b", "pass  positions Qwen3-VL: 0 to 1000 (norm1000)\n"},
        Case{"OpenGVLab/InternVL3_5-4B",
             "pass  positions InternVL: probably 0 to 1000 (norm1000)\n"},
        Case{"z-ai/glm-4.6v", "pass  positions GLM-V: 0 to 999 (norm999)\n"},
        Case{"qwen2.5-vl-7b-instruct",
             "pass  positions Qwen2.5-VL: pixels of the image that the model's processor has "
             "resized (model_pixels:28)\n"},
        Case{"gemini-2.5-flash",
             "pass  positions Gemini: 0 to 1000 with y before x (norm1000_yx)\n"},
        Case{"microsoft/Phi-4-multimodal-instruct",
             "pass  positions Phi-4-multimodal: probably fractions from 0 to 1 (unit)\n"},
        Case{"allenai/MolmoPoint-8B", "note  positions MolmoPoint: no usable positions, so clicks "
                                      "are likely to miss their targets\nnote  remedy    "},
        Case{"llava:7b", "note  positions Llama and LLaVA: probably no usable positions, so"},
        Case{"mistral-large-4", "note  positions Mistral Large 4: unknown numbers; runs ask"},
        Case{"qwen/qwen3-14b",
             "note  positions unknown model family: runs ask for 0 to 1000 (--coordinates)\n"});
    const auto result = doctor({R"({"data":[{"id":")" + example.model + R"("}]})"}, example.model);
    INFO(result.out);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring(example.line));
}

TEST_CASE("the doctor reports no positions for a model that the server does not have") {
    const auto result = doctor({R"({"data":[{"id":"other-model"}]})"}, "qwen3-vl-8b");
    CHECK(result.status == 4);
    CHECK_THAT(result.out, !ContainsSubstring("positions"));
}

TEST_CASE("the doctor asks the model with --ask") {
    const auto result =
        doctor({R"({"data":[{"id":"m","owned_by":"vllm","max_model_len":32768}]})",
                R"({"version":"0.11.0"})", completion("red"), completion("", "ready")},
               "m", {"--ask"});
    INFO(result.out);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("pass  server    vLLM 0.11.0"));
    CHECK_THAT(result.out, ContainsSubstring("pass  images "));
    CHECK_THAT(result.out, ContainsSubstring("pass  tools "));
}

TEST_CASE("the doctor reports with --ask whether the server stops when a client disconnects") {
    const auto [stops, line] = GENERATE(table<bool, std::string>(
        {{true, "pass  cancel    stops when a client disconnects: yes\n"},
         {false, "note  cancel    stops when a client disconnects: no; "}}));
    const test::LlamaDouble server({.stops_on_disconnect = stops});
    const auto result = agent_cli({"doctor", "--endpoint", server.url(), "--ask"});
    INFO(result.out);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring(line));
}

TEST_CASE("the doctor removes control characters from the names of models") {
    const auto result = doctor({R"({"data":[{"id":"a\u001b[2J"}]})"}, "a\x1b[2J");
    CHECK(result.status == 0);
    CHECK_THAT(result.out, !ContainsSubstring("\x1b"));
}

TEST_CASE("the doctor notes a calibration that expects less than 80 % hits of small targets") {
    const test::Workspace workspace;
    const auto report = [&](const session::HitRate& small) {
        ChatServer server;
        server.enqueue({.body = R"({"data":[{"id":"good-model"}]})"});
        const std::string endpoint = server.url() + "/v1/chat/completions";
        session::Calibration calibration{.endpoint = endpoint, .model = "good-model"};
        calibration.fit.grounds = true;
        calibration.fit.form = {agent::CoordinateConvention::percent};
        calibration.hit_rates = {small};
        const std::filesystem::path folder = workspace.trust_file().parent_path() / "calibrations";
        std::filesystem::create_directories(folder);
        std::filesystem::permissions(workspace.trust_file().parent_path(),
                                     std::filesystem::perms::owner_all);
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
        std::ofstream(folder / session::calibration_file(endpoint, "good-model"))
            << session::to_json(calibration);
        auto result =
            workspace.agent_cli({"doctor", "--endpoint", server.url(), "--model", "good-model"});
        CHECK(result.status == 0);
        return result.out;
    };
    const std::string well = report({.size = 12, .hits = 8, .total = 10});
    CHECK_THAT(well, ContainsSubstring("pass  measured"));
    CHECK_THAT(well, ContainsSubstring("a click hits 80 % of small targets"));
    const std::string badly = report({.size = 12, .hits = 7, .total = 10});
    CHECK_THAT(badly, ContainsSubstring("note  measured"));
    CHECK_THAT(badly, ContainsSubstring("70 % of clicks on small targets"));
}
