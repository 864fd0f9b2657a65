#include "eyehand/winio/screen_watch.hpp"

#include "eyehand/winio/reaction.hpp"
#include "moved_by.hpp"
#include "regions.hpp"
#include "screen_state.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::winio {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Time = ScreenWatch::Time;

constexpr seconds remembered_time{30};
constexpr milliseconds quiet{300};
constexpr std::size_t changes_of_ambient_cells = 4;
constexpr std::size_t max_changes = 16; // that are kept for each cell
constexpr int max_pause_in_gaps = 3;
/// Fewer connected cells are not a change: about a letter.
constexpr int min_change = 4;

/// The cells of an area.
class Grid {
public:
    explicit Grid(Size size)
        : size_(size), columns_((size.width + cell_side - 1) / cell_side),
          rows_((size.height + cell_side - 1) / cell_side) {}

    [[nodiscard]] std::size_t cells() const {
        return static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_);
    }
    [[nodiscard]] int columns() const { return columns_; }
    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] std::size_t index(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
               static_cast<std::size_t>(column);
    }
    [[nodiscard]] Rect rect(int column, int row) const {
        return intersection({column * cell_side, row * cell_side, cell_side, cell_side},
                            {0, 0, size_.width, size_.height});
    }
    template <typename Call>
    void for_cells(const Rect& rect, Call call) const {
        for (int row = rect.y / cell_side; row * cell_side < rect.bottom(); ++row)
            for (int column = rect.x / cell_side; column * cell_side < rect.right(); ++column)
                call(index(column, row));
    }

private:
    Size size_;
    int columns_;
    int rows_;
};

using Mask = std::vector<std::uint8_t>; ///< one entry for each cell

Mask differing_cells(const Grid& grid, const Image& before, const Image& after, int dpi) {
    Mask mask(grid.cells(), 0);
    for (const Rect& rect : differing_rects(before, after, dpi))
        grid.for_cells(rect, [&](std::size_t cell) { mask[cell] = 1; });
    return mask;
}

void leave_out(Mask& mask, const Mask& ambient) {
    for (std::size_t cell = 0; cell < mask.size(); ++cell)
        if (ambient[cell] != 0) mask[cell] = 0;
}

/// The bounding rectangles of connected cells, from `smallest` cells on; clears the mask.
std::vector<Rect> connected(const Grid& grid, Mask& mask, int smallest) {
    std::vector<Rect> found;
    std::vector<std::pair<int, int>> open;
    const auto take = [&](int column, int row) {
        if (column < 0 || row < 0 || column >= grid.columns() || row >= grid.rows()) return;
        if (std::exchange(mask[grid.index(column, row)], std::uint8_t{0}) != 0)
            open.emplace_back(column, row);
    };
    for (int row = 0; row < grid.rows(); ++row) {
        for (int column = 0; column < grid.columns(); ++column) {
            take(column, row);
            int cells = 0;
            Rect bounds{};
            while (!open.empty()) {
                const auto [x, y] = open.back();
                open.pop_back();
                bounds = cells == 0 ? grid.rect(x, y) : bounding_rect(bounds, grid.rect(x, y));
                ++cells;
                for (int dy = -1; dy <= 1; ++dy)
                    for (int dx = -1; dx <= 1; ++dx) take(x + dx, y + dy);
            }
            if (cells >= smallest) found.push_back(bounds);
        }
    }
    return found;
}

bool is_ambient(const std::vector<Time>& changes, Time now) {
    const auto first =
        std::ranges::find_if(changes, [&](Time change) { return now - change <= remembered_time; });
    if (changes.end() - first < static_cast<std::ptrdiff_t>(changes_of_ambient_cells)) return false;
    Time::duration gap{};
    for (auto change = first + 1; change != changes.end(); ++change)
        gap = std::max(gap, *change - *(change - 1));
    return now - changes.back() <= max_pause_in_gaps * gap;
}

Mask ambient_cells(const Grid& grid, const std::vector<std::vector<Time>>& cells, Time now) {
    Mask ambient(grid.cells(), 0);
    std::size_t count = 0;
    for (int row = 0; row < grid.rows(); ++row) {
        for (int column = 0; column < grid.columns(); ++column) {
            const auto& changes = cells[grid.index(column, row)];
            if (changes.size() < changes_of_ambient_cells || !is_ambient(changes, now)) continue;
            ++count;
            // With its neighbors: the digits of a clock beside the one that changes most often.
            for (int y = std::max(row - 1, 0); y <= std::min(row + 1, grid.rows() - 1); ++y)
                for (int x = std::max(column - 1, 0); x <= std::min(column + 1, grid.columns() - 1);
                     ++x)
                    ambient[grid.index(x, y)] = 1;
        }
    }
    if (count > grid.cells() / 2) std::ranges::fill(ambient, std::uint8_t{0});
    return ambient;
}

/// What `windows_reacted` compares, except titles: a title that changes is visible, or does not
/// matter.
std::vector<WindowInfo> untitled(std::vector<WindowInfo> windows) {
    for (WindowInfo& window : windows) window.title.clear();
    return windows;
}

bool windows_differ(const std::optional<std::vector<WindowInfo>>& a,
                    const std::optional<std::vector<WindowInfo>>& b) {
    return a && b && windows_reacted(*a, *b);
}

