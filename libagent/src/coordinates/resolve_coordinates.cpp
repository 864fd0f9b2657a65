#include "eyehand/agent/profile.hpp"

#include <variant>

namespace eyehand::agent {
namespace {

bool is_in_pixels(CoordinateConvention convention) {
    return convention == CoordinateConvention::image_pixels || image_factor(convention) != 0;
}

/// The size for screenshots whose pixels are those of the model.
winio::Size exact_size(const Profile& profile, winio::Size area) {
    const winio::Size size = winio::image_size(area, profile.image);
    if (image_factor(*profile.coordinates) == 0) return size;
    // An area without such a size is tiny: the converter follows what the processor does with it.
    return stable_image_size(area, size, *image_processor(profile)).value_or(size);
}

} // namespace

CoordinateChoice resolve_coordinates(Profile& profile, winio::Size area) {
    const auto family = model_family(profile.model);
    CoordinateChoice choice;
    if (profile.coordinates) {
        choice.convention = *profile.coordinates;
    } else if (family) {
        choice.family = family->name;
        choice.grounds = family->grounds;
        choice.convention = family->convention.value_or(choice.convention);
    }
    profile.coordinates = choice.convention;
    if (is_in_pixels(choice.convention) && !std::holds_alternative<winio::ExactSize>(profile.image))
        profile.image = winio::ExactSize{exact_size(profile, area)};
    return choice;
}

std::optional<CoordinateConverter> coordinate_converter(const Profile& profile) {
    const auto convention = profile.coordinates.value_or(CoordinateConvention::norm1000);
    if (convention == CoordinateConvention::norm1000) return std::nullopt;
    constexpr winio::Size usual{1920, 1080}; // until the coordinates are resolved
    const winio::Size image = winio::image_size(usual, profile.image);
    if (image_factor(convention) == 0) return CoordinateConverter(convention, image);
    return CoordinateConverter(convention, image, image_processor(profile));
}

std::optional<ImageProcessor> image_processor(const Profile& profile) {
    const int factor = profile.coordinates ? image_factor(*profile.coordinates) : 0;
    const auto family = model_family(profile.model);
    if (family && family->processor && (factor == 0 || family->processor->factor == factor))
        return family->processor;
    if (factor == 0) return std::nullopt;
    return factor == 28 ? qwen2_5_processor : qwen3_processor;
}

} // namespace eyehand::agent
