// Runs with models that state positions in other numbers than 0 to 1000: prompts, tools, results and
// annotations have the numbers of the model, and clicks land on the target.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/image_size.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "modes/call_words.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "unguarded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

using namespace eyehand;
using namespace agent;

namespace {

/// How a convention states the pixel (700, 210) of a screen with 1400x840 pixels.
struct Case {
    CoordinateConvention convention;
    std::string x;
    std::string y;
    std::string right_edge; ///< the largest x
    std::string image;      ///< the size of the screenshot
};

const std::array<Case, 8> cases{{
    {CoordinateConvention::norm1000, "500", "250", "1000", "1400x840"},
    {CoordinateConvention::norm999, "500", "250", "999", "1400x840"},
    {CoordinateConvention::norm1000_yx, "500", "250", "1000", "1400x840"},
    {CoordinateConvention::unit, "0.5", "0.25", "1", "1400x840"},
    {CoordinateConvention::percent, "50", "25", "100", "1400x840"},
    {CoordinateConvention::image_pixels, "700", "210", "1399", "1400x840"},
    {CoordinateConvention::model_pixels_28, "700", "210", "1399", "1400x840"},
    {CoordinateConvention::model_pixels_32, "688", "208", "1375", "1376x832"},
}};

std::string list(const Case& one) {
    return one.convention == CoordinateConvention::norm1000_yx
               ? fmt::format("[{}, {}]", one.y, one.x)
               : fmt::format("[{}, {}]", one.x, one.y);
}

struct ModelPositionsStage {
    winio::testing::MemoryDesktop desktop{winio::Size{1400, 840}};
    vlm::testing::ScriptedModel model;
    MemoryStore store;
    std::string boot{}; ///< empty: the profile's
    std::optional<Correction> correction{};

    RunFinished run(const std::string& name, CoordinateConvention convention) {
        Profile profile = load_profile(name);
        profile.coordinates = convention;
        profile.correction = correction;
        profile.image = winio::FitWithin{{1536, 864}}; // larger than the screen
        if (!boot.empty()) profile.settings<VisualLoopSettings>()->boot = boot;
        AgentOptions options = test::unguarded();
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        Agent agent(desktop, model, profile, built_in_tools(), options);
        return agent.run("click", store, RunControl());
    }
    /// Where the left button was pressed.
    [[nodiscard]] std::vector<winio::Point> clicks() const {
        std::vector<winio::Point> all;
        winio::Point at;
        for (const winio::InputEvent& event : desktop.events()) {
            if (const auto* move = std::get_if<winio::PointerMove>(&event)) at = move->to;
            if (event ==
                winio::InputEvent{winio::ButtonChange{winio::Button::left, winio::Press::down}})
                all.push_back(at);
        }
        return all;
    }
    /// All texts and tools of the requests.
    [[nodiscard]] std::string asked() const {
        std::string all;
        for (const vlm::ChatRequest& request : model.requests()) {
            for (const vlm::Message& message : request.messages) all += message.text() + '\n';
            for (const vlm::ToolSpec& tool : request.tools)
                all += tool.description + tool.parameters_json + '\n';
            if (request.response_format) all += request.response_format->schema_json;
        }
        return all;
    }
    [[nodiscard]] winio::Size screenshot() const {
        winio::Size size;
        for (const Event& event : read_journal(store))
            if (const auto* seen = std::get_if<Observed>(&event.payload)) size = seen->size;
        return size;
    }
};

void check(const ModelPositionsStage& stage, const Case& one) {
    CHECK(stage.clicks() == std::vector<winio::Point>{{700, 210}});
    const std::string asked = stage.asked();
    CHECK_THAT(asked, !ContainsSubstring("{{") && !ContainsSubstring("eyehand-"));
    CHECK_THAT(asked, ContainsSubstring(one.right_edge));
    if (one.right_edge != "1000") CHECK_THAT(asked, !ContainsSubstring("1000"));
}

ToolContext context_of(winio::Desktop& desktop) {
    return {desktop, winio::WorkArea({0, 0, 1400, 840}), {}};
}

} // namespace

