#include "eyehand/agent/json_view.hpp"
#include "json/json.hpp"

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

using namespace eyehand;

namespace {

using agent::JsonDocument;

JsonDocument document(const std::string& text) {
    auto value = agent::parse_json(text);
    REQUIRE(value);
    return JsonDocument(*std::move(value));
}

} // namespace

TEST_CASE("a JSON number is read as an integer only without loss") {
    const auto integer = [](const std::string& text) { return document(text).view().integer(); };
    const auto natural = [](const std::string& text) {
        return document(text).view().unsigned_integer();
    };
    CHECK(integer("9007199254740993") == 9007199254740993);
    CHECK(integer("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
    CHECK(integer("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
    CHECK_FALSE(integer("9223372036854775808"));
    CHECK_FALSE(integer("-9223372036854775809"));
    CHECK(natural("9223372036854775808") == 9223372036854775808U);
    CHECK(natural("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
    CHECK_FALSE(natural("18446744073709551616"));
    CHECK_FALSE(natural("-1"));
    CHECK(integer("3.0") == 3);
    CHECK(natural("1e19") == 10000000000000000000U);
    CHECK_FALSE(integer("1e19"));
    CHECK_FALSE(integer("2.5"));
    CHECK_FALSE(integer("1e999"));
    CHECK_FALSE(natural("0e616")); // not a number to the parser
}

TEST_CASE("the members of a JSON object are listed in their order") {
    const JsonDocument json = document(R"({"z":1,"a":{"b":2},"":null})");
    REQUIRE(json.view().size() == 3);
    CHECK(json.view().member(0).name == "z");
    CHECK(json.view().member(0).value.integer() == 1);
    CHECK(json.view().member(1).name == "a");
    CHECK(json.view().member(1).value.member(0).name == "b");
    CHECK(json.view().member(2).name.empty());
    CHECK_THROWS_AS(json.view().member(3), std::out_of_range);
    CHECK(document("{}").view().size() == 0);
    CHECK(document("[1,2]").view().size() == 2);
}
