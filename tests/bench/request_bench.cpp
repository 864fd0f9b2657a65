// request/encode/METHOD, stream/1000_deltas/METHOD, request/latency/METHOD: the overhead of libvlm
// in addition to the time of the model.
#include "allocations.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "wire/assemble_reply.hpp"
#include "wire/encode_request.hpp"
#include "wire/sse.hpp"

#include <boost/beast/core/detail/base64.hpp>
#include <boost/json.hpp>

#include <benchmark/benchmark.h>
#ifdef EYEHAND_CURL
#include <curl/curl.h>
#endif

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace eyehand;

namespace {

namespace json = boost::json;

// --- A conversation of 30 turns -------------------------------------------------------------------------

constexpr int turns = 30;
constexpr int images_kept = 8;
constexpr std::size_t image_bytes = 300000;

std::vector<std::uint8_t> random_bytes(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(count);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

std::string words(std::size_t length) {
    std::string text;
    while (text.size() < length)
        text += "The dialog \"Save as\" is open; its button is at the lower right.\n";
    return text.substr(0, length);
}

vlm::ChatRequest conversation() {
    vlm::ChatRequest request;
    request.messages = {vlm::Message::system(words(6000)), vlm::Message::user(words(300))};
    for (int i = 0; i < 15; ++i)
        request.tools.push_back(
            {"tool_" + std::to_string(i), words(200),
             R"({"type":"object","properties":{"label":{"type":"string","description":"what it is"},)"
             R"("box":{"type":"array","items":{"type":"number"}}},"required":["label"]})"});
    for (int i = 0; i < turns; ++i) {
        const std::string id = "call_" + std::to_string(i);
        request.messages.push_back(vlm::Message::assistant(
            words(400), {{id, "tool_1", R"({"label":"OK","box":[480,510,520,530]})", {}}}));
        request.messages.push_back(vlm::Message::tool(id, words(200)));
        if (i < turns - images_kept)
            request.messages.push_back(vlm::Message::user("[a screenshot that is left out]"));
        else
            request.messages.push_back(vlm::Message::user(
                "The screen now:",
                vlm::make_image(random_bytes(image_bytes, static_cast<unsigned>(i)))));
    }
    return request;
}

// --- The same with plain Boost.JSON ---------------------------------------------------------------------

json::value content_of(const vlm::Message& message) {
    if (message.parts.size() == 1 && std::holds_alternative<std::string>(message.parts[0]))
        return json::string(std::get<std::string>(message.parts[0]));
    json::array content;
    for (const vlm::Part& part : message.parts) {
        if (const auto* text = std::get_if<std::string>(&part)) {
            content.push_back({{"type", "text"}, {"text", *text}});
            continue;
        }
        namespace base64 = boost::beast::detail::base64;
        const vlm::Image& image = std::get<vlm::Image>(part);
        std::string data(base64::encoded_size(image.bytes->size()), '\0');
        data.resize(base64::encode(data.data(), image.bytes->data(), image.bytes->size()));
        json::object image_url{{"url", "data:" + image.media_type + ";base64," + data}};
        content.push_back({{"type", "image_url"}, {"image_url", std::move(image_url)}});
    }
    return content;
}

std::string encode_with_boost(const vlm::ChatRequest& request) {
    json::object body;
    json::array& messages = body["messages"].emplace_array();
    for (const vlm::Message& message : request.messages) {
        json::object object{{"role", vlm::to_string(message.role)},
                            {"content", content_of(message)}};
        if (!message.tool_call_id.empty()) object["tool_call_id"] = message.tool_call_id;
        if (!message.tool_calls.empty()) {
            json::array& calls = object["tool_calls"].emplace_array();
            for (const vlm::ToolCall& call : message.tool_calls)
                calls.push_back(
                    {{"id", call.id},
                     {"type", "function"},
                     {"function", {{"name", call.name}, {"arguments", call.arguments_json}}}});
        }
        messages.push_back(std::move(object));
    }
    json::array& tools = body["tools"].emplace_array();
    for (const vlm::ToolSpec& tool : request.tools)
        tools.push_back({{"type", "function"},
                         {"function",
                          {{"name", tool.name},
                           {"description", tool.description},
                           {"parameters", json::parse(tool.parameters_json)}}}});
    body["tool_choice"] = "auto";
    return json::serialize(body);
}

void encode(benchmark::State& state, std::string (*encode_once)(const vlm::ChatRequest&)) {
    const vlm::ChatRequest request = conversation();
    std::size_t bytes = 0;
    for ([[maybe_unused]] auto _ : state) {
        const std::string body = encode_once(request);
        bytes = body.size();
        benchmark::DoNotOptimize(body.data());
    }
    const allocations::Watch watch;
    benchmark::DoNotOptimize(encode_once(request));
    state.counters["bytes"] = static_cast<double>(bytes);
    state.counters["peak_to_body"] = static_cast<double>(watch.peak()) / static_cast<double>(bytes);
}

// --- 1,000 deltas of a streamed reply -------------------------------------------------------------------

/// As llama-server writes them, one delta of text each.
std::vector<std::string> events() {
    const std::string head =
        R"("created":1795294032,"id":"chatcmpl-CqOTtWJnv1Ev9IRXiyigavrhqZlPs4l9",)"
        R"("model":"tiny-vl","system_fingerprint":"b10587-3f545becc",)"
        R"("object":"chat.completion.chunk"})";
    std::vector<std::string> result;
    for (int i = 0; i < 1000; ++i)
        result.push_back(
            R"(data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":" word)" +
            std::to_string(i) + R"("}}],)" + head + "\n\n");
    result.push_back(R"(data: {"choices":[{"finish_reason":"stop","index":0,"delta":{}}],)" + head +
                     "\n\ndata: [DONE]\n\n");
    return result;
}

