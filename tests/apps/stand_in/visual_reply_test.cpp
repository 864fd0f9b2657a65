#include "visual_reply.hpp"

#include "catch.hpp"
#include "json_text.hpp"
#include "profiles.hpp"

#include <boost/json.hpp>

using namespace stand_in;
using namespace stand_in_test;

namespace {

// The parts of a request of "story" that the stand-in uses.
const std::string prompt =
    R"(Answer with {"observation": "...", "bboxes": [], "actions": [], "done": false}.)"
    "\n- \"move\", \"click\", \"right_click\", \"double_click\": at x1, y1\n- \"drag\"\n";
const std::string schema = R"({"type":"object","properties":{
    "observation":{"type":"string"},"bboxes":{"type":"array"},
    "actions":{"type":"array","maxItems":8,"items":{"anyOf":[
      {"type":"object","properties":{"name":{"type":"string","enum":["move","click"]},
        "x1":{"type":"integer"},"y1":{"type":"integer"}},"required":["name","x1","y1"]},
      {"type":"object","properties":{"name":{"type":"string","enum":["drag"]},
        "x1":{"type":"integer"},"y1":{"type":"integer"},"x2":{"type":"integer"},
        "y2":{"type":"integer"}},"required":["name","x1","y1","x2","y2"]},
      {"type":"object","properties":{"name":{"type":"string","enum":["press"]},
        "key":{"type":"string"}},"required":["name","key"]}]}},
    "done":{"type":"boolean"}}})";

enum class Asked { by_schema, in_words };

ChatRequest request(Asked asked, const std::string& told = "I begin.") {
    ChatRequest request;
    request.text = prompt + told;
    request.image = "png";
    request.image_is_new = true;
    if (asked == Asked::by_schema) request.reply_schema = json::parse(schema).get_object();
    return request;
}

Screen showing(const std::vector<std::pair<std::string, Box>>& texts) {
    Screen screen{1001, 1001, {}};
    for (const auto& [text, box] : texts) screen.segments.push_back({box, {{Word{text, box, 95}}}});
    return screen;
}

const Screen desktop = showing({{"Canvas", {100, 100, 60, 20}}, {"Refresh", {400, 800, 70, 20}}});

/// The agent: each request stands alone, and contains only the last observation.
class Loop {
public:
    Loop(const std::string& script, Asked asked, std::string_view convention = "norm1000")
        : script_(parse_script(script)),
          asked_(asked), coordinates_{convention_of(convention), {}, 0} {}

    json::object see(const Screen& screen, const std::string& problems = "") {
        Turn turn =
            play(script_, progress_, request(asked_, told_ + problems), screen, coordinates_);
        progress_ = std::move(turn.progress);
        CHECK_FALSE(turn.reply.call);
        json::object reply = json::parse(turn.reply.content).as_object();
        told_ = reply.at("observation").as_string();
        return reply;
    }

private:
    Script script_;
    Asked asked_;
    Coordinates coordinates_;
    Progress progress_;
    std::string told_ = "I begin.";
};

std::string actions_of(const json::object& reply) { return json_text(reply.at("actions")); }

} // namespace

TEST_CASE("A schema or a description in the text asks for a visual reply") {
    CHECK(wants_visual_reply(request(Asked::by_schema)));
    CHECK(wants_visual_reply(request(Asked::in_words)));
}

TEST_CASE("A request with tools, or for plain text, asks for no visual reply") {
    ChatRequest with_tools = request(Asked::in_words);
    with_tools.tools = observer_tools();
    CHECK_FALSE(wants_visual_reply(with_tools));
    ChatRequest question;
    question.text = "What do you see?";
    CHECK_FALSE(wants_visual_reply(question));
    question.reply_schema = json::parse(R"({"properties":{"answer":{}}})").get_object();
    CHECK_FALSE(wants_visual_reply(question));
}

TEST_CASE("Each reply contains one step as an action at a visible text") {
    for (const Asked asked : {Asked::by_schema, Asked::in_words}) {
        Loop loop(R"({"steps": [{"drag": {"below": "Canvas", "lines": 5},
                                 "to": {"below": "Canvas", "lines": 20}, "say": "A stroke."},
                                {"click": "Refresh"}]})",
                  asked);
        const json::object stroke = loop.see(desktop);
        CHECK(stroke.at("observation") == "A stroke.");
        CHECK(stroke.at("bboxes").as_array().empty());
        CHECK(stroke.at("done") == false);
        CHECK(actions_of(stroke) == R"([{"name":"drag","x1":130,"y1":230,"x2":130,"y2":530}])");
        CHECK(actions_of(loop.see(desktop)) == R"([{"name":"click","x1":435,"y1":810}])");
    }
}

