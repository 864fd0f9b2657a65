#include "checks.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace reaction {

using namespace eyehand;
using namespace std::chrono_literals;
using Time = RecordingDesktop::Time;
using Thought = LookingModel::Thought;
using Kind = LogEntry::Kind;

namespace {

std::string name_of(const std::optional<View>& view) {
    return std::string(view ? to_string(*view) : "no view");
}

std::string milliseconds_between(Time from, Time to) {
    return std::to_string(
               std::chrono::duration_cast<std::chrono::milliseconds>(to - from).count()) +
           " ms";
}

/// A view on the screen: painted between the two times, and displayed until the next one is.
struct Display {
    View view = View::step_1;
    Time painting{};
    Time visible{};
};

std::vector<Display> displays_of(const RunRecord& run) {
    std::vector<Display> displays;
    std::map<View, Time> painting;
    for (const LogEntry& entry : run.log) {
        if (entry.kind == Kind::painting) painting[entry.view] = entry.time;
        if (entry.kind == Kind::visible)
            displays.push_back({entry.view, painting[entry.view], entry.time});
    }
    return displays;
}

/// The latest one that was visible at `time`.
const Display* latest_at(const std::vector<Display>& displays, Time time) {
    const Display* latest = nullptr;
    for (const Display& display : displays)
        if (display.visible <= time) latest = &display;
    return latest;
}

/// Whether the view became visible after `earlier` and may have been on the screen at `time`: the window logs a view a
/// moment after the screen shows it.
bool may_show(const std::vector<Display>& displays, View view, Time earlier, Time time) {
    return std::ranges::any_of(displays, [&](const Display& display) {
        return display.view == view && display.visible > earlier && display.painting <= time;
    });
}

// ---- presses ------------------------------------------------------------------------------------

void check_presses(const RunRecord& run, std::vector<std::string>& found) {
    const auto displays = displays_of(run);
    const auto received = run.all(Kind::press);
    if (received.size() != run.presses.size())
        found.push_back("the window received " + std::to_string(received.size()) +
                        " presses, but " + std::to_string(run.presses.size()) + " were sent");
    for (std::size_t i = 0; i < std::min(received.size(), run.presses.size()); ++i) {
        const RecordingDesktop::Press& press = run.presses[i];
        const std::string number = "press " + std::to_string(i + 1);
        if (press.thought >= run.thoughts.size() ||
            run.thoughts[press.thought].decision != LookingModel::Decision::click) {
            found.push_back(number + " was not decided by the model");
            continue;
        }
        const LookingModel::Thought& thought = run.thoughts[press.thought];
        const View decided = *thought.seen;
        const Display* displayed = latest_at(displays, press.captured);
        if (displayed != nullptr && displayed->view != decided &&
            !may_show(displays, decided, displayed->visible, thought.begin))
            found.push_back(number + " was decided on " + name_of(decided) + ", but " +
                            name_of(displayed->view) + " had been visible for " +
                            milliseconds_between(displayed->visible, press.captured) +
                            " when the latest capture began");
        const View arrived = received[i].view;
        if (arrived != decided && !may_show(displays, arrived, press.captured, received[i].time))
            found.push_back(number + " was decided on " + name_of(decided) + " and arrived in " +
                            name_of(arrived));
    }
}

// ---- changes while the model thinks -------------------------------------------------------------

/// How many requests of the same turn as the reply to each completed thought were superseded.
std::vector<int> superseded_in_turns(const RunRecord& run) {
    std::map<int, int> in_turn;
    for (const agent::Event& event : run.events)
        if (std::holds_alternative<agent::Superseded>(event.payload)) ++in_turn[event.turn];
    // A request without a new screenshot asks for one, so it is answered by a look without a thought: the
    // completed thoughts are the replies whose turn has a new screenshot, in the same order.
    std::vector<int> counts;
    bool is_new = false;
    for (const agent::Event& event : run.events) {
        if (std::holds_alternative<agent::Observed>(event.payload)) is_new = true;
        if (!std::holds_alternative<agent::Replied>(event.payload)) continue;
        if (std::exchange(is_new, false)) counts.push_back(in_turn[event.turn]);
    }
    return counts;
}

/// The time within which a request is cancelled, after enough replies: half of their median time.
std::optional<std::chrono::steady_clock::duration> time_for_cancelling(const Thought& thought) {
    constexpr std::size_t min_replies = 3;
    auto times = thought.earlier_replies;
    if (times.size() < min_replies) return std::nullopt;
    std::ranges::sort(times);
    return times[times.size() / 2] / 2;
}

/// Whether the watch must have noticed that `change` is visible, before the first delta.
bool must_be_noticed(const RunRecord& run, const Thought& thought, const Display& change) {
    const Time delta = *thought.first_delta;
    std::vector<Time> looks;
    for (const Time capture : run.captures)
        if (capture > std::max(change.visible, thought.begin) && capture < delta)
            looks.push_back(capture);
    // The first of these looks is complete when the second one begins, so the change has been known since then at the
    // latest. The watch has compared `look` when the next one begins.
    if (looks.size() < 4) return false;
    const auto look = std::ranges::find_if(looks.begin() + 2, looks.end(),
                                           [&](Time time) { return time >= looks[1] + 300ms; });
    if (look == looks.end() || std::next(look) == looks.end()) return false;
    const auto limit = time_for_cancelling(thought);
    if (!limit) return true;
    // The request was sent after the latest capture before it.
    Time sent{};
    for (const Time capture : run.captures)
        if (capture < thought.begin) sent = capture;
    return *std::next(look) - sent < *limit;
}

void check_thoughts(const RunRecord& run, std::vector<std::string>& found) {
    if (run.setup.scenario == "clock") return; // the screen need not become quiet
    constexpr int max_superseded = 2;          // in a turn
    const auto displays = displays_of(run);
    const auto superseded = superseded_in_turns(run);
    std::size_t completed = 0;
    for (const Thought& thought : run.thoughts) {
        if (!thought.first_delta) continue; // superseded
        const std::size_t index = completed++;
        const Display* change = latest_at(displays, *thought.first_delta);
        if (index >= superseded.size() || superseded[index] >= max_superseded ||
            change == nullptr || change->view == thought.seen)
            continue;
        // The next change may be on the screen before its line is in the log.
        const bool stays = std::ranges::none_of(run.log, [&](const LogEntry& entry) {
            return entry.kind == Kind::painting && entry.time > change->visible &&
                   entry.time < *thought.first_delta;
        });
        if (stays && must_be_noticed(run, thought, *change))
            found.push_back("the model thought about " + name_of(thought.seen) + ", although " +
                            name_of(change->view) + " was visible for " +
                            milliseconds_between(change->visible, *thought.first_delta) +
                            " before its first delta");
    }
}

// ---- the end ------------------------------------------------------------------------------------

void check_end(const RunRecord& run, std::vector<std::string>& found) {
    const bool has_effect = run.setup.scenario != "no_effect";
    const std::string expected = has_effect ? LookingModel::done : LookingModel::no_effect;
    if (run.finished.outcome != agent::Outcome::completed || run.finished.reason != expected)
        found.push_back("the run ended with \"" + run.finished.reason + '"');
    const auto visible = run.all(Kind::visible);
    const View last = has_effect ? View::done : View::step_1;
    if (visible.empty() || visible.back().view != last)
        found.push_back("the window does not show " + name_of(last) + " at the end");
}

std::optional<View> next_of(View view) {
    if (view == View::step_1) return View::step_2;
    if (view == View::step_2) return View::done;
    return std::nullopt;
}

} // namespace

