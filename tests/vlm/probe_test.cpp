#include "eyehand/vlm/probe.hpp"

#include "catch_error.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "llama_server.hpp"
#include "server_answers.hpp"
#include "soon.hpp"

#include <boost/json.hpp>

#include <atomic>
#include <future>
#include <map>

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::errc;
using vlm::ServerInfo;
using vlm::ServerKind;
using vlm::Support;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

Answer answer_of(std::string_view body, int status = 200) {
    Answer answer;
    answer.body = body;
    answer.status = status;
    return answer;
}

Answer not_there() { return answer_of("<html>404 Not Found</html>", 404); }

/// A server that gives these answers in order.
struct ProbeStage {
    ChatServer server;

    explicit ProbeStage(const std::vector<Answer>& answers) {
        for (const Answer& answer : answers) server.enqueue(answer);
    }
    explicit ProbeStage(std::initializer_list<std::string_view> bodies) {
        for (const std::string_view body : bodies) server.enqueue(answer_of(body));
    }
    [[nodiscard]] vlm::ClientOptions client() const {
        return {.endpoint = server.url(), .api_key = key_};
    }
    [[nodiscard]] ServerInfo probe(const std::string& model = {},
                                   const vlm::ProbeOptions& options = {}) const {
        return vlm::probe(client(), model, options);
    }
    [[nodiscard]] std::vector<std::string> targets() const {
        std::vector<std::string> targets;
        for (const auto& request : server.requests()) targets.push_back(request.target);
        return targets;
    }

private:
    inline static std::atomic<int> stages_ = 0;

    // Results are cached for a key, and an earlier stage may have had this port.
    std::string key_ = "stage-" + std::to_string(++stages_);
};

using Targets = std::vector<std::string>;

bool any_mentions(const std::vector<std::string>& notes, const std::string& words) {
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
        return note.find(words) != std::string::npos;
    });
}

} // namespace

// --- Each kind -----------------------------------------------------------------------------------

TEST_CASE("probe: llama-server needs two queries") {
    const ProbeStage stage({llama_server::models, server_answers::llama_props});
    const ServerInfo server = stage.probe("tiny-vl");
    CHECK(server.kind == ServerKind::llama_server);
    CHECK(server.version == "b10587-3f545becc");
    CHECK(server.model.id == "tiny-vl");
    CHECK(server.model.loaded);
    CHECK(server.model.context_tokens == 16384);
    CHECK(server.model.images == Support::yes);
    CHECK(server.model.tools == Support::yes);
    REQUIRE(server.models.size() == 1);
    CHECK(server.models[0].tools == Support::yes);
    CHECK(server.notes.empty());
    CHECK(stage.targets() == Targets{"/v1/models", "/props"});
    CHECK(stage.server.connections() == 1);
}

TEST_CASE("probe: llama-server is also recognized by its header") {
    Answer models = answer_of(server_answers::plain_models);
    models.headers["Server"] = "llama.cpp";
    const ProbeStage stage({models, answer_of(server_answers::llama_props)});
    CHECK(stage.probe().kind == ServerKind::llama_server);
}

TEST_CASE("probe: llama-server with one model accepts any name, and a note says so") {
    const ProbeStage stage({llama_server::models, server_answers::llama_props});
    const ServerInfo server = stage.probe("qwen3-vl");
    CHECK(server.model.id == "tiny-vl");
    CHECK(any_mentions(server.notes, "\"qwen3-vl\""));
}

TEST_CASE("probe: a llama-server router is asked about the model without loading it") {
    const ProbeStage loaded({server_answers::llama_router, server_answers::llama_props});
    CHECK(loaded.probe("org/seer:Q4").model.images == Support::yes);
    CHECK(loaded.targets().at(1) == "/props?model=org%2Fseer%3AQ4&autoload=false");

    const ProbeStage unloaded({server_answers::llama_router});
    const ServerInfo server = unloaded.probe("org/reader:Q8");
    CHECK_FALSE(server.model.loaded);
    CHECK(unloaded.targets() == Targets{"/v1/models"});
    CHECK(any_mentions(server.notes, "it is not loaded"));

    const ProbeStage missing({server_answers::llama_router});
    CHECK(missing.probe("tiny-vl").model.id.empty());
}

