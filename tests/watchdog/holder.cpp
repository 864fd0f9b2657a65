// Holds Shift and the left button on the desktop of this session, with itself as the watchdog. Ends with
// status 0 after the watchdog has released them while this program was suspended.
//
//     eyehand-holder          presses, then waits
//     eyehand-holder hang     presses, then no longer continues
//     eyehand-holder paste    pastes "of the plan" instead, and leaves programs an hour to read it
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/keys.hpp"
#include "eyehand/winio/watchdog.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

Plan paste() { return gesture::paste("of the plan", *parse_chord("ctrl+v"), 1h); }

Plan press(bool hangs) {
    Plan plan;
    plan.steps.push_back(
        {Batch{KeyChange{NamedKey::shift, Press::down}, ButtonChange{Button::left, Press::down}},
         hangs ? 0ms : 1h});
    plan.steps.push_back({Batch{KeyChange{NamedKey::ctrl, Press::down}}, 0ms});
    return plan;
}

bool is_interrupted(Desktop& desktop, std::string_view what) {
    InputExecutor executor(desktop, choose_area(desktop, {.display = "all"}));
    const bool hangs = what == "hang";
    bool is_first = true;
    std::promise<void> never;
    const CheckBatch hang = [&](const Batch&) -> std::optional<std::string> {
        if (!std::exchange(is_first, false) && hangs) never.get_future().wait();
        return std::nullopt;
    };
    return executor.execute(what == "paste" ? paste() : press(hangs), {}, hang).error ==
           errc::interrupted;
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
        return is_interrupted(*desktop, what) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
