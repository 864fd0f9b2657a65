// Annotations on screenshots show the model where it has acted and where it looks: orange heat at
// the places of its latest actions, which fades with age, blue boxes, and labels.
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/paint.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace eyehand::agent {

/// The place of an executed action.
struct Mark {
    int number = 1; ///< of the action within its turn
    winio::NormPoint at{};
    std::optional<winio::NormPoint> to{}; ///< where a drag ended
    friend bool operator==(const Mark&, const Mark&) = default;
};

/// The content of an annotation.
struct Annotation {
    std::vector<std::vector<Mark>> trail{}; ///< the marks of each turn, latest turn first
    std::vector<winio::NormBox> boxes{};
    friend bool operator==(const Annotation&, const Annotation&) = default;
};

/// The appearance of the places of actions. For a mark that is n turns old (0: this turn)
///   the radius is radius_scale * trail_shrink^n of the screenshot's longer side,
///   the alpha of each stop is multiplied by 1 - n / trail_turns,
///   the ends of a drag move toward their middle: middle + (end - middle) * trail_shrink^n.
struct ExecutedHeat {
    bool enabled = false;
    double radius_scale = 0.03; ///< of the screenshot's longer side; above 0, at most 1
    std::vector<winio::GradientStop> stops{
        {0, {255, 140, 0, 0.75}}, {0.5, {255, 120, 0, 0.35}}, {1, {255, 100, 0, 0}}};
    int trail_turns = 4;        ///< 1 to 100; 1: only this turn
    double trail_shrink = 0.85; ///< above 0, at most 1; 1: the radius stays
    friend bool operator==(const ExecutedHeat&, const ExecutedHeat&) = default;
};

/// The appearance of the model's boxes.
struct BboxHeat {
    bool enabled = true;
    winio::Rgba border{40, 120, 255, 0.9};
    int border_width = 3; ///< pixels of the screenshot, inside the box; 0 to 100
    std::vector<winio::GradientStop> fill_stops{{0, {40, 120, 255, 0.22}},
                                                {1, {40, 120, 255, 0.04}}};
    friend bool operator==(const BboxHeat&, const BboxHeat&) = default;
};

/// The annotation of a screenshot of size `size`. Boxes are drawn first, then marks from the
/// oldest turn to the latest, then labels: "1 (500,300)" beside the first action's place, "1
/// >(700,300)" where its drag ended, "#1 (100,100,400,300)" at the first box. Disabled parts have
/// no labels. With `coordinates`, which must outlive only the call, the labels have its numbers.
[[nodiscard]] EYEHAND_AGENT_API std::unique_ptr<winio::Overlay>
make_overlay(const Annotation& annotation, const ExecutedHeat& heat, const BboxHeat& boxes,
             winio::Size size, const CoordinateConverter* coordinates = nullptr);

} // namespace eyehand::agent
