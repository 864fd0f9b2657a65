// How often the check of a target refuses an action although nothing has happened, on the desktop of this session. Prints
// the table of docs/performance.md, which takes 17 minutes.
//
//     eyehand-bench-stale-targets [SECONDS [TIMES [PROGRAMS]]]
//
// SECONDS: how long the agent watches the screen before an action (10); its pauses are those of the agent. TIMES: for each
// program (10). PROGRAMS: how many of the programs (10).
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/screen_watch.hpp"
#include "eyehand/winio/settle.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

struct Program {
    const char* command;
    const char* process;
};
constexpr std::array<Program, 10> programs{{{"notepad", "notepad.exe"},
                                            {"write", "wordpad.exe"},
                                            {"winemine", "winemine.exe"},
                                            {"regedit", "regedit.exe"},
                                            {"taskmgr", "taskmgr.exe"},
                                            {"clock", "clock.exe"},
                                            {"winecfg", "winecfg.exe"},
                                            {"winver", "winver.exe"},
                                            {"winefile", "winefile.exe"},
                                            {"oleview", "oleview.exe"}}};

struct Count {
    int checks = 0;
    int refused = 0;
    int changed = 0; ///< thinks during which the request would have been sent again
    std::chrono::microseconds look{};
};

/// Whether both comparisons, 120 ms apart, find a difference, as before an action.
bool is_refused(Desktop& desktop, Capturer& capturer, const Rect& area, const ScreenState& seen,
                const ScreenWatch& watch, const Plan& plan) {
    TargetCheck how;
    how.ignored = watch.ambient();
    ScreenState now;
    for (int i = 0; i < 2; ++i) {
        if (i > 0) std::this_thread::sleep_for(120ms);
        capture_state(desktop, capturer, area, now);
        if (now.frame.pointer && seen.frame.pointer &&
            now.frame.pointer->position == seen.frame.pointer->position)
            how.pointer = now.frame.pointer->position;
        const auto stale = check_target(seen, now, plan, how);
        if (!stale) return false;
        if (i > 0) std::printf("  refused: %s\n", std::string(to_string(stale->reason)).c_str());
    }
    return true;
}

Count think(Desktop& desktop, Capturer& capturer, const Rect& area, const Rect& window,
            Settler& settler, ScreenWatch& watch, std::chrono::seconds think_time) {
    Count count;
    ScreenState seen;
    seen.frame = settler.wait(capturer, area).frame;
    seen.windows = listed_windows(desktop);
    watch.start(seen, Clock::now());
    ScreenState state;
    const auto end = Clock::now() + think_time;
    std::chrono::microseconds cost{};
    while (Clock::now() < end) {
        std::this_thread::sleep_for(watch_interval(cost));
        const auto start = Clock::now();
        capture_state(desktop, capturer, area, state);
        watch.note(state, Clock::now());
        cost = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
        if (!watch.changed().empty()) count.changed = 1;
    }
    count.look = cost;
    std::vector<Plan> plans{gesture::type("a")};
    for (const int x : {1, 3, 5})
        for (const int y : {1, 3, 5})
            plans.push_back(gesture::click(
                {window.x + window.width * x / 6, window.y + window.height * y / 6}));
    for (const Plan& plan : plans) {
        ++count.checks;
        if (is_refused(desktop, capturer, area, seen, watch, plan)) ++count.refused;
    }
    return count;
}

void measure(std::chrono::seconds think_time, int times, std::size_t count) {
    const auto desktop = open_desktop();
    const auto capturer = desktop->open_capturer({});
    const Rect area = desktop->displays().front().bounds;
    int checks = 0;
    int refused = 0;
    for (const Program& program : std::span(programs).first(std::min(count, programs.size()))) {
        desktop->launch({program.command});
        const WindowInfo window =
            wait_for_window(*desktop->windows(), {.process = program.process}, 60s);
        Settler settler;
        ScreenWatch watch;
        Count all;
        for (int i = 0; i < times; ++i) {
            const Count one = think(*desktop, *capturer, area, intersection(window.bounds, area),
                                    settler, watch, think_time);
            all.checks += one.checks;
            all.refused += one.refused;
            all.changed += one.changed;
            all.look = one.look;
        }
        std::printf("| `%s` | %d | %d | %d of %d | %.1f ms |\n", program.process, all.checks,
                    all.refused, all.changed, times, static_cast<double>(all.look.count()) / 1000);
        std::fflush(stdout);
        checks += all.checks;
        refused += all.refused;
        desktop->windows()->apply({window.id, WindowAction::close, {}});
    }
    std::printf("%d of %d refused\n", refused, checks);
}

int number(int argc, char** argv, int at, int otherwise) {
    return argc > at ? std::max(1, std::atoi(argv[at])) : otherwise;
}

} // namespace

int main(int argc, char** argv) {
    try {
        measure(std::chrono::seconds(number(argc, argv, 1, 10)), number(argc, argv, 2, 10),
                static_cast<std::size_t>(number(argc, argv, 3, 10)));
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
