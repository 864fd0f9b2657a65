// Tests settings: precedence of layers, sources of values, and error messages.
#include "base/edit_distance.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/team_settings.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/session/config.hpp"

#include "catch.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <stdexcept>

using namespace eyehand;

namespace {

using namespace agent;
using namespace session;

const SettingRegistry& built_in = SettingRegistry::built_in();

std::vector<ConfigEntry> variables(const std::map<std::string, std::string>& all) {
    std::vector<std::string> present;
    for (const auto& [name, value] : all) present.push_back(name);
    return config_from_variables(
        [&](const std::string& name) -> std::optional<std::string> {
            const auto found = all.find(name);
            return found == all.end() ? std::nullopt : std::optional(found->second);
        },
        present);
}

/// The message of the error that `call` throws; fails if it throws none.
template <class Call>
std::string complaint(Call call) {
    try {
        call();
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_config);
        return error.what();
    }
    FAIL("no error was thrown");
    return {};
}
std::string complaint_of_file(const std::string& text) {
    return complaint([&] { (void)parse_config(text, "eyehand.json"); });
}

std::string source(const Config& config, const char* name) { return config.find(name)->source; }

} // namespace

TEST_CASE("the setting coordinates accepts the words of all conventions, and changes the profile") {
    for (const std::string& word : coordinate_words()) {
        INFO(word);
        Profile profile = load_profile("observer");
        Config config = default_config();
        config.add(config_of(profile));
        CHECK(config.text("coordinates") == "auto");
        config.add(config_from_flag("coordinates", "--coordinates", word));
        apply(config, profile);
        CHECK(profile.coordinates == parse_coordinate_convention(word));
    }
    CHECK_THAT(complaint([] { (void)config_from_flag("coordinates", "--coordinates", "pixels"); }),
               ContainsSubstring("norm1000"));
}

TEST_CASE("a later layer overrides earlier ones, in any order of addition") {
    Config config = default_config();
    CHECK(config.integer("retries") == 2);
    CHECK(source(config, "retries") == "default");

    config.add(config_from_flag("model", "--model", "flag"));
    config.add(variables({{"LMSTUDIO_MODEL", "variable"}, {"EYEHAND_RETRIES", "4"}}));
    config.add(parse_config(R"({"model": "file", "retries": 3, "top_p": 0.5})", "eyehand.json"));
    config.add(config_of(load_profile("observer")));
    CHECK(config.text("model") == "flag");
    CHECK(source(config, "model") == "--model");
    CHECK(config.integer("retries") == 4);
    CHECK(source(config, "retries") == "EYEHAND_RETRIES");
    CHECK(config.number("top_p") == 0.5);
    CHECK(source(config, "top_p") == "eyehand.json:1");
    CHECK(source(config, "max_turns") == "profile");
}

TEST_CASE("the variable EYEHAND_... takes precedence over the older name") {
    const auto entries = variables({{"LMSTUDIO_MODEL", "old"}, {"EYEHAND_MODEL", "new"}});
    REQUIRE(entries.size() == 1);
    CHECK(std::get<std::string>(entries[0].value) == "new");
    CHECK(entries[0].source == "EYEHAND_MODEL");
}

TEST_CASE("the old name of a setting is accepted in files and variables") {
    const auto entries = variables({{"EYEHAND_MAX_STEPS", "7"}});
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].setting == built_in.find("max_turns"));
    CHECK(entries[0].source == "EYEHAND_MAX_STEPS");
    CHECK(variables({{"EYEHAND_MAX_STEPS", "7"}, {"EYEHAND_MAX_TURNS", "8"}})[0].source ==
          "EYEHAND_MAX_TURNS");
    Config config;
    config.add(parse_config("{\"max_steps\": 9}", "eyehand.json"));
    CHECK(config.integer("max_turns") == 9);
    config.add(parse_config("{\"silence_timeout\": 30}", "eyehand.json"));
    CHECK(config.duration("idle_timeout") == std::chrono::seconds{30});
}

TEST_CASE("every setting has a variable, and the older names are accepted") {
    for (const SettingSpec& setting : built_in.all())
        CHECK(built_in.find(setting.name) == &setting);
    CHECK(variable_of(*built_in.find("max_turns")) == "EYEHAND_MAX_TURNS");
    const auto entries = variables({{"LMSTUDIO_ENDPOINT", "http://a"},
                                    {"LMSTUDIO_TIMEOUT", "-1"},
                                    {"LMSTUDIO_TEMPERATURE", "0"},
                                    {"LMSTUDIO_MAX_TOKENS", "7"},
                                    {"AGENT_IMAGE_W", "640"},
                                    {"AGENT_IMAGE_H", "480"},
                                    {"AGENT_DUMP_DIR", "d"},
                                    {"AGENT_DUMP_PREFIX", "screen_"},
                                    {"AGENT_DUMP_START", "0"},
                                    {"AGENT_KEEP_LAST_SCREENSHOTS", "3"},
                                    {"AGENT_KEEP_LAST_THINKS", "5"},
                                    {"AGENT_MAX_STEPS", "9"},
                                    {"AGENT_STEP_DELAY", "0.4"},
                                    {"LMSTUDIO_MODEL", ""}});
    CHECK(entries.size() == 13); // an empty variable counts as unset
}

