// The zoom tool: what its image shows, and where positions in it lead.
#include "coordinates/zoomed_view.hpp"
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run_view.hpp"
#include "modes/heated_mode.hpp"
#include "modes/zoom_words.hpp"

#include "catch.hpp"
#include "seeing_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

using namespace eyehand;
using namespace agent;
using Catch::Matchers::EndsWith;

using test::conventions;
using test::screen;
using test::SeeingModel;
using ZoomStage = test::SmallTargetStage;
using test::target;

// ---- the view -----------------------------------------------------------------------------------

TEST_CASE("zoom: a small region is enlarged by a whole factor, at most 4 times") {
    const winio::WorkArea area({0, 0, 2000, 1000});
    const auto view = [&](const winio::NormBox& box) {
        return zoomed_view(area, box, {1500, 750}, std::nullopt);
    };
    CHECK(view({0, 0, 1000, 1000}) == ZoomedView{{0, 0, 2000, 1000}, {1500, 750}});
    // 700x350 pixels fit twice.
    const ZoomedView twice = view({100, 100, 449.9, 449.9});
    CHECK(twice.image == winio::Size{twice.area.width * 2, twice.area.height * 2});
    CHECK(twice.area.origin() == area.to_pixel({100, 100}));
    const ZoomedView most = view({500, 500, 520, 520});
    CHECK(most.image == winio::Size{most.area.width * 4, most.area.height * 4});
}

TEST_CASE("zoom: a point is extended to a region within the work area") {
    const winio::WorkArea area({100, 50, 800, 600});
    for (const winio::NormPoint at :
         {winio::NormPoint{0, 0}, {1000, 1000}, {500, 500}, {1000, 0}}) {
        const ZoomedView view = zoomed_view(area, {at.x, at.y, at.x, at.y}, {800, 600}, {});
        CHECK(view.area.size() == winio::Size{32, 32});
        CHECK(winio::intersection(view.area, area.bounds()) == view.area);
        CHECK(view.area.contains(area.to_pixel(at)));
    }
}

TEST_CASE("zoom: for model pixels, the model's processor leaves the image unchanged") {
    const winio::WorkArea area({0, 0, 1920, 1080});
    for (const ImageProcessor& processor : {qwen2_5_processor, qwen3_processor}) {
        const winio::Size max = *stable_image_size(area.bounds().size(), {1536, 864}, processor);
        for (int size = 0; size <= 1000; size += 37)
            for (int at = 0; at <= 1000 - size; at += 131) {
                const double begin = at;
                const double end = begin + size;
                const ZoomedView view = zoomed_view(area, {begin, begin, end, end}, max, processor);
                INFO(size << " at " << at << ": " << view.area.width << "x" << view.area.height
                          << " as " << view.image.width << "x" << view.image.height);
                CHECK(winio::intersection(view.area, area.bounds()) == view.area);
                CHECK(view.image.width <= max.width);
                CHECK(view.image.height <= max.height);
                CHECK(model_image_size(view.image, processor) == view.image);
            }
    }
}

TEST_CASE("zoom: a long strip stays within what processors accept") {
    const winio::WorkArea area({0, 0, 7680, 2160});
    const ZoomedView view = zoomed_view(area, {0, 500, 1000, 500}, {1536, 432}, {});
    CHECK(view.area.width < view.area.height * 110);
    CHECK_NOTHROW(CoordinateConverter(CoordinateConvention::model_pixels_28, view.image));
}

TEST_CASE("zoom: every pixel of a region has its position in every convention") {
    const winio::WorkArea area({-300, 40, 1920, 1080});
    const std::array<winio::NormBox, 4> boxes{
        {{0, 0, 1000, 1000}, {100, 200, 300, 390}, {900, 900, 1000, 1000}, {500, 500, 500, 500}}};
    for (const CoordinateConvention convention : conventions) {
        const CoordinateConverter whole(convention, {1536, 864});
        const std::optional<ImageProcessor> processor =
            image_factor(convention) == 0
                ? std::nullopt
                : std::optional(image_factor(convention) == 28 ? qwen2_5_processor
                                                               : qwen3_processor);
        for (const winio::NormBox& box : boxes) {
            const ZoomedView view = zoomed_view(area, box, {1536, 864}, processor);
            const winio::WorkArea part(view.area);
            const CoordinateConverter numbers = whole.with_image(view.image);
            INFO(to_string(convention) << ' ' << view.area.width << 'x' << view.area.height);
            const winio::NormPoint step = numbers.step();
            const auto pixels = [](double norm, int side) {
                return std::floor(norm / 2 * (side - 1) / 1000 + 0.5);
            };
            int failed = 0;
            for (int x = 0; x < view.area.width; ++x) {
                const winio::Point pixel{view.area.x + x, view.area.y};
                const auto back =
                    part.to_pixel(numbers.to_norm(numbers.to_list(part.to_norm(pixel))));
                if (std::abs(back.x - pixel.x) > pixels(step.x, view.area.width)) ++failed;
            }
            for (int y = 0; y < view.area.height; ++y) {
                const winio::Point pixel{view.area.x, view.area.y + y};
                const auto back =
                    part.to_pixel(numbers.to_norm(numbers.to_list(part.to_norm(pixel))));
                if (std::abs(back.y - pixel.y) > pixels(step.y, view.area.height)) ++failed;
            }
            CHECK(failed == 0);
        }
    }
}

