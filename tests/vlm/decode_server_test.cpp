#include "wire/decode_server.hpp"

#include "catch.hpp"
#include "llama_server.hpp"
#include "server_answers.hpp"

#include <string>

using namespace eyehand;
using vlm::errc;
using vlm::Error;
using vlm::ServerKind;
using vlm::Support;
using vlm::wire::ModelFacts;
using vlm::wire::ModelList;

namespace {

ModelList list_in(std::string_view body) {
    auto list = vlm::wire::decode_model_list(body);
    if (!list) FAIL("not decoded as a list: " << body);
    return *std::move(list);
}

ModelFacts model_in(std::string_view body, std::string_view id) {
    for (const ModelFacts& model : list_in(body).models)
        if (model.id == id) return model;
    FAIL("no model " << id);
    return {};
}

Error refusal(int status, const std::string& said, errc code = errc::http_status) {
    return {code, "the server said: " + said, {.status = status, .server_message = said}};
}

} // namespace

TEST_CASE("server: llama-server's list of models, as recorded") {
    const ModelList list = list_in(llama_server::models);
    CHECK(list.kind == ServerKind::llama_server);
    CHECK_FALSE(list.routes);
    REQUIRE(list.models.size() == 1);
    const ModelFacts& model = list.models[0];
    CHECK(model.id == "tiny-vl");
    CHECK(model.context_tokens == 32768); // and not the 131072 of its training
    CHECK(model.images == Support::yes);  // from "multimodal"
    CHECK(model.tools == Support::unknown);
    CHECK_FALSE(model.loaded);
}

TEST_CASE("server: an older llama-server reports only the context of the training") {
    const ModelFacts model = model_in(
        R"({"object":"list","data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]})",
        "m");
    CHECK_FALSE(model.context_tokens);
    CHECK(model.images == Support::unknown);
}

TEST_CASE("server: a llama-server router reports which models are loaded") {
    const ModelList list = list_in(server_answers::llama_router);
    CHECK(list.routes);
    CHECK(list.models.at(0).loaded == true);
    CHECK(list.models.at(1).loaded == false);
}

TEST_CASE("server: llama-server's properties") {
    const auto props = vlm::wire::decode_llama_props(server_answers::llama_props);
    REQUIRE(props);
    CHECK(props->version == "b10587-3f545becc");
    CHECK(props->model.context_tokens == 16384);
    CHECK(props->model.images == Support::yes);
    CHECK(props->model.tools == Support::yes);
}

TEST_CASE("server: facts missing in older properties are unknown, except tools, which the template "
          "shows") {
    const auto props = vlm::wire::decode_llama_props(server_answers::llama_props_2024);
    REQUIRE(props);
    CHECK(props->version.empty());
    CHECK(props->model.context_tokens == 8192);
    CHECK(props->model.images == Support::unknown);
    CHECK(props->model.tools == Support::yes);
    const auto tools_by = [](const std::string& members) {
        return vlm::wire::decode_llama_props(R"({"default_generation_settings":{})" + members + "}")
            .value()
            .model.tools;
    };
    CHECK(tools_by("") == Support::unknown);
    CHECK(tools_by(R"(,"chat_template":"{{ messages }}")") == Support::no);
    CHECK(tools_by(R"(,"chat_template":"x","chat_template_tool_use":"y")") == Support::yes);
    CHECK(tools_by(R"(,"chat_template":"tools","chat_template_caps":{"supports_tools":false})") ==
          Support::no);
}

TEST_CASE("server: llama-server's slots") {
    const auto slots = vlm::wire::decode_llama_slots(server_answers::llama_slots);
    REQUIRE(slots);
    REQUIRE(slots->size() == 2);
    CHECK(slots->at(0).is_processing);
    CHECK(slots->at(0).task == 135);
    CHECK(slots->at(0).generated_tokens == 4);
    CHECK_FALSE(slots->at(1).is_processing);
    CHECK_FALSE(slots->at(1).task);
}

