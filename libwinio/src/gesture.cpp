#include "winio/gesture.hpp"

#include "utf8.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace winio::gesture {
namespace {

// What the reference systems send at once without losing characters.
constexpr std::size_t most_events_in_a_batch = 100;

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

// Events that belong together stay in one batch.
class BatchWriter {
public:
    void add(const Batch& events) {
        if (!batch_.empty() && batch_.size() + events.size() > most_events_in_a_batch) flush();
        batch_.insert(batch_.end(), events.begin(), events.end());
    }
    Plan finish() && {
        if (!batch_.empty()) flush();
        return std::move(plan_);
    }

private:
    void flush() { plan_.steps.push_back(Step{std::exchange(batch_, {})}); }

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

Plan drag(Point from, Point to, const DragOptions& options) {
    const auto [button, steps, step_wait] = options;
    if (steps < 1) throw std::invalid_argument("a drag needs at least one step");
    Plan plan;
    plan.targets = {from, to};
    plan.steps.push_back(
        Step{Batch{PointerMove{from}, ButtonChange{button, Press::down}}, step_wait});
    for (int i = 1; i <= steps; ++i)
        plan.steps.push_back(Step{Batch{PointerMove{between(from, to, i, steps)}}, step_wait});
    // Says once more where: the pointer may have been pushed meanwhile.
    plan.steps.push_back(Step{Batch{PointerMove{to}, ButtonChange{button, Press::up}}});
    return plan;
}

Plan scroll(Point at, int notches, Axis axis) {
    Batch batch{PointerMove{at}};
    if (notches != 0) batch.emplace_back(WheelTurn{notches, axis});
    return in_one_batch(std::move(batch), {at});
}

Plan press(const KeyChord& chord) {
    Batch batch;
    for (const Key& key : chord.keys) batch.emplace_back(KeyChange{key, Press::down});
    for (auto key = chord.keys.rbegin(); key != chord.keys.rend(); ++key)
        batch.emplace_back(KeyChange{*key, Press::up});
    return in_one_batch(std::move(batch), {});
}

Plan type(std::string_view utf8) {
    if (const auto problem = typing_problem(utf8); !problem.empty())
        throw std::invalid_argument(problem);
    BatchWriter writer;
    for (std::size_t at = 0; at < utf8.size();) {
        const auto decoded = utf8::decode(utf8, at);
        at += decoded->length;
        switch (decoded->scalar) {
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
            writer.add({TypedScalar{decoded->scalar}});
            break;
        }
    }
    return std::move(writer).finish();
}

std::string typing_problem(std::string_view utf8) {
    if (const auto at = utf8::first_invalid(utf8))
        return "the text is not valid UTF-8 at byte " + std::to_string(*at);
    if (const auto at = utf8.find('\0'); at != std::string_view::npos)
        return "the text has a NUL character at byte " + std::to_string(at) +
               ", which no key types";
    return {};
}

} // namespace winio::gesture
