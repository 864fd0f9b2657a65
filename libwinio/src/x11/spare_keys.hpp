// Keys of the keyboard that mean nothing, and so can be given the characters that the layout lacks.
#pragma once

#include "x11/native_input.hpp"

#include <optional>

namespace eyehand::winio::x11 {

/// Lends spare keys to characters, the least recently used first.
///
/// A program looks up what a key means when it handles the key's event, which may be well after the
/// server sent it. So a key has to rest after its last use before it may mean something else. The
/// waiting is done by the server, between passages: who sends never waits.
class SpareKeys {
public:
    using Clock = std::chrono::steady_clock;

    /// How long a key rests. Programs that are busy for longer while more different characters are
    /// typed than there are spare keys get wrong ones.
    static constexpr std::chrono::milliseconds rest{500};

    /// Takes note of what the keys mean at `now`: which are free, and which of ours are ours still.
    /// The server answered with `map`, so that it has carried out everything given before.
    void refresh(const KeyboardMap& map, Clock::time_point now);
    /// Makes those of `orphans` ours that still mean what they say: programs that are gone lent them.
    void adopt(const std::vector<Binding>& orphans, const KeyboardMap& map, Clock::time_point now);
    /// `map` without what the spare keys mean: what is typed with them has to be asked of here.
    [[nodiscard]] KeyboardMap without_spares(KeyboardMap map) const;

    /// Begins to write into `passages`, which has one passage that starts at `now`.
    void begin(Clock::time_point now);
    /// The key that writes `keysym` in the last of `passages`, to which a new one is added where
    /// that has to be; nothing when there is no spare key (any more).
    [[nodiscard]] std::optional<Keycode> key_for(Keysym keysym, std::vector<Passage>& passages);
    /// A key that is held keeps its character until it is released.
    void hold(Keycode key);
    void release(Keycode key);
    /// Ends the last passage.
    void end();

    /// A key that means nothing at the moment.
    [[nodiscard]] std::optional<Keycode> meaningless_key() const;

    /// What gives all keys back. `wait` is how long the last used ones still rest.
    [[nodiscard]] Passage restoration(Clock::time_point now) const;

private:
    struct Spare {
        Keycode key = no_keycode;
        Keysym keysym = no_keysym; ///< what it means now
        Clock::time_point last_use{};
        bool in_this_passage = false;
        bool used_since_refresh = false; ///< the server may not have come to it before `refresh`
        bool held = false;
    };
    [[nodiscard]] Spare* find(Keycode key);
    [[nodiscard]] Spare* least_recently_used();
    void end_passage();
    [[nodiscard]] std::chrono::milliseconds rest_left(const Spare& spare,
                                                      Clock::time_point at) const;

    std::vector<Spare> spares_;
    Clock::time_point passage_begin_{}; ///< before its wait
    std::chrono::milliseconds passage_wait_{0};
};

} // namespace eyehand::winio::x11