TEST_CASE("positions: a conversation clicks on the target in each convention") {
    for (const Case& one : cases) {
        INFO(to_string(one.convention));
        ModelPositionsStage stage;
        stage.model.call("click_element", fmt::format(R"({{"label":"OK","box":{}}})", list(one)))
            .call("observe_screen", "{}")
            .say("Done.");
        REQUIRE(stage.run("observer", one.convention).outcome == Outcome::completed);
        check(stage, one);
        CHECK(winio::to_string(winio::ExactSize{stage.screenshot()}) == one.image + "!");
        // The result repeats the place in the numbers of the model.
        CHECK_THAT(stage.asked(), ContainsSubstring(fmt::format(R"("x":{},"y":{})", one.x, one.y)));
        CHECK_THAT(stage.asked(),
                   ContainsSubstring(one.convention == CoordinateConvention::norm1000_yx
                                         ? "[y1, x1, y2, x2]"
                                         : "[x1, y1, x2, y2]"));
    }
}

TEST_CASE("positions: arguments named x and y") {
    for (const Case& one : cases) {
        INFO(to_string(one.convention));
        ModelPositionsStage stage;
        stage.model.call("take_screenshot", "{}")
            .call("move_mouse", fmt::format(R"({{"x":{},"y":"{}"}})", one.x, one.y))
            .call("click_mouse", "{}")
            .say("Done.");
        REQUIRE(stage.run("basic", one.convention).outcome == Outcome::completed);
        check(stage, one);
        CHECK_THAT(stage.asked(),
                   ContainsSubstring(R"("type":"number","minimum":0,"maximum":)" + one.right_edge));
    }
}

TEST_CASE("positions: the memory of a team has the numbers of the model") {
    const std::string brief = R"({"operator_instructions":"Click OK.","rationale":"It is next."})";
    const std::string evidence = std::string(100, 'x') + " is what the screen shows now.";
    for (const Case& one : cases) {
        INFO(to_string(one.convention));
        ModelPositionsStage stage;
        stage.model.call("spawn_operator", brief, "1. click OK")
            .call(
                "click_element",
                fmt::format(R"({{"justification":"asked","label":"OK","position":{}}})", list(one)),
                "OBJ: click OK")
            .call("report_progress",
                  R"({"objective_id":"click OK","status":"DONE","evidence":"the dialog is gone"})")
            .call("spawn_operator", brief, "2. check")
            .call("spawn_operator", brief, "2. check")
            .call("report_completion", R"({"evidence":")" + evidence + R"("})")
            .call("report_completion", R"({"evidence":")" + evidence + R"("})");
        REQUIRE(stage.run("commander", one.convention).outcome == Outcome::completed);
        check(stage, one);
        const std::string place = one.convention == CoordinateConvention::norm1000_yx
                                      ? fmt::format("y {},x {}", one.y, one.x)
                                      : fmt::format("{},{}", one.x, one.y);
        CHECK_THAT(stage.asked(),
                   ContainsSubstring(fmt::format("click_element \"OK\" at ({})", place)));
    }
}

TEST_CASE("positions: the memory of a team has pixels above 1000, and the center of a box") {
    const std::vector<ArgumentInfo> arguments =
        *desktop_tools().present(load_profile("observer").tools).arguments("click_element");
    const auto words = [&](CoordinateConvention convention, const std::string& box) {
        const CoordinateConverter numbers(convention, {1400, 840});
        return call_in_words({"id", "click_element", R"({"label":"OK","box":)" + box + "}", {}},
                             &arguments, &numbers)
            .call;
    };
    using enum CoordinateConvention;
    CHECK(words(image_pixels, "[1300,700]") == "click_element \"OK\" at (1300,700)");
    CHECK(words(image_pixels, "[1200,600,1301,800]") == "click_element \"OK\" at (1251,700)");
    CHECK(words(norm1000_yx, "[200,600,300,800]") == "click_element \"OK\" at (y 250,x 700)");
    CHECK(words(unit, "[0.2,0.6,0.3,0.8]") == "click_element \"OK\" at (0.25,0.7)");
}

TEST_CASE("positions: the words on a loop have the numbers of the model") {
    for (const Case& one : cases) {
        INFO(to_string(one.convention));
        ModelPositionsStage stage;
        for (int i = 0; i < 3; ++i)
            stage.model
                .call("click_element", fmt::format(R"({{"label":"OK","box":{}}})", list(one)))
                .call("observe_screen", "{}");
        stage.model.say("Done.");
        REQUIRE(stage.run("observer", one.convention).outcome == Outcome::completed);
        // The place of the click, whose last digits are those of its pixel.
        const bool y_first = one.convention == CoordinateConvention::norm1000_yx;
        CHECK_THAT(stage.asked(),
                   ContainsSubstring("You were in a loop (click [" + (y_first ? one.y : one.x)));
    }
}

