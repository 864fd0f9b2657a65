// What moves on a screen that is looked at again and again, and what only toggles.
//
// The screen is divided into cells. Progress passes through a cell and is done with it: text that
// streams in, a bar that fills, a window that paints itself change it a few times and leave it
// looking new. What toggles comes back to a look that the cell had before (a caret, a spinner and
// the background that it uncovers), or goes on and on in one place (a spinner that never draws the
// same picture twice).
#pragma once

#include "winio/image.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace winio {

/// Whether small regions that toggle count as moving.
enum class Toggling { counts, is_ignored };

/// Follows the cells of images of one size. Knows no clock: times are given to it, each later than
/// the one before. Allocates only when more cells move than ever before.
class Motion {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Starts a new watch of images of this size. Where it toggled to the end of the watch before,
    /// of the same size, that is taken as known; what keeps still this time is forgotten.
    void start(Size size);
    /// Takes note of where two looks at the screen differ. Throws std::invalid_argument unless both
    /// have the size given to `start`.
    void note(const ImageView& before, const ImageView& after, Time now);

    /// When something last changed; nothing when nothing has.
    [[nodiscard]] std::optional<Time> latest_change(Toggling toggling) const;
    /// What looks different from the beginning: rectangles within the image, of whole cells
    /// clipped to it, top to bottom, that do not overlap.
    [[nodiscard]] std::vector<Rect> changed(Toggling toggling) const;
    /// Where it toggles, in the same way.
    [[nodiscard]] std::vector<Rect> toggling() const;

private:
    // A look is a hash of a cell's colours.
    struct Cell {
        std::uint32_t index = 0; // in the grid
        std::uint32_t changes = 0;
        std::uint64_t look_at_first = 0;
        std::uint64_t look_before = 0;
        std::uint64_t look = 0;
        Time first_change{};
        Time last_change{};
        bool came_back = false;
        bool toggled_before = false; // in the watch before
    };

    [[nodiscard]] Rect area_of(std::uint32_t index) const;
    [[nodiscard]] Cell& cell_at(std::uint32_t index);
    void note_cell(std::uint32_t index, const ImageView& before, const ImageView& after);
    [[nodiscard]] bool toggles(const Cell& cell) const;
    [[nodiscard]] bool is_known_to_toggle(const Cell& cell) const;
    [[nodiscard]] bool few(std::size_t toggling_cells) const;
    template <typename Wanted>
    [[nodiscard]] std::vector<Rect> rects_of(Wanted wanted) const;

    Size size_{};
    std::uint32_t columns_ = 0;
    std::vector<Cell> cells_;          // those that changed or toggled before
    std::vector<std::uint32_t> place_; // of each cell of the grid: one past its place in `cells_`
    std::vector<std::uint8_t> dirty_;  // columns of the band of rows that is compared
    Time latest_look_{};
};

} // namespace winio
