#include "x11/command_words.hpp"

#include "catch.hpp"

using namespace eyehand;
using winio::x11::words_of;
using Words = std::vector<std::string>;

TEST_CASE("spaces and tabs separate the words of a command") {
    CHECK(words_of("xterm -e  sh\t-c") == Words{"xterm", "-e", "sh", "-c"});
    CHECK(words_of("  one  ") == Words{"one"});
    CHECK(words_of("") == Words{});
    CHECK(words_of(" \t ") == Words{});
}

TEST_CASE("quotes keep the spaces of a word, and an empty word") {
    CHECK(words_of("a 'b c' \"d e\"") == Words{"a", "b c", "d e"});
    CHECK(words_of("pre'fi x'ed") == Words{"prefi xed"});
    CHECK(words_of("a '' \"\"") == Words{"a", "", ""});
}

TEST_CASE("a backslash keeps the character after it, but not within single quotes") {
    CHECK(words_of(R"(a\ b \' \\ é\ 世)") == Words{"a b", "'", "\\", "é 世"});
    CHECK(words_of(R"('a\b' "a\b\"\\")") == Words{R"(a\b)", R"(a\b"\)"});
    CHECK(words_of("end\\") == Words{"end\\"});
}

TEST_CASE("variables and wildcards of a command are not expanded") {
    CHECK(words_of("echo $HOME *.txt `date` ~;|") ==
          Words{"echo", "$HOME", "*.txt", "`date`", "~;|"});
}

TEST_CASE("a command with an unclosed quote has no words") {
    CHECK_FALSE(words_of("echo 'never").has_value());
    CHECK_FALSE(words_of("echo \"never\\\"").has_value());
}