TEST_CASE("positions: labels of annotations") {
    using enum CoordinateConvention;
    CHECK(CoordinateConverter(image_pixels, {1400, 840}).label(winio::NormPoint{500, 250}) ==
          "700,210");
    CHECK(CoordinateConverter(norm1000_yx, {1400, 840}).label(winio::NormPoint{500, 250}) ==
          "y 250,x 500");
    CHECK(CoordinateConverter(unit, {1400, 840}).label(ModelPoint{0.25, 1.0 / 3}) == "0.25,0.3333");
}

TEST_CASE("positions: a profile whose texts say 1000 keeps 0 to 1000") {
    const auto resolved = [](const auto& change) {
        Profile profile = load_profile("observer");
        profile.model = "qwen2.5-vl-7b-instruct";
        change(profile);
        const CoordinateChoice choice = resolve_coordinates(profile, {1920, 1080});
        return fmt::format("{}: {}", to_string(choice.convention), choice.reason);
    };
    CHECK(resolved([](Profile&) {}) == "model_pixels:28: the family Qwen2.5-VL");
    CHECK(resolved([](Profile& it) { it.system_prompt = "x is 0 to 1000."; }) ==
          "norm1000: the prompts");
    CHECK(resolved([](Profile& it) { it.tools[1].arguments->at(1).description = "0..1000"; }) ==
          "norm1000: the prompts");
    CHECK(resolved([](Profile& it) { it.system_prompt = "Wait 10000 ms, or 21000."; }) ==
          "model_pixels:28: the family Qwen2.5-VL");
    CHECK(resolved([](Profile& it) {
              it.system_prompt = "x is 0 to 1000.";
              it.coordinates = CoordinateConvention::percent;
          }) == "percent: the profile");
}

TEST_CASE("positions: the first reply of a visual loop, written with placeholders") {
    for (const Case& one : cases) {
        INFO(to_string(one.convention));
        ModelPositionsStage stage;
        stage.boot = R"({"observation":"I begin.","bboxes":[],"actions":[{"name":"click",)"
                     R"("x1":{{x:500}},"y1":{{y:250}}}]})";
        stage.model.say(R"({"observation":"Done.","bboxes":[],"actions":[],"done":true})");
        REQUIRE(stage.run("story", one.convention).outcome == Outcome::completed);
        check(stage, one);
    }
}

TEST_CASE("positions: the visual loop, whose members are named") {
    for (const Case& one : cases) {
        INFO(to_string(one.convention));
        ModelPositionsStage stage;
        stage.model
            .say(fmt::format(R"({{"observation":"I click.","bboxes":[{{"x1":0,"y1":0,"x2":{},)"
                             R"("y2":{}}}],"actions":[{{"name":"click","x1":{},"y1":{}}}]}})",
                             one.x, one.y, one.x, one.y))
            .say(R"({"observation":"Done.","bboxes":[],"actions":[],"done":true})");
        REQUIRE(stage.run("story", one.convention).outcome == Outcome::completed);
        check(stage, one);
        const bool fractions = one.convention == CoordinateConvention::unit ||
                               one.convention == CoordinateConvention::percent;
        CHECK_THAT(stage.asked(), ContainsSubstring(fractions ? R"("x1":{"type":"number"})"
                                                              : R"("x1":{"type":"integer"})"));
    }
}

TEST_CASE("positions: a list of three numbers is described in the numbers of the model") {
    ModelPositionsStage stage;
    stage.model.call("click_element", R"({"label":"OK","box":[1,2,3]})").say("Done.");
    REQUIRE(stage.run("observer", CoordinateConvention::norm1000_yx).outcome == Outcome::completed);
    CHECK(stage.clicks().empty());
    CHECK_THAT(stage.asked(), ContainsSubstring("it must be [y, x] or [y1, x1, y2, x2] with "
                                                "numbers 0 to 1000, not [1,2,3]"));
}

