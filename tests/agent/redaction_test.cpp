// What screenshots do not show, in whole runs on a desktop in memory.
#include "virtual_run.hpp"

#include "eyehand/agent/agent.hpp"
#include "eyehand/winio/png.hpp"
#include "eyehand/winio/system.hpp"

#include "catch.hpp"
#include "thinking_model.hpp"

#include <array>
#include <span>
#include <stdexcept>

using namespace eyehand;
using namespace agent;
using test::ScriptedRun;

namespace {

constexpr winio::Color black{};
constexpr winio::Color white{255, 255, 255, 255};
constexpr winio::Rect place{100, 100, 50, 50};

winio::WindowInfo window(std::string title, std::uint32_t process_id) {
    winio::WindowInfo info;
    info.id = winio::WindowId{1};
    info.title = std::move(title);
    info.process = "program";
    info.process_id = process_id;
    info.bounds = info.opaque = place;
    return info;
}

/// A run on a white screen with one window.
struct RedactionStage {
    ScriptedRun run{{{.reply = test::ThinkingModel::called("observe_screen", "{}")}}};

    explicit RedactionStage(winio::WindowInfo shown) {
        run.desktop.screen().fill({0, 0, 251, 251}, white);
        run.desktop.set_windows({std::move(shown)});
    }
    /// The pixel of the first request's screenshot, which equals its file.
    winio::Color color_at(int x, int y) {
        CHECK(run.run().outcome == Outcome::completed);
        const auto seen = test::all_of<Observed>(run.events);
        REQUIRE_FALSE(seen.empty());
        const std::string bytes = run.store.bytes(seen[0].file);
        CHECK(seen[0].sha256 == test::image_of(run.requests.at(0)));
        const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
        return winio::decode_png(std::span(data, bytes.size())).at(x, y);
    }
    [[nodiscard]] std::vector<winio::Rect> redacted() const {
        return test::all_of<Observed>(run.events).at(0).redacted;
    }
};

} // namespace

TEST_CASE("redaction: a chosen window is black in the request and in the file") {
    RedactionStage stage(window("My vault", 5));
    stage.run.options.redaction.windows.push_back({.title = "vault"});
    CHECK(stage.color_at(120, 120) == black);
    CHECK(stage.redacted() == std::vector{place});
}

TEST_CASE("redaction: a chosen area is black") {
    RedactionStage stage(window("A window", 5));
    stage.run.options.redaction.areas.push_back({0, 0, 10, 10});
    CHECK(stage.color_at(9, 9) == black);
    CHECK(stage.redacted() == std::vector<winio::Rect>{{0, 0, 10, 10}});
}

TEST_CASE("redaction: other windows are shown") {
    RedactionStage stage(window("A window", 5));
    CHECK(stage.color_at(120, 120) == white);
    CHECK(stage.redacted().empty());
}

TEST_CASE("redaction: the agent's own windows are black, unless they are to be shown") {
    const auto own = winio::own_processes();
    REQUIRE_FALSE(own.empty());
    const std::array windows{window("A terminal", own.back()), window("A window", own.front()),
                             window("Waiting – Eyehand - Chromium", 5)};
    const auto shown = GENERATE_COPY(from_range(windows));
    const bool redact = GENERATE(true, false);
    RedactionStage stage(shown);
    stage.run.options.redact_own_windows = redact;
    CHECK(stage.color_at(120, 120) == (redact ? black : white));
}

TEST_CASE("redaction: changes below a redacted window are not recorded") {
    RedactionStage stage(window("My vault", 5));
    stage.run.options.redaction.windows.push_back({.title = "vault"});
    stage.run.desktop.on_capture = [&, shade = 0]() mutable {
        stage.run.desktop.screen().fill(place, {static_cast<std::uint8_t>(++shade), 0, 0});
    };
    CHECK(stage.color_at(120, 120) == black);
    const auto seen = test::all_of<Observed>(stage.run.events);
    REQUIRE(seen.size() == 2);
    CHECK(seen[1].still);
    CHECK(seen[1].changed.empty());
}

TEST_CASE("redaction: a window is black in the screenshot with and without annotation") {
    const auto click = test::ThinkingModel::called("click_element", R"({"label":"a","box":[9,9]})");
    const auto look = test::ThinkingModel::called("observe_screen", "{}");
    ScriptedRun run({{.reply = click}, {.reply = look}});
    run.profile.executed_heat.enabled = true;
    run.options.redaction.areas.push_back(place);
    run.desktop.screen().fill({0, 0, 251, 251}, white);
    CHECK(run.run().outcome == Outcome::completed);
    const Observed seen = test::all_of<Observed>(run.events).back();
    REQUIRE_FALSE(seen.raw_file.empty()); // with the mark of the click
    for (const std::string& file : {seen.file, seen.raw_file}) {
        const std::string bytes = run.store.bytes(file);
        const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
        const winio::Image image = winio::decode_png(std::span(data, bytes.size()));
        CHECK(image.at(120, 120) == black);
        CHECK(image.at(220, 220) == white);
    }
}

TEST_CASE("redaction: a change of a redacted window does not cancel a request") {
    const bool redacted = GENERATE(true, false);
    std::vector<test::Thought> thoughts(1);
    thoughts[0].time = std::chrono::milliseconds(5000);
    thoughts[0].reply.text = "Done.";
    test::ScriptedRun run(std::move(thoughts));
    run.options.watch = Watch::resend;
    if (redacted) run.options.redaction.areas.push_back(place);
    run.timeline.at(std::chrono::milliseconds(500), [&] {
        run.desktop.screen().fill(place, {10, 20, 30});
    });
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(test::all_of<Superseded>(run.events).size() == (redacted ? 0U : 1U));
}

TEST_CASE("redaction: the journal keeps what was redacted") {
    RedactionStage stage(window("My vault", 5));
    stage.run.options.redaction.areas.push_back({0, 0, 10, 10});
    (void)stage.color_at(0, 0);
    for (const Event& event : stage.run.events)
        if (std::holds_alternative<Observed>(event.payload))
            CHECK_THAT(event.line, ContainsSubstring(R"("redacted":[[0,0,10,10]])"));
}
