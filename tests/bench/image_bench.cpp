// image/FORMAT/SIZE: what a screenshot costs a turn in each format and size. From captured frames of
// 1920x1080 to files, as a run does. Time per twelve screenshots; `bytes` and `request_bytes` (as
// base64) are means per screenshot, and so is `tokens`, the estimate for Qwen3-VL: it depends on the size
// alone.
#include "eyehand/base/base64.hpp"
#include "eyehand/vlm/probe.hpp"
#include "eyehand/winio/frame_pipeline.hpp"

#include "frame_set.hpp"

#include <benchmark/benchmark.h>

#include <optional>
#include <string>
#include <utility>

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
