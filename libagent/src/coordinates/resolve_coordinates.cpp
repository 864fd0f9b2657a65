#include "eyehand/agent/profile.hpp"

#include <variant>

namespace eyehand::agent {
namespace {

bool is_in_pixels(CoordinateConvention convention) {
    return convention == CoordinateConvention::image_pixels || image_factor(convention) != 0;
}

ImageProcessor processor_of(CoordinateConvention convention,
                            const std::optional<ModelFamily>& family) {
    if (family && family->processor && family->processor->factor == image_factor(convention))
        return *family->processor;
    return image_factor(convention) == 28 ? qwen2_5_processor : qwen3_processor;
}

/// The size for screenshots whose pixels are those of the model.
winio::Size exact_size(const Profile& profile, winio::Size area,
                       const std::optional<ModelFamily>& family) {
    const winio::Size size = winio::image_size(area, profile.image);
    const CoordinateConvention convention = *profile.coordinates;
    if (image_factor(convention) == 0) return size;
    // An area without such a size is tiny: the converter follows what the processor does with it.
    return stable_image_size(area, size, processor_of(convention, family)).value_or(size);
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
        profile.image = winio::ExactSize{exact_size(profile, area, family)};
    return choice;
}

std::optional<CoordinateConverter> coordinate_converter(const Profile& profile) {
    const auto convention = profile.coordinates.value_or(CoordinateConvention::norm1000);
    if (convention == CoordinateConvention::norm1000) return std::nullopt;
    constexpr winio::Size usual{1920, 1080}; // until the coordinates are resolved
    return CoordinateConverter(convention, winio::image_size(usual, profile.image));
}

} // namespace eyehand::agent