TEST_CASE("probe: LM Studio needs two queries") {
    const ProbeStage stage(
        {server_answers::lm_studio_models, server_answers::lm_studio_own_models});
    const ServerInfo server = stage.probe("qwen/qwen3-vl-4b");
    CHECK(server.kind == ServerKind::lm_studio);
    CHECK(server.model.loaded);
    CHECK(server.model.context_tokens == 32768);
    CHECK(server.model.images == Support::yes);
    CHECK(server.model.tools == Support::yes);
    CHECK(server.models.size() == 2); // without the embedding model
    CHECK(server.notes.empty());
    CHECK(stage.targets() == Targets{"/v1/models", "/api/v1/models"});
}

TEST_CASE("probe: without a name, LM Studio's loaded model is chosen") {
    const ProbeStage stage(
        {server_answers::lm_studio_models, server_answers::lm_studio_own_models});
    CHECK(stage.probe().model.id == "qwen/qwen3-vl-4b");
}

TEST_CASE("probe: without a name and without a loaded model, no model is chosen") {
    const ProbeStage stage({R"({"data":[{"id":"a","owned_by":"organization_owner"},
                                   {"id":"b","owned_by":"organization_owner"}]})",
                            R"({"models":[{"key":"a","loaded_instances":[]},
                                     {"key":"b","loaded_instances":[]}]})"});
    const ServerInfo server = stage.probe();
    CHECK(server.model.id.empty());
    CHECK(any_mentions(server.notes, "no model is loaded"));
}

TEST_CASE("probe: models that LM Studio's /v1/models does not list are left out") {
    const ProbeStage stage({R"({"data":[{"id":"a","owned_by":"organization_owner"}]})",
                            server_answers::lm_studio_own_models});
    const ServerInfo server = stage.probe("qwen/qwen3-vl-4b");
    CHECK(server.model.id.empty());
    CHECK(server.models.size() == 1);
}

TEST_CASE("probe: an older LM Studio is queried at its older path") {
    const ProbeStage stage({R"({"data":[{"id":"qwen2-vl-7b","owned_by":"organization_owner"}]})",
                            server_answers::lm_studio_unknown_path,
                            server_answers::lm_studio_v0_models});
    const ServerInfo server = stage.probe();
    CHECK(server.model.images == Support::yes);
    CHECK(server.model.context_tokens == 8192);
    CHECK(server.notes.empty());
    CHECK(stage.targets() == Targets{"/v1/models", "/api/v1/models", "/api/v0/models"});
}

TEST_CASE("probe: Ollama is queried for running models, its version and the model") {
    const ProbeStage stage({server_answers::ollama_models, server_answers::ollama_ps,
                            R"({"version":"0.12.3"})", server_answers::ollama_show});
    const ServerInfo server = stage.probe("qwen3-vl");
    CHECK(server.kind == ServerKind::ollama);
    CHECK(server.version == "0.12.3");
    CHECK(server.model.id == "qwen3-vl:latest");
    CHECK(server.model.loaded);
    CHECK(server.model.context_tokens == 4096); // of the loaded instance
    CHECK(server.model.images == Support::yes);
    CHECK(server.model.tools == Support::yes);
    CHECK_FALSE(server.models.at(0).loaded);
    CHECK(stage.targets() == Targets{"/v1/models", "/api/ps", "/api/version", "/api/show"});
    const auto show = stage.server.requests().at(3);
    CHECK(show.method == "POST");
    CHECK(show.body == R"({"model":"qwen3-vl:latest"})");
}

TEST_CASE("probe: vLLM reports the context, but no capabilities") {
    const ProbeStage stage({server_answers::vllm_models, R"({"version":"0.11.0"})"});
    const ServerInfo server = stage.probe();
    CHECK(server.kind == ServerKind::vllm);
    CHECK(server.version == "0.11.0");
    CHECK(server.model.context_tokens == 65536);
    CHECK(server.model.images == Support::unknown);
    CHECK(any_mentions(server.notes, "whether it accepts images, whether it calls tools"));
    CHECK(stage.targets() == Targets{"/v1/models", "/version"});
}

