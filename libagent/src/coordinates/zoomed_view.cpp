#include "coordinates/zoomed_view.hpp"

#include "eyehand/winio/scale.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr int min_side = 32;
constexpr int max_view_ratio = 100; // of the sides: processors refuse 200
constexpr int max_factor = 4;       // more pixels show nothing more

/// A range of pixels along one axis.
struct Span {
    int first;
    int length;
};

/// Extends the span around its center to `length`, within `all`.
Span extended(Span span, int length, Span all) {
    length = std::clamp(length, span.length, std::max(all.length, span.length));
    const int first = span.first - (length - span.length) / 2;
    const int last_first = all.first + all.length - length;
    return {std::clamp(first, all.first, std::max(all.first, last_first)), length};
}

/// The next multiple of `factor`, or `length` if the next one is longer than `max`.
int multiple_above(int length, int factor, int max) {
    const int multiple = (length + factor - 1) / factor * factor;
    return multiple <= max ? multiple : length;
}

winio::Rect extended(const winio::Rect& part, winio::Size size, const winio::Rect& all) {
    const Span x = extended({part.x, part.width}, size.width, {all.x, all.width});
    const Span y = extended({part.y, part.height}, size.height, {all.y, all.height});
    return {x.first, y.first, x.length, y.length};
}

/// How many times a part of this size is enlarged; 0 if it must be scaled down.
int factor_of(winio::Size part, winio::Size max_image,
              const std::optional<ImageProcessor>& processor) {
    const int fits = std::min(max_image.width / part.width, max_image.height / part.height);
    int factor = std::min(fits, max_factor);
    if (!processor) return factor;
    const auto pixels = [&] { return std::int64_t{factor} * factor * part.width * part.height; };
    while (factor > 0 && factor < fits && pixels() < processor->min_pixels) ++factor;
    while (factor > 0 && pixels() > processor->max_pixels) --factor;
    return factor;
}

} // namespace

ZoomedView zoomed_view(const winio::WorkArea& work_area, const winio::NormBox& region,
                       winio::Size max_image, const std::optional<ImageProcessor>& processor) {
    if (max_image.empty()) throw std::invalid_argument("a zoomed image without pixels");
    const winio::Rect& all = work_area.bounds();
    const winio::NormBox box = winio::normalized(region);
    const winio::Point first = work_area.to_pixel({box.x1, box.y1});
    const winio::Point last = work_area.to_pixel({box.x2, box.y2});
    winio::Rect part{first.x, first.y, last.x - first.x + 1, last.y - first.y + 1};
    const int least =
        std::max({min_side, part.width / max_view_ratio, part.height / max_view_ratio});
    winio::Size size{std::max(part.width, least), std::max(part.height, least)};
    if (processor)
        size = {multiple_above(size.width, processor->factor, all.width),
                multiple_above(size.height, processor->factor, all.height)};
    part = extended(part, size, all);
    ZoomedView view{part, {}};
    if (const int factor = factor_of(part.size(), max_image, processor); factor > 0) {
        view.image = {part.width * factor, part.height * factor};
        return view;
    }
    view.image = winio::fit_within(part.size(), max_image);
    if (processor)
        view.image = stable_image_size(part.size(), view.image, *processor).value_or(view.image);
    return view;
}

ZoomedView zoomed_view(const winio::WorkArea& work_area, const Zoom& zoom, const Profile& profile) {
    constexpr int max_refine_side = 1024;
    winio::Size max_image = winio::image_size(work_area.bounds().size(), profile.image);
    if (zoom.use == ZoomUse::refine)
        max_image = {std::min(max_image.width, max_refine_side),
                     std::min(max_image.height, max_refine_side)};
    const bool model_pixels = profile.coordinates && image_factor(*profile.coordinates) != 0;
    return zoomed_view(work_area, zoom.region, max_image,
                       model_pixels ? image_processor(profile) : std::nullopt);
}

winio::Image zoomed_image(const winio::Frame& frame, const ZoomedView& view) {
    const winio::Rect inside{view.area.x - frame.origin.x, view.area.y - frame.origin.y,
                             view.area.width, view.area.height};
    winio::Frame part{winio::Image(frame.pixels.view().crop(inside)), view.area.origin(),
                      frame.pointer};
    winio::draw_pointer(part);
    return winio::scale(part.pixels.view(), view.image);
}

winio::NormBox in_steps(const winio::NormBox& region) {
    const auto step = [](double value) { return std::round(value * 1024) / 1024; };
    return {step(region.x1), step(region.y1), step(region.x2), step(region.y2)};
}

} // namespace eyehand::agent
