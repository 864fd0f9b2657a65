#include "eyehand/winio/keys.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace eyehand::winio;

namespace {

KeyChord chord(std::vector<Key> keys) { return {std::move(keys)}; }

std::string problem_of(std::string_view text) {
    std::string problem;
    CHECK_FALSE(parse_chord(text, &problem));
    return problem;
}

} // namespace

TEST_CASE("letters, digits and punctuation name keys by their character") {
    for (char32_t c = U'a'; c <= U'z'; ++c)
        CHECK(parse_chord(std::string(1, static_cast<char>(c))) == chord({c}));
    CHECK(parse_chord("7") == chord({U'7'}));
    CHECK(parse_chord("/") == chord({U'/'}));
    CHECK(parse_chord("-") == chord({U'-'}));
    CHECK(parse_chord("_") == chord({U'_'}));
    CHECK(parse_chord("ü") == chord({U'ü'}));
}

TEST_CASE("key names are case-insensitive") {
    CHECK(parse_chord("A") == chord({U'a'}));
    CHECK(parse_chord("EnTeR") == chord({NamedKey::enter}));
    CHECK(parse_chord("F24") == chord({NamedKey::f24}));
}

TEST_CASE("every synonym means its key") {
    const std::pair<const char*, NamedKey> synonyms[] = {
        {"return", NamedKey::enter},      {"esc", NamedKey::escape},
        {"win", NamedKey::windows},       {"super", NamedKey::windows},
        {"meta", NamedKey::windows},      {"cmd", NamedKey::windows},
        {"control", NamedKey::ctrl},      {"option", NamedKey::alt},
        {"back", NamedKey::backspace},    {"del", NamedKey::del},
        {"ins", NamedKey::insert},        {"spacebar", NamedKey::space},
        {" ", NamedKey::space},           {"pageup", NamedKey::page_up},
        {"page_up", NamedKey::page_up},   {"Page Up", NamedKey::page_up},
        {"pgup", NamedKey::page_up},      {"page-down", NamedKey::page_down},
        {"pgdn", NamedKey::page_down},    {"ArrowUp", NamedKey::up},
        {"arrow_down", NamedKey::down},   {"left arrow", NamedKey::left},
        {"Super_L", NamedKey::windows},   {"Print Screen", NamedKey::print_screen},
        {"context menu", NamedKey::menu}, {"caps_lock", NamedKey::caps_lock},
    };
    for (const auto& [text, key] : synonyms) {
        INFO(text);
        CHECK(parse_chord(text) == chord({key}));
    }
}

TEST_CASE("a plus joins keys, and spaces around names are ignored") {
    CHECK(parse_chord("ctrl+shift+s") == chord({NamedKey::ctrl, NamedKey::shift, U's'}));
    CHECK(parse_chord(" Ctrl + Alt + Delete ") ==
          chord({NamedKey::ctrl, NamedKey::alt, NamedKey::del}));
}

TEST_CASE("a plus at the start of a name is the plus key") {
    CHECK(parse_chord("+") == chord({U'+'}));
    CHECK(parse_chord("ctrl++") == chord({NamedKey::ctrl, U'+'}));
    CHECK(parse_chord("ctrl + +") == chord({NamedKey::ctrl, U'+'}));
    CHECK(parse_chord("ctrl+plus") == chord({NamedKey::ctrl, U'+'}));
    CHECK(parse_chord("ctrl+++a") == chord({NamedKey::ctrl, U'+', U'a'}));
}

TEST_CASE("modifiers come first and duplicates are removed") {
    CHECK(parse_chord("s+ctrl") == chord({NamedKey::ctrl, U's'}));
    CHECK(parse_chord("ctrl+control+c+C") == chord({NamedKey::ctrl, U'c'}));
}

TEST_CASE("a chord is printed as it is parsed") {
    for (const char* text : {"ctrl+shift+s", "ctrl++", "enter", "alt+f4", "windows+pagedown", "é",
                             "ctrl+space", "delete", "printscreen"}) {
        const auto parsed = parse_chord(text);
        REQUIRE(parsed);
        CHECK(to_string(*parsed) == text);
    }
}

TEST_CASE("every named key has a name that can be parsed") {
    for (int key = 0; key <= static_cast<int>(NamedKey::f24); ++key) {
        const Key named = static_cast<NamedKey>(key);
        INFO(to_string(named));
        CHECK(parse_chord(to_string(named)) == chord({named}));
    }
}

TEST_CASE("the problem of an unknown key names it and the nearest one") {
    CHECK_THAT(problem_of("ctrl+retrun"), ContainsSubstring("\"retrun\""));
    CHECK_THAT(problem_of("ctrl+retrun"), ContainsSubstring("\"return\""));
    CHECK_THAT(problem_of("ecsape"), ContainsSubstring("\"escape\""));
    CHECK_THAT(problem_of("f25"), ContainsSubstring("\"f2"));
}

TEST_CASE("the problem of keys that are joined incorrectly shows how to join them") {
    CHECK_THAT(problem_of("ctrl-c"), ContainsSubstring("\"ctrl+c\""));
    CHECK_THAT(problem_of("ctrl shift s"), ContainsSubstring("\"ctrl+shift+s\""));
}

TEST_CASE("the problem of a chord with a missing part names the part") {
    CHECK_THAT(problem_of(""), ContainsSubstring("the key is missing"));
    CHECK_THAT(problem_of("   "), ContainsSubstring("the key is missing"));
    CHECK_THAT(problem_of("ctrl+"), ContainsSubstring("after the last \"+\""));
    CHECK_THAT(problem_of("+a"), ContainsSubstring("is missing before"));
}

TEST_CASE("text, control characters and invalid UTF-8 are not keys") {
    CHECK_FALSE(parse_chord("hello world"));
    CHECK_FALSE(parse_chord("\x01"));
    CHECK_FALSE(parse_chord("\xff"));
    CHECK_FALSE(parse_chord(std::string(10'000, 'x')));
}

TEST_CASE("parsing a chord clears the problem") {
    std::string problem = "old";
    CHECK(parse_chord("enter", &problem));
    CHECK(problem.empty());
}
