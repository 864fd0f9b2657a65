#include "eyehand/agent/error.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"

#include <optional>
#include <string>

using namespace eyehand;

namespace {

using agent::arg;
using agent::fail;
using agent::ok;
using agent::range;
using agent::Toolbox;
using agent::ToolContext;

enum class Channel { left, right, both };
BOOST_DESCRIBE_ENUM(Channel, left, right, both)

struct SetVolume {
    int percent = -1;
    Channel channel = Channel::both;
    std::optional<std::string> device;
    winio::NormPoint knob;
};

/// The tool of the example in the public header; its result contains its arguments.
Toolbox volume_tools() {
    Toolbox tools;
    tools.add<SetVolume>("set_volume", "Sets how loud the speakers are.",
                         {arg("percent", &SetVolume::percent, "0 is silent", range{0, 100}),
                          arg("channel", &SetVolume::channel, "which speaker"),
                          arg("device", &SetVolume::device, "left out: the default device"),
                          arg("knob", &SetVolume::knob, "center of the knob")},
                         [](const SetVolume& args, ToolContext&) {
                             return ok()
                                 .with("percent", args.percent)
                                 .with("channel", static_cast<int>(args.channel))
                                 .with("device", args.device.value_or("default"))
                                 .with("x", args.knob.x)
                                 .with("y", args.knob.y);
                         });
    return tools;
}

std::string call(const Toolbox& tools, const std::string& name, const std::string& arguments) {
    winio::testing::MemoryDesktop desktop;
    ToolContext context{desktop, winio::WorkArea({0, 0, 1920, 1080}), {}};
    return tools.call({"id", name, arguments, {}}, context).json();
}

std::string set_volume(const std::string& arguments) {
    return call(volume_tools(), "set_volume", arguments);
}

} // namespace

TEST_CASE("a tool's schema lists its arguments in the order of registration") {
    const auto specs = volume_tools().specs();
    REQUIRE(specs.size() == 1);
    CHECK(specs[0].name == "set_volume");
    CHECK(specs[0].description == "Sets how loud the speakers are.");
    CHECK(
        specs[0].parameters_json ==
        R"({"type":"object","properties":{)"
        R"("percent":{"description":"0 is silent","type":"integer","minimum":0,"maximum":100},)"
        R"("channel":{"description":"which speaker","type":"string","enum":["left","right","both"]},)"
        R"("device":{"description":"left out: the default device","type":"string"},)"
        R"("knob":{"description":"center of the knob","type":"array","items":{"type":"number"},"minItems":2,"maxItems":2}},)"
        R"("required":["percent","channel","knob"]})");
}

TEST_CASE("arguments reach the callable as the struct's members") {
    CHECK(set_volume(R"({"percent":30,"channel":"left","device":"HDMI","knob":[250,500.5]})") ==
          R"({"ok":true,"percent":30,"channel":0,"device":"HDMI","x":250,"y":500.5})");
}

TEST_CASE("an optional argument may be absent or null") {
    CHECK_THAT(set_volume(R"({"percent":1,"channel":"both","knob":[0,0]})"),
               ContainsSubstring(R"("device":"default")"));
    CHECK_THAT(set_volume(R"({"percent":1,"channel":"both","device":null,"knob":[0,0]})"),
               ContainsSubstring(R"("device":"default")"));
}

TEST_CASE("numbers in quotes, unknown members and enum names in capitals are accepted") {
    CHECK_THAT(set_volume(R"({"percent":" 42 ","channel":"RIGHT","knob":["1","2"],"hurry":true})"),
               ContainsSubstring(R"("percent":42,"channel":1)"));
}

TEST_CASE("arguments may be JSON inside a JSON string") {
    CHECK_THAT(set_volume(R"("{\"percent\":7,\"channel\":\"left\",\"knob\":[1,1]}")"),
               ContainsSubstring(R"("percent":7)"));
}

TEST_CASE("coordinates are clamped, other numbers are not") {
    CHECK_THAT(set_volume(R"({"percent":1,"channel":"left","knob":[-5,5000]})"),
               ContainsSubstring(R"("x":0,"y":1000)"));
    CHECK(
        set_volume(R"({"percent":101,"channel":"left","knob":[1,1]})") ==
        R"({"ok":false,"error":{"type":"invalid_args","message":"Argument \"percent\": it must be a number from 0 to 100, not 101."}})");
}

TEST_CASE("problems with arguments have messages that a model can act on") {
    CHECK_THAT(set_volume(R"({"channel":"left","knob":[1,1]})"),
               ContainsSubstring(R"(Argument \"percent\": it is missing.)"));
    CHECK_THAT(set_volume(R"({"percent":1,"channel":"middle","knob":[1,1]})"),
               ContainsSubstring("it must be one of left, right, both, not"));
    CHECK_THAT(set_volume(R"({"percent":1,"channel":"left","knob":"here"})"),
               ContainsSubstring("it must be [x, y]"));
    CHECK_THAT(set_volume(R"({"percent":1e300,"channel":"left","knob":[1,1]})"),
               ContainsSubstring("it must be a number from 0 to 100"));
}

TEST_CASE("arguments that are not a JSON object have their own errors") {
    CHECK_THAT(set_volume("{percent: 1}"), ContainsSubstring(R"("type":"invalid_json")"));
    CHECK_THAT(set_volume("[1,2]"), ContainsSubstring(R"("type":"invalid_args")"));
    CHECK_THAT(set_volume(""), ContainsSubstring("it is missing"));
}

TEST_CASE("deeply nested arguments are rejected") {
    CHECK_THAT(set_volume(std::string(100000, '[')), ContainsSubstring(R"("type":"invalid_json")"));
}

