#include "eyehand/winio/reaction.hpp"
#include "eyehand/winio/screen_watch.hpp"
#include "regions.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace eyehand::winio {
namespace {

// The cell with the target is in the middle.
constexpr int columns_beside = 4;
constexpr int rows_beside = 3;
constexpr int middle = 1;
constexpr int tolerance = 24;      // of a channel: a subtle shading is not another control
constexpr int part_of_a_cell = 32; // a cell differs if more than this part of its pixels differ
constexpr int part_of_patch = 8;   // a patch differs from this part of its cells on

bool differs(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, std::size_t at) {
    for (std::size_t channel = at; channel < at + 3; ++channel)
        if (std::abs(int{a[channel]} - int{b[channel]}) > tolerance) return true;
    return false;
}

/// Compares the surroundings of a target in two captures of the same area.
class Patch {
public:
    Patch(const Frame& seen, const Frame& now, const TargetCheck& how)
        : seen_(seen), now_(now), side_(std::max(scaled(cell_side, how.dpi), 1)), how_(how) {}

    [[nodiscard]] std::vector<Rect> compare(Point target, const std::optional<Rect>& window) const {
        const Rect frame{now_.origin.x, now_.origin.y, now_.pixels.width(), now_.pixels.height()};
        const Rect visible = window ? intersection(frame, *window) : frame;
        const Rect whole = intersection(cells(target, columns_beside, rows_beside), visible);
        if (whole.empty()) return {};
        const std::vector<Rect> regions = changed_in(whole);
        if (regions.empty()) return {};
        std::vector<Rect> different;
        int all = 0;
        bool at_target = false;
        for (int row = -rows_beside; row <= rows_beside; ++row) {
            for (int column = -columns_beside; column <= columns_beside; ++column) {
                const Rect cell = intersection(cell_at(target, column, row), visible);
                if (cell.empty()) continue;
                ++all;
                if (!differs_in(cell, regions)) continue;
                different.push_back(cell);
                at_target = at_target || (std::abs(column) <= middle && std::abs(row) <= middle);
            }
        }
        const bool rests = how_.pointer && whole.contains(*how_.pointer);
        const bool many = static_cast<int>(different.size()) * part_of_patch >= all;
        if (at_target || (many && !rests)) return {whole};
        return {};
    }

private:
    [[nodiscard]] Rect cell_at(Point target, int column, int row) const {
        return {target.x - side_ / 2 + column * side_, target.y - side_ / 2 + row * side_, side_,
                side_};
    }
    [[nodiscard]] Rect cells(Point target, int columns, int rows) const {
        return bounding_rect(cell_at(target, -columns, -rows), cell_at(target, columns, rows));
    }
    /// Regions that changed, without carets and ignored ones.
    [[nodiscard]] std::vector<Rect> changed_in(const Rect& part) const {
        // Larger than the patch, so that the edge of a wide region is not taken for a caret.
        const Rect more{part.x - side_, part.y - side_, part.width + 2 * side_,
                        part.height + 2 * side_};
        const auto cut = [&](const Frame& frame) {
            const Rect inside{more.x - frame.origin.x, more.y - frame.origin.y, more.width,
                              more.height};
            const Rect clipped =
                intersection(inside, {0, 0, frame.pixels.width(), frame.pixels.height()});
            return Frame{Image(frame.pixels.view().crop(clipped)),
                         {clipped.x + frame.origin.x, clipped.y + frame.origin.y},
                         {}};
        };
        return changed_regions(cut(seen_), cut(now_), how_.dpi);
    }
    [[nodiscard]] bool differs_in(const Rect& cell, const std::vector<Rect>& regions) const {
        if (std::ranges::none_of(
                regions, [&](const Rect& region) { return !intersection(region, cell).empty(); }))
            return false;
        const bool ignored = std::ranges::any_of(
            how_.ignored, [&](const Rect& region) { return !intersection(region, cell).empty(); });
        if (ignored) return false;
        int pixels = 0;
        const Rect at{cell.x - now_.origin.x, cell.y - now_.origin.y, cell.width, cell.height};
        for (int y = at.y; y < at.bottom(); ++y) {
            const auto a = seen_.pixels.row(y);
            const auto b = now_.pixels.row(y);
            for (int x = at.x; x < at.right(); ++x)
                if (differs(a, b, static_cast<std::size_t>(x) * 4)) ++pixels;
        }
        return pixels * part_of_a_cell > cell.width * cell.height;
    }