std::vector<std::string> violations(const RunRecord& run) {
    std::vector<std::string> found;
    check_presses(run, found);
    check_thoughts(run, found);
    check_end(run, found);
    return found;
}

Measures measure(const RunRecord& run) {
    Measures measures;
    const auto visible = run.all(Kind::visible);
    const auto received = run.all(Kind::press);
    std::map<std::string, std::optional<View>> views;
    for (const Thought& thought : run.thoughts) views[thought.image_sha256] = thought.seen;

    std::size_t press = 0;
    std::optional<std::size_t> acted;
    for (const agent::Event& event : run.events) {
        if (std::holds_alternative<agent::Superseded>(event.payload)) ++measures.superseded;
        if (const auto* fact = std::get_if<agent::Invoked>(&event.payload)) {
            if (fact->stale) ++measures.refused;
            if (fact->action.acts) acted = press++;
        }
        const auto* seen = std::get_if<agent::Observed>(&event.payload);
        if (seen == nullptr || !acted || *acted >= received.size()) continue;
        const LogEntry& pressed = received[*std::exchange(acted, std::nullopt)];
        const auto next = next_of(pressed.view);
        if (!next) continue;
        Effect effect{.wait = seen->settle};
        const auto reaction = std::ranges::find_if(visible, [&](const LogEntry& entry) {
            return entry.view == *next && entry.time > pressed.time;
        });
        if (reaction != visible.end()) {
            const auto view = views.find(seen->sha256);
            effect.shown = view != views.end() && view->second == next;
            effect.shown_after_fixed_wait = reaction->time - pressed.time <= fixed_wait;
        }
        measures.effects.push_back(effect);
    }

    measures.presses = static_cast<int>(run.presses.size());
    for (std::size_t i = 0; i < std::min(received.size(), run.presses.size()); ++i) {
        const RecordingDesktop::Press& sent = run.presses[i];
        measures.max_gap = std::max(
            measures.max_gap,
            std::chrono::duration_cast<std::chrono::microseconds>(sent.sent - sent.captured));
        if (sent.thought < run.thoughts.size() &&
            run.thoughts[sent.thought].seen != received[i].view)
            ++measures.late_changes;
    }
    return measures;
}

} // namespace reaction
