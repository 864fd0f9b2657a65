// Numbers of a model, read in a form.
#pragma once

#include "eyehand/session/calibration.hpp"

#include <array>
#include <optional>

namespace eyehand::session {

inline constexpr std::array server_resizes{ServerResize::none, ServerResize::long_side_1024,
                                           ServerResize::long_side_1568,
                                           ServerResize::short_side_768};

/// x and y in the numbers of the model; the center of a box.
[[nodiscard]] agent::ModelPoint stated_point(const PositionSample& sample,
                                             const PositionForm& form);
/// `processor` counts if the form has its factor.
[[nodiscard]] agent::CoordinateConverter
converter_for(const PositionSample& sample, const PositionForm& form,
              const agent::Correction& correction,
              const std::optional<agent::ImageProcessor>& processor);
/// Whether the convention of the form can contain all numbers: they are in its range, and whole if it
/// has whole numbers.
[[nodiscard]] bool keeps_to(const PositionSample& sample, const PositionForm& form,
                            const std::optional<agent::ImageProcessor>& processor);

/// Whether the position belongs to the convention of the fit: it can contain the numbers, and no other
/// one that `fit_positions` considers is much more likely.
[[nodiscard]] bool follows(const PositionSample& sample, const PositionFit& fit,
                           const std::optional<agent::ImageProcessor>& processor);

} // namespace eyehand::session
