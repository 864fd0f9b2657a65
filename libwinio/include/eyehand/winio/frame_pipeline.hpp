// Turns captured frames into screenshots for a model.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame.hpp"
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/image_size.hpp"
#include "eyehand/winio/paint.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// Settings of the screenshots.
struct ScreenshotOptions {
    ImageSize size = FitWithin{{1536, 864}};
    bool pointer = true; ///< draw the pointer
    ImageFormat format = PngOptions{};
    int threads = 0; ///< maximum number of threads that scale and encode; 0: one per processor.
                     ///< Does not affect the bytes.
};

/// A screenshot as it is sent and stored. Copies share the bytes.
struct Screenshot {
    std::shared_ptr<const std::vector<std::uint8_t>> file; ///< in the format of the options
    std::string_view media_type; ///< "image/png"; see `media_type` of image_file.hpp
    Size size;                   ///< of the screenshot
    Rect area;                   ///< the part of the desktop that it shows
    std::vector<Rect> changed;   ///< desktop rectangles that differ from the previous frame
    std::chrono::microseconds scale_time{};  ///< sum over all threads
    std::chrono::microseconds encode_time{}; ///< sum over all threads
};

/// Turns frames into screenshots and keeps the previous frame: draws the pointer, compares with the
/// previous source frame, and scales and encodes only the stripes of rows that changed. The same
/// frame gives the same bytes, regardless of the frames before it; an unchanged frame gives the
/// same `png` object. Use one pipeline for each stream of frames. Not thread-safe. Starts worker
/// threads when a frame needs them; they are idle between calls and end with the pipeline.
class EYEHAND_WINIO_API FramePipeline {
public:
    /// Throws std::invalid_argument if an option is out of range, and Error{not_supported} if this
    /// build does not support the format.
    explicit FramePipeline(ScreenshotOptions options = {});
    ~FramePipeline();
    FramePipeline(FramePipeline&&) noexcept;
    FramePipeline& operator=(FramePipeline&&) noexcept;

    /// Takes the frame, and leaves memory in it for the next capture: the previous frame's memory,
    /// or its own if nothing changed. An exception does not change the pipeline's history. Throws
    /// std::invalid_argument for an empty frame, and the exceptions of `encode_image`.
    Screenshot process(Frame&& frame);

    /// Returns the latest screenshot with an overlay, as a file in the same format. Does not change
    /// the screenshot or the history. Of a PNG, encodes only the stripes that changed, or that this
    /// overlay or the previous one touches. Throws std::logic_error before the first screenshot, and the exceptions of
    /// `process`.
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>> annotate(const Overlay& overlay);

    [[nodiscard]] const ScreenshotOptions& options() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace eyehand::winio
