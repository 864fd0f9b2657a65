#include "eyehand/winio/gesture.hpp"

#include "check_text.hpp"
#include "eyehand/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace eyehand::winio::gesture {
namespace {

// Other agents send this many events at once without losing characters.
constexpr std::size_t max_events_in_a_batch = 100;

Plan in_one_batch(Batch batch, std::vector<Point> targets) {
    return {{Step{std::move(batch)}}, std::move(targets)};
}

void append_clicks(Batch& batch, Button button, int times) {
    for (int i = 0; i < times; ++i) {
        batch.emplace_back(ButtonChange{button, Press::down});
        batch.emplace_back(ButtonChange{button, Press::up});
    }
}

Point between(Point from, Point to, int part, int parts) {
    const auto coordinate = [&](int a, int b) {
        const double way = static_cast<double>(b) - a;
        return a + static_cast<int>(std::lround(way * part / parts));
    };
    return {coordinate(from.x, to.x), coordinate(from.y, to.y)};
}

// Distributes the steps over the segments by length: at least one each, `steps` in total.
std::vector<int> steps_on_legs(std::span<const Point> path, int steps) {
    std::vector<double> way{0}; // distance to each corner
    for (std::size_t i = 1; i < path.size(); ++i)
        way.push_back(way.back() + std::hypot(static_cast<double>(path[i].x) - path[i - 1].x,
                                              static_cast<double>(path[i].y) - path[i - 1].y));
    const int legs = static_cast<int>(path.size()) - 1;
    const int total = std::max(steps, legs);
    std::vector<int> result;
    int done = 0; // steps up to the corner
    for (int leg = 1; leg <= legs; ++leg) {
        const double part =
            way.back() > 0 ? way[static_cast<std::size_t>(leg)] / way.back() : 1.0 * leg / legs;
        const int corner =
            std::clamp(static_cast<int>(std::lround(part * total)), done + 1, total - (legs - leg));
        result.push_back(corner - done);
        done = corner;
    }
    return result;
}

// Repeats the position, because the user may have moved the pointer meanwhile.
Step released_at(Point at, Button button) {
    return Step{Batch{PointerMove{at}, ButtonChange{button, Press::up}}};
}

bool fit_together(const Batch& a, const Batch& b) {
    return a.size() + b.size() <= max_events_in_a_batch;
}

// Both are added to the step's own batch if it has one, so that the user's input cannot come
// between the keys and the input that they modify.
void put_before(std::vector<Step>& steps, Batch events) {
    auto* first = steps.empty() ? nullptr : std::get_if<Batch>(&steps.front().effect);
    if (first != nullptr && fit_together(*first, events))
        first->insert(first->begin(), events.begin(), events.end());
    else
        steps.insert(steps.begin(), Step{std::move(events)});
}

void put_after(std::vector<Step>& steps, Batch events) {
    auto* last = steps.empty() ? nullptr : std::get_if<Batch>(&steps.back().effect);
    // If the plan waits after its last step, the keys stay pressed for that time.
    if (last != nullptr && steps.back().wait.count() <= 0 && fit_together(*last, events))
        last->insert(last->end(), events.begin(), events.end());
    else
        steps.push_back(Step{std::move(events)});
}

// Keeps events that belong together in one batch.
class BatchWriter {
public:
    explicit BatchWriter(std::size_t max_events) : max_events_(max_events) {}
    void add(const Batch& events) {
        if (!batch_.empty() && batch_.size() + events.size() > max_events_) flush();
        batch_.insert(batch_.end(), events.begin(), events.end());
    }
    Plan finish() && {
        if (!batch_.empty()) flush();
        return std::move(plan_);
    }

private:
    void flush() { plan_.steps.push_back(Step{std::exchange(batch_, {})}); }

    std::size_t max_events_;
    Plan plan_;
    Batch batch_;
};

Batch tapped(NamedKey key) { return {KeyChange{key, Press::down}, KeyChange{key, Press::up}}; }

} // namespace

Plan move(Point to) { return in_one_batch({PointerMove{to}}, {to}); }

Plan click(Point at, Button button, int times) {
    if (times < 1 || times > 3) throw std::invalid_argument("a click has one to three presses");
    Batch batch{PointerMove{at}};
    append_clicks(batch, button, times);
    return in_one_batch(std::move(batch), {at});
}

