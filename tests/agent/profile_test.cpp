#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/team_settings.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/session/config.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace eyehand;

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

// ---- the built-in profiles ----------------------------------------------------------------------

TEST_CASE("the built-in profiles have names") {
    CHECK(profile_names() ==
          std::vector<std::string>{"basic", "commander", "observer", "planner", "story"});
}

TEST_CASE("each profile has the settings of its reference") {
    struct Row {
        const char* name;
        const char* mode;
        const char* model;
        int max_turns;
        winio::Size image;
        bool screenshot_first;
    };
    const Row row =
        GENERATE(Row{"commander", "team", "qwen3-vl-2b-instruct", 30, {1536, 864}, true},
                 Row{"planner", "team", "qwen3-vl-2b-instruct", 50, {1536, 864}, true},
                 Row{"observer", "conversation", "qwen3-vl-8b-instruct", 10, {1536, 864}, true},
                 Row{"basic", "conversation", "qwen3-vl-8b-instruct", 10, {1344, 756}, false});
    const Profile profile = load_profile(row.name);
    CHECK(profile.name == row.name);
    CHECK_FALSE(profile.description.empty());
    CHECK(profile.mode == row.mode);
    CHECK(profile.model == row.model);
    CHECK(profile.max_turns == row.max_turns);
    CHECK(profile.step_delay == std::chrono::milliseconds(0));
    CHECK(profile.image == winio::ImageSize{winio::FitWithin{row.image}});
    CHECK(profile.screenshot_first == row.screenshot_first);
    CHECK(profile.screenshots == Retention{2, 8});
    CHECK((profile.settings<TeamSettings>() != nullptr) == (profile.mode == "team"));
    CHECK(profile.extra_tools.empty());
}

TEST_CASE("each conversation has the sampling and the retention of its reference") {
    struct Row {
        const char* name;
        double temperature;
        int max_tokens;
        Retention thinks;
        SeveralCalls several;
        const char* refused;
    };
    const Row row =
        GENERATE(Row{"observer", 0.6, 2048, {2, 8}, SeveralCalls::first, "too_many_tool_calls"},
                 Row{"basic", 0.2, 2048, {1000, 1000}, SeveralCalls::none, "invalid_arguments"});
    const Profile profile = load_profile(row.name);
    CHECK(profile.sampling.temperature == row.temperature);
    CHECK(profile.sampling.max_tokens == row.max_tokens);
    CHECK(profile.thinks == row.thinks);
    CHECK(several_calls_of(profile) == row.several);
    CHECK(profile.refused_call_error == row.refused);
}

TEST_CASE("each role of a team has the phase and the sampling of its reference") {
    struct Row {
        const char* profile;
        bool leads;
        const char* name;
        const char* phase;
        double temperature;
        int max_tokens;
    };
    const Row row = GENERATE(Row{"commander", true, "commander", "EVALUATION", 0.35, 1200},
                             Row{"commander", false, "operator", "EXECUTION", 0.5, 1024},
                             Row{"planner", true, "planner", "PLANNING", 0.35, 1800},
                             Row{"planner", false, "executor", "EXECUTION", 0.5, 1400});
    const TeamSettings team = *load_profile(row.profile).settings<TeamSettings>();
    const TeamRole& role = row.leads ? team.lead : team.worker;
    CHECK(role.name == row.name);
    CHECK(role.phase == row.phase);
    CHECK(role.sampling.temperature == row.temperature);
    CHECK(role.sampling.max_tokens == row.max_tokens);
}

TEST_CASE("each team has the numbers of its reference") {
    const TeamSettings commander = *load_profile("commander").settings<TeamSettings>();
    CHECK(commander.review_interval == 5);
    CHECK(commander.review_statuses == std::vector<std::string>{"DONE", "BLOCKED"});
    CHECK(commander.compression_threshold == 8);
    CHECK(commander.plan_bytes == 500);
    CHECK_FALSE(commander.plan_ellipsis);
    CHECK(commander.without_brief == WithoutBrief::fail);
    CHECK_FALSE(commander.first_plan);
    CHECK(commander.previous_action);

    const TeamSettings planner = *load_profile("planner").settings<TeamSettings>();
    CHECK(planner.review_interval == 7);
    CHECK(planner.review_statuses ==
          std::vector<std::string>{"DONE", "COMPLETED", "COMPLETE", "BLOCKED"});
    CHECK(planner.compression_threshold == 12);
    CHECK(planner.plan_bytes == 400);
    CHECK(planner.plan_ellipsis);
    CHECK(planner.without_brief == WithoutBrief::skip);
    CHECK(planner.first_plan);
    CHECK(planner.previous_action);

    for (const TeamSettings& team : {commander, planner}) CHECK_FALSE(team.review_completion);
}

