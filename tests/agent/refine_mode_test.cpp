// Refined positions: which clicks are refined, what the model is asked, and where the click lands.
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/vlm/error.hpp"
#include "run/element_size.hpp"

#include "catch.hpp"
#include "seeing_model.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace eyehand;
using namespace agent;
using test::conventions;
using test::SeeingModel;
using test::target;
using RefineModeStage = test::SmallTargetStage;

namespace {

// ---- a mode without a world ---------------------------------------------------------------------

constexpr winio::Rect screen{0, 0, 1001, 1001};

/// A conversation that has seen the screen; positions of the model are pixels.
class Table {
public:
    explicit Table(Refine refine = Refine::on, std::optional<Zoomed> zoomed = {})
        : profile_(profile(refine)), tools_(tools_by_role(built_in_tools(), profile_, options())),
          mode_(make_mode({profile_, "click", tools_, {}})) {
        Observed seen;
        seen.sha256 = "whole";
        seen.file = "screenshots/turn_0001.png";
        seen.size = screen.size();
        seen.area = screen;
        seen.zoomed = zoomed;
        apply(seen);
    }
    void apply(const Fact& fact) {
        mode_->apply(fact);
        facts_.push_back(fact);
    }
    void reply(const std::string& name, const std::string& arguments) {
        vlm::ChatReply reply;
        reply.tool_calls = {{fmt::format("c{}", facts_.size()), name, arguments, {}}};
        apply(Replied{reply, false});
    }
    void click(const std::string& box) {
        reply("click_element", R"({"label":"OK","box":)" + box + "}");
    }
    /// The crop that was ordered.
    void crop(std::optional<winio::Size> element = {}) {
        const auto look = std::get<Observe>(mode_->next());
        Observed seen;
        seen.sha256 = "crop";
        seen.file = "screenshots/turn_0001_2.png";
        const winio::WorkArea area(screen);
        const winio::Point first = area.to_pixel({look.zoom->region.x1, look.zoom->region.y1});
        const winio::Point last = area.to_pixel({look.zoom->region.x2, look.zoom->region.y2});
        seen.area = {first.x, first.y, last.x - first.x + 1, last.y - first.y + 1};
        seen.size = {seen.area.width * 2, seen.area.height * 2};
        seen.zoomed = Zoomed{screen, ZoomUse::refine, element};
        apply(seen);
    }
    [[nodiscard]] Command next() const { return mode_->next(); }
    /// "observe", "observe crop", "ask", "ask to refine", "invoke ARGUMENTS" or "finish".
    [[nodiscard]] std::string words() const {
        const Command command = mode_->next();
        if (const auto* look = std::get_if<Observe>(&command))
            return look->zoom ? "observe crop" : "observe";
        if (const auto* ask = std::get_if<Ask>(&command))
            return ask->refines ? "ask to refine" : "ask";
        if (const auto* invoke = std::get_if<Invoke>(&command))
            return "invoke " + invoke->call.arguments_json;
        return "finish";
    }
    [[nodiscard]] std::string notes() {
        std::string all;
        for (const Noted& note : mode_->take_notes()) all += note.kind + ": " + note.text + "\n";
        return all;
    }
    [[nodiscard]] int turn() const { return mode_->state().turn; }
    /// Another mode after the same facts.
    [[nodiscard]] std::unique_ptr<Mode> again() const {
        auto mode = make_mode({profile_, "click", tools_, {}});
        for (const Fact& fact : facts_) mode->apply(fact);
        return mode;
    }

private:
    static Profile profile(Refine refine) {
        Profile profile = load_profile("observer");
        profile.refine = refine;
        profile.coordinates = CoordinateConvention::norm1000;
        return profile;
    }
    static const AgentOptions& options() {
        static const AgentOptions none;
        return none;
    }

    Profile profile_;
    ToolsByRole tools_;
    std::unique_ptr<Mode> mode_;
    std::vector<Fact> facts_;
};

const std::string at_500 = R"(invoke {"label":"OK","box":[500,500]})";

} // namespace

