// Distinguishes progress on a screen that is captured repeatedly from regions that only toggle.
//
// The screen is divided into cells; a look is the content of a cell. Progress passes through a
// cell: text that streams in, a bar that fills or a window that paints itself change it a few times
// and leave it with a new look. A toggling cell keeps returning to earlier looks, including its
// first one (a caret, a spinner and the background that it uncovers), or keeps changing in one
// place (a spinner that never draws the same image twice).
//
// The criteria are strict, because a click also returns to earlier looks (hovered, pressed,
// hovered), and because a permanent change that counts as toggling is not reported:
// - A cell is proven to toggle after two returns to earlier looks, one of them to the first look,
//   or after twelve changes over at least 750 ms.
// - A cell that pauses for longer than three of its usual gaps has stopped toggling. A proof counts
//   only after that time, while the cell keeps toggling.
// - A new look after three known ones in a row is a change: the cell's proof is forgotten.
#pragma once

#include "eyehand/winio/image.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace eyehand::winio {

/// Whether small toggling regions count as changes.
enum class Toggling { counts, is_ignored };

/// Tracks the cells of images of one size. Does not read a clock: the caller passes increasing
/// times. Allocates only when more cells change than ever before.
class Motion {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Starts a new watch of images of this size. If the previous watch had the same size, the
    /// cells that `toggling` reported are taken as proven, and their first change in this watch is
    /// ignored; cells that do not change in this watch are forgotten. After std::bad_alloc, it can
    /// be called again.
    void start(Size size);
    /// Until the next `start`, changes of the cells that these regions touch (pixels of the image) are
    /// not recorded, unless these are more than half of all cells.
    void ignore(const std::vector<Rect>& regions);
    /// Records the cells in which two captures differ. Throws std::invalid_argument unless both
    /// have the size that was passed to `start`.
    void note(const Image& before, const Image& after, Time now);

    /// The time of the latest change; empty if nothing has changed.
    [[nodiscard]] std::optional<Time> latest_change(Toggling toggling) const;
    /// The regions that differ from the start of the watch: rectangles of whole cells, clipped to
    /// the image, from top to bottom, that do not overlap.
    [[nodiscard]] std::vector<Rect> changed(Toggling toggling) const;
    /// The same for the cells whose changes `latest_change` counts: a cell that toggled in the previous
    /// watch is left out already after its first change.
    [[nodiscard]] std::vector<Rect> progressed(Toggling toggling) const;
    /// The toggling regions, in the same form.
    [[nodiscard]] std::vector<Rect> toggling() const;

private:
    // A look is a hash of a cell's colors.
    using Look = std::uint64_t;
    // As many looks as a typical spinner shows in one place.
    class KnownLooks {
    public:
        [[nodiscard]] bool contain(Look look) const;
        void add(Look look); // replaces the oldest if there are too many

    private:
        std::array<Look, 8> looks_{};
        std::size_t added_ = 0;
    };
    // Evidence of a cell's toggling, from its changes.
    struct Evidence {
        std::uint32_t changes = 0;
        std::uint32_t returns = 0;        // to earlier looks
        std::uint32_t known_in_a_row = 0; // number of latest looks that were known
        bool came_to_first = false;       // one of the returns was to the first look
        bool goes_on = false;             // changed often and for a long time
        KnownLooks known;
        Time first_change{};
        Time last_change{};
        std::optional<Time> proven{};
        std::optional<Time::duration> gap_before{}; // between changes, if it toggled in the
                                                    // previous watch
    };
    struct Cell {
        std::uint32_t index = 0; // in the grid
        Look look_at_first = 0;
        Look look = 0;
        Evidence evidence{};
    };

    [[nodiscard]] Rect area_of(std::uint32_t index) const;
    [[nodiscard]] Cell& cell_at(std::uint32_t index);
    void note_cell(std::uint32_t index, const ImageView& before, const ImageView& after);
    static void note_look(Evidence& evidence, Look look, Look look_at_first, Time now);
    [[nodiscard]] static bool is_proof(const Evidence& evidence);
    [[nodiscard]] static Time::duration usual_gap(const Evidence& evidence);
    [[nodiscard]] bool is_as_expected(const Evidence& evidence) const;
    [[nodiscard]] bool toggles(const Cell& cell) const;
    [[nodiscard]] bool few(std::size_t toggling_cells) const;
    [[nodiscard]] bool few_toggle() const;
    void carry_over();
    void resize(Size size);
    template <typename Wanted>
    [[nodiscard]] std::vector<Rect> rects_of(Wanted wanted) const;

    Size size_{};
    std::uint32_t columns_ = 0;
    std::vector<Cell> cells_;          // cells that changed, or toggled in the previous watch
    std::vector<std::uint32_t> place_; // for each cell of the grid: one past its index in `cells_`;
                                       // 0: none
    std::vector<std::uint8_t> ignored_; // for each cell of the grid; empty: none
    std::vector<std::uint8_t> dirty_;   // columns of the band of rows that is compared
    Time latest_look_{};
};

} // namespace eyehand::winio
