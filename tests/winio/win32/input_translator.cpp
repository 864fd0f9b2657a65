#include "win32/input_translator.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace eyehand::winio;
using namespace eyehand::winio::win32;

namespace {

constexpr std::uint16_t scan_offset = 0x100; // the test layouts add it to make a scan code

// Like a German keyboard: '@' is AltGr+Q, '!' is Shift+1, 'z' and 'y' are swapped.
int german(char16_t character) {
    constexpr int shift = 0x100;
    constexpr int alt_gr = 0x600;
    if (character >= u'a' && character <= u'z') return character - u'a' + 'A';
    switch (character) {
    case u'@':
        return alt_gr | 'Q';
    case u'!':
        return shift | '1';
    case u'?':
        return shift | 0xDB;
    case u'ä':
        return 0x800 | 0xDE; // a driver's bit, which must be masked
    default:
        return -1;
    }
}

InputContext german_context() {
    return {{0, 0, 1000, 1000}, false, {german, [](std::uint16_t vk) {
                                            return static_cast<std::uint16_t>(vk + scan_offset);
                                        }}};
}

InputContext russian_context() {
    auto context = german_context();
    context.layout.key_of_character = [](char16_t) { return -1; };
    return context;
}

// Like a French keyboard: digits need Shift.
InputContext french_context() {
    auto context = german_context();
    context.layout.key_of_character = [](char16_t character) -> int {
        constexpr int shift = 0x100;
        if (character >= u'0' && character <= u'9') return shift | character;
        return german(character);
    };
    return context;
}

NativeInput key(std::uint16_t vk, std::uint32_t flags = 0) {
    NativeInput input;
    input.virtual_key = vk;
    input.scan = static_cast<std::uint16_t>(vk + scan_offset);
    input.flags = flags;
    return input;
}

NativeInput unit(char16_t value, std::uint32_t flags = 0) {
    NativeInput input;
    input.scan = value;
    input.flags = key_unicode | flags;
    return input;
}

NativeInput button(std::uint32_t flags) {
    NativeInput input;
    input.kind = NativeInput::Kind::mouse;
    input.flags = flags;
    return input;
}

std::vector<NativeInput> translated(const Batch& batch,
                                    const InputContext& context = german_context()) {
    return InputTranslator().translate(batch, context).inputs;
}

Batch tap(const Key& what) { return {KeyChange{what, Press::down}, KeyChange{what, Press::up}}; }

} // namespace

TEST_CASE("a move is absolute over the virtual desktop") {
    const auto inputs = translated({PointerMove{{500, 0}}});
    REQUIRE(inputs.size() == 1);
    CHECK(inputs[0].flags == (mouse_move | mouse_absolute | mouse_virtual_desk));
    CHECK(inputs[0].dx == 32800); // (2 * 500 + 1) * 65536 / 2000
    CHECK(inputs[0].dy == 32);
}

TEST_CASE("the left button is sent as the right one if the buttons are swapped") {
    const Batch click{ButtonChange{Button::left, Press::down},
                      ButtonChange{Button::right, Press::up},
                      ButtonChange{Button::middle, Press::down}};
    CHECK(translated(click) ==
          std::vector{button(mouse_left_down), button(mouse_right_up), button(mouse_middle_down)});
    auto swapped = german_context();
    swapped.buttons_swapped = true;
    CHECK(translated(click, swapped) ==
          std::vector{button(mouse_right_down), button(mouse_left_up), button(mouse_middle_down)});
}

TEST_CASE(
    "a press or turn after a move in its batch carries the move's position in the same input") {
    const auto inputs =
        translated({PointerMove{{500, 500}}, ButtonChange{Button::left, Press::down},
                    ButtonChange{Button::left, Press::up}, WheelTurn{1}});
    REQUIRE(inputs.size() == 4);
    for (const std::size_t i : {1U, 2U, 3U}) {
        CHECK((inputs[i].flags & inputs[0].flags) == inputs[0].flags);
        CHECK(inputs[i].dx == inputs[0].dx);
        CHECK(inputs[i].dy == inputs[0].dy);
    }
    CHECK((inputs[1].flags & mouse_left_down) != 0);
    CHECK((inputs[2].flags & mouse_left_up) != 0);
    CHECK((inputs[3].flags & mouse_wheel) != 0);
}