TEST_CASE("zoom: the middle of each enlarged pixel is that pixel") {
    const winio::WorkArea area({0, 0, 1400, 840});
    for (const double size : {20.0, 100.0, 240.0, 400.0}) {
        const ZoomedView view =
            zoomed_view(area, {100, 100, 100 + size, 100 + size}, {1400, 840}, {});
        const winio::WorkArea part(view.area);
        const CoordinateConverter numbers(CoordinateConvention::image_pixels, view.image);
        const int factor = view.image.width / view.area.width;
        for (int x = 0; x < view.area.width; ++x) {
            const ModelPoint middle{factor * x + (factor - 1) / 2.0, 0};
            CHECK(part.to_pixel(numbers.to_norm(middle)).x == view.area.x + x);
        }
    }
}

// ---- runs ---------------------------------------------------------------------------------------

TEST_CASE("zoom: a conversation clicks on the pixel that it sees, in each convention") {
    for (const CoordinateConvention convention : conventions) {
        INFO(to_string(convention));
        ZoomStage stage;
        stage.use(convention);
        stage.zoom().click();
        stage.model.call("observe_screen", "{}");
        stage.click();
        stage.model.say("Done.");
        REQUIRE(stage.run().outcome == Outcome::completed);

        const std::vector<Observed> looks = stage.looks();
        REQUIRE(looks.size() == 3);
        CHECK_FALSE(looks[0].zoomed);
        REQUIRE(looks[1].zoomed);
        CHECK(looks[1].zoomed->work_area == winio::Rect{0, 0, screen.width, screen.height});
        CHECK(looks[1].zoomed->use == ZoomUse::positions);
        CHECK(looks[1].size.width > looks[1].area.width); // enlarged
        CHECK(looks[1].size.width <= looks[0].size.width);
        CHECK_FALSE(looks[2].zoomed);

        // Positions refer to the zoomed image, and after the next screenshot to the whole screen again.
        REQUIRE(stage.clicks().size() == 2);
        const winio::Point center{target.x + 1, target.y + 1};
        CHECK(stage.clicks()[0] == center);
        CHECK(std::abs(stage.clicks()[1].x - center.x) <= 2);
        CHECK(std::abs(stage.clicks()[1].y - center.y) <= 2);

        const std::string words = stage.latest_words(1);
        CHECK_THAT(words, ContainsSubstring("only a part of the screen, enlarged"));
        CHECK_THAT(words, ContainsSubstring("positions refer to this image: "));
        CHECK_THAT(stage.latest_words(3), EndsWith("The current screen:"));
        // The result and the schema have the numbers of the model.
        CHECK_THAT(stage.model.requests()[0].tools.back().parameters_json,
                   ContainsSubstring(convention == CoordinateConvention::norm1000_yx
                                         ? "[y1, x1, y2, x2]"
                                         : "[x1, y1, x2, y2]"));
    }
}

TEST_CASE("zoom: the words state the part and the range of the model's numbers") {
    Observed seen;
    seen.size = {400, 200};
    seen.area = {100, 50, 200, 100};
    seen.zoomed = Zoomed{{0, 0, 1000, 500}};
    const CoordinateConverter pixels(CoordinateConvention::image_pixels, {1000, 500});
    CHECK(words_on_zoom(seen, pixels) ==
          "This image shows only a part of the screen, enlarged 2 times. In the screenshot of the "
          "whole screen, the part is [100, 50, 299, 149]. Until the next screenshot, positions "
          "refer to this image: x from 0 to 399, y from 0 to 199.");
    seen.zoomed->use = ZoomUse::look;
    CHECK_THAT(words_on_zoom(seen, pixels),
               EndsWith("Positions still refer to the screenshot of the whole screen."));
    seen.zoomed.reset();
    CHECK(words_on_zoom(seen, pixels).empty());
}

