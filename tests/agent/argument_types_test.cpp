// The schema, the accepted values and the problems of each type of argument.
#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"
#include "json/json_schema.hpp"

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace eyehand;

namespace shapes {

enum class Edge { left, right };
BOOST_DESCRIBE_ENUM(Edge, left, right)

struct Named {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(Named, (), (name))

struct Window : Named {
    std::vector<std::uint16_t> bounds;
    std::optional<Edge> docked;
    int not_described = 7;
};
BOOST_DESCRIBE_STRUCT(Window, (Named), (bounds, docked))

struct Layout {
    std::vector<Window> windows;
    std::map<std::string, std::optional<double>> weights;
    std::optional<std::vector<winio::NormPoint>> anchors;
};
BOOST_DESCRIBE_STRUCT(Layout, (), (windows, weights, anchors))

/// Contains itself, which a specialization of ArgumentType allows.
struct Tree {
    int value = 0;
    std::vector<Tree> children;
};
BOOST_DESCRIBE_STRUCT(Tree, (), (value, children))

struct Garden {
    std::vector<Tree> trees;
};
BOOST_DESCRIBE_STRUCT(Garden, (), (trees))

} // namespace shapes

namespace eyehand::agent {
template <>
struct ArgumentType<shapes::Tree> {
    static std::string schema(const Constraints&) { return "{}"; }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 shapes::Tree& into) {
        return agent::decode<int>(json, into.value, constraints);
    }
};
} // namespace eyehand::agent

namespace {

using agent::Constraints;
using agent::JsonDocument;
using agent::range;
using agent::schema_of;

JsonDocument document(const std::string& text) {
    auto value = agent::parse_json(text);
    REQUIRE(value);
    return JsonDocument(*std::move(value));
}

/// `text` decoded as a T; the test fails on a problem.
template <class T>
T value(const std::string& text, const Constraints& constraints = {}) {
    CAPTURE(text);
    T into{};
    const JsonDocument json = document(text);
    const auto problem = agent::decode<T>(json.view(), into, constraints);
    if (problem) FAIL("refused: " << problem->path << ": " << problem->message);
    return into;
}

/// The path and the message of the problem with `text` as a T, after a "?" if the argument counts
/// as missing.
template <class T>
std::string problem(const std::string& text, const Constraints& constraints = {}) {
    T into{};
    const JsonDocument json = document(text);
    const auto found = agent::decode<T>(json.view(), into, constraints);
    if (!found) return "accepted";
    return (found->missing ? "?" : "") + found->path + (found->path.empty() ? "" : ": ") +
           found->message;
}

template <class T>
void check_limits(const std::string& below, const std::string& above) {
    const std::string min = std::to_string(std::numeric_limits<T>::min());
    const std::string max = std::to_string(std::numeric_limits<T>::max());
    for (const std::string quote : {"", "\""}) {
        CAPTURE(min, max, quote);
        CHECK(value<T>(quote + min + quote) == std::numeric_limits<T>::min());
        CHECK(value<T>(quote + max + quote) == std::numeric_limits<T>::max());
        for (const std::string& outside : {below, above}) {
            CHECK(problem<T>(quote + outside + quote) ==
                  "it must be a number from " + min + " to " + max + ", not " + outside);
        }
    }
}

} // namespace

TEST_CASE("an integer argument has the limits of its type") {
    check_limits<std::int8_t>("-129", "128");
    check_limits<std::uint8_t>("-1", "256");
    check_limits<std::int16_t>("-32769", "32768");
    check_limits<std::uint16_t>("-1", "65536");
    check_limits<std::int32_t>("-2147483649", "2147483648");
    check_limits<std::uint32_t>("-1", "4294967296");
    check_limits<std::int64_t>("-1e+19", "9223372036854775808");
    CHECK_THAT(problem<std::int64_t>("-9223372036854775809"),
               ContainsSubstring("not -9.223372036854776e+18"));
    CHECK_THAT(problem<std::int64_t>("\"-9223372036854775809\""),
               ContainsSubstring("not -9.223372036854776e+18"));
    check_limits<std::uint64_t>("-1", "1.8446744073709552e+19");
    check_limits<long long>("-1e+300", "18446744073709551615");
    check_limits<unsigned long>("-9007199254740993", "1e+300");
}

