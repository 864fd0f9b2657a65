// Captures of a whole X11 screen, both ways: skipped where the environment names no
// display.
#include "winio/error.hpp"
#include "x11/screen_capturer.hpp"
#include "x11/x11_desktop.hpp"

#include <benchmark/benchmark.h>

#include <memory>

namespace {

using namespace winio;

std::unique_ptr<x11::X11Desktop> desktop_or_skip(benchmark::State& state) {
    try {
        return std::make_unique<x11::X11Desktop>();
    } catch (const Error& error) {
        state.SkipWithError(error.what());
        return nullptr;
    }
}

void capture(benchmark::State& state, x11::Transfer transfer) {
    const auto desktop = desktop_or_skip(state);
    if (!desktop) return;
    x11::ScreenCapturer capturer(desktop->connection(), {}, transfer);
    const Rect area = desktop->displays().front().bounds;
    Frame frame;
    for (auto _ : state) {
        capturer.capture(area, frame);
        benchmark::DoNotOptimize(frame.pixels.data());
    }
}

BENCHMARK_CAPTURE(capture, x11 / shm, x11::Transfer::shared_memory)
    ->Name("capture/x11/shm")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(capture, x11 / get_image, x11::Transfer::connection)
    ->Name("capture/x11/get_image")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