TEST_CASE("teams recover from loops, conversations are told") {
    for (const char* name : {"commander", "planner", "observer", "basic"}) {
        INFO(name);
        const Profile profile = load_profile(name);
        CHECK(profile.loops.answer ==
              (profile.settings<TeamSettings>() ? LoopAnswer::recover : LoopAnswer::tell));
        CHECK(profile.loops.repetitions == 3);
        CHECK(profile.loops.max_cycle == 4);
        CHECK(profile.loops.distance == 10);
        CHECK(profile.loops.cooldown == 3);
    }
}

namespace {

/// The tools as offered to a model: "name(argument, argument) ...", arguments in the schema's
/// order.
std::string offered(const std::vector<ToolPresentation>& presentations) {
    std::string all;
    for (const vlm::ToolSpec& spec : built_in_tools().present(presentations).specs()) {
        const auto schema = parse_json(spec.parameters_json);
        REQUIRE(schema);
        all += (all.empty() ? "" : " ") + spec.name + "(";
        const char* separator = "";
        for (const auto& [name, property] : schema->at("properties").as_object()) {
            all += separator + std::string(name);
            separator = ", ";
            CHECK_FALSE(property.at("description").as_string().empty());
        }
        all += ")";
    }
    return all;
}

} // namespace

TEST_CASE("each profile presents its tools under the names of its reference") {
    CHECK(offered(load_profile("observer").tools) ==
          "observe_screen() click_element(label, box) type_text(text) press_key(key) "
          "scroll_at_position(box, direction, amount)");
    CHECK(offered(load_profile("basic").tools) ==
          "take_screenshot() move_mouse(x, y) click_mouse() type_text(text) "
          "scroll_down(amount)");
    const TeamSettings commander = *load_profile("commander").settings<TeamSettings>();
    CHECK(offered(commander.lead.tools) ==
          "spawn_operator(operator_instructions, rationale) "
          "compress_memory(compression_summary, loop_analysis, archived_turns)");
    CHECK(offered(commander.worker.tools) ==
          "click_element(justification, label, position) "
          "double_click_element(justification, label, position) "
          "right_click_element(justification, label, position) "
          "drag_element(justification, label, start, end) type_text(justification, text) "
          "press_key(justification, key) scroll_down(justification, amount) "
          "scroll_up(justification, amount) "
          "report_progress(objective_id, status, evidence) report_completion(evidence)");
    const TeamSettings planner = *load_profile("planner").settings<TeamSettings>();
    CHECK(offered(planner.lead.tools) ==
          "update_execution_plan(instructions, reasoning) "
          "archive_completed_actions(summary, patterns_detected, archived_turns)");
    CHECK(offered(planner.worker.tools) ==
          "click_screen_element(reasoning, element_name, position) "
          "double_click_screen_element(reasoning, element_name, position) "
          "right_click_screen_element(reasoning, element_name, position) "
          "drag_screen_element(reasoning, element_name, start, end) "
          "type_text_input(reasoning, text) press_keyboard_key(reasoning, key) "
          "scroll_screen_down(reasoning, amount) scroll_screen_up(reasoning, amount) "
          "report_goal_status(goal_identifier, completion_status, evidence) "
          "report_mission_complete(evidence)");
}

