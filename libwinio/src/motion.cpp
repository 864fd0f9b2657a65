#include "motion.hpp"

#include "same_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace eyehand::winio {
namespace {

using std::chrono::milliseconds;

// About the size of a character. Text that streams in changes such a cell only once or twice, and a
// bar that fills visibly passes through it before the cell counts as toggling.
constexpr int cell_pixels = 8;

// A button that is hovered and pressed returns once to an earlier look, and a region that flickers
// before it disappears returns once to its first look.
constexpr std::uint32_t returns_of_what_toggles = 2;

// A cell that never looks the same twice must change for longer. A bar that fills pixel by pixel
// changes a cell only `cell_pixels` times, and a fade or slide takes about half a second. A cell that
// changes for longer belongs to a spinner or an animation.
constexpr std::uint32_t changes_of_what_goes_on = 12;
constexpr milliseconds time_of_what_goes_on{750};

// If a cell pauses for much longer than between its earlier changes, its toggling has ended, and
// its last change was a real one. A dot of a spinner that is lit for an eighth of each turn pauses
// twice as long as its average gap.
constexpr int longest_pause_in_gaps = 3;

// A new look after back, forth and back again does not belong to a spinner.
constexpr std::uint32_t known_looks_before_a_surprise = 3;

// Toggling regions are small: carets, spinners and clocks are smaller than a hundredth of a Full HD
// screen (144x144 pixels). A video or scrolling text is larger and must be waited for. In a small
// area, a spinner may still be as large as a large icon, but must not fill most of the area.
constexpr std::int64_t smallest_limit = std::int64_t{64} * 64;
std::int64_t max_toggling_pixels(Size size) {
    const auto area = static_cast<std::int64_t>(size.width) * size.height;
    return std::min(std::max(area / 100, smallest_limit), area / 4);
}

using TwoPixels = std::uint64_t;
constexpr auto colors_of_two =
    std::bit_cast<TwoPixels>(std::array<std::uint8_t, 8>{255, 255, 255, 0, 255, 255, 255, 0});

// A hash of the colors only: a difference in alpha does not count.
std::uint64_t look_of(const ImageView& image, const Rect& area) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15; // from the golden ratio, as in hash tables
    std::uint64_t hash = odd;
    for (int y = area.y; y < area.bottom(); ++y) {
        const auto row = image.row(y).subspan(static_cast<std::size_t>(area.x) * 4,
                                              static_cast<std::size_t>(area.width) * 4);
        for (std::size_t at = 0; at < row.size(); at += sizeof(TwoPixels)) {
            TwoPixels pixels = 0;
            std::memcpy(&pixels, &row[at], std::min(sizeof pixels, row.size() - at));
            hash = (hash ^ (pixels & colors_of_two)) * odd;
            hash ^= hash >> 32U;
        }
    }
    return hash;
}

std::uint32_t cells_along(int extent) {
    return static_cast<std::uint32_t>((std::max(extent, 0) + cell_pixels - 1) / cell_pixels);
}

// Marks the columns of cells in which two rows differ.
void compare_rows(std::span<const std::uint8_t> before, std::span<const std::uint8_t> after,
                  std::vector<std::uint8_t>& dirty) {
    if (same_bytes(before, after)) return; // true for nearly all rows of a desktop
    constexpr std::size_t cell_bytes = cell_pixels * std::size_t{4};
    for (std::size_t column = 0; column < dirty.size(); ++column) {
        const std::size_t left = column * cell_bytes;
        const std::size_t length = std::min(cell_bytes, before.size() - left);
        if (dirty[column] == 0)
            dirty[column] = !same_bytes(before.subspan(left, length), after.subspan(left, length));
    }
}

// Merges cells, row by row, into rectangles: first adjacent cells of a row, then equal runs of
// adjacent rows.
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
        finish_row(); // nothing continues below the last row
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
    std::vector<Rect> open_; // that the current row may continue
    std::vector<Rect> row_;
};

} // namespace