TEST_CASE("an interrupted click after a move is released without moving") {
    const auto inputs =
        translated({PointerMove{{500, 500}}, ButtonChange{Button::left, Press::down}});
    CHECK(releases_of(inputs) == std::vector{button(mouse_left_up)});
    CHECK(releases_of(translated({PointerMove{{500, 500}}, ButtonChange{Button::left, Press::down},
                                  ButtonChange{Button::left, Press::up}}))
              .empty());
}

TEST_CASE("a notch is 120 units, positive away from the user") {
    CHECK(translated({WheelTurn{3}})[0].wheel == 360);
    CHECK(translated({WheelTurn{-2}})[0].wheel == -240);
    CHECK(translated({WheelTurn{1, Axis::horizontal}})[0].flags == mouse_hwheel);
    CHECK(translated({WheelTurn{0}}).empty());
}

TEST_CASE("turns that exceed one wheel message are split") {
    const auto inputs = translated({WheelTurn{-600}});
    int sum = 0;
    for (const auto& input : inputs) {
        CHECK(input.wheel >= -32768);
        sum += input.wheel;
    }
    CHECK(sum == -600 * 120);
}

TEST_CASE("surrogates are pressed and released one after the other") {
    CHECK(translated({TypedScalar{U'😀'}}) ==
          std::vector{unit(0xD83D), unit(0xD83D, key_up), unit(0xDE00), unit(0xDE00, key_up)});
}

TEST_CASE("a key has its virtual key and the layout's scan code") {
    CHECK(translated(tap(U's')) == std::vector{key('S'), key('S', key_up)});
    CHECK(translated(tap(NamedKey::enter)) == std::vector{key(0x0D), key(0x0D, key_up)});
    CHECK(translated(tap(NamedKey::f24)) == std::vector{key(0x87), key(0x87, key_up)});
}

TEST_CASE("keys that duplicate the numeric pad are extended") {
    for (const NamedKey named :
         {NamedKey::home, NamedKey::end, NamedKey::page_up, NamedKey::page_down, NamedKey::up,
          NamedKey::down, NamedKey::left, NamedKey::right, NamedKey::insert, NamedKey::del,
          NamedKey::windows, NamedKey::menu})
        CHECK(translated(tap(named))[0].flags == key_extended);
    for (const NamedKey named : {NamedKey::ctrl, NamedKey::alt, NamedKey::shift, NamedKey::enter})
        CHECK(translated(tap(named))[0].flags == 0);
}

TEST_CASE("every named key has a code") {
    for (int named = 0; named <= static_cast<int>(NamedKey::f24); ++named)
        CHECK(codes_of(static_cast<NamedKey>(named), german_context().layout).size() == 1);
}

TEST_CASE("a character that needs Shift presses and releases it too") {
    CHECK(translated(tap(U'!')) ==
          std::vector{key(vk_left_shift), key('1'), key('1', key_up), key(vk_left_shift, key_up)});
}

TEST_CASE("a Shift that is already held is not pressed or released again") {
    const Batch chord{KeyChange{NamedKey::shift, Press::down}, KeyChange{U'!', Press::down},
                      KeyChange{U'!', Press::up}, KeyChange{NamedKey::shift, Press::up}};
    CHECK(translated(chord) ==
          std::vector{key(vk_left_shift), key('1'), key('1', key_up), key(vk_left_shift, key_up)});
}

TEST_CASE("AltGr is the extended right Alt alone") {
    CHECK(translated(tap(U'@')) == std::vector{key(vk_right_alt, key_extended), key('Q'),
                                               key('Q', key_up),
                                               key(vk_right_alt, key_extended | key_up)});
}

TEST_CASE("a driver's modifier bits are masked") {
    CHECK(translated(tap(U'ä')) == std::vector{key(0xDE), key(0xDE, key_up)});
}

TEST_CASE("shortcuts work on layouts without Latin letters") {
    CHECK(translated(tap(U'c'), russian_context()) == std::vector{key('C'), key('C', key_up)});
}

