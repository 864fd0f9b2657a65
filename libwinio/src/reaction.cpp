#include "eyehand/winio/reaction.hpp"

#include "eyehand/winio/error.hpp"
#include "overloaded.hpp"
#include "regions.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace eyehand::winio {
namespace {

bool is_any_of(const Key& key, std::span<const NamedKey> names) {
    const auto* named = std::get_if<NamedKey>(&key);
    return named != nullptr && std::ranges::find(names, *named) != names.end();
}

constexpr std::array other_modifiers{NamedKey::alt, NamedKey::windows};
// Keys that edit, or move in, the control with the focus.
constexpr std::array editing_keys{NamedKey::backspace, NamedKey::del,  NamedKey::space,
                                  NamedKey::tab,       NamedKey::home, NamedKey::end,
                                  NamedKey::up,        NamedKey::down, NamedKey::left,
                                  NamedKey::right,     NamedKey::shift};
constexpr std::array paging_keys{NamedKey::page_up, NamedKey::page_down};

/// What the events of a plan press, summed up.
struct Input {
    int presses = 0;            ///< of buttons
    bool moves_pressed = false; ///< the pointer moves while a button is pressed
    bool wheel = false;
    bool scalars = false;
    bool ctrl = false;
    bool shift = false;
    bool other_modifier = false; ///< Alt or the Windows key
    bool keys = false;
    Key last_key{}; ///< if `keys`

    void add(const InputEvent& event) {
        std::visit(overloaded{
                       [this](const PointerMove& move) {
                           moves_pressed = moves_pressed || (pressed_ > 0 && move.to != at_);
                           at_ = move.to;
                       },
                       [this](const ButtonChange& change) {
                           pressed_ += change.press == Press::down ? 1 : -1;
                           presses += change.press == Press::down ? 1 : 0;
                       },
                       [this](const WheelTurn&) { wheel = true; },
                       [this](const KeyChange& change) {
                           if (change.press != Press::down) return;
                           ctrl = ctrl || change.key == Key{NamedKey::ctrl};
                           shift = shift || change.key == Key{NamedKey::shift};
                           other_modifier =
                               other_modifier || is_any_of(change.key, other_modifiers);
                           keys = true;
                           last_key = change.key;
                           scalars = false;
                       },
                       [this](const TypedScalar&) {
                           scalars = true;
                           keys = false;
                       },
                   },
                   event);
    }

private:
    int pressed_ = 0;
    std::optional<Point> at_{}; ///< the pointer; empty before the first move
};

bool copies(const Input& input) {
    return input.ctrl && !input.shift && !input.other_modifier &&
           (input.last_key == Key{U'c'} || input.last_key == Key{NamedKey::insert});
}

Expectation expectation_of(const Input& input) {
    if (input.presses > 1 || (input.presses == 1 && input.moves_pressed))
        return Expectation::command;
    if (input.presses == 1) return Expectation::click;
    if (input.wheel) return Expectation::scroll;
    if (input.scalars) return Expectation::text;
    if (!input.keys) return Expectation::nothing;
    if (copies(input)) return Expectation::nothing;
    if (input.ctrl || input.other_modifier) return Expectation::command;
    if (is_any_of(input.last_key, paging_keys)) return Expectation::scroll;
    const bool edits =
        std::holds_alternative<char32_t>(input.last_key) || is_any_of(input.last_key, editing_keys);
    return edits ? Expectation::text : Expectation::command;
}

// The control under the target, or one that lost the focus or the pointer.
constexpr int control_width = 400;
constexpr int control_height = 64;
constexpr int target_radius = 24;

std::int64_t pixels_of(const Rect& rect) { return std::int64_t{rect.width} * rect.height; }

/// The child window at a point, if it is at most a quarter of its window.
std::optional<Rect> small_control(Desktop& desktop, const WindowInfo& window, Point at) {
    try {
        const auto control = desktop.windows()->control_at(window.id, at);
        if (control && pixels_of(*control) * 4 <= pixels_of(window.bounds)) return control;
    } catch (const Error&) { // NOLINT(bugprone-empty-catch): the capture reports a failed desktop
    }
    return std::nullopt;
}

} // namespace

