// How a part of the screen is shown to a model.
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/export.hpp"
#include "eyehand/winio/frame.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/image.hpp"

#include <optional>

namespace eyehand::agent {

struct ZoomedView {
    winio::Rect area{};  ///< in the work area; desktop pixels
    winio::Size image{}; ///< `area` enlarged by a whole factor, or scaled down
    friend bool operator==(const ZoomedView&, const ZoomedView&) = default;
};

/// The view of a part of the work area in an image of at most `max_image`. The part is extended to at
/// least 32 pixels per side and, with a processor, to multiples of its factor, as far as the work area
/// allows. It is enlarged at most 4 times, or more if the processor would enlarge the image further. A
/// part that is larger than `max_image` is scaled down; with a processor, to a size that the processor
/// leaves unchanged, if there is one. Throws std::invalid_argument for an empty `max_image`.
[[nodiscard]] ZoomedView zoomed_view(const winio::WorkArea& work_area, const winio::NormBox& region,
                                     winio::Size max_image,
                                     const std::optional<ImageProcessor>& processor);

/// The same for screenshots of a profile, whose coordinates are resolved. An image for a request that
/// refines a position has at most 1024 pixels per side: its tokens are paid for each click.
[[nodiscard]] EYEHAND_AGENT_API ZoomedView zoomed_view(const winio::WorkArea& work_area,
                                                       const Zoom& zoom, const Profile& profile);

/// The pixels of the view. `frame` must contain its area. Draws the pointer if the frame has one.
[[nodiscard]] EYEHAND_AGENT_API winio::Image zoomed_image(const winio::Frame& frame,
                                                          const ZoomedView& view);

/// In steps of 1/1024: JSON does not keep the last digits, and a replay must get the same region.
[[nodiscard]] winio::NormBox in_steps(const winio::NormBox& region);

} // namespace eyehand::agent
