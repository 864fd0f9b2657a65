#include "eyehand/winio/effect.hpp"

#include "catch.hpp"

using namespace eyehand::winio;

TEST_CASE("a batch is described event by event") {
    const Effect effect = Batch{PointerMove{{10, -20}}, ButtonChange{Button::left, Press::down},
                                ButtonChange{Button::left, Press::up}};
    CHECK(to_string(effect) == "move to (10, -20), left down, left up");
}

TEST_CASE("typed characters are described as one text") {
    const Effect effect = Batch{TypedScalar{U'h'}, TypedScalar{U'é'},
                                KeyChange{NamedKey::enter, Press::down}, TypedScalar{U'x'}};
    CHECK(to_string(effect) == "type \"hé\", key enter down, type \"x\"");
}

TEST_CASE("a turn of the wheel is described with its direction") {
    CHECK(to_string(Effect{Batch{WheelTurn{-3}}}) == "wheel down 3");
    CHECK(to_string(Effect{Batch{WheelTurn{2, Axis::horizontal}}}) == "wheel right 2");
}

TEST_CASE("other effects are described in words") {
    CHECK(to_string(Effect{Batch{}}) == "nothing");
    CHECK(to_string(Effect{ClipboardWrite{"a\nb"}}) == "put \"a\\nb\" on the clipboard");
    CHECK(to_string(Effect{LaunchCommand{"notepad"}}) == "launch \"notepad\"");
    CHECK(to_string(Effect{WindowCommand{WindowId{7}, WindowAction::close, {}}}) ==
          "close window 7");
    CHECK(to_string(Effect{WindowCommand{WindowId{7}, WindowAction::move, {1, 2, 3, 4}}}) ==
          "move window 7 to (1, 2), 3x4");
}

TEST_CASE("long texts are truncated between characters") {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "世";
    const std::string told = to_string(Effect{ClipboardWrite{text}});
    CHECK(told.find("世...\"") != std::string::npos);
    CHECK(told.size() < text.size());
}