TEST_CASE("an integer argument of 64 bits keeps every digit") {
    CHECK(value<std::int64_t>("9007199254740993") == 9007199254740993);
    CHECK(value<std::int64_t>("\"-9007199254740993\"") == -9007199254740993);
    CHECK(value<std::uint64_t>("18446744073709551613") == 18446744073709551613U);
    CHECK(value<std::uint64_t>("\" +18446744073709551613 \"") == 18446744073709551613U);
    CHECK(value<std::uint64_t>("1e19") == 10000000000000000000U);
    CHECK(value<std::uint64_t>("\"1e19\"") == 10000000000000000000U);
}

TEST_CASE("the fraction of an integer argument is rounded after its limits are checked") {
    CHECK(value<std::int64_t>("-2.5") == -3);
    CHECK(value<std::uint8_t>("\"254.6\"") == 255);
    CHECK(problem<std::uint8_t>("255.1") == "it must be a number from 0 to 255, not 255.1");
    CHECK(problem<unsigned>("-0.1") == "it must be a number from 0 to 4294967295, not -0.1");
    CHECK(problem<std::uint64_t>("-0.1") ==
          "it must be a number from 0 to 18446744073709551615, not -0.1");
}

TEST_CASE("an integer argument obeys its constraints in addition to its type") {
    const Constraints wide{range{-10, 1e30}, false};
    CHECK(value<std::uint8_t>("255", wide) == 255);
    CHECK(problem<std::uint8_t>("256", wide) == "it must be a number from 0 to 255, not 256");
    CHECK(problem<std::int8_t>("-11", wide) == "it must be a number from -10 to 127, not -11");
    CHECK(problem<int>("2147483648", wide) ==
          "it must be a number from -10 to 2147483647, not 2147483648");
    CHECK(value<std::uint64_t>("18446744073709551615", wide) ==
          std::numeric_limits<std::uint64_t>::max());
    // The nearest double of the value would be within the limit.
    const Constraints exact{range{0, 9007199254740992}, false};
    CHECK(value<std::int64_t>("9007199254740992", exact) == 9007199254740992);
    CHECK(problem<std::int64_t>("9007199254740993", exact) ==
          "it must be a number from 0 to 9007199254740992, not 9007199254740993");
    const Constraints high{range{9007199254740994, 1e18}, false};
    CHECK(problem<std::uint64_t>("9007199254740993", high) ==
          "it must be a number from 9007199254740994 to 1e+18, not 9007199254740993");
}

TEST_CASE("all number types reject texts that are not numbers") {
    for (const std::string text : {R"("NaN")", R"("inf")", R"("-Infinity")", R"("0x10")", R"("")",
                                   R"("1 2")", R"("++1")", "true", "null", "[1]", "{}"}) {
        CAPTURE(text);
        CHECK(problem<std::int8_t>(text) == "it must be a number from -128 to 127, not " + text);
        CHECK(problem<std::uint64_t>(text) ==
              "it must be a number from 0 to 18446744073709551615, not " + text);
        CHECK(problem<float>(text) == "it must be a number, not " + text);
        CHECK(problem<long double>(text) == "it must be a number, not " + text);
    }
    CHECK(problem<std::int64_t>("1e999") ==
          "it must be a number from -9223372036854775808 to 9223372036854775807, not null");
}

TEST_CASE("problems of an int keep the text that recorded runs contain") {
    CHECK(problem<int>("9007199254740993") ==
          "it must be a number from -2147483648 to 2147483647, not 9007199254740992");
    CHECK(problem<int>("18446744073709551615") ==
          "it must be a number from -2147483648 to 2147483647, not 1.8446744073709552e+19");
    CHECK(problem<int>("\"300\"", {range{0.5, 2.5}, false}) ==
          "it must be a number from 0.5 to 2.5, not 300");
}

TEST_CASE("a floating-point argument has the range of its type") {
    CHECK(value<float>("0.1") == 0.1F);
    CHECK(value<float>("\"2.5\"") == 2.5F);
    CHECK(value<long double>("-1e300") == static_cast<long double>(-1e300));
    CHECK(value<float>("3.4028234663852886e38") == std::numeric_limits<float>::max());
    CHECK(problem<float>("1e39") == "it must be a number from -3.4028234663852886e+38 to "
                                    "3.4028234663852886e+38, not 1e+39");
    CHECK(problem<float>("-1e39", {range{-1e300, 5}, false}) ==
          "it must be a number from -3.4028234663852886e+38 to 5, not -1e+39");
    CHECK(problem<float>("6", {range{0, 5}, false}) == "it must be a number from 0 to 5, not 6");
}