TEST_CASE("probe: a list like OpenRouter's has all facts") {
    const ProbeStage stage({answer_of(server_answers::openrouter_models), not_there(), not_there(),
                            not_there(), not_there()});
    const ServerInfo server = stage.probe("some/writer");
    CHECK(server.model.images == Support::no);
    CHECK(server.model.tools == Support::no);
    CHECK(server.model.context_tokens == 8000);
}

TEST_CASE("probe: services are recognized by their host names without further queries") {
    struct Row {
        const char* host;
        ServerKind kind;
        const char* wanted;
        const char* id;
    };
    const Row row =
        GENERATE(Row{"api.openai.com", ServerKind::openai, "gpt-x", "gpt-x"},
                 Row{"openrouter.ai", ServerKind::openrouter, "gpt-x", "gpt-x"},
                 Row{"generativelanguage.googleapis.com", ServerKind::gemini, "gem", "models/gem"});
    // As a proxy, the test's server answers for every host.
    const ProbeStage stage(
        {R"({"data":[{"id":"gpt-x","owned_by":"system"},{"id":"models/gem"}]})"});
    const std::string endpoint = std::string("http://") + row.host + "/v1";
    const ServerInfo server =
        vlm::probe({.endpoint = endpoint, .proxies = {.http = stage.server.url()}}, row.wanted);
    CHECK(server.kind == row.kind);
    CHECK(server.model.id == row.id);
    CHECK(stage.targets() == Targets{endpoint + "/models"});
}

// --- Unknown servers -----------------------------------------------------------------------------

TEST_CASE("probe: an unknown server gets the queries of each kind in turn") {
    const ProbeStage stage({answer_of(server_answers::plain_models), not_there(), not_there(),
                            not_there(), not_there()});
    const ServerInfo server = stage.probe("m");
    CHECK(server.kind == ServerKind::unknown);
    CHECK(server.model.id == "m");
    CHECK(server.model.loaded);
    CHECK(any_mentions(server.notes, "the kind of the server is unknown"));
    CHECK(any_mentions(server.notes, "whether it accepts images"));
    CHECK(stage.targets() ==
          Targets{"/v1/models", "/api/v1/models", "/api/version", "/props", "/version"});
}

TEST_CASE("probe: the first answered query determines the kind and is not repeated") {
    const Answer models = answer_of(server_answers::plain_models);
    SECTION("LM Studio") {
        const ProbeStage stage({models, answer_of(server_answers::lm_studio_own_models)});
        CHECK(stage.probe("m").kind == ServerKind::lm_studio);
        CHECK(stage.targets().size() == 2);
    }
    SECTION("Ollama") {
        const ProbeStage stage({models, not_there(), answer_of(R"({"version":"0.1"})"),
                                answer_of(R"({"models":[]})"),
                                answer_of(server_answers::ollama_show)});
        const ServerInfo server = stage.probe("m");
        CHECK(server.kind == ServerKind::ollama);
        CHECK(server.version == "0.1");
        CHECK_FALSE(server.model.loaded);
        CHECK(server.model.context_tokens == 16384);
        CHECK(stage.targets() ==
              Targets{"/v1/models", "/api/v1/models", "/api/version", "/api/ps", "/api/show"});
    }
    SECTION("llama-server") {
        const ProbeStage stage(
            {models, not_there(), not_there(), answer_of(server_answers::llama_props)});
        CHECK(stage.probe("m").model.tools == Support::yes);
        CHECK(stage.targets().size() == 4);
    }
    SECTION("vLLM") {
        const ProbeStage stage(
            {models, not_there(), not_there(), not_there(), answer_of(R"({"version":"0.9"})")});
        CHECK(stage.probe("m").kind == ServerKind::vllm);
        CHECK(stage.targets().size() == 5);
    }
}

TEST_CASE("probe: a server's own paths are next to its /v1") {
    const ProbeStage stage({llama_server::models, server_answers::llama_props});
    const auto own_target = [&](const std::string& path) {
        (void)vlm::probe({.endpoint = stage.server.url() + path}, "tiny-vl",
                         {.bypass_cache = true});
        return stage.targets().back();
    };
    CHECK(own_target("/llm/v1?user=me") == "/llm/props?user=me");
}