TEST_CASE("the result for an unknown tool names the known ones") {
    CHECK(
        call(volume_tools(), "set_brightness", "{}") ==
        R"({"ok":false,"error":{"type":"unknown_tool","message":"Unknown tool \"set_brightness\". Use one of: set_volume."}})");
}

TEST_CASE("a tool cannot be registered twice") {
    Toolbox tools = volume_tools();
    try {
        tools.add<SetVolume>("set_volume", "", {},
                             [](const SetVolume&, ToolContext&) { return ok(); });
        FAIL("no exception");
    } catch (const agent::Error& error) {
        CHECK(error.code() == agent::errc::duplicate_tool);
    }
}

TEST_CASE("copies of a toolbox are independent") {
    const auto add_mute = [](Toolbox& tools) {
        tools.add<SetVolume>("mute", "", {}, [](const SetVolume&, ToolContext&) { return ok(); });
    };
    Toolbox original = volume_tools();
    Toolbox copy = original;
    add_mute(copy);
    CHECK(copy.has("mute"));
    CHECK_FALSE(original.has("mute"));
    copy = original;
    CHECK_FALSE(copy.has("mute"));
    add_mute(original);
    CHECK_FALSE(copy.has("mute"));
    CHECK(copy.has("set_volume"));
    const Toolbox& itself = copy;
    copy = itself;
    CHECK(copy.has("set_volume"));
}

TEST_CASE("a moved-from toolbox is empty and can be used again") {
    Toolbox source = volume_tools();
    Toolbox target = std::move(source);
    CHECK(target.has("set_volume"));
    // NOLINTBEGIN(bugprone-use-after-move): the header promises this.
    CHECK(source.specs().empty());
    CHECK_FALSE(source.has("set_volume"));
    CHECK(source.id_of("set_volume").empty());
    CHECK_THAT(call(source, "set_volume", "{}"), ContainsSubstring("unknown_tool"));
    const Toolbox copy = source;
    CHECK(copy.specs().empty());
    source = std::move(target);
    CHECK(source.has("set_volume"));
    target.add(source);
    CHECK(target.has("set_volume"));
    // NOLINTEND(bugprone-use-after-move)
}

TEST_CASE("a presentation gives a tool another name, other argument names and another order") {
    agent::ToolPresentation presentation{"set_volume", "loudness", "Louder or softer.",
                                         std::nullopt};
    presentation.arguments = {
        {{.name = "reason", .description = "why"},
         {.name = "at", .is = "knob"},
         {.name = "how_much", .is = "percent", .invalid_error = "bad_percent"},
         {.name = "side", .is = "channel"}}};
    const Toolbox tools = volume_tools().present(std::vector{presentation});
    const auto spec = tools.specs().at(0);
    CHECK(spec.name == "loudness");
    CHECK_THAT(spec.parameters_json,
               ContainsSubstring(R"("required":["reason","at","how_much","side"])"));
    CHECK(call(tools, "loudness",
               R"({"reason":"too soft","at":[5,6],"how_much":80,"side":"left"})") ==
          R"({"ok":true,"percent":80,"channel":0,"device":"default","x":5,"y":6})");
    CHECK_THAT(call(tools, "loudness", R"({"at":[5,6],"how_much":800,"side":"left"})"),
               ContainsSubstring(R"("type":"bad_percent","message":"Argument \"how_much\")"));
    CHECK_THAT(call(tools, "set_volume", "{}"), ContainsSubstring("unknown_tool"));
    const auto arguments = tools.arguments("loudness");
    REQUIRE(arguments);
    CHECK(arguments->size() == 4);
    CHECK(arguments->at(0).ignored);
    CHECK(arguments->at(1).id == "knob");
    CHECK(arguments->at(1).name == "at");
    CHECK_FALSE(tools.arguments("set_volume"));
}

TEST_CASE("a presentation cannot name unknown arguments or omit required ones") {
    const auto refusal = [](agent::ToolPresentation presentation) {
        try {
            (void)volume_tools().present(std::vector{std::move(presentation)});
        } catch (const agent::Error& error) {
            return std::string(error.what());
        }
        return std::string("no exception");
    };
    CHECK_THAT(refusal({"mute", {}, {}, std::nullopt}),
               ContainsSubstring("known tools: set_volume"));
    agent::ToolPresentation unknown{"set_volume", {}, {}, {{{.name = "a", .is = "volume"}}}};
    CHECK_THAT(refusal(unknown), ContainsSubstring(R"(it has no argument "volume")"));
    agent::ToolPresentation relaxed{
        "set_volume", {}, {}, {{{.name = "a", .is = "percent", .required = false}}}};
    CHECK_THAT(refusal(relaxed), ContainsSubstring(R"(its argument "percent" is required)"));
    agent::ToolPresentation too_few{"set_volume", {}, {}, {{{.name = "a", .is = "percent"}}}};
    CHECK_THAT(refusal(too_few), ContainsSubstring(R"(its argument "channel" cannot be left out)"));
}

TEST_CASE("results are JSON, whatever they contain") {
    CHECK(ok().json() == R"({"ok":true})");
    CHECK(ok("done").with("text", "a \"b\"\n\xFF").with("n", 2.5).json() ==
          "{\"ok\":true,\"message\":\"done\",\"text\":\"a \\\"b\\\"\\n\xEF\xBF\xBD\",\"n\":2.5}");
    CHECK(fail("no_luck", "try later").json() ==
          R"({"ok":false,"error":{"type":"no_luck","message":"try later"}})");
}