TEST_CASE("zoom: a region of a zoomed image is a part of that part") {
    ZoomStage stage;
    stage.zoom(200).zoom(120).click();
    stage.model.say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const std::vector<Observed> looks = stage.looks();
    REQUIRE(looks.size() == 3);
    CHECK(winio::intersection(looks[1].area, looks[2].area) == looks[2].area);
    CHECK(looks[2].area.width < looks[1].area.width);
    CHECK(stage.clicks() == std::vector<winio::Point>{{target.x + 1, target.y + 1}});
}

TEST_CASE("zoom: an action in the zoomed image is recorded in the numbers of the work area") {
    ZoomStage stage;
    stage.profile.executed_heat.enabled = true;
    stage.zoom().click().zoom();
    stage.model.say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const winio::WorkArea area({0, 0, screen.width, screen.height});
    for (const Event& event : read_journal(stage.store)) {
        if (const auto* fact = std::get_if<Invoked>(&event.payload); fact && fact->action.acts) {
            REQUIRE(fact->action.points.size() == 1);
            CHECK(area.to_pixel(fact->action.points.front()) ==
                  winio::Point{target.x + 1, target.y + 1});
        }
        // The heat of the click would cover the target.
        if (const auto* look = std::get_if<Observe>(&event.payload); look && look->zoom)
            CHECK_FALSE(look->annotation);
    }
}

TEST_CASE("zoom: a click where the pointer is reaches the whole screen") {
    ZoomStage stage;
    stage.profile = load_profile("basic");
    stage.model.call("move_mouse", R"({"x":10,"y":10})")
        .call("zoom", R"({"region":[500,500,600,600]})")
        .call("click_mouse", "{}")
        .say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK(stage.clicks() == std::vector<winio::Point>{{14, 8}});
    // The place is not in the numbers of the zoomed image.
    const std::string result = stage.model.requests().back().messages.back().text();
    CHECK_THAT(result, ContainsSubstring("Clicked") && !ContainsSubstring("\"x\""));
}

TEST_CASE("zoom: the other calls of a reply refer to what the model saw before") {
    ZoomStage stage;
    stage.profile.several_calls = SeveralCalls::all;
    stage.profile.look_between_calls = true;
    stage.model.answer([&](const vlm::ChatRequest&) {
        vlm::ChatReply reply;
        reply.tool_calls = {{"a", "zoom", R"({"region":[0,0,100,100]})", {}},
                            {"b", "click_element", R"({"label":"dot","box":[500,500]})", {}}};
        return reply;
    });
    stage.model.say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK(stage.clicks() == std::vector<winio::Point>{{700, 420}});
    CHECK_FALSE(stage.looks().back().zoomed);
}

TEST_CASE("zoom: a screenshot between the calls of a reply keeps the zoomed reference") {
    ZoomStage stage;
    stage.profile.several_calls = SeveralCalls::all;
    stage.profile.look_between_calls = true;
    stage.zoom();
    stage.model.answer([&](const vlm::ChatRequest& request) {
        const winio::Image image = SeeingModel::latest_image(request);
        const ModelPoint at = SeeingModel::find(image);
        const std::string box = stage.eyes.list(at.x, at.y, image.size());
        vlm::ChatReply reply;
        for (const char* id : {"a", "b"})
            reply.tool_calls.push_back(
                {id, "click_element", fmt::format(R"({{"label":"dot","box":{}}})", box), {}});
        return reply;
    });
    stage.model.say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const winio::Point center{target.x + 1, target.y + 1};
    CHECK(stage.clicks() == std::vector<winio::Point>{center, center});
}

