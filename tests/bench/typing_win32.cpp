// Typing with and without the guard's check before each batch: eyehand-bench-typing [ROUNDS] prints
// medians. Each round runs both, so that other load affects both equally.
#include "eyehand/winio/error.hpp"
#include "guarded_typing.hpp"

#include <windows.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace eyehand::winio;
using bench::BatchCheck;

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// Windows of this program; the last one has the keyboard focus.
class ShownWindows {
public:
    explicit ShownWindows(int count) {
        for (int i = 0; i < count; ++i)
            windows_.push_back(CreateWindowExW(0, L"STATIC", L"window",
                                               WS_OVERLAPPEDWINDOW | WS_VISIBLE, 20 * i, 100, 300,
                                               200, nullptr, nullptr, nullptr, nullptr));
    }
    ~ShownWindows() {
        for (const HWND window : windows_) DestroyWindow(window);
        handle_messages();
    }
    ShownWindows(const ShownWindows&) = delete;
    ShownWindows& operator=(const ShownWindows&) = delete;

    void take_focus(Desktop& desktop) const {
        desktop.windows()->apply(
            {WindowId{reinterpret_cast<std::uintptr_t>(windows_.back())}, WindowAction::focus, {}});
        handle_messages();
    }
    /// Receives what was typed.
    static void handle_messages() {
        MSG message{};
        while (PeekMessageW(&message, nullptr, 0, 0, PM_REMOVE) != 0) DispatchMessageW(&message);
    }

private:
    std::vector<HWND> windows_;
};

double median(std::vector<double> times) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return *middle;
}

void measure(Desktop& desktop, int windows, int rounds) {
    const ShownWindows shown(windows);
    shown.take_focus(desktop);
    bench::GuardedTyping typing(desktop);
    std::vector<double> unchecked;
    std::vector<double> checked;
    const auto time = [&](BatchCheck check) {
        const auto start = Clock::now();
        typing.type(check);
        const double ms = Milliseconds(Clock::now() - start).count();
        ShownWindows::handle_messages();
        return ms;
    };
    (void)time(BatchCheck::on); // warm-up
    for (int round = 0; round < rounds; ++round) {
        unchecked.push_back(time(BatchCheck::off));
        checked.push_back(time(BatchCheck::on));
    }
    const double without = median(unchecked);
    const double with = median(checked);
    std::printf("typing/win32/%-3d unchecked %7.2f ms  checked %7.2f ms  ratio %.2f  "
                "check of a batch %.3f ms (%zu batches)\n",
                windows, without, with, with / without,
                (with - without) / static_cast<double>(typing.batches()), typing.batches());
}

} // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 41;
    if (rounds < 1) {
        std::fputs("usage: eyehand-bench-typing [ROUNDS]\n", stderr);
        return 2;
    }
    try {
        const auto desktop = open_desktop();
        for (const int windows : {1, 10, 50}) measure(*desktop, windows, rounds);
    } catch (const Error& error) {
        std::fprintf(stderr, "eyehand-bench-typing: %s\n", error.what());
        return 1;
    }
    return 0;
}