void stream_eyehand(const std::vector<std::string>& pieces) {
    const vlm::wire::Where where{"http://h/", "m", {}};
    vlm::wire::EventParser parser(where.url, std::size_t{1} << 20);
    vlm::wire::ReplyAssembler assembler(where);
    std::size_t shown = 0;
    for (const std::string& piece : pieces)
        parser.feed(piece, [&](const vlm::wire::ServerEvent& event) {
            for (const vlm::Delta& delta : assembler.take(event)) shown += delta.text.size();
        });
    benchmark::DoNotOptimize(shown);
    benchmark::DoNotOptimize(assembler.finish());
}

/// No event parser, no deltas, no checks: only the time to parse the JSON.
void stream_json_parse(const std::vector<std::string>& pieces) {
    constexpr std::size_t before = std::string_view("data: ").size();
    for (const std::string& piece : pieces) {
        const std::string_view line = std::string_view(piece).substr(before);
        benchmark::DoNotOptimize(json::parse(line.substr(0, line.find('\n'))));
    }
}

void stream_memcpy(const std::vector<std::string>& pieces) {
    std::string all;
    for (const std::string& piece : pieces) all += piece;
    benchmark::DoNotOptimize(all.data());
}

void stream(benchmark::State& state, void (*take)(const std::vector<std::string>&)) {
    const std::vector<std::string> pieces = events();
    for ([[maybe_unused]] auto _ : state) take(pieces);
}

// --- One request on an open connection ------------------------------------------------------------------

const std::string answer_text = vlm::testing::completion("The button is at the lower right.");

void latency_eyehand(benchmark::State& state) {
    vlm::testing::ChatServer server;
    vlm::OpenAiClient client({.endpoint = server.url()});
    const vlm::ChatRequest request{.messages = {vlm::Message::user("Where is the button?")}};
    for ([[maybe_unused]] auto _ : state) {
        server.enqueue({.body = answer_text});
        benchmark::DoNotOptimize(client.reply(request));
    }
    if (server.connections() != 1) throw std::logic_error("the connection was not kept");
}

#ifdef EYEHAND_CURL
std::size_t append(char* bytes, std::size_t size, std::size_t count, void* into) {
    static_cast<std::string*>(into)->append(bytes, size * count);
    return size * count;
}

/// The same bytes in both directions; the reply is not parsed.
void latency_curl(benchmark::State& state) {
    vlm::testing::ChatServer server;
    const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
    const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
        curl_slist_append(nullptr, "Content-Type: application/json"), curl_slist_free_all);
    const std::string url = server.url() + "/v1/chat/completions";
    const std::string body =
        vlm::wire::encode_request({.messages = {vlm::Message::user("Where is the button?")}});
    std::string answer;
    curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(curl.get(), CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer);
    for ([[maybe_unused]] auto _ : state) {
        server.enqueue({.body = answer_text});
        answer.clear();
        if (curl_easy_perform(curl.get()) != CURLE_OK || answer != answer_text)
            throw std::runtime_error("curl failed");
    }
    if (server.connections() != 1) throw std::logic_error("the connection was not kept");
}
#endif

// --- Registration ---------------------------------------------------------------------------------------

template <typename Run>
benchmark::internal::Benchmark* add(const std::string& name, Run run) {
    return benchmark::RegisterBenchmark(name.c_str(), run);
}

[[maybe_unused]] const bool added = [] {
    add("request/encode/eyehand", [](benchmark::State& state) {
        encode(state, [](const vlm::ChatRequest& r) { return vlm::wire::encode_request(r); });
    })->Unit(benchmark::kMillisecond);
    add("request/encode/boost_json", [](benchmark::State& state) {
        encode(state, encode_with_boost);
    })->Unit(benchmark::kMillisecond);
    for (const auto& [name, take] : {std::pair{"eyehand", &stream_eyehand},
                                     {"json_parse", &stream_json_parse},
                                     {"memcpy", &stream_memcpy}})
        add("stream/1000_deltas/" + std::string(name), [take = take](benchmark::State& state) {
            stream(state, take);
        })->Unit(benchmark::kMicrosecond);
    add("request/latency/eyehand", latency_eyehand)->Unit(benchmark::kMicrosecond)->UseRealTime();
#ifdef EYEHAND_CURL
    add("request/latency/curl", latency_curl)->Unit(benchmark::kMicrosecond)->UseRealTime();
#endif
    return true;
}();

} // namespace