TEST_CASE("the schema of a number states the limits that a model needs") {
    CHECK(schema_of<int>() == R"({"type":"integer"})");
    CHECK(schema_of<int>({range{0, 100}, false}) ==
          R"({"type":"integer","minimum":0,"maximum":100})");
    CHECK(schema_of<int>({range{0.5, 2.5}, false}) ==
          R"({"type":"integer","minimum":0.5,"maximum":2.5})");
    CHECK(schema_of<std::int64_t>() == R"({"type":"integer"})");
    CHECK(schema_of<std::int8_t>() == R"({"type":"integer","minimum":-128,"maximum":127})");
    CHECK(schema_of<std::uint16_t>() == R"({"type":"integer","minimum":0,"maximum":65535})");
    CHECK(schema_of<std::uint32_t>() == R"({"type":"integer","minimum":0})");
    CHECK(schema_of<std::uint64_t>() == R"({"type":"integer","minimum":0})");
    CHECK(schema_of<std::uint64_t>({range{-1, 1e30}, false}) ==
          R"({"type":"integer","minimum":0,"maximum":18446744073709551615})");
    CHECK(schema_of<float>() == R"({"type":"number"})");
    CHECK(schema_of<long double>({range{0, 1}, false}) ==
          R"({"type":"number","minimum":0,"maximum":1})");
}

TEST_CASE("a vector of numbers accepts a single number, and numbers in quotes") {
    CHECK(value<std::vector<int>>(R"([1,"2",2.6])") == std::vector{1, 2, 3});
    CHECK(value<std::vector<int>>("7") == std::vector{7});
    CHECK(value<std::vector<int>>("\"7\"") == std::vector{7});
    CHECK(value<std::vector<double>>("\"7.5\"") == std::vector{7.5});
    CHECK(value<std::vector<std::uint64_t>>("18446744073709551615") ==
          std::vector{std::numeric_limits<std::uint64_t>::max()});
    CHECK(value<std::vector<int>>("[]").empty());
    CHECK(problem<std::vector<int>>("\"some\"") ==
          "it must be a list of whole numbers, not \"some\"");
    CHECK(problem<std::vector<int>>("101", {range{0, 100}, false}) ==
          "it must be a list of whole numbers, not 101");
    CHECK(problem<std::vector<float>>("{}") == "it must be a list of numbers, not {}");
    CHECK(schema_of<std::vector<int>>({range{0, 100}, false}) ==
          R"({"type":"array","items":{"type":"integer","minimum":0,"maximum":100}})");
}

TEST_CASE("a vector has elements of any supported type, and a problem names the index") {
    using shapes::Edge;
    CHECK(value<std::vector<Edge>>(R"(["LEFT","right"])") == std::vector{Edge::left, Edge::right});
    CHECK(value<std::vector<bool>>(R"([true,"false"])") == std::vector{true, false});
    CHECK(value<std::vector<std::string>>(R"(["a",1])") == std::vector<std::string>{"a", "1"});
    CHECK(value<std::vector<winio::NormPoint>>("[[1,2],[3,4000]]").at(1).y == 1000);
    CHECK(value<std::vector<std::optional<int>>>("[1,null]") ==
          std::vector<std::optional<int>>{1, std::nullopt});
    CHECK(value<std::vector<std::vector<int>>>("[[1],2]") ==
          std::vector<std::vector<int>>{{1}, {2}});
    CHECK(problem<std::vector<Edge>>(R"("left")") == "it must be a list, not \"left\"");
    CHECK(problem<std::vector<Edge>>(R"(["left","up"])") ==
          "[1]: it must be one of left, right, not \"up\"");
    CHECK(problem<std::vector<int>>(R"([1,2,"x"])") ==
          "[2]: it must be a number from -2147483648 to 2147483647, not \"x\"");
    CHECK(problem<std::vector<std::vector<std::uint8_t>>>("[[],[0,256]]") ==
          "[1][1]: it must be a number from 0 to 255, not 256");
    // The argument itself is present.
    CHECK(problem<std::vector<std::string>>(R"([""])", {{}, true}) == "[0]: it is empty");
    CHECK(problem<std::string>(R"("")", {{}, true}) == "?it is empty");
}