TEST_CASE("Actions have the numbers of the convention, and y1 stays the row") {
    Screen wide = desktop;
    wide.width = 2001;
    const std::string script =
        R"({"steps": [{"drag": "Canvas", "to": {"text": "Refresh", "below": "Canvas"}}]})";
    const auto strokes = [&](Asked asked, std::string_view convention) {
        return actions_of(Loop(script, asked, convention).see(wide));
    };
    for (const Asked asked : {Asked::by_schema, Asked::in_words}) {
        CHECK(strokes(asked, "image_pixels") ==
              R"([{"name":"drag","x1":130,"y1":110,"x2":435,"y2":810}])");
        CHECK(strokes(asked, "norm1000_yx") ==
              R"([{"name":"drag","x1":65,"y1":110,"x2":217,"y2":810}])");
        CHECK(strokes(asked, "percent") ==
              R"([{"name":"drag","x1":6.48,"y1":10.95,"x2":21.73,"y2":80.95}])");
    }
}

TEST_CASE("A reply has decimals without an exponent") {
    const Script script = parse_script(R"({"steps": [{"click": "Canvas"}]})");
    const Turn turn =
        play(script, {}, request(Asked::by_schema), desktop, {convention_of("unit"), {}, 0});
    CHECK_THAT(turn.reply.content, ContainsSubstring(R"("x1":0.1295,"y1":0.1095)"));
}

TEST_CASE("The end is a reply with done and without actions, once its text is visible") {
    Loop loop(R"({"steps": [{"finish": "Canvas", "say": "It is drawn."}]})", Asked::by_schema);
    CHECK(loop.see(showing({})).at("done") == false);
    const json::object last = loop.see(desktop);
    CHECK(last.at("done") == true);
    CHECK(last.at("observation") == "It is drawn.");
    CHECK(actions_of(last) == "[]");
}

TEST_CASE("A missing text leads to a reply without actions") {
    Loop loop(R"({"patience": 1, "steps": [{"click": "Refresh"}]})", Asked::by_schema);
    const json::object look = loop.see(showing({}));
    CHECK(actions_of(look) == "[]");
    CHECK(look.at("observation") == "I do not see \"Refresh\" on the screen; I look again.");
    CHECK(loop.see(showing({})).at("observation") ==
          "I cannot see \"Refresh\" on the screen. I see: no text at all.");
    CHECK(actions_of(loop.see(desktop)) != "[]");
}

TEST_CASE("An action that the next request reports as failed is repeated") {
    Loop loop(R"({"steps": [{"click": "Refresh"}, {"click": "Canvas"}]})", Asked::by_schema);
    const std::string click = actions_of(loop.see(desktop));
    CHECK(actions_of(loop.see(desktop, "\n\nProblems with your last reply:\n"
                                       "- Action 1 (click) was not carried out: no.")) == click);
    CHECK(actions_of(loop.see(desktop)) != click);
}

TEST_CASE("An action that the request does not list is not used") {
    const std::string script = R"({"steps": [{"press": "f5"}]})";
    CHECK(actions_of(Loop(script, Asked::by_schema).see(desktop)) ==
          R"([{"name":"press","key":"f5"}])");
    const json::object reply = Loop(script, Asked::in_words).see(desktop);
    CHECK(actions_of(reply) == "[]");
    CHECK(reply.at("observation") == "No offered tool can press \"f5\".");
}

TEST_CASE("In a visual loop only the text of the first request starts the script again") {
    const Script script = parse_script(R"({"steps": [{"click": "Refresh"}, {"click": "Canvas"}]})");
    const auto opening = request(Asked::by_schema);
    const Turn first = play(script, {}, opening, desktop);
    const Turn next =
        play(script, first.progress, request(Asked::by_schema, "I clicked."), desktop);
    CHECK(next.reply.content != first.reply.content);
    CHECK(play(script, next.progress, opening, desktop).reply.content == first.reply.content);
}

TEST_CASE("Missing or mistyped parts of a schema make no action") {
    ChatRequest odd = request(Asked::by_schema);
    for (const char* actions :
         {R"(1)", R"({"items": []})", R"({"items": {"anyOf": [1, {"properties": 2}, {}]}})",
          R"({"items": {"anyOf": [{"properties": {"name": {"enum": [3]}}}]}})"}) {
        odd.reply_schema["properties"].as_object()["actions"] = json::parse(actions);
        CHECK(visual_actions(odd).size() == 2); // "observe" and "finish"
    }
}