void Motion::start(Size size) {
    ignored_.clear();
    if (size == size_)
        carry_over();
    else
        resize(size);
}

void Motion::ignore(const std::vector<Rect>& regions) {
    std::vector<std::uint8_t> ignored(place_.size());
    for (const Rect& region : regions) {
        const Rect inside = intersection(region, {0, 0, size_.width, size_.height});
        for (int y = inside.y / cell_pixels; y * cell_pixels < inside.bottom(); ++y)
            for (int x = inside.x / cell_pixels; x * cell_pixels < inside.right(); ++x)
                ignored[static_cast<std::size_t>(y) * columns_ + static_cast<std::size_t>(x)] = 1;
    }
    const auto count = static_cast<std::size_t>(std::ranges::count(ignored, 1));
    if (count > 0 && count * 2 <= ignored.size()) ignored_ = std::move(ignored);
}

void Motion::carry_over() {
    const bool any = few_toggle();
    for (const Cell& cell : cells_) place_[cell.index] = 0;
    std::erase_if(cells_, [&](const Cell& cell) { return !any || !toggles(cell); });
    for (Cell& cell : cells_) {
        const Evidence& before = cell.evidence;
        cell = {.index = cell.index,
                .evidence = {.known_in_a_row = before.known_in_a_row,
                             .goes_on = before.goes_on,
                             .known = before.known,
                             .gap_before = usual_gap(before)}};
        place_[cell.index] = static_cast<std::uint32_t>(&cell - cells_.data()) + 1;
    }
}

void Motion::resize(Size size) {
    const std::uint32_t columns = cells_along(size.width);
    std::vector<std::uint32_t> place(std::size_t{columns} * cells_along(size.height));
    std::vector<std::uint8_t> dirty(columns);
    // Nothing throws from here on.
    cells_.clear();
    place_.swap(place);
    dirty_.swap(dirty);
    columns_ = columns;
    size_ = size;
}

void Motion::note(const Image& before, const Image& after, Time now) {
    if (before.size() != size_ || after.size() != size_)
        throw std::invalid_argument("the images and the watch differ in size");
    latest_look_ = now;
    const RowRange rows = after.rows_that_may_differ(before);
    for (int top = rows.first - rows.first % cell_pixels; top < rows.end(); top += cell_pixels) {
        std::ranges::fill(dirty_, std::uint8_t{0});
        for (int y = top; y < std::min(top + cell_pixels, size_.height); ++y)
            compare_rows(before.row(y), after.row(y), dirty_);
        const std::uint32_t first = static_cast<std::uint32_t>(top / cell_pixels) * columns_;
        for (std::uint32_t column = 0; column < columns_; ++column)
            if (dirty_[column] != 0 && (ignored_.empty() || ignored_[first + column] == 0))
                note_cell(first + column, before.view(), after.view());
    }
}

void Motion::note_cell(std::uint32_t index, const ImageView& before, const ImageView& after) {
    const Rect area = area_of(index);
    const Look look = look_of(after, area);
    const Look old_look = look_of(before, area);
    if (look == old_look) return;
    Cell& cell = cell_at(index);
    if (cell.evidence.changes == 0) cell.look_at_first = old_look;
    cell.look = look;
    note_look(cell.evidence, look, cell.look_at_first, latest_look_);
}

void Motion::note_look(Evidence& evidence, Look look, Look look_at_first, Time now) {
    const bool is_surprise = evidence.known_in_a_row >= known_looks_before_a_surprise &&
                             look != look_at_first && !evidence.known.contain(look);
    if (is_surprise) evidence = {};
    if (evidence.changes == 0) {
        evidence.known.add(look_at_first);
        evidence.first_change = now;
    }
    if (evidence.known.contain(look)) {
        ++evidence.returns;
        ++evidence.known_in_a_row;
        evidence.came_to_first = evidence.came_to_first || look == look_at_first;
    } else {
        evidence.known_in_a_row = 0;
        evidence.known.add(look);
    }
    ++evidence.changes;
    evidence.last_change = now;
    evidence.goes_on = evidence.goes_on || (evidence.changes >= changes_of_what_goes_on &&
                                            now - evidence.first_change >= time_of_what_goes_on);
    if (!evidence.proven && is_proof(evidence)) evidence.proven = now;
}

