#include "winio/desktop.hpp"
#include "winio/error.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace winio {
namespace {

Rect bounds_of_all(std::span<const Display> displays) {
    Rect bounds;
    for (const Display& display : displays) bounds = bounding_rect(bounds, display.bounds);
    return bounds;
}

const Display& primary(std::span<const Display> displays) {
    const auto found = std::ranges::find(displays, true, &Display::primary);
    return found == displays.end() ? displays.front() : *found;
}

const Display& named(std::span<const Display> displays, const std::string& id) {
    const auto found = std::ranges::find(displays, id, &Display::id);
    if (found != displays.end()) return *found;
    std::string known;
    for (const Display& display : displays) {
        known += known.empty() ? "\"" : ", \"";
        known += display.id + "\"";
    }
    throw Error(errc::display_not_found,
                "there is no display \"" + id + "\", only " + known + " (or \"all\")");
}

// A crop's corners are edges between pixels, so that two crops side by side share none.
Rect cropped(const Rect& bounds, const NormBox& crop) {
    const NormBox box = normalised(crop);
    const auto edge = [](double n, int extent) {
        return static_cast<int>(std::lround(n / 1000.0 * extent));
    };
    const int left = edge(box.x1, bounds.width);
    const int top = edge(box.y1, bounds.height);
    const Rect result{bounds.x + left, bounds.y + top, edge(box.x2, bounds.width) - left,
                      edge(box.y2, bounds.height) - top};
    if (result.empty()) throw std::invalid_argument("the crop does not contain a single pixel");
    return result;
}

} // namespace

WorkArea choose_area(std::span<const Display> displays, const AreaChoice& choice) {
    if (displays.empty() || bounds_of_all(displays).empty())
        throw Error(errc::no_display, "this session has no display");
    const Rect bounds = choice.display == "all"  ? bounds_of_all(displays)
                        : choice.display.empty() ? primary(displays).bounds
                                                 : named(displays, choice.display).bounds;
    return WorkArea(choice.crop ? cropped(bounds, *choice.crop) : bounds);
}

} // namespace winio