TEST_CASE("the profile story matches its reference") {
    const Profile story = load_profile("story");
    CHECK(story.mode == "visual_loop");
    CHECK(story.image == winio::ImageSize{winio::Percent{100}}); // not scaled
    CHECK(story.tools.empty());
    CHECK(story.physical_execution);
    CHECK(story.executed_heat.enabled);
    CHECK(story.bbox_heat.enabled);
    CHECK(story.log == LogProfile{LogLayout::flat, true, LogLevel::info});
    CHECK(story.pace == Pace{});
    REQUIRE(story.settings<VisualLoopSettings>());
    CHECK_FALSE(story.settings<VisualLoopSettings>()->limits.extended_actions);
    CHECK_THAT(story.settings<VisualLoopSettings>()->boot, ContainsSubstring("\"observation\""));
    for (const char* word :
         {"{{task}}", "{{max_boxes}}", "{{max_actions}}", "{{extended_actions}}"})
        CHECK_THAT(story.system_prompt, ContainsSubstring(word));
    for (const char* name : {"observer", "commander"})
        CHECK_FALSE(load_profile(name).executed_heat.enabled);
}

TEST_CASE("each profile is restored from the JSON of a run") {
    for (const std::string& name : profile_names()) {
        const std::string kept = to_json(load_profile(name));
        CHECK(to_json(profile_from_json(kept, name)) == kept);
    }
}

namespace {

std::string problem_with_visual(const std::string& members) {
    return problem_with(
        R"({"schema":1,"name":"mine","mode":"visual_loop","system_prompt":"system.txt",)" +
            members + "}",
        "Do {{task}}.");
}

} // namespace