TEST_CASE("probe: LM Studio's /api/v0 may be the endpoint") {
    const ProbeStage stage(
        {server_answers::lm_studio_v0_models, server_answers::lm_studio_own_models});
    const ServerInfo server = vlm::probe({.endpoint = stage.server.url() + "/api/v0"},
                                         "qwen2-vl-7b", {.bypass_cache = true});
    CHECK(server.kind == ServerKind::lm_studio);
    CHECK(server.model.context_tokens == 8192);
    CHECK(stage.targets() == Targets{"/api/v0/models", "/api/v1/models"});
}

TEST_CASE("probe: an Ollama without /v1/models is queried for its own list") {
    const ProbeStage stage({not_there(), not_there(), answer_of(R"({"version":"0.1"})"),
                            answer_of(server_answers::ollama_tags), answer_of(R"({"models":[]})"),
                            answer_of(server_answers::ollama_show)});
    const ServerInfo server = stage.probe("qwen3-vl");
    CHECK(server.model.id == "qwen3-vl:latest");
    CHECK(any_mentions(server.notes, "/v1/models answered with status 404"));
}

// --- Failures ------------------------------------------------------------------------------------

TEST_CASE("probe: a failed query leaves facts unknown, with a note") {
    const auto [answer, words] = GENERATE(table<Answer, std::string>(
        {{not_there(), "/props answered with status 404"},
         {answer_of("<html>hello</html>"), "/props gave an unexpected answer"},
         {answer_of("{\"default_generation_settings\":"), "/props gave an unexpected answer"},
         {answer_of("[[[[]]]]"), "/props gave an unexpected answer"},
         {answer_of("no", 401), "/props answered with status 401"}}));
    const ProbeStage stage({answer_of(llama_server::models), answer});
    const ServerInfo server = stage.probe("tiny-vl");
    CHECK(server.model.images == Support::yes); // known from the list
    CHECK(server.model.tools == Support::unknown);
    CHECK(server.version.empty());
    CHECK(any_mentions(server.notes, words));
}

TEST_CASE("probe: a query that times out leaves facts unknown and does not end the probe") {
    Answer silent;
    silent.never = true;
    const ProbeStage stage({answer_of(server_answers::plain_models), silent});
    const ServerInfo server = stage.probe("m", {.timeout = 1s});
    CHECK(server.kind == ServerKind::unknown);
    CHECK(any_mentions(server.notes, "within 1000 ms"));
    CHECK(stage.targets().size() == 2); // no further query after one without an answer
}

TEST_CASE(
    "probe: a limit for all questions leaves the later ones unanswered, and keeps the first") {
    Answer silent;
    silent.never = true;
    const ProbeStage stage({answer_of(server_answers::plain_models), silent, silent, silent});
    const ServerInfo server = stage.probe("m", {.timeout = 60s, .total_timeout = 1s});
    CHECK(server.model.id == "m");
    CHECK(server.kind == ServerKind::unknown);
    CHECK_FALSE(server.notes.empty());
}

TEST_CASE("probe: a server without an answer within the total timeout is an error") {
    Answer silent;
    silent.never = true;
    const ProbeStage stage({silent});
    try {
        (void)stage.probe("m", {.timeout = 60s, .total_timeout = 1s});
        FAIL("it answered");
    } catch (const vlm::Error& error) {
        CHECK(error.code() == errc::timeout);
    }
}

TEST_CASE("probe: an empty list is an answer") {
    const ProbeStage stage({answer_of(R"({"object":"list","data":[]})"), not_there(), not_there(),
                            not_there(), not_there()});
    const ServerInfo server = stage.probe("m");
    CHECK(server.models.empty());
    CHECK(server.model.id.empty());
}

TEST_CASE("probe: a server without a list is an error, that of the first query") {
    const auto [answer, code] = GENERATE(table<Answer, errc>(
        {{not_there(), errc::not_found},
         {answer_of("<html>hello</html>"), errc::bad_response},
         {answer_of(std::string(100000, '[')), errc::bad_response},
         {answer_of(R"({"data":7})"), errc::bad_response},
         {answer_of(R"({"error":"Unexpected endpoint or method."})"), errc::server_error},
         {answer_of("{}", 500), errc::http_status}}));
    const ProbeStage stage({answer, not_there(), not_there(), not_there(), not_there()});
    const vlm::Error error = error_of([&] { (void)stage.probe("m"); });
    CHECK(error.code() == code);
    CHECK(mentions(error, "/v1/models"));
}

