#include "x11/input_translator.hpp"

#include "catch.hpp"
#include "keyboards.hpp"
#include "printing.hpp"

using namespace eyehand::winio;
using namespace eyehand::winio::x11;
using namespace x11_keyboards;
using namespace std::chrono_literals;
using Kind = NativeInput::Kind;
using Inputs = std::vector<NativeInput>;
using Bindings = std::vector<Binding>;

namespace {

InputContext context() {
    InputContext now;
    now.screen = {0, 0, 1920, 1080};
    now.buttons = {1, 2, 3, 4, 5, 6, 7};
    now.keyboard = german();
    now.now = SpareKeys::Clock::time_point(1h);
    return now;
}

NativeInput down(Keycode key) { return {Kind::key_press, key}; }
NativeInput up(Keycode key) { return {Kind::key_release, key}; }
NativeInput press(std::uint8_t button) { return {Kind::button_press, button}; }
NativeInput release(std::uint8_t button) { return {Kind::button_release, button}; }
Keysym unicode(char32_t character) { return 0x01000000U + character; }

/// Applies these bindings to the keyboard map, like the server.
void take_over(const std::vector<InputSegment>& segments, KeyboardMap& keyboard) {
    for (const InputSegment& segment : segments)
        for (const Binding& binding : segment.bindings)
            set(keyboard, binding.key, {binding.keysym, binding.keysym});
}

Batch typed(std::u32string_view text) {
    Batch batch;
    for (const char32_t scalar : text) batch.emplace_back(TypedScalar{scalar});
    return batch;
}

/// All input of a batch that needs no spare keys.
Inputs inputs_of(InputTranslator& translator, const Batch& batch,
                 const InputContext& now = context()) {
    const Translation translation = translator.translate(batch, now);
    CHECK(translation.events == batch.size());
    REQUIRE(translation.segments.size() == 1);
    CHECK(translation.segments[0].bindings.empty());
    CHECK(translation.segments[0].wait == 0ms);
    return translation.segments[0].inputs;
}

} // namespace

TEST_CASE("X11 moves are clipped to the screen") {
    InputTranslator translator;
    CHECK(inputs_of(translator, {PointerMove{{5, 6}}, PointerMove{{-9, 4000}}}) ==
          Inputs{{Kind::motion, 0, {5, 6}}, {Kind::motion, 0, {0, 1079}}});
}

TEST_CASE("X11 buttons are found by their function, and the pressed position is released") {
    InputTranslator translator;
    InputContext left_handed = context();
    left_handed.buttons = {3, 2, 1, 4, 5, 6, 7};
    CHECK(inputs_of(translator, {ButtonChange{Button::left, Press::down}}, left_handed) ==
          Inputs{press(3)});
    // The user swapped the buttons meanwhile.
    CHECK(inputs_of(translator, {ButtonChange{Button::left, Press::up}}) == Inputs{release(3)});
    CHECK(inputs_of(translator, {ButtonChange{Button::left, Press::up}}) == Inputs{release(1)});
}

TEST_CASE("a turn of the X11 wheel is clicks of its buttons") {
    InputTranslator translator;
    CHECK(inputs_of(translator, {WheelTurn{2}, WheelTurn{-1}}) ==
          Inputs{press(4), release(4), press(4), release(4), press(5), release(5)});
    CHECK(
        inputs_of(translator, {WheelTurn{1, Axis::horizontal}, WheelTurn{-1, Axis::horizontal}}) ==
        Inputs{press(7), release(7), press(6), release(6)});
    CHECK(inputs_of(translator, {WheelTurn{0}}).empty());
}

TEST_CASE("a function without an X11 button is refused with the reason") {
    InputContext two_buttons = context();
    two_buttons.buttons = {1, 3};
    for (const InputEvent& event : std::vector<InputEvent>{
             ButtonChange{Button::middle, Press::down}, ButtonChange{Button::middle, Press::up},
             WheelTurn{1}, WheelTurn{-1, Axis::horizontal}}) {
        InputTranslator translator;
        const Translation translation =
            translator.translate(Batch{PointerMove{}, event}, two_buttons);
        CHECK(translation.events == 1);
        CHECK_THAT(translation.problem, ContainsSubstring("no button for event 2"));
        CHECK(translation.segments[0].inputs == Inputs{{Kind::motion}});
    }
}

TEST_CASE("X11 text is typed with the layout's keys and the modifiers that they need") {
    InputTranslator translator;
    CHECK(inputs_of(translator, typed(U"q!@\n")) ==
          Inputs{down(key_q), up(key_q), down(left_shift), down(key_1), up(key_1), up(left_shift),
                 down(level3), down(key_q), up(key_q), up(level3), down(enter), up(enter)});
}