TEST_CASE("server: an older llama-server's slots have one object for the next token") {
    const auto slots = vlm::wire::decode_llama_slots(server_answers::llama_slots_2025);
    REQUIRE(slots);
    REQUIRE(slots->size() == 2);
    CHECK_FALSE(slots->at(0).task); // -1: no request so far
    CHECK(slots->at(1).is_processing);
    CHECK(slots->at(1).task == 7);
    CHECK(slots->at(1).generated_tokens == 136);
}

TEST_CASE("server: slots that do not report whether they are processing give nothing") {
    const std::string body = GENERATE(std::string(server_answers::llama_slots_2024),
                                      std::string(server_answers::llama_no_slots), "[]", "{}", "",
                                      "[7]", R"([{"is_processing":true},{"is_processing":"no"}])");
    CHECK_FALSE(vlm::wire::decode_llama_slots(body));
}

TEST_CASE("server: malformed details of a slot are unknown") {
    const auto slots = vlm::wire::decode_llama_slots(
        R"([{"is_processing":true,"id_task":"x","next_token":[]},
            {"is_processing":true,"id_task":1e300,"next_token":[3]},
            {"is_processing":true,"id_task":null,"next_token":{"n_decoded":-5}}])");
    REQUIRE(slots);
    for (const auto& slot : *slots) {
        CHECK_FALSE(slot.task);
        CHECK(slot.generated_tokens == 0);
    }
}

TEST_CASE("server: LM Studio's own list has loaded instances, vision and tools") {
    const ModelList list = list_in(server_answers::lm_studio_own_models);
    CHECK(list.kind == ServerKind::lm_studio);
    const ModelFacts qwen = model_in(server_answers::lm_studio_own_models, "qwen/qwen3-vl-4b");
    CHECK(qwen.loaded == true);
    CHECK(qwen.context_tokens == 32768); // of the instance of that name
    CHECK(qwen.images == Support::yes);
    CHECK(qwen.tools == Support::yes);
    const ModelFacts second = model_in(server_answers::lm_studio_own_models, "second");
    CHECK(second.loaded == true);
    CHECK(second.context_tokens == 4096);
    CHECK(second.images == Support::yes);
    const ModelFacts gemma = model_in(server_answers::lm_studio_own_models, "google/gemma-3-4b");
    CHECK(gemma.loaded == false);
    CHECK_FALSE(gemma.context_tokens);
    CHECK(gemma.tools == Support::no);
    const ModelFacts embedding =
        model_in(server_answers::lm_studio_own_models, "text-embedding-nomic-embed-text-v1.5");
    CHECK_FALSE(embedding.chats);
}

TEST_CASE("server: LM Studio's older list") {
    CHECK(list_in(server_answers::lm_studio_v0_models).kind == ServerKind::lm_studio);
    const ModelFacts qwen = model_in(server_answers::lm_studio_v0_models, "qwen2-vl-7b");
    CHECK(qwen.loaded == true);
    CHECK(qwen.context_tokens == 8192);
    CHECK(qwen.images == Support::yes);
    CHECK(qwen.tools == Support::yes);
    const ModelFacts phi = model_in(server_answers::lm_studio_v0_models, "phi-4");
    CHECK(phi.loaded == false);
    CHECK_FALSE(phi.context_tokens);
    CHECK(phi.images == Support::no);
    CHECK(phi.tools == Support::unknown);
    CHECK_FALSE(model_in(server_answers::lm_studio_v0_models, "nomic").chats);
}

TEST_CASE("server: Ollama's lists, and /api/show for a model") {
    CHECK(list_in(server_answers::ollama_models).kind == ServerKind::ollama);
    CHECK(model_in(server_answers::ollama_tags, "qwen3-vl:latest").context_tokens == std::nullopt);
    CHECK(model_in(server_answers::ollama_ps, "qwen3-vl:latest").context_tokens == 4096);
    const auto shown = vlm::wire::decode_ollama_show(server_answers::ollama_show);
    REQUIRE(shown);
    CHECK(shown->images == Support::yes);
    CHECK(shown->tools == Support::yes);
    CHECK(shown->context_tokens == 16384); // the configured value, not 262144
}

