#include "eyehand/agent/coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace eyehand::agent {
namespace {

constexpr std::int64_t max_ratio = 200; // of the long side to the short one, as in smart_resize

void check(const ImageProcessor& processor) {
    constexpr int max_factor = 4096;
    constexpr std::int64_t max_pixels = std::int64_t{1} << 40; // sides of it fit into an int
    if (processor.factor < 1 || processor.factor > max_factor)
        throw std::invalid_argument("the factor of an image processor is " +
                                    std::to_string(processor.factor));
    if (processor.min_pixels < 1 || processor.max_pixels < processor.min_pixels ||
        processor.max_pixels > max_pixels)
        throw std::invalid_argument("an image processor with " +
                                    std::to_string(processor.min_pixels) + " to " +
                                    std::to_string(processor.max_pixels) + " pixels");
}

bool too_narrow(winio::Size size) {
    const auto [short_side, long_side] = std::minmax({size.width, size.height});
    return long_side > short_side * max_ratio;
}

/// Half to even, as Python's round; at least one factor. In whole numbers, and therefore exact.
std::int64_t rounded_multiple(std::int64_t side, std::int64_t factor) {
    const std::int64_t count = side / factor;
    const std::int64_t twice = side % factor * 2;
    const bool up = twice > factor || (twice == factor && count % 2 == 1);
    return std::max<std::int64_t>(1, up ? count + 1 : count) * factor;
}

// The reference implementation computes in doubles, too. The order of its operations matters.
std::int64_t multiple_below(double side, int factor) {
    return std::max<std::int64_t>(1, std::llround(std::floor(side / factor))) * factor;
}
std::int64_t multiple_above(double side, int factor) {
    return std::llround(std::ceil(side / factor)) * factor;
}

/// The multiple that is nearest to `ideal`; at least one factor.
std::int64_t multiple_near(double ideal, int factor) {
    return std::max<std::int64_t>(1, std::llround(ideal / factor)) * factor;
}

} // namespace

winio::Size model_image_size(winio::Size image, const ImageProcessor& processor) {
    check(processor);
    if (image.empty()) throw std::invalid_argument("the size of an empty image for a model");
    if (too_narrow(image))
        throw std::invalid_argument("an image of " + std::to_string(image.width) + "x" +
                                    std::to_string(image.height) +
                                    " for a model: one side is more than 200 times the other");
    const int factor = processor.factor;
    std::int64_t width = rounded_multiple(std::int64_t{image.width}, factor);
    std::int64_t height = rounded_multiple(std::int64_t{image.height}, factor);
    const auto pixels = static_cast<double>(std::int64_t{image.width} * image.height);
    if (width * height > processor.max_pixels) {
        const double beta = std::sqrt(pixels / static_cast<double>(processor.max_pixels));
        width = multiple_below(image.width / beta, factor);
        height = multiple_below(image.height / beta, factor);
    } else if (width * height < processor.min_pixels) {
        const double beta = std::sqrt(static_cast<double>(processor.min_pixels) / pixels);
        width = multiple_above(image.width * beta, factor);
        height = multiple_above(image.height * beta, factor);
    }
    return {static_cast<int>(width), static_cast<int>(height)};
}

std::optional<winio::Size> stable_image_size(winio::Size area, winio::Size max_size,
                                             const ImageProcessor& processor) {
    check(processor);
    if (area.empty() || max_size.empty())
        throw std::invalid_argument("the size of an empty image for a model");
    const int factor = processor.factor;
    const winio::Size bound{std::min(area.width, max_size.width),
                            std::min(area.height, max_size.height)};
    const double ratio = static_cast<double>(area.width) / area.height;

    std::optional<winio::Size> best;
    const auto consider = [&](std::int64_t width, std::int64_t height) {
        if (width > bound.width || height > bound.height) return;
        const std::int64_t pixels = width * height;
        if (pixels < processor.min_pixels || pixels > processor.max_pixels) return;
        const winio::Size size{static_cast<int>(width), static_cast<int>(height)};
        if (too_narrow(size)) return;
        const std::int64_t best_pixels =
            best ? std::int64_t{best->width} * best->height : std::int64_t{0};
        if (pixels > best_pixels) best = size;
    };
    for (std::int64_t width = factor; width <= bound.width; width += factor)
        consider(width, multiple_near(static_cast<double>(width) / ratio, factor));
    for (std::int64_t height = factor; height <= bound.height; height += factor)
        consider(multiple_near(static_cast<double>(height) * ratio, factor), height);
    return best;
}

std::int64_t image_tokens(winio::Size image, const ImageProcessor& processor) {
    const winio::Size size = model_image_size(image, processor);
    return std::int64_t{size.width / processor.factor} * (size.height / processor.factor);
}

ImageResizing image_resizing(std::int64_t expected_tokens, std::int64_t counted_tokens) {
    constexpr std::int64_t max_template_tokens = 16;
    if (expected_tokens <= max_template_tokens || counted_tokens <= max_template_tokens)
        return ImageResizing::unknown;
    if (counted_tokens < expected_tokens) return ImageResizing::shrunk;
    // A difference, because a sum of a server's number may overflow.
    if (counted_tokens - expected_tokens > max_template_tokens) return ImageResizing::enlarged;
    return ImageResizing::as_expected;
}

} // namespace eyehand::agent
