// Screenshots of frames of one size as files: which rows are stale, scaling, encoding.
#pragma once

#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/scale.hpp"
#include "worker_pool.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace eyehand::winio {

/// The total time that several threads spent on a task.
class TimeSpent {
public:
    using Clock = std::chrono::steady_clock;

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

/// The screenshot is divided into stripes of rows. Stale stripes are scaled again, on several
/// threads if there are several stripes. They count as stale until `mark_fresh`: if a step fails, the
/// next screenshot starts from the previous frame.
class ScreenshotEncoder {
public:
    virtual ~ScreenshotEncoder() = default;
    ScreenshotEncoder(const ScreenshotEncoder&) = delete;
    ScreenshotEncoder& operator=(const ScreenshotEncoder&) = delete;

    [[nodiscard]] Size size() const { return scaler_.target(); }
    virtual void mark_stale(const RowRange& source_rows) = 0;
    /// Updates stale stripes from `source`.
    virtual void refresh(const ImageView& source, int threads, TimeSpent& scaling,
                         TimeSpent& encoding) = 0;
    /// The file of `source`, after `refresh`.
    [[nodiscard]] virtual std::vector<std::uint8_t> file(const ImageView& source) const = 0;
    /// The file of `source` with the overlay.
    [[nodiscard]] virtual std::vector<std::uint8_t> annotated(const ImageView& source, int threads,
                                                              const Overlay& overlay) = 0;
    virtual void mark_fresh() noexcept = 0;

protected:
    ScreenshotEncoder(Size source, Size target);

    using Stale = std::vector<bool>; ///< by stripe
    [[nodiscard]] int stripe_rows() const { return stripe_rows_; }
    [[nodiscard]] Stale all_stale() const;
    [[nodiscard]] RowRange rows_of(int stripe) const;
    /// The rows of the screenshot that these rows of the source affect.
    [[nodiscard]] RowRange target_rows(const RowRange& source_rows) const {
        return scaler_.target_rows(source_rows);
    }
    void mark(Stale& stale, const RowRange& rows) const;
    [[nodiscard]] RowRange within(const RowRange& rows) const;
    /// Calls `work` for each stale stripe, on several threads.
    void for_each(const Stale& stale, int threads, const std::function<void(int stripe)>& work);
    /// Rows of the screenshot: those of the source if the sizes are equal, otherwise scaled into
    /// `memory`.
    [[nodiscard]] ImageView stripe(const ImageView& source, const RowRange& rows,
                                   Image& memory) const;

private:
    Scaler scaler_;
    int stripe_rows_;
    WorkerPool workers_;
};

/// For a format whose options are valid and supported.
[[nodiscard]] std::unique_ptr<ScreenshotEncoder>
make_screenshot_encoder(Size source, const ScreenshotOptions& options);

/// Stripes are encoded separately.
[[nodiscard]] std::unique_ptr<ScreenshotEncoder>
make_striped_encoder(Size source, const ImageSize& size, const PngOptions& options);
/// Stripes are scaled separately; the image is encoded as a whole.
[[nodiscard]] std::unique_ptr<ScreenshotEncoder>
make_whole_encoder(Size source, const ImageSize& size, const ImageFormat& format);

} // namespace eyehand::winio
