// Holds Shift and the left button on the desktop of this session, with itself as the watchdog. Ends with
// status 0 after the watchdog has released them while this program was suspended.
//
//     eyehand-holder          presses, then waits
//     eyehand-holder hang     presses, then no longer continues
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/watchdog.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

bool is_interrupted(Desktop& desktop, bool hangs) {
    InputExecutor executor(desktop, choose_area(desktop, {.display = "all"}));
    Plan plan;
    plan.steps.push_back(
        {Batch{KeyChange{NamedKey::shift, Press::down}, ButtonChange{Button::left, Press::down}},
         hangs ? 0ms : 1h});
    plan.steps.push_back({Batch{KeyChange{NamedKey::ctrl, Press::down}}, 0ms});
    bool is_first = true;
    const CheckBatch hang = [&](const Batch&) -> std::optional<std::string> {
        if (!std::exchange(is_first, false)) std::this_thread::sleep_for(1h);
        return std::nullopt;
    };
    return executor.execute(plan, {}, hang).error == errc::interrupted;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const std::string_view what = argc > 1 ? argv[1] : "";
        if (what == "watchdog") {
            serve_watchdog();
            return 0;
        }
        const auto desktop = open_desktop({.watchdog = {argv[0], "watchdog"}});
        return is_interrupted(*desktop, what == "hang") ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