Plan click_here(Button button) {
    Batch batch;
    append_clicks(batch, button, 1);
    return in_one_batch(std::move(batch), {});
}

Plan press_and_hold(Point at, std::chrono::milliseconds time, Button button) {
    return {{Step{Batch{PointerMove{at}, ButtonChange{button, Press::down}}, time},
             released_at(at, button)},
            {at}};
}

Plan drag(Point from, Point to, const DragOptions& options) {
    return drag_along(std::array{from, to}, options);
}

Plan drag_along(std::span<const Point> path, const DragOptions& options) {
    const auto [button, steps, step_wait] = options;
    if (path.size() < 2) throw std::invalid_argument("a drag needs at least two points");
    if (steps < 1) throw std::invalid_argument("a drag needs at least one step");
    Plan plan;
    plan.targets.assign(path.begin(), path.end());
    plan.steps.push_back(
        Step{Batch{PointerMove{path.front()}, ButtonChange{button, Press::down}}, step_wait});
    const std::vector<int> on_leg = steps_on_legs(path, steps);
    for (std::size_t leg = 0; leg < on_leg.size(); ++leg)
        for (int i = 1; i <= on_leg[leg]; ++i)
            plan.steps.push_back(Step{
                Batch{PointerMove{between(path[leg], path[leg + 1], i, on_leg[leg])}}, step_wait});
    plan.steps.push_back(released_at(path.back(), button));
    return plan;
}

Plan scroll(Point at, int notches, Axis axis) {
    Batch batch{PointerMove{at}};
    if (notches != 0) batch.emplace_back(WheelTurn{notches, axis});
    return in_one_batch(std::move(batch), {at});
}

Plan press(const KeyChord& chord) { return holding(chord, {}); }

Plan holding(const KeyChord& keys, Plan what) {
    Batch downs;
    Batch ups;
    for (const Key& key : keys.keys) downs.emplace_back(KeyChange{key, Press::down});
    for (auto key = keys.keys.rbegin(); key != keys.keys.rend(); ++key)
        ups.emplace_back(KeyChange{*key, Press::up});
    put_before(what.steps, std::move(downs));
    put_after(what.steps, std::move(ups));
    return what;
}

Plan type(std::string_view utf8, std::chrono::milliseconds wait) {
    if (const auto problem = typing_problem(utf8); !problem.empty())
        throw std::invalid_argument(problem);
    BatchWriter writer(wait > std::chrono::milliseconds(0) ? 1 : max_events_in_a_batch);
    for (std::size_t at = 0; at < utf8.size();) {
        const auto decoded = base::utf8::decode(utf8, at);
        at += decoded.length;
        switch (decoded.scalar) {
        case U'\r':
            if (at < utf8.size() && utf8[at] == '\n') ++at;
            [[fallthrough]];
        case U'\n':
            writer.add(tapped(NamedKey::enter));
            break;
        case U'\t':
            writer.add(tapped(NamedKey::tab));
            break;
        default:
            writer.add({TypedScalar{decoded.scalar}});
            break;
        }
    }
    Plan plan = std::move(writer).finish();
    for (std::size_t i = 0; i + 1 < plan.steps.size(); ++i) plan.steps[i].wait = wait;
    return plan;
}

Plan paste(std::string_view utf8, const KeyChord& chord, std::chrono::milliseconds time_to_read) {
    check_text(utf8, "the text to paste");
    Plan plan = press(chord);
    plan.steps.insert(plan.steps.begin(), Step{ClipboardWrite{std::string(utf8)}});
    plan.steps.back().wait = time_to_read;
    plan.steps.push_back(Step{ClipboardRestore{}});
    return plan;
}

std::string typing_problem(std::string_view utf8) {
    if (const auto at = base::utf8::first_invalid(utf8))
        return "the text is not valid UTF-8 at byte " + std::to_string(*at);
    if (const auto at = utf8.find('\0'); at != std::string_view::npos)
        return "the text has a NUL character at byte " + std::to_string(at) +
               ", which no key types";
    return {};
}

} // namespace eyehand::winio::gesture
