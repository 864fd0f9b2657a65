// JPEG and WebP: a change of a few rows costs only their scaling, but the encoding of all rows.
#include "eyehand/winio/image_size.hpp"
#include "screenshot_encoder.hpp"

#include <algorithm>

namespace eyehand::winio {
namespace {

class WholeEncoder final : public ScreenshotEncoder {
public:
    WholeEncoder(Size source, Size target, const ImageFormat& format)
        : ScreenshotEncoder(source, target), format_(format), stale_(all_stale()) {}

    void mark_stale(const RowRange& source_rows) override {
        mark(stale_, target_rows(source_rows));
    }

    void refresh(const ImageView& source, int threads, TimeSpent& scaling,
                 TimeSpent& /*encoding*/) override {
        if (source.size() == size()) return;
        if (scaled_.empty()) scaled_.resize(size());
        for_each(stale_, threads, [&](int index) {
            const TimeSpent::Span span(scaling);
            const RowRange range = rows_of(index);
            Image memory;
            const ImageView rows = stripe(source, range, memory);
            scaled_.copy_from(rows, {0, range.first});
        });
    }

    [[nodiscard]] std::vector<std::uint8_t> file(const ImageView& source) const override {
        return encode_image(shown(source), format_);
    }

    [[nodiscard]] std::vector<std::uint8_t> annotated(const ImageView& source, int threads,
                                                      const Overlay& overlay) override {
        // Stale rows are those of a later frame, whose screenshot failed.
        TimeSpent ignored;
        refresh(source, threads, ignored, ignored);
        Image image(shown(source));
        Canvas canvas(image);
        overlay.draw(canvas);
        return encode_image(image.view(), format_);
    }

    void mark_fresh() noexcept override { std::fill(stale_.begin(), stale_.end(), false); }

private:
    [[nodiscard]] ImageView shown(const ImageView& source) const {
        return source.size() == size() ? source : scaled_.view();
    }

    ImageFormat format_;
    Image scaled_; // empty if the sizes are equal
    Stale stale_;
};

} // namespace

std::unique_ptr<ScreenshotEncoder> make_whole_encoder(Size source, const ImageSize& size,
                                                      const ImageFormat& format) {
    return std::make_unique<WholeEncoder>(source, image_size(source, size), format);
}

} // namespace eyehand::winio
