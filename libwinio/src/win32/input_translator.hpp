// From InputEvents to what SendInput takes, and back from what it accepted.
#pragma once

#include "eyehand/winio/effect.hpp"
#include "win32/key_codes.hpp"
#include "win32/native_input.hpp"

#include <map>
#include <span>
#include <vector>

namespace eyehand::winio::win32 {

/// What a translation depends on besides the events.
struct InputContext {
    Rect virtual_desktop;
    bool buttons_swapped = false;
    KeyLayout layout;
};

/// A batch as SendInput gets it. Made by InputTranslator::translate.
struct Translation {
    std::vector<NativeInput> inputs;
    std::vector<std::size_t> ends; ///< of event i in `inputs`: one past its last input
};

/// Remembers which keys of the keyboard each held Key presses, and releases those: the layout may
/// change in between.
class InputTranslator {
public:
    [[nodiscard]] Translation translate(std::span<const InputEvent> events,
                                        const InputContext& context) const;

    /// Takes note of the events that the system accepted as a whole: the first `accepted` of
    /// `events`, for which `translate` was called.
    void accept(std::span<const InputEvent> events, std::size_t accepted,
                const InputContext& context);

    /// True while a held Key presses this key of the keyboard.
    [[nodiscard]] bool holds(std::uint16_t virtual_key) const;

private:
    using Held = std::map<Key, std::vector<KeyCode>>;
    struct Progress; // through a batch
    static void append(const InputEvent& event, const InputContext& context, Held& held,
                       Progress& progress);
    Held held_;
};

/// How many events lie completely within the first `accepted_inputs` of the translation.
[[nodiscard]] std::size_t complete_events(const Translation& translation,
                                          std::size_t accepted_inputs);

/// Those of `inputs` that press something which none of the following ones releases: each key and
/// button once.
[[nodiscard]] std::vector<NativeInput> unreleased(std::span<const NativeInput> inputs);

/// What lets go of everything that `inputs` presses without releasing it, last pressed first.
[[nodiscard]] std::vector<NativeInput> releases_of(std::span<const NativeInput> inputs);

/// The release of one key of the keyboard.
[[nodiscard]] NativeInput key_release(const KeyCode& code);

} // namespace eyehand::winio::win32