TEST_CASE("zoom: a worker of a team clicks on what it sees in the zoomed image") {
    ZoomStage stage;
    stage.profile = load_profile("commander");
    stage.profile.image = winio::FitWithin{{700, 420}};
    const std::string brief = R"({"operator_instructions":"Click it.","rationale":"It is next."})";
    const std::string evidence = std::string(100, 'x') + " is what the screen shows now.";
    stage.model.call("spawn_operator", brief, "1. click it");
    stage.zoom();
    stage.model.answer([&](const vlm::ChatRequest& request) {
        const winio::Image image = SeeingModel::latest_image(request);
        const ModelPoint at = SeeingModel::find(image);
        vlm::ChatReply reply =
            stage.call("click_element",
                       fmt::format(R"({{"justification":"asked","label":"it","position":{}}})",
                                   stage.eyes.list(at.x, at.y, image.size())));
        reply.text = "OBJ: click it";
        return reply;
    });
    stage.model
        .call("report_progress",
              R"({"objective_id":"click it","status":"DONE","evidence":"the dialog is gone"})")
        .call("spawn_operator", brief, "2. check")
        .call("spawn_operator", brief, "2. check")
        .call("report_completion", R"({"evidence":")" + evidence + R"("})")
        .call("report_completion", R"({"evidence":")" + evidence + R"("})");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK(stage.clicks() == std::vector<winio::Point>{{target.x + 1, target.y + 1}});
    CHECK_THAT(stage.latest_words(2),
               ContainsSubstring("SCREENSHOT\nThis image shows only a part"));
    CHECK_THAT(stage.latest_words(3), !ContainsSubstring("SCREENSHOT\n"));
}

TEST_CASE("zoom: a target that changes after the zoom is noticed") {
    ZoomStage stage;
    std::atomic<bool> changes = false;
    stage.desktop.on_capture = [&] {
        if (changes) stage.desktop.screen().fill({850, 380, 120, 90}, {.blue = 255});
    };
    stage.zoom();
    stage.model.answer([&](const vlm::ChatRequest& request) {
        const winio::Image image = SeeingModel::latest_image(request);
        const ModelPoint at = SeeingModel::find(image);
        changes = true; // while the model thinks
        return stage.call("click_element", fmt::format(R"({{"label":"dot","box":{}}})",
                                                       stage.eyes.list(at.x, at.y, image.size())));
    });
    stage.model.say("Done.");
    stage.options.watch = Watch::check;
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK(stage.clicks().empty());
    const auto& messages = stage.model.requests().back().messages;
    CHECK(std::any_of(messages.begin(), messages.end(), [](const vlm::Message& message) {
        return message.text().find("stale_target") != std::string::npos;
    }));
}

TEST_CASE("zoom: a resumed run keeps the reference of the zoomed image") {
    ZoomStage stage;
    stage.options.watch = Watch::off; // otherwise, it looks again before it acts
    stage.zoom();
    stage.model.fail(vlm::Error(vlm::errc::timeout, "no answer"));
    CHECK(stage.run().outcome == Outcome::endpoint_failed);
    stage.click();
    stage.model.say("Done.");
    Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
    CHECK(agent.resume(stage.store, RunControl()).outcome == Outcome::completed);
    CHECK(stage.clicks() == std::vector<winio::Point>{{target.x + 1, target.y + 1}});
}

// ---- dialects -----------------------------------------------------------------------------------

TEST_CASE("zoom: positions of claude_computer stay in the whole screenshot") {
    ZoomStage stage;
    stage.use(CoordinateConvention::image_pixels);
    stage.profile.dialect = Dialect::claude_computer;
    stage.model.answer([&](const vlm::ChatRequest& request) {
        const winio::Image image = SeeingModel::latest_image(request);
        return stage.call("computer", fmt::format(R"({{"action":"zoom","region":{}}})",
                                                  stage.eyes.box(SeeingModel::find(image), 50, 30,
                                                                 image.size())));
    });
    // The pixel of the whole screenshot, which is half as large as the screen.
    stage.model.call("computer", R"({"action":"left_click","coordinate":[452,209]})").say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const std::vector<Observed> looks = stage.looks();
    REQUIRE(looks.size() == 3);
    REQUIRE(looks[1].zoomed);
    CHECK(looks[1].zoomed->use == ZoomUse::look);
    REQUIRE(stage.clicks().size() == 1);
    CHECK(target.contains(stage.clicks()[0]));
    CHECK_THAT(stage.latest_words(1),
               ContainsSubstring("Positions still refer to the screenshot of the whole screen."));
    // The action is in the function, and there is no second tool.
    const vlm::ChatRequest& first = stage.model.requests()[0];
    REQUIRE(!first.tools.empty());
    CHECK_THAT(first.tools[0].parameters_json,
               ContainsSubstring("\"zoom\"") && ContainsSubstring("\"region\""));
    for (const vlm::ToolSpec& tool : first.tools) CHECK(tool.name != "zoom");
    CHECK_THAT(first.messages[0].text(), ContainsSubstring("zoom: shows region"));
}

