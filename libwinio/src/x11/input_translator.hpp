// From InputEvents to what XTEST takes.
#pragma once

#include "eyehand/winio/effect.hpp"
#include "x11/native_input.hpp"
#include "x11/spare_keys.hpp"

#include <bitset>
#include <map>
#include <span>
#include <string>

namespace eyehand::winio::x11 {

/// What a translation depends on besides the events: the state of the server.
struct InputContext {
    Rect screen;
    /// The function (1 left, 2 middle, 3 right, 4 and 5 the wheel up and down, 6 and 7 left and
    /// right) of each button in the order of their places.
    std::vector<std::uint8_t> buttons;
    KeyboardMap keyboard;
    std::bitset<256> keys_down; ///< by keycode, whoever pressed them
    bool caps_locked = false;
    SpareKeys::Clock::time_point now{};
};

struct Translation {
    std::vector<Passage> passages;
    std::size_t events = 0; ///< so many are translated, counted from the front
    std::string problem;    ///< why not all
};

/// Remembers which keys and buttons each held Key and Button presses, and releases those: the
/// layout may change in between.
class InputTranslator {
public:
    /// What is translated counts as sent.
    [[nodiscard]] Translation translate(std::span<const InputEvent> events,
                                        const InputContext& context);

    /// Uses the spare keys of programs that are gone too, and gives them back in the end.
    void adopt(const std::vector<Binding>& orphans, const InputContext& context);
    /// Lets go of every key and button that is held.
    [[nodiscard]] Passage release_everything();
    /// What gives the spare keys back that are ours still.
    [[nodiscard]] Passage restoration(const InputContext& context);

private:
    class Writer; // of one translation
    std::map<Key, std::vector<Keycode>> keys_;
    std::map<Button, std::uint8_t> buttons_;
    SpareKeys spares_;
};

} // namespace eyehand::winio::x11
