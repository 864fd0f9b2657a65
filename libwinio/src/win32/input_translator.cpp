#include "win32/input_translator.hpp"

#include "eyehand/base/utf16.hpp"
#include "overloaded.hpp"
#include "win32/absolute_coordinates.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace eyehand::winio::win32 {
namespace {

NativeInput mouse(std::uint32_t flags) {
    NativeInput input;
    input.kind = NativeInput::Kind::mouse;
    input.flags = flags;
    return input;
}

NativeInput pointer_move(Point to, const Rect& virtual_desktop) {
    NativeInput input = mouse(mouse_move | mouse_absolute | mouse_virtual_desk);
    const Point absolute = to_absolute(to, virtual_desktop);
    input.dx = absolute.x;
    input.dy = absolute.y;
    return input;
}

// SendInput identifies buttons by position, and swaps them itself if the user has swapped them.
NativeInput button_change(const ButtonChange& change, bool swapped) {
    Button place = change.button;
    if (swapped && place != Button::middle)
        place = place == Button::left ? Button::right : Button::left;
    const bool down = change.press == Press::down;
    switch (place) {
    case Button::left:
        return mouse(down ? mouse_left_down : mouse_left_up);
    case Button::right:
        return mouse(down ? mouse_right_down : mouse_right_up);
    case Button::middle:
        break;
    }
    return mouse(down ? mouse_middle_down : mouse_middle_up);
}

// WM_MOUSEWHEEL has 16 bits for the distance: at most 273 notches at once.
std::vector<NativeInput> wheel_turns(const WheelTurn& turn) {
    std::vector<NativeInput> inputs;
    constexpr int max_at_once = 32767 / wheel_delta;
    for (int left = turn.notches; left != 0;) {
        const int notches = std::clamp(left, -max_at_once, max_at_once);
        NativeInput input = mouse(turn.axis == Axis::vertical ? mouse_wheel : mouse_hwheel);
        input.wheel = notches * wheel_delta;
        inputs.push_back(input);
        left -= notches;
    }
    return inputs;
}

NativeInput key(const KeyCode& code, std::uint32_t flags) {
    NativeInput input;
    input.virtual_key = code.virtual_key;
    input.scan = code.scan;
    input.flags = flags | (code.extended ? key_extended : 0U);
    return input;
}

void append_text(char32_t scalar, std::vector<NativeInput>& inputs) {
    for (const char16_t unit : base::utf16_units(scalar)) {
        NativeInput input;
        input.scan = unit;
        input.flags = key_unicode;
        inputs.push_back(input);
        input.flags = key_unicode | key_up;
        inputs.push_back(input);
    }
}

template <typename Held>
bool pressed_by(const Held& held, std::uint16_t virtual_key) {
    return std::ranges::any_of(held, [&](const auto& entry) {
        return std::ranges::find(entry.second, virtual_key, &KeyCode::virtual_key) !=
               entry.second.end();
    });
}

template <typename Held>
KeyUse use_of_next_key(const Held& held) {
    const bool shortcut = held.contains(NamedKey::ctrl) || held.contains(NamedKey::alt) ||
                          held.contains(NamedKey::windows);
    return shortcut ? KeyUse::shortcut : KeyUse::character;
}

// Each button has two flags; the flag for up is twice the flag for down.
constexpr std::uint32_t button_downs = mouse_left_down | mouse_right_down | mouse_middle_down;
constexpr std::uint32_t button_ups = button_downs << 1U;

bool presses(const NativeInput& input) {
    return input.kind == NativeInput::Kind::mouse ? (input.flags & button_downs) != 0
                                                  : (input.flags & key_up) == 0;
}

NativeInput release_of(const NativeInput& pressed) {
    if (pressed.kind == NativeInput::Kind::mouse)
        return mouse((pressed.flags & button_downs) << 1U);
    NativeInput release = pressed;
    release.flags |= key_up;
    return release;
}

// If `input` releases something, returns it in the form that `release_of` creates.
NativeInput as_release(const NativeInput& input) {
    return input.kind == NativeInput::Kind::mouse ? mouse(input.flags & button_ups) : input;
}

} // namespace

struct InputTranslator::Progress {
    std::vector<NativeInput> inputs;
    std::optional<NativeInput> last_move;

