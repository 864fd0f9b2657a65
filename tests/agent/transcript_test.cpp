#include "eyehand/agent/transcript.hpp"

#include "catch.hpp"

#include <algorithm>
#include <set>
#include <variant>

using namespace eyehand;

namespace {

using agent::has_think;
using agent::strip_think;
using agent::Transcript;
using vlm::Message;

vlm::Image image(int number) { return {"hash" + std::to_string(number), nullptr}; }

/// The remaining screenshots: "..34".
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

TEST_CASE("old screenshots are removed in batches, so that the prefix stays the same in between") {
    Transcript transcript({.keep = 2, .batch = 3}, {});
    std::string history;
    for (int i = 1; i <= 9; ++i) {
        transcript.add(Message::user("look", image(i)));
        history += kept(transcript) + " ";
    }
    CHECK(history == "1 12 123 1234 ...45 ...456 ...4567 ......78 ......789 ");
}

TEST_CASE("a batch of one prunes every turn") {
    Transcript transcript({.keep = 2, .batch = 1}, {});
    for (int i = 1; i <= 4; ++i) transcript.add(Message::user("look", image(i)));
    CHECK(kept(transcript) == "..34");
}

TEST_CASE("the text around a removed screenshot stays") {
    Transcript transcript({.keep = 1, .batch = 1}, {});
    transcript.add(Message::user("the task", image(1)));
    transcript.add(Message::user("later", image(2)));
    CHECK(transcript.messages().at(0).text() ==
          "the task\n" + std::string(agent::screenshot_placeholder));
}

TEST_CASE("old thoughts are removed in batches, but newer ones and all tool calls stay") {
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

TEST_CASE("think tags in messages of the user stay") {
    Transcript transcript({}, {.keep = 1, .batch = 1});
    transcript.add(Message::user("write <think>x</think>"));
    transcript.add(Message::assistant("<think>a</think>b"));
    transcript.add(Message::assistant("<think>c</think>d"));
    CHECK(transcript.messages().at(0).text() == "write <think>x</think>");
    CHECK(transcript.messages().at(1).text() == "b");
}

namespace {

/// A call and its result, about 100 bytes together.
void add_turn(Transcript& transcript, int number) {
    const std::string id = "id" + std::to_string(number);
    transcript.add(Message::assistant(std::string(40, 'w'), {{id, "click", "{}", {}}}));
    transcript.add(Message::tool(id, std::string(40, 'r')));
}

std::string first_call(const Transcript& transcript) {
    return transcript.messages().at(2).tool_calls.at(0).id;
}

} // namespace

TEST_CASE("a conversation that exceeds its limit loses its oldest turns at once, with a "
          "placeholder") {
    Transcript transcript({}, {}, 1000);
    transcript.add(Message::system("be careful"));
    transcript.add(Message::user("the task"));
    std::size_t max = 0;
    std::set<std::string> prefixes;
    for (int i = 0; i < 500; ++i) {
        add_turn(transcript, i);
        std::size_t bytes = 0;
        for (const Message& message : transcript.messages()) bytes += message.text().size();
        max = std::max(max, bytes);
        REQUIRE(transcript.messages().at(2).role == vlm::Role::assistant);
        REQUIRE(transcript.messages().size() % 2 == 0); // no result without its call
        prefixes.insert(first_call(transcript));
    }
    CHECK(max <= 1000);
    CHECK(transcript.messages().at(0).text() == "be careful");
    CHECK(transcript.messages().at(1).text() ==
          "the task\n" + std::string(agent::turns_placeholder));
    CHECK(prefixes.size() < 150); // servers cache the unchanged beginning
}

TEST_CASE("narrow removes screenshots and thoughts first, then text, and then nothing") {
    Transcript transcript({.keep = 5, .batch = 5}, {.keep = 5, .batch = 5});
    transcript.add(Message::system("be careful"));
    transcript.add(Message::user("the task", image(1)));
    for (int i = 0; i < 8; ++i) add_turn(transcript, i);
    transcript.add(Message::user("look", image(2)));
    REQUIRE(transcript.narrow());
    CHECK(kept(transcript) == ".2");
    transcript.add(Message::user("look", image(3)));
    CHECK(kept(transcript) == "..3"); // permanently
    CHECK(first_call(transcript) == "id0");
    REQUIRE(transcript.narrow());
    CHECK(first_call(transcript) == "id5");
    for (int i = 8; i < 40; ++i) add_turn(transcript, i);
    CHECK(transcript.messages().size() < 20); // this, too
    int more = 0;
    while (transcript.narrow()) REQUIRE(++more < 10);
    CHECK(first_call(transcript) == "id39");
    CHECK(transcript.messages().size() == 4);
}

TEST_CASE("a long task does not cause each turn to replace the previous one") {
    Transcript transcript({.keep = 1, .batch = 1}, {.keep = 1, .batch = 1});
    transcript.add(Message::system(std::string(1000, 's')));
    transcript.add(Message::user(std::string(1000, 't')));
    for (int i = 0; i < 8; ++i) add_turn(transcript, i);
    REQUIRE(transcript.narrow());
    CHECK(first_call(transcript) == "id7");
    for (int i = 8; i < 12; ++i) add_turn(transcript, i);
    CHECK(first_call(transcript) == "id7");
}

TEST_CASE("without turns, nothing can be removed") {
    Transcript transcript({}, {});
    CHECK_FALSE(transcript.narrow());
    transcript.add(Message::system("be careful"));
    transcript.add(Message::user("the task", image(1)));
    CHECK_FALSE(transcript.narrow());
}

TEST_CASE("a small context reduces the batch of screenshots") {
    // 1536x864 takes 48 * 27 + 2 tokens of Qwen3-VL, according to its model card.
    constexpr int image = 1298;
    struct Row {
        int context;
        std::size_t batch;
    };
    const Row row = GENERATE(
        Row{131072, 8}, Row{32768, 8}, Row{23364, 8}, // exactly nine images in half of it
        Row{23362, 7}, Row{16384, 5}, Row{8192, 2}, Row{4096, 1}, // one image; two are kept
        Row{512, 1}, Row{0, 8});                                  // unknown
    const agent::Retention fits = agent::fitted({2, 8}, image, row.context);
    INFO("a context of " << row.context);
    CHECK(fits == agent::Retention{2, row.batch});
    if (row.context >= 8192)
        CHECK(agent::max_held(fits) * image <= static_cast<std::size_t>(row.context) / 2);
    CHECK(agent::fitted({2, 1}, image, row.context).batch == 1); // never raised
    CHECK(agent::fitted({2, 8}, 0, row.context) == agent::Retention{2, 8});
}

TEST_CASE("a request never has more screenshots than the retention allows") {
    const agent::Retention retention{2, 3};
    agent::Transcript transcript(retention, {});
    std::size_t max = 0;
    for (int i = 0; i < 20; ++i) {
        transcript.add(vlm::Message::user("look", vlm::Image{std::to_string(i), nullptr}));
        std::size_t held = 0;
        for (const vlm::Message& message : transcript.messages())
            for (const vlm::Part& part : message.parts)
                held += std::holds_alternative<vlm::Image>(part) ? 1 : 0;
        max = std::max(max, held);
    }
    CHECK(max == agent::max_held(retention));
}
