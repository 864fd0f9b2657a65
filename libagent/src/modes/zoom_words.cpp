#include "modes/zoom_words.hpp"

#include <fmt/format.h>

namespace eyehand::agent {
namespace {

std::string scale_words(const Observed& seen) {
    if (seen.size.width > seen.area.width)
        return fmt::format(", enlarged {} times", seen.size.width / seen.area.width);
    if (seen.size.width < seen.area.width)
        return ", scaled down: choose a smaller part to see every pixel";
    return {};
}

} // namespace

std::string words_on_zoom(const Observed& seen, const CoordinateConverter& numbers) {
    if (!seen.zoomed || seen.zoomed->work_area.empty() || seen.area.empty()) return {};
    const winio::WorkArea whole(seen.zoomed->work_area);
    const winio::NormPoint first = whole.to_norm(seen.area.origin());
    const winio::NormPoint last = whole.to_norm({seen.area.right() - 1, seen.area.bottom() - 1});
    const std::string part = fmt::format(
        "This image shows only a part of the screen{}. In the screenshot of the whole "
        "screen, the part is {}.",
        scale_words(seen), numbers.text(winio::NormBox{first.x, first.y, last.x, last.y}));
    if (seen.zoomed->use != ZoomUse::positions)
        return part + " Positions still refer to the screenshot of the whole screen.";
    return fmt::format("{} Until the next screenshot, positions refer to this image: {}.", part,
                       numbers.with_image(seen.size).range_text());
}

} // namespace eyehand::agent
