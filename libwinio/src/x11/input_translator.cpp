#include "x11/input_translator.hpp"

#include "overloaded.hpp"

#include <algorithm>
#include <cstdlib>

namespace eyehand::winio::x11 {
namespace {

using Kind = NativeInput::Kind;

// Buttons by function, numbered as in the core protocol.
constexpr std::uint8_t number_of(Button button) {
    switch (button) {
    case Button::left:
        return 1;
    case Button::middle:
        return 2;
    case Button::right:
        break;
    }
    return 3;
}

constexpr std::uint8_t number_of(const WheelTurn& turn) {
    const bool positive = turn.notches > 0;
    if (turn.axis == Axis::vertical) return positive ? 4 : 5;
    return positive ? 7 : 6;
}

// XTEST identifies buttons by position, and the server swaps them if the user has swapped them.
// Empty if no button has the function.
std::optional<std::uint8_t> place_of(std::uint8_t function,
                                     const std::vector<std::uint8_t>& buttons) {
    const auto found = std::ranges::find(buttons, function);
    if (found == buttons.end()) return std::nullopt;
    return static_cast<std::uint8_t>(found - buttons.begin() + 1);
}

Point clipped(Point to, const Rect& screen) {
    return {std::clamp(to.x, screen.x, screen.right() - 1),
            std::clamp(to.y, screen.y, screen.bottom() - 1)};
}

bool presses_something(const InputEvent& event) {
    return !std::holds_alternative<PointerMove>(event);
}

bool writes_character(const InputEvent& event) {
    if (const auto* key = std::get_if<KeyChange>(&event))
        return key->press == Press::down && std::holds_alternative<char32_t>(key->key);
    return std::holds_alternative<TypedScalar>(event);
}

bool is_caps_lock(const InputEvent& event) {
    const auto* key = std::get_if<KeyChange>(&event);
    return key != nullptr && key->key == Key(NamedKey::caps_lock);
}

const char* what_lacks(const InputEvent& event) {
    return std::holds_alternative<ButtonChange>(event) || std::holds_alternative<WheelTurn>(event)
               ? "the pointer has no button"
               : "the keyboard has neither a key nor a spare one";
}

bool opens_menus(Keysym keysym) {
    constexpr Keysym meta_to_hyper_begin = 0xFFE7; // Meta_L, Meta_R, Alt_L, Alt_R, Super_L, ...
    constexpr Keysym meta_to_hyper_end = 0xFFEE;   // Hyper_R
    return keysym >= meta_to_hyper_begin && keysym <= meta_to_hyper_end;
}

} // namespace

class InputTranslator::Writer {
public:
    Writer(InputTranslator& translator, const InputContext& context)
        : own_(translator), context_(context),
          keyboard_(translator.spares_.without_spares(context.keyboard)), segments_(1) {}

    /// False if neither the keyboard nor the pointer can produce it.
    [[nodiscard]] bool write(const InputEvent& event) {
        return std::visit(overloaded{
                              [&](const PointerMove& move) {
                                  add({Kind::motion, 0, clipped(move.to, context_.screen)});
                                  return true;
                              },
                              [&](const ButtonChange& change) { return button(change); },
                              [&](const WheelTurn& turn) { return wheel(turn); },
                              [&](const KeyChange& change) {
                                  if (change.press == Press::up) return release(change.key);
                                  return own_.keys_.contains(change.key) || press(change.key);
                              },
                              [&](const TypedScalar& typed) { return type(typed.scalar); },
                          },
                          event);
    }

    // A Ctrl that the user holds would turn typed text into shortcuts. It is not pressed again
    // afterwards: it would stay pressed if the user released it in between.
    void release_users_modifiers() {
        constexpr std::size_t lock = 1;
        for (std::size_t row = 0; row < keyboard_.modifiers.size(); ++row)
            for (const Keycode key : keyboard_.modifiers[row]) {
                const Keysym keysym = keyboard_.at(key, 0);
                if (row == lock || keysym == keysym_num_lock || keysym == keysym_caps_lock ||
                    !context_.keys_down.test(key) || is_held(key))
                    continue;
                // Alt or Super alone, pressed and released, opens a menu. A key without meaning in
                // between prevents that.
                if (opens_menus(keysym))
                    if (const auto nothing = own_.spares_.meaningless_key()) tap(*nothing);
                add({Kind::key_release, key});
            }
    }

    // Caps Lock would invert the case of letters, for some characters in a way that Shift cannot
    // undo.
    void tap_caps_lock() {
        const Keycode key = keyboard_.key_of(keysym_caps_lock);
        if (key != no_keycode) tap(key);
    }

    [[nodiscard]] std::vector<InputSegment> take() { return std::move(segments_); }

private:
    void add(const NativeInput& input) { segments_.back().inputs.push_back(input); }
    void tap(Keycode key) {
        add({Kind::key_press, key});
        add({Kind::key_release, key});
    }

    bool button(const ButtonChange& change) {
        const auto held = own_.buttons_.find(change.button);
        if (held != own_.buttons_.end()) {
            if (change.press == Press::down) return true;
            add({Kind::button_release, held->second});
            own_.buttons_.erase(held);
            return true;
        }
        const auto place = place_of(number_of(change.button), context_.buttons);
        if (!place) return false;
        if (change.press == Press::down) own_.buttons_.emplace(change.button, *place);
        add({change.press == Press::down ? Kind::button_press : Kind::button_release, *place});
        return true;
    }

