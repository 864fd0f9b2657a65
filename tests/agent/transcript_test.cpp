#include "agent/transcript.hpp"

#include "catch.hpp"

#include <variant>

namespace {

using agent::has_think;
using agent::strip_think;
using agent::Transcript;
using vlm::Message;

vlm::Image picture(int number) { return {"hash" + std::to_string(number), nullptr}; }

/// Which screenshots are still there: "..34".
std::string kept(const Transcript& transcript) {
    std::string all;
    for (const Message& message : transcript.messages()) {
        for (const vlm::Part& part : message.parts) {
            if (const auto* image = std::get_if<vlm::Image>(&part))
                all += image->sha256.substr(4);
            else if (std::get<std::string>(part) == agent::screenshot_placeholder)
                all += '.';
        }
    }
    return all;
}

} // namespace

TEST_CASE("think blocks are stripped, also across lines and without one of their tags") {
    CHECK(strip_think("<think>a\nb</think>\n Done.") == "Done.");
    CHECK(strip_think("A <think>x</think>B<think>y</think> C") == "A B C");
    CHECK(strip_think("so I thought</think>Done.") == "Done.");
    CHECK(strip_think("Done. <think>and then") == "Done.");
    CHECK(strip_think("no thoughts") == "no thoughts");
    CHECK(strip_think("<think></think>").empty());
    CHECK(has_think("x</think>y"));
    CHECK_FALSE(has_think("thinking"));
}

TEST_CASE("old screenshots go in batches, so that the prefix stays the same in between") {
    Transcript transcript({.keep = 2, .batch = 3}, {});
    std::string history;
    for (int i = 1; i <= 9; ++i) {
        transcript.add(Message::user("look", picture(i)));
        history += kept(transcript) + " ";
    }
    CHECK(history == "1 12 123 1234 ...45 ...456 ...4567 ......78 ......789 ");
}

TEST_CASE("a batch of one prunes every turn") {
    Transcript transcript({.keep = 2, .batch = 1}, {});
    for (int i = 1; i <= 4; ++i) transcript.add(Message::user("look", picture(i)));
    CHECK(kept(transcript) == "..34");
}

TEST_CASE("a pruned screenshot leaves the words around it") {
    Transcript transcript({.keep = 1, .batch = 1}, {});
    transcript.add(Message::user("the task", picture(1)));
    transcript.add(Message::user("later", picture(2)));
    CHECK(transcript.messages().at(0).text() ==
          "the task\n" + std::string(agent::screenshot_placeholder));
}

TEST_CASE("old thoughts go in batches, newer ones stay, tool calls stay always") {
    Transcript transcript({}, {.keep = 1, .batch = 2});
    for (int i = 1; i <= 3; ++i) {
        transcript.add(Message::assistant("<think>deep</think>act " + std::to_string(i),
                                          {{"id" + std::to_string(i), "click", "{}", {}}}));
    }
    CHECK(transcript.messages().at(0).text() == "act 1");
    CHECK(transcript.messages().at(1).text() == "act 2");
    CHECK(transcript.messages().at(2).text() == "<think>deep</think>act 3");
    CHECK(transcript.messages().at(0).tool_calls.size() == 1);
}

TEST_CASE("what a user says about thinking is left alone") {
    Transcript transcript({}, {.keep = 1, .batch = 1});
    transcript.add(Message::user("write <think>x</think>"));
    transcript.add(Message::assistant("<think>a</think>b"));
    transcript.add(Message::assistant("<think>c</think>d"));
    CHECK(transcript.messages().at(0).text() == "write <think>x</think>");
    CHECK(transcript.messages().at(1).text() == "b");
}
