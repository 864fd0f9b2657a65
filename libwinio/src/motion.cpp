#include "motion.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace winio {
namespace {

using std::chrono::milliseconds;

// About one character: what streams in is done with such a cell after a look or two, and a bar that
// fills fast enough to be seen moving is through with it before it looks restless.
constexpr int cell_side = 8;

// There, back, and there again: a button that is pressed and let go of changes only twice.
constexpr std::uint32_t changes_of_what_comes_back = 3;

// What never looks the same twice has to keep on for longer. A bar that fills pixel by pixel
// changes a cell `cell_side` times and is gone; half a second of changes at one place is a spinner
// or a picture that moves.
constexpr std::uint32_t changes_of_the_restless = 12;
constexpr milliseconds time_of_the_restless{500};

// What pauses for much longer than between its earlier changes has ended, and its last change was
// a real one.
constexpr int longest_pause_in_gaps = 3;

// Toggling regions are small: carets, spinners, clocks are below a hundredth of a Full HD screen
// (144x144 pixels). A video or a text that scrolls is larger and has to be waited for. In a small
// area a spinner may still be the size of a large icon, but not most of what there is to see.
constexpr std::int64_t smallest_limit = std::int64_t{64} * 64;
std::int64_t most_toggling_pixels(Size size) {
    const auto area = static_cast<std::int64_t>(size.width) * size.height;
    return std::min(std::max(area / 100, smallest_limit), area / 4);
}

using TwoPixels = std::uint64_t;
constexpr auto colours_of_two =
    std::bit_cast<TwoPixels>(std::array<std::uint8_t, 8>{255, 255, 255, 0, 255, 255, 255, 0});

// Of the colours alone: a difference in alpha is none.
std::uint64_t look_of(const ImageView& image, const Rect& area) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15; // the golden ratio's, as for hash tables
    std::uint64_t hash = odd;
    for (int y = area.y; y < area.bottom(); ++y) {
        const auto row = image.row(y).subspan(static_cast<std::size_t>(area.x) * 4,
                                              static_cast<std::size_t>(area.width) * 4);
        for (std::size_t at = 0; at < row.size(); at += sizeof(TwoPixels)) {
            TwoPixels pixels = 0;
            std::memcpy(&pixels, &row[at], std::min(sizeof pixels, row.size() - at));
            hash = (hash ^ (pixels & colours_of_two)) * odd;
            hash ^= hash >> 32U;
        }
    }
    return hash;
}

std::uint32_t cells_along(int extent) {
    return static_cast<std::uint32_t>((std::max(extent, 0) + cell_side - 1) / cell_side);
}

bool same_bytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// Marks the columns of cells in which two rows differ.
void compare_rows(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after,
                  std::vector<std::uint8_t>& dirty) {
    if (same_bytes(before, after)) return; // on a desktop nearly all rows
    constexpr std::size_t cell_bytes = cell_side * std::size_t{4};
    for (std::size_t column = 0; column < dirty.size(); ++column) {
        const std::size_t left = column * cell_bytes;
        const std::size_t length = std::min(cell_bytes, before.size() - left);
        if (dirty[column] == 0)
            dirty[column] = !same_bytes(before.subspan(left, length), after.subspan(left, length));
    }
}

// Cells, row by row, become rectangles: first those side by side, then such runs of one width.
class RectBuilder {
public:
    void add(const Rect& cell) {
        if (!row_.empty() && row_.back().y != cell.y) finish_row();
        if (!row_.empty() && row_.back().right() == cell.x)
            row_.back().width += cell.width;
        else
            row_.push_back(cell);
    }
    std::vector<Rect> finish() && {
        finish_row();
        finish_row(); // nothing goes on below the last row
        std::ranges::sort(done_, {}, [](const Rect& rect) { return std::tuple(rect.y, rect.x); });
        return std::move(done_);
    }

private:
    void finish_row() {
        for (Rect& run : row_) {
            const auto above = std::ranges::find_if(open_, [&](const Rect& rect) {
                return rect.x == run.x && rect.width == run.width && rect.bottom() == run.y;
            });
            if (above == open_.end()) continue;
            run = bounding_rect(*above, run);
            open_.erase(above);
        }
        done_.insert(done_.end(), open_.begin(), open_.end());
        open_ = std::exchange(row_, {});
    }

    std::vector<Rect> done_;
    std::vector<Rect> open_; // that the row now read may continue
    std::vector<Rect> row_;
};

} // namespace

void Motion::start(Size size) {
    for (const Cell& cell : cells_) place_[cell.index] = 0;
    if (size != size_) {
        cells_.clear();
        size_ = size;
        columns_ = cells_along(size.width);
        place_.assign(std::size_t{columns_} * cells_along(size.height), 0);
        dirty_.assign(columns_, 0);
    }
    std::erase_if(cells_, [this](const Cell& cell) { return !is_known_to_toggle(cell); });
    for (Cell& cell : cells_) {
        cell = Cell{.index = cell.index, .toggled_before = true};
        place_[cell.index] = static_cast<std::uint32_t>(&cell - cells_.data()) + 1;
    }
}

