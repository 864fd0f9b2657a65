#include "run/novelty.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

/// Number of latest screenshots; one that equals any of them shows nothing new.
constexpr std::size_t max_seen = 8;

/// The half side of the square around a target, or the pointer, in pixels at 96 DPI.
constexpr int target_radius = 24;

std::int64_t pixels_of(const winio::Rect& rect) { return std::int64_t{rect.width} * rect.height; }

bool inside(const winio::Rect& region, const std::vector<winio::Rect>& regions) {
    return std::any_of(regions.begin(), regions.end(), [&](const winio::Rect& other) {
        return winio::intersection(region, other) == region;
    });
}

bool touches(const winio::Rect& region, const winio::Rect& other) {
    return !winio::intersection(region, other).empty();
}

} // namespace

void Novelty::acted(const std::vector<winio::Point>& targets,
                    const std::optional<std::vector<winio::WindowInfo>>& windows) {
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    if (!windows) {
        windows_known_ = false;
        return;
    }
    const auto add = [&](const winio::WindowInfo* window) {
        if (window != nullptr)
            acted_windows_.push_back(window->bounds);
        else
            windows_known_ = false;
    };
    for (const winio::Point& target : targets) add(winio::window_at(*windows, target));
    if (targets.empty()) add(winio::foreground_window(*windows));
}

bool Novelty::is_still(const winio::Frame& previous, const winio::Frame& frame,
                       const std::vector<winio::Rect>& ambient, const std::string& sha256,
                       int dpi) {
    const std::vector<winio::Rect> changed = previous.pixels.empty()
                                                 ? std::vector<winio::Rect>{}
                                                 : winio::changed_regions(previous, frame, dpi);
    const std::uint64_t fingerprint = fingerprints_.of(frame.pixels);
    const auto known = [&](const Seen& seen) {
        return seen.sha256 == sha256 || seen.fingerprint == fingerprint;
    };
    const std::int64_t small = std::int64_t{frame.pixels.width()} * frame.pixels.height() / 100;
    const auto nothing_new = [&](const winio::Rect& region) {
        if (is_at_target(region, frame, dpi)) return false;
        return inside(region, ambient) || inside(region, toggles_) || is_elsewhere(region, small);
    };
    bool still = false;
    returned_ = false;
    if (std::any_of(seen_.begin(), seen_.end(), known)) {
        still = true;
        // Unlike a look that is new at a target, one that returns there can be that of a caret.
        returned_ = !std::all_of(changed.begin(), changed.end(), [&](const winio::Rect& region) {
            return inside(region, ambient) || nothing_new(region);
        });
        // What returns to an earlier look toggles, if it is small: not a window that was opened and
        // closed.
        std::int64_t pixels = 0;
        for (const winio::Rect& region : latest_change_) pixels += pixels_of(region);
        if (!known(seen_.back()) && pixels <= small)
            toggles_.insert(toggles_.end(), latest_change_.begin(), latest_change_.end());
    } else if (!previous.pixels.empty() && !seen_.empty()) {
        still = std::all_of(changed.begin(), changed.end(), nothing_new);
        latest_change_ = changed;
        if (!still) toggles_.clear(); // on a new screen, other regions toggle
        keep({sha256, fingerprint});
    } else {
        keep({sha256, fingerprint});
    }
    targets_.clear();
    acted_windows_.clear();
    windows_known_ = true;
    return still;
}

void Novelty::remember(const std::string& sha256) {
    const auto same = [&](const Seen& seen) { return seen.sha256 == sha256; };
    if (std::none_of(seen_.begin(), seen_.end(), same)) keep({sha256, std::nullopt});
}

bool Novelty::is_at_target(const winio::Rect& region, const winio::Frame& frame, int dpi) const {
    const auto around = [radius = target_radius * dpi / 96](winio::Point at) {
        return winio::Rect{at.x - radius, at.y - radius, 2 * radius + 1, 2 * radius + 1};
    };
    if (frame.pointer && touches(region, around(frame.pointer->position))) return true;
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](winio::Point target) { return touches(region, around(target)); });
}

/// Whether a change is small and outside all windows in which the agent has acted.
bool Novelty::is_elsewhere(const winio::Rect& region, std::int64_t small) const {
    return windows_known_ && !acted_windows_.empty() && pixels_of(region) <= small &&
           std::none_of(acted_windows_.begin(), acted_windows_.end(),
                        [&](const winio::Rect& window) { return touches(region, window); });
}

void Novelty::keep(Seen seen) {
    seen_.push_back(std::move(seen));
    if (seen_.size() > max_seen) seen_.pop_front();
}

} // namespace eyehand::agent
