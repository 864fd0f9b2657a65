#include "phrase.hpp"

#include "catch.hpp"

using namespace stand_in;

TEST_CASE("Case, punctuation and the kind of ellipsis do not matter") {
    CHECK(letters_of("Save As...") == letters_of("save as\u2026"));
    CHECK(letters_of("|File name:") == letters_of("File name"));
}

TEST_CASE("Characters that look alike are equal") {
    CHECK(letters_of("ANSI Latin 1") == letters_of("ANSl Latin I"));
    CHECK(letters_of("UTF-8") == letters_of("UTF-B"));
}

TEST_CASE("A misread letter matches, a different word does not") {
    CHECK(differences(letters_of("Eile"), letters_of("File")) == 1);
    CHECK(differences(letters_of("Seve es"), letters_of("Save as")) == 2);
    CHECK_FALSE(differences(letters_of("Edit"), letters_of("File")));
    CHECK_FALSE(differences(letters_of("Save in"), letters_of("Save")));
}

TEST_CASE("The shortest words must be read exactly") {
    CHECK_FALSE(differences(letters_of("On"), letters_of("OK")));
    CHECK(differences(letters_of("ok"), letters_of("OK")) == 0);
}

TEST_CASE("Words are split at punctuation") {
    const auto tokens = tokens_of("C:\\demo.txt");
    REQUIRE(tokens.size() == 3);
    CHECK(tokens[1].letters == U"demo");
    CHECK(tokens[1].first == 3);
    CHECK(tokens[1].last == 7);
}

TEST_CASE("Letters outside ASCII are letters, and lengths count characters") {
    CHECK(letters_of("jaźń").size() == 4);
    CHECK(letters_of("你好，世界！").size() == 4);
    CHECK(code_points("jaźń") == 4);
}

TEST_CASE("Malformed text can be compared") {
    CHECK_NOTHROW(letters_of("\xC5"));
    CHECK_NOTHROW(letters_of("\xFF\xFE ok"));
}