TEST_CASE("server: a capability missing in Ollama's list means no") {
    const auto shown = vlm::wire::decode_ollama_show(R"({"capabilities":["completion"]})");
    REQUIRE(shown);
    CHECK(shown->images == Support::no);
    CHECK(shown->tools == Support::no);
}

TEST_CASE("server: without a list of capabilities, Ollama's model parts show them") {
    const auto shown = vlm::wire::decode_ollama_show(server_answers::ollama_show_2024);
    REQUIRE(shown);
    CHECK(shown->images == Support::yes);
    CHECK(shown->tools == Support::yes);
    const auto bare = vlm::wire::decode_ollama_show(R"({"details":{},"template":"x"})");
    REQUIRE(bare);
    CHECK(bare->images == Support::unknown);
    CHECK(bare->tools == Support::unknown);
}

TEST_CASE("server: an empty list of Ollama may be null") {
    CHECK(list_in(R"({"object":"list","data":null})").models.empty());
}

TEST_CASE("server: vLLM reports the context") {
    CHECK(list_in(server_answers::vllm_models).kind == ServerKind::vllm);
    CHECK(model_in(server_answers::vllm_models, "Qwen/Qwen3-VL-8B").context_tokens == 65536);
}

TEST_CASE("server: OpenRouter's list has all facts") {
    const ModelFacts seer = model_in(server_answers::openrouter_models, "qwen/qwen3-vl");
    CHECK(seer.images == Support::yes);
    CHECK(seer.tools == Support::yes);
    CHECK(seer.context_tokens == 131072);
    const ModelFacts writer = model_in(server_answers::openrouter_models, "some/writer");
    CHECK(writer.images == Support::no);
    CHECK(writer.tools == Support::no);
    CHECK(writer.context_tokens == 8000);
}

TEST_CASE("server: a version") {
    CHECK(vlm::wire::decode_version(R"({"version":"0.12.3"})") == "0.12.3");
    CHECK(vlm::wire::decode_version("{\"version\":\"1\\n2\\u001b[2J\"}") == "1 2 [2J");
    CHECK(vlm::wire::decode_version(R"({"version":")" + std::string(5000, 'x') + "\"}")->size() <
          200);
}

TEST_CASE("server: an unexpected answer gives nothing") {
    const auto body = GENERATE(
        as<std::string>{}, "", "null", "[]", "3", "\"data\"", "<html>404</html>", "{", "{}",
        R"json({"error":"Unexpected endpoint or method. (GET /props)"})json",
        R"({"error":{"message":"File Not Found","code":404}})",
        R"({"data":{},"models":3,"version":7,"default_generation_settings":[],"details":"x"})",
        std::string(100000, '['));
    CHECK_FALSE(vlm::wire::decode_model_list(body));
    CHECK_FALSE(vlm::wire::decode_llama_props(body));
    CHECK_FALSE(vlm::wire::decode_llama_slots(body));
    CHECK_FALSE(vlm::wire::decode_ollama_show(body));
    CHECK_FALSE(vlm::wire::decode_version(body));
}

TEST_CASE("server: an answer with an error is not a list") {
    CHECK_FALSE(vlm::wire::decode_model_list(R"({"error":"no","data":[]})"));
}