TEST_CASE("a file may have comments, trailing commas, a byte order mark and null") {
    Config config;
    config.add(
        parse_config("\xEF\xBB\xBF// mine\n{\n  /* who\n is asked */ \"model\": \"m // no "
                     "comment\", \n  \"with\": [\"wait\", \"drag\",], // two\n"
                     "  \"stream\": false,\n  \"top_p\": null,\n  \"timeout\": 1e1,\n}\n// end",
                     "eyehand.json"));
    CHECK(config.text("model") == "m // no comment");
    CHECK(source(config, "model") == "eyehand.json:4");
    CHECK(config.list("with") == std::vector<std::string>{"wait", "drag"});
    CHECK(source(config, "with") == "eyehand.json:5");
    CHECK_FALSE(config.boolean("stream"));
    CHECK(config.find("top_p") == nullptr);
    CHECK(config.duration("timeout") == std::chrono::seconds(10));
}

TEST_CASE("an error in a file names the line and the requirement") {
    struct Row {
        const char* text;
        const char* words;
    };
    const Row row = GENERATE(
        Row{"{\n\n\"max_step\": 5}", "eyehand.json:3: unknown setting \"max_step\"; did you "
                                     "mean \"max_turns\"?"},
        Row{"{\"tempreature\": 1}", "did you mean \"temperature\"?"},
        Row{"{\n\"max_turns\": \"20\"}",
            "eyehand.json:2: \"max_turns\" is \"20\"; it must be a whole number from 1 to 1000000"},
        Row{"{\"max_turns\": 0}", "from 1 to 1000000"},
        Row{"{\"max_turns\": 99999999999999999999}", "from 1 to 1000000"},
        Row{"{\"top_p\": 1.5}", "\"top_p\" is \"1.5\"; it must be a number from 0 to 1"},
        Row{"{\"stream\": 1}", "must be true or false"},
        Row{"{\"with\": \"wait\"}", "an array of strings"},
        Row{"{\"with\": [\"\"]}", "an array of strings"},
        Row{"{\"crop\": \"1,2\"}", "must be x1,y1,x2,y2"},
        Row{"{\"image\": \"\"}", "\"image\" is empty; set a value"},
        Row{"{\"screenshot_prefix\": \"../x\"}", "the beginning of a file name"},
        Row{"{\"model\": {\"a\": 1}}", "\"model\" is {\"a\":1}; it must be a string"},
        Row{"{\"api_key\": \"k\"}", "set the variable EYEHAND_API_KEY"},
        Row{"{\"model\": \"a\",\n\"model\": \"b\"}",
            "eyehand.json:2: \"model\" is already set at eyehand.json:1"},
        Row{"{\"display\": \"1\",\n\"window\": \"b\"}", "eyehand.json:2: a window and a display"},
        Row{"[]", "eyehand.json:1: an object is expected"}, Row{"", "an object is expected"},
        Row{"{\n\"model\": tru}", "eyehand.json:2: this is not JSON"},
        Row{"{\n\"model\" \"a\"}", "eyehand.json:2: a colon is expected"},
        Row{"{\"model\": \"a\"\n\"top_p\": 1}", "this is not JSON"},
        Row{"{\"model\": \"a\"", "a comma or the closing brace"},
        Row{"{\n\"model", "eyehand.json:2: the name has no closing quotation mark"},
        Row{"{\n/* \"model\": 1}", "eyehand.json:2: the comment is not closed"},
        Row{"{} {}", "after the closing brace"}, Row{"{model: 1}", "in quotation marks"});
    CHECK_THAT(complaint_of_file(row.text), ContainsSubstring(row.words));
}

TEST_CASE("an error in a variable names the variable") {
    const auto of = [](const char* name, const char* value) {
        return complaint([&] { (void)variables({{name, value}}); });
    };
    CHECK(of("AGENT_MAX_STEPS", "lots") ==
          "the environment variable AGENT_MAX_STEPS is \"lots\"; it must be a whole number from 1 "
          "to 1000000");
    CHECK_THAT(of("EYEHAND_TEMPERATURE", "nan"), ContainsSubstring("EYEHAND_TEMPERATURE is"));
    CHECK(of("EYEHAND_MAXSTEPS", "5") ==
          "the environment variable EYEHAND_MAXSTEPS is not a setting; "
          "did you mean EYEHAND_MAX_TURNS?");
    const std::string key = of("EYEHAND_API_KEY", "two words");
    CHECK_THAT(key, ContainsSubstring("EYEHAND_API_KEY holds a space") &&
                        !ContainsSubstring("two words"));
    CHECK(variables({{"EYEHAND_DESKTOP_STATE", "x"}, {"EYEHAND_CONFIG", "y"}}).empty());
}

