#include "x11/spare_keys.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::winio::x11 {
namespace {

bool means_only(Keysym keysym, Keycode key, const KeyboardMap& map) {
    for (int column = 0; column < map.columns; ++column) {
        const Keysym there = map.at(key, column);
        if (there != no_keysym && there != keysym) return false;
    }
    return true;
}

} // namespace

void SpareKeys::refresh(const KeyboardMap& map, Clock::time_point now) {
    const std::vector<Spare> before = std::exchange(spares_, {});
    for (int row = 0; row < map.rows(); ++row) {
        Spare spare{.key = static_cast<Keycode>(map.first + row)};
        const auto known = std::ranges::find(before, spare.key, &Spare::key);
        if (known != before.end()) spare = *known;
        if (map.is_modifier(spare.key) || !means_only(spare.keysym, spare.key, map)) continue;
        // Another program may have loaded a layout without our character.
        if (map.at(spare.key, 0) == no_keysym) spare.keysym = no_keysym;
        // The server may have executed the requests late, but not later than now.
        if (std::exchange(spare.used_since_refresh, false)) spare.last_use = now;
        spares_.push_back(spare);
    }
}

void SpareKeys::adopt(const std::vector<Binding>& orphans, const KeyboardMap& map,
                      Clock::time_point now) {
    for (const auto& [key, keysym] : orphans)
        if (find(key) == nullptr && keysym != no_keysym && map.at(key, 0) == keysym &&
            means_only(keysym, key, map) && !map.is_modifier(key))
            spares_.push_back({.key = key, .keysym = keysym, .last_use = now});
}

KeyboardMap SpareKeys::without_spares(KeyboardMap map) const {
    for (const Spare& spare : spares_) {
        const auto row =
            map.keysyms.begin() + static_cast<std::ptrdiff_t>(spare.key - map.first) * map.columns;
        std::fill_n(row, map.columns, no_keysym);
    }
    return map;
}

void SpareKeys::begin(Clock::time_point now) {
    segment_begin_ = now;
    segment_wait_ = {};
}

std::optional<Keycode> SpareKeys::key_for(Keysym keysym, std::vector<InputSegment>& segments) {
    const auto bound = std::ranges::find(spares_, keysym, &Spare::keysym);
    if (bound != spares_.end()) {
        bound->in_this_segment = true;
        return bound->key;
    }
    Spare* spare = least_recently_used();
    if (spare == nullptr) {
        end_segment();
        spare = least_recently_used();
        if (spare == nullptr) return std::nullopt;
        segments.emplace_back();
    }
    // All bindings precede the input of a segment, so the longest wait applies to all of them.
    segment_wait_ = std::max(segment_wait_, rest_left(*spare, segment_begin_));
    segments.back().wait = segment_wait_;
    segments.back().bindings.push_back({spare->key, keysym});
    spare->keysym = keysym;
    spare->in_this_segment = true;
    return spare->key;
}

void SpareKeys::hold(Keycode key) {
    if (Spare* spare = find(key)) spare->held = true;
}

void SpareKeys::release(Keycode key) {
    Spare* spare = find(key);
    if (spare == nullptr) return;
    spare->held = false;
    spare->in_this_segment = true;
}

void SpareKeys::end() { end_segment(); }

std::optional<Keycode> SpareKeys::meaningless_key() const {
    const auto found = std::ranges::find(spares_, no_keysym, &Spare::keysym);
    return found == spares_.end() ? std::nullopt : std::optional(found->key);
}

InputSegment SpareKeys::restoration(Clock::time_point now) const {
    InputSegment segment;
    for (const Spare& spare : spares_) {
        if (spare.keysym == no_keysym) continue;
        segment.wait = std::max(segment.wait, rest_left(spare, now));
        segment.bindings.push_back({spare.key, no_keysym});
    }
    return segment;
}

SpareKeys::Spare* SpareKeys::find(Keycode key) {
    const auto found = std::ranges::find(spares_, key, &Spare::key);
    return found == spares_.end() ? nullptr : &*found;
}

// Considers only keys that this segment does not use and that are not held.
SpareKeys::Spare* SpareKeys::least_recently_used() {
    Spare* oldest = nullptr;
    for (Spare& spare : spares_) {
        if (spare.held || spare.in_this_segment) continue;
        if (oldest == nullptr || spare.last_use < oldest->last_use) oldest = &spare;
    }
    return oldest;
}

void SpareKeys::end_segment() {
    segment_begin_ += segment_wait_;
    segment_wait_ = {};
    for (Spare& spare : spares_) {
        if (!std::exchange(spare.in_this_segment, false)) continue;
        spare.last_use = segment_begin_;
        spare.used_since_refresh = true;
    }
}

std::chrono::milliseconds SpareKeys::rest_left(const Spare& spare, Clock::time_point at) const {
    if (spare.last_use == Clock::time_point{}) return {}; // never used
    return std::max(std::chrono::milliseconds{0},
                    std::chrono::ceil<std::chrono::milliseconds>(spare.last_use + rest - at));
}

} // namespace eyehand::winio::x11