TEST_CASE("positions: structs, lists and maps of custom tools, and schemas with a format") {
    struct Places {
        std::vector<winio::NormPoint> path;
        std::map<std::string, winio::NormBox> boxes;
    };
    Toolbox tools;
    Places received;
    std::string whole;
    tools.add<Places>(
        "draw", "Draws in {{range}}.",
        {arg("path", &Places::path, "points: {{point}}"), arg("boxes", &Places::boxes, "boxes")},
        [&](const Places& args, ToolContext&) {
            received = args;
            return ok();
        });
    tools.add("tap", "Taps.",
              R"({"type":"object","properties":{"at":{"type":"array","format":"eyehand-point"}}})",
              [&](JsonView args, ToolContext&) {
                  whole = args.text();
                  return ok();
              });
    tools.use_coordinates(CoordinateConverter(CoordinateConvention::image_pixels, {101, 201}));
    const auto specs = tools.specs();
    CHECK(specs[0].description == "Draws in x from 0 to 100, y from 0 to 200.");
    CHECK_THAT(specs[0].parameters_json, ContainsSubstring("points: [x, y]"));
    CHECK(specs[1].parameters_json == R"({"type":"object","properties":{"at":{"type":"array"}}})");

    winio::testing::MemoryDesktop desktop({1400, 840});
    ToolContext context = context_of(desktop);
    const auto call = [&](const std::string& name, const std::string& arguments) {
        return tools.call({"id", name, arguments, {}}, context).json();
    };
    CHECK(call("draw", R"({"path":[[0,0],"[50,100]"],"boxes":{"a":[100,200,10,20]}})") ==
          R"({"ok":true})");
    CHECK(received.path == std::vector<winio::NormPoint>{{0, 0}, {500, 500}});
    CHECK(received.boxes.at("a") == winio::NormBox{100, 100, 1000, 1000});
    CHECK_THAT(call("draw", R"({"path":[[0,0],7],"boxes":{}})"),
               ContainsSubstring("\\\"path[1]\\\": it must be [x, y]"));
    CHECK(call("tap", R"({"at":[50,100]})") == R"({"ok":true})");
    const auto at = parse_json(whole);
    REQUIRE(at);
    CHECK(at->at("at").at(0).to_number<double>() == 500);
    CHECK_THAT(call("tap", R"({"at":"there"})"), ContainsSubstring("\\\"at\\\": it must be"));
    CHECK(context.coordinates == nullptr); // only during a call
}

TEST_CASE("positions: without coordinates, schemas have no formats and placeholders 0 to 1000") {
    const Toolbox tools = desktop_tools();
    for (const vlm::ToolSpec& tool : tools.specs()) {
        INFO(tool.name);
        CHECK_THAT(tool.parameters_json, !ContainsSubstring("eyehand-") &&
                                             !ContainsSubstring("{{") &&
                                             !ContainsSubstring("\"format\""));
        if (tool.name == "click")
            CHECK_THAT(tool.parameters_json,
                       ContainsSubstring("where it is: [x, y] or [x1, y1, x2, y2], 0 to 1000"));
        if (tool.name == "move")
            CHECK_THAT(tool.parameters_json, ContainsSubstring(R"("minimum":0,"maximum":1000})"));
    }
}

TEST_CASE("positions: placeholders") {
    const CoordinateConverter pixels(CoordinateConvention::image_pixels, {1280, 720});
    CHECK(
        pixels.filled_in("{{point}} {{box}}, {{range}}, {{unit}}") ==
        "[x, y] [x1, y1, x2, y2], x from 0 to 1279, y from 0 to 719, in pixels of the screenshot");
    CHECK(pixels.filled_in("{{x:500}} {{y:1000}} {{point:0,500}}") == "640 719 [0, 360]");
    const CoordinateConverter y_first(CoordinateConvention::norm1000_yx, {1280, 720});
    CHECK(y_first.filled_in("{{point}} {{box}} {{point:1000,0}} {{range}}") ==
          "[y, x] [y1, x1, y2, x2] [0, 1000] 0 to 1000");
    const CoordinateConverter unit(CoordinateConvention::unit, {1280, 720});
    CHECK(unit.filled_in("{{range}} {{point:500,250}} {{unit}}") ==
          "0 to 1 [0.5, 0.25] as fractions of the screenshot");
    // Others stay, also unfinished ones.
    for (const char* text : {"{{task}}", "{{x}}", "{{x:1001}}", "{{x:-1}}", "{{point:1}}",
                             "{{x:1,2}}", "{{x:nan}}", "{{point:1,2", "{{", "}}", "{{{x:0}}}", ""})
        CHECK(unit.filled_in(text) == text);
}