    // A press, release or turn after a move of the same batch repeats the position: between the
    // two, Wine may move the pointer back to the last position that the X server reported.
    void add_at_pointer(NativeInput input) {
        if (last_move) {
            input.flags |= last_move->flags;
            input.dx = last_move->dx;
            input.dy = last_move->dy;
        }
        inputs.push_back(input);
    }
};

void InputTranslator::append(const InputEvent& event, const InputContext& context, Held& held,
                             Progress& progress) {
    auto& inputs = progress.inputs;
    const auto press = [&](const Key& what) {
        auto codes = codes_of(what, context.layout, use_of_next_key(held));
        if (codes.empty()) { // no key on this layout: type the character, which has no release
            if (const auto* character = std::get_if<char32_t>(&what))
                append_text(*character, inputs);
            return;
        }
        // A modifier that is already held is not pressed again, and not released with this key.
        const auto modifiers = codes.size() - 1;
        std::vector<KeyCode> pressed;
        for (std::size_t i = 0; i < codes.size(); ++i)
            if (i == modifiers || !pressed_by(held, codes[i].virtual_key))
                pressed.push_back(codes[i]);
        for (const KeyCode& code : pressed) inputs.push_back(key(code, 0));
        held[what] = std::move(pressed);
    };
    const auto release = [&](const Key& what) {
        const auto found = held.find(what);
        if (found == held.end()) { // not pressed here: its modifiers may be held for another key
            const auto codes = codes_of(what, context.layout);
            if (!codes.empty()) inputs.push_back(key_release(codes.back()));
            return;
        }
        for (auto code = found->second.rbegin(); code != found->second.rend(); ++code)
            inputs.push_back(key_release(*code));
        held.erase(found);
    };
    std::visit(overloaded{
                   [&](const PointerMove& move) {
                       inputs.push_back(pointer_move(move.to, context.virtual_desktop));
                       progress.last_move = inputs.back();
                   },
                   [&](const ButtonChange& change) {
                       progress.add_at_pointer(button_change(change, context.buttons_swapped));
                   },
                   [&](const WheelTurn& turn) {
                       for (const NativeInput& input : wheel_turns(turn))
                           progress.add_at_pointer(input);
                   },
                   [&](const KeyChange& change) {
                       if (change.press == Press::up)
                           release(change.key);
                       else if (!held.contains(change.key))
                           press(change.key);
                   },
                   [&](const TypedScalar& typed) { append_text(typed.scalar, inputs); },
               },
               event);
}

Translation InputTranslator::translate(std::span<const InputEvent> events,
                                       const InputContext& context) const {
    Translation translation;
    Held held = held_;
    Progress progress;
    for (const InputEvent& event : events) {
        append(event, context, held, progress);
        translation.ends.push_back(progress.inputs.size());
    }
    translation.inputs = std::move(progress.inputs);
    return translation;
}

void InputTranslator::accept(std::span<const InputEvent> events, std::size_t accepted,
                             const InputContext& context) {
    Progress already_sent;
    for (const InputEvent& event : events.first(accepted))
        append(event, context, held_, already_sent);
}

bool InputTranslator::holds(std::uint16_t virtual_key) const {
    return pressed_by(held_, virtual_key);
}

std::size_t complete_events(const Translation& translation, std::size_t accepted_inputs) {
    const auto first_incomplete = std::ranges::upper_bound(translation.ends, accepted_inputs);
    return static_cast<std::size_t>(first_incomplete - translation.ends.begin());
}

std::vector<NativeInput> unreleased(std::span<const NativeInput> inputs) {
    std::vector<NativeInput> pressed;
    for (const NativeInput& input : inputs) {
        const NativeInput release = presses(input) ? release_of(input) : as_release(input);
        std::erase_if(pressed, [&](const auto& earlier) { return release_of(earlier) == release; });
        if (presses(input)) pressed.push_back(input);
    }
    return pressed;
}

std::vector<NativeInput> releases_of(std::span<const NativeInput> inputs) {
    std::vector<NativeInput> releases;
    for (const NativeInput& pressed : unreleased(inputs)) releases.push_back(release_of(pressed));
    std::ranges::reverse(releases);
    return releases;
}

NativeInput key_release(const KeyCode& code) { return key(code, key_up); }

} // namespace eyehand::winio::win32
