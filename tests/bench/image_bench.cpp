// image/FORMAT/SIZE: what a screenshot costs a turn in each format and size. From captured frames of
// 1920x1080 to files, as a run does. Time per twelve screenshots; `bytes` and `request_bytes` (as
// base64) are means per screenshot, and so is `tokens`, the estimate for Qwen3-VL: it depends on the size
// alone.
//
// turns/FORMAT: what the turns of a whole run send, which clicks eleven times and looks after each click. Its
// time, without a model and a network; `bytes` and `tokens` are means per request, with its texts and all screenshots in it.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/vlm/probe.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "wire/encode_request.hpp"

#include "frame_set.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>

using namespace eyehand;

namespace {

void encode(benchmark::State& state, const winio::ImageFormat& format, winio::Size box) {
    const frame_set::Images& screens = frame_set::screenshots();
    std::size_t bytes = 0;
    std::size_t request_bytes = 0;
    double tokens = 0;
    std::optional<winio::FramePipeline> pipeline;
    for ([[maybe_unused]] auto _ : state) {
        bytes = request_bytes = 0;
        tokens = 0;
        for (const winio::Image& screen : screens) {
            state.PauseTiming();
            winio::Frame frame;
            frame.pixels = screen;
            pipeline.emplace(
                winio::ScreenshotOptions{.size = winio::FitWithin{box}, .format = format});
            state.ResumeTiming();
            const winio::Screenshot screenshot = pipeline->process(std::move(frame));
            bytes += screenshot.file->size();
            request_bytes += base::base64_length(screenshot.file->size());
            tokens += vlm::qwen3_image_tokens(screenshot.size.width, screenshot.size.height);
        }
    }
    const auto count = static_cast<double>(screens.size());
    state.counters["bytes"] = static_cast<double>(bytes) / count;
    state.counters["request_bytes"] = static_cast<double>(request_bytes) / count;
    state.counters["tokens"] = tokens / count;
}

constexpr winio::Size sent{1536, 864}; // by the profile

/// An estimate: screenshots as Qwen3-VL counts them, and a token for four bytes of text.
double tokens_of(const vlm::ChatRequest& request) {
    const auto text = [](std::size_t bytes) { return static_cast<double>(bytes) / 4; };
    double tokens = 0;
    for (const vlm::Message& message : request.messages)
        for (const vlm::Part& part : message.parts) {
            const auto* words = std::get_if<std::string>(&part);
            tokens += words != nullptr ? text(words->size())
                                       : vlm::qwen3_image_tokens(sent.width, sent.height);
        }
    for (const vlm::ToolSpec& tool : request.tools)
        tokens += text(tool.description.size() + tool.parameters_json.size());
    return tokens;
}

/// A run of the profile `observer`: each click shows the next screenshot, at which the model looks.
void run(benchmark::State& state, const winio::ImageFormat& format) {
    const frame_set::Images& screens = frame_set::screenshots();
    agent::Profile profile = agent::load_profile("observer");
    profile.image = winio::FitWithin{sent};
    profile.image_format = format;
    profile.max_turns = 2 * static_cast<int>(screens.size());
    agent::AgentOptions options;
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    options.guard = agent::Guard(agent::GuardLevel::off);
    options.watch = agent::Watch::off;
    std::size_t bytes = 0;
    double tokens = 0;
    std::size_t requests = 0;
    for ([[maybe_unused]] auto _ : state) {
        winio::testing::MemoryDesktop desktop(screens.front().size());
        std::size_t shown = 0;
        desktop.screen() = screens.front();
        desktop.on_input = [&](const winio::InputEvent& event) {
            const auto* button = std::get_if<winio::ButtonChange>(&event);
            if (button != nullptr && button->press == winio::Press::down)
                desktop.screen() = screens[++shown % screens.size()];
        };
        vlm::testing::ScriptedModel model;
        for (std::size_t i = 0; i + 1 < screens.size(); ++i) {
            model.call("click_element",
                       R"({"label":"a button","box":[)" + std::to_string(100 + 70 * i) + ",500]}");
            model.call("observe_screen", "{}");
        }
        model.say("Done.");
        agent::MemoryStore store;
        agent::RunControl control;
        agent::Agent agent(desktop, model, profile, agent::built_in_tools(), options);
        const agent::RunFinished finished = agent.run("Click the buttons.", store, control);
        if (finished.outcome != agent::Outcome::completed)
            state.SkipWithError(finished.reason.c_str());
        state.PauseTiming();
        bytes = 0;
        tokens = 0;
        requests = model.requests().size();
        for (const vlm::ChatRequest& request : model.requests()) {
            bytes += vlm::wire::encode_request(request).size();
            tokens += tokens_of(request);
        }
        state.ResumeTiming();
    }
    const auto count = static_cast<double>(std::max<std::size_t>(requests, 1));
    state.counters["bytes"] = static_cast<double>(bytes) / count;
    state.counters["tokens"] = tokens / count;
    state.counters["requests"] = count;
}

[[maybe_unused]] const bool added = [] {
    using namespace winio;
    const std::pair<const char*, ImageFormat> formats[] = {{"png", PngOptions{}},
                                                           {"jpeg_95", JpegOptions{.quality = 95}},
                                                           {"jpeg_85", JpegOptions{}},
                                                           {"jpeg_60", JpegOptions{.quality = 60}},
                                                           {"webp_90", WebpOptions{.quality = 90}},
                                                           {"webp_80", WebpOptions{}},
                                                           {"webp_60", WebpOptions{.quality = 60}}};
    for (const auto& [name, format] : formats) {
        if (!is_supported(format)) continue;
        benchmark::RegisterBenchmark(
            ("turns/" + std::string(name)).c_str(),
            [format = format](benchmark::State& state) { run(state, format); })
            ->Unit(benchmark::kMillisecond);
        for (const Size box : {Size{1920, 1080}, Size{1536, 864}, Size{1280, 720}}) {
            const std::string full = "image/" + std::string(name) + "/" +
                                     std::to_string(box.width) + "x" + std::to_string(box.height);
            benchmark::RegisterBenchmark(full.c_str(), [format = format,
                                                        box](benchmark::State& state) {
                encode(state, format, box);
            })->Unit(benchmark::kMillisecond);
        }
    }
    return true;
}();

} // namespace
