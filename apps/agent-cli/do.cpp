// agent-cli do ACTION ...
#include "acting_desktop.hpp"
#include "commands.hpp"

#include "environment.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/winio/confirm.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "guard.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace eyehand::cli {
namespace {

namespace json = boost::json;

bool is_for_the_keyboard(const DoFlags& flags) {
    return flags.action == "type" || flags.action == "press" || flags.action == "paste";
}

// Checks that need no desktop.
void check(const DoFlags& flags) {
    const auto refuse = [&](const std::string& reason) {
        throw UsageError(fmt::format("do {}: {}", flags.action, reason));
    };
    if (flags.action == "drag" && flags.corners.size() % 2 != 0)
        refuse("POINTS must be X1 Y1 X2 Y2 ...: the last X has no Y");
    if (flags.action == "focus" && flags.text.empty()) refuse("TITLE is empty");
    std::string problem;
    if (flags.action == "press" && !winio::parse_chord(flags.text, &problem)) refuse(problem);
    if (flags.action == "type" || flags.action == "paste") {
        problem = winio::gesture::typing_problem(flags.text);
        if (!problem.empty()) refuse(problem);
    }
}

winio::Plan drag(const DoFlags& flags, const winio::WorkArea& area) {
    std::vector<winio::Point> path;
    for (std::size_t i = 0; i < flags.corners.size() / 2; ++i)
        path.push_back(area.to_pixel({flags.corners[2 * i], flags.corners[2 * i + 1]}));
    return winio::gesture::drag_along(path);
}

winio::Windows& windows_of(winio::Desktop& desktop) {
    if (winio::Windows* windows = desktop.windows()) return *windows;
    throw winio::Error(winio::errc::not_supported, "this desktop does not support window control");
}

winio::Plan focus(const DoFlags& flags, winio::Desktop& desktop, const std::stop_token& stop) {
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(flags.wait));
    const winio::WindowInfo window =
        winio::wait_for_window(windows_of(desktop), {.title = flags.text}, patience, stop);
    return {{winio::Step{winio::WindowCommand{window.id, winio::WindowAction::focus, {}}}}, {}};
}

winio::Plan plan_of(const DoFlags& flags, winio::Desktop& desktop, const winio::WorkArea& area,
                    const std::stop_token& stop) {
    using winio::Button;
    namespace gesture = winio::gesture;
    const std::string& action = flags.action;
    const winio::Point at = area.to_pixel(flags.at);
    if (action == "move") return gesture::move(at);
    if (action == "click") return gesture::click(at);
    if (action == "double-click") return gesture::click(at, Button::left, 2);
    if (action == "triple-click") return gesture::click(at, Button::left, 3);
    if (action == "right-click") return gesture::click(at, Button::right);
    if (action == "middle-click") return gesture::click(at, Button::middle);
    if (action == "drag") return drag(flags, area);
    if (action == "scroll")
        return gesture::scroll(at, flags.notches,
                               flags.horizontal ? winio::Axis::horizontal : winio::Axis::vertical);
    if (action == "type") return gesture::type(flags.text);
    if (action == "paste") return gesture::paste(flags.text);
    if (action == "press") return gesture::press(*winio::parse_chord(flags.text));
    if (action == "focus") return focus(flags, desktop, stop);
    if (action == "launch")
        return {{winio::Step{winio::LaunchCommand{flags.text, agent::key_variables()}}}, {}};
    throw std::logic_error("unknown action " + action);
}

