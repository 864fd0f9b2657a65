#include "wire/repair_json.hpp"

#include "catch.hpp"

using namespace eyehand;
using vlm::wire::Repair;
using vlm::wire::repair_json;
using vlm::wire::repair_object;

namespace {

using Repairs = std::vector<Repair>;

struct RepairJsonRow {
    std::string text;
    std::string repaired;
    Repairs repairs;
};

void check(const std::vector<RepairJsonRow>& rows) {
    for (const RepairJsonRow& row : rows) {
        CAPTURE(row.text);
        const auto result = repair_json(row.text);
        REQUIRE(result);
        CHECK(result->text == row.repaired);
        CHECK(result->repairs == row.repairs);
        const auto again = repair_json(result->text);
        REQUIRE(again);
        CHECK(again->text == result->text);
        CHECK(again->repairs.empty());
    }
}

} // namespace

TEST_CASE("valid JSON stays unchanged") {
    for (const std::string text :
         {R"({"a":1})", " { \"a\" :\n[ 1.0 , 2e5,{} ] }\r\n", "[]", "7", "null", R"("text")",
          R"({"a":"\u00e9\n, ]}"})", R"({"a":1,"a":2})", R"("{\"a\":1}")"})
        check({{text, text, {}}});
}

TEST_CASE("trailing commas are removed") {
    check(
        {{R"({"a":1,})", R"({"a":1})", {Repair::trailing_comma}},
         {"[1,2 ,\n ]", "[1,2 \n ]", {Repair::trailing_comma}},
         {R"({"a":[1,],"b":{"c":"d",},})", R"({"a":[1],"b":{"c":"d"}})", {Repair::trailing_comma}},
         {R"({"a":",]",})", R"({"a":",]"})", {Repair::trailing_comma}}});
}

TEST_CASE("raw control characters in strings are escaped") {
    check({{"{\"a\":\"x\ny\"}", R"({"a":"x\ny"})", {Repair::control_character}},
           {"{\"a\":\"x\r\n\ty\"}", R"({"a":"x\r\n\ty"})", {Repair::control_character}},
           {"{\"a\":\"\x01\x1f\"}", R"({"a":"\u0001\u001f"})", {Repair::control_character}},
           {std::string("{\"a\":\"\0\"}", 9), R"({"a":"\u0000"})", {Repair::control_character}},
           {"{\"a\n\":\n1}", "{\"a\\n\":\n1}", {Repair::control_character}}});
}

TEST_CASE("missing closing marks are added at the end") {
    check({{R"({"a":{"b":1})", R"({"a":{"b":1}})", {Repair::unclosed}},
           {R"({"a":[1,{"b":2)", R"({"a":[1,{"b":2}]})", {Repair::unclosed}},
           {R"({"a":"hello)", R"({"a":"hello"})", {Repair::unclosed}},
           {R"({"a":"x, y: \"z\")", R"({"a":"x, y: \"z\""})", {Repair::unclosed}},
           {"[", "[]", {Repair::unclosed}}});
}

TEST_CASE("surplus closing brackets at the end are removed") {
    check({{R"({"a":1}})", R"({"a":1})", {Repair::surplus_bracket}},
           {"[1] ]\n}", "[1]", {Repair::surplus_bracket}}});
}

TEST_CASE("several repairs are reported, each once") {
    check({{"{\"a\":\"x\ny\nz\",\"b\":[1,],\"c\":{\"d\":2,}",
            R"({"a":"x\ny\nz","b":[1],"c":{"d":2}})",
            {Repair::trailing_comma, Repair::control_character, Repair::unclosed}}});
}

TEST_CASE("ambiguous faults are not repaired") {
    for (const std::string_view text : {"",
                                        " ",
                                        "hello",
                                        "{not json",
                                        "{'a':1}",
                                        "{a:1}",
                                        R"({"a":1 "b":2})",
                                        R"({"a":True})",
                                        R"({"a":[1,2})",
                                        R"({"a":1]})",
                                        R"({"a":)",
                                        R"({"a":1,)",
                                        R"({"a")",
                                        R"({"a)",
                                        R"({"a":"x})",
                                        R"({"a":"[x)",
                                        R"({"a":"x\)",
                                        R"({"a":"\u12)",
                                        R"({"a":tru)",
                                        R"({"a":1.)",
                                        "[,]",
                                        "{,}",
                                        "[1,,]",
                                        R"({"a":1}{"b":2})",
                                        R"({"a":1},"b":2})",
                                        R"({"a":1} and more)",
                                        "}",
                                        "\"open",
                                        "{\"a\":\"\xFF\",}",
                                        R"({"a":"\q",})"}) {
        CAPTURE(text);
        CHECK(!repair_json(text));
    }
}

TEST_CASE("nesting beyond the limit is rejected, in any state") {
    CHECK(!repair_json(std::string(100000, '[')));
    CHECK(!repair_json(std::string(1000, '[') + std::string(1000, ']')));
    CHECK(repair_json(std::string(60, '[')));
}

TEST_CASE("an object inside a JSON string is unpacked once, and repaired inside, too") {
    const auto packed = repair_object(R"("{\"a\":1,}")");
    REQUIRE(packed);
    CHECK(packed->text == R"({"a":1})");
    CHECK(packed->value.at("a").as_int64() == 1);
    CHECK(packed->repairs == Repairs{Repair::trailing_comma, Repair::unpacked});
    CHECK(!repair_object(R"("\"{}\"")"));
    CHECK(!repair_object(R"("hello")"));
}

TEST_CASE("repair_object accepts only objects") {
    CHECK(repair_object(R"( {"a" : 1} )")->text == R"( {"a" : 1} )");
    for (const std::string_view text : {"[1]", "7", "null", "", "[1,]", "\"[]\""})
        CHECK(!repair_object(text));
}

TEST_CASE("every repair has a readable name") {
    for (const Repair repair : {Repair::trailing_comma, Repair::control_character, Repair::unclosed,
                                Repair::surplus_bracket, Repair::unpacked})
        CHECK(!to_string(repair).empty());
}