/// The windows of either list that the other one does not have in the same form.
std::vector<Rect> different_windows(const std::vector<WindowInfo>& before,
                                    const std::vector<WindowInfo>& after, const Rect& area) {
    std::vector<Rect> rects;
    const auto add = [&](const std::vector<WindowInfo>& from,
                         const std::vector<WindowInfo>& other) {
        for (const WindowInfo& window : from) {
            const auto same = std::ranges::find(other, window.id, &WindowInfo::id);
            if (same != other.end() && same->foreground == window.foreground &&
                same->bounds == window.bounds)
                continue;
            const Rect visible = intersection(window.bounds, area);
            if (!visible.empty() && std::ranges::find(rects, visible) == rects.end())
                rects.push_back(visible);
        }
    };
    add(after, before);
    add(before, after);
    if (rects.empty()) rects.push_back(area); // a window elsewhere has the keyboard focus
    return rects;
}

} // namespace

void ScreenWatch::start(const ScreenState& seen, Time now, int dpi) {
    dpi_ = dpi;
    const Grid grid(seen.frame.pixels.size());
    if (area_of(seen.frame) != area_of(seen_.frame)) cells_.assign(grid.cells(), {});
    for (Changes& changes : cells_)
        std::erase_if(changes, [&](Time change) { return now - change > remembered_time; });
    seen_.frame = seen.frame;
    seen_.windows = seen.windows ? std::optional(untitled(*seen.windows)) : std::nullopt;
    latest_ = seen_;
    noted_now_ = false;
    moved_ = false;
    first_change_.reset();
    latest_change_.reset();
    changed_.clear();
}

void ScreenWatch::note(const ScreenState& state, Time now) {
    changed_.clear();
    noted_ = now;
    // The difference from `seen` may come from before the watch, or have been recorded already.
    const bool records = std::exchange(noted_now_, true);
    if (area_of(state.frame) != area_of(seen_.frame)) { // another display
        if (area_of(state.frame) != area_of(latest_.frame)) latest_change_ = now;
        latest_ = state;
        if (now - latest_change_.value_or(now) >= quiet) changed_ = {area_of(state.frame)};
        return;
    }
    const Grid grid(state.frame.pixels.size());
    const bool comparable = area_of(latest_.frame) == area_of(state.frame);
    Mask moved = comparable ? differing_cells(grid, latest_.frame.pixels, state.frame.pixels, dpi_)
                            : Mask(grid.cells(), 1);
    const bool any = std::ranges::any_of(moved, [](std::uint8_t cell) { return cell != 0; });
    moved_ = moved_ || any;
    for (std::size_t cell = 0; cell < moved.size(); ++cell) {
        if (moved[cell] == 0 || !records) continue;
        Changes& changes = cells_[cell];
        std::erase_if(changes, [&](Time change) { return now - change > remembered_time; });
        if (changes.size() >= max_changes) changes.erase(changes.begin());
        changes.push_back(now);
    }
    const Mask ambient = ambient_cells(grid, cells_, now);
    leave_out(moved, ambient);
    std::optional<std::vector<WindowInfo>> windows =
        state.windows ? std::optional(untitled(*state.windows)) : std::nullopt;
    if (!connected(grid, moved, min_change).empty() || windows_differ(latest_.windows, windows))
        latest_change_ = now;
    if (latest_change_ && !first_change_) first_change_ = latest_change_;
    if (any) latest_.frame = state.frame;              // a large copy
    if (windows) latest_.windows = std::move(windows); // otherwise they cannot be listed now
    if (!latest_change_) {
        if (!moved_) return;
        // A cell that has stopped changing by itself differs, although nothing has changed now.
        Mask stopped = differing_cells(grid, seen_.frame.pixels, latest_.frame.pixels, dpi_);
        leave_out(stopped, ambient);
        if (connected(grid, stopped, min_change).empty()) return;
        latest_change_ = now;
        first_change_ = now;
    }
    if (now - *latest_change_ < quiet) return;
    changed_ = differing();
}

std::vector<Rect> ScreenWatch::differing() const {
    if (area_of(latest_.frame) != area_of(seen_.frame)) return {area_of(latest_.frame)};
    const Grid grid(seen_.frame.pixels.size());
    Mask mask = differing_cells(grid, seen_.frame.pixels, latest_.frame.pixels, dpi_);
    if (noted_) leave_out(mask, ambient_cells(grid, cells_, *noted_));
    std::vector<Rect> rects = moved_by(connected(grid, mask, min_change), seen_.frame.origin);
    if (rects.empty() && windows_differ(seen_.windows, latest_.windows))
        rects = different_windows(*seen_.windows, *latest_.windows, area_of(seen_.frame));
    return rects;
}

std::vector<Rect> ScreenWatch::ambient() const {
    const Grid grid(seen_.frame.pixels.size());
    if (!noted_ || grid.cells() != cells_.size()) return {};
    const Mask ambient = ambient_cells(grid, cells_, *noted_);
    std::vector<Rect> rects;
    for (int row = 0; row < grid.rows(); ++row) {
        for (int column = 0; column < grid.columns(); ++column) {
            if (ambient[grid.index(column, row)] == 0) continue;
            const Rect cell = grid.rect(column, row);
            if (!rects.empty() && rects.back().y == cell.y && rects.back().right() == cell.x)
                rects.back().width += cell.width;
            else
                rects.push_back(cell);
        }
    }
    return moved_by(std::move(rects), seen_.frame.origin);
}

milliseconds watch_interval(std::chrono::microseconds cost_of_a_look) {
    constexpr milliseconds min_interval{100};
    constexpr int percent = 3;
    return std::max(min_interval,
                    std::chrono::duration_cast<milliseconds>(cost_of_a_look * 100 / percent));
}

} // namespace eyehand::winio