json::array to_json(const winio::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

json::array to_json(const std::vector<winio::Rect>& rects) {
    json::array array;
    for (const winio::Rect& rect : rects) array.push_back(to_json(rect));
    return array;
}

json::object to_json(const DoFlags& flags, const winio::Plan& plan,
                     const winio::ActionReport& report) {
    json::array targets;
    for (const winio::Point target : plan.targets)
        targets.push_back(json::array{target.x, target.y});
    return {
        {"action", flags.action},
        {"effect", winio::to_string(report.effect)},
        {"targets", std::move(targets)},
        {"pointer_arrived", report.pointer_arrived},
        {"events", report.execution.events},
        {"released", report.execution.released},
        {"problem", report.look_error ? report.look_error.message() : report.execution.problem},
        {"changed", to_json(report.after.changed)},
        {"toggling", to_json(report.after.toggling)},
        {"settled", report.after.end == winio::SettleEnd::stable},
        {"settle_ms", report.after.waited.count()},
    };
}

std::string in_words(const DoFlags& flags, const winio::Plan& plan,
                     const winio::ActionReport& report) {
    std::string text = fmt::format("{}: {}", winio::to_string(report.effect), flags.action);
    for (const winio::Point target : plan.targets)
        text += fmt::format(" ({}, {})", target.x, target.y);
    if (!report.execution.complete()) return text + "; " + one_line(report.execution.problem);
    if (report.look_error) return text + "; " + report.look_error.message();
    if (!report.pointer_arrived) text += "; the pointer is not where the action left it";
    winio::Rect all;
    for (const winio::Rect& rect : report.after.changed) all = winio::bounding_rect(all, rect);
    if (all.empty()) return text + "; nothing changed on the screen";
    return text + fmt::format("; the screen changed within {}x{} at {},{}", all.width, all.height,
                              all.x, all.y);
}

json::object to_json(const winio::WindowInfo& window) {
    return {
        {"id", static_cast<std::uint64_t>(window.id)},
        {"title", window.title},
        {"class", window.window_class},
        {"process", window.process},
        {"process_id", window.process_id},
        {"bounds", to_json(window.bounds)},
        {"state", to_string(window.state)},
        {"foreground", window.foreground},
    };
}

std::string in_words(const winio::WindowInfo& window) {
    return fmt::format("{} {:9} {:>5}x{:<5} at {},{}  {}  \"{}\"", window.foreground ? '*' : ' ',
                       to_string(window.state), window.bounds.width, window.bounds.height,
                       window.bounds.x, window.bounds.y,
                       one_line(window.process.empty() ? window.window_class : window.process),
                       one_line(window.title));
}

ExitCode list_windows(const DoFlags& flags, winio::Desktop& desktop) {
    for (const winio::WindowInfo& window : windows_of(desktop).list()) {
        print_to(stdout, (flags.json ? json::serialize(to_json(window)) : in_words(window)) + "\n");
    }
    return ExitCode::completed;
}

// Keys go to the foreground window, whatever the area is.
void check_foreground(winio::Desktop& desktop, const winio::WindowQuery& query) {
    const auto window = winio::find_window(windows_of(desktop).list(), query);
    if (window && !window->foreground)
        throw winio::Error(
            winio::errc::input_refused,
            fmt::format("the window \"{}\" is not in the foreground, so it would not "
                        "receive the keys: run agent-cli do focus first",
                        window->title));
}

} // namespace

ExitCode do_action(const DoFlags& flags) {
    check(flags);
    const winio::AreaChoice choice = area_choice(flags.view);
    const auto desktop = open_acting_desktop();
    return do_action(flags, choice, *desktop);
}

ExitCode do_action(const DoFlags& flags, const winio::AreaChoice& choice, winio::Desktop& desktop) {
    if (flags.action == "windows") return list_windows(flags, desktop);

    std::stop_source stop; // Ctrl+C during a drag releases the button first
    const InterruptWatch watch([&](Interrupt) { stop.request_stop(); });
    const winio::WorkArea area = work_area(desktop, choice);
    const winio::Plan plan = plan_of(flags, desktop, area, stop.get_token());
    const auto check_batch = permit(plan, desktop, choice, area, flags.guard, stop.get_token());
    if (!check_batch) return stop.stop_requested() ? ExitCode::interrupted : ExitCode::refused;
    if (choice.window && is_for_the_keyboard(flags)) check_foreground(desktop, *choice.window);
    winio::InputExecutor executor(desktop, area);
    const auto capturer = desktop.open_capturer({.pointer = false});
    const winio::ActionReport report =
        winio::act_and_look(executor, *capturer, plan, {}, stop.get_token(), *check_batch);
    print_to(stdout, (flags.json ? json::serialize(to_json(flags, plan, report))
                                 : in_words(flags, plan, report)) +
                         "\n");
    const bool interrupted = report.execution.error == winio::errc::cancelled ||
                             report.look_error == winio::errc::cancelled;
    if (interrupted) return ExitCode::interrupted;
    if (report.execution.error == winio::errc::raced) return ExitCode::refused;
    return report.effect == winio::ActionEffect::refused ? ExitCode::desktop : ExitCode::completed;
}

} // namespace eyehand::cli