TEST_CASE("a map is an object with members of one type") {
    using Map = std::map<std::string, std::uint8_t>;
    CHECK(value<Map>(R"({"b":1,"a":"2","":3})") == Map{{"", 3}, {"a", 2}, {"b", 1}});
    CHECK(value<Map>("{}").empty());
    CHECK(value<std::map<std::string, bool, std::greater<>>>(R"({"a":true})").at("a"));
    CHECK(schema_of<Map>({range{1, 9}, false}) ==
          R"({"type":"object","additionalProperties":{"type":"integer","minimum":1,"maximum":9}})");
    CHECK(problem<Map>("[]") == "it must be an object, not []");
    CHECK(problem<Map>(R"({"a":1,"b":256})") == ".b: it must be a number from 0 to 255, not 256");
    CHECK(problem<std::map<std::string, Map>>(R"({"a":{"b":{}}})") ==
          ".a.b: it must be a number from 0 to 255, not {}");
    CHECK(problem<Map>("{\"" + std::string(1000, 'x') + "\":-1}").size() < 200);
}

TEST_CASE("a described struct is an object; its optional members may be absent") {
    using shapes::Layout;
    CHECK(
        schema_of<Layout>() ==
        R"({"type":"object","properties":{)"
        R"("windows":{"type":"array","items":{"type":"object","properties":{)"
        R"("name":{"type":"string"},)"
        R"("bounds":{"type":"array","items":{"type":"integer","minimum":0,"maximum":65535}},)"
        R"("docked":{"type":"string","enum":["left","right"]}},"required":["name","bounds"]}},)"
        R"("weights":{"type":"object","additionalProperties":{"type":"number"}},)"
        R"("anchors":{"type":"array","items":{"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2,)"
        R"("format":"eyehand-point"}}},)"
        R"("required":["windows","weights"]})");
    const auto layout = value<Layout>(
        R"({"extra":[],"windows":[{"name":"a","bounds":[1,2],"docked":"Right","not_described":1},)"
        R"({"bounds":3,"name":"b","docked":null}],"weights":{"a":0.5,"b":null}})");
    REQUIRE(layout.windows.size() == 2);
    CHECK(layout.windows[0].name == "a");
    CHECK(layout.windows[0].bounds == std::vector<std::uint16_t>{1, 2});
    CHECK(layout.windows[0].docked == shapes::Edge::right);
    CHECK(layout.windows[0].not_described == 7);
    CHECK(layout.windows[1].bounds == std::vector<std::uint16_t>{3});
    CHECK_FALSE(layout.windows[1].docked);
    CHECK(layout.weights.at("a") == 0.5);
    CHECK_FALSE(layout.weights.at("b"));
    CHECK_FALSE(layout.anchors);
    CHECK(value<Layout>(R"({"windows":[],"weights":{},"anchors":[[1,2]]})").anchors->size() == 1);
}

TEST_CASE("a problem inside a struct names its path") {
    using shapes::Layout;
    CHECK(problem<Layout>("3") == "it must be an object, not 3");
    CHECK(problem<Layout>("{}") == ".windows: it is missing");
    CHECK(problem<Layout>(R"({"windows":null})") == ".windows: it is missing");
    CHECK(problem<Layout>(R"({"windows":[{"name":"a","bounds":[1,2,-3]}]})") ==
          ".windows[0].bounds[2]: it must be a number from 0 to 65535, not -3");
    CHECK(problem<Layout>(R"({"windows":[],"weights":{"a":{}}})") ==
          ".weights.a: it must be a number, not {}");
    CHECK_THAT(problem<Layout>(R"({"windows":[],"weights":{},"anchors":[[1,2],7]})"),
               ContainsSubstring(".anchors[1]: it must be [x, y]"));
}

TEST_CASE("an absent member resets its optional") {
    shapes::Window window;
    window.docked = shapes::Edge::left;
    const JsonDocument json = document(R"({"name":"a","bounds":[]})");
    REQUIRE_FALSE(agent::decode<shapes::Window>(json.view(), window));
    CHECK_FALSE(window.docked);
}

