#include "eyehand/agent/memory.hpp"

#include "base/text.hpp"
#include "catch.hpp"

#include <random>

namespace {

using namespace eyehand::agent;

ActionRecord record(int turn, const std::string& tool = "click") {
    return {turn,          tool, R"({"label":"OK"})", R"({"ok":true})", "screenshots/turn_0001.png",
            "I click OK.", false};
}

TeamMemory memory_of(int turns, TeamMemoryOptions options = {}) {
    TeamMemory memory(options);
    for (int turn = 1; turn <= turns; ++turn) memory.add(record(turn));
    return memory;
}

} // namespace

TEST_CASE("memory: compression is needed from the threshold on") {
    TeamMemory memory = memory_of(7);
    CHECK_FALSE(memory.needs_compression());
    memory.add(record(8));
    CHECK(memory.needs_compression());
    CHECK(memory.archive("done", "none", {1, 2, 3}).empty());
    CHECK_FALSE(memory.needs_compression());
    CHECK(memory.active() == 5);
    CHECK(memory.archived() == 3);
    CHECK(memory.records().size() == 8); // nothing is deleted
}

TEST_CASE("memory: an empty list, unknown turns and archived turns are rejected as a whole") {
    TeamMemory memory = memory_of(4);
    CHECK_THAT(memory.archive("s", "", {}), ContainsSubstring("no turns"));
    CHECK_THAT(memory.archive("s", "", {1, 9}), ContainsSubstring("turn 9"));
    CHECK(memory.archived() == 0);
    CHECK(memory.archive("s", "", {1}).empty());
    CHECK_THAT(memory.archive("s", "", {1}), ContainsSubstring("turn 1; active turns: 2, 3, 4"));
    CHECK(memory.snapshots().size() == 1);
}

TEST_CASE("memory: compression archives the oldest half") {
    TeamMemory memory;
    for (int turn = 1; turn <= 5; ++turn) memory.add(record(turn, turn < 3 ? "click" : "type"));
    memory.compress();
    CHECK(memory.archived() == 3);
    REQUIRE(memory.snapshots().size() == 1);
    CHECK(memory.snapshots()[0].summary == "turns 1 to 3: click x2, type x1");
    CHECK_FALSE(memory.records()[3].archived);
    memory.compress();
    memory.compress();
    memory.compress(); // nothing is left to archive
    CHECK(memory.active() == 0);
}

TEST_CASE("memory: the context has snapshots first, then the newest active actions") {
    TeamMemory memory = memory_of(3);
    CHECK(memory.archive("Notepad is open.", "menus open slowly", {1, 2}).empty());
    CHECK(
        memory.context(10000) ==
        "Archived:\n- 2 actions: Notepad is open. | patterns: menus open slowly\n"
        "Latest actions:\n- turn 3: click {\"label\":\"OK\"} -> {\"ok\":true} | said: I click OK.");
    ActionRecord in_words = record(4);
    in_words.call = R"(click "Save" at (512,300))";
    in_words.outcome = R"(refused (invalid_key): no key "foo"; did you mean "f1"?)";
    memory.add(in_words);
    CHECK_THAT(memory.context(10000),
               ContainsSubstring(R"(turn 4: click "Save" at (512,300) -> refused (invalid_key): )"
                                 R"(no key "foo"; did you mean "f1"? | said: I click OK.)"));
    TeamMemory many = memory_of(20);
    const std::string text = many.context(10000);
    CHECK_THAT(text, !ContainsSubstring("turn 12:"));
    CHECK_THAT(text, ContainsSubstring("turn 13:"));
    CHECK_THAT(text, ContainsSubstring("turn 20:"));
    CHECK(TeamMemory().context(10000).empty());
}

TEST_CASE("memory: long texts are cut to the lengths in the profile") {
    TeamMemory memory;
    ActionRecord long_one = record(1);
    long_one.result = std::string(500, 'r');
    long_one.reply = std::string(500, 's');
    memory.add(long_one);
    memory.add(record(2));
    const std::string text = memory.context(10000);
    CHECK_THAT(text, ContainsSubstring(" -> " + std::string(197, 'r') +
                                       "... | said: " + std::string(137, 's') + "..."));
    CHECK(memory.archive(std::string(500, 'a'), std::string(500, 'b'), {1}).empty());
    CHECK_THAT(memory.context(10000),
               ContainsSubstring(": " + std::string(177, 'a') +
                                 "... | patterns: " + std::string(117, 'b') + "..."));
}

namespace {

/// A record of a tool that reads something.
ActionRecord reading(int turn, const std::string& tool, const std::string& outcome) {
    ActionRecord it = record(turn, tool);
    it.call = tool;
    it.outcome = outcome;
    it.complete = true;
    return it;
}

} // namespace