TEST_CASE("positions: the family of the model chooses the convention and the size of screenshots") {
    const auto resolved = [](const std::string& model, const std::string& image,
                             std::optional<CoordinateConvention> given = {}) {
        Profile profile;
        profile.model = model;
        profile.image = *winio::parse_image_size(image);
        profile.coordinates = given;
        const CoordinateChoice choice = resolve_coordinates(profile, {1920, 1080});
        CHECK(choice.convention == profile.coordinates);
        return fmt::format("{} {} {}", to_string(choice.convention),
                           winio::to_string(profile.image), choice.reason);
    };
    CHECK(resolved("qwen/qwen3-vl-8b", "1536x864") == "norm1000 1536x864 the family Qwen3-VL");
    CHECK(resolved("unknown", "60%") == "norm1000 60% default");
    CHECK(resolved("qwen2.5-vl-7b-instruct", "1536x864") ==
          "model_pixels:28 1512x840! the family Qwen2.5-VL");
    CHECK(resolved("qwen2.5-vl-7b-instruct", "1000x600!") ==
          "model_pixels:28 1000x600! the family Qwen2.5-VL");
    CHECK(resolved("gemini-2.5-flash", "1536x864") == "norm1000_yx 1536x864 the family Gemini");
    CHECK(resolved("allenai/MolmoPoint-8B", "1536x864") == "norm1000 1536x864 default");
    CHECK(resolved("qwen/qwen3-vl-8b", "50%", CoordinateConvention::image_pixels) ==
          "image_pixels 960x540! the profile");
    CHECK(resolved("unknown", "1536x864", CoordinateConvention::model_pixels_32) ==
          "model_pixels:32 1536x864! the profile");
}

TEST_CASE("positions: a measured convention comes after the profile's, and before the family's") {
    const auto resolved = [](const auto& change) {
        Profile profile = load_profile("observer");
        profile.model = "qwen2.5-vl-7b-instruct";
        change(profile);
        const MeasuredPositions measured{CoordinateConvention::percent, Correction{1, 20, 1, 0}};
        const CoordinateChoice choice = resolve_coordinates(profile, {1920, 1080}, measured);
        return fmt::format("{}: {}, x {:+}", to_string(choice.convention), choice.reason,
                           profile.correction.value_or(Correction{}).offset_x);
    };
    CHECK(resolved([](Profile&) {}) == "percent: the calibration, x +20");
    CHECK(resolved([](Profile& it) { it.coordinates = CoordinateConvention::unit; }) ==
          "unit: the profile, x +0");
    CHECK(resolved([](Profile& it) { it.coordinates = CoordinateConvention::percent; }) ==
          "percent: the profile, x +20");
    CHECK(resolved([](Profile& it) { it.system_prompt = "x is 0 to 1000."; }) ==
          "norm1000: the prompts, x +0");
    CHECK(resolved([](Profile& it) {
              it.correction = Correction{1, 3, 1, 0};
          }) == "percent: the calibration, x +3");
}

TEST_CASE("positions: clicks of a model with a systematic error reach the target") {
    for (const CoordinateConvention convention :
         {CoordinateConvention::norm1000, CoordinateConvention::image_pixels}) {
        INFO(to_string(convention));
        ModelPositionsStage stage;
        stage.correction = Correction{1, -20, 1, 10};
        const bool pixels = convention == CoordinateConvention::image_pixels;
        stage.model
            .call("click_element", pixels ? R"({"label":"it","box":[728,201.6]})"
                                          : R"({"label":"it","box":[520,240]})")
            .say("Done.");
        REQUIRE(stage.run("observer", convention).outcome == Outcome::completed);
        CHECK(stage.clicks() == std::vector<winio::Point>{{700, 210}});
        const Profile kept = load_run(stage.store).summary.profile;
        CHECK(kept.correction == stage.correction);
    }
}

TEST_CASE("positions: a profile names its convention, and a run keeps it") {
    Profile profile = load_profile("observer");
    CHECK(profile.coordinates == std::nullopt);
    CHECK_THAT(to_json(profile), ContainsSubstring(R"("coordinates":"auto")"));
    CHECK(profile_from_json(to_json(profile), "again").coordinates == std::nullopt);
    profile.coordinates = CoordinateConvention::model_pixels_28;
    CHECK(profile_from_json(to_json(profile), "again").coordinates == profile.coordinates);
    // Runs of versions without the member.
    std::string old = to_json(profile);
    const std::string member = R"("coordinates":"model_pixels:28",)";
    REQUIRE(old.find(member) != std::string::npos);
    CHECK(profile_from_json(old.erase(old.find(member), member.size()), "old").coordinates ==
          CoordinateConvention::norm1000);
    try {
        std::string wrong = to_json(profile);
        (void)profile_from_json(wrong.replace(wrong.find("model_pixels:28"), 15, "pixels"), "it");
        FAIL("accepted");
    } catch (const Error& error) {
        CHECK_THAT(error.what(), ContainsSubstring("allowed values: auto, norm1000"));
    }
}