TEST_CASE("an error in a flag names the flag") {
    CHECK_THAT(complaint([] { (void)config_from_flag("display", "--display", ""); }),
               ContainsSubstring("--display is empty; set a value or leave it out"));
    CHECK_THAT(complaint([] { (void)config_from_flag("crop", "--crop", "500,500,500,900"); }),
               ContainsSubstring("--crop is \"500,500,500,900\"; it must be x1,y1,x2,y2"));
}

TEST_CASE("a key is never printed or stored") {
    Config config;
    config.add(variables({{"EYEHAND_API_KEY", "my-secret"}}));
    CHECK(config.text("api_key") == "my-secret");
    for (const Setting& setting : effective_settings(config)) CHECK(setting.value != "my-secret");
    CHECK(to_string(*built_in.find("api_key"), config.find("api_key")->value) == "set");
}

TEST_CASE("a side of the image size counts if a later layer sets it") {
    const auto shown = [](const Config& config) {
        const ImageSizeSetting setting = image_size_setting(config);
        return winio::to_string(setting.size) + " by " + setting.source;
    };
    Config config;
    config.add(config_of(load_profile("observer")));
    CHECK(shown(config) == "1536x864 by profile");
    config.add(variables({{"AGENT_IMAGE_W", "640"}}));
    CHECK(shown(config) == "640x864 by AGENT_IMAGE_W");
    config.add(variables({{"AGENT_IMAGE_H", "480"}}));
    CHECK(shown(config) == "640x480 by AGENT_IMAGE_W, AGENT_IMAGE_H");
    config.add(config_from_flag("image_exact", "--image-exact", "true"));
    CHECK(shown(config) == "640x480! by AGENT_IMAGE_W, AGENT_IMAGE_H");
    config.add(config_from_flag("image", "--image", "60%"));
    CHECK_THAT(complaint([&] { (void)image_size_setting(config); }),
               ContainsSubstring("--image-exact requires a size"));
}

TEST_CASE("a window replaces the display of an earlier layer, and vice versa") {
    Config config;
    config.add(parse_config(R"({"window": "Notepad", "crop": "0,0,500,500"})", "eyehand.json"));
    CHECK(area_setting(config).window->title == "Notepad");
    config.add(config_from_flag("display", "--display", "all"));
    const winio::AreaChoice choice = area_setting(config);
    CHECK(choice.display == "all");
    CHECK_FALSE(choice.window);
    CHECK(choice.crop);
}

TEST_CASE("redact names windows and areas, in a file as an array") {
    Config config;
    config.add(parse_config(R"({"redact": ["title:My vault: main", "process:keepassxc",
        "class:Vault", "area:640x480+10+-20", "password_fields"]})",
                            "eyehand.json"));
    const winio::Redaction redaction = redaction_setting(config);
    REQUIRE(redaction.windows.size() == 3);
    CHECK(redaction.windows[0].title == "My vault: main");
    CHECK(redaction.windows[1].process == "keepassxc");
    CHECK(redaction.windows[2].window_class == "Vault");
    CHECK(redaction.areas == std::vector<winio::Rect>{{10, -20, 640, 480}});
    CHECK(redaction.password_fields);
    Config again = default_config();
    again.add(config_from_settings(effective_settings(config), "run.json"));
    CHECK(again.list("redact") == config.list("redact"));
}

TEST_CASE("redact refuses what it does not understand, and names the source") {
    const auto* const element =
        GENERATE("vault", "title:", "window:vault", "area:640x480", "area:0x10+0+0",
                 "area:10x10+0+0+", "area:10x10+99999999999+0", "area:5000000x1+0+0", "title:a,b");
    Config config;
    config.add(parse_config(fmt::format(R"({{"redact": ["{}"]}})", element), "eyehand.json"));
    const std::string said = complaint([&] { (void)redaction_setting(config); });
    CHECK_THAT(said, ContainsSubstring("eyehand.json") && ContainsSubstring(element));
}

TEST_CASE("an untrusted file cannot change what screenshots show") {
    Config config = default_config();
    config.add(config_from_flag("redact", "--redact", "process:keepassxc"));
    config.add_untrusted(
        parse_config(R"({"redact": [], "redact_own_windows": false})", "eyehand.json"));
    CHECK(config.list("redact") == std::vector<std::string>{"process:keepassxc"});
    CHECK(config.boolean("redact_own_windows"));
    CHECK(config.ignored().size() == 2);
}

