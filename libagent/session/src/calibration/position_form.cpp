#include "calibration/position_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace eyehand::session {

using agent::CoordinateConvention;
using agent::CoordinateConverter;
using agent::Correction;
using agent::ImageProcessor;
using winio::NormPoint;

std::string_view to_string(ServerResize resize) {
    switch (resize) {
    case ServerResize::none:
        break;
    case ServerResize::long_side_1024:
        return "long_side_1024";
    case ServerResize::long_side_1568:
        return "long_side_1568";
    case ServerResize::short_side_768:
        return "short_side_768";
    }
    return "none";
}

std::string description(const PositionForm& form) {
    std::string text =
        fmt::format("{}: {}", to_string(form.convention), agent::description(form.convention));
    if (form.swapped) text += ", y before x";
    switch (form.resize) {
    case ServerResize::none:
        break;
    case ServerResize::long_side_1024:
        text += "; the server shrinks images to 1024 pixels on the longer side";
        break;
    case ServerResize::long_side_1568:
        text += "; the server shrinks images to 1568 pixels on the longer side";
        break;
    case ServerResize::short_side_768:
        text += "; the server shrinks images to 768 pixels on the shorter side";
        break;
    }
    return text;
}

// 1568: platform.claude.com/docs/build-with-claude/vision-coordinates. 768: OpenAI's guide to images ("shortest side is
// 768px long", detail high). 1024: LM Studio, unless its user changes it.
winio::Size shrunk_size(winio::Size image, ServerResize resize) {
    if (image.empty()) throw std::invalid_argument("the size of an empty image on a server");
    const int long_side = std::max(image.width, image.height);
    const int short_side = std::min(image.width, image.height);
    double factor = 1;
    if (resize == ServerResize::long_side_1024) factor = 1024.0 / long_side;
    if (resize == ServerResize::long_side_1568) factor = 1568.0 / long_side;
    if (resize == ServerResize::short_side_768) factor = 768.0 / short_side;
    if (factor >= 1) return image;
    const auto side = [factor](int length) {
        return std::max(1, static_cast<int>(std::lround(length * factor)));
    };
    return {side(image.width), side(image.height)};
}

agent::ModelPoint stated_point(const PositionSample& sample, const PositionForm& form) {
    const std::vector<double>& all = sample.numbers;
    if (all.size() != 2 && all.size() != 4)
        throw std::invalid_argument(fmt::format("a position of {} numbers", all.size()));
    double first = all[0];
    double second = all[1];
    if (all.size() == 4) {
        first = (first + all[2]) / 2;
        second = (second + all[3]) / 2;
    }
    const bool y_first = form.swapped != (form.convention == CoordinateConvention::norm1000_yx);
    if (y_first) std::swap(first, second);
    return {first, second};
}

CoordinateConverter converter_for(const PositionSample& sample, const PositionForm& form,
                                  const Correction& correction,
                                  const std::optional<ImageProcessor>& processor) {
    const int factor = agent::image_factor(form.convention);
    const bool usable = factor != 0 && processor && processor->factor == factor;
    return {form.convention, shrunk_size(sample.image, form.resize),
            usable ? processor : std::nullopt, correction};
}

bool keeps_to(const PositionSample& sample, const PositionForm& form,
              const std::optional<ImageProcessor>& processor) {
    const CoordinateConverter numbers = converter_for(sample, form, {}, processor);
    const auto is_whole = [](double number) { return std::trunc(number) == number; };
    if (numbers.decimals() == 0 && !std::ranges::all_of(sample.numbers, is_whole)) return false;
    for (std::size_t i = 0; i + 1 < sample.numbers.size(); i += 2) {
        const PositionSample corner{
            sample.image, sample.target, {sample.numbers[i], sample.numbers[i + 1]}};
        if (!numbers.contains(stated_point(corner, form))) return false;
    }
    return true;
}

NormPoint position_of(const PositionSample& sample, const PositionForm& form,
                      const Correction& correction,
                      const std::optional<ImageProcessor>& processor) {
    return converter_for(sample, form, correction, processor).to_norm(stated_point(sample, form));
}

bool hits(const PositionSample& sample, NormPoint at) {
    const winio::WorkArea image({0, 0, sample.image.width, sample.image.height});
    return sample.target.contains(image.to_pixel(at));
}

} // namespace eyehand::session
