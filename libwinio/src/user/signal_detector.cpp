#include "user/signal_detector.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace eyehand::winio {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds time_of_escape{1000};
constexpr milliseconds time_in_corner{500};
constexpr int size_of_corner = 2; ///< pixels
/// The state of a key that a system reports may be older than the key's latest event.
constexpr milliseconds before_check{1000};
constexpr milliseconds between_inputs{250};
/// A table that shakes moves a mouse by less, again and again.
constexpr int long_motion = 16; ///< pixels
constexpr milliseconds end_of_motion{1000};
/// See `Echoes`: a busy program reads its events late.
constexpr std::chrono::seconds time_of_echo{30};
constexpr int rounding = 1; ///< pixels
constexpr std::size_t max_places = 64;
constexpr std::chrono::seconds between_readings{1}; ///< of the displays, which come and go

template <typename Range, typename Value>
bool has(const Range& range, const Value& value) {
    return std::ranges::find(range, value) != std::ranges::end(range);
}

bool is_near(Point one, Point other, int distance) {
    return std::abs(one.x - other.x) <= distance && std::abs(one.y - other.y) <= distance;
}

} // namespace

std::vector<UserSignal> SignalDetector::note(const ReportedInput& input, Time now) {
    using Kind = ReportedInput::Kind;
    std::vector<UserSignal> found = due(now);
    switch (input.kind) {
    case Kind::key_down:
    case Kind::key_up:
        note_key(input, now, found);
        break;
    case Kind::button_down:
    case Kind::wheel:
        if (input.by_user) note_hand(now, found);
        break;
    case Kind::motion:
        note_motion(input, now, found);
        break;
    }
    return found;
}

void SignalDetector::note_key(const ReportedInput& input, Time now,
                              std::vector<UserSignal>& found) {
    const bool is_escape = has(keys_.escape, input.code);
    if (input.kind == ReportedInput::Kind::key_up) {
        down_.erase(input.code);
        if (is_escape && input.by_user) escape_.reset();
        return;
    }
    const bool is_new = down_.emplace(input.code, now).second; // Windows repeats a key that is held
    if (is_new && is_stop_key(input.code)) found.push_back(UserSignal::stop_key);
    if (!input.by_user) return;
    if (is_new && is_escape) escape_ = Rest{now};
    if (is_new) note_hand(now, found);
}

void SignalDetector::forget_released(const std::function<bool(std::uint32_t code)>& is_down,
                                     Time now) {
    std::erase_if(down_, [&](const auto& key) {
        const bool released = now - key.second >= before_check && !is_down(key.first);
        if (released && has(keys_.escape, key.first)) escape_.reset();
        return released;
    });
}

bool SignalDetector::is_stop_key(std::uint32_t code) const {
    return has(keys_.stop, code) &&
           std::ranges::all_of(keys_.modifiers, [&](const SignalKeys::Modifier& modifier) {
               const bool is_down = std::ranges::any_of(
                   modifier.codes, [&](std::uint32_t key) { return down_.contains(key); });
               return is_down == modifier.wanted;
           });
}

void SignalDetector::note_motion(const ReportedInput& input, Time now,
                                 std::vector<UserSignal>& found) {
    if (!input.by_user) {
        if (echoes_ == Echoes::yes) {
            if (pointer_) note_place(*pointer_, now);
            note_place(input.pointer, now);
        }
        pointer_ = input.pointer;
        by_program_ = true;
        corner_.reset();
        return;
    }
    if (is_echo(input.pointer, now)) return;
    const bool alone = echoes_ == Echoes::yes && std::exchange(by_program_, false);
    const Point before = std::exchange(pointer_, input.pointer).value_or(input.pointer);
    if (!motion_ || now - motion_->latest >= end_of_motion) motion_ = Motion{};
    motion_->latest = now;
    if (alone) return;
    motion_->moves = motion_->moves || before != input.pointer;
    motion_->travel.x += input.pointer.x - before.x;
    motion_->travel.y += input.pointer.y - before.y;
    if (!is_near(motion_->travel, {}, long_motion)) {
        motion_->travel = {};
        note_hand(now, found);
    }
    // A program may have moved it there before.
    if (!in_corner(input.pointer, now))
        corner_.reset();
    else if (!corner_ && !in_corner(before, now))
        corner_ = Rest{now};
}

void SignalDetector::note_place(Point place, Time now) {
    places_.push_back({place, now});
    if (places_.size() > max_places) places_.pop_front();
}

/// The user can come past the places of a program, but hardly begins a motion exactly there.
bool SignalDetector::is_echo(Point pointer, Time now) const {
    const bool moves = motion_ && motion_->moves && now - motion_->latest < end_of_motion;
    return !moves && std::ranges::any_of(places_, [&](const Place& place) {
        return now - place.time <= time_of_echo && is_near(pointer, place.at, rounding);
    });
}

bool SignalDetector::in_corner(Point pointer, Time now) {
    if (!displays_read_ || now - *displays_read_ >= between_readings) {
        displays_ = read_displays_();
        displays_read_ = now;
    }
    return std::ranges::any_of(displays_, [&](const Rect& display) {
        const auto at_edge = [](int place, int start, int size) {
            return place >= start && place < start + size &&
                   (place < start + size_of_corner || place >= start + size - size_of_corner);
        };
        return at_edge(pointer.x, display.x, display.width) &&
               at_edge(pointer.y, display.y, display.height);
    });
}

void SignalDetector::note_hand(Time now, std::vector<UserSignal>& found) {
    if (signaled_ && now - *signaled_ < between_inputs) return;
    signaled_ = now;
    found.push_back(UserSignal::input);
}

std::optional<SignalDetector::Time> SignalDetector::next() const {
    std::optional<Time> first;
    const auto look = [&](const std::optional<Rest>& rest, milliseconds time) {
        if (rest && !rest->signaled && (!first || rest->since + time < *first))
            first = rest->since + time;
    };
    look(escape_, time_of_escape);
    look(corner_, time_in_corner);
    return first;
}

std::vector<UserSignal> SignalDetector::due(Time now) {
    std::vector<UserSignal> found;
    const auto look = [&](std::optional<Rest>& rest, milliseconds time, UserSignal signal) {
        if (!rest || rest->signaled || now - rest->since < time) return;
        rest->signaled = true;
        found.push_back(signal);
    };
    look(escape_, time_of_escape, UserSignal::escape);
    look(corner_, time_in_corner, UserSignal::corner);
    return found;
}

} // namespace eyehand::winio