TEST_CASE("a key is released on X11 as it was pressed, even if the layout changed in between") {
    InputTranslator translator;
    CHECK(inputs_of(translator, {KeyChange{U'!', Press::down}}) ==
          Inputs{down(left_shift), down(key_1)});
    InputContext other = context();
    set(other.keyboard, key_q, {'!'});
    set(other.keyboard, key_1, {'1', '1', '1', '1'});
    CHECK(inputs_of(translator, {KeyChange{U'!', Press::up}}, other) ==
          Inputs{up(key_1), up(left_shift)});
}

TEST_CASE("a modifier that is held is neither pressed nor released a second time on X11") {
    InputTranslator translator;
    CHECK(inputs_of(translator, {KeyChange{NamedKey::shift, Press::down},
                                 KeyChange{U'!', Press::down}, KeyChange{U'!', Press::up},
                                 TypedScalar{U'Q'}, KeyChange{NamedKey::shift, Press::up}}) ==
          Inputs{down(left_shift), down(key_1), up(key_1), down(key_q), up(key_q), up(left_shift)});
}

TEST_CASE("characters that the layout lacks get spare keys, all bound before the first press") {
    InputTranslator translator;
    const Translation translation = translator.translate(typed(U"世q界世"), context());
    REQUIRE(translation.segments.size() == 1);
    const InputSegment& segment = translation.segments[0];
    CHECK(segment.wait == 0ms);
    CHECK(segment.bindings == Bindings{{spare_a, unicode(U'世')}, {spare_b, unicode(U'界')}});
    CHECK(segment.inputs == Inputs{down(spare_a), up(spare_a), down(key_q), up(key_q),
                                   down(spare_b), up(spare_b), down(spare_a), up(spare_a)});
}

TEST_CASE("a spare key that already has the character is not bound again") {
    InputTranslator translator;
    InputContext now = context();
    take_over(translator.translate(typed(U"世"), now).segments, now.keyboard);
    CHECK(inputs_of(translator, typed(U"世"), now) == Inputs{down(spare_a), up(spare_a)});
}

TEST_CASE("with more characters than spare keys, the server waits before a key is bound again") {
    InputTranslator translator;
    const Translation translation = translator.translate(typed(U"一二三四一"), context());
    REQUIRE(translation.segments.size() == 2);
    CHECK(translation.segments[0].wait == 0ms);
    CHECK(translation.segments[0].bindings.size() == 3);
    CHECK(translation.segments[0].inputs.size() == 6);
    CHECK(translation.segments[1].wait == SpareKeys::rest);
    CHECK(translation.segments[1].bindings ==
          Bindings{{spare_a, unicode(U'四')}, {spare_b, unicode(U'一')}});
    CHECK(translation.segments[1].inputs ==
          Inputs{down(spare_a), up(spare_a), down(spare_b), up(spare_b)});
}

TEST_CASE("a spare key rests after its last use, across batches") {
    InputTranslator translator;
    InputContext now = context();
    take_over(translator.translate(typed(U"一二三"), now).segments, now.keyboard);
    now.now += SpareKeys::rest / 2;
    take_over(translator.translate(typed(U"一"), now).segments, now.keyboard);
    // The second key is now the least recently used one.
    now.now += SpareKeys::rest / 2;
    const Translation soon = translator.translate(typed(U"四"), now);
    CHECK(soon.segments[0].wait == SpareKeys::rest / 2);
    CHECK(soon.segments[0].bindings == Bindings{{spare_b, unicode(U'四')}});
    take_over(soon.segments, now.keyboard);
    now.now += SpareKeys::rest;
    CHECK(translator.translate(typed(U"五"), now).segments[0].wait == 0ms);
}

TEST_CASE("a spare key that is held keeps its character") {
    InputTranslator translator;
    InputContext now = context();
    take_over(translator.translate(Batch{KeyChange{U'世', Press::down}}, now).segments,
              now.keyboard);
    for (const InputSegment& segment : translator.translate(typed(U"一二三四五"), now).segments)
        for (const Binding& binding : segment.bindings) CHECK(binding.key != spare_a);
    InputTranslator other;
    const Batch all_held{KeyChange{U'一', Press::down}, KeyChange{U'二', Press::down},
                         KeyChange{U'三', Press::down}, TypedScalar{U'四'}, TypedScalar{U'q'}};
    const Translation translation = other.translate(all_held, context());
    CHECK(translation.events == 3);
    CHECK_THAT(translation.problem, ContainsSubstring("event 4"));
}

TEST_CASE("a keyboard without spare keys types its characters and reports where it stopped") {
    InputTranslator translator;
    InputContext now = context();
    for (const Keycode key : {spare_a, spare_b, spare_c}) set(now.keyboard, key, {0x1008FF12});
    const Translation translation = translator.translate(typed(U"q世"), now);
    CHECK(translation.events == 1);
    CHECK_THAT(translation.problem, ContainsSubstring("event 2"));
    CHECK(translation.segments[0].inputs == Inputs{down(key_q), up(key_q)});
}