TEST_CASE("reasoning settings are applied to both roles of a team, and -1 removes a budget") {
    Profile profile = load_profile("commander");
    profile.sampling.reasoning_effort = vlm::ReasoningEffort::low;
    TeamSettings& team = *profile.settings<TeamSettings>();
    team.lead.sampling.thinking_tokens = 100;
    Config config = default_config();
    config.add(config_of(profile));
    CHECK(config.text("reasoning_effort") == "low");
    config.add(parse_config(R"({"reasoning_effort": "xhigh", "thinking_tokens": -1})", "f"));
    apply(config, profile);
    CHECK(team.lead.sampling.reasoning_effort == vlm::ReasoningEffort::xhigh);
    CHECK(team.worker.sampling.reasoning_effort == vlm::ReasoningEffort::xhigh);
    CHECK_FALSE(team.lead.sampling.thinking_tokens);
    config.add(config_from_flag("thinking_tokens", "--thinking-tokens", "0"));
    apply(config, profile);
    CHECK(team.lead.sampling.thinking_tokens == 0);
}

TEST_CASE("image_detail is applied to both roles of a team") {
    Profile profile = load_profile("commander");
    Config config = default_config();
    config.add(config_of(profile));
    CHECK_FALSE(config.text("image_detail"));
    config.add(config_from_flag("image_detail", "--image-detail", "low"));
    apply(config, profile);
    TeamSettings& team = *profile.settings<TeamSettings>();
    CHECK(team.lead.sampling.image_detail == vlm::ImageDetail::low);
    CHECK(team.worker.sampling.image_detail == vlm::ImageDetail::low);
}

TEST_CASE("the format of screenshots is PNG, or that of the latest layer with its quality") {
    using winio::ImageFormat;
    using winio::JpegOptions;
    using winio::PngOptions;
    const auto chosen = [](const ImageFormat& of_profile, const std::string& file,
                           const std::string& flag = {}) {
        Profile profile = load_profile("observer");
        profile.image_format = of_profile;
        Config config = default_config();
        config.add(config_of(profile));
        config.add(parse_config(file, "f"));
        if (!flag.empty()) config.add(config_from_flag("image_format", "--image-format", flag));
        CHECK(image_format_setting(config).index() == [&] {
            apply(config, profile);
            return profile.image_format.index();
        }());
        return profile.image_format;
    };
    const ImageFormat png = PngOptions{};
    const ImageFormat jpeg = JpegOptions{};
    const ImageFormat coarse = JpegOptions{.quality = 30};
    CHECK(chosen(png, "{}") == png);
    CHECK(chosen(PngOptions{.level = 3}, "{}") == ImageFormat{PngOptions{.level = 3}});
    CHECK(chosen(png, R"({"image_format": "jpeg"})") == jpeg);
    CHECK(chosen(png, R"({"image_format": "jpeg", "image_quality": 30})") == coarse);
    CHECK(chosen(png, R"({"image_quality": 30})", "jpeg") == coarse);
    CHECK(chosen(coarse, "{}") == coarse);
    CHECK(chosen(jpeg, R"({"image_quality": 30})") == coarse);
    // The quality of the profile belongs to its format.
    CHECK(chosen(coarse, "{}", "jpeg") == jpeg);
    CHECK(chosen(coarse, "{}", "png") == png);
    CHECK(chosen(png, R"({"image_format": "jpeg", "image_quality": 30})", "png") == png);
}

TEST_CASE("a quality of PNG, an unknown format and a missing format are refused with the remedy") {
    const auto refusal = [](const std::string& file) {
        return complaint([&] {
            Config config = default_config();
            config.add(parse_config(file, "f"));
            (void)image_format_setting(config);
        });
    };
    CHECK_THAT(refusal(R"({"image_quality": 30})"),
               ContainsSubstring("f:1: PNG is lossless and has "
                                 "no quality; choose jpeg"));
    CHECK_THAT(refusal(R"({"image_quality": 0, "image_format": "jpeg"})"),
               ContainsSubstring("from 1 to 100"));
    CHECK_THAT(refusal(R"({"image_format": "gif"})"), ContainsSubstring("png, jpeg, webp"));
    if (!winio::is_supported(winio::WebpOptions{}))
        CHECK_THAT(refusal(R"({"image_format": "webp"})"),
                   ContainsSubstring("this build cannot encode webp; choose png or jpeg"));
}

TEST_CASE("the name of a file can choose the format of a screenshot instead") {
    Config config = default_config();
    config.add(parse_config(R"({"image_format": "jpeg", "image_quality": 30})", "f"));
    CHECK(image_format_setting(config, winio::PngOptions{}) ==
          winio::ImageFormat{winio::PngOptions{}});
    CHECK(image_format_setting(config, winio::JpegOptions{}) ==
          winio::ImageFormat{winio::JpegOptions{.quality = 30}});
    Config quality = default_config();
    quality.add(config_from_flag("image_quality", "--image-quality", "30"));
    CHECK(image_format_setting(quality, winio::JpegOptions{}) ==
          winio::ImageFormat{winio::JpegOptions{.quality = 30}});
    CHECK_THROWS_AS(image_format_setting(quality, winio::PngOptions{}), Error);
}