TEST_CASE("probe: a failure that would affect every query ends the probe at once") {
    const auto [answer, code] = GENERATE(table<Answer, errc>(
        {{answer_of(llama_server::invalid_key, 401), errc::unauthorized},
         {answer_of(llama_server::loading, 503), errc::overloaded},
         {Answer{.raw = "SSH-2.0-OpenSSH\r\n\r\n", .close = true}, errc::bad_response}}));
    const ProbeStage stage({answer});
    CHECK(error_of([&] { (void)stage.probe("m"); }).code() == code);
    CHECK(stage.targets().size() == 1);
    CHECK(error_of([] { (void)vlm::probe({.endpoint = "http://127.0.0.1:1"}); }).code() ==
          errc::unreachable);
    CHECK(error_of([] { (void)vlm::probe({.endpoint = "nonsense"}); }).code() == errc::bad_url);
}

TEST_CASE("probe: a stop request ends the probe") {
    Answer silent;
    silent.never = true;
    const bool in_the_first = GENERATE(true, false);
    const ProbeStage stage(in_the_first
                               ? std::vector<Answer>{silent}
                               : std::vector<Answer>{answer_of(llama_server::models), silent});
    std::stop_source stop;
    auto probing = std::async(std::launch::async, [&] {
        return error_of([&] {
                   (void)vlm::probe(stage.client(), "m", {.bypass_cache = true}, stop.get_token());
               })
            .code();
    });
    REQUIRE(stage.server.wait_for_requests(in_the_first ? 1 : 2, soon));
    stop.request_stop();
    CHECK(probing.get() == errc::cancelled);
}

TEST_CASE("probe: the key is sent to the server, but not to notes, logs and errors") {
    const std::string key = "sk-0123456789";
    const ProbeStage stage({answer_of(llama_server::models), answer_of("wrong: " + key, 400)});
    vlm::ClientOptions client = stage.client();
    client.api_key = key;
    std::string logged;
    std::vector<int> statuses;
    client.on_exchange = [&](const vlm::Exchange& exchange) {
        logged += exchange.url + exchange.request_body + exchange.response_body;
        statuses.push_back(exchange.status);
    };
    const ServerInfo server = vlm::probe(client, "tiny-vl", {.bypass_cache = true});
    for (const auto& request : stage.server.requests())
        CHECK(request.headers.at("authorization") == "Bearer " + key);
    CHECK_FALSE(any_mentions(server.notes, key));
    CHECK(any_mentions(server.notes, "wrong:"));
    CHECK_THAT(logged, !ContainsSubstring(key));
    CHECK(statuses == std::vector<int>{200, 400});
}

TEST_CASE("probe: a redirection does not send the key to another server") {
    const ProbeStage other({server_answers::llama_props});
    Answer elsewhere = answer_of("", 307);
    elsewhere.headers["Location"] = other.server.url() + "/props";
    const ProbeStage stage({answer_of(llama_server::models), elsewhere});
    const ServerInfo server = stage.probe("tiny-vl");
    CHECK(any_mentions(server.notes, "is not followed"));
    CHECK(other.server.requests().empty());
}

// --- Active tests --------------------------------------------------------------------------------

namespace {

/// A server of an unknown kind, with the answers to the active tests.
ProbeStage tried(const std::vector<Answer>& answers) {
    std::vector<Answer> all{answer_of(server_answers::plain_models), not_there(), not_there(),
                            not_there(), not_there()};
    all.insert(all.end(), answers.begin(), answers.end());
    return ProbeStage(all);
}

boost::json::object request_body(const ProbeStage& stage, std::size_t index) {
    return boost::json::parse(stage.server.requests().at(index).body).as_object();
}

} // namespace