TEST_CASE("positions: an unknown placeholder of a position is a mistake in a profile") {
    auto files = profile_files("observer");
    files.at("system.txt") += "\n{{x:2000}}";
    CHECK_THROWS_WITH(parse_profile(files, "mine"),
                      ContainsSubstring("unknown placeholder: {{x:2000}}"));
}

// ---- servers that shrink screenshots ------------------------------------------------------------

namespace {

/// The notes "images" of a run in which the server counts these prompt tokens for its requests.
std::vector<std::string> notes_on_images(const std::string& model_id,
                                         const std::vector<int>& prompt_tokens,
                                         Refine refine = Refine::off) {
    winio::testing::MemoryDesktop desktop({1400, 840});
    desktop.on_input = [&, x = 0](const winio::InputEvent&) mutable {
        desktop.screen().fill({x += 9, 100, 5, 5}, {.red = 255}); // each screenshot is another one
    };
    vlm::testing::ScriptedModel model;
    for (std::size_t i = 0; i < prompt_tokens.size(); ++i) {
        vlm::ChatReply reply;
        reply.usage.prompt_tokens = prompt_tokens[i];
        const std::string id = std::to_string(i);
        if (i + 1 == prompt_tokens.size())
            reply.text = "Done.";
        else if (i % 2 == 0)
            reply.tool_calls = {{id, "click_element", R"({"label":"OK","box":[5,5]})", {}}};
        else
            reply.tool_calls = {{id, "observe_screen", "{}", {}}};
        model.reply_with(reply);
        const bool clicks = i % 2 == 0 && i + 1 < prompt_tokens.size();
        if (!clicks || refine == Refine::off) continue;
        vlm::ChatReply refining = reply; // of a crop, in a conversation of its own
        refining.usage.prompt_tokens = 900;
        model.reply_with(refining);
    }
    Profile profile = load_profile("observer");
    profile.refine = refine;
    profile.model = model_id;
    AgentOptions options = test::unguarded();
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    Agent agent(desktop, model, profile, built_in_tools(), options);
    MemoryStore store;
    REQUIRE(agent.run("click", store, RunControl()).outcome == Outcome::completed);
    std::vector<std::string> notes;
    for (const Event& event : read_journal(store)) {
        if (const auto* note = std::get_if<Noted>(&event.payload); note && note->kind == "images")
            notes.push_back(note->text);
        if (const auto* seen = std::get_if<Observed>(&event.payload); seen && !seen->refines()) {
            CHECK(seen->size == winio::Size{1400, 840});
            CHECK(seen->model_size.has_value() == (model_id != "unknown"));
        }
    }
    return notes;
}

} // namespace

TEST_CASE("positions: a server that counts too few tokens for screenshots is noticed") {
    // 1400x840 has 50x30 tokens for Qwen2.5-VL.
    const std::string model = "qwen2.5-vl-7b-instruct";
    CHECK(notes_on_images(model, {3600, 3650, 5200, 5220}).empty());
    const auto first = notes_on_images(model, {1520, 1600, 1700, 1800});
    REQUIRE(first.size() == 1);
    CHECK_THAT(first[0], ContainsSubstring("tokens for screenshots that have 1500 for " + model));
    const auto second = notes_on_images(model, {3600, 3650, 4500, 4520});
    REQUIRE(second.size() == 1);
    CHECK_THAT(second[0], ContainsSubstring("at most 850 tokens for screenshots that have 1500"));
    // Fewer tokens than the texts have: the counts mean nothing.
    CHECK(notes_on_images(model, {300, 350, 370, 400}).empty());
    CHECK(notes_on_images("unknown", {10, 10, 10, 10}).empty());
}

TEST_CASE("positions: the tokens of a refining request are not those of the conversation") {
    const std::string model = "qwen2.5-vl-7b-instruct";
    CHECK(notes_on_images(model, {3600, 3650, 5200, 5220}, Refine::on).empty());
    const auto shrunk = notes_on_images(model, {3600, 3650, 4500, 4520}, Refine::on);
    REQUIRE(shrunk.size() == 1);
    CHECK_THAT(shrunk[0], ContainsSubstring("at most 850 tokens for screenshots that have 1500"));
}