TEST_CASE("settings of later layers are applied to the profile and to both roles of a team") {
    Profile profile = load_profile("observer");
    profile.mode = "team";
    profile.mode_settings = TeamSettings{};
    profile.settings<TeamSettings>()->lead.sampling.temperature = 0.35;
    Config config = default_config();
    config.add(config_of(profile));
    apply(config, profile);
    CHECK(profile.settings<TeamSettings>()->lead.sampling.temperature == 0.35);
    CHECK(profile.sampling.temperature == 0.6);

    config.add(parse_config(R"({"temperature": 0.1, "max_tokens": 9, "step_delay": 0.25,
                                "keep_screenshots": 7, "drop_thinks": 1})",
                            "f"));
    apply(config, profile);
    CHECK(profile.sampling.temperature == 0.1);
    CHECK(profile.settings<TeamSettings>()->lead.sampling.temperature == 0.1);
    CHECK(profile.settings<TeamSettings>()->worker.sampling.max_tokens == 9);
    CHECK(profile.step_delay == std::chrono::milliseconds(250));
    CHECK(profile.screenshots == Retention{7, 8});
    CHECK(profile.thinks == Retention{2, 1});
}

TEST_CASE("effective settings have durations in milliseconds and an endpoint without its query") {
    Config config = default_config();
    config.add(config_of(load_profile("observer")));
    config.add(config_from_flag("endpoint", "--endpoint", "http://a/v1?key=k"));
    std::map<std::string, std::string> all;
    for (const Setting& setting : effective_settings(config)) all[setting.name] = setting.value;
    CHECK(all.at("timeout_ms") == "240000");
    CHECK(all.at("step_delay_ms") == "0");
    CHECK(all.at("endpoint") == "http://a/v1");
    CHECK(all.at("stream") == "true");
    CHECK_FALSE(all.contains("image_exact"));
}

TEST_CASE("the edit distance counts swapped neighbors once") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("abc", "abc") == 0);
    CHECK(edit_distance("abc", "acb") == 1);
    CHECK(edit_distance("abc", "ab") == 1);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("the settings of the visual loop have their older names") {
    Profile profile = load_profile("story");
    Config config = default_config();
    config.add(config_of(profile));
    config.add(parse_config(R"({
        "capture_crop": {"x1": 0, "y1": 0, "x2": 250, "y2": 250.5}, "runs_dir": "my-runs",
        "capture_delay": 0.5, "action_delay": 0.1, "drag_steps": 3, "drag_step_delay": 0.02, "type_delay": 0.01,
        "log_layout": "turn_dirs", "log_to_file": false, "log_level": "debug",
        "physical_execution": false, "extended_actions": true, "boot": "{}", "heat": false,
        "temperature": 0.7, "top_p": 0.8, "max_tokens": 500})",
                            "eyehand.json"));
    apply(config, profile);
    CHECK(config.text("run_dir") == "my-runs");
    CHECK(area_setting(config).crop == winio::NormBox{0, 0, 250, 250.5});
    CHECK(profile.pace == Pace{std::chrono::milliseconds(500), std::chrono::milliseconds(100), 3,
                               std::chrono::milliseconds(20), std::chrono::milliseconds(10)});
    CHECK(profile.log == LogProfile{LogLayout::turn_dirs, false, LogLevel::debug});
    CHECK_FALSE(profile.physical_execution);
    CHECK_FALSE(profile.executed_heat.enabled);
    CHECK(profile.settings<VisualLoopSettings>()->limits.extended_actions);
    CHECK(profile.settings<VisualLoopSettings>()->boot == "{}");
    CHECK(profile.sampling.temperature == 0.7);
}

TEST_CASE("without other settings every profile stays unchanged") {
    for (const std::string& name : profile_names()) {
        Profile profile = load_profile(name);
        Config config = default_config();
        config.add(config_of(profile));
        apply(config, profile);
        CHECK(to_json(profile) == to_json(load_profile(name)));
    }
}

TEST_CASE("heat can be turned on for any profile") {
    Profile profile = load_profile("observer");
    Config config = default_config();
    config.add(config_of(profile));
    config.add(config_from_flag("heat", "--heat", "true"));
    apply(config, profile);
    CHECK(profile.executed_heat.enabled);
}

namespace {

/// A built-in profile with settings from a file and from variables.
Profile configured(const std::string& name, const std::string& file,
                   std::map<std::string, std::string> set = {}) {
    Profile profile = load_profile(name);
    Config config = default_config();
    config.add(config_of(profile));
    config.add(parse_config(file, "eyehand.json"));
    config.add(variables(std::move(set)));
    apply(config, profile);
    return profile;
}

} // namespace