TEST_CASE("probe: unknown capabilities are tested with one image and one tool") {
    const ProbeStage stage =
        tried({answer_of(completion("red")), answer_of(completion("", "ready"))});
    const ServerInfo server = stage.probe("m", {.active = true});
    CHECK(server.model.images == Support::yes);
    CHECK(server.model.tools == Support::yes);
    REQUIRE(stage.targets().size() == 7);
    const boost::json::object request = request_body(stage, 5);
    CHECK(request.at("model") == "m");
    CHECK(request.at("max_tokens").to_number<int>() <= 64);
    CHECK_THAT(stage.server.requests().at(5).body,
               ContainsSubstring("data:image/png;base64,iVBOR"));
    const boost::json::object tool = request_body(stage, 6);
    CHECK(tool.at("tool_choice") == "required");
    CHECK(tool.at("tools").as_array().size() == 1);
    CHECK(tool.at("max_tokens").to_number<int>() <= 64);
}

TEST_CASE("probe: known capabilities are not tested") {
    const ProbeStage stage({llama_server::models, server_answers::llama_props});
    CHECK(stage.probe("tiny-vl", {.active = true}).model.images == Support::yes);
    CHECK(stage.targets().size() == 2);
}

TEST_CASE("probe: a refusal of the image or the tool means no") {
    const Answer no_tools = answer_of(R"({"error":{"message":"m does not support tools"}})", 400);
    SECTION("also if the client then describes the tool as text") {
        const ProbeStage stage = tried({answer_of(llama_server::no_mmproj, 500), no_tools,
                                        answer_of(completion("", "ready"))});
        const ServerInfo server = stage.probe("m", {.active = true});
        CHECK(server.model.images == Support::no);
        CHECK(server.model.tools == Support::no);
        CHECK(stage.targets().size() == 8);
    }
    SECTION("and if that fails, too") {
        const ProbeStage stage = tried({answer_of(completion("red")), no_tools});
        CHECK(stage.probe("m", {.active = true}).model.tools == Support::no);
    }
    SECTION("in any wording") {
        const ProbeStage stage = tried({answer_of(completion("red")),
                                        answer_of(R"({"detail":"tool use is not enabled"})", 400)});
        CHECK(stage.probe("m", {.active = true}).model.tools == Support::no);
        CHECK(stage.targets().size() == 7); // no request was repeated
    }
}

TEST_CASE("probe: text in place of a required call means no tool calling") {
    const ProbeStage stage =
        tried({answer_of(completion("red")), answer_of(completion("I am ready."))});
    CHECK(stage.probe("m", {.active = true}).model.tools == Support::no);
}

TEST_CASE("probe: if thinking uses up the tokens, tool calling stays unknown") {
    const ProbeStage stage = tried({answer_of(completion("red")), answer_of(llama_server::length)});
    const ServerInfo server = stage.probe("m", {.active = true});
    CHECK(server.model.tools == Support::unknown);
    CHECK(any_mentions(server.notes, "used up its tokens"));
}

TEST_CASE("probe: if vLLM's model chooses text, tool calling stays unknown") {
    const ProbeStage stage({answer_of(server_answers::vllm_models), answer_of(R"({"version":"1"})"),
                            answer_of(completion("red")), answer_of(completion("I am ready."))});
    const ServerInfo server = stage.probe({}, {.active = true});
    CHECK(server.model.tools == Support::unknown);
    CHECK(any_mentions(server.notes, "answered with text"));
}

TEST_CASE("probe: a call that was cut off counts as a call") {
    const ProbeStage stage =
        tried({answer_of(completion("red")), answer_of(llama_server::cut_call)});
    CHECK(stage.probe("m", {.active = true}).model.tools == Support::yes);
}

TEST_CASE("probe: if a test fails for another reason, the capability stays unknown") {
    const ProbeStage stage = tried({answer_of("{}", 400), answer_of("{}", 400)});
    const ServerInfo server = stage.probe("m", {.active = true});
    CHECK(server.model.images == Support::unknown);
    CHECK(server.model.tools == Support::unknown);
    CHECK(any_mentions(server.notes, "whether the model accepts images could not be tested"));
    CHECK(any_mentions(server.notes, "whether the model calls tools could not be tested"));
}

TEST_CASE("probe: vLLM is tested with a call of the model's choice, as in an agent's requests") {
    const ProbeStage stage({answer_of(server_answers::vllm_models), answer_of(R"({"version":"1"})"),
                            answer_of(completion("red")),
                            answer_of(R"({"error":{"message":"\"auto\" tool choice requires )"
                                      R"(--enable-auto-tool-choice and --tool-call-parser"}})",
                                      400)});
    const ServerInfo server = stage.probe({}, {.active = true});
    CHECK(request_body(stage, 3).at("tool_choice") == "auto");
    CHECK(server.model.tools == Support::no);
}