TEST_CASE("refine: before a click, the model is asked in a crop, and its answer counts") {
    Table table;
    table.click("[500,500]");
    REQUIRE(table.words() == "observe crop");
    const auto look = std::get<Observe>(table.next());
    CHECK(look.screenshot == 1);
    CHECK(look.zoom->use == ZoomUse::refine);
    CHECK(look.zoom->target == winio::NormPoint{500, 500});
    CHECK(look.zoom->region == winio::NormBox{372, 372, 627, 627}); // 256 pixels
    table.crop();

    REQUIRE(table.words() == "ask to refine");
    const auto ask = std::get<Ask>(table.next());
    CHECK(ask.role == "agent");
    CHECK_FALSE(ask.may_be_superseded);
    REQUIRE(ask.request.tools.size() == 1);
    CHECK(ask.request.tools[0].name == "click_element");
    CHECK(ask.request.tool_choice == vlm::ToolChoice::required);
    REQUIRE(ask.request.messages.size() == 2);
    CHECK_THAT(ask.request.messages[1].text(),
               ContainsSubstring("Target: OK") && ContainsSubstring("near [502, 502]"));
    CHECK(std::get<vlm::Image>(ask.request.messages[1].parts.back()).sha256 == "crop");
    const int turn = table.turn();

    table.click("[0,1000]"); // the bottom left corner of the crop
    CHECK(table.words() == R"(invoke {"label":"OK","box":[372,627]})");
    CHECK(table.turn() == turn);
    CHECK(table.notes() ==
          "refine: the position is refined from 500,500 to 372,627, by 128 pixels\n");
}

TEST_CASE("refine: a box of the reply means its center") {
    Table table;
    table.click("[490,490,510,510]");
    table.crop();
    table.click("[0,0,2,2]"); // the 511 pixels of the image
    CHECK(table.words() == R"(invoke {"label":"OK","box":[372,372]})");
}

TEST_CASE("refine: a reply without a usable position keeps the click") {
    struct Row {
        const char* tool;
        const char* arguments;
        const char* note;
    };
    const std::array rows{Row{"click_element", R"({"label":"OK"})", "has no position"},
                          Row{"click_element", R"({"label":"OK","box":"here"})", "has no position"},
                          Row{"click_element", "no JSON", "has no position"},
                          Row{"observe_screen", "{}", "has no position"},
                          Row{"click_element", R"({"label":"OK","box":[1001,4]})", "outside"},
                          Row{"click_element", R"({"label":"OK","box":[-1,4]})", "outside"},
                          Row{"click_element", R"({"label":"OK","box":[501,501]})", "confirmed"}};
    for (const Row& row : rows) {
        INFO(row.arguments);
        Table table;
        table.click("[500,500]");
        table.crop();
        table.reply(row.tool, row.arguments);
        CHECK(table.words() == at_500);
        CHECK_THAT(table.notes(), ContainsSubstring("refine: ") && ContainsSubstring(row.note));
    }
    Table silent;
    silent.click("[500,500]");
    silent.crop();
    vlm::ChatReply text;
    text.text = "It is in the middle.";
    silent.apply(Replied{text, false});
    CHECK(silent.words() == at_500);
}

TEST_CASE("refine: the safety checks of the refining reply belong to the click") {
    const vlm::SafetyCheck check{"sc_1", "malicious_instructions", "Look."};
    for (const char* box : {"[0,0]", "[501,501]", "[1001,4]"}) { // refined, confirmed, outside
        INFO(box);
        Table table;
        table.click("[500,500]");
        table.crop();
        vlm::ChatReply reply;
        reply.tool_calls = {{.id = "r1",
                             .name = "click_element",
                             .arguments_json = std::string(R"({"label":"OK","box":)") + box + "}",
                             .safety_checks = {check}}};
        table.apply(Replied{reply, false});
        CHECK(std::get<Invoke>(table.next()).call.safety_checks == std::vector{check});
    }
}

TEST_CASE("refine: a failure keeps the click") {
    const std::array<Fact, 2> failures{
        AskFailed{.error = "vlm.timeout", .message = "no answer"},
        Superseded{.sha256 = "crop", .after = std::chrono::milliseconds(5)}};
    for (const Fact& failure : failures) {
        Table table;
        table.click("[500,500]");
        table.crop();
        table.apply(failure);
        CHECK(table.words() == at_500);
        CHECK_THAT(table.notes(), ContainsSubstring("is not refined"));
    }
    Table table;
    table.click("[500,500]");
    table.apply(ObserveFailed{"winio.capture_failed", "there is no frame"});
    CHECK(table.words() == at_500);
    CHECK_THAT(table.notes(), ContainsSubstring("there is no frame"));
}

TEST_CASE("refine: only clicks at a position are refined") {
    Table off(Refine::off);
    off.click("[500,500]");
    CHECK(off.words() == at_500);

    Table table;
    table.reply("type_text", R"({"text":"a"})");
    CHECK(table.words() == R"(invoke {"text":"a"})");

    Table without;
    without.reply("click_element", R"({"label":"OK"})");
    CHECK(without.words() == R"(invoke {"label":"OK"})");

    Table zoomed(Refine::on, Zoomed{{0, 0, 4000, 4000}, ZoomUse::positions, {}});
    zoomed.click("[500,500]");
    CHECK(zoomed.words() == at_500); // it has the full resolution already
}

