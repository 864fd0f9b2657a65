// Finds the signals of a user in the input that a system reports, without a clock and a system.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace eyehand::winio {

/// One event, as a system reports it.
struct ReportedInput {
    enum class Kind { key_down, key_up, button_down, wheel, motion } kind = Kind::motion;
    bool by_user = false;   ///< not by a program
    std::uint32_t code = 0; ///< of the key; only the back-end knows its meaning
    Point pointer{};        ///< motion only: where it is now; desktop pixels
};

/// The codes of keys that have a meaning.
struct SignalKeys {
    /// Of the stop key: whether one of the codes must be down, or none may be.
    struct Modifier {
        std::vector<std::uint32_t> codes{};
        bool wanted = false;
    };
    std::vector<std::uint32_t> stop{}; ///< any of them; empty: no stop key
    std::vector<Modifier> modifiers{};
    std::vector<std::uint32_t> escape{};
};

/// Whether the system reports the moves of a program again, as if they were the user's. Wine does:
/// each program that reads a motion from the X server reports it, in a virtual desktop also with the
/// place before the move, and a busy program does so seconds later. When a program limits the pointer
/// to an area (a click on a title bar), the X server moves it to where its physical device is. So
/// there, the first motion after a program's is not the user's.
enum class Echoes { no, yes };

class SignalDetector {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `displays` returns the bounds of all displays. It is called at most once per second.
    SignalDetector(SignalKeys keys, std::function<std::vector<Rect>()> displays, Echoes echoes)
        : keys_(std::move(keys)), read_displays_(std::move(displays)), echoes_(echoes) {}

    /// A key that was already down at the start: it is not pressed again.
    void is_down(std::uint32_t code, Time now = {}) { down_.emplace(code, now); }
    /// Forgets keys that have been down for a second and no longer are, according to `is_down`: a system
    /// may not report each release.
    void forget_released(const std::function<bool(std::uint32_t code)>& is_down, Time now);
    /// Where the pointer was at the start.
    void is_at(Point pointer) { pointer_ = pointer; }
    [[nodiscard]] std::vector<UserSignal> note(const ReportedInput& input, Time now);
    /// When `due` is to be called next; empty: after the next input.
    [[nodiscard]] std::optional<Time> next() const;
    [[nodiscard]] std::vector<UserSignal> due(Time now);

private:
    [[nodiscard]] bool is_stop_key(std::uint32_t code) const;
    void note_key(const ReportedInput& input, Time now, std::vector<UserSignal>& found);
    void note_motion(const ReportedInput& input, Time now, std::vector<UserSignal>& found);
    void note_hand(Time now, std::vector<UserSignal>& found);
    void note_place(Point place, Time now);
    [[nodiscard]] bool is_echo(Point pointer, Time now) const;
    [[nodiscard]] bool in_corner(Point pointer, Time now);

    SignalKeys keys_;
    std::function<std::vector<Rect>()> read_displays_;
    Echoes echoes_;
    std::vector<Rect> displays_;
    std::optional<Time> displays_read_;
    std::map<std::uint32_t, Time> down_; ///< since when
    struct Rest {
        Time since{};
        bool signaled = false;
    };
    std::optional<Rest> escape_;   ///< the user holds it
    std::optional<Rest> corner_;   ///< the user has moved the pointer there
    std::optional<Time> signaled_; ///< the latest `input`
    /// The user's present motion, without the moves of programs in between.
    struct Motion {
        bool moves = false; ///< has led to another place
        Point travel{};     ///< since its begin or the latest `input`; pixels
        Time latest{};
    };
    std::optional<Motion> motion_;
    std::optional<Point> pointer_; ///< where it was last
    bool by_program_ = true;       ///< its latest motion, or none yet
    struct Place {
        Point at{};
        Time time{};
    };
    std::deque<Place> places_; ///< of moves of programs, before and after them
};

} // namespace eyehand::winio