TEST_CASE("a spare key that a new layout uses is not bound or cleared") {
    InputTranslator translator;
    InputContext now = context();
    take_over(translator.translate(typed(U"世"), now).segments, now.keyboard);
    set(now.keyboard, spare_a, {'z', 'Z'});
    const Translation translation = translator.translate(typed(U"世"), now);
    CHECK(translation.segments[0].bindings == Bindings{{spare_b, unicode(U'世')}});
    take_over(translation.segments, now.keyboard);
    CHECK(translator.restoration(now).bindings == Bindings{{spare_b, no_keysym}});
}

TEST_CASE("a key that another program has bound since its last use is not cleared") {
    InputTranslator translator;
    InputContext now = context();
    take_over(translator.translate(typed(U"世界"), now).segments, now.keyboard);
    set(now.keyboard, spare_a, {'z', 'Z'});
    CHECK(translator.restoration(now).bindings == Bindings{{spare_b, no_keysym}});
}

TEST_CASE("spare keys are cleared after programs have had time to read them") {
    InputTranslator translator;
    InputContext now = context();
    CHECK(translator.restoration(now).bindings.empty());
    take_over(translator.translate(typed(U"世"), now).segments, now.keyboard);
    (void)translator.translate({}, now); // the server has executed the use
    now.now += 50ms;
    const InputSegment restoration = translator.restoration(now);
    CHECK(restoration.wait == SpareKeys::rest - 50ms);
    CHECK(restoration.bindings == Bindings{{spare_a, no_keysym}});
}

TEST_CASE("the rest of a spare key starts when the server has executed its use") {
    InputTranslator translator;
    InputContext now = context();
    take_over(translator.translate(typed(U"世"), now).segments, now.keyboard);
    now.now += 10s; // the server needed this time
    CHECK(translator.restoration(now).wait == SpareKeys::rest);
}

TEST_CASE("everything that is held on X11 is released at the end, modifiers last") {
    InputTranslator translator;
    (void)translator.translate(Batch{ButtonChange{Button::right, Press::down},
                                     KeyChange{NamedKey::ctrl, Press::down},
                                     KeyChange{U'c', Press::down}},
                               context());
    CHECK(translator.release_everything().inputs == Inputs{release(3), up(key_c), up(left_ctrl)});
    CHECK(translator.release_everything().inputs.empty());
}

TEST_CASE("a modifier that the user of X11 holds is released, except for moves") {
    InputTranslator translator;
    InputContext now = context();
    now.keys_down.set(left_ctrl).set(caps_lock);
    CHECK(inputs_of(translator, {PointerMove{}}, now) == Inputs{{Kind::motion}});
    CHECK(inputs_of(translator, typed(U"q"), now) == Inputs{up(left_ctrl), down(key_q), up(key_q)});
    CHECK(inputs_of(translator, {WheelTurn{1}}, now) ==
          Inputs{up(left_ctrl), press(4), release(4)});
}

TEST_CASE("releasing Alt that the user of X11 holds opens no menu") {
    InputTranslator translator;
    InputContext now = context();
    now.keys_down.set(left_alt);
    CHECK(inputs_of(translator, typed(U"q"), now) ==
          Inputs{down(spare_a), up(spare_a), up(left_alt), down(key_q), up(key_q)});
}

TEST_CASE("a modifier that a plan holds on X11 stays pressed") {
    InputTranslator translator;
    InputContext now = context();
    (void)inputs_of(translator, {KeyChange{NamedKey::ctrl, Press::down}}, now);
    now.keys_down.set(left_ctrl);
    CHECK(inputs_of(translator, {KeyChange{U'c', Press::down}}, now) == Inputs{down(key_c)});
}

TEST_CASE("Caps Lock is off while X11 text is typed, and on again afterwards") {
    InputTranslator translator;
    InputContext now = context();
    now.caps_locked = true;
    CHECK(inputs_of(translator, typed(U"q"), now) == Inputs{down(caps_lock), up(caps_lock),
                                                            down(key_q), up(key_q), down(caps_lock),
                                                            up(caps_lock)});
    CHECK(inputs_of(translator, {KeyChange{NamedKey::enter, Press::down}}, now) ==
          Inputs{down(enter)});
    CHECK(inputs_of(translator,
                    {KeyChange{NamedKey::caps_lock, Press::down},
                     KeyChange{NamedKey::caps_lock, Press::up}, TypedScalar{U'q'}},
                    now) == Inputs{down(caps_lock), up(caps_lock), down(key_q), up(key_q)});
}