TEST_CASE("a visual loop's members are read, and errors name them") {
    struct Row {
        const char* members;
        const char* problem;
    };
    const Row row = GENERATE(
        Row{R"("visual":{})", "none"},
        Row{R"("visual":{"boot":"any text","max_boxes":0,"max_actions":1})", "none"},
        Row{R"("description":"x")", "\"visual\" is missing"},
        Row{R"("visual":{"max_actions":0})",
            "visual: \"max_actions\" must be a whole number from 1"},
        Row{R"("visual":{"boot":5})", "visual: \"boot\" must be a string"},
        Row{R"("visual":{"extended_actions":true})", "needs \"extended_prompt\""},
        Row{R"("visual":{"extended_prompt":"no.txt"})", "names a file that does not exist"},
        Row{R"("visual":{},"tools":[{"tool":"click"}])", "\"tools\" is not allowed in the mode"},
        Row{R"("visual":{},"extra_tools":["wait"],"custom_tools":false)", "none"},
        Row{R"("visual":{},"team":{})", "\"team\" belongs to the mode \"team\""},
        Row{R"("visual":{},"executed_heat":{"stops":[[0,"orange"]]})",
            "executed_heat: \"stops\" must be an array"},
        Row{R"("visual":{},"executed_heat":{"stops":[[2,"#ffffff"]]})", "\"stops\" must be"},
        Row{R"("visual":{},"executed_heat":{"stops":[0.5]})", "\"stops\" must be"},
        Row{R"("visual":{},"executed_heat":{"stops":[]})", "none"},
        Row{R"("visual":{},"executed_heat":{"radius_scale":0})", "\"radius_scale\" must be from"},
        Row{R"("visual":{},"executed_heat":{"trail_turns":0})", "\"trail_turns\" must be"},
        Row{R"("visual":{},"executed_heat":{"trail_shrink":1.5})", "\"trail_shrink\" must be from"},
        Row{R"("visual":{},"bbox_heat":{"border":"blue"})",
            "bbox_heat: \"border\" must be a color"},
        Row{R"("visual":{},"bbox_heat":{"border_width":-1})", "\"border_width\" must be"},
        Row{R"("visual":{},"pace":{"drag_steps":0})", "pace: \"drag_steps\" must be"},
        Row{R"("visual":{},"log":{"layout":"flt"})",
            "allowed values: screenshots, flat, turn_dirs"},
        Row{R"("visual":{},"log":{"layout":"turn_dirs","level":"debug"})", "none"},
        Row{R"("visual":{},"physical_execution":"no")", "\"physical_execution\" must be true"});
    CHECK_THAT(problem_with_visual(row.members), ContainsSubstring(row.problem));
}

TEST_CASE("members of a visual loop are rejected in other modes") {
    CHECK_THAT(problem_with(with(R"("visual":{})")),
               ContainsSubstring("\"visual\" belongs to the mode \"visual_loop\""));
    CHECK_THAT(problem_with(with(R"("log":{"layout":"flat"})")),
               ContainsSubstring("\"layout\" needs a mode that stores replies"));
    CHECK(problem_with(with(R"("executed_heat":{"enabled":true},"log":{"to_file":true})")) ==
          "none");
    CHECK_THAT(problem_with(R"({"schema":1,"name":"m","mode":"visual_loop","visual":{},)"
                            R"("system_prompt":"system.txt"})",
                            "No placeholder."),
               ContainsSubstring("\"system_prompt\" must contain {{task}}"));
}

TEST_CASE("a claim of completion needs a hundred characters of evidence in both teams") {
    for (const char* name : {"commander", "planner"}) {
        const std::vector<ToolPresentation> tools =
            load_profile(name).settings<TeamSettings>()->worker.tools;
        REQUIRE(tools.back().tool == "complete");
        CHECK(tools.back().arguments->at(0).min_length == 100);
    }
}

namespace {

std::vector<std::string> prompts_of(const Profile& profile) {
    if (!profile.settings<TeamSettings>()) return {profile.system_prompt};
    return {profile.settings<TeamSettings>()->lead.system_prompt,
            profile.settings<TeamSettings>()->worker.system_prompt};
}

} // namespace

TEST_CASE("each prompt is short and states the coordinate space by its corners") {
    const CoordinateConverter thousandths(CoordinateConvention::norm1000, {1000, 1000});
    for (const std::string& name : profile_names()) {
        for (const std::string& text : prompts_of(load_profile(name))) {
            const std::string prompt = thousandths.filled_in(text);
            INFO(name << ": " << prompt);
            // An estimate: English has about 3.5 bytes to a token of the models' vocabularies.
            CHECK(static_cast<double>(prompt.size()) / 3.5 <= 700);
            CHECK_THAT(prompt, ContainsSubstring("from 0 to 1000") ||
                                   ContainsSubstring("from 0 (left edge) to 1000"));
            for (const char* corner : {"op left", "op right", "ottom left", "ottom right"})
                CHECK_THAT(prompt, ContainsSubstring(corner));
            if (name == "story") continue; // has no tools, but placeholders for the mode to fill in
            CHECK_THAT(prompt, ContainsSubstring("xactly one tool"));
            CHECK(prompt.find("{{") == std::string::npos);
        }
    }
}

TEST_CASE("each prompt says that text from outside is data") {
    for (const std::string& name : profile_names())
        for (const std::string& prompt : prompts_of(load_profile(name))) {
            INFO(name << ": " << prompt);
            CHECK_THAT(prompt, ContainsSubstring("\"untrusted\"") && ContainsSubstring("screen"));
        }
}

TEST_CASE("acting roles are told to check first and to report a blocker after two failures") {
    CHECK_THAT(load_profile("commander").settings<TeamSettings>()->worker.system_prompt,
               ContainsSubstring("Two failed attempts at the same thing: report_progress with "
                                 "BLOCKED"));
    CHECK_THAT(load_profile("planner").settings<TeamSettings>()->worker.system_prompt,
               ContainsSubstring("Two failures in a row at the same thing: report_goal_status with "
                                 "BLOCKED"));
    CHECK_THAT(load_profile("basic").system_prompt, ContainsSubstring("After two failed attempts"));
    for (const char* label : {"OBJ:", "DOD:", "OBS:", "ACT:"})
        CHECK_THAT(load_profile("commander").settings<TeamSettings>()->worker.system_prompt,
                   ContainsSubstring(label));
    for (const char* label : {"LAST_ACTION_RESULT:", "CURRENT_GOAL:", "SUCCESS_CRITERIA:",
                              "SCREEN_SHOWS:", "NEXT_STEP:"})
        CHECK_THAT(load_profile("planner").settings<TeamSettings>()->worker.system_prompt,
                   ContainsSubstring(label));
}

TEST_CASE("all mistakes in arguments of the basic profile have the same error type") {
    struct Row {
        const char* tool;
        const char* arguments;
    };
    const Row row =
        GENERATE(Row{"move_mouse", R"({"x":1})"}, Row{"move_mouse", R"({"x":"left","y":1})"},
                 Row{"move_mouse", "[1,2]"}, Row{"move_mouse", "{"}, Row{"type_text", "{}"},
                 Row{"type_text", R"({"text":""})"}, Row{"type_text", R"({"text":"a\u0000b"})"},
                 Row{"take_screenshot", "[]"}, Row{"click_mouse", "nonsense"});
    winio::testing::MemoryDesktop desktop({100, 100});
    ToolContext context{desktop, winio::WorkArea({0, 0, 100, 100}), {}};
    const ToolResult result = built_in_tools()
                                  .present(load_profile("basic").tools)
                                  .call({"id", row.tool, row.arguments, {}}, context);
    INFO(row.tool << " " << row.arguments << " -> " << result.json());
    CHECK(result.error_type() == "invalid_arguments");
}

// ---- files --------------------------------------------------------------------------------------

TEST_CASE("prompts use the profile's names of tools") {
    CHECK_THAT(load_profile("observer").system_prompt, ContainsSubstring("call observe_screen"));
    CHECK_THAT(load_profile("basic").system_prompt, ContainsSubstring("take_screenshot shows"));
    CHECK_THAT(load_profile("commander").settings<TeamSettings>()->lead.system_prompt,
               ContainsSubstring("spawn_operator gives"));
    CHECK_THAT(load_profile("planner").settings<TeamSettings>()->worker.system_prompt,
               ContainsSubstring("press_keyboard_key for enter"));
}

TEST_CASE("a profile may be a folder of the user") {
    const test::TempFolder folder;
    std::ofstream(folder / "profile.json") << minimal;
    std::ofstream(folder / "system.txt") << "Use {{click}}.\r\n";
    const Profile profile = load_profile(folder.path().string());
    CHECK(profile.name == "mine");
    CHECK(profile.system_prompt == "Use click.");
    CHECK(profile.tools.size() == 1);
}

TEST_CASE("the error for a missing profile names the built-in ones") {
    try {
        (void)load_profile("obsever");
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::profile_not_found);
        CHECK_THAT(error.what(), ContainsSubstring("basic, commander, observer, planner"));
        CHECK_THAT(error.what(), ContainsSubstring(R"(did you mean "observer"?)"));
    }
}