void Motion::note(const ImageView& before, const ImageView& after, Time now) {
    if (before.size() != size_ || after.size() != size_)
        throw std::invalid_argument("two looks differ in size");
    latest_look_ = now;
    for (int top = 0; top < size_.height; top += cell_side) {
        std::ranges::fill(dirty_, std::uint8_t{0});
        for (int y = top; y < std::min(top + cell_side, size_.height); ++y)
            compare_rows(before.row(y), after.row(y), dirty_);
        const std::uint32_t first = static_cast<std::uint32_t>(top / cell_side) * columns_;
        for (std::uint32_t column = 0; column < columns_; ++column)
            if (dirty_[column] != 0) note_cell(first + column, before, after);
    }
}

void Motion::note_cell(std::uint32_t index, const ImageView& before, const ImageView& after) {
    const Rect area = area_of(index);
    const std::uint64_t look = look_of(after, area);
    const std::uint64_t old_look = look_of(before, area);
    if (look == old_look) return;
    Cell& cell = cell_at(index);
    if (cell.changes == 0) {
        cell.look_at_first = cell.look_before = cell.look = old_look;
        cell.first_change = latest_look_;
    } else if (look == cell.look_at_first || look == cell.look_before) {
        cell.came_back = true;
    }
    ++cell.changes;
    cell.look_before = std::exchange(cell.look, look);
    cell.last_change = latest_look_;
}

Motion::Cell& Motion::cell_at(std::uint32_t index) {
    if (place_[index] == 0) {
        cells_.push_back({.index = index});
        place_[index] = static_cast<std::uint32_t>(cells_.size());
    }
    return cells_[place_[index] - 1];
}

std::optional<Motion::Time> Motion::latest_change(Toggling toggling) const {
    std::optional<Time> of_all;
    std::optional<Time> of_the_rest;
    std::size_t ignored = 0;
    for (const Cell& cell : cells_) {
        if (cell.changes == 0) continue;
        of_all = std::max(of_all, std::optional(cell.last_change));
        if (cell.toggled_before || toggles(cell))
            ++ignored;
        else
            of_the_rest = std::max(of_the_rest, std::optional(cell.last_change));
    }
    return toggling == Toggling::is_ignored && few(ignored) ? of_the_rest : of_all;
}

std::vector<Rect> Motion::changed(Toggling toggling) const {
    const auto toggling_cells = static_cast<std::size_t>(std::ranges::count_if(
        cells_, [this](const Cell& cell) { return is_known_to_toggle(cell); }));
    const bool all = toggling == Toggling::counts || !few(toggling_cells);
    return rects_of([&](const Cell& cell) {
        return cell.look != cell.look_at_first && (all || !is_known_to_toggle(cell));
    });
}

std::vector<Rect> Motion::toggling() const {
    const auto is_toggling = [this](const Cell& cell) { return is_known_to_toggle(cell); };
    if (!few(static_cast<std::size_t>(std::ranges::count_if(cells_, is_toggling)))) return {};
    return rects_of(is_toggling);
}

bool Motion::toggles(const Cell& cell) const {
    const auto time = cell.last_change - cell.first_change;
    const bool comes_back = cell.came_back && cell.changes >= changes_of_what_comes_back;
    const bool is_restless =
        cell.changes >= changes_of_the_restless && time >= time_of_the_restless;
    if (!comes_back && !is_restless) return false;
    return latest_look_ - cell.last_change <= time / (cell.changes - 1) * longest_pause_in_gaps;
}

// A single change of what toggled in the watch before may as well be its end.
bool Motion::is_known_to_toggle(const Cell& cell) const {
    return toggles(cell) || (cell.toggled_before && cell.changes > 1);
}

bool Motion::few(std::size_t toggling_cells) const {
    constexpr std::int64_t pixels_of_a_cell = std::int64_t{cell_side} * cell_side;
    return static_cast<std::int64_t>(toggling_cells) * pixels_of_a_cell <=
           most_toggling_pixels(size_);
}

Rect Motion::area_of(std::uint32_t index) const {
    const int x = static_cast<int>(index % columns_) * cell_side;
    const int y = static_cast<int>(index / columns_) * cell_side;
    return {x, y, std::min(cell_side, size_.width - x), std::min(cell_side, size_.height - y)};
}

template <typename Wanted>
std::vector<Rect> Motion::rects_of(Wanted wanted) const {
    std::vector<std::uint32_t> indices;
    for (const Cell& cell : cells_)
        if (wanted(cell)) indices.push_back(cell.index);
    std::ranges::sort(indices);

    RectBuilder builder;
    for (const std::uint32_t index : indices) builder.add(area_of(index));
    return std::move(builder).finish();
}

} // namespace winio