TEST_CASE("zoom: claude_computer is told if zoom is not offered") {
    ZoomStage stage;
    stage.options.with.clear();
    stage.profile.dialect = Dialect::claude_computer;
    stage.model.call("computer", R"({"action":"zoom","region":[1,2,30,40]})").say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK_THAT(stage.model.requests()[0].tools[0].parameters_json, !ContainsSubstring("zoom"));
    const auto& messages = stage.model.requests().back().messages;
    CHECK(std::any_of(messages.begin(), messages.end(), [](const vlm::Message& message) {
        return message.text().find("take a screenshot") != std::string::npos;
    }));
}

TEST_CASE("zoom: in the other dialects, positions refer to the zoomed image") {
    struct Case {
        Dialect dialect;
        const char* click; ///< P: x and y
    };
    const std::array cases{
        Case{Dialect::qwen_computer_use, R"({"action":"left_click","coordinate":[P]})"},
        Case{Dialect::openai_computer,
             R"({"actions":[{"type":"click","x":X,"y":Y,"button":"left"}]})"},
        Case{Dialect::ui_tars, "Thought: I see it.\nAction: click(start_box='(P)')"},
        Case{Dialect::glm, "I see it.\n<|begin_of_box|>left_click(start_box='[P]')<|end_of_box|>"},
        Case{Dialect::pyautogui, "I see it.\n```python\npyautogui.click(x=X, y=Y)\n```"}};
    const auto replaced = [](std::string text, const std::string& what, const std::string& by) {
        if (const auto at = text.find(what); at != std::string::npos)
            text.replace(at, what.size(), by);
        return text;
    };
    for (const Case& one : cases) {
        INFO(to_string(one.dialect));
        ZoomStage stage;
        stage.profile.dialect = one.dialect;
        const std::string function(function_of(one.dialect));
        stage.model.answer([&](const vlm::ChatRequest& request) {
            const winio::Image image = SeeingModel::latest_image(request);
            const std::string box = stage.eyes.box(SeeingModel::find(image), 60, 30, image.size());
            if (!states_text(one.dialect))
                return stage.call("zoom", fmt::format(R"({{"region":{}}})", box));
            vlm::ChatReply reply;
            reply.finish = vlm::FinishReason::stop;
            const std::string quote = one.dialect == Dialect::pyautogui ? "" : "'";
            const std::string call = "zoom(region=" + quote + box + quote + ")";
            if (one.dialect == Dialect::ui_tars)
                reply.text = "Thought: It is small.\nAction: " + call;
            else if (one.dialect == Dialect::glm)
                reply.text = "It is small.\n<|begin_of_box|>" + call + "<|end_of_box|>";
            else
                reply.text = "It is small.\n```python\n" + call + "\n```";
            return reply;
        });
        stage.model.answer([&](const vlm::ChatRequest& request) {
            const winio::Image image = SeeingModel::latest_image(request);
            const ModelPoint at = SeeingModel::find(image);
            const std::string list = stage.eyes.list(at.x, at.y, image.size());
            const std::string inner = list.substr(1, list.size() - 2);
            const std::size_t comma = inner.find(',');
            std::string text = replaced(one.click, "P", inner);
            text = replaced(text, "X", inner.substr(0, comma));
            text = replaced(text, "Y", inner.substr(comma + 1));
            if (!states_text(one.dialect)) return stage.call(function, text);
            vlm::ChatReply reply;
            reply.finish = vlm::FinishReason::stop;
            reply.text = text;
            return reply;
        });
        stage.model.say(one.dialect == Dialect::ui_tars ? "Action: finished(content='It is done.')"
                        : one.dialect == Dialect::glm
                            ? "It is done.\n<|begin_of_box|>DONE()<|end_of_box|>"
                        : one.dialect == Dialect::pyautogui
                            ? "```python\ncomputer.terminate(status='success', answer='Done.')\n```"
                            : "Done.");
        REQUIRE(stage.run().outcome == Outcome::completed);
        REQUIRE(stage.looks().size() == 3);
        REQUIRE(stage.looks()[1].zoomed);
        CHECK(stage.looks()[1].zoomed->use == ZoomUse::positions);
        CHECK(stage.clicks() == std::vector<winio::Point>{{target.x + 1, target.y + 1}});
    }
}