TEST_CASE("errors in a profile name file, member and reason") {
    CHECK(problem_with(minimal) == "none");
    CHECK_THAT(problem_with("{"), ContainsSubstring("mine/profile.json is not JSON"));
    CHECK_THAT(problem_with("[]"), ContainsSubstring("must contain an object"));
    CHECK_THAT(problem_with("{}"), ContainsSubstring(R"("schema" is missing)"));
    CHECK_THAT(problem_with(R"({"schema":1})"), ContainsSubstring(R"("name" is missing)"));
    CHECK_THAT(problem_with(R"({"schema":2,"name":"x"})"), ContainsSubstring("reads up to 1"));
    CHECK_THAT(problem_with(with(R"("mode":"visual")")),
               ContainsSubstring(R"("mode" is "visual"; allowed values: conversation, team)"));
    CHECK_THAT(problem_with(with(R"("mode":"teem")")),
               ContainsSubstring(R"(did you mean "team"?)"));
    CHECK_THAT(problem_with(with(R"("team":{})")),
               ContainsSubstring(R"("team" belongs to the mode "team")"));
    CHECK_THAT(problem_with(with(R"("extra_tools":"wait")")),
               ContainsSubstring("array of strings"));
    CHECK_THAT(problem_with(with(R"("extra_tools":[1])")),
               ContainsSubstring("must contain only non-empty strings"));
    CHECK_THAT(problem_with(with(R"("several_calls":{"carry_out":"nine"})")),
               ContainsSubstring(
                   R"(several_calls: "carry_out" is "nine"; allowed values: first, none, all; )"
                   R"(did you mean "none"?)"));
    CHECK_THAT(problem_with(R"({"schema":1,"name":"x","tools":[{"tool":"type","arguments":)"
                            R"([{"name":"text","is":"text","min_length":-1}]}]})"),
               ContainsSubstring(R"(tools[0]: arguments[0]: "min_length" must be)"));
    CHECK(
        parse_profile(
            {{"profile.json", with(R"("max_steps":7)")}, {"system.txt", "Use {{click}}."}}, "mine")
            .max_turns == 7);
    CHECK_THAT(problem_with(with(R"("max_steps":0)")),
               ContainsSubstring(R"(mine/profile.json: "max_steps" must be a whole number)"));
    CHECK_THAT(problem_with(with(R"("max_turns":0)")),
               ContainsSubstring(R"(mine/profile.json: "max_turns" must be a whole number)"));
    CHECK_THAT(problem_with(with(R"("sampling":{"temperature":"hot"})")),
               ContainsSubstring(R"(mine/profile.json: sampling: "temperature" must be a number)"));
    // 0 times 10 to the 616th is not a number to Boost.JSON.
    CHECK_THAT(problem_with(with(R"("sampling":{"reasoning_effort":"extreme"})")),
               ContainsSubstring("xhigh"));
    CHECK_THAT(problem_with(with(R"("sampling":{"thinking_tokens":-1})")),
               ContainsSubstring(R"("thinking_tokens" must be a whole number from 0)"));
    CHECK_THAT(problem_with(with(R"("sampling":{"temperature":0e616})")),
               ContainsSubstring(R"("temperature" must be from 0)"));
    CHECK_THAT(problem_with(with(R"("image_format":"gif")")),
               ContainsSubstring(R"("image_format" is "gif"; allowed values: png, jpeg, webp)"));
    CHECK_THAT(problem_with(with(R"("image_quality":50)")), ContainsSubstring("PNG is lossless"));
    CHECK_THAT(problem_with(with(R"("image_format":"jpeg","image_quality":0)")),
               ContainsSubstring("must be a whole number from 1 to 100"));
    CHECK_THAT(problem_with(with(R"("sampling":{"image_detail":"sharp"})")),
               ContainsSubstring("original"));
    CHECK_THAT(problem_with(with(R"("image":[1,2])")), ContainsSubstring("must be a string"));
    CHECK_THAT(problem_with(with(R"("image":"big")")), ContainsSubstring("must be a size such as"));
    CHECK_THAT(
        problem_with(R"({"schema":1,"name":"x","system_prompt":"other.txt"})"),
        ContainsSubstring(R"("system_prompt" names a file that does not exist: "other.txt")"));
    CHECK_THAT(problem_with(R"({"schema":1,"name":"x","system_prompt":"sytem.txt"})"),
               ContainsSubstring(R"(did you mean "system.txt"?)"));
    CHECK_THAT(problem_with(minimal, " \n"), ContainsSubstring("names an empty file"));
    CHECK_THAT(problem_with(minimal, "caf\xE9"), ContainsSubstring("is not UTF-8"));
    CHECK_THAT(problem_with(R"({"schema":1,"name":"x","tools":[{"name":"y"}]})"),
               ContainsSubstring(R"(tools[0]: "tool" is missing)"));
    CHECK_THAT(problem_with(minimal, "Use {{klick}}."), ContainsSubstring("{{klick}}"));
    CHECK_THAT(problem_with(minimal, "Use {{click}} for {{task}}."), ContainsSubstring("{{task}}"));
}

