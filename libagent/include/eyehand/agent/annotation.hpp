// What is drawn over screenshots, so that a model sees where it has acted and what it looks at: orange
// heat at the places of its latest actions, fading with their age, blue boxes, and labels.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/paint.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace eyehand::agent {

/// A place at which something was done.
struct Mark {
    int number = 1; ///< of the action within its turn
    winio::NormPoint at{};
    std::optional<winio::NormPoint> to{}; ///< where a drag ended
    friend bool operator==(const Mark&, const Mark&) = default;
};

/// What a screenshot is annotated with.
struct Annotation {
    std::vector<std::vector<Mark>> trail{}; ///< by turns, the latest first
    std::vector<winio::NormBox> boxes{};
    friend bool operator==(const Annotation&, const Annotation&) = default;
};

/// How the places of actions are shown. Of a mark that is n turns old (0: this turn's)
///   the radius is radius_scale * trail_shrink^n of the picture's longer side,
///   the alpha of each stop is multiplied by 1 - n / trail_turns,
///   the ends of a drag are pulled to their middle: middle + (end - middle) * trail_shrink^n.
struct ExecutedHeat {
    bool enabled = false;
    double radius_scale = 0.03; ///< of the picture's longer side; above 0 to 1
    std::vector<winio::GradientStop> stops{
        {0, {255, 140, 0, 0.75}}, {0.5, {255, 120, 0, 0.35}}, {1, {255, 100, 0, 0}}};
    int trail_turns = 4;        ///< 1: this turn's alone; to 100
    double trail_shrink = 0.85; ///< above 0 to 1: none
    friend bool operator==(const ExecutedHeat&, const ExecutedHeat&) = default;
};

/// How a model's boxes are shown.
struct BboxHeat {
    bool enabled = true;
    winio::Rgba border{40, 120, 255, 0.9};
    int border_width = 3; ///< pixels of the picture, within the box; 0 to 100
    std::vector<winio::GradientStop> fill_stops{{0, {40, 120, 255, 0.22}},
                                                {1, {40, 120, 255, 0.04}}};
    friend bool operator==(const BboxHeat&, const BboxHeat&) = default;
};

/// The annotation of a picture of that size. Boxes lie below, this turn's marks above older ones,
/// labels on top: "1 (500,300)" beside the first action's place, "1 >(700,300)" where its drag ended,
/// "#1 (100,100,400,300)" at the first box. What is not enabled has no labels, either.
[[nodiscard]] EYEHAND_AGENT_API std::unique_ptr<winio::Overlay>
make_overlay(const Annotation& annotation, const ExecutedHeat& heat, const BboxHeat& boxes,
             winio::Size picture);

} // namespace eyehand::agent