TEST_CASE("server: members of the wrong type are unknown") {
    const ModelList list = list_in(
        R"({"models":"x","data":[7,null,[],{"id":3},{"id":""},{},
            {"id":"m","aliases":"x","owned_by":5,"meta":[],"status":"loaded","architecture":7,
             "supported_parameters":{"tools":true},"max_model_len":"4096","context_length":[1],
             "state":1,"type":2},
            {"id":"n","aliases":[1,"other"],"meta":{"n_ctx":"x"},"status":{"value":1},
             "architecture":{"input_modalities":"image"},"capabilities":[3]}]})");
    CHECK(list.kind == ServerKind::unknown);
    REQUIRE(list.models.size() == 2);
    for (const ModelFacts& model : list.models) {
        CHECK(model.images == Support::unknown);
        CHECK(model.tools == Support::unknown);
        CHECK_FALSE(model.context_tokens);
        CHECK_FALSE(model.loaded);
    }
    CHECK(list.models[1].is_called("other"));

    const ModelFacts studio = model_in(
        R"({"models":[{"key":"k","loaded_instances":[1,{"id":2,"config":[]},{"config":{"context_length":{}}}],
            "capabilities":{"vision":"yes","trained_for_tool_use":1}}]})",
        "k");
    CHECK(studio.loaded == true);
    CHECK(studio.images == Support::unknown);
    CHECK(studio.tools == Support::unknown);
    CHECK_FALSE(studio.context_tokens);

    const auto shown = vlm::wire::decode_ollama_show(
        R"({"capabilities":[1,{}],"parameters":"num_ctx many\nnum_ctx\nnum_ctx 99999999999"})");
    CHECK_FALSE(shown.value().context_tokens);
}

TEST_CASE("server: an impossible context length is unknown") {
    const auto number =
        GENERATE(as<std::string>{}, "0", "-1", "1e999", "-1e999", "1e10", "0.5", "4096.5",
                 "2147483648", "18446744073709551615", "99999999999999999999999999", "true");
    const ModelFacts model =
        model_in(R"({"data":[{"id":"m","max_model_len":)" + number + "}]}", "m");
    CHECK_FALSE(model.context_tokens);
}

TEST_CASE("server: a very long list is cut off, and a very long name is dropped") {
    std::string body = R"({"data":[{"id":")" + std::string(5000, 'x') + R"("})";
    for (int i = 0; i < 6000; ++i) body += R"(,{"id":"m)" + std::to_string(i) + R"("})";
    const ModelList list = list_in(body + "]}");
    CHECK(list.models.size() == 5000);
    CHECK(list.models[0].id == "m0");
}

TEST_CASE("server: refusals of images are recognized") {
    CHECK(vlm::wire::refuses_images(
        refusal(500, "image input is not supported - hint: if this is unexpected, you may need to "
                     "provide the mmproj")));
    CHECK(vlm::wire::refuses_images(refusal(400, "m is not a multimodal model")));
    CHECK(vlm::wire::refuses_images(refusal(404, "No endpoints found that support image input")));
    CHECK(vlm::wire::refuses_images(refusal(400, "messages[0].content must be a string")));
    CHECK(vlm::wire::refuses_images(refusal(400, "unknown variant `image_url`, expected `text`")));
    CHECK(vlm::wire::refuses_images(refusal(501, "", errc::not_supported)));

    CHECK_FALSE(vlm::wire::refuses_images(refusal(400, "cannot decode the image")));
    CHECK_FALSE(vlm::wire::refuses_images(refusal(404, "no such model")));
    CHECK_FALSE(vlm::wire::refuses_images(refusal(429, "image input is not supported right now")));
    CHECK_FALSE(vlm::wire::refuses_images(Error(errc::timeout, "image not supported")));
}

TEST_CASE("server: refusals of tools are recognized") {
    CHECK(vlm::wire::refuses_tools(refusal(400, "m does not support tools", errc::not_supported)));
    CHECK(vlm::wire::refuses_tools(refusal(404, "No endpoints found that support tool use")));
    CHECK(vlm::wire::refuses_tools(refusal(422, "Function calling is not available here")));

    CHECK_FALSE(vlm::wire::refuses_tools(refusal(400, "tool_choice \"required\" not supported")));
    CHECK_FALSE(vlm::wire::refuses_tools(refusal(400, "temperature 0 is not supported")));
    CHECK_FALSE(vlm::wire::refuses_tools(refusal(500, "the tool's schema has no type")));
}
