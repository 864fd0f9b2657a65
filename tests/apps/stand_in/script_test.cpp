#include "script.hpp"

#include "catch.hpp"
#include "source_folder.hpp"

#include <fstream>
#include <iterator>

using namespace stand_in;

namespace {

std::string problem_of(const std::string& json, const Values& values = {}) {
    try {
        (void)parse_script(json, values);
    } catch (const ScriptError& error) {
        return error.what();
    }
    return "none";
}

} // namespace

TEST_CASE("A script is read step by step") {
    const Script script = parse_script(R"({"patience": 5, "steps": [
        {"click": "File", "expect": "Save as..."},
        {"type": "Zażółć\n你好"},
        {"click": {"text": "UTF-8", "right_of": "Encoding:"}, "if_visible": "Encoding:"},
        {"scroll": "down", "at": "Line 3"},
        {"drag": "Line 3", "to": {"below": "Line 4", "lines": 2}},
        {"objective": "Save it."},
        {"press": "f7", "times": 4, "needs": "Line 3"},
        {"report": "BLOCKED"},
        {"finish": "Done", "say": "That was it."}]})");

    CHECK(script.patience == 5);
    REQUIRE(script.steps.size() == 9);
    CHECK(script.steps[0].action == Action::click);
    CHECK(script.steps[0].target.text == "File");
    CHECK(script.steps[0].expect == "Save as...");
    CHECK(script.steps[1].text == "Zażółć\n你好");
    CHECK(script.steps[2].target.right_of == "Encoding:");
    CHECK(script.steps[2].if_visible == "Encoding:");
    CHECK(script.steps[3].at == "Line 3");
    CHECK(script.steps[4].target.text == "Line 3");
    CHECK(script.steps[4].to.below == "Line 4");
    CHECK(script.steps[4].to.lines == 2);
    CHECK(script.steps[5].action == Action::objective);
    CHECK(script.steps[6].times == 4);
    CHECK(script.steps[6].needs == "Line 3");
    CHECK(script.steps[7].text == "BLOCKED");
    CHECK(script.steps[8].say == "That was it.");
    CHECK(script.steps[8].times == 1);
}

TEST_CASE("A step with an unknown key is refused with its number and the known keys") {
    const std::string problem = problem_of(R"({"steps": [{"click": "A"}, {"clik": "B"}]})");
    CHECK_THAT(problem, ContainsSubstring("step 2"));
    CHECK_THAT(problem, ContainsSubstring("\"clik\" is not known"));
    CHECK_THAT(problem, ContainsSubstring("double_click"));
}

TEST_CASE("Scripts cannot contain coordinates, turns or phases") {
    for (const char* key : {"x", "position", "turn", "phase", "box"}) {
        const std::string step = std::string(R"({"click": "A", ")") + key + R"(": 3})";
        CHECK_THAT(problem_of(R"({"steps": [)" + step + "]}"),
                   ContainsSubstring("step 1: \"" + std::string(key) + "\" is not known"));
    }
    CHECK_THAT(problem_of(R"({"steps": [{"click": {"text": "A", "x": 1}}]})"),
               ContainsSubstring("step 1, \"click\": \"x\" is not known"));
}

TEST_CASE("A problem in a field is reported with the name of the field") {
    CHECK_THAT(problem_of(R"({"steps": [{"click": 5}]})"),
               ContainsSubstring("step 1, \"click\": must be a string or an object"));
    CHECK_THAT(problem_of(R"({"steps": [{"type": ""}]})"),
               ContainsSubstring("step 1, \"type\": must not be empty"));
    CHECK_THAT(problem_of(R"({"steps": [{"scroll": "sideways"}]})"),
               ContainsSubstring("step 1, \"scroll\": must be one of up, down, left, right"));
    CHECK_THAT(problem_of(R"({"steps": [{"report": "done"}]})"),
               ContainsSubstring("step 1, \"report\": must be one of DONE, BLOCKED"));
    CHECK_THAT(problem_of(R"({"steps": [{"click": "A", "times": 0}]})"),
               ContainsSubstring("step 1, \"times\": must be a whole number from 1 to 20"));
    CHECK_THAT(problem_of(R"({"steps": [{"click": "..."}]})"),
               ContainsSubstring("must contain a letter or a digit"));
    CHECK_THAT(problem_of(R"({"steps": [{"click": {"near": "A"}}]})"),
               ContainsSubstring("needs \"text\", \"right_of\" or \"below\""));
    CHECK_THAT(problem_of(R"({"steps": [{"click": {"right_of": "A", "lines": 2}}]})"),
               ContainsSubstring("\"lines\" belongs to \"below\" without \"text\""));
    CHECK_THAT(problem_of(R"({"steps": [{"type": "a", "at": "b"}]})"),
               ContainsSubstring("\"at\" belongs to \"scroll\" only"));
    CHECK_THAT(problem_of(R"({"steps": [{"click": "A", "to": "B"}]})"),
               ContainsSubstring("step 1: \"to\" belongs to \"drag\" only"));
    CHECK_THAT(problem_of(R"({"steps": [{"press": "up", "needs": "A"}]})"),
               ContainsSubstring("step 1: \"needs\" requires a step before this one"));
    CHECK_THAT(problem_of(R"({"steps": [{"drag": "A"}]})"),
               ContainsSubstring("step 1: \"drag\" needs \"to\""));
}

TEST_CASE("A step has exactly one action") {
    CHECK_THAT(problem_of(R"({"steps": [{"say": "hello"}]})"), ContainsSubstring("has no action"));
    CHECK_THAT(problem_of(R"({"steps": [{"click": "A", "type": "b"}]})"),
               ContainsSubstring("two actions, \"click\" and \"type\""));
}

TEST_CASE("An invalid script is refused") {
    CHECK_THAT(problem_of("{"), ContainsSubstring("not valid JSON"));
    CHECK_THAT(problem_of("[]"), ContainsSubstring("must be an object"));
    CHECK_THAT(problem_of("{}"), ContainsSubstring("has no \"steps\""));
    CHECK_THAT(problem_of(R"({"steps": []})"), ContainsSubstring("must not be empty"));
    CHECK_THAT(problem_of(R"({"patience": -1, "steps": [{"click": "A"}]})"),
               ContainsSubstring("\"patience\": must be a whole number"));
    CHECK_THAT(problem_of(R"({"speed": 1, "steps": [{"click": "A"}]})"),
               ContainsSubstring("\"speed\" is not known"));
}

TEST_CASE("Placeholders are replaced by values with backslashes") {
    const Script script = parse_script(R"({"steps": [{"type": "${folder}\\${name}.txt"}]})",
                                       {{"folder", "C:\\new"}, {"name", "世界"}});
    CHECK(script.steps[0].text == "C:\\new\\世界.txt");
}

TEST_CASE("The error for a placeholder without a value names the option") {
    const std::string problem = problem_of(R"({"steps": [{"type": "${file}"}]})");
    CHECK_THAT(problem, ContainsSubstring("step 1, \"type\""));
    CHECK_THAT(problem, ContainsSubstring("--set file=VALUE"));
}

TEST_CASE("The Notepad script that comes with the stand-in is valid") {
    std::ifstream file(test::source_folder() / "apps/stand-in/scripts/notepad-save.json",
                       std::ios::binary);
    const std::string json{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Script script = parse_script(json, {{"line1", "Hello,"},
                                              {"line2", "world"},
                                              {"file", "C:\\hello.txt"},
                                              {"title", "hello.txt"}});
    CHECK(script.steps.back().action == Action::finish);
}