TEST_CASE("refine small: a box tells the size of the target") {
    Table large(Refine::small);
    large.click("[400,490,600,514]"); // 25 pixels high
    CHECK_THAT(large.words(), ContainsSubstring("invoke"));
    Table small(Refine::small);
    small.click("[400,490,600,513]"); // 24 pixels
    REQUIRE(small.words() == "observe crop");
    small.crop();
    CHECK(small.words() == "ask to refine");
}

TEST_CASE("refine small: at a point, the size of the visible element counts") {
    const auto asks = [](std::optional<winio::Size> element) {
        Table table(Refine::small);
        table.click("[500,500]");
        REQUIRE(table.words() == "observe crop");
        table.crop(element);
        const bool asked = table.words() == "ask to refine";
        if (!asked) {
            CHECK(table.words() == at_500);
            CHECK(table.notes().empty());
        }
        return asked;
    };
    CHECK(asks(winio::Size{12, 12}));
    CHECK(asks(winio::Size{49, 24}));
    CHECK_FALSE(asks(winio::Size{25, 49}));
    CHECK_FALSE(asks(std::nullopt));
}

TEST_CASE("refine: each click is refined once, and the next one again") {
    Table table;
    for (int i = 0; i < 2; ++i) {
        table.click("[500,500]");
        table.crop();
        table.click("[0,0]");
        CHECK(table.words() == R"(invoke {"label":"OK","box":[372,372]})");
        Invoked done;
        done.call_id = "c";
        done.tool = "click_element";
        done.ok = true;
        done.result_json = "{\"ok\":true}";
        table.apply(done);
        CHECK(table.words() == "ask");
    }
}

TEST_CASE("refine: messages and a stop request reach the inner mode") {
    Table table;
    table.click("[500,500]");
    table.apply(UserMessage{UserMessage::Kind::words, "Hurry."});
    CHECK(table.words() == "observe crop");
    table.crop();
    table.apply(UserMessage{UserMessage::Kind::words, "Hurry."});
    CHECK(table.words() == "ask to refine");
    table.apply(Stopped{"the user stops the run", false});
    CHECK(table.words() == "finish");
}

TEST_CASE("refine: the same facts lead to the same command, at each step") {
    Table table;
    const auto same = [&] {
        const auto other = table.again();
        const Command a = table.next();
        const Command b = other->next();
        REQUIRE(a.index() == b.index());
        if (const auto* invoke = std::get_if<Invoke>(&a))
            CHECK(invoke->call.arguments_json == std::get<Invoke>(b).call.arguments_json);
        if (const auto* look = std::get_if<Observe>(&a))
            CHECK(look->zoom == std::get<Observe>(b).zoom);
        if (const auto* ask = std::get_if<Ask>(&a))
            CHECK(ask->request.messages.back().text() ==
                  std::get<Ask>(b).request.messages.back().text());
    };
    same();
    table.click("[333,700]");
    same();
    table.crop();
    same();
    table.click("[123,456]");
    same();
}

// ---- runs ---------------------------------------------------------------------------------------

namespace {

/// First points some pixels of the screenshot next to the target, then exactly at it in the crop.
struct Refining : RefineModeStage {
    Refining() {
        profile.refine = Refine::on;
        options.with.clear();
    }
    void inexact_click(double off = 4) {
        model.answer([this, off](const vlm::ChatRequest& request) {
            const winio::Image image = SeeingModel::latest_image(request);
            const ModelPoint at = SeeingModel::find(image);
            return call("click_element",
                        fmt::format(R"({{"label":"dot","box":{}}})",
                                    eyes.list(at.x + off, at.y + off, image.size())));
        });
    }
};

const winio::Point center{target.x + 1, target.y + 1};

} // namespace

TEST_CASE("refine: the click lands on the pixel that the model sees in the crop") {
    for (const CoordinateConvention convention : conventions) {
        INFO(to_string(convention));
        Refining stage;
        stage.use(convention);
        stage.inexact_click();
        stage.click();
        stage.model.say("Done.");
        REQUIRE(stage.run().outcome == Outcome::completed);
        CHECK(stage.clicks() == std::vector<winio::Point>{center});
        const auto looks = stage.looks();
        REQUIRE(looks.size() == 2);
        REQUIRE(looks[1].zoomed);
        CHECK(looks[1].refines());
        CHECK(looks[1].reference() == looks[0].area);
        CHECK(looks[1].size.width >= looks[1].area.width);
    }
}

