// Typing on an X11 screen with a window manager, with and without the guard's check before each
// batch; skipped if the environment names no display.
#include "eventually.hpp"
#include "eyehand/winio/error.hpp"
#include "guarded_typing.hpp"
#include "shown_windows.hpp"
#include "x11/x11_desktop.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <vector>

namespace {

using namespace eyehand::winio;
using bench::BatchCheck;
using eyehand::winio::errc;
using eyehand::winio::Error;

std::vector<WindowInfo> wait_for_windows(Desktop& desktop, std::size_t count) {
    std::vector<WindowInfo> windows;
    if (!test::eventually([&] {
            windows = desktop.windows()->list();
            return windows.size() == count;
        }))
        throw Error(errc::window_not_found, "the windows of the benchmark do not appear");
    return windows;
}

void type(benchmark::State& state, BatchCheck check) {
    try {
        x11::X11Desktop desktop;
        const auto count = static_cast<std::size_t>(state.range(0));
        (void)wait_for_windows(desktop, 0); // those of the previous benchmark may still be listed
        const bench::ShownWindows shown(desktop.connection().get(), static_cast<int>(count));
        const WindowId top = wait_for_windows(desktop, count).front().id;
        desktop.windows()->apply({top, WindowAction::focus, {}});
        bench::GuardedTyping typing(desktop);
        for (auto _ : state) typing.type(check);
        state.counters["batches"] = static_cast<double>(typing.batches());
        state.counters["per_batch"] = benchmark::Counter(
            static_cast<double>(typing.batches()),
            benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    } catch (const Error& error) {
        state.SkipWithError(error.what());
    }
}

BENCHMARK_CAPTURE(type, unchecked, BatchCheck::off)
    ->Name("typing/x11/unchecked")
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(type, checked, BatchCheck::on)
    ->Name("typing/x11/checked")
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
