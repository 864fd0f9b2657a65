#include "desktop/change_history.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace eyehand::mcp {
namespace {

constexpr std::size_t max_rects = 8;
constexpr int near_pixels = 16;

std::int64_t pixels_of(const winio::Rect& rect) {
    return std::int64_t{rect.width} * std::int64_t{rect.height};
}

bool are_near(const winio::Rect& a, const winio::Rect& b) {
    const winio::Rect around{a.x - near_pixels, a.y - near_pixels, a.width + 2 * near_pixels,
                             a.height + 2 * near_pixels};
    return !winio::intersection(around, b).empty();
}

/// How many more pixels the rectangle around both has than the two.
std::int64_t cost_of_joining(const winio::Rect& a, const winio::Rect& b) {
    return pixels_of(winio::bounding_rect(a, b)) - pixels_of(a) - pixels_of(b);
}

void join(std::vector<winio::Rect>& rects, std::size_t a, std::size_t b) {
    rects[a] = winio::bounding_rect(rects[a], rects[b]);
    rects.erase(rects.begin() + static_cast<std::ptrdiff_t>(b));
}

bool join_near_ones(std::vector<winio::Rect>& rects) {
    for (std::size_t a = 0; a < rects.size(); ++a)
        for (std::size_t b = a + 1; b < rects.size(); ++b)
            if (are_near(rects[a], rects[b])) {
                join(rects, a, b);
                return true;
            }
    return false;
}

} // namespace

std::vector<winio::Rect> joined(std::vector<winio::Rect> rects, std::size_t max_count) {
    constexpr std::size_t max_compared = 256; // of pairs: a busy screen has changed as a whole
    if (rects.size() > max_compared) {
        winio::Rect all;
        for (const winio::Rect& rect : rects) all = winio::bounding_rect(all, rect);
        return {all};
    }
    while (join_near_ones(rects)) {
    }
    while (rects.size() > max_count) {
        std::size_t best_a = 0;
        std::size_t best_b = 1;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::size_t a = 0; a < rects.size(); ++a)
            for (std::size_t b = a + 1; b < rects.size(); ++b)
                if (const std::int64_t cost = cost_of_joining(rects[a], rects[b]); cost < least) {
                    least = cost;
                    best_a = a;
                    best_b = b;
                }
        join(rects, best_a, best_b);
    }
    return rects;
}

void ChangeHistory::add(int screenshot, std::span<const winio::Rect> changed) {
    for (Entry& entry : entries_) {
        entry.changed_later.insert(entry.changed_later.end(), changed.begin(), changed.end());
        entry.changed_later = joined(std::move(entry.changed_later), max_rects);
    }
    entries_.push_back({screenshot, {}});
    if (entries_.size() > max_screenshots) entries_.pop_front();
}

std::optional<std::vector<winio::Rect>> ChangeHistory::since(int screenshot) const {
    const auto found = std::ranges::find(entries_, screenshot, &Entry::screenshot);
    if (found == entries_.end()) return std::nullopt;
    return found->changed_later;
}

std::optional<std::vector<winio::Rect>> parts_to_show(std::span<const winio::Rect> changed,
                                                      const winio::Rect& view) {
    constexpr std::size_t max_parts = 4;
    std::vector<winio::Rect> parts;
    for (const winio::Rect& rect : changed)
        if (const winio::Rect part = winio::intersection(rect, view); !part.empty())
            parts.push_back(part);
    parts = joined(std::move(parts), max_parts);
    std::int64_t pixels = 0;
    for (const winio::Rect& part : parts) pixels += pixels_of(part);
    if (pixels > pixels_of(view) / 2) return std::nullopt;
    return parts;
}

} // namespace eyehand::mcp