TEST_CASE("refine: a turn with a refinement is one turn, and its tokens count") {
    Refining stage;
    const auto with_tokens = [&](int prompt) {
        stage.model.answer([&stage, prompt](const vlm::ChatRequest& request) {
            const winio::Image image = SeeingModel::latest_image(request);
            const ModelPoint at = SeeingModel::find(image);
            vlm::ChatReply reply =
                stage.call("click_element", fmt::format(R"({{"label":"dot","box":{}}})",
                                                        stage.eyes.list(at.x, at.y, image.size())));
            reply.usage = {.prompt_tokens = prompt, .completion_tokens = 10};
            return reply;
        });
    };
    with_tokens(1000);
    with_tokens(300);
    stage.model.say("Done.");
    const RunFinished finished = stage.run();
    CHECK(finished.turns == 2);
    CHECK(finished.usage.prompt_tokens == 1300);

    const RunView view = [&] {
        RunView folded(stage.profile);
        for (const Event& event : read_journal(stage.store)) folded.apply(event);
        return folded;
    }();
    REQUIRE(view.turn_count() == 2);
    const TurnView& turn = view.turn(0);
    CHECK(turn.role == "agent");
    CHECK(turn.requests == 2);
    CHECK(turn.seen_by_model);
    CHECK_FALSE(turn.seen->look.zoomed);
    std::vector<std::string> items;
    for (const TurnItem& item : turn.items) {
        if (const auto* request = std::get_if<RequestView>(&item)) items.push_back(request->role);
        if (std::holds_alternative<Replied>(item)) items.emplace_back("reply");
        if (const auto* note = std::get_if<Noted>(&item)) items.push_back(note->kind);
        if (std::holds_alternative<CallView>(item)) items.emplace_back("call");
    }
    CHECK(items ==
          std::vector<std::string>{"agent", "reply", "agent.refine", "reply", "refine", "call"});
    // The next request of the conversation only adds messages.
    const auto& next = std::get<RequestView>(view.turn(1).items.front());
    CHECK(next.role == "agent");
    CHECK(next.replaced.empty());
    CHECK_THAT(stage.store.bytes("execution_log.txt"),
               ContainsSubstring("REFINEMENT in turn 1 (agent)") &&
                   ContainsSubstring("the position is refined from"));
}

TEST_CASE("refine small: only the small target of two is refined") {
    Refining stage;
    stage.profile.refine = Refine::small;
    stage.inexact_click(2);
    stage.click();
    stage.model.call("click_element", R"({"label":"wall","box":[100,100]})").say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK(stage.clicks() == std::vector<winio::Point>{center, {140, 84}});
    const auto looks = stage.looks();
    REQUIRE(looks.size() == 3);
    CHECK(looks[1].zoomed->element == winio::Size{3, 3});
    CHECK_FALSE(looks[2].zoomed->element);
}

TEST_CASE("refine: a run that is interrupted in the middle of a refinement refines after it") {
    Refining stage;
    stage.options.watch = Watch::off; // otherwise, it looks again before it acts
    stage.inexact_click();
    stage.model.answer([](const vlm::ChatRequest&) -> vlm::ChatReply {
        throw std::logic_error("the process dies");
    });
    CHECK_THROWS_AS(stage.run(), std::logic_error);
    CHECK(stage.clicks().empty());
    stage.click();
    stage.model.say("Done.");
    Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
    CHECK(agent.resume(stage.store, RunControl()).outcome == Outcome::completed);
    CHECK(stage.clicks() == std::vector<winio::Point>{center});
}

