// The captured frame is compared once with the previous one. Changed rows mark the stripes of the
// screenshot that they affect as stale. Stale stripes are scaled and encoded again, on several
// threads if there are several stripes, and the file is assembled from all stripes.
#include "eyehand/winio/frame_pipeline.hpp"

#include "eyehand/winio/frame_diff.hpp"
#include "eyehand/winio/scale.hpp"
#include "moved_by.hpp"
#include "worker_pool.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace eyehand::winio {
namespace {

using Clock = std::chrono::steady_clock;

void check(const ScreenshotOptions& options) {
    (void)image_size({1, 1}, options.size);
    if (options.png.level < 0 || options.png.level > 9)
        throw std::invalid_argument("a PNG's level must be 0 to 9");
    if (options.threads < 0)
        throw std::invalid_argument("the number of threads must not be negative");
}

int threads(const ScreenshotOptions& options) {
    if (options.threads > 0) return options.threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// A multiple of the scaler's period, near png_stripe_rows: stripes then share no row of the source,
// so that a change touches as few stripes as possible. Ignores a period of more than twice
// png_stripe_rows.
int stripe_rows(int period) {
    if (period > 2 * png_stripe_rows) return png_stripe_rows;
    return std::max(1, (png_stripe_rows + period / 2) / period) * period;
}

// The total time that several threads spent on a task.
class TimeSpent {
public:
    class Span {
    public:
        explicit Span(TimeSpent& on) : on_(on) {}
        ~Span() { on_.sum_ += (Clock::now() - start_).count(); }
        Span(const Span&) = delete;
        Span& operator=(const Span&) = delete;

    private:
        TimeSpent& on_;
        Clock::time_point start_ = Clock::now();
    };

    [[nodiscard]] std::chrono::microseconds sum() const {
        return std::chrono::duration_cast<std::chrono::microseconds>(Clock::duration(sum_.load()));
    }

private:
    std::atomic<Clock::rep> sum_{0};
};

// Screenshots of frames of one size: the stripes, and which of them are stale.
class StripedImage {
public:
    StripedImage(Size source, const ScreenshotOptions& options)
        : StripedImage(Scaler(source, image_size(source, options.size)), options) {}

    [[nodiscard]] Size size() const { return png_.size(); }

    void mark_stale(const RowRange& source_rows) {
        const RowRange rows = scaler_.target_rows(source_rows);
        mark(stale_, rows);
        mark(annotated_stale_, rows);
    }

    // Updates stale stripes from `source`. They count as stale until `mark_fresh`: if a later step
    // fails, the next screenshot starts from the previous frame.
    void refresh(const ImageView& source, int threads, TimeSpent& scaling, TimeSpent& encoding) {
        for_each(stale_, threads, [&](int index) {
            Image scaled;
            const ImageView rows = [&] {
                const TimeSpent::Span span(scaling);
                return stripe(source, png_.stripe(index), scaled);
            }();
            const TimeSpent::Span span(encoding);
            png_.encode(index, rows);
        });
    }

    // `source` with the overlay. Stripes count as stale as above.
    [[nodiscard]] std::vector<std::uint8_t> annotated(const ImageView& source, int threads,
                                                      const Overlay& overlay) {
        if (!annotated_) annotated_.emplace(size(), png_options_, png_.stripe(0).count);
        std::vector<RowRange> rows = overlay.rows();
        for (const RowRange& range : drawn_) mark(annotated_stale_, range);
        for (RowRange& range : rows) {
            range = within(range);
            mark(annotated_stale_, range);
        }
        for_each(annotated_stale_, threads, [&](int index) {
            const RowRange range = png_.stripe(index);
            Image memory;
            const ImageView shown = stripe(source, range, memory);
            if (memory.empty()) memory = Image(shown);
            Canvas canvas(memory, range.first);
            overlay.draw(canvas);
            annotated_->encode(index, memory.view());
        });
        std::vector<std::uint8_t> file = annotated_->file();
        drawn_ = std::move(rows);
        std::fill(annotated_stale_.begin(), annotated_stale_.end(), false);
        return file;
    }

    void mark_fresh() noexcept { std::fill(stale_.begin(), stale_.end(), false); }

    [[nodiscard]] std::vector<std::uint8_t> file() const { return png_.file(); }

private:
    StripedImage(Scaler scaler, const ScreenshotOptions& options)
        : scaler_(std::move(scaler)),
          png_(scaler_.target(), options.png, stripe_rows(scaler_.period())),
          stale_(static_cast<std::size_t>(png_.stripes()), true), annotated_stale_(stale_),
          png_options_(options.png) {}

    void mark(std::vector<bool>& stale, const RowRange& rows) const {
        if (rows.count <= 0) return;
        const int height = png_.stripe(0).count;
        std::fill(stale.begin() + rows.first / height,
                  stale.begin() + (rows.end() - 1) / height + 1, true);
    }

    [[nodiscard]] RowRange within(const RowRange& rows) const {
        const int first = std::clamp(rows.first, 0, size().height);
        return {first, std::clamp(rows.end(), first, size().height) - first};
    }

    // Processes the stale stripes on several threads.
    void for_each(const std::vector<bool>& stale, int threads,
                  const std::function<void(int index)>& work) {
        std::vector<int> stripes;
        for (int index = 0; index < png_.stripes(); ++index)
            if (stale[static_cast<std::size_t>(index)]) stripes.push_back(index);
        // Waking a thread and waiting for it takes as long as one or two flat stripes, so it does
        // not pay for two stripes.
        const int worth_waking = std::max(1, (static_cast<int>(stripes.size()) + 1) / 2);
        workers_.run(stripes, std::min(threads, worth_waking), work);
    }

    // Rows of the screenshot: those of the source if the sizes are equal, otherwise scaled into
    // `memory`.
    [[nodiscard]] ImageView stripe(const ImageView& source, const RowRange& rows,
                                   Image& memory) const {
        if (source.size() == size()) return source.crop({0, rows.first, size().width, rows.count});
        scaler_.scale(source, rows, memory);
        return memory.view();
    }

    Scaler scaler_;
    StripedPng png_;
    std::vector<bool> stale_;
    std::optional<StripedPng> annotated_; // the same screenshot with the latest overlay; created on
                                          // demand
    std::vector<bool> annotated_stale_;
    std::vector<RowRange> drawn_; // rows drawn by the latest overlay
    PngOptions png_options_;
    WorkerPool workers_;
};

} // namespace

struct FramePipeline::State {
    ScreenshotOptions options;
    Rect area;                             // the desktop area of `striped`
    std::unique_ptr<StripedImage> striped; // null before the first frame
    Image previous;                        // the frame of `png`, with its pointer; or empty
    std::shared_ptr<const std::vector<std::uint8_t>> png; // null after a failure

