// From a Profile to JSON.
#include "agent/profile.hpp"
#include "json.hpp"
#include "profile/words.hpp"
#include "text.hpp"

namespace agent {
namespace {

json::object tool_json(const ToolFace& face) {
    json::object tool{{"tool", face.tool}, {"name", face.name}, {"description", face.description}};
    if (!face.invalid_error.empty()) tool["invalid"] = face.invalid_error;
    if (!face.arguments) return tool;
    json::array arguments;
    for (const ArgumentFace& argument : *face.arguments) {
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

json::array tools_json(const std::vector<ToolFace>& faces) {
    json::array tools;
    for (const ToolFace& face : faces) tools.emplace_back(tool_json(face));
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
            {"longest_cycle", loops.longest_cycle},
            {"distance", loops.distance},
            {"cooldown", loops.cooldown}};
}

} // namespace

std::string to_json(const Profile& profile) {
    json::object all{{"schema", profile_schema},
                     {"name", profile.name},
                     {"description", profile.description},
                     {"mode", profile.mode}};
    if (!profile.team) all["system_prompt"] = to_valid_utf8(profile.system_prompt);
    all["task_prompt"] = to_valid_utf8(profile.task_prompt);
    all["model"] = profile.model;
    all["sampling"] = sampling_json(profile.sampling);
    all["max_steps"] = profile.max_steps;
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
    else
        all["tools"] = tools_json(profile.tools);
    all["extra_tools"] = texts_json(profile.extra_tools);
    if (!profile.lmstudio_logs.empty()) all["lmstudio_logs"] = profile.lmstudio_logs;
    return to_text(all);
}

} // namespace agent