Expectation expectation_of(const Plan& plan) {
    Input input;
    Expectation of_effect = Expectation::nothing;
    bool pastes = false;
    for (const Step& step : plan.steps)
        std::visit(overloaded{
                       [&](const Batch& batch) {
                           for (const InputEvent& event : batch) input.add(event);
                       },
                       [&](const ClipboardWrite&) { pastes = true; },
                       [](const ClipboardRestore&) {},
                       [&](const WindowCommand&) { of_effect = Expectation::command; },
                       [&](const LaunchCommand&) { of_effect = Expectation::launch; },
                   },
                   step.effect);
    if (of_effect != Expectation::nothing) return of_effect;
    const Expectation of_input = expectation_of(input);
    return pastes && of_input != Expectation::nothing ? Expectation::paste : of_input;
}

void prepare_reaction(Desktop& desktop, Capturer& capturer, const Rect& area, const Plan& plan,
                      BeforeAction& before) {
    before.expectation = expectation_of(plan);
    before.target = plan.targets.empty() ? std::nullopt : std::optional(plan.targets.back());
    if (!before.target && before.expectation == Expectation::click)
        before.target = desktop.pointer();
    before.dpi = 96;
    for (const Display& display : desktop.displays())
        if (before.target ? display.bounds.contains(*before.target) : display.primary)
            before.dpi = display.dpi;
    before.windows = listed_windows(desktop);
    before.process.clear();
    before.control.reset();
    if (before.windows) {
        const WindowInfo* window = before.target ? window_at(*before.windows, *before.target)
                                                 : foreground_window(*before.windows);
        if (window != nullptr) before.process = window->process;
        if (window != nullptr && before.target)
            before.control = small_control(desktop, *window, *before.target);
    }
    capturer.capture(area, before.frame); // last, so that it is as recent as possible
    before.acted = std::chrono::steady_clock::now();
}

std::string_view to_string(ReactionEnd end) noexcept {
    switch (end) {
    case ReactionEnd::reacted:
        return "reacted";
    case ReactionEnd::local_only:
        return "local_only";
    case ReactionEnd::no_reaction:
        return "no_reaction";
    case ReactionEnd::busy_timeout:
        return "busy_timeout";
    case ReactionEnd::timeout:
        return "timeout";
    }
    return "?";
}

bool are_other_windows(const std::vector<WindowInfo>& before,
                       const std::vector<WindowInfo>& after) {
    if (before.size() != after.size()) return true;
    return !std::ranges::all_of(before, [&](const WindowInfo& old) {
        const auto now = std::ranges::find(after, old.id, &WindowInfo::id);
        return now != after.end() && now->foreground == old.foreground;
    });
}

bool windows_reacted(const std::vector<WindowInfo>& before, const std::vector<WindowInfo>& after) {
    if (are_other_windows(before, after)) return true;
    const WindowInfo* old = foreground_window(before);
    const WindowInfo* now = foreground_window(after);
    return old != nullptr && now != nullptr &&
           (now->bounds != old->bounds || now->title != old->title);
}

Extent extent_of(const std::vector<Rect>& changed, std::optional<Point> target, int dpi,
                 std::optional<Rect> control) {
    if (changed.empty()) return Extent::nothing;
    if (control) {
        // Changes cover whole cells.
        const Rect covered{control->x - cell_side, control->y - cell_side,
                           control->width + 2 * cell_side, control->height + 2 * cell_side};
        std::vector<Rect> elsewhere;
        for (const Rect& rect : changed)
            if (intersection(rect, covered) != rect) elsewhere.push_back(rect);
        if (elsewhere.empty()) return Extent::local;
        if (elsewhere.size() < changed.size()) {
            // The control, and perhaps the one that lost the focus.
            const bool one = elsewhere.size() <= max_regions && components(elsewhere).size() == 1;
            return one ? extent_of(elsewhere, std::nullopt, dpi) : Extent::wide;
        }
    }
    if (changed.size() > max_regions) return Extent::wide;
    const std::vector<Rect> controls = components(changed);
    const bool small = std::ranges::all_of(controls, [&](const Rect& rect) {
        // Changes cover whole cells.
        return rect.width <= scaled(control_width, dpi) + 2 * cell_side &&
               rect.height <= scaled(control_height, dpi) + 2 * cell_side;
    });
    if (!small || controls.size() > 2) return Extent::wide;
    if (!target || controls.size() == 1) return Extent::local;
    const int radius = scaled(target_radius, dpi);
    const Rect disc{target->x - radius, target->y - radius, 2 * radius + 1, 2 * radius + 1};
    return std::ranges::any_of(controls,
                               [&](const Rect& rect) { return !intersection(rect, disc).empty(); })
               ? Extent::local
               : Extent::wide;
}

} // namespace eyehand::winio
