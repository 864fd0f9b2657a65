#include "modes/watched_mode.hpp"

#include "eyehand/agent/profile.hpp"
#include "modes/conversation/conversation_mode.hpp"

#include "catch.hpp"

using namespace eyehand;
using namespace agent;

namespace {

const std::vector<vlm::ToolSpec> tools{{"click_element", "clicks", "{}"}};

/// A watched conversation.
struct Watched {
    WatchedMode mode{std::make_unique<ConversationMode>(load_profile("observer"), "do it", tools)};

    [[nodiscard]] std::string next() const {
        const Command command = mode.next();
        if (std::holds_alternative<Observe>(command)) return "observe";
        if (std::holds_alternative<Ask>(command)) return "ask";
        if (std::holds_alternative<Invoke>(command)) return "invoke";
        return "other";
    }
    [[nodiscard]] Ask ask() const { return std::get<Ask>(mode.next()); }
    [[nodiscard]] std::string image() const {
        std::string found;
        for (const vlm::Message& message : ask().request.messages)
            for (const vlm::Part& part : message.parts)
                if (const auto* image = std::get_if<vlm::Image>(&part)) found = image->sha256;
        return found;
    }
    void see(const std::string& sha256) {
        Observed fact;
        fact.sha256 = sha256;
        fact.file = sha256 + ".png";
        mode.apply(fact);
    }
    void supersede() {
        mode.apply(Superseded{image(), {{0, 0, 8, 8}}, std::chrono::milliseconds(1), {}});
    }
    void reply(const std::string& tool, bool screen_changed = false) {
        vlm::ChatReply reply;
        if (tool.empty())
            reply.text = "Done.";
        else
            reply.tool_calls = {{"call_1", tool, "{}", {}}};
        mode.apply(Replied{reply, screen_changed});
    }
};

/// With a first screenshot.
Watched begun() {
    Watched it;
    if (it.next() == "observe") {
        it.see("a");
    } else {
        it.reply("observe_screen");
        Invoked fact;
        fact.call_id = "call_1";
        fact.ok = true;
        fact.wants_screenshot = true;
        it.mode.apply(fact);
        it.see("a");
    }
    return it;
}

} // namespace

TEST_CASE("watched mode: a request that was cancelled is sent again with a new screenshot") {
    Watched it = begun();
    const int turn = it.mode.state().turn;
    REQUIRE(it.image() == "a");
    CHECK(it.ask().may_be_superseded);
    it.supersede();
    CHECK(it.next() == "observe");
    CHECK_FALSE(it.mode.finished());
    CHECK(it.mode.take_notes().size() == 1);
    it.see("b");
    CHECK(it.image() == "b");
    CHECK(it.mode.state().turn == turn);
    CHECK(it.ask().may_be_superseded);
    it.supersede();
    it.see("c");
    CHECK(it.image() == "c");
    CHECK_FALSE(it.ask().may_be_superseded); // twice per turn
    it.reply("click_element");
    CHECK(it.next() == "invoke");
}

TEST_CASE("watched mode: the screen may change back") {
    Watched it = begun();
    it.supersede();
    it.see("b");
    it.supersede();
    it.see("a");
    CHECK(it.image() == "a");
}

TEST_CASE("watched mode: the new screenshot may equal the old one") {
    Watched it = begun();
    it.supersede();
    it.see("a");
    CHECK(it.image() == "a");
}

TEST_CASE("watched mode: a final answer on a screen that has changed is asked for once more") {
    Watched it = begun();
    it.reply("", true);
    CHECK_FALSE(it.mode.finished());
    CHECK(it.next() == "observe");
    it.see("b");
    CHECK(it.image() == "b");
    it.reply("", true);
    CHECK(it.mode.finished());
}

TEST_CASE("watched mode: a reply with a call, or on the same screen, counts") {
    Watched it = begun();
    SECTION("a call") {
        it.reply("click_element", true);
        CHECK(it.next() == "invoke");
    }
    SECTION("the same screen") {
        it.reply("", false);
        CHECK(it.mode.finished());
    }
}

TEST_CASE("watched mode: a final answer counts if the model cannot be asked again") {
    Watched it = begun();
    it.reply("", true);
    SECTION("no screenshot") { it.mode.apply(ObserveFailed{"winio.capture_failed", "gone"}); }
    SECTION("no reply") {
        it.see("b");
        it.mode.apply(AskFailed{"vlm.server_error", "gone"});
    }
    REQUIRE(it.mode.finished());
    const auto finish = std::get<Finish>(it.mode.next());
    CHECK(finish.outcome == Outcome::completed);
    CHECK(finish.reason == "Done.");
}

TEST_CASE("watched mode: a failed request after another reply fails") {
    Watched it = begun();
    it.reply("", true);
    it.see("b");
    it.reply("click_element");
    Invoked fact;
    fact.call_id = "call_1";
    fact.ok = true;
    it.mode.apply(fact);
    REQUIRE(it.next() == "ask");
    it.mode.apply(AskFailed{"vlm.server_error", "gone"});
    REQUIRE(it.mode.finished());
    CHECK(std::get<Finish>(it.mode.next()).outcome == Outcome::endpoint_failed);
}

TEST_CASE("watched mode: a stop ends the run instead of another look") {
    Watched it = begun();
    it.supersede();
    it.mode.apply(Stopped{"enough"});
    CHECK(it.mode.finished());
    CHECK(it.next() == "other");
}

TEST_CASE("watched mode: a screenshot that fails ends the run") {
    Watched it = begun();
    it.supersede();
    it.mode.apply(ObserveFailed{"winio.capture_failed", "gone"});
    CHECK(it.mode.finished());
}

TEST_CASE("watched mode: a message of the user does not replace the look") {
    Watched it = begun();
    it.supersede();
    it.mode.apply(UserMessage{UserMessage::Kind::words, "hurry"});
    CHECK(it.next() == "observe");
    it.see("b");
    CHECK(it.next() == "ask");
}

TEST_CASE("watched mode: an equal screenshot of an earlier turn stays in the conversation") {
    Watched it = begun(); // with "a"
    it.reply("click_element");
    Invoked fact;
    fact.call_id = "call_1";
    fact.ok = true;
    fact.wants_screenshot = true;
    it.mode.apply(fact);
    it.see("a");
    it.supersede();
    it.see("b");
    const auto images = [&] {
        std::string all;
        for (const vlm::Message& message : it.ask().request.messages)
            for (const vlm::Part& part : message.parts)
                if (const auto* image = std::get_if<vlm::Image>(&part)) all += image->sha256;
        return all;
    };
    CHECK(images() == "ab");
    it.reply("click_element"); // and in later requests
    it.mode.apply(fact);
    it.see("c");
    CHECK(images() == "abc");
}
