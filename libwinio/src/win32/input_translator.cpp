#include "win32/input_translator.hpp"

#include "overloaded.hpp"
#include "win32/absolute_coordinates.hpp"
#include "win32/utf16.hpp"

#include <algorithm>
#include <cstdlib>
#include <ranges>

namespace winio::win32 {
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

// SendInput speaks of the buttons' places, and swaps them itself where the user has them swapped.
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

// WM_MOUSEWHEEL has 16 bits for the distance: 273 notches at once are the most it can tell.
void append_wheel(const WheelTurn& turn, std::vector<NativeInput>& inputs) {
    constexpr int most_at_once = 32767 / wheel_delta;
    for (int left = turn.notches; left != 0;) {
        const int notches = std::clamp(left, -most_at_once, most_at_once);
        NativeInput input = mouse(turn.axis == Axis::vertical ? mouse_wheel : mouse_hwheel);
        input.wheel = notches * wheel_delta;
        inputs.push_back(input);
        left -= notches;
    }
}

NativeInput key(const KeyCode& code, std::uint32_t flags) {
    NativeInput input;
    input.virtual_key = code.virtual_key;
    input.scan = code.scan;
    input.flags = flags | (code.extended ? key_extended : 0U);
    return input;
}

void append_text(char32_t scalar, std::vector<NativeInput>& inputs) {
    for (const char16_t unit : units_of(scalar)) {
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

// Buttons come in pairs of flags, of which the one for up is twice the one for down.
bool is_button_down(const NativeInput& input) {
    return input.kind == NativeInput::Kind::mouse &&
           (input.flags == mouse_left_down || input.flags == mouse_right_down ||
            input.flags == mouse_middle_down);
}

bool is_key_down(const NativeInput& input) {
    return input.kind == NativeInput::Kind::key && (input.flags & key_up) == 0;
}

NativeInput release_of(NativeInput pressed) {
    pressed.flags =
        pressed.kind == NativeInput::Kind::key ? pressed.flags | key_up : pressed.flags << 1U;
    return pressed;
}

} // namespace

void InputTranslator::append(const InputEvent& event, const InputContext& context, Held& held,
                             std::vector<NativeInput>& inputs) {
    const auto press = [&](const Key& what) {
        auto codes = codes_of(what, context.layout);
        if (codes.empty()) { // no such key here: the character itself, which has no release
            if (const auto* character = std::get_if<char32_t>(&what))
                append_text(*character, inputs);
            return;
        }
        // A modifier that is held already is neither pressed nor, later, released a second time.
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
        const auto codes = found != held.end() ? found->second : codes_of(what, context.layout);
        for (const KeyCode& code : codes | std::views::reverse) inputs.push_back(key_release(code));
        if (found != held.end()) held.erase(found);
    };
    std::visit(overloaded{
                   [&](const PointerMove& move) {
                       inputs.push_back(pointer_move(move.to, context.virtual_desktop));
                   },
                   [&](const ButtonChange& change) {
                       inputs.push_back(button_change(change, context.buttons_swapped));
                   },
                   [&](const WheelTurn& turn) { append_wheel(turn, inputs); },
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
    for (const InputEvent& event : events) {
        append(event, context, held, translation.inputs);
        translation.ends.push_back(translation.inputs.size());
    }
    return translation;
}

void InputTranslator::accept(std::span<const InputEvent> events, std::size_t accepted,
                             const InputContext& context) {
    std::vector<NativeInput> already_sent;
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

std::vector<NativeInput> releases_of(std::span<const NativeInput> inputs) {
    std::vector<NativeInput> releases;
    for (const NativeInput& input : inputs) {
        const auto released = std::ranges::find(releases, input);
        if (is_key_down(input) || is_button_down(input))
            releases.push_back(release_of(input));
        else if (released != releases.end())
            releases.erase(released);
    }
    std::ranges::reverse(releases);
    return releases;
}

NativeInput key_release(const KeyCode& code) { return key(code, key_up); }

} // namespace winio::win32