TEST_CASE("the appearance of marks and boxes is a setting") {
    const Profile story = configured(
        "story",
        R"json({"heat_radius_scale": 0.1, "heat_stops": [[0, "#ff000080"], [1, "rgba(0,0,0,0)"]],
            "heat_trail_turns": 2, "heat_trail_shrink": 1, "bbox_heat": false,
            "bbox_border": "#00ff00", "bbox_border_width": 1})json",
        {{"EYEHAND_BBOX_FILL_STOPS", R"json([[0.5, "rgb(1,2,3)"]])json"}});
    CHECK(story.executed_heat.enabled);
    CHECK(story.executed_heat.radius_scale == 0.1);
    REQUIRE(story.executed_heat.stops.size() == 2);
    CHECK(story.executed_heat.stops[0].color.red == 255);
    CHECK(story.executed_heat.trail_turns == 2);
    CHECK(story.executed_heat.trail_shrink == 1);
    CHECK_FALSE(story.bbox_heat.enabled);
    CHECK(story.bbox_heat.border == *winio::parse_rgba("#00ff00"));
    CHECK(story.bbox_heat.border_width == 1);
    CHECK(story.bbox_heat.fill_stops == std::vector<winio::GradientStop>{{0.5, {1, 2, 3, 1}}});
    CHECK_THROWS_WITH(configured("story", R"({"heat_stops": [[2, "#ffffff"]]})"),
                      ContainsSubstring("pairs of a place from 0 to 1 and a color"));
    CHECK_THROWS_WITH(configured("story", R"({"bbox_border": "blue-ish"})"),
                      ContainsSubstring("must be a color such as"));
}

TEST_CASE("values of earlier agents are accepted: no boot, nothing kept, no token limit") {
    const Profile story =
        configured("story", "{}", {{"BOOT_ENABLED", "False"}, {"EYEHAND_LOG_LEVEL", "WARNING"}});
    CHECK(story.settings<VisualLoopSettings>()->boot.empty());
    CHECK(story.log.level == LogLevel::warning);
    CHECK(configured("story", R"({"boot": "{}", "log_level": "Debug"})", {{"BOOT_ENABLED", "true"}})
              .settings<VisualLoopSettings>()
              ->boot == "{}");
    const Profile observer = configured("observer", "{}",
                                        {{"AGENT_KEEP_LAST_SCREENSHOTS", "0"},
                                         {"AGENT_KEEP_LAST_THINKS", "0"},
                                         {"LMSTUDIO_MAX_TOKENS", "-1"}});
    CHECK(observer.screenshots == Retention{1, 1}); // the model needs the current one
    CHECK(observer.thinks == Retention{0, 1});
    CHECK_FALSE(observer.sampling.max_tokens);
    CHECK(configured("commander", R"({"max_tokens": 0})")
              .settings<TeamSettings>()
              ->worker.sampling.max_tokens == std::nullopt);
}

TEST_CASE("a size overrides a percentage, and both override the image of an earlier layer") {
    struct Row {
        const char* file;
        const char* shown;
    };
    const Row row = GENERATE(
        Row{R"({"capture_width": 640, "capture_height": 480})",
            "640x480! by eyehand.json:1, eyehand.json:1"},
        Row{R"({"capture_width": 640, "capture_height": 0, "capture_scale_percent": 25})",
            "25% by eyehand.json:1"},
        Row{R"({"capture_width": 640})", "100% by profile"},
        Row{R"({"capture_scale_percent": 0})", "100% by profile"},
        Row{R"({"capture_scale_percent": 25, "image": "800x600"})", "800x600 by eyehand.json:1"});
    Config config;
    config.add(config_of(load_profile("story")));
    config.add(parse_config(row.file, "eyehand.json"));
    const ImageSizeSetting setting = image_size_setting(config);
    CHECK(winio::to_string(setting.size) + " by " + setting.source == row.shown);
}

TEST_CASE("invalid settings of a visual loop are reported") {
    const auto complaint_of = [](const char* profile_name, const char* file) {
        return complaint([&] {
            Profile profile = load_profile(profile_name);
            Config config = default_config();
            config.add(config_of(profile));
            config.add(parse_config(file, "f"));
            if (profile.settings<VisualLoopSettings>())
                profile.settings<VisualLoopSettings>()->extended_prompt.clear();
            apply(config, profile);
        });
    };
    CHECK_THAT(complaint_of("story", R"({"annotate": "page"})"),
               ContainsSubstring("must be one of native, panel"));
    CHECK_THAT(complaint_of("story", R"({"log_layout": "round"})"),
               ContainsSubstring("must be one of flat, turn_dirs, screenshots"));
    CHECK_THAT(complaint_of("story", R"({"extended_actions": true})"),
               ContainsSubstring("need \"extended_prompt\""));
    CHECK_THAT(complaint_of("story", R"({"capture_crop": {"x1": 1, "y1": 2, "x2": 3}})"),
               ContainsSubstring("must be x1,y1,x2,y2"));
    CHECK_THAT(complaint_of("story", R"({"crop": "0,0,9,9", "capture_crop": "0,0,9,9"})"),
               ContainsSubstring("is already set"));
}

