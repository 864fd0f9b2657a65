// From a Profile to JSON.
#include "annotation/annotation_json.hpp"
#include "base/text.hpp"
#include "eyehand/agent/profile.hpp"
#include "profile/words.hpp"
#include "json/json.hpp"

namespace eyehand::agent {
namespace {

json::object tool_json(const ToolPresentation& face) {
    json::object tool{{"tool", face.tool}, {"name", face.name}, {"description", face.description}};
    if (!face.invalid_error.empty()) tool["invalid"] = face.invalid_error;
    if (!face.arguments) return tool;
    json::array arguments;
    for (const ArgumentPresentation& argument : *face.arguments) {
        json::object one{{"name", argument.name},
                         {"is", argument.is},
                         {"description", argument.description},
                         {"missing", argument.missing_error},
                         {"invalid", argument.invalid_error}};
        if (argument.required) one["required"] = *argument.required;
        if (argument.min_length > 0) one["min_length"] = argument.min_length;
        arguments.emplace_back(std::move(one));
    }
    tool["arguments"] = std::move(arguments);
    return tool;
}

json::array tools_json(const std::vector<ToolPresentation>& faces) {
    json::array tools;
    for (const ToolPresentation& face : faces) tools.emplace_back(tool_json(face));
    return tools;
}

json::object sampling_json(const vlm::Sampling& sampling) {
    json::object object;
    const auto put = [&](const char* name, const auto& value) {
        if (value) object[name] = *value;
    };
    put("temperature", sampling.temperature);
    put("top_p", sampling.top_p);
    put("top_k", sampling.top_k);
    put("presence_penalty", sampling.presence_penalty);
    put("max_tokens", sampling.max_tokens);
    return object;
}

json::object retention_json(const Retention& retention) {
    return {{"keep", retention.keep}, {"batch", retention.batch}};
}

json::array texts_json(const std::vector<std::string>& texts) {
    json::array array;
    for (const std::string& text : texts) array.emplace_back(text);
    return array;
}

json::object role_json(const RoleProfile& role) {
    return {{"name", role.name},
            {"phase", role.phase},
            {"system_prompt", to_valid_utf8(role.system_prompt)},
            {"sampling", sampling_json(role.sampling)},
            {"tools", tools_json(role.tools)}};
}

json::object team_json(const TeamProfile& team) {
    return {{"lead", role_json(team.lead)},
            {"worker", role_json(team.worker)},
            {"review_interval", team.review_interval},
            {"review_statuses", texts_json(team.review_statuses)},
            {"compression_threshold", team.compression_threshold},
            {"plan_bytes", team.plan_bytes},
            {"plan_ellipsis", team.plan_ellipsis},
            {"context_bytes", team.context_bytes},
            {"without_brief", word_for(team.without_brief, without_brief_words())},
            {"first_plan", team.first_plan},
            {"previous_action", team.previous_action},
            {"review_completion", team.review_completion}};
}

json::object loops_json(const LoopProfile& loops) {
    return {{"answer", word_for(loops.answer, loop_answer_words())},
            {"repetitions", loops.repetitions},
            {"longest_cycle", loops.max_cycle},
            {"distance", loops.distance},
            {"cooldown", loops.cooldown}};
}

json::object visual_json(const VisualProfile& visual) {
    json::object all{{"boot", to_valid_utf8(visual.boot)},
                     {"max_boxes", visual.limits.boxes},
                     {"max_actions", visual.limits.actions},
                     {"extended_actions", visual.limits.extended_actions}};
    if (!visual.extended_prompt.empty())
        all["extended_prompt"] = to_valid_utf8(visual.extended_prompt);
    all["structured"] = visual.structured;
    return all;
}

json::object pace_json(const Pace& pace) {
    return {{"capture_delay_ms", pace.capture_delay.count()},
            {"action_delay_ms", pace.action_delay.count()},
            {"drag_steps", pace.drag_steps},
            {"drag_step_delay_ms", pace.drag_step_delay.count()}};
}

json::object log_json(const LogProfile& log) {
    return {{"layout", word_for(log.layout, log_layout_words())},
            {"to_file", log.to_file},
            {"level", word_for(log.level, log_level_words())}};
}

} // namespace

std::string to_json(const Profile& profile) {
    json::object all{{"schema", profile_schema},
                     {"name", profile.name},
                     {"description", profile.description},
                     {"mode", profile.mode}};
    if (!profile.team) all["system_prompt"] = to_valid_utf8(profile.system_prompt);
    if (!profile.visual) all["task_prompt"] = to_valid_utf8(profile.task_prompt);
    all["model"] = profile.model;
    all["sampling"] = sampling_json(profile.sampling);
    all["max_turns"] = profile.max_turns;
    all["step_delay_ms"] = profile.step_delay.count();
    all["image"] = winio::to_string(profile.image);
    all["screenshot_first"] = profile.screenshot_first;
    all["screenshots"] = retention_json(profile.screenshots);
    all["thinks"] = retention_json(profile.thinks);
    all["loops"] = loops_json(profile.loops);
    if (!profile.team) all["context_bytes"] = profile.context_bytes;
    all["several_calls"] = {{"carry_out", word_for(profile.several_calls, several_calls_words())},
                            {"error", profile.refused_call_error}};
    if (profile.team)
        all["team"] = team_json(*profile.team);
    else if (profile.visual)
        all["visual"] = visual_json(*profile.visual);
    else
        all["tools"] = tools_json(profile.tools);
    if (!profile.visual) all["extra_tools"] = texts_json(profile.extra_tools);
    all["executed_heat"] = to_json(profile.executed_heat);
    all["bbox_heat"] = to_json(profile.bbox_heat);
    all["physical_execution"] = profile.physical_execution;
    all["pace"] = pace_json(profile.pace);
    all["log"] = log_json(profile.log);
    if (!profile.lmstudio_logs.empty()) all["lmstudio_logs"] = profile.lmstudio_logs;
    return to_text(all);
}

} // namespace eyehand::agent
