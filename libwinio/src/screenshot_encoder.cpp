#include "screenshot_encoder.hpp"

#include "eyehand/winio/image_size.hpp"

#include <algorithm>

namespace eyehand::winio {
namespace {

// A multiple of the scaler's period, near png_stripe_rows: stripes then share no row of the source,
// so that a change touches as few stripes as possible. Ignores a period of more than twice
// png_stripe_rows.
int stripe_rows_for(int period) {
    if (period > 2 * png_stripe_rows) return png_stripe_rows;
    return std::max(1, (png_stripe_rows + period / 2) / period) * period;
}

} // namespace

ScreenshotEncoder::ScreenshotEncoder(Size source, Size target)
    : scaler_(source, target),
      stripe_rows_(std::min(stripe_rows_for(scaler_.period()), target.height)) {}

ScreenshotEncoder::Stale ScreenshotEncoder::all_stale() const {
    return Stale(static_cast<std::size_t>((size().height - 1) / stripe_rows_ + 1), true);
}

RowRange ScreenshotEncoder::rows_of(int stripe) const {
    const int first = stripe * stripe_rows_;
    return {first, std::min(stripe_rows_, size().height - first)};
}

void ScreenshotEncoder::mark(Stale& stale, const RowRange& rows) const {
    if (rows.count <= 0) return;
    std::fill(stale.begin() + rows.first / stripe_rows_,
              stale.begin() + (rows.end() - 1) / stripe_rows_ + 1, true);
}

RowRange ScreenshotEncoder::within(const RowRange& rows) const {
    const int first = std::clamp(rows.first, 0, size().height);
    return {first, std::clamp(rows.end(), first, size().height) - first};
}

void ScreenshotEncoder::for_each(const Stale& stale, int threads,
                                 const std::function<void(int stripe)>& work) {
    std::vector<int> stripes;
    for (std::size_t index = 0; index < stale.size(); ++index)
        if (stale[index]) stripes.push_back(static_cast<int>(index));
    // Waking a thread and waiting for it takes as long as one or two flat stripes, so it does
    // not pay for two stripes.
    const int worth_waking = std::max(1, (static_cast<int>(stripes.size()) + 1) / 2);
    workers_.run(stripes, std::min(threads, worth_waking), work);
}

ImageView ScreenshotEncoder::stripe(const ImageView& source, const RowRange& rows,
                                    Image& memory) const {
    if (source.size() == size()) return source.crop({0, rows.first, size().width, rows.count});
    scaler_.scale(source, rows, memory);
    return memory.view();
}

std::unique_ptr<ScreenshotEncoder> make_screenshot_encoder(Size source,
                                                           const ScreenshotOptions& options) {
    if (const auto* png = std::get_if<PngOptions>(&options.format))
        return make_striped_encoder(source, options.size, *png);
    return make_whole_encoder(source, options.size, options.format);
}

} // namespace eyehand::winio
