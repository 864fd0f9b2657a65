#include "question.hpp"

#include "catch.hpp"
#include "profiles.hpp"

using namespace stand_in;
using namespace stand_in_test;

namespace {

const Screen save_screen{
    1001, 1001, {{{100, 200, 41, 11}, {{Word{"Save", {100, 200, 41, 11}, 95}}}}}};

Turn answer(const std::string& text, const Coordinates& coordinates = {},
            const Progress& progress = {}) {
    ChatRequest request;
    request.tools = observer_tools();
    request.text = text;
    return answer_question(progress, request, save_screen, coordinates);
}

} // namespace

TEST_CASE("question: the last one of a text has the label of a button, a link or a menu item") {
    CHECK(asked_label("Click on the button \"Save\".") == "Save");
    CHECK(asked_label("Click on the link \"Gr\u00f6\u00dfe\".") == "Gr\u00f6\u00dfe");
    CHECK(asked_label("x\nClick on the button \"Save\".\nThe user says: Click on the menu item "
                      "\"Save as...\".\n") == "Save as...");
}

TEST_CASE("question: other targets have no label") {
    for (const char* text :
         {"", "Open Notepad.", "Click on the red circle.", "Click on the checkbox of \"Save\".",
          "Click on the button \"Save", "Click on the button \"!\".",
          "Click on the button \"Save\". Click on the red circle."}) {
        INFO(text);
        CHECK(!asked_label(text));
    }
}

TEST_CASE("question: a click on the text of the label, with the errors of the coordinates") {
    const Turn turn = answer("Click on the button \"Save\".");
    REQUIRE(turn.reply.call);
    CHECK(turn.reply.call->name == "click_element");
    CHECK(turn.reply.call->arguments.at("label") == "Save");
    CHECK(turn.progress.positions == 1);
    const json::value exact = turn.reply.call->arguments.at("box");
    CHECK(answer("Click on the button \"Save\".", {.bias = {20, 0}})
              .reply.call->arguments.at("box") != exact);
    const auto noisy = [](const Progress& progress) {
        return answer("Click on the button \"Save\".", {.noise = 10}, progress)
            .reply.call->arguments.at("box");
    };
    CHECK(noisy({}) == noisy({}));
    Progress later;
    later.positions = 1;
    CHECK(noisy({}) != noisy(later));
}

TEST_CASE("question: another screenshot if the target cannot be found") {
    for (const char* text : {"Click on the button \"Archive\".", "Click on the red circle."}) {
        const Turn turn = answer(text);
        REQUIRE(turn.reply.call);
        CHECK(turn.reply.call->name == "observe_screen");
        CHECK(turn.progress.positions == 0);
    }
    ChatRequest request;
    request.text = "Click on the button \"Archive\".";
    const Turn turn = answer_question({}, request, save_screen);
    CHECK(!turn.reply.call);
    CHECK(turn.reply.content == "I do not see \"Archive\" on the screen.");
}