    const Frame& seen_;
    const Frame& now_;
    int side_;
    const TargetCheck& how_;
};

bool same_window(const WindowInfo* a, const WindowInfo* b) {
    if (a == nullptr || b == nullptr) return a == b;
    return a->id == b->id && a->process_id == b->process_id;
}

/// Whether the model could not expect the window that is there now.
bool is_another(const WindowInfo* then, const WindowInfo* there, const ScreenState& seen,
                const TargetCheck& how) {
    if (same_window(then, there)) return false;
    if (!how.clicked_process) return true;
    return there != nullptr && there->process_id != 0 &&
           there->process_id != *how.clicked_process &&
           std::ranges::none_of(*seen.windows, [&](const WindowInfo& window) {
               return same_window(&window, there);
           });
}

std::optional<StaleTarget> check_pointer(const ScreenState& seen, const ScreenState& now,
                                         const std::vector<Point>& targets, bool pixels,
                                         const TargetCheck& how) {
    for (const Point target : targets) {
        std::optional<Rect> bounds;
        if (seen.windows && now.windows) {
            const WindowInfo* then = window_at(*seen.windows, target);
            const WindowInfo* there = window_at(*now.windows, target);
            if (is_another(then, there, seen, how)) {
                std::vector<Rect> rects;
                if (there != nullptr) rects.push_back(there->bounds);
                return StaleTarget{StaleReason::window, std::move(rects)};
            }
            if (there != nullptr) bounds = there->bounds;
        }
        const bool same_area = seen.frame.origin == now.frame.origin &&
                               seen.frame.pixels.size() == now.frame.pixels.size();
        if (!pixels || !same_area) continue;
        std::vector<Rect> different = Patch(seen.frame, now.frame, how).compare(target, bounds);
        if (!different.empty()) return StaleTarget{StaleReason::appearance, std::move(different)};
    }
    return std::nullopt;
}

std::optional<StaleTarget> check_keyboard(const ScreenState& seen, const ScreenState& now,
                                          const TargetCheck& how) {
    if (!seen.windows || !now.windows) return std::nullopt;
    const WindowInfo* then = foreground_window(*seen.windows);
    const WindowInfo* there = foreground_window(*now.windows);
    if (then == nullptr) return std::nullopt; // unknown, as without a window manager
    if (is_another(then, there, seen, how)) {
        std::vector<Rect> rects;
        if (there != nullptr) rects.push_back(there->bounds);
        return StaleTarget{StaleReason::foreground, std::move(rects)};
    }
    if (!how.complete) return std::nullopt;
    std::set<WindowId> known;
    for (const WindowInfo& window : *seen.windows) known.insert(window.id);
    for (const WindowInfo& window : *now.windows)
        if (!window.title.empty() && window.process_id != 0 &&
            window.process_id == there->process_id && !known.contains(window.id))
            return StaleTarget{StaleReason::foreground, {window.bounds}};
    return std::nullopt;
}

std::optional<StaleTarget> check_commands(const ScreenState& seen, const ScreenState& now,
                                          const Plan& plan) {
    if (!seen.windows || !now.windows) return std::nullopt;
    for (const Step& step : plan.steps) {
        const auto* command = std::get_if<WindowCommand>(&step.effect);
        if (command == nullptr) continue;
        const auto then = std::ranges::find(*seen.windows, command->window, &WindowInfo::id);
        const auto there = std::ranges::find(*now.windows, command->window, &WindowInfo::id);
        if (then == seen.windows->end()) continue; // found otherwise, as by a title
        if (there == now.windows->end() || there->process_id != then->process_id)
            return StaleTarget{StaleReason::window, {then->bounds}};
    }
    return std::nullopt;
}

template <typename Wanted>
bool sends(const Plan& plan) {
    return std::ranges::any_of(plan.steps, [](const Step& step) {
        const auto* batch = std::get_if<Batch>(&step.effect);
        return batch != nullptr && std::ranges::any_of(*batch, [](const InputEvent& event) {
                   return std::holds_alternative<Wanted>(event);
               });
    });
}

/// Where buttons are pressed or the wheel is turned: both ends of a path, or the position of the
/// pointer. Empty for the keyboard.
std::vector<Point> points_of(const Plan& plan, std::optional<Point> pointer) {
    if (plan.targets.size() > 1) return {plan.targets.front(), plan.targets.back()};
    if (!plan.targets.empty()) return plan.targets;
    const bool here = sends<ButtonChange>(plan) || sends<WheelTurn>(plan);
    return here && pointer ? std::vector{*pointer} : std::vector<Point>{};
}

template <typename Wanted>
bool has(const Plan& plan) {
    return std::ranges::any_of(
        plan.steps, [](const Step& step) { return std::holds_alternative<Wanted>(step.effect); });
}

} // namespace

std::string_view to_string(StaleReason reason) noexcept {
    switch (reason) {
    case StaleReason::appearance:
        return "appearance";
    case StaleReason::window:
        return "window";
    case StaleReason::foreground:
        return "foreground";
    }
    return "?";
}

std::optional<StaleTarget> check_target(const ScreenState& seen, const ScreenState& now,
                                        const Plan& plan, const TargetCheck& how) {
    if (has<LaunchCommand>(plan)) return std::nullopt;
    if (has<WindowCommand>(plan)) return check_commands(seen, now, plan);
    const Expectation expected = expectation_of(plan);
    // A shortcut that copies changes nothing, but must reach the right window.
    if (expected == Expectation::nothing && !sends<KeyChange>(plan)) return std::nullopt;
    const std::vector<Point> points = points_of(plan, how.pointer);
    if (points.empty()) return check_keyboard(seen, now, how);
    return check_pointer(seen, now, points, how.complete && expected != Expectation::scroll, how);
}

} // namespace eyehand::winio
