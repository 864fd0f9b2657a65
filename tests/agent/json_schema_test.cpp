// The supported keywords of a program tool's schema, and their checks.
#include "json/json_schema.hpp"

#include "catch.hpp"

namespace {

using namespace eyehand::agent;

std::string mistake(const std::string& schema) {
    return schema_mistake(*parse_json(schema)).value_or("none");
}

std::string problem(const std::string& value, const std::string& schema) {
    REQUIRE(mistake(schema) == "none");
    return schema_problem(*parse_json(value), *parse_json(schema)).value_or("none");
}

} // namespace

TEST_CASE("a schema with unsupported parts is rejected, and the error names the place") {
    struct Row {
        const char* schema;
        const char* words;
    };
    const Row row = GENERATE(
        Row{"[]", "must be a schema"}, Row{R"({"type":"text"})", R"("type": must be one of null)"},
        Row{R"({"type":[]})", R"("type": must be)"}, Row{R"({"type":7})", R"("type": must be)"},
        Row{R"({"type":["string",7]})", R"("type": must be)"},
        Row{R"({"pattern":"^a"})", R"(uses "pattern", which is not supported)"},
        Row{R"({"minimun":1})", R"(did you mean "minimum"?)"},
        Row{R"({"minLength":-1})", R"("minLength": must be a non-negative integer)"},
        Row{R"({"maximum":"7"})", R"("maximum": must be a number)"},
        Row{R"({"required":["a",1]})", R"("required": must be an array of names)"},
        Row{R"({"enum":[]})", R"("enum": must be a non-empty array)"},
        Row{R"({"anyOf":[]})", R"("anyOf": must be)"},
        Row{R"({"anyOf":[{"type":"text"}]})", R"("anyOf": "type": must be)"},
        Row{R"({"properties":{"size":{"properties":{"w":{"not":{}}}}}})",
            R"("properties": "size": "properties": "w": uses "not")"},
        Row{R"({"items":7})", R"("items": must be a schema)"},
        Row{R"({"additionalProperties":7})", R"("additionalProperties": must be a schema)"});
    CHECK_THAT(mistake(row.schema), ContainsSubstring(row.words));
}

TEST_CASE("descriptions, defaults and formats constrain nothing") {
    CHECK(mistake(R"({"title":"t","description":"d","default":7,"examples":[1],"format":"date",
                      "deprecated":true,"$schema":"s","$comment":"c"})") == "none");
}

TEST_CASE("a value that does not match its schema is reported with its path") {
    struct Row {
        const char* value;
        const char* schema;
        const char* words;
    };
    const Row row = GENERATE(
        Row{"7", R"({"type":"string"})", "the arguments must be of type string"},
        Row{R"("7")", R"({"type":["integer","null"]})", "must be of type integer or null"},
        Row{"7.5", R"({"type":"integer"})", "of type integer"},
        Row{"true", R"({"type":"number"})", "of type number"},
        Row{R"({"a":{"b":[1,"x"]}})",
            R"({"properties":{"a":{"properties":{"b":{"items":{"type":"integer"}}}}}})",
            R"("a.b[1]" must be of type integer)"},
        Row{"{}", R"({"required":["city"]})", R"("city" must be present)"},
        Row{R"({"x":1})", R"({"properties":{},"additionalProperties":false})",
            R"("x" must not be present)"},
        Row{R"({"x":1})", R"({"additionalProperties":{"type":"string"}})",
            R"("x" must be of type string)"},
        Row{"0", R"({"minimum":1})", "at least 1"}, Row{"8", R"({"maximum":7.5})", "at most 7.5"},
        Row{"1", R"({"exclusiveMinimum":1})", "above 1"},
        Row{"1", R"({"exclusiveMaximum":1})", "below 1"},
        Row{"\"zażó\"", R"({"minLength":5})", "at least 5 characters"},
        Row{"\"zażó\"", R"({"maxLength":3})", "at most 3 characters"},
        Row{"[]", R"({"minItems":1})", "at least 1 elements"},
        Row{"[1,2]", R"({"maxItems":1})", "at most 1 elements"},
        Row{R"("c")", R"({"enum":["a","b"]})", R"(must be one of ["a","b"])"},
        Row{"2", R"({"const":1})", "must be 1"},
        Row{"true", R"({"anyOf":[{"type":"string"},{"type":"number"}]})", "of type number"});
    CHECK_THAT(problem(row.value, row.schema), ContainsSubstring(row.words));
}

TEST_CASE("a matching value is accepted, and keywords ignore other types of values") {
    struct Row {
        const char* value;
        const char* schema;
    };
    const Row row = GENERATE(
        Row{"7.0", R"({"type":"integer"})"}, Row{"18446744073709551615", R"({"type":"integer"})"},
        Row{"null", R"({"type":["string","null"]})"}, Row{"1.0", R"({"enum":[1,2]})"},
        Row{"1", R"({"const":1.0})"}, Row{R"("x")", R"({"minimum":7,"minItems":3})"},
        Row{R"({"x":1,"y":"free"})", R"({"properties":{"x":{"maximum":1}},"required":["x"]})"},
        Row{"\"zażó\"", R"({"minLength":4,"maxLength":4})"},
        Row{R"("a")", R"({"anyOf":[{"type":"number"},{"type":"string"}]})"});
    CHECK(problem(row.value, row.schema) == "none");
}

TEST_CASE("nested alternatives are checked once") {
    std::string schema = R"({"type":"string"})";
    for (int i = 0; i < 31; ++i) schema = R"({"anyOf":[)" + schema + "]}";
    // Two checks at each level would take an hour.
    CHECK(problem("7", schema) == "the arguments must be of type string");
    CHECK(problem("7", R"({"anyOf":[{"type":"string"},{"type":"null"}]})") ==
          "the arguments must be of type null");
}

TEST_CASE("integers that are equal only as doubles are distinguished") {
    const std::string more = "9007199254740993"; // 2^53 + 1
    const std::string less = "9007199254740992";
    CHECK(problem(more, R"({"const":)" + less + "}") == "the arguments must be " + less);
    CHECK(problem(more, R"({"enum":[)" + more + "]}") == "none");
    CHECK(problem(more, R"({"maximum":)" + less + "}") == "the arguments must be at most " + less);
    CHECK(problem(less, R"({"exclusiveMinimum":)" + less + "}") ==
          "the arguments must be above " + less);
    CHECK(problem(less, R"({"minimum":)" + more + "}") == "the arguments must be at least " + more);
    CHECK(problem("18446744073709551615", R"({"minimum":-1})") == "none");
    CHECK(problem("1.5", R"({"maximum":1})") == "the arguments must be at most 1");
}

TEST_CASE("a long name from the model is shortened in the problem") {
    const std::string name(100000, 'n');
    const std::string words =
        problem(R"({")" + name + R"(":7})", R"({"additionalProperties":false})");
    CHECK(words.size() < 200);
    CHECK_THAT(words, ContainsSubstring("nnn") && ContainsSubstring("must not be present"));
    std::string deep = "7";
    for (int i = 0; i < 30; ++i) deep = R"({")" + std::string(60, 'n') + R"(":)" + deep + "}";
    std::string schema = R"({"type":"string"})";
    for (int i = 0; i < 30; ++i) schema = R"({"additionalProperties":)" + schema + "}";
    CHECK(problem(deep, schema).size() < 400);
}