TEST_CASE("unknown members are ignored") {
    CHECK(problem_with(with(R"("from_the_future":{"a":[1]})")) == "none");
}

namespace {

/// A team profile's JSON with one piece of it replaced.
std::string team_with(const std::string& from = {}, const std::string& to = {}) {
    std::string json =
        R"({"schema":1,"name":"ours","mode":"team","team":{)"
        R"("lead":{"name":"boss","phase":"PLAN","system_prompt":"a.txt","tools":[{"tool":"brief"}]},)"
        R"("worker":{"name":"hand","phase":"ACT","system_prompt":"b.txt",)"
        R"("sampling":{"temperature":0.1},"tools":[{"tool":"click"},{"tool":"complete"}]},)"
        R"("review_interval":5},"sampling":{"temperature":0.3,"top_p":0.9}})";
    if (from.empty()) return json;
    const auto at = json.find(from);
    REQUIRE(at != std::string::npos);
    return json.replace(at, from.size(), to);
}

Profile parse_team(const std::string& json) {
    return parse_profile(
        {{"profile.json", json}, {"a.txt", "Use {{brief}}."}, {"b.txt", "Use {{click}}."}}, "ours");
}

std::string team_problem(const std::string& from, const std::string& to) {
    try {
        (void)parse_team(team_with(from, to));
        return "none";
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_profile);
        return error.what();
    }
}

} // namespace