TEST_CASE("refine: the request and its answer have the form of the dialect") {
    struct Row {
        Dialect dialect;
        const char* click;
        const char* end;
    };
    const std::array rows{
        Row{Dialect::qwen_computer_use, R"({"action":"left_click","coordinate":[P]})", "Done."},
        Row{Dialect::claude_computer, R"({"action":"left_click","coordinate":[P]})", "Done."},
        Row{Dialect::ui_tars, "Thought: the dot\nAction: click(start_box='(P)')",
            "Action: finished(content='It is done.')"},
        Row{Dialect::glm, "the dot\n<|begin_of_box|>left_click(start_box='[P]')<|end_of_box|>",
            "It is done.\n<|begin_of_box|>DONE()<|end_of_box|>"},
        Row{Dialect::openai_computer,
            R"({"actions":[{"type":"click","button":"left","x":X,"y":Y}]})", "Done."},
        Row{Dialect::pyautogui, "```python\npyautogui.click(x=X, y=Y)\n```",
            "```code\ncomputer.terminate(status='success')\n```"}};
    for (const Row& row : rows) {
        INFO(to_string(row.dialect));
        Refining stage;
        stage.profile.dialect = row.dialect;
        for (const double off : {4.0, 0.0})
            stage.model.answer([&, off](const vlm::ChatRequest& request) {
                const winio::Image image = SeeingModel::latest_image(request);
                const ModelPoint at = SeeingModel::find(image);
                const std::string list = stage.eyes.list(at.x + off, at.y + off, image.size());
                const std::string numbers = list.substr(1, list.size() - 2);
                const std::size_t comma = numbers.find(',');
                std::string text = row.click;
                for (const auto& [letter, value] :
                     {std::pair{'P', numbers}, std::pair{'X', numbers.substr(0, comma)},
                      std::pair{'Y', numbers.substr(comma + 1)}})
                    if (const std::size_t found = text.find(letter); found != std::string::npos)
                        text.replace(found, 1, value);
                if (!states_text(row.dialect))
                    return stage.call(std::string(function_of(row.dialect)), text);
                vlm::ChatReply reply;
                reply.text = text;
                reply.finish = vlm::FinishReason::stop;
                return reply;
            });
        stage.model.say(row.end);
        REQUIRE(stage.run().outcome == Outcome::completed);
        CHECK(stage.clicks() == std::vector<winio::Point>{center});
        const vlm::ChatRequest& asked = stage.model.requests().at(1);
        if (states_text(row.dialect)) {
            CHECK(asked.tools.empty());
            CHECK_THAT(asked.messages[0].text(), ContainsSubstring("Actions\n"));
        } else {
            REQUIRE(asked.tools.size() == 1);
            CHECK(asked.tools[0].name == function_of(row.dialect));
        }
        // The conversation goes on as the model wrote it.
        for (const vlm::Message& message : stage.model.requests().back().messages)
            CHECK(message.text().find("You locate targets") == std::string::npos);
    }
}

// ---- the size of an element ---------------------------------------------------------------------

namespace {

constexpr winio::Color gray{.blue = 200, .green = 200, .red = 200};
constexpr winio::Color black{};

winio::Image gray_image() {
    winio::Image image({200, 200});
    image.fill({0, 0, 200, 200}, gray);
    return image;
}

} // namespace

TEST_CASE("element size: an area of a single color") {
    CHECK_FALSE(element_size(gray_image().view(), {100, 100}));
    CHECK_THROWS_AS(element_size(winio::ImageView(), {0, 0}), std::invalid_argument);
}

TEST_CASE("element size: a small element at the position, or next to it") {
    winio::Image image = gray_image();
    image.fill({95, 96, 12, 9}, black);
    CHECK(element_size(image.view(), {100, 100}) == winio::Size{12, 9});
    CHECK(element_size(image.view(), {112, 100}) == winio::Size{12, 9}); // 6 pixels away
    CHECK_FALSE(element_size(image.view(), {113, 100}));
}

TEST_CASE("element size: gaps of up to 2 pixels do not separate, wider ones do") {
    winio::Image image = gray_image();
    image.fill({90, 96, 5, 8}, black);
    image.fill({97, 96, 5, 8}, black);  // after 2 pixels
    image.fill({106, 96, 5, 8}, black); // after 4 pixels
    CHECK(element_size(image.view(), {92, 100}) == winio::Size{12, 8});
    CHECK(element_size(image.view(), {108, 100}) == winio::Size{5, 8});
}

TEST_CASE("element size: a side that reaches the border of the square is long") {
    winio::Image image = gray_image();
    image.fill({0, 96, 200, 8}, black); // a line of text
    CHECK(element_size(image.view(), {100, 100}) == winio::Size{49, 8});
    image.fill({0, 0, 200, 200}, gray);
    image.fill({60, 60, 80, 80}, black); // a large button: the position is on one color
    CHECK_FALSE(element_size(image.view(), {100, 100}));
}

TEST_CASE("element size: at the edge of the image, and outside it") {
    winio::Image image = gray_image();
    image.fill({190, 190, 6, 6}, black);
    CHECK(element_size(image.view(), {199, 199}) == winio::Size{6, 6});
    CHECK(element_size(image.view(), {500, 500}) == winio::Size{6, 6});
}
