// Captures of a screen that hardly changes: the captured pixels are compared once with those of the capture before, and
// from then on, images know in which rows they can differ.
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace eyehand::winio {

/// Pixels that a capturer has seen. Each version follows another one of the same capturer, except the first.
struct PixelVersion {
    struct Step {
        std::uint64_t from = 0; ///< the id of an earlier version
        RowRange changed;       ///< the rows in which the version after it differs
    };
    std::uint64_t id = 0;      ///< unique in the process
    std::vector<Step> history; ///< steps to this version, the oldest first; only the latest ones
};

/// The latest capture of a capturer. Not thread-safe.
///
///     latest.begin(size);
///     latest.take(captured_rows, 0);
///     latest.give(frame.pixels);
class LatestCapture {
public:
    /// Begins a capture of this size.
    void begin(Size size);
    /// Takes the captured rows from `y` on. `rows` has the width that was passed to `begin`.
    void take(const ImageView& rows, int y);
    /// Makes an image equal to the capture, after all of its rows were taken. If the image is an earlier capture, copies
    /// only the rows that have changed since, or that were edited.
    void give(Image& into);

private:
    Image pixels_;
    RowRange changed_;                            // since `version_`, also by captures that failed
    std::shared_ptr<const PixelVersion> version_; // null before the first capture of this size
};

} // namespace eyehand::winio
