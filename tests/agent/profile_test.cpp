#include "agent/desktop_tools.hpp"
#include "agent/error.hpp"
#include "agent/profile.hpp"
#include "json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

namespace {

using namespace agent;

const std::string minimal =
    R"({"schema":1,"name":"mine","system_prompt":"system.txt","tools":[{"tool":"click"}]})";

std::string problem_with(const std::string& json, const std::string& prompt = "Use {{click}}.") {
    try {
        (void)parse_profile({{"profile.json", json}, {"system.txt", prompt}}, "mine");
        return "none";
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_profile);
        return error.what();
    }
}

/// The minimal profile with one more member.
std::string with(const std::string& member) {
    return minimal.substr(0, minimal.size() - 1) + "," + member + "}";
}

} // namespace

TEST_CASE("the observer profile has the settings of its reference") {
    const Profile observer = load_profile("observer");
    CHECK(observer.name == "observer");
    CHECK(observer.mode == "conversation");
    CHECK(observer.model == "qwen3-vl-8b-instruct");
    CHECK(observer.sampling.temperature == 0.6);
    CHECK(observer.sampling.max_tokens == 2048);
    CHECK(observer.max_steps == 10);
    CHECK(observer.image == winio::PictureSize{winio::FitWithin{{1536, 864}}});
    CHECK(observer.screenshot_first);
    CHECK(observer.screenshots == Retention{2, 8});
    CHECK(observer.thinks == Retention{2, 8});
}

TEST_CASE("prompts name the tools as the profile calls them, and state the coordinate space") {
    const std::string prompt = load_profile("observer").system_prompt;
    CHECK(prompt.find("{{") == std::string::npos);
    CHECK_THAT(prompt, ContainsSubstring("call observe_screen"));
    CHECK_THAT(prompt, ContainsSubstring("bottom right [1000, 1000]"));
}

TEST_CASE("a profile may be a folder of the user's own") {
    const test::TempFolder folder;
    std::ofstream(folder / "profile.json") << minimal;
    std::ofstream(folder / "system.txt") << "Use {{click}}.\r\n";
    const Profile profile = load_profile(folder.path().string());
    CHECK(profile.name == "mine");
    CHECK(profile.system_prompt == "Use click.");
    CHECK(profile.tools.size() == 1);
}

TEST_CASE("a profile that is not there is refused with the names of those that are") {
    try {
        (void)load_profile("obsever");
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::profile_not_found);
        CHECK_THAT(error.what(), ContainsSubstring("observer"));
    }
}

TEST_CASE("a profile's mistake is named with file, member and reason") {
    CHECK(problem_with(minimal) == "none");
    CHECK_THAT(problem_with("{"), ContainsSubstring("mine/profile.json is not JSON"));
    CHECK_THAT(problem_with("[]"), ContainsSubstring("must hold an object"));
    CHECK_THAT(problem_with("{}"), ContainsSubstring(R"("schema" is missing)"));
    CHECK_THAT(problem_with(R"({"schema":1})"), ContainsSubstring(R"("name" is missing)"));
    CHECK_THAT(problem_with(R"({"schema":2,"name":"x"})"), ContainsSubstring("reads up to 1"));
    CHECK_THAT(problem_with(with(R"("mode":"team")")), ContainsSubstring("this version has"));
    CHECK_THAT(problem_with(with(R"("max_steps":0)")),
               ContainsSubstring(R"(mine/profile.json: "max_steps" must be a whole number)"));
    CHECK_THAT(problem_with(with(R"("sampling":{"temperature":"hot"})")),
               ContainsSubstring(R"(mine/profile.json: sampling: "temperature" must be a number)"));
    CHECK_THAT(problem_with(with(R"("image":[1,2])")), ContainsSubstring("must be a text"));
    CHECK_THAT(problem_with(with(R"("image":"big")")), ContainsSubstring("must be such as"));
    CHECK_THAT(problem_with(R"({"schema":1,"name":"x","system_prompt":"other.txt"})"),
               ContainsSubstring(R"("system_prompt" names no file: "other.txt")"));
    CHECK_THAT(problem_with(R"({"schema":1,"name":"x","tools":[{"name":"y"}]})"),
               ContainsSubstring(R"(tools[0]: "tool" is missing)"));
    CHECK_THAT(problem_with(minimal, "Use {{klick}}."), ContainsSubstring("{{klick}}"));
    CHECK_THAT(problem_with(minimal, "Use {{click}} for {{task}}."), ContainsSubstring("{{task}}"));
}

TEST_CASE("members that this version does not know are ignored") {
    CHECK(problem_with(with(R"("from_the_future":{"a":[1]})")) == "none");
}

TEST_CASE("the profile in force is JSON with everything in it") {
    const auto json = parse_json(to_json(load_profile("observer")));
    REQUIRE(json);
    CHECK(json->at("max_steps").as_int64() == 10);
    CHECK(json->at("tools").as_array().size() == 5);
    CHECK(json->at("sampling").at("temperature").as_double() == 0.6);
}
