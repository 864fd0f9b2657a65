// Parses replies of a model in a visual loop, including malformed ones.
#include "eyehand/agent/visual_reply.hpp"
#include "json/json.hpp"

#include "catch.hpp"

#include <fmt/format.h>

using namespace eyehand;

namespace {

using namespace agent;

VisualReply parse(const std::string& text, VisualLimits limits = {}) {
    return parse_visual_reply(text, limits);
}

const std::string click = R"({"name":"click","x1":500,"y1":300})";

std::string with_actions(const std::string& actions) {
    return R"({"observation":"I see.","bboxes":[],"actions":[)" + actions + "]}";
}

/// The names and places of the actions, for tables.
std::string actions_of(const VisualReply& reply) {
    std::string all;
    for (const VisualAction& action : reply.actions) {
        all += fmt::format("{} {} {:.0f},{:.0f}", action.number, to_string(action.verb),
                           action.at.x, action.at.y);
        if (action.verb == VisualVerb::drag)
            all += fmt::format(" {:.0f},{:.0f}", action.to.x, action.to.y);
        if (!action.text.empty()) all += fmt::format(" {}", action.text);
        if (action.notches != 0) all += fmt::format(" {}", action.notches);
        all += "; ";
    }
    return all;
}

} // namespace

TEST_CASE("visual reply: the observation, the boxes and the actions are read") {
    const VisualReply reply = parse(
        R"({"observation":" I drew a line. ","bboxes":[{"x1":400,"y1":10,"x2":100,"y2":20.5}],)"
        R"("actions":[{"name":"move","x1":1,"y1":2},{"name":"drag","x1":3,"y1":4,"x2":5,"y2":6}],)"
        R"("done":true})");
    CHECK(reply.understood);
    CHECK(reply.observation == "I drew a line.");
    CHECK(reply.boxes == std::vector<winio::NormBox>{{100, 10, 400, 20.5}});
    CHECK(actions_of(reply) == "1 move 1,2; 2 drag 3,4 5,6; ");
    CHECK(reply.done);
    CHECK(reply.problems.empty());
}

TEST_CASE("visual reply: names are case-insensitive, numbers may be texts and are clamped") {
    struct Row {
        const char* action;
        const char* read;
    };
    const Row row = GENERATE(
        Row{R"({"name":"Click","x1":500,"y1":300})", "1 click 500,300; "},
        Row{R"({"name":" RIGHT_CLICK ","x1":500,"y1":300})", "1 right_click 500,300; "},
        Row{R"({"name":"Double_Click","x1":"500","y1":"300"})", "1 double_click 500,300; "},
        Row{R"({"name":"move","x1":-7,"y1":1e300})", "1 move 0,1000; "},
        Row{R"({"name":"drag","x1":-1,"y1":0,"x2":2000,"y2":7,"why":"x"})", "1 drag 0,0 1000,7; "});
    const VisualReply reply = parse(with_actions(row.action));
    CHECK(actions_of(reply) == row.read);
    CHECK(reply.problems.empty());
}

TEST_CASE(
    "visual reply: the object is found in text; without one, the whole reply is the observation") {
    struct Row {
        std::string text;
        bool understood;
        std::string observation;
        std::size_t actions;
    };
    const std::string good = with_actions(click);
    const Row row = GENERATE_COPY(
        Row{"```json\n" + good + "\n```", true, "I see.", 1},
        Row{"Here: " + good + " and then {\"observation\":\"no\"}", true, "I see.", 1},
        Row{"I use {x} first. " + good, true, "I see.", 1}, // the first braces are not JSON
        Row{"{} " + good, true, "I see.", 1},               // an object without known members
        Row{R"({"observation":"a } in \" it {","actions":[]} rest)", true, "a } in \" it {", 0},
        Row{"<think>{\"observation\":\"no\"}</think>" + good, true, "I see.", 1},
        Row{R"({"observation":"the tag </think> is there"})", true, "the tag </think> is there", 0},
        Row{"I see a window.", false, "I see a window.", 0},
        Row{good.substr(0, good.size() - 1), false, good.substr(0, good.size() - 1), 0},
        Row{"[" + click + "]", false, "[" + click + "]", 0}, Row{"", false, "", 0},
        Row{"{\"x\":1}", false, "{\"x\":1}", 0}, Row{"}{", false, "}{", 0});
    const VisualReply reply = parse(row.text);
    CHECK(reply.understood == row.understood);
    CHECK(reply.observation == row.observation);
    CHECK(reply.actions.size() == row.actions);
    CHECK(reply.problems.empty() == row.understood);
    CHECK(reply.text == row.text);
}

