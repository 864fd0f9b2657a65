#include "winio/frame_pipeline.hpp"

#include "winio/frame_diff.hpp"
#include "winio/scale.hpp"

#include <stdexcept>
#include <utility>

namespace winio {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::microseconds since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
}

void check(const PictureOptions& options) {
    (void)picture_size({1, 1}, options.size);
    if (options.png.level < 0 || options.png.level > 9)
        throw std::invalid_argument("a PNG's level is 0 to 9");
}

} // namespace

struct FramePipeline::State {
    PictureOptions options;
    Frame previous; // with its pointer drawn; empty before the first picture
    Picture picture;
    Image scaled; // kept for its memory

    [[nodiscard]] Size picture_size(Size source) const {
        return winio::picture_size(source, options.size);
    }

    // What differs from the previous frame, in desktop coordinates; all of it when the previous one
    // shows another place.
    [[nodiscard]] std::vector<Rect> changes(const Frame& frame, const Rect& area) const {
        if (previous.pixels.empty() || picture.area != area) return {area};
        auto rects = changed_rects(previous.pixels.view(), frame.pixels.view());
        for (Rect& rect : rects) {
            rect.x += area.x;
            rect.y += area.y;
        }
        return rects;
    }

    [[nodiscard]] Picture draw(const Image& source) {
        Picture result;
        result.size = picture_size(source.size());
        const auto scale_start = Clock::now();
        const bool as_it_is = result.size == source.size();
        if (!as_it_is) scale(source.view(), result.size, scaled);
        result.scale_time = since(scale_start);
        const auto encode_start = Clock::now();
        result.png = std::make_shared<const std::vector<std::uint8_t>>(
            encode_png(as_it_is ? source.view() : scaled.view(), options.png));
        result.encode_time = since(encode_start);
        return result;
    }
};

FramePipeline::FramePipeline(PictureOptions options) : state_(std::make_unique<State>()) {
    check(options);
    state_->options = options;
}
FramePipeline::~FramePipeline() = default;
FramePipeline::FramePipeline(FramePipeline&&) noexcept = default;
FramePipeline& FramePipeline::operator=(FramePipeline&&) noexcept = default;

Picture FramePipeline::process(Frame&& frame) {
    if (frame.pixels.empty()) throw std::invalid_argument("a frame without pixels has no picture");
    State& state = *state_;
    if (state.options.pointer) draw_pointer(frame);
    frame.pointer.reset();

    const Rect area{frame.origin.x, frame.origin.y, frame.pixels.width(), frame.pixels.height()};
    auto changed = state.changes(frame, area);
    if (changed.empty()) {
        Picture same = state.picture;
        same.changed.clear();
        same.scale_time = same.encode_time = {};
        return same;
    }
    Picture picture = state.draw(frame.pixels);
    picture.area = area;
    picture.changed = std::move(changed);
    // Only now: had encoding failed, the history would claim a picture that nobody got.
    std::swap(state.previous, frame);
    state.picture = picture;
    return picture;
}

const PictureOptions& FramePipeline::options() const { return state_->options; }

} // namespace winio
