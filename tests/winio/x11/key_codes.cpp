#include "x11/key_codes.hpp"

#include "catch.hpp"
#include "keyboards.hpp"

using namespace eyehand::winio;
using namespace eyehand::winio::x11;
using namespace x11_keyboards;
using Codes = std::vector<Keycode>;

TEST_CASE("a character is its key, with Shift and AltGr if necessary") {
    const KeyboardMap map = german();
    CHECK(codes_of(U'q', map) == Codes{key_q});
    CHECK(codes_of(U'Q', map) == Codes{left_shift, key_q});
    CHECK(codes_of(U'@', map) == Codes{level3, key_q});
    CHECK(codes_of(U'Ω', map) == Codes{left_shift, level3, key_q});
    CHECK(codes_of(U'!', map) == Codes{left_shift, key_1});
    CHECK(codes_of(U'世', map).empty());
}

TEST_CASE("characters that need AltGr have no key on a keyboard without AltGr") {
    KeyboardMap map = german();
    map.modifiers[7].clear();
    CHECK(codes_of(U'@', map).empty());
    CHECK(codes_of(U'q', map) == Codes{key_q});
}

TEST_CASE("letters and digits of a shortcut need no modifiers, other characters do") {
    const KeyboardMap map = german();
    CHECK(codes_of(U'c', map, KeyUse::shortcut) == Codes{key_c});
    CHECK(codes_of(U'1', map, KeyUse::shortcut) == Codes{key_1});
    CHECK(codes_of(U'!', map, KeyUse::shortcut) == Codes{left_shift, key_1});
    KeyboardMap french = map;
    set(french, key_1, {'&', '1', '&', '1', 0, 0, 0, 0});
    CHECK(codes_of(U'1', french) == Codes{left_shift, key_1});
    CHECK(codes_of(U'1', french, KeyUse::shortcut) == Codes{key_1});
}

TEST_CASE("characters use the current layout, shortcuts any layout") {
    CHECK(codes_of(U'й', german_and_russian(1)) == Codes{key_q});
    CHECK(codes_of(U'Й', german_and_russian(1)) == Codes{left_shift, key_q});
    CHECK(codes_of(U'й', german_and_russian(0)).empty());
    CHECK(codes_of(U'q', german_and_russian(0)) == Codes{key_q});
    CHECK(codes_of(U'q', german_and_russian(1)).empty());
    CHECK(codes_of(U'c', german_and_russian(1), KeyUse::shortcut) == Codes{key_c});
    CHECK(codes_of(U'1', german_and_russian(1)) == Codes{key_1});
    CHECK(codes_of(U'q', german_and_russian(3)).empty()); // the server does not report this group
    CHECK(codes_of(NamedKey::enter, german_and_russian(3)) == Codes{enter});
}

TEST_CASE("keysyms and characters are converted to each other") {
    CHECK(keysym_of(U'a') == 0x61);
    CHECK(keysym_of(U'é') == 0xE9);
    CHECK(keysym_of(U'世') == 0x01004E16);
    CHECK(keysym_of(U'😀') == 0x0101F600);
    CHECK(keysym_of(U'\n') == 0xFF0D);
    CHECK(character_of(0x0101F600) == U'😀');
    CHECK(character_of(0x6CA) == U'й'); // from before Unicode
    CHECK(character_of(0x1B1) == U'ą');
    CHECK(character_of(0x20AC) == U'€');
    CHECK_FALSE(character_of(0xFF0D).has_value());
    CHECK_FALSE(character_of(no_keysym).has_value());
    CHECK(keysym_of(NamedKey::f1) == 0xFFBE);
    CHECK(keysym_of(NamedKey::f24) == 0xFFD5);
}

TEST_CASE("every named key has a unique keysym") {
    std::vector<Keysym> keysyms;
    for (int key = 0; key <= static_cast<int>(NamedKey::f24); ++key)
        keysyms.push_back(keysym_of(static_cast<NamedKey>(key)));
    std::sort(keysyms.begin(), keysyms.end());
    CHECK(keysyms.front() != no_keysym);
    CHECK(std::adjacent_find(keysyms.begin(), keysyms.end()) == keysyms.end());
}
