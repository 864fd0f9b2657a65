// From a captured frame to the bytes a model is sent.
#pragma once

#include "winio/frame.hpp"
#include "winio/png.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace winio {

/// How captures become pictures for a model.
struct PictureOptions {
    Size box{1536, 864}; ///< the picture fits into this, aspect kept, never enlarged
    bool exact = false;  ///< true: exactly `box`, distorted or enlarged if need be
    bool pointer = true; ///< draw the pointer
    PngOptions png{};
};

/// A picture as it is sent and stored. Copies share the bytes.
struct Picture {
    std::shared_ptr<const std::vector<std::uint8_t>> png;
    Size size;                 ///< of the picture
    Rect area;                 ///< of the desktop it shows
    std::vector<Rect> changed; ///< desktop rectangles that differ from the previous frame
    std::chrono::microseconds scale_time{};
    std::chrono::microseconds encode_time{};
};

/// Turns frames into pictures and owns their history: it draws the pointer, compares with the
/// previous source frame, scales and encodes. An unchanged frame gives the previous bytes again.
/// One pipeline a stream of frames; not thread-safe.
class FramePipeline {
public:
    /// Throws std::invalid_argument for an empty box or a PNG level out of range.
    explicit FramePipeline(PictureOptions options = {});
    ~FramePipeline();
    FramePipeline(FramePipeline&&) noexcept;
    FramePipeline& operator=(FramePipeline&&) noexcept;

    /// Throws std::invalid_argument for an empty frame, Error{encode_failed} when memory runs out.
    Picture process(Frame frame);

    [[nodiscard]] const PictureOptions& options() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace winio
