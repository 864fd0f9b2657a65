// What moves on a screen that is looked at again and again, and what only toggles.
//
// The screen is divided into cells. Progress passes through a cell and is done with it: text that
// streams in, a bar that fills, a window that paints itself change it a few times and leave it
// looking new. What toggles keeps coming back to looks that the cell had before, the first one
// among them (a caret, a spinner and the background that it uncovers), or goes on and on in one
// place (a spinner that never draws the same picture twice).
//
// The verdict is careful, because a click, too, brings looks back (pointed at, pressed, pointed
// at), and what is taken for toggling hides a change that stays:
// - Proof is two returns to earlier looks, one of them to the first look, or twelve changes over
//   three quarters of a second.
// - What then pauses for longer than three of its usual gaps has ended. A proof counts only when it
//   is older than that, so that toggling must have gone on after it.
// - A new look after three known ones ends what came back: all proof is forgotten.
#pragma once

#include "eyehand/winio/image.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace eyehand::winio {

/// Whether small regions that toggle count as moving.
enum class Toggling { counts, is_ignored };

/// Follows the cells of images of one size. Knows no clock: times are given to it, each later than
/// the one before. Allocates only when more cells move than ever before.
class Motion {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Starts a new watch of images of this size. What `toggling` tells of the watch before, of the
    /// same size, is taken as proven, and its first change in this watch is ignored; what keeps
    /// still this time is forgotten. When it throws std::bad_alloc it may be called again.
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
    using Look = std::uint64_t;
    // As many as a usual spinner shows in one place.
    class KnownLooks {
    public:
        [[nodiscard]] bool contain(Look look) const;
        void add(Look look); // forgets the oldest when there are too many

    private:
        std::array<Look, 8> looks_{};
        std::size_t added_ = 0;
    };
    // What a cell's changes tell of its toggling.
    struct Evidence {
        std::uint32_t changes = 0;
        std::uint32_t returns = 0;        // to looks that it had before
        std::uint32_t known_in_a_row = 0; // how many of the latest looks it had before
        bool came_to_first = false;       // one of the returns was to the first look
        bool goes_on = false;             // changed often and for long
        KnownLooks known;
        Time first_change{};
        Time last_change{};
        std::optional<Time> proven{};
        std::optional<Time::duration> gap_before{}; // between changes, where it toggled in the
                                                    // watch before
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
    std::vector<Cell> cells_;          // those that changed, or toggled in the watch before
    std::vector<std::uint32_t> place_; // of each cell of the grid: one past its place in `cells_`
    std::vector<std::uint8_t> dirty_;  // columns of the band of rows that is compared
    Time latest_look_{};
};

} // namespace eyehand::winio