TEST_CASE("a run stores only the effective one of display and window") {
    Config config = default_config();
    config.add(parse_config(R"({"display": "all"})", "eyehand.json"));
    config.add(config_from_flag("window", "--window", "Notepad"));
    const auto names = [&] {
        std::string all;
        for (const Setting& setting : effective_settings(config))
            if (setting.name == "display" || setting.name == "window") all += setting.name + " ";
        return all;
    };
    CHECK(names() == "window ");
    config.add(config_from_flag("display", "--display", "1"));
    CHECK_THROWS_AS(effective_settings(config), Error);
}

TEST_CASE("the stored settings of a run can be used to resume it") {
    Config config = default_config();
    config.add(config_of(load_profile("basic")));
    config.add(parse_config(R"({"window": "Notepad", "crop": "0,0,500,500", "settle_quiet": 0.3,
        "with": ["drag", "wait"], "screenshot_start": 0, "timeout": -1,
        "endpoint": "http://a/v1?key=k"})",
                            "eyehand.json"));
    config.add(variables({{"EYEHAND_API_KEY", "my-secret"}}));
    const std::vector<Setting> kept = effective_settings(config);

    Config again = default_config();
    again.add(config_from_settings(kept, "run.json"));
    CHECK(area_setting(again).window->title == "Notepad");
    CHECK(area_setting(again).crop == winio::NormBox{0, 0, 500, 500});
    CHECK(again.duration("settle_quiet") == std::chrono::milliseconds(300));
    CHECK(again.duration("timeout") == std::chrono::milliseconds(-1000));
    CHECK(again.list("with") == std::vector<std::string>{"drag", "wait"});
    CHECK(again.integer("screenshot_start") == 0);
    CHECK(again.text("endpoint") == "http://a/v1");
    CHECK(again.text("lmstudio_logs") == "auto");
    CHECK(again.find("api_key") == nullptr);
    CHECK(source(again, "settle_quiet") == "eyehand.json:1");
    CHECK(source(again, "lmstudio_logs") == "profile");
    again.add(config_from_flag("display", "--display", "all")); // flags override it
    CHECK(area_setting(again).display == "all");
    CHECK_FALSE(area_setting(again).window);

    // Written by another version, or edited.
    CHECK(config_from_settings({{{"color", "red", "flag"}}}, "run.json").empty());
    CHECK_THAT(complaint([] {
                   (void)config_from_settings({{{"settle_quiet_ms", "soon", "flag"}}}, "run.json");
               }),
               ContainsSubstring("run.json") && ContainsSubstring("settle_quiet_ms"));
}

TEST_CASE("the numbers of screenshots start at 0 or above") {
    Config config = default_config();
    config.add(config_from_flag("screenshot_start", "--start", "0"));
    const Profile alone = load_profile("observer"); // the first screenshot is in turn 1
    const Profile team = load_profile("commander"); // the first screenshot is before turn 1
    CHECK(screenshot_names(config, alone).offset == -1);
    CHECK(screenshot_names(config, team).offset == 0);
    config.add(config_from_flag("screenshot_start", "--start", "5"));
    config.add(config_from_flag("screenshot_prefix", "--prefix", "screen_"));
    CHECK(screenshot_names(config, team).offset == 4);
    CHECK(screenshot_names(config, team).prefix == "screen_");
}

TEST_CASE("config: settings that a component adds to a registry work in all layers") {
    const std::array own{
        SettingSpec{"volume", SettingKind::integer, "how loud", "5", 0, 11},
        SettingSpec{
            .name = "mute", .kind = SettingKind::boolean, .help = "no sound", .alias = "silent"}};
    SettingRegistry registry;
    registry.add(own);
    CHECK(SettingRegistry::built_in().find("volume") == nullptr);
    CHECK(registry.nearest("volumen") == "volume");

    Config config = default_config(registry);
    CHECK(config.integer("volume") == 5);
    config.add(parse_config(R"({"volume": 7, "silent": true})", "f", registry));
    CHECK(config.integer("volume") == 7);
    CHECK(config.boolean("mute"));
    const auto variable = [](const std::string& name) {
        return name == "EYEHAND_VOLUME" ? std::optional<std::string>("8") : std::nullopt;
    };
    config.add(config_from_variables(variable, {}, registry));
    CHECK(config.integer("volume") == 8);
    config.add(config_from_flag("volume", "--volume", "11", registry));
    CHECK(config.integer("volume") == 11);
    CHECK(config.entries().back().setting->name == "mute"); // in the order of the registry

    const std::vector<Setting> settings = effective_settings(config);
    Config again = default_config(registry);
    again.add(config_from_settings(settings, "run.json", registry));
    CHECK(again.integer("volume") == 11);
    // Without the registry they are settings of another program.
    CHECK(Config().find("volume") == nullptr);
    CHECK_NOTHROW(config_from_settings(settings, "run.json"));
    CHECK_THROWS_AS(parse_config(R"({"volume": 7})", "f"), Error);
}

