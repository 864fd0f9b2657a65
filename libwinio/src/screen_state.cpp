#include "screen_state.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame_diff.hpp"
#include "moved_by.hpp"
#include "regions.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

namespace eyehand::winio {
namespace {

constexpr int caret_width = 3;
constexpr int caret_height = 64;

/// The columns in which two rows of pixels differ, as a range.
void widen(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, int left, int& first,
           int& last) {
    for (std::size_t at = 0; at + 3 < a.size(); at += 4) {
        if (std::memcmp(&a[at], &b[at], 3) == 0) continue; // alpha does not count
        const int x = left + static_cast<int>(at / 4);
        first = std::min(first, x);
        last = std::max(last, x);
    }
}

bool is_caret(const Rect& region, const ImageView& before, const ImageView& after, int dpi) {
    const int width = std::max(scaled(caret_width, dpi), 1);
    if (region.width > width + 2 * cell_side || region.height > scaled(caret_height, dpi))
        return false;
    const ImageView a = before.crop(region);
    const ImageView b = after.crop(region);
    int first = region.right();
    int last = region.x - 1;
    for (int y = 0; y < a.height(); ++y) widen(a.row(y), b.row(y), region.x, first, last);
    return last - first + 1 <= width;
}

} // namespace

std::vector<Rect> differing_rects(const Image& before, const Image& after, int dpi) {
    std::vector<Rect> rects = changed_rects(before, after, cell_side);
    if (rects.empty() || rects.size() > max_regions) return rects;
    std::vector<Rect> carets = components(rects);
    std::erase_if(carets, [&](const Rect& region) {
        return !is_caret(region, before.view(), after.view(), dpi);
    });
    std::erase_if(rects, [&](const Rect& rect) {
        return std::ranges::any_of(
            carets, [&](const Rect& caret) { return intersection(rect, caret) == rect; });
    });
    return rects;
}

Rect area_of(const Frame& frame) {
    return {frame.origin.x, frame.origin.y, frame.pixels.width(), frame.pixels.height()};
}

std::optional<std::vector<WindowInfo>> listed_windows(Desktop& desktop) {
    try {
        if (Windows* windows = desktop.windows()) return windows->list();
    } catch (const Error&) { // NOLINT(bugprone-empty-catch)
        // The back-end lists no windows at the moment.
    }
    return std::nullopt;
}

void capture_state(Desktop& desktop, Capturer& capturer, const Rect& area, ScreenState& into) {
    capturer.capture(area, into.frame);
    into.windows = listed_windows(desktop);
}

const WindowInfo* window_at(const std::vector<WindowInfo>& windows, Point at) {
    const auto found = std::ranges::find_if(windows, [&](const WindowInfo& window) {
        return window.state != WindowState::minimized && window.bounds.contains(at);
    });
    return found == windows.end() ? nullptr : &*found;
}

const WindowInfo* foreground_window(const std::vector<WindowInfo>& windows) {
    const auto found = std::ranges::find_if(windows, &WindowInfo::foreground);
    return found == windows.end() ? nullptr : &*found;
}

std::vector<Rect> changed_regions(const Frame& before, const Frame& after, int dpi) {
    if (area_of(before) != area_of(after)) return {area_of(after)};
    std::vector<Rect> rects = differing_rects(before.pixels, after.pixels, dpi);
    if (rects.size() > max_regions)
        rects = {std::accumulate(rects.begin() + 1, rects.end(), rects.front(), bounding_rect)};
    return moved_by(components(std::move(rects)), after.origin);
}

} // namespace eyehand::winio