    void start_afresh(const Rect& with) {
        auto fresh = std::make_unique<StripedImage>(with.size(), options);
        previous = Image();
        png.reset();
        striped = std::move(fresh);
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
    if (!state.striped || state.area != area) state.start_afresh(area);

    Screenshot screenshot;
    screenshot.size = state.striped->size();
    screenshot.area = area;
    if (state.previous.empty())
        screenshot.changed = {{0, 0, area.width, area.height}};
    else
        screenshot.changed = changed_rects(state.previous.view(), frame.pixels.view());
    if (screenshot.changed.empty() && state.png) {
        screenshot.png = state.png;
        return screenshot;
    }
    for (const Rect& rect : screenshot.changed) state.striped->mark_stale({rect.y, rect.height});

    TimeSpent scaling;
    TimeSpent encoding;
    state.striped->refresh(frame.pixels.view(), threads(state.options), scaling, encoding);
    {
        const TimeSpent::Span span(encoding);
        state.png.reset(); // frees the file's memory unless the caller holds a copy
        screenshot.png = std::make_shared<const std::vector<std::uint8_t>>(state.striped->file());
    }
    screenshot.changed = moved_by(std::move(screenshot.changed), frame.origin);
    screenshot.scale_time = scaling.sum();
    screenshot.encode_time = encoding.sum();

    // Nothing fails from here on, so that the history never contains a screenshot that was not
    // returned.
    state.striped->mark_fresh();
    state.png = screenshot.png;
    std::swap(state.previous, frame.pixels);
    return screenshot;
}

std::shared_ptr<const std::vector<std::uint8_t>> FramePipeline::annotate(const Overlay& overlay) {
    State& state = *state_;
    if (!state.png) throw std::logic_error("there is no screenshot to annotate yet");
    return std::make_shared<const std::vector<std::uint8_t>>(
        state.striped->annotated(state.previous.view(), threads(state.options), overlay));
}

const ScreenshotOptions& FramePipeline::options() const { return state_->options; }

} // namespace eyehand::winio
