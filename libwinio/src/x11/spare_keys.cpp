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
    passage_begin_ = now;
    passage_wait_ = {};
}

std::optional<Keycode> SpareKeys::key_for(Keysym keysym, std::vector<Passage>& passages) {
    const auto bound = std::ranges::find(spares_, keysym, &Spare::keysym);
    if (bound != spares_.end()) {
        bound->in_this_passage = true;
        return bound->key;
    }
    Spare* spare = least_recently_used();
    if (spare == nullptr) {
        end_passage();
        spare = least_recently_used();
        if (spare == nullptr) return std::nullopt;
        passages.emplace_back();
    }
    // All bindings precede the input of a passage, so the longest wait applies to all of them.
    passage_wait_ = std::max(passage_wait_, rest_left(*spare, passage_begin_));
    passages.back().wait = passage_wait_;
    passages.back().bindings.push_back({spare->key, keysym});
    spare->keysym = keysym;
    spare->in_this_passage = true;
    return spare->key;
}

void SpareKeys::hold(Keycode key) {
    if (Spare* spare = find(key)) spare->held = true;
}

void SpareKeys::release(Keycode key) {
    Spare* spare = find(key);
    if (spare == nullptr) return;
    spare->held = false;
    spare->in_this_passage = true;
}

void SpareKeys::end() { end_passage(); }

std::optional<Keycode> SpareKeys::meaningless_key() const {
    const auto found = std::ranges::find(spares_, no_keysym, &Spare::keysym);
    return found == spares_.end() ? std::nullopt : std::optional(found->key);
}

Passage SpareKeys::restoration(Clock::time_point now) const {
    Passage passage;
    for (const Spare& spare : spares_) {
        if (spare.keysym == no_keysym) continue;
        passage.wait = std::max(passage.wait, rest_left(spare, now));
        passage.bindings.push_back({spare.key, no_keysym});
    }
    return passage;
}

SpareKeys::Spare* SpareKeys::find(Keycode key) {
    const auto found = std::ranges::find(spares_, key, &Spare::key);
    return found == spares_.end() ? nullptr : &*found;
}

// Considers only keys that this passage does not use and that are not held.
SpareKeys::Spare* SpareKeys::least_recently_used() {
    Spare* oldest = nullptr;
    for (Spare& spare : spares_) {
        if (spare.held || spare.in_this_passage) continue;
        if (oldest == nullptr || spare.last_use < oldest->last_use) oldest = &spare;
    }
    return oldest;
}

void SpareKeys::end_passage() {
    passage_begin_ += passage_wait_;
    passage_wait_ = {};
    for (Spare& spare : spares_) {
        if (!std::exchange(spare.in_this_passage, false)) continue;
        spare.last_use = passage_begin_;
        spare.used_since_refresh = true;
    }
}

std::chrono::milliseconds SpareKeys::rest_left(const Spare& spare, Clock::time_point at) const {
    if (spare.last_use == Clock::time_point{}) return {}; // never used
    return std::max(std::chrono::milliseconds{0},
                    std::chrono::ceil<std::chrono::milliseconds>(spare.last_use + rest - at));
}

} // namespace eyehand::winio::x11
