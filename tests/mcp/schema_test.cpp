#include "schema.hpp"

#include "catch.hpp"

using namespace eyehand;
using namespace eyehand::mcp;

namespace {

std::string mismatch(const char* schema, const char* value) {
    return schema_mismatch(json::parse(value), json::parse(schema)).value_or("");
}

} // namespace

TEST_CASE("a value that matches its schema has no mismatch") {
    for (const auto& [schema, value] :
         {std::pair{R"({})", "1"},
          {"true", "1"},
          {R"({"type":"integer"})", "3.0"},
          {R"({"type":["string","null"]})", "null"},
          {R"({"const":1})", "1.0"},
          {R"({"enum":["a",{"b":[1]}]})", R"({"b":[1.0]})"},
          {R"({"multipleOf":0.1})", "0.3"},
          {R"({"$defs":{"n":{"type":"number"}},"items":{"$ref":"#/$defs/n"}})", "[1,2.5]"},
          {R"({"$defs":{"n":{"$anchor":"here","type":"number"}},"$ref":"#here"})", "1"},
          {R"({"prefixItems":[{"type":"string"}],"items":{"type":"number"}})", R"(["a",1,2])"},
          {R"({"patternProperties":{"^x":{}},"additionalProperties":false})", R"({"xy":1})"},
          {R"({"oneOf":[{"type":"number"},{"type":"string"}]})", "1"},
          {R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"c":1})"},
          {R"({"contains":{"type":"number"}})", R"(["a",1])"},
          {R"({"maxLength":1})", R"("é")"}}) {
        CAPTURE(schema, value);
        CHECK(mismatch(schema, value).empty());
    }
}

TEST_CASE("a mismatch names the place and the rule") {
    for (const auto& [schema, value, problem] :
         {std::tuple{"false", "1", "the value is not allowed"},
          {R"({"type":"string"})", "1", "the value must be of type string"},
          {R"({"properties":{"a":{"properties":{"b":{"minimum":1}}}}})", R"({"a":{"b":0}})",
           R"("a.b" must be at least 1)"},
          {R"({"items":{"enum":[1,2]}})", "[1,3]", R"("[1]" must be one of [1,2])"},
          {R"({"required":["a"]})", "{}", R"("a" is missing)"},
          {R"({"properties":{"a":{}},"additionalProperties":false})", R"({"b":1})",
           R"("b" is not allowed)"},
          {R"({"exclusiveMaximum":5})", "5", "the value must be less than 5"},
          {R"({"uniqueItems":true})", "[1,2,1.0]", "the value must not have equal elements"},
          {R"({"anyOf":[{"type":"number"},{"type":"null"}]})", "{}",
           "the value matches none of the permitted forms"},
          {R"({"oneOf":[{"type":"number"},{"minimum":0}]})", "1",
           "the value matches more than one of the permitted forms"},
          {R"({"not":{"type":"number"}})", "1", "the value has a form that is not permitted"},
          {R"({"if":{"required":["a"]},"then":{"required":["b"]}})", R"({"a":1})",
           R"("b" is missing)"},
          {R"({"dependentRequired":{"a":["b"]}})", R"({"a":1})", R"("b" is missing)"},
          {R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})",
           R"("ab" must have at most 1 characters)"}}) {
        CAPTURE(schema, value);
        CHECK(mismatch(schema, value) == problem);
    }
}

TEST_CASE("rules that depend on keywords that are not checked reject nothing") {
    CHECK(mismatch(R"({"not":{"pattern":"^a"}})", R"("b")").empty());
    CHECK(mismatch(R"({"oneOf":[{"pattern":"^a"},{"pattern":"^b"}]})", R"("b")").empty());
}

TEST_CASE("names of properties and values are not keywords") {
    CHECK(mismatch(R"({"properties":{"format":{"type":"string"}},"not":{"required":["a"]}})",
                   R"({"a":1})") == "the value has a form that is not permitted");
    CHECK(mismatch(R"({"default":{"pattern":"a"},"not":{"type":"number"}})", "1") ==
          "the value has a form that is not permitted");
    // But the schema of such a property can have them.
    CHECK(mismatch(R"({"properties":{"a":{"pattern":"^a"}},"not":{"required":["a"]}})",
                   R"({"a":"b"})")
              .empty());
    CHECK(!schema_mistake(json::parse(R"({"default":{"$ref":"other.json"}})")));
    CHECK(!schema_mistake(json::parse(R"({"enum":[{"$ref":"other.json"}]})")));
    CHECK(!schema_mistake(json::parse(R"({"properties":{"$ref":{"type":"string"}}})")));
    CHECK(schema_mistake(json::parse(R"({"properties":{"default":{"$ref":"other.json"}}})")));
}

TEST_CASE("a schema that refers to itself without end is reported") {
    CHECK(mismatch(R"({"$ref":"#"})", "1") == "the schema is too complex to be checked");
    CHECK(mismatch(R"({"allOf":[{"$ref":"#"},{"$ref":"#"}]})", "1") ==
          "the schema is too complex to be checked");
}

TEST_CASE("only references within a schema are usable") {
    CHECK(schema_mistake(json::parse("[]")));
    CHECK(schema_mistake(json::parse(R"({"$ref":"other.json"})")));
    CHECK(schema_mistake(json::parse(R"({"allOf":[{"$ref":"#/$defs/a"}]})")));
    CHECK(!schema_mistake(json::parse(R"({"$defs":{"a":{}},"allOf":[{"$ref":"#/$defs/a"}]})")));
}
