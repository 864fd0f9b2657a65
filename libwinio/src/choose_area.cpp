#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include "window_words.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace eyehand::winio {
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
                "unknown display \"" + id + "\"; known displays: " + known + " (or \"all\")");
}

// A crop's corners are edges between pixels, so that two adjacent crops share no pixel.
Rect cropped(const Rect& bounds, const NormBox& crop) {
    const NormBox box = normalized(crop);
    const auto edge = [](double n, int extent) {
        return static_cast<int>(std::lround(n / 1000.0 * extent));
    };
    const int left = edge(box.x1, bounds.width);
    const int top = edge(box.y1, bounds.height);
    const Rect result{bounds.x + left, bounds.y + top, edge(box.x2, bounds.width) - left,
                      edge(box.y2, bounds.height) - top};
    if (result.empty()) throw std::invalid_argument("the crop contains no pixel");
    return result;
}

// The visible part of a window: Windows places maximized windows a border's width beyond the edges.
Rect window_bounds(std::span<const WindowInfo> windows, const WindowQuery& query,
                   std::span<const Display> displays) {
    const auto window = find_window(windows, query);
    if (!window)
        throw Error(errc::window_not_found,
                    "no window " + words(query) + "; existing windows: " + titles(windows));
    Rect visible;
    for (const Display& display : displays)
        visible = bounding_rect(visible, intersection(window->bounds, display.bounds));
    if (window->state == WindowState::minimized || visible.empty())
        throw Error(errc::window_not_found,
                    "the window \"" + window->title +
                        "\" is minimized or outside all displays; restore or move it");
    return visible;
}

} // namespace

WorkArea choose_area(std::span<const Display> displays, const AreaChoice& choice,
                     std::span<const WindowInfo> windows) {
    if (displays.empty() || bounds_of_all(displays).empty())
        throw Error(errc::no_display, "this session has no display");
    const Rect bounds = choice.window             ? window_bounds(windows, *choice.window, displays)
                        : choice.display == "all" ? bounds_of_all(displays)
                        : choice.display.empty()  ? primary(displays).bounds
                                                  : named(displays, choice.display).bounds;
    return WorkArea(choice.crop ? cropped(bounds, *choice.crop) : bounds);
}

WorkArea choose_area(Desktop& desktop, const AreaChoice& choice) {
    Windows* windows = choice.window ? desktop.windows() : nullptr;
    if (choice.window && windows == nullptr)
        throw Error(errc::not_supported, "this desktop does not support window control");
    return choose_area(desktop.displays(), choice,
                       windows == nullptr ? std::vector<WindowInfo>{} : windows->list());
}

} // namespace eyehand::winio
