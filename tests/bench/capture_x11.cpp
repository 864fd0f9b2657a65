// Captures of a whole X11 screen with both transports; skipped if the environment names no display.
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/redaction.hpp"
#include "shown_windows.hpp"
#include "x11/screen_capturer.hpp"
#include "x11/x11_desktop.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>

namespace {

using namespace eyehand::winio;

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

// Alternates between two lines of text on the screen, like a typical turn.
class TextLine {
public:
    explicit TextLine(xcb_connection_t* server)
        : server_(server), screen_(xcb_setup_roots_iterator(xcb_get_setup(server)).data),
          font_(xcb_generate_id(server)), context_(xcb_generate_id(server)) {
        constexpr const char* name = "fixed"; // a font of every X server
        xcb_open_font(server_, font_, static_cast<std::uint16_t>(std::strlen(name)), name);
        const std::uint32_t values[] = {screen_->white_pixel, screen_->black_pixel, font_};
        xcb_create_gc(server_, context_, screen_->root,
                      XCB_GC_FOREGROUND | XCB_GC_BACKGROUND | XCB_GC_FONT, values);
    }
    ~TextLine() {
        xcb_free_gc(server_, context_);
        xcb_close_font(server_, font_);
        xcb_flush(server_);
    }
    TextLine(const TextLine&) = delete;
    TextLine& operator=(const TextLine&) = delete;

    void write() {
        other_ = !other_;
        const char* text = other_ ? "The quick brown fox jumps over the lazy dog, and so on."
                                  : "Pack my box with five dozen jugs of liquid, or with six.";
        xcb_image_text_8(server_, static_cast<std::uint8_t>(std::strlen(text)), screen_->root,
                         context_, 200, 400, text);
        xcb_flush(server_);
    }

private:
    xcb_connection_t* server_;
    xcb_screen_t* screen_;
    xcb_font_t font_;
    xcb_gcontext_t context_;
    bool other_ = false;
};

// From the screen to the bytes of a PNG of the usual size.
void screen_to_png(benchmark::State& state) {
    const auto desktop = desktop_or_skip(state);
    if (!desktop) return;
    const auto capturer = desktop->open_capturer({});
    const Rect area = desktop->displays().front().bounds;
    TextLine line(desktop->connection().get());
    FramePipeline pipeline;
    Frame frame;
    for (auto _ : state) {
        line.write();
        capturer->capture(area, frame);
        benchmark::DoNotOptimize(pipeline.process(std::move(frame)).file->data());
    }
}

// All windows are listed twice for each capture.
void capture_redacted(benchmark::State& state) {
    const auto desktop = desktop_or_skip(state);
    if (!desktop) return;
    const bench::ShownWindows shown(desktop->connection().get(), static_cast<int>(state.range(0)));
    RedactingCapturer capturer(desktop->open_capturer({}), desktop->windows(),
                               {.windows = {{.title = "a title that no window has"}}});
    const Rect area = desktop->displays().front().bounds;
    Frame frame;
    for (auto _ : state) {
        capturer.capture(area, frame);
        benchmark::DoNotOptimize(frame.pixels.data());
    }
}

BENCHMARK(capture_redacted)
    ->Name("capture/x11/redacted")
    ->Arg(0)
    ->Arg(10)
    ->Arg(50)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(screen_to_png)
    ->Name("capture/x11/to_png_typical")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(capture, x11 / shm, x11::Transfer::shared_memory)
    ->Name("capture/x11/shm")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(capture, x11 / get_image, x11::Transfer::connection)
    ->Name("capture/x11/get_image")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

} // namespace