// --- Cache ---------------------------------------------------------------------------------------

TEST_CASE("probe: the result is cached for the endpoint, key and model") {
    const ProbeStage stage({llama_server::models, server_answers::llama_props, llama_server::models,
                            server_answers::llama_props, llama_server::models,
                            server_answers::llama_props});
    const ServerInfo first = stage.probe("tiny-vl");
    CHECK(stage.probe("tiny-vl").model.context_tokens == first.model.context_tokens);
    vlm::ClientOptions same_endpoint = stage.client();
    same_endpoint.endpoint += "/v1";
    CHECK(vlm::probe(same_endpoint, "tiny-vl").version == first.version);
    CHECK(stage.targets().size() == 2);

    (void)stage.probe(); // an empty name has its own result
    CHECK(stage.targets().size() == 4);
    vlm::ClientOptions other_key = stage.client();
    other_key.api_key += "-another";
    (void)vlm::probe(other_key, "tiny-vl");
    CHECK(stage.targets().size() == 6);
}

TEST_CASE("probe: bypass_cache renews the cached result") {
    std::string other_props(server_answers::llama_props);
    other_props.replace(other_props.find("16384"), 5, "24576");
    const ProbeStage stage(
        {llama_server::models, server_answers::llama_props, llama_server::models, other_props});
    CHECK(stage.probe("tiny-vl").model.context_tokens == 16384);
    CHECK(stage.probe("tiny-vl", {.bypass_cache = true}).model.context_tokens == 24576);
    CHECK(stage.probe("tiny-vl").model.context_tokens == 24576);
}

TEST_CASE("probe: an active probe does not use the incomplete result of a passive one") {
    const ProbeStage stage({answer_of(server_answers::vllm_models), answer_of(R"({"version":"1"})"),
                            answer_of(server_answers::vllm_models), answer_of(R"({"version":"1"})"),
                            answer_of(completion("red")), answer_of(completion("", "ready"))});
    CHECK(stage.probe().model.images == Support::unknown);
    CHECK(stage.probe({}, {.active = true}).model.images == Support::yes);
    CHECK(stage.probe({}, {.active = true}).model.images == Support::yes);
    CHECK(stage.probe().model.images == Support::yes);
    CHECK(stage.targets().size() == 6);
}

TEST_CASE("probe: results for a missing or unloaded model, or after a lost query, are not cached") {
    SECTION("missing") {
        const ProbeStage stage(
            {server_answers::llama_router, llama_server::models, server_answers::llama_props});
        CHECK(stage.probe("tiny-vl").model.id.empty());
        CHECK(stage.probe("tiny-vl").model.id == "tiny-vl");
    }
    SECTION("not loaded") {
        const ProbeStage stage(
            {server_answers::lm_studio_models, server_answers::lm_studio_own_models,
             server_answers::lm_studio_models, server_answers::lm_studio_own_models});
        CHECK_FALSE(stage.probe("google/gemma-3-4b").model.loaded);
        CHECK_FALSE(stage.probe("google/gemma-3-4b").model.loaded);
        CHECK(stage.targets().size() == 4);
    }
    SECTION("lost") {
        const ProbeStage stage({answer_of(llama_server::models), answer_of("{}", 503),
                                answer_of(llama_server::models),
                                answer_of(server_answers::llama_props)});
        CHECK(stage.probe("tiny-vl").model.tools == Support::unknown);
        CHECK(stage.probe("tiny-vl").model.tools == Support::yes);
    }
}

TEST_CASE("probe: several threads may probe at once") {
    const ProbeStage stage({llama_server::models, server_answers::llama_props});
    (void)stage.probe("tiny-vl");
    const ProbeStage fresh(std::vector<Answer>(16, answer_of(server_answers::openrouter_models)));
    std::vector<std::future<ServerInfo>> probes;
    for (int i = 0; i < 8; ++i)
        probes.push_back(std::async(std::launch::async, [&, i] {
            return i % 2 ? stage.probe("tiny-vl") : fresh.probe("some/writer");
        }));
    for (auto& probe : probes) CHECK_FALSE(probe.get().model.id.empty());
    CHECK(stage.targets().size() == 2);
}