TEST_CASE("visual reply: other braces in the text or around the object do not hide it") {
    const std::string reply = R"({"observation":"A dialog.","actions":[]})";
    for (const std::string& text :
         {R"(I see "{" here. )" + reply, "{" + reply + "}", R"({"answer": )" + reply + "}",
          "an odd { \" and then " + reply}) {
        INFO(text);
        CHECK(parse_visual_reply(text, {}).observation == "A dialog.");
    }
}

TEST_CASE("visual reply: items of the wrong type are dropped and reported") {
    struct Row {
        std::string text;
        const char* problem;
    };
    const Row row = GENERATE_COPY(
        Row{R"({"observation":5})", "\"observation\" must be a string"},
        Row{R"({"bboxes":{}})", "\"bboxes\" must be an array"},
        Row{R"({"bboxes":[[1,2,3,4]]})", "Box 1 must be an object"},
        Row{R"({"bboxes":[{"x1":1,"y1":2,"x2":3}]})", "Box 1 needs \"x2\" and \"y2\""},
        Row{R"({"bboxes":[{"x1":1,"y1":2,"x2":3,"y2":"far"}]})", "Box 1 needs \"x2\""},
        Row{R"({"actions":"click"})", "\"actions\" must be an array"},
        Row{R"({"actions":["click"]})", "Action 1 must be an object with a \"name\""},
        Row{R"({"actions":[{"name":7}]})", "Action 1 must be an object with a \"name\""},
        Row{with_actions(R"({"name":"hover"})"),
            "Action 1: unknown action \"hover\"; known actions: "
            "move, click, right_click, double_click, drag."},
        Row{with_actions(R"({"name":"click","x1":1})"), "Action 1 (click) needs \"x1\" and \"y1\""},
        Row{with_actions(R"({"name":"drag","x1":1,"y1":2})"), "Action 1 (drag) needs \"x2\""},
        Row{with_actions(R"({"name":"type","text":"a"})"), "unknown action \"type\""},
        Row{R"({"done":[]})", "\"done\" must be true or false"});
    const VisualReply reply = parse(row.text);
    CHECK(reply.understood);
    REQUIRE(reply.problems.size() == 1);
    CHECK_THAT(reply.problems[0], ContainsSubstring(row.problem));
    CHECK(reply.boxes.empty());
    CHECK(reply.actions.empty());
    CHECK_FALSE(reply.done);
}

TEST_CASE("visual reply: null counts as absent") {
    const VisualReply reply =
        parse(R"({"observation":null,"bboxes":null,"actions":null,"done":null})");
    CHECK(reply.understood);
    CHECK(reply.problems.empty());
}

TEST_CASE("visual reply: a bad action does not affect the others or their numbers") {
    const VisualReply reply = parse(with_actions(click + R"(,{"name":"fly"},)" + click));
    CHECK(actions_of(reply) == "1 click 500,300; 3 click 500,300; ");
    CHECK(reply.problems.size() == 1);
}

TEST_CASE("visual reply: items beyond the limits are dropped and reported") {
    const std::string box = R"({"x1":1,"y1":2,"x2":3,"y2":4})";
    const VisualReply reply = parse(R"({"bboxes":[)" + box + "," + box + "," + box +
                                        R"(],"actions":[)" + click + "," + click + "]}",
                                    {.boxes = 2, .actions = 1});
    CHECK(reply.boxes.size() == 2);
    CHECK(reply.actions.size() == 1);
    CHECK(reply.problems ==
          std::vector<std::string>{"Of 3 \"bboxes\" only the first 2 were used.",
                                   "Of 2 \"actions\" only the first 1 were used."});
}

TEST_CASE("visual reply: keyboard and wheel need extended_actions") {
    struct Row {
        const char* action;
        const char* read;
    };
    const Row row = GENERATE(
        Row{R"({"name":"TYPE","text":"Zażółć\n"})", "1 type 0,0 Zażółć\n; "},
        Row{R"({"name":"press","key":"ctrl+s"})", "1 press 0,0 ctrl+s; "},
        Row{R"({"name":"scroll","x1":5,"y1":6})", "1 scroll 5,6 -3; "},
        Row{R"({"name":"scroll","x1":5,"y1":6,"direction":"Up","amount":2})", "1 scroll 5,6 2; "},
        Row{R"({"name":"scroll","x1":5,"y1":6,"direction":"left"})", ""},
        Row{R"({"name":"scroll","x1":5,"y1":6,"amount":31})", ""},
        Row{R"({"name":"scroll","x1":5,"y1":6,"amount":-2})", ""},
        Row{R"({"name":"scroll","direction":"up"})", ""}, Row{R"({"name":"type"})", ""},
        Row{R"({"name":"type","text":""})", ""}, Row{R"({"name":"press","key":5})", ""});
    const VisualReply reply = parse(with_actions(row.action), {.extended_actions = true});
    CHECK(actions_of(reply) == row.read);
    CHECK(reply.problems.size() == (reply.actions.empty() ? 1 : 0));
}

TEST_CASE("visual reply: a parsed reply is restored from its JSON") {
    const VisualLimits limits{.extended_actions = true};
    const VisualReply reply =
        parse(R"({"observation":"o","bboxes":[{"x1":1,"y1":2,"x2":3,"y2":4}],"actions":[)" + click +
                  R"(,{"name":"drag","x1":1,"y1":2,"x2":3,"y2":4},{"name":"scroll","x1":1,"y1":1},)"
                  R"({"name":"type","text":"t"},{"name":"press","key":"a"}]})",
              limits);
    const VisualReply again = parse(to_json(reply), limits);
    CHECK(again.actions == reply.actions);
    CHECK(again.boxes == reply.boxes);
    CHECK(to_json(again) == to_json(reply));
}

TEST_CASE("visual reply: the schema names limits and actions, and all its members are required") {
    const auto schema = parse_json(visual_reply_schema({.boxes = 3, .actions = 4}));
    REQUIRE(schema);
    CHECK(schema->at("required").as_array().size() == 4);
    CHECK(schema->at("properties").at("bboxes").at("maxItems").to_number<int>() == 3);
    CHECK(schema->at("properties").at("actions").at("maxItems").to_number<int>() == 4);
    CHECK_THAT(to_text(*schema), !ContainsSubstring("press"));
    CHECK_THAT(visual_reply_schema({.extended_actions = true}), ContainsSubstring("press"));
}