TEST_CASE("a team has two roles, its settings, and shared sampling settings") {
    const Profile profile = parse_team(team_with());
    REQUIRE(profile.settings<TeamSettings>());
    CHECK(profile.settings<TeamSettings>()->lead.name == "boss");
    CHECK(profile.settings<TeamSettings>()->lead.system_prompt == "Use brief.");
    CHECK(profile.settings<TeamSettings>()->worker.system_prompt == "Use click.");
    CHECK(profile.settings<TeamSettings>()->lead.sampling.temperature == 0.3);
    CHECK(profile.settings<TeamSettings>()->worker.sampling.temperature == 0.1);
    CHECK(profile.settings<TeamSettings>()->worker.sampling.top_p == 0.9);
    CHECK(profile.settings<TeamSettings>()->compression_threshold == 8);
    CHECK(profile.tools.empty());
    CHECK(profile.system_prompt.empty());
}

TEST_CASE("errors in a team name file, role, member and reason") {
    const std::string team = R"("team":{)";
    CHECK_THAT(team_problem(R"("mode":"team",)", R"("mode":"team","tools":[],)"),
               ContainsSubstring(R"(ours/profile.json: "tools" belongs in the roles)"));
    CHECK_THAT(team_problem(team, R"("squad":{)"), ContainsSubstring(R"("team" is missing)"));
    CHECK_THAT(team_problem(R"("lead":{)", R"("led":{)"),
               ContainsSubstring(R"(ours/profile.json: team: "lead" is missing)"));
    CHECK_THAT(team_problem(R"("name":"boss",)", ""),
               ContainsSubstring(R"(team: lead: "name" is missing)"));
    CHECK_THAT(team_problem(R"("name":"hand")", R"("name":"boss")"),
               ContainsSubstring(R"("worker" has the lead's name)"));
    CHECK_THAT(team_problem(R"("phase":"ACT",)", ""),
               ContainsSubstring(R"(team: worker: "phase" is missing)"));
    CHECK_THAT(team_problem(R"("b.txt")", R"("c.txt")"),
               ContainsSubstring(
                   R"(team: worker: "system_prompt" names a file that does not exist: "c.txt")"));
    CHECK_THAT(team_problem(R"([{"tool":"brief"}])", "[]"),
               ContainsSubstring(R"(team: lead: "tools" is missing)"));
    CHECK_THAT(team_problem(R"({"tool":"click"},)", R"({"name":"click"},)"),
               ContainsSubstring(R"(team: worker: tools[0]: "tool" is missing)"));
    CHECK_THAT(team_problem(R"("review_interval":5)", R"("review_interval":0)"),
               ContainsSubstring(R"(team: "review_interval" must be a whole number from 1)"));
    CHECK_THAT(team_problem(team, team + R"("without_brief":"fial",)"),
               ContainsSubstring(R"(is "fial"; allowed values: fail, skip; did you mean "fail"?)"));
    CHECK_THAT(team_problem(team, team + R"("first_plan":1,)"),
               ContainsSubstring(R"("first_plan" must be true or false)"));
    CHECK_THAT(team_problem(team, team + R"("review_statuses":[""],)"),
               ContainsSubstring(R"("review_statuses" must contain only non-empty strings)"));
    CHECK_THAT(team_problem(team, team + R"("review_completion":true,)"),
               ContainsSubstring(R"("review_completion" needs the tool "confirm")"));
    CHECK_THAT(team_problem(R"("temperature":0.1)", R"("temperature":3)"),
               ContainsSubstring(R"(team: worker: sampling: "temperature" must be from 0 to 2)"));
}

TEST_CASE("a profile's tools can be checked without a desktop") {
    Profile profile = load_profile("commander");
    CHECK_NOTHROW(check_tools(profile, built_in_tools(), "x"));
    profile.settings<TeamSettings>()->worker.tools.at(0).tool = "clik";
    try {
        check_tools(profile, built_in_tools(), "x");
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::unknown_tool);
        CHECK_THAT(error.what(),
                   ContainsSubstring(R"(x: operator's tools: the tool "clik" is unknown)"));
        CHECK_THAT(error.what(), ContainsSubstring(R"(did you mean "click"?)"));
    }
    profile = load_profile("basic");
    profile.extra_tools = {"hotkey", "wiat"};
    CHECK_THROWS_AS(check_tools(profile, built_in_tools(), "x"), Error);
}

