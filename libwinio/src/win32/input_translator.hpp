// Translates InputEvents to inputs of SendInput, and the number of accepted inputs back to events.
#pragma once

#include "eyehand/winio/effect.hpp"
#include "win32/key_codes.hpp"
#include "win32/native_input.hpp"

#include <map>
#include <span>
#include <vector>

namespace eyehand::winio::win32 {

/// The system state that a translation depends on.
struct InputContext {
    Rect virtual_desktop;
    bool buttons_swapped = false;
    KeyLayout layout;
};

/// A batch for SendInput, from InputTranslator::translate.
struct Translation {
    std::vector<NativeInput> inputs;
    std::vector<std::size_t> ends; ///< for event i: one past its last input in `inputs`
};

/// Remembers which physical keys each held Key pressed, and releases the same ones, because the
/// layout may change in between.
class InputTranslator {
public:
    [[nodiscard]] Translation translate(std::span<const InputEvent> events,
                                        const InputContext& context) const;

    /// Records that the system accepted the first `accepted` events completely. `events` are those
    /// that were passed to `translate`.
    void accept(std::span<const InputEvent> events, std::size_t accepted,
                const InputContext& context);

    /// Whether a held Key presses this physical key.
    [[nodiscard]] bool holds(std::uint16_t virtual_key) const;

private:
    using Held = std::map<Key, std::vector<KeyCode>>;
    struct Progress; // within a batch
    static void append(const InputEvent& event, const InputContext& context, Held& held,
                       Progress& progress);
    Held held_;
};

/// The number of events that lie completely within the first `accepted_inputs` of the translation.
[[nodiscard]] std::size_t complete_events(const Translation& translation,
                                          std::size_t accepted_inputs);

/// The inputs that press a key or button which no later input releases; each key and button once.
[[nodiscard]] std::vector<NativeInput> unreleased(std::span<const NativeInput> inputs);

/// The releases of everything that `inputs` presses without releasing it, the last pressed first.
[[nodiscard]] std::vector<NativeInput> releases_of(std::span<const NativeInput> inputs);

/// The release of one physical key.
[[nodiscard]] NativeInput key_release(const KeyCode& code);

} // namespace eyehand::winio::win32
