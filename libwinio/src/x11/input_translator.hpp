// Translates InputEvents to inputs of XTEST.
#pragma once

#include "eyehand/winio/effect.hpp"
#include "x11/native_input.hpp"
#include "x11/spare_keys.hpp"

#include <bitset>
#include <map>
#include <span>
#include <string>

namespace eyehand::winio::x11 {

/// The state of the server that a translation depends on.
struct InputContext {
    Rect screen;
    /// The function (1 left, 2 middle, 3 right, 4 and 5 the wheel up and down, 6 and 7 left and
    /// right) of each button in the order of their positions.
    std::vector<std::uint8_t> buttons;
    KeyboardMap keyboard;
    std::bitset<256> keys_down; ///< by keycode, pressed by this program or the user
    bool caps_locked = false;
    SpareKeys::Clock::time_point now{};
};

struct Translation {
    std::vector<InputSegment> segments;
    std::size_t events = 0; ///< number of translated events, counted from the front
    std::string problem;    ///< why not all events were translated
};

/// Remembers which physical keys and buttons each held Key and Button pressed, and releases the
/// same ones, because the layout may change in between.
class InputTranslator {
public:
    /// Translated events count as sent.
    [[nodiscard]] Translation translate(std::span<const InputEvent> events,
                                        const InputContext& context);

    /// Also uses the spare keys of programs that have ended, and clears them in the end.
    void adopt(const std::vector<Binding>& orphans, const InputContext& context);
    /// Releases all held keys and buttons.
    [[nodiscard]] InputSegment release_everything();
    /// Clears the spare keys that this program still owns.
    [[nodiscard]] InputSegment restoration(const InputContext& context);

private:
    class Writer; // writes one translation
    std::map<Key, std::vector<Keycode>> keys_;
    std::map<Button, std::uint8_t> buttons_;
    SpareKeys spares_;
};

} // namespace eyehand::winio::x11
