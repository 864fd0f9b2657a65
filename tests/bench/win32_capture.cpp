// Compares captures of a 1920x1080 screen with plain GDI: eyehand-bench-win32 [ROUNDS] prints
// medians in milliseconds. Each round runs every method, so that other load affects all methods
// equally.
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/redaction.hpp"

#include <windows.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

using namespace eyehand::winio;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr Rect screen_area{0, 0, 1920, 1080};
constexpr Size small_size{1536, 864};

// The code of a program without libwinio: its own bitmap, and a DC for each capture.
class PlainGdi {
public:
    explicit PlainGdi(Size size) : size_(size) {
        BITMAPINFO info{};
        info.bmiHeader.biSize = sizeof info.bmiHeader;
        info.bmiHeader.biWidth = size.width;
        info.bmiHeader.biHeight = -size.height;
        info.bmiHeader.biPlanes = 1;
        info.bmiHeader.biBitCount = 32;
        void* pixels = nullptr;
        bitmap_ = CreateDIBSection(nullptr, &info, DIB_RGB_COLORS, &pixels, nullptr, 0);
    }
    ~PlainGdi() { DeleteObject(bitmap_); }
    PlainGdi(const PlainGdi&) = delete;
    PlainGdi& operator=(const PlainGdi&) = delete;

    void take() const {
        const HDC screen = GetDC(nullptr);
        const HDC memory = CreateCompatibleDC(screen);
        const HGDIOBJ previous = SelectObject(memory, bitmap_);
        if (size_ == screen_area.size()) {
            BitBlt(memory, 0, 0, size_.width, size_.height, screen, 0, 0, SRCCOPY);
        } else {
            SetStretchBltMode(memory, HALFTONE);
            SetBrushOrgEx(memory, 0, 0, nullptr); // the documentation of HALFTONE requires it
            StretchBlt(memory, 0, 0, size_.width, size_.height, screen, 0, 0, screen_area.width,
                       screen_area.height, SRCCOPY);
        }
        GdiFlush();
        SelectObject(memory, previous);
        DeleteDC(memory);
        ReleaseDC(nullptr, screen);
    }

private:
    Size size_;
    HBITMAP bitmap_ = nullptr;
};

Milliseconds time_of(const std::function<void()>& what) {
    const auto start = Clock::now();
    what();
    return Clock::now() - start;
}

// Captures and encodes as a program does. Uses one thread, so that the time of the encoder, which
// does not count here, can be subtracted.
class Looks {
public:
    Looks(Desktop& desktop, std::function<void(Image&)> change)
        : capturer_(desktop.open_capturer({})),
          pipeline_({.size = FitWithin{small_size}, .threads = 1}), change_(std::move(change)) {}

    // Capturing, comparing and scaling.
    Milliseconds take() {
        const Milliseconds capture = time_of([&] { capturer_->capture(screen_area, frame_); });
        change_(frame_.pixels);
        Milliseconds encode{};
        const Milliseconds process =
            time_of([&] { encode = pipeline_.process(std::move(frame_)).encode_time; });
        captures.push_back(capture);
        return capture + process - encode;
    }

    std::vector<Milliseconds> captures;

private:
    std::unique_ptr<Capturer> capturer_;
    FramePipeline pipeline_;
    std::function<void(Image&)> change_;
    Frame frame_;
};

// Every second frame is the negative of the screen, so that each differs everywhere.
std::function<void(Image&)> change_everything() {
    return [odd = false](Image& image) mutable {
        odd = !odd;
        if (!odd) return;
        for (int y = 0; y < image.height(); ++y)
            for (std::uint8_t& byte : image.row(y)) byte = static_cast<std::uint8_t>(~byte);
    };
}

// Like another word in a line of text.
std::function<void(Image&)> change_a_line() {
    return [turn = 0](Image& image) mutable {
        turn = (turn + 1) % 7;
        image.fill({400 + 60 * turn, 500, 55, 18}, {0, 0, 200, 255});
    };
}

double median(std::vector<Milliseconds> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return middle->count();
}

struct Method {
    const char* name;
    std::function<Milliseconds()> run;
    std::vector<Milliseconds> times{};
};

void print(const std::vector<Method>& methods) {
    double halftone = 1;
    for (const Method& method : methods)
        if (std::string_view(method.name) == "capture/win32/stretchblt_halftone")
            halftone = median(method.times);
    for (const Method& method : methods) {
        const double ms = median(method.times);
        std::printf("%-34s %7.2f ms  %.2f of HALFTONE\n", method.name, ms, ms / halftone);
    }
}

void run(int rounds) {
    SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2);
    const auto desktop = open_desktop();
    const PlainGdi one_to_one(screen_area.size());
    const PlainGdi smaller(small_size);
    Looks first(*desktop, change_everything());
    Looks typical(*desktop, change_a_line());
    // All windows of the desktop are listed twice.
    RedactingCapturer redacting(desktop->open_capturer({}), desktop->windows(),
                                {.windows = {{.title = "a title that no window has"}}});
    const auto capturer = desktop->open_capturer({});
    Frame redacted;
    Frame plain;
    std::vector<Method> methods{
        {"capture/win32/bitblt", [&] { return time_of([&] { one_to_one.take(); }); }},
        {"capture/win32/stretchblt_halftone", [&] { return time_of([&] { smaller.take(); }); }},
        {"capture/win32/first", [&] { return first.take(); }},
        {"capture/win32/typical", [&] { return typical.take(); }},
        {"capture/win32/plain",
         [&] { return time_of([&] { capturer->capture(screen_area, plain); }); }},
        {"capture/win32/redacted",
         [&] { return time_of([&] { redacting.capture(screen_area, redacted); }); }},
    };
    for (const Method& method : methods) method.run(); // warm-up: touches new memory
    first.take();
    first.captures.clear();
    for (int round = 0; round < rounds; ++round)
        for (Method& method : methods) method.times.push_back(method.run());
    methods.push_back({"capture/win32/capture", {}, first.captures}); // a part of `first`
    print(methods);
}

} // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 41;
    if (rounds < 1) {
        std::fputs("usage: eyehand-bench-win32 [ROUNDS]\n", stderr);
        return 2;
    }
    try {
        run(rounds);
    } catch (const Error& error) {
        std::fprintf(stderr, "eyehand-bench-win32: %s\n", error.what());
        return 1;
    }
    return 0;
}
