// PNG: the file is assembled from stripes that are encoded separately (png.hpp).
#include "eyehand/winio/image_size.hpp"
#include "screenshot_encoder.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace eyehand::winio {
namespace {

class StripedEncoder final : public ScreenshotEncoder {
public:
    StripedEncoder(Size source, Size target, const PngOptions& options)
        : ScreenshotEncoder(source, target), options_(options),
          png_(target, options, stripe_rows()), stale_(all_stale()), annotated_stale_(stale_) {}

    void mark_stale(const RowRange& source_rows) override {
        const RowRange rows = target_rows(source_rows);
        mark(stale_, rows);
        mark(annotated_stale_, rows);
    }

    void refresh(const ImageView& source, int threads, TimeSpent& scaling,
                 TimeSpent& encoding) override {
        for_each(stale_, threads, [&](int index) {
            Image scaled;
            const ImageView rows = [&] {
                const TimeSpent::Span span(scaling);
                return stripe(source, rows_of(index), scaled);
            }();
            const TimeSpent::Span span(encoding);
            png_.encode(index, rows);
        });
    }

    [[nodiscard]] std::vector<std::uint8_t> file(const ImageView& /*source*/) const override {
        return png_.file();
    }

    [[nodiscard]] std::vector<std::uint8_t> annotated(const ImageView& source, int threads,
                                                      const Overlay& overlay) override {
        if (!annotated_) annotated_.emplace(size(), options_, stripe_rows());
        std::vector<RowRange> rows = overlay.rows();
        for (const RowRange& range : drawn_) mark(annotated_stale_, range);
        for (RowRange& range : rows) {
            range = within(range);
            mark(annotated_stale_, range);
        }
        for_each(annotated_stale_, threads, [&](int index) {
            const RowRange range = rows_of(index);
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

    void mark_fresh() noexcept override { std::fill(stale_.begin(), stale_.end(), false); }

private:
    PngOptions options_;
    StripedPng png_;
    Stale stale_;
    std::optional<StripedPng> annotated_; // the same screenshot with the latest overlay; created on
                                          // demand
    Stale annotated_stale_;
    std::vector<RowRange> drawn_; // rows drawn by the latest overlay
};

} // namespace

std::unique_ptr<ScreenshotEncoder> make_striped_encoder(Size source, const ImageSize& size,
                                                        const PngOptions& options) {
    return std::make_unique<StripedEncoder>(source, image_size(source, size), options);
}

} // namespace eyehand::winio
