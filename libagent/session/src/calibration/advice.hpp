// The warnings of a calibration with their kinds.
#pragma once

#include "eyehand/session/calibration.hpp"

#include <string>
#include <vector>

namespace eyehand::session {

enum class WarningKind { no_grounding, unusable_form, small_targets, changed_convention };

struct CalibrationWarning {
    WarningKind kind;
    std::string text; ///< as `warnings` returns it
};

[[nodiscard]] std::vector<CalibrationWarning> warnings_of(const Calibration& calibration);

} // namespace eyehand::session
