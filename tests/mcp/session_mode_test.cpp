#include "desktop/session_mode.hpp"

#include "desktop/session_tools.hpp"

#include "catch.hpp"

using namespace eyehand;
using agent::Command;

namespace {

struct ModeStage {
    mcp::DesktopServerOptions options;
    mcp::SessionMode mode{mcp::session_profile(options), "task"};

    void reply(const std::string& tool, const std::string& arguments = "{}") {
        agent::Replied fact;
        fact.reply.tool_calls = {{.id = "c", .name = tool, .arguments_json = arguments}};
        mode.apply(fact);
    }
    void invoked(bool ok, bool acts, bool wants_screenshot = false) {
        agent::Invoked fact;
        fact.ok = ok;
        fact.action.acts = acts;
        fact.wants_screenshot = wants_screenshot;
        mode.apply(fact);
    }
    void observed(std::vector<winio::Rect> changed = {}) {
        agent::Observed fact;
        fact.size = {640, 480};
        fact.area = {0, 0, 640, 480};
        fact.changed = std::move(changed);
        mode.apply(fact);
    }
    template <class T>
    [[nodiscard]] bool next_is() const {
        return std::holds_alternative<T>(mode.next());
    }
};

} // namespace

TEST_CASE("mcp mode: an acting call is followed by a screenshot, then by the next request") {
    ModeStage stage;
    REQUIRE(stage.next_is<agent::Ask>());
    CHECK(stage.mode.state().turn == 1);
    stage.reply("click");
    REQUIRE(stage.next_is<agent::Invoke>());
    stage.invoked(true, true);
    REQUIRE(stage.next_is<agent::Observe>());
    CHECK(std::get<agent::Observe>(stage.mode.next()).screenshot == 2);
    stage.observed();
    REQUIRE(stage.next_is<agent::Ask>());
    CHECK(stage.mode.state().turn == 2);
}

TEST_CASE("mcp mode: a call that only reads, or fails, needs no screenshot") {
    ModeStage stage;
    stage.reply("windows");
    stage.invoked(true, false);
    CHECK(stage.next_is<agent::Ask>());
    stage.reply("click");
    stage.invoked(false, false);
    CHECK(stage.next_is<agent::Ask>());
}

TEST_CASE("mcp mode: a stale target shows the new screen") {
    ModeStage stage;
    stage.reply("click");
    stage.invoked(false, false, true);
    CHECK(stage.next_is<agent::Observe>());
}

TEST_CASE("mcp mode: a failed screenshot does not end the session") {
    ModeStage stage;
    stage.reply("look");
    stage.invoked(true, false, true);
    stage.mode.apply(agent::ObserveFailed{"winio.capture_unavailable", "locked"});
    CHECK(stage.next_is<agent::Ask>());
}

TEST_CASE("mcp mode: look with since cuts the changed parts from the screenshot") {
    ModeStage stage;
    stage.reply("look");
    stage.invoked(true, false, true);
    stage.observed({{0, 0, 640, 480}});
    stage.reply("look", R"({"since":2})");
    stage.invoked(true, false, true);
    stage.observed({{64, 64, 32, 32}, {400, 300, 32, 32}});
    for (int part = 0; part < 2; ++part) {
        REQUIRE(stage.next_is<agent::Observe>());
        const auto zoom = std::get<agent::Observe>(stage.mode.next()).zoom;
        REQUIRE(zoom);
        CHECK(zoom->use == agent::ZoomUse::refine);
        agent::Observed fact;
        fact.zoomed = agent::Zoomed{{0, 0, 640, 480}, agent::ZoomUse::refine, {}};
        stage.mode.apply(fact);
    }
    CHECK(stage.next_is<agent::Ask>());
}

TEST_CASE("mcp mode: a reply without a call, a stop and a lost desktop end the run") {
    ModeStage stage;
    SECTION("the client has gone") {
        agent::Replied fact;
        fact.reply.text = "gone";
        stage.mode.apply(fact);
        CHECK(std::get<agent::Finish>(stage.mode.next()).outcome == agent::Outcome::completed);
    }
    SECTION("the user stops it") {
        stage.mode.apply(agent::Stopped{"stopped", false});
        CHECK(std::get<agent::Finish>(stage.mode.next()).outcome == agent::Outcome::cancelled);
    }
    SECTION("the desktop is lost") {
        stage.reply("click");
        agent::Invoked fact;
        fact.desktop_failure = "no display";
        stage.mode.apply(fact);
        CHECK(std::get<agent::Finish>(stage.mode.next()).outcome == agent::Outcome::desktop_failed);
    }
    CHECK(stage.mode.finished());
}

TEST_CASE("mcp: changes add up since each screenshot") {
    mcp::ChangeHistory history;
    const std::vector<winio::Rect> first{{0, 0, 10, 10}};
    const std::vector<winio::Rect> second{{300, 300, 10, 10}};
    history.add(1, {});
    history.add(2, first);
    history.add(3, second);
    CHECK(history.since(1)->size() == 2);
    CHECK(*history.since(2) == second);
    CHECK(history.since(3)->empty());
    CHECK_FALSE(history.since(4));
    for (int i = 4; i < 100; ++i) history.add(i, {});
    CHECK_FALSE(history.since(1));
}

TEST_CASE("mcp: rectangles that are close are joined") {
    CHECK(mcp::joined({{0, 0, 10, 10}, {20, 0, 10, 10}}, 8) ==
          std::vector<winio::Rect>{{0, 0, 30, 10}});
    CHECK(mcp::joined({{0, 0, 10, 10}, {100, 0, 10, 10}, {500, 0, 10, 10}}, 2).size() == 2);
    const std::vector<winio::Rect> large{{0, 0, 100, 100}};
    CHECK_FALSE(mcp::parts_to_show(large, {0, 0, 120, 120}));
    CHECK(mcp::parts_to_show(large, {500, 500, 120, 120})->empty());
}