    bool wheel(const WheelTurn& turn) {
        const auto place = place_of(number_of(turn), context_.buttons);
        if (!place) return turn.notches == 0;
        for (long notch = std::labs(turn.notches); notch > 0; --notch) {
            add({Kind::button_press, *place});
            add({Kind::button_release, *place});
        }
        return true;
    }

    bool press(const Key& key) {
        auto codes = codes_for(key, use_of_next_key());
        if (codes.empty()) return false;
        // A modifier that is already held is not pressed again, and not released with this key.
        std::erase_if(codes, [&](Keycode code) { return code != codes.back() && is_held(code); });
        for (const Keycode code : codes) add({Kind::key_press, code});
        own_.spares_.hold(codes.back());
        own_.keys_[key] = std::move(codes);
        return true;
    }

    bool release(const Key& key) {
        const auto held = own_.keys_.find(key);
        if (held == own_.keys_.end()) { // not pressed here: its modifiers may be held for another
                                        // key
            const auto codes = codes_of(key, keyboard_);
            if (!codes.empty()) add({Kind::key_release, codes.back()});
            return true;
        }
        own_.spares_.release(held->second.back());
        for (auto code = held->second.rbegin(); code != held->second.rend(); ++code)
            add({Kind::key_release, *code});
        own_.keys_.erase(held);
        return true;
    }

    bool type(char32_t character) {
        auto codes = codes_for(named_or_character(character), KeyUse::character);
        if (codes.empty()) return false;
        std::erase_if(codes, [&](Keycode code) { return code != codes.back() && is_held(code); });
        for (const Keycode code : codes) add({Kind::key_press, code});
        for (auto code = codes.rbegin(); code != codes.rend(); ++code)
            add({Kind::key_release, *code});
        return true;
    }

    static Key named_or_character(char32_t character) {
        if (character == U'\n' || character == U'\r') return NamedKey::enter;
        if (character == U'\t') return NamedKey::tab;
        return character;
    }

    // The layout's keys, or a spare key that is bound to the keysym.
    std::vector<Keycode> codes_for(const Key& key, KeyUse use) {
        auto codes = codes_of(key, keyboard_, use);
        if (!codes.empty()) return codes;
        const Keysym keysym =
            std::visit([](auto named_or_char) { return keysym_of(named_or_char); }, key);
        if (const auto spare = own_.spares_.key_for(keysym, segments_)) codes.push_back(*spare);
        return codes;
    }

    [[nodiscard]] KeyUse use_of_next_key() const {
        const auto held = [&](NamedKey key) { return own_.keys_.contains(key); };
        return held(NamedKey::ctrl) || held(NamedKey::alt) || held(NamedKey::windows)
                   ? KeyUse::shortcut
                   : KeyUse::character;
    }

    [[nodiscard]] bool is_held(Keycode code) const {
        return std::ranges::any_of(own_.keys_, [&](const auto& entry) {
            return std::ranges::find(entry.second, code) != entry.second.end();
        });
    }

    InputTranslator& own_;
    const InputContext& context_;
    KeyboardMap keyboard_;
    std::vector<InputSegment> segments_;
};

Translation InputTranslator::translate(std::span<const InputEvent> events,
                                       const InputContext& context) {
    spares_.refresh(context.keyboard, context.now);
    spares_.begin(context.now);
    Writer writer(*this, context);
    if (std::ranges::any_of(events, presses_something)) writer.release_users_modifiers();
    const bool without_caps_lock = context.caps_locked &&
                                   std::ranges::any_of(events, writes_character) &&
                                   std::ranges::none_of(events, is_caps_lock);
    if (without_caps_lock) writer.tap_caps_lock();

    Translation translation;
    for (const InputEvent& event : events) {
        if (!writer.write(event)) {
            translation.problem = std::string(what_lacks(event)) + " for event " +
                                  std::to_string(translation.events + 1) + ", " +
                                  to_string(Effect(Batch{event}));
            break;
        }
        ++translation.events;
    }
    if (without_caps_lock) writer.tap_caps_lock();
    spares_.end();
    translation.segments = writer.take();
    return translation;
}

void InputTranslator::adopt(const std::vector<Binding>& orphans, const InputContext& context) {
    spares_.refresh(context.keyboard, context.now);
    spares_.adopt(orphans, context.keyboard, context.now);
}

InputSegment InputTranslator::release_everything() {
    InputSegment segment;
    const auto release = [&](Kind kind, std::uint8_t code) {
        segment.inputs.push_back({kind, code});
    };
    for (const auto& [button, place] : buttons_) release(Kind::button_release, place);
    // Modifiers last, so that the other keys keep their character.
    for (const bool named : {false, true})
        for (const auto& [key, codes] : keys_) {
            if (std::holds_alternative<NamedKey>(key) != named) continue;
            spares_.release(codes.back());
            for (auto code = codes.rbegin(); code != codes.rend(); ++code)
                release(Kind::key_release, *code);
        }
    spares_.end();
    buttons_.clear();
    keys_.clear();
    return segment;
}

InputSegment InputTranslator::restoration(const InputContext& context) {
    spares_.refresh(context.keyboard, context.now);
    return spares_.restoration(context.now);
}

} // namespace eyehand::winio::x11
