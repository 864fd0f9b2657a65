// Unused keys, which can be bound to characters that the layout lacks.
#pragma once

#include "x11/native_input.hpp"

#include <optional>

namespace eyehand::winio::x11 {

/// Binds spare keys to characters, the least recently used key first.
///
/// A program looks up the meaning of a key when it handles the key's event, which may be long after
/// the server sent the event. A key must therefore rest after its last use before it is bound
/// again. The server waits between segments; the sender never waits.
class SpareKeys {
public:
    using Clock = std::chrono::steady_clock;

    /// The rest of a key. If a program is busy for longer, and more different characters are typed
    /// than there are spare keys, the program receives wrong characters.
    static constexpr std::chrono::milliseconds rest{500};

    /// Records the meaning of the keys at `now`: which keys are free, and which bindings still
    /// exist. `map` is the server's reply, so the server has executed all previous requests.
    void refresh(const KeyboardMap& map, Clock::time_point now);
    /// Takes over those `orphans`, bound by programs that have ended, that still have their
    /// recorded meaning.
    void adopt(const std::vector<Binding>& orphans, const KeyboardMap& map, Clock::time_point now);
    /// `map` without the spare keys: characters on spare keys must be requested from this object.
    [[nodiscard]] KeyboardMap without_spares(KeyboardMap map) const;

    /// Starts a translation, whose first segment starts at `now`.
    void begin(Clock::time_point now);
    /// The key that types `keysym` in the last of `segments`. Appends a new segment if necessary.
    /// Empty if no spare key is available.
    [[nodiscard]] std::optional<Keycode> key_for(Keysym keysym,
                                                 std::vector<InputSegment>& segments);
    /// A held key keeps its character until it is released.
    void hold(Keycode key);
    void release(Keycode key);
    /// Ends the last segment.
    void end();

    /// A key that currently has no meaning.
    [[nodiscard]] std::optional<Keycode> meaningless_key() const;

    /// Clears all keys. Its `wait` is the remaining rest of the keys.
    [[nodiscard]] InputSegment restoration(Clock::time_point now) const;

private:
    struct Spare {
        Keycode key = no_keycode;
        Keysym keysym = no_keysym; ///< its current meaning
        Clock::time_point last_use{};
        bool in_this_segment = false;
        bool used_since_refresh = false; ///< the server may execute the use as late as the next
                                         ///< `refresh`
        bool held = false;
    };
    [[nodiscard]] Spare* find(Keycode key);
    [[nodiscard]] Spare* least_recently_used();
    void end_segment();
    [[nodiscard]] std::chrono::milliseconds rest_left(const Spare& spare,
                                                      Clock::time_point at) const;

    std::vector<Spare> spares_;
    Clock::time_point segment_begin_{}; ///< before the wait of the segment
    std::chrono::milliseconds segment_wait_{0};
};

} // namespace eyehand::winio::x11
