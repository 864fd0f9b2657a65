#include "wire/quotation.hpp"

#include "catch.hpp"

#include <string>

using vlm_reader = eyehand::vlm::wire::QuotationReader;

namespace {

/// Whether the first "X" of the text is quoted.
bool quotes(const std::string& text) {
    CAPTURE(text);
    vlm_reader reader(text);
    return reader.is_quoted(text.find('X'));
}

} // namespace

TEST_CASE("quotation: plain text is not quoted") {
    for (const char* text : {"X",
                             "So: X",
                             "a\nX",
                             "   X",
                             "- X",
                             "1. X",
                             "it's X",
                             "the users' X",
                             "a 27\" screen X",
                             "(a) \"b\" 'c' `d` X",
                             "“b” ‘c’ „d“ «e» »f« ‹g› 「h」 X",
                             "```\na\n```\nX",
                             "~~~\n```\n~~~\nX",
                             "> a\n\nX",
                             "`a\n\nb` X",
                             "a ` X",
                             "<pre>a</pre> X",
                             "<q>a</q>X",
                             "<quote>X",
                             "<b>X",
                             "'a\n\nX",
                             "5 > 4 X",
                             "``a ` b`` X"})
        CHECK_FALSE(quotes(text));
}

TEST_CASE("quotation: marks, code, block quotes and tags quote") {
    for (const char* text : {"\"X",
                             "\"a X",
                             "\"a\n\nb X",
                             "'X",
                             "so ('X",
                             "“X",
                             "„X",
                             "« X",
                             "‘X",
                             "「X",
                             "『X",
                             "`X`",
                             "``a ` X``",
                             "```\nX",
                             "```X",
                             "~~~\nX\n~~~",
                             "```\na\n``\nX",
                             "````\n```\nX",
                             "- ```\n  X",
                             "> X",
                             ">X",
                             "  > X",
                             "> a\nX",
                             "1. > X",
                             "    X",
                             "\tX",
                             "  \tX",
                             "<pre>X",
                             "<CODE class='a'>X",
                             "<code>a</pre>X",
                             "<blockquote>\nX",
                             "<q>X",
                             "<tool_response>\nX",
                             "<pre><pre></pre>X"})
        CHECK(quotes(text));
}

TEST_CASE("quotation: text that is skipped neither opens nor closes a quotation") {
    const std::string text = "a \"b X \" ``` X";
    vlm_reader reader(text);
    CHECK_FALSE(reader.is_quoted(0));
    reader.skip_to(text.find('X'));
    CHECK_FALSE(reader.is_quoted(text.find('X')));
    reader.skip_to(text.rfind('X'));
    CHECK_FALSE(reader.is_quoted(text.rfind('X')));
}

TEST_CASE("quotation: very long texts of marks are read in linear time") {
    constexpr std::size_t length = 1000000;
    for (const std::string& piece : {std::string("`"), std::string("` "), std::string("`` `"),
                                     std::string("> "), std::string("\""), std::string("<pre"),
                                     std::string("- "), std::string("1"), std::string("```\n")}) {
        std::string text;
        while (text.size() < length) text += piece;
        text += "\n\nX";
        vlm_reader reader(text);
        (void)reader.is_quoted(text.size() - 1);
    }
}