bool Motion::is_proof(const Evidence& evidence) {
    const bool comes_back = evidence.returns >= returns_of_what_toggles && evidence.came_to_first;
    return comes_back || evidence.goes_on;
}

bool Motion::KnownLooks::contain(Look look) const {
    const auto known = std::span(looks_).first(std::min(added_, looks_.size()));
    return std::ranges::find(known, look) != known.end();
}

void Motion::KnownLooks::add(Look look) {
    if (!contain(look)) looks_[added_++ % looks_.size()] = look;
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
        if (cell.evidence.changes == 0) continue;
        const std::optional last_change = cell.evidence.last_change;
        of_all = std::max(of_all, last_change);
        if (is_as_expected(cell.evidence))
            ++ignored;
        else
            of_the_rest = std::max(of_the_rest, last_change);
    }
    return toggling == Toggling::is_ignored && few(ignored) ? of_the_rest : of_all;
}

std::vector<Rect> Motion::changed(Toggling toggling) const {
    const bool all = toggling == Toggling::counts || !few_toggle();
    return rects_of([&](const Cell& cell) {
        return cell.look != cell.look_at_first && (all || !toggles(cell));
    });
}

std::vector<Rect> Motion::progressed(Toggling toggling) const {
    const auto ignored = static_cast<std::size_t>(std::ranges::count_if(
        cells_, [this](const Cell& cell) { return is_as_expected(cell.evidence); }));
    const bool all = toggling == Toggling::counts || !few(ignored);
    return rects_of([&](const Cell& cell) {
        return cell.look != cell.look_at_first && (all || !is_as_expected(cell.evidence));
    });
}

std::vector<Rect> Motion::toggling() const {
    if (!few_toggle()) return {};
    return rects_of([this](const Cell& cell) { return toggles(cell); });
}

// A single change of a cell that toggled in the previous watch may be the end of its toggling.
bool Motion::toggles(const Cell& cell) const {
    return cell.evidence.changes > 1 && is_as_expected(cell.evidence);
}

// Whether the cell is proven to toggle and has not stopped since.
bool Motion::is_as_expected(const Evidence& evidence) const {
    if (evidence.changes == 0) return false;
    const auto longest_pause = usual_gap(evidence) * longest_pause_in_gaps;
    const bool proof_held =
        evidence.gap_before || (evidence.proven && latest_look_ - *evidence.proven > longest_pause);
    const bool looks_as_ever = evidence.goes_on || evidence.known_in_a_row > 0;
    return proof_held && looks_as_ever && latest_look_ - evidence.last_change <= longest_pause;
}

Motion::Time::duration Motion::usual_gap(const Evidence& evidence) {
    const auto before = evidence.gap_before.value_or(Time::duration::zero());
    if (evidence.changes < 2) return before;
    return std::max(before,
                    (evidence.last_change - evidence.first_change) / (evidence.changes - 1));
}

bool Motion::few_toggle() const {
    return few(static_cast<std::size_t>(
        std::ranges::count_if(cells_, [this](const Cell& cell) { return toggles(cell); })));
}

bool Motion::few(std::size_t toggling_cells) const {
    constexpr std::int64_t pixels_of_a_cell = std::int64_t{cell_pixels} * cell_pixels;
    return static_cast<std::int64_t>(toggling_cells) * pixels_of_a_cell <=
           max_toggling_pixels(size_);
}

Rect Motion::area_of(std::uint32_t index) const {
    const int x = static_cast<int>(index % columns_) * cell_pixels;
    const int y = static_cast<int>(index / columns_) * cell_pixels;
    return {x, y, std::min(cell_pixels, size_.width - x), std::min(cell_pixels, size_.height - y)};
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

} // namespace eyehand::winio