TEST_CASE("the profile decides, under any name, whether LM Studio's log is kept") {
    CHECK(load_profile("basic").lmstudio_logs == "auto"); // its reference always keeps the log
    CHECK(load_profile("observer").lmstudio_logs.empty());
    const Profile mine = parse_profile(
        {{"profile.json", with(R"("lmstudio_logs":"auto")")}, {"system.txt", "Use it."}}, "mine");
    CHECK(mine.lmstudio_logs == "auto");
    session::Config config = session::default_config();
    config.add(session::config_of(mine));
    CHECK(config.text("lmstudio_logs") == "auto");
    CHECK(problem_with(with(R"("lmstudio_logs":"off")")) == "none");
    for (const char* wrong : {R"("/home")", "1"})
        CHECK_THAT(problem_with(with(std::string(R"("lmstudio_logs":)") + wrong)),
                   ContainsSubstring(R"(mine/profile.json: "lmstudio_logs" must)"));
}

TEST_CASE("byte order marks and carriage returns are removed from prompts") {
    const Profile profile = parse_profile({{"profile.json", "\xEF\xBB\xBF" + minimal},
                                           {"system.txt", "\xEF\xBB\xBFUse it.\r\nWell.\r\n"}},
                                          "mine");
    CHECK(profile.system_prompt == "Use it.\nWell.");
}

TEST_CASE("an exported folder loads as the same profile") {
    for (const std::string& name : profile_names()) {
        const test::TempFolder folder;
        for (const auto& [file, text] : profile_files(name))
            std::ofstream(folder / file, std::ios::binary) << text;
        CHECK(std::filesystem::exists(folder / "sources.md"));
        CHECK(to_json(load_profile(folder.path().string())) == to_json(load_profile(name)));
    }
}

TEST_CASE("a profile is written as complete JSON and read back") {
    for (const std::string& name : profile_names()) {
        Profile profile = load_profile(name);
        profile.extra_tools = {"wait", "hotkey"};
        profile.sampling.top_k = 7;
        profile.sampling.reasoning_effort = vlm::ReasoningEffort::minimal;
        profile.sampling.thinking_tokens = 0;
        profile.sampling.image_detail = vlm::ImageDetail::high;
        profile.image_format = winio::WebpOptions{.quality = 33};
        const std::string json = to_json(profile);
        CHECK(profile_from_json(json, "run.json").sampling.reasoning_effort ==
              vlm::ReasoningEffort::minimal);
        CHECK(profile_from_json(json, "run.json").sampling.thinking_tokens == 0);
        CHECK(profile_from_json(json, "run.json").sampling.image_detail == vlm::ImageDetail::high);
        CHECK(profile_from_json(json, "run.json").image_format == profile.image_format);
        CHECK(to_json(profile_from_json(json, "run.json")) == json);
        REQUIRE(parse_json(json));
        CHECK(parse_json(json)->at("extra_tools").as_array().size() == 2);
    }
    const auto observer = parse_json(to_json(load_profile("observer")));
    CHECK(observer->at("max_turns").as_int64() == 10);
    CHECK(observer->at("tools").as_array().size() == 5);
    CHECK(observer->at("sampling").at("temperature").as_double() == 0.6);
    const auto planner = parse_json(to_json(load_profile("planner")));
    CHECK(planner->at("team").at("without_brief").as_string() == "skip");
    CHECK(planner->at("team").at("worker").at("tools").as_array().size() == 10);
    CHECK(planner->at("team").at("plan_ellipsis").as_bool());
}

TEST_CASE("a prompt is read back unchanged, whatever it contains") {
    Profile profile = load_profile("observer");
    profile.system_prompt = "A {{placeholder}} that no profile defines.\n";
    CHECK(profile_from_json(to_json(profile), "run.json").system_prompt == profile.system_prompt);
}