// --- Use of the result ---------------------------------------------------------------------------

TEST_CASE(
    "probe: apply_capabilities adapts a client to a model without tools, and keeps its quirks") {
    ServerInfo server;
    server.kind = ServerKind::llama_server;
    CHECK_FALSE(vlm::apply_capabilities({}, server).quirks->tools_as_text);
    server.model.tools = Support::no;
    vlm::ClientOptions client;
    client.quirks = vlm::Quirks{.answer_before_user = true};
    const vlm::ClientOptions apply_capabilities = vlm::apply_capabilities(client, server);
    CHECK(apply_capabilities.quirks->tools_as_text);
    CHECK(apply_capabilities.quirks->answer_before_user);
    CHECK_FALSE(apply_capabilities.quirks->max_completion_tokens);
    server.model.tools = Support::yes;
    client.quirks->tools_as_text = true;
    CHECK(vlm::apply_capabilities(client, server).quirks->tools_as_text);
}

TEST_CASE("probe: apply_capabilities uses the kind of the server besides the host name") {
    ServerInfo server;
    server.kind = ServerKind::openai;
    CHECK(vlm::apply_capabilities({}, server).quirks->max_completion_tokens);
    CHECK(vlm::apply_capabilities({}, server).quirks->standard_fields_only);
    server.kind = ServerKind::gemini;
    CHECK(vlm::apply_capabilities({}, server).quirks->standard_fields_only);
    CHECK_FALSE(vlm::apply_capabilities({}, server).quirks->max_completion_tokens);
    const vlm::ClientOptions client{.endpoint = "https://api.openai.com/v1"};
    CHECK(vlm::apply_capabilities(client, {}).quirks->max_completion_tokens ==
          vlm::quirks_of(client.endpoint).max_completion_tokens);
}

TEST_CASE("probe: apply_capabilities sets the form of reasoning options") {
    using vlm::ReasoningForm;
    struct Row {
        ServerKind kind;
        ReasoningForm form;
    };
    const Row row = GENERATE(Row{ServerKind::llama_server, ReasoningForm::llama_server},
                             Row{ServerKind::vllm, ReasoningForm::vllm},
                             Row{ServerKind::openrouter, ReasoningForm::openrouter},
                             Row{ServerKind::gemini, ReasoningForm::gemini},
                             Row{ServerKind::lm_studio, ReasoningForm::standard},
                             Row{ServerKind::unknown, ReasoningForm::standard});
    ServerInfo server;
    server.kind = row.kind;
    CHECK(vlm::apply_capabilities({}, server).quirks->reasoning == row.form);
    const vlm::ClientOptions chosen{.quirks = vlm::Quirks{.reasoning = ReasoningForm::openrouter}};
    CHECK(vlm::apply_capabilities(chosen, server).quirks->reasoning == ReasoningForm::openrouter);
}

TEST_CASE("probe: the tokens of an image for a Qwen3-VL model") {
    CHECK(vlm::qwen3_image_tokens(1536, 864) == 1298);
    CHECK(vlm::qwen3_image_tokens(1280, 720) == 882);   // 22.5 rows are rounded to 22
    CHECK(vlm::qwen3_image_tokens(1920, 1080) == 2042); // 33.75 rows are rounded to 34
    CHECK(vlm::qwen3_image_tokens(1, 1) == 3);
    CHECK(vlm::qwen3_image_tokens(2147483647, 2147483647) == 2147483647);
    CHECK_THROWS_AS(vlm::qwen3_image_tokens(0, 5), std::invalid_argument);
}

TEST_CASE("probe: every kind has a name") {
    std::map<std::string_view, ServerKind> names;
    for (int kind = 0; kind <= static_cast<int>(ServerKind::gemini); ++kind)
        names.emplace(vlm::to_string(static_cast<ServerKind>(kind)), static_cast<ServerKind>(kind));
    CHECK(names.size() == 8);
    CHECK(names.at("LM Studio") == ServerKind::lm_studio);
    CHECK(names.at("unknown server") == ServerKind::unknown);
}
