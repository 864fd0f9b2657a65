#include "program.hpp"

#include <charconv>
#include <stdexcept>
#include <utility>

namespace reaction {

using namespace std::chrono_literals;

std::optional<Scenario> scenario_of(std::string_view name) {
    if (name == "splash") return Scenario{.delay = 100ms, .splash = true};
    if (name == "no_effect") return Scenario{};
    if (name == "late_dialog") return Scenario{.delay = 0ms, .late_dialog = true};
    if (name == "clock") return Scenario{.delay = 250ms, .clock = true};
    int delay = 0;
    const char* const end = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data(), end, delay);
    if (error != std::errc{} || at != end || delay < 0) return std::nullopt;
    return Scenario{.delay = std::chrono::milliseconds(delay)};
}

Program::Program(const std::filesystem::path& log, const Scenario& scenario, Windows& windows)
    : log_(log, std::ios::binary), scenario_(scenario), windows_(windows) {
    if (!log_) throw std::runtime_error("the log cannot be written");
}

void Program::start() {
    show(View::step_1);
    if (scenario_.clock) tick(Clock::now() + 250ms);
}

void Program::press(int x, int y) {
    const auto now = Clock::now();
    write("press", view_);
    const auto button = button_of(view_);
    if (!scenario_.delay || is_pressed(view_) || !button || !button->contains(x, y)) return;
    if (view_ == View::step_1) {
        show(View::step_1_pressed);
        react(View::step_2, now);
    } else {
        show(View::step_2_pressed);
        react(View::done, now);
    }
}

void Program::react(View next, Clock::time_point pressed) {
    auto time = pressed + *scenario_.delay;
    if (scenario_.splash) {
        tasks_.emplace(time, [this] { show(View::splash); });
        time += 700ms;
    }
    if (*scenario_.delay > 0ms) {
        tasks_.emplace(time, [this, next] { show(next); });
    } else {
        if (next == View::done) tasks_.clear(); // a dialog that has not appeared yet
        show(next);
    }
    if (scenario_.late_dialog && next == View::step_2)
        tasks_.emplace(pressed + 1000ms, [this] {
            write("painting", View::dialog);
            windows_.open_dialog(picture_of(View::dialog));
        });
}

void Program::press_in_dialog(int x, int y) {
    write("press", View::dialog);
    if (!button_of(View::dialog)->contains(x, y)) return;
    write("painting", view_);
    windows_.close_dialog();
}

void Program::dialog_is_visible() { write("visible", View::dialog); }

void Program::dialog_is_gone() {
    windows_.show(picture());
    write("visible", view_);
}

std::optional<Clock::time_point> Program::due() const {
    if (tasks_.empty()) return std::nullopt;
    return tasks_.begin()->first;
}

void Program::act() {
    while (!tasks_.empty() && tasks_.begin()->first <= Clock::now()) {
        const auto task = std::move(tasks_.begin()->second);
        tasks_.erase(tasks_.begin());
        task();
    }
}

void Program::show(View view) {
    write("painting", view);
    view_ = view;
    windows_.show(picture());
    write("visible", view);
}

void Program::tick(Clock::time_point time) {
    tasks_.emplace(time, [this, time] {
        ++quarter_seconds_;
        windows_.show(picture());
        tick(time + 250ms);
    });
}

void Program::write(std::string_view event, View view) {
    const auto time =
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch());
    log_ << event << ' ' << to_string(view) << ' ' << time.count() << '\n' << std::flush;
}

Picture Program::picture() const {
    return picture_of(view_, scenario_.clock ? std::optional(quarter_seconds_) : std::nullopt);
}

} // namespace reaction