TEST_CASE("config: the names of settings are unique") {
    SettingRegistry registry;
    const std::array by_name{SettingSpec{.name = "model"}};
    const std::array by_alias{SettingSpec{.name = "steps", .alias = "max_steps"}};
    CHECK_THROWS_AS(registry.add(by_name), std::invalid_argument);
    CHECK_THROWS_AS(registry.add(by_alias), std::invalid_argument);
    CHECK(registry.find("steps") == nullptr);
}

TEST_CASE("config: settings of another registry are stored once each") {
    const std::array own{SettingSpec{"volume", SettingKind::integer, "how loud", "5", 0, 11},
                         SettingSpec{"treble", SettingKind::integer, "high tones", "5", 0, 11}};
    SettingRegistry registry;
    registry.add(own);
    Config config;
    config.add(config_from_flag("treble", "--treble", "1", registry));
    config.add(config_from_flag("volume", "--volume", "2", registry));
    config.add(parse_config(R"({"treble": 3, "volume": 4})", "f", registry));
    CHECK(config.entries().size() == 2);
    CHECK(config.integer("treble") == 1);
    CHECK(config.integer("volume") == 2);
}

TEST_CASE("config: a setting requires trust unless its description says otherwise") {
    CHECK(SettingSpec{.name = "new"}.trust == SettingTrust::required);
    // The list in docs/configuration.md.
    const std::set<std::string_view> harmless{"api",
                                              "timeout",
                                              "connect_timeout",
                                              "first_byte_timeout",
                                              "idle_timeout",
                                              "stream",
                                              "retries",
                                              "probe",
                                              "temperature",
                                              "top_p",
                                              "max_tokens",
                                              "reasoning_effort",
                                              "thinking_tokens",
                                              "image",
                                              "image_exact",
                                              "image_width",
                                              "image_height",
                                              "image_format",
                                              "image_quality",
                                              "image_detail",
                                              "capture_width",
                                              "capture_height",
                                              "capture_scale_percent",
                                              "keep_screenshots",
                                              "drop_screenshots",
                                              "keep_thinks",
                                              "drop_thinks",
                                              "layered_windows",
                                              "heat",
                                              "heat_radius_scale",
                                              "heat_stops",
                                              "heat_trail_turns",
                                              "heat_trail_shrink",
                                              "bbox_heat",
                                              "bbox_border",
                                              "bbox_border_width",
                                              "bbox_fill_stops",
                                              "step_delay",
                                              "capture_delay",
                                              "settle_minimum",
                                              "settle_quiet",
                                              "settle_timeout",
                                              "reaction_timeout",
                                              "busy_timeout",
                                              "action_delay",
                                              "drag_steps",
                                              "drag_step_delay",
                                              "type_delay"};
    for (const SettingSpec& setting : built_in.all()) {
        INFO(setting.name);
        CHECK((setting.trust == SettingTrust::not_required) == harmless.contains(setting.name));
    }
    for (const std::string_view name : harmless) {
        INFO(name);
        CHECK(built_in.find(name) != nullptr);
    }
}

TEST_CASE("config: an untrusted file sets only the settings that require no trust") {
    Config config = default_config();
    config.add_untrusted(
        parse_config("{\"endpoint\": \"http://attacker.test\",\n\"top_p\": 0.5}", "eyehand.json"));
    CHECK(config.text("endpoint") == "http://localhost:1234/v1/chat/completions");
    CHECK(config.number("top_p") == 0.5);
    CHECK(source(config, "top_p") == "eyehand.json:2");
    REQUIRE(config.ignored().size() == 1);
    CHECK(config.ignored().front().setting->name == "endpoint");
    CHECK(config.ignored().front().source == "eyehand.json:1");
    for (const Setting& setting : effective_settings(config))
        CHECK(setting.value.find("attacker") == std::string::npos);
}

TEST_CASE("config: a setting of a program requires trust, too") {
    const std::array own{SettingSpec{"volume", SettingKind::integer, "how loud", "5", 0, 11}};
    SettingRegistry registry;
    registry.add(own);
    Config config = default_config(registry);
    config.add_untrusted(parse_config(R"({"volume": 11})", "f", registry));
    CHECK(config.integer("volume") == 5);
    CHECK(config.ignored().size() == 1);
}
