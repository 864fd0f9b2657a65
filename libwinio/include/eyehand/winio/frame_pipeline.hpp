// From a captured frame to the bytes a model is sent.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame.hpp"
#include "eyehand/winio/image_size.hpp"
#include "eyehand/winio/paint.hpp"
#include "eyehand/winio/png.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace eyehand::winio {

/// How captures become pictures for a model.
struct ScreenshotOptions {
    ImageSize size = FitWithin{{1536, 864}};
    bool pointer = true; ///< draw the pointer
    PngOptions png{};
    int threads = 0; ///< that scale and encode at most; 0: one a processor. No effect on the bytes.
};

/// A picture as it is sent and stored. Copies share the bytes.
struct Screenshot {
    std::shared_ptr<const std::vector<std::uint8_t>> png;
    Size size;                 ///< of the picture
    Rect area;                 ///< of the desktop it shows
    std::vector<Rect> changed; ///< desktop rectangles that differ from the previous frame
    std::chrono::microseconds scale_time{};  ///< of all threads together
    std::chrono::microseconds encode_time{}; ///< the same
};

/// Turns frames into pictures and owns their history: it draws the pointer, compares with the
/// previous source frame, and scales and encodes only those stripes of rows that changed. The same
/// frame gives the same bytes, whatever came before it; an unchanged one gives the very same
/// `png`. One pipeline a stream of frames; not thread-safe. Keeps threads
/// that help it once a frame needs them: they touch nothing between calls and end with it.
class EYEHAND_WINIO_API FramePipeline {
public:
    /// Throws std::invalid_argument for options out of range.
    explicit FramePipeline(ScreenshotOptions options = {});
    ~FramePipeline();
    FramePipeline(FramePipeline&&) noexcept;
    FramePipeline& operator=(FramePipeline&&) noexcept;

    /// Takes the frame and leaves in it memory to capture the next one into: the previous frame's,
    /// or its own if nothing changed. After an exception the history is what it was. Throws
    /// std::invalid_argument for an empty frame, Error{encode_failed} or std::bad_alloc when memory
    /// runs out.
    Screenshot process(Frame&& frame);

    /// The latest picture with an overlay on it, as a file; the picture itself stays what it is, and
    /// so does the history. Only those stripes are encoded that changed, or that this overlay or the
    /// one before it touches. Throws std::logic_error before the first picture, and as `process`.
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>> annotate(const Overlay& overlay);

    [[nodiscard]] const ScreenshotOptions& options() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace eyehand::winio