TEST_CASE("memory: the latest outcome of each reading tool is complete, earlier ones are cut") {
    TeamMemory memory;
    const std::string list = "ok, windows:\n  " + std::string(400, 'w');
    const std::string text = "ok, text \"" + std::string(400, 't') + '"';
    memory.add(reading(1, "list_windows", "ok, windows:\n  " + std::string(400, 'o')));
    memory.add(reading(2, "list_windows", list));
    memory.add(reading(3, "read_clipboard", text));
    SECTION("among the newest actions") {}
    SECTION("and also if they are not among them") {
        for (int turn = 4; turn < 20; ++turn) memory.add(record(turn));
        CHECK_THAT(memory.context(10000), !ContainsSubstring("turn 11:"));
        CHECK_THAT(memory.context(10000), ContainsSubstring("turn 12:"));
    }
    const std::string context = memory.context(10000);
    CHECK_THAT(context, ContainsSubstring("turn 2: list_windows -> " + list + "\n  | said: "));
    CHECK_THAT(context, ContainsSubstring("turn 3: read_clipboard -> " + text + " | said: "));
    CHECK_THAT(context, !ContainsSubstring(std::string(200, 'o')));
    CHECK(memory.archive("read", "", {2, 3}).empty());
    CHECK_THAT(memory.context(10000), !ContainsSubstring("wwww"));
}

TEST_CASE("memory: a reading that is longer than the context is cut, and newer actions stay") {
    TeamMemory memory;
    memory.add(reading(1, "read_clipboard", "ok, text \"" + std::string(4000, 't') + '"'));
    memory.add(record(2));
    const std::string context = memory.context(1000);
    CHECK(context.size() <= 1000);
    CHECK(context.size() > 900);
    CHECK_THAT(context, ContainsSubstring(std::string(500, 't')));
    CHECK_THAT(context, ContainsSubstring("...\n- turn 2:"));
}

TEST_CASE("memory: an update replaces the record of its turn unless it is archived") {
    TeamMemory memory = memory_of(3);
    CHECK(memory.archive("done", "", {1}).empty());
    for (const int turn : {1, 2, 7}) {
        ActionRecord changed = record(turn);
        changed.outcome = "changed " + std::to_string(turn);
        memory.update(changed);
    }
    CHECK(memory.records().size() == 3);
    CHECK(memory.active() == 2);
    CHECK(memory.records().at(0).outcome.empty());
    CHECK(memory.records().at(1).outcome == "changed 2");
}

TEST_CASE("memory: snapshots that exceed their share are merged, the oldest first") {
    TeamMemory memory = memory_of(60);
    for (int turn = 1; turn <= 58; ++turn)
        CHECK(memory.archive("summary " + std::to_string(turn), "", {turn}).empty());
    const std::string text = memory.context(1500);
    CHECK(text.size() <= 1500);
    CHECK_THAT(text, ContainsSubstring("older summaries"));
    CHECK_THAT(text, ContainsSubstring("summary 58"));
    CHECK_THAT(text, !ContainsSubstring("summary 20\n"));
    CHECK_THAT(text, ContainsSubstring("turn 60:"));
}

TEST_CASE("memory: for any history and limit, contexts have complete characters within the limit "
          "and no archived action") {
    std::mt19937 random(7);
    const auto number = [&](int min, int max) {
        return std::uniform_int_distribution<int>(min, max)(random);
    };
    const std::vector<std::string> pieces{"a", "ż", "世", "😀", " ", "\n", "word "};
    const auto words = [&](int max) {
        std::string text;
        for (int i = number(0, max); i > 0; --i)
            text += pieces[static_cast<std::size_t>(number(0, int(pieces.size()) - 1))];
        return text;
    };
    for (int history = 0; history < 200; ++history) {
        TeamMemory memory;
        int turn = 0;
        std::vector<int> gone;
        for (int i = number(1, 40); i > 0; --i) {
            ++turn;
            memory.add({turn,
                        "tool" + std::to_string(turn) + "_",
                        words(80),
                        words(200),
                        "f",
                        words(300),
                        false,
                        {},
                        words(400),
                        number(0, 4) == 0});
            if (number(0, 3) == 0) {
                const int old = number(1, turn);
                if (memory.archive(words(300), words(200), {old}).empty()) gone.push_back(old);
            }
            if (number(0, 9) == 0) memory.compress();
        }
        for (const std::size_t bound : {std::size_t{0}, std::size_t{40}, std::size_t{200},
                                        std::size_t{1000}, std::size_t{8000}}) {
            const std::string text = memory.context(bound);
            CHECK(text.size() <= bound);
            CHECK(to_valid_utf8(text) == text);
            for (const int old : gone)
                CHECK_THAT(text, !ContainsSubstring("tool" + std::to_string(old) + "_"));
        }
    }
}
