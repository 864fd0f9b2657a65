// The captured frame is compared once with the previous one. Changed rows mark the stripes of the
// screenshot that they affect as stale (screenshot_encoder.hpp).
#include "eyehand/winio/frame_pipeline.hpp"

#include "eyehand/winio/frame_diff.hpp"
#include "moved_by.hpp"
#include "screenshot_encoder.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

namespace eyehand::winio {
namespace {

void check(const ScreenshotOptions& options) {
    (void)image_size({1, 1}, options.size);
    check_format(options.format);
    if (options.threads < 0)
        throw std::invalid_argument("the number of threads must not be negative");
}

int threads(const ScreenshotOptions& options) {
    if (options.threads > 0) return options.threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

} // namespace

struct FramePipeline::State {
    ScreenshotOptions options;
    Rect area;                                  // the desktop area of `encoder`
    std::unique_ptr<ScreenshotEncoder> encoder; // null before the first frame
    Image previous;                             // the frame of `file`, with its pointer; or empty
    std::shared_ptr<const std::vector<std::uint8_t>> file; // null after a failure

    void start_afresh(const Rect& with) {
        auto fresh = make_screenshot_encoder(with.size(), options);
        previous = Image();
        file.reset();
        encoder = std::move(fresh);
        area = with;
    }
};

FramePipeline::FramePipeline(ScreenshotOptions options) : state_(std::make_unique<State>()) {
    check(options);
    state_->options = options;
}
FramePipeline::~FramePipeline() = default;
FramePipeline::FramePipeline(FramePipeline&&) noexcept = default;
FramePipeline& FramePipeline::operator=(FramePipeline&&) noexcept = default;

Screenshot FramePipeline::process(Frame&& frame) {
    if (frame.pixels.empty()) throw std::invalid_argument("the frame has no pixels");
    State& state = *state_;
    if (state.options.pointer) draw_pointer(frame);
    frame.pointer.reset();

    const Rect area{frame.origin.x, frame.origin.y, frame.pixels.width(), frame.pixels.height()};
    if (!state.encoder || state.area != area) state.start_afresh(area);

    Screenshot screenshot;
    screenshot.size = state.encoder->size();
    screenshot.area = area;
    screenshot.media_type = media_type(state.options.format);
    if (state.previous.empty())
        screenshot.changed = {{0, 0, area.width, area.height}};
    else
        screenshot.changed = changed_rects(state.previous, frame.pixels);
    if (screenshot.changed.empty() && state.file) {
        screenshot.file = state.file;
        return screenshot;
    }
    for (const Rect& rect : screenshot.changed) state.encoder->mark_stale({rect.y, rect.height});

    TimeSpent scaling;
    TimeSpent encoding;
    state.encoder->refresh(frame.pixels.view(), threads(state.options), scaling, encoding);
    {
        const TimeSpent::Span span(encoding);
        state.file.reset(); // frees the file's memory unless the caller holds a copy
        screenshot.file = std::make_shared<const std::vector<std::uint8_t>>(
            state.encoder->file(frame.pixels.view()));
    }
    screenshot.changed = moved_by(std::move(screenshot.changed), frame.origin);
    screenshot.scale_time = scaling.sum();
    screenshot.encode_time = encoding.sum();

    // Nothing fails from here on, so that the history never contains a screenshot that was not
    // returned.
    state.encoder->mark_fresh();
    state.file = screenshot.file;
    std::swap(state.previous, frame.pixels);
    return screenshot;
}

std::shared_ptr<const std::vector<std::uint8_t>> FramePipeline::annotate(const Overlay& overlay) {
    State& state = *state_;
    if (!state.file) throw std::logic_error("there is no screenshot to annotate yet");
    return std::make_shared<const std::vector<std::uint8_t>>(
        state.encoder->annotated(state.previous.view(), threads(state.options), overlay));
}

const ScreenshotOptions& FramePipeline::options() const { return state_->options; }

} // namespace eyehand::winio