TEST_CASE("decoding replaces the elements of a vector and a map") {
    std::vector<std::string> list{"old"};
    std::vector<int> numbers{1, 2};
    std::map<std::string, int> map{{"old", 1}};
    const JsonDocument json = document(R"([["new"],3,{"new":2}])");
    REQUIRE_FALSE(agent::decode<std::vector<std::string>>(json.view().at(0), list));
    REQUIRE_FALSE(agent::decode<std::vector<int>>(json.view().at(1), numbers));
    REQUIRE_FALSE(agent::decode<std::map<std::string, int>>(json.view().at(2), map));
    CHECK(list == std::vector<std::string>{"new"});
    CHECK(numbers == std::vector{3});
    CHECK(map == std::map<std::string, int>{{"new", 2}});
}

TEST_CASE("null resets a nested optional") {
    using Nested = std::optional<std::optional<int>>;
    CHECK(value<Nested>("1") == Nested(1));
    CHECK_FALSE(value<Nested>("null"));
    CHECK(schema_of<Nested>() == R"({"type":"integer"})");
    CHECK(problem<Nested>("{}") == "it must be a number from -2147483648 to 2147483647, not {}");
}

TEST_CASE("a user's specialization takes precedence over the description of a struct") {
    CHECK(value<shapes::Garden>(R"({"trees":[3]})").trees.at(0).value == 3);
    CHECK(schema_of<shapes::Garden>() ==
          R"({"type":"object","properties":{"trees":{"type":"array","items":{}}},)"
          R"("required":["trees"]})");
}

TEST_CASE("schemas of all types use only keywords that are checked") {
    for (const std::string& schema :
         {schema_of<shapes::Layout>(), schema_of<std::map<std::string, std::int8_t>>(),
          schema_of<std::vector<winio::NormBox>>(), schema_of<std::uint64_t>({range{1, 2}, false}),
          schema_of<std::optional<bool>>()}) {
        CAPTURE(schema);
        const auto parsed = agent::parse_json(schema);
        REQUIRE(parsed);
        CHECK(agent::schema_mistake(*parsed).value_or("") == "");
    }
}

TEST_CASE("a tool's result names the path of a problem after the argument's presented name") {
    struct Args {
        shapes::Window window;
        std::vector<int> turns;
    };
    agent::Toolbox tools;
    tools.add<Args>(
        "arrange", "Arranges windows.",
        {agent::arg("window", &Args::window, "which window"),
         agent::arg("turns", &Args::turns, "which turns")},
        [](const Args& args, agent::ToolContext&) { return agent::ok(args.window.name); });
    agent::ToolPresentation shown{.tool = "arrange"};
    shown.arguments = {{{.name = "win",
                         .is = "window",
                         .missing_error = "no_window",
                         .invalid_error = "bad_window"},
                        {.name = "turns", .is = "turns"}}};
    const auto call = [&](const std::string& arguments) {
        winio::testing::MemoryDesktop desktop;
        agent::ToolContext context{desktop, winio::WorkArea({0, 0, 1920, 1080}), {}};
        return tools.present(std::vector{shown})
            .call({"id", "arrange", arguments, {}}, context)
            .json();
    };
    CHECK(call(R"({"win":{"name":"a","bounds":[]},"turns":[]})") == R"({"ok":true,"message":"a"})");
    CHECK(
        call(R"({"win":{"name":"a","bounds":[1,70000]},"turns":[]})") ==
        R"({"ok":false,"error":{"type":"bad_window","message":"Argument \"win.bounds[1]\": it must be a number from 0 to 65535, not 70000."}})");
    CHECK_THAT(call(R"({"win":{"bounds":[1]},"turns":[]})"),
               ContainsSubstring(
                   R"("type":"bad_window","message":"Argument \"win.name\": it is missing.")"));
    CHECK_THAT(
        call(R"({"turns":[]})"),
        ContainsSubstring(R"("type":"no_window","message":"Argument \"win\": it is missing.")"));
    CHECK_THAT(call(R"({"win":{"name":"a","bounds":[]},"turns":[1,"x"]})"),
               ContainsSubstring(R"(Argument \"turns[1]\": it must be a number from)"));
}
