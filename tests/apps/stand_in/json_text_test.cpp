#include "json_text.hpp"

#include "catch.hpp"

#include <boost/json.hpp>

using namespace stand_in;

namespace json = boost::json;

TEST_CASE("Decimals have no exponent") {
    CHECK(json_text(json::array{0.5, 0.0001, 0.1295, 99.99}) == "[0.5,0.0001,0.1295,99.99]");
}

TEST_CASE("All else is written as Boost.JSON writes it") {
    const json::value value = json::parse(
        R"({"a \" b":[1,-2,true,null,[],{}],"text":"Zażółć\n\"你好\"\\","nested":{"x":[[1],[2]]}})");
    CHECK(json_text(value) == json::serialize(value));
}