TEST_CASE("a digit in a shortcut is its key, even if the character needs Shift") {
    for (const auto& [modifier, code, flags] :
         {std::tuple{NamedKey::ctrl, vk_left_ctrl, 0U}, std::tuple{NamedKey::alt, vk_left_alt, 0U},
          std::tuple{NamedKey::windows, vk_left_windows, key_extended}}) {
        const Batch chord{KeyChange{modifier, Press::down}, KeyChange{U'1', Press::down},
                          KeyChange{U'1', Press::up}, KeyChange{modifier, Press::up}};
        CHECK(translated(chord, french_context()) ==
              std::vector{key(code, flags), key('1'), key('1', key_up), key(code, flags | key_up)});
    }
}

TEST_CASE("a digit alone is the character, with Shift if necessary") {
    CHECK(translated(tap(U'1'), french_context()) ==
          std::vector{key(vk_left_shift), key('1'), key('1', key_up), key(vk_left_shift, key_up)});
}

TEST_CASE("a shortcut's modifier may have been pressed in an earlier batch") {
    InputTranslator translator;
    const Batch ctrl_down{KeyChange{NamedKey::ctrl, Press::down}};
    translator.accept(ctrl_down, 1, french_context());
    CHECK(translator.translate(tap(U'1'), french_context()).inputs ==
          std::vector{key('1'), key('1', key_up)});
}

TEST_CASE("releasing a key that is not held does not release the modifiers of its character") {
    CHECK(translated({KeyChange{U'!', Press::up}}) == std::vector{key('1', key_up)});
    CHECK(translated({KeyChange{NamedKey::shift, Press::down}, KeyChange{U'!', Press::up}}) ==
          std::vector{key(vk_left_shift), key('1', key_up)});
    CHECK(translated({KeyChange{U'世', Press::up}}).empty());
}

TEST_CASE("a character without a key is typed instead of pressed, once") {
    CHECK(translated(tap(U'世')) == std::vector{unit(u'世'), unit(u'世', key_up)});
}

TEST_CASE("a pressed key is released even if the layout has changed") {
    InputTranslator translator;
    const Batch down{KeyChange{U'!', Press::down}};
    (void)translator.translate(down, german_context());
    translator.accept(down, 1, german_context());
    CHECK(translator.holds(vk_left_shift));
    const Batch up{KeyChange{U'!', Press::up}};
    CHECK(translator.translate(up, russian_context()).inputs ==
          std::vector{key('1', key_up), key(vk_left_shift, key_up)});
}

TEST_CASE("only accepted events count as held") {
    InputTranslator translator;
    const Batch batch{KeyChange{NamedKey::ctrl, Press::down},
                      KeyChange{NamedKey::alt, Press::down}};
    translator.accept(batch, 1, german_context());
    CHECK(translator.holds(vk_left_ctrl));
    CHECK_FALSE(translator.holds(vk_left_alt));
}

TEST_CASE("an event counts if all its inputs were accepted") {
    const auto translation =
        InputTranslator().translate(Batch{TypedScalar{U'a'}, TypedScalar{U'😀'}}, german_context());
    REQUIRE(translation.ends == std::vector<std::size_t>{2, 6});
    CHECK(complete_events(translation, 0) == 0);
    CHECK(complete_events(translation, 1) == 0);
    CHECK(complete_events(translation, 2) == 1);
    CHECK(complete_events(translation, 5) == 1);
    CHECK(complete_events(translation, 6) == 2);
}

TEST_CASE("the releases of an interrupted batch release everything that it pressed, last first") {
    const std::vector inputs{key(vk_left_shift), key('1'), key('1', key_up),
                             button(mouse_left_down), key(vk_right_alt, key_extended)};
    CHECK(releases_of(inputs) == std::vector{key(vk_right_alt, key_extended | key_up),
                                             button(mouse_left_up), key(vk_left_shift, key_up)});
}

TEST_CASE("a key that was pressed twice needs one release") {
    const std::vector twice{button(mouse_left_down), button(mouse_left_down)};
    CHECK(releases_of(twice) == std::vector{button(mouse_left_up)});
    CHECK(unreleased(std::vector{twice[0], twice[1], button(mouse_left_up)}).empty());
}
