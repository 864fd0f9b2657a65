// From a Profile to JSON.
#include "annotation/annotation_json.hpp"
#include "base/text.hpp"
#include "eyehand/agent/profile.hpp"
#include "modes/unregistered_mode.hpp"
#include "profile/profile_parts.hpp"
#include "profile/words.hpp"
#include "json/json.hpp"

namespace eyehand::agent {
namespace {

json::object retention_json(const Retention& retention) {
    return {{"keep", retention.keep}, {"batch", retention.batch}};
}

json::object loops_json(const LoopProfile& loops) {
    return {{"answer", word_for(loops.answer, loop_answer_words())},
            {"repetitions", loops.repetitions},
            {"longest_cycle", loops.max_cycle},
            {"distance", loops.distance},
            {"cooldown", loops.cooldown}};
}

json::object several_calls_json(const Profile& profile) {
    json::object several;
    if (profile.several_calls)
        several["carry_out"] = word_for(*profile.several_calls, several_calls_words());
    if (profile.look_between_calls) several["look_between"] = true;
    several["error"] = json::string(profile.refused_call_error);
    return several;
}

json::object correction_json(const Correction& correction) {
    return {{"scale_x", correction.scale_x},
            {"offset_x", correction.offset_x},
            {"scale_y", correction.scale_y},
            {"offset_y", correction.offset_y}};
}

json::object pace_json(const Pace& pace) {
    return {{"capture_delay_ms", pace.capture_delay.count()},
            {"action_delay_ms", pace.action_delay.count()},
            {"drag_steps", pace.drag_steps},
            {"drag_step_delay_ms", pace.drag_step_delay.count()},
            {"type_delay_ms", pace.type_delay.count()}};
}

json::object log_json(const LogProfile& log) {
    return {{"layout", word_for(log.layout, log_layout_words())},
            {"to_file", log.to_file},
            {"level", word_for(log.level, log_level_words())}};
}

} // namespace

std::string to_json(const Profile& profile) {
    if (const auto* unregistered = profile.settings<UnregisteredSettings>())
        return unregistered->profile_json;
    const ModeFactory& mode = mode_of(profile);
    const std::vector<std::string_view> unused = mode.unused_members();
    json::object all;
    const auto put = [&](std::string_view member, json::value value) {
        if (std::find(unused.begin(), unused.end(), member) == unused.end())
            all[member] = std::move(value);
    };
    put("schema", profile_schema);
    put("name", json::string(profile.name));
    put("description", json::string(profile.description));
    put("mode", json::string(profile.mode));
    put("system_prompt", json::string(to_valid_utf8(profile.system_prompt)));
    put("task_prompt", json::string(to_valid_utf8(profile.task_prompt)));
    put("model", json::string(profile.model));
    put("sampling", sampling_json(profile.sampling));
    put("max_turns", profile.max_turns);
    put("step_delay_ms", profile.step_delay.count());
    put("image", json::string(winio::to_string(profile.image)));
    // Runs of older versions had PNG.
    if (const auto quality = winio::quality_of(profile.image_format)) {
        put("image_format", json::string(winio::to_string(profile.image_format)));
        put("image_quality", *quality);
    }
    put("coordinates",
        json::string(profile.coordinates ? to_string(*profile.coordinates) : "auto"));
    if (profile.correction) put("correction", correction_json(*profile.correction));
    if (profile.dialect != Dialect::native)
        put("dialect", json::string(to_string(profile.dialect)));
    if (profile.refine != Refine::off)
        put("refine", json::string(word_for(profile.refine, refine_words())));
    put("screenshot_first", profile.screenshot_first);
    put("screenshots", retention_json(profile.screenshots));
    put("thinks", retention_json(profile.thinks));
    put("loops", loops_json(profile.loops));
    put("context_bytes", profile.context_bytes);
    put("several_calls", several_calls_json(profile));
    if (profile.screenshot_after_actions)
        put("screenshot_after_actions", *profile.screenshot_after_actions);
    if (profile.text_tool_calls != TextToolCalls::if_not_native)
        put("text_tool_calls",
            json::string(word_for(profile.text_tool_calls, text_tool_calls_words())));
    put("tools", tools_json(profile.tools));
    if (const std::string section = mode.write(profile); !section.empty())
        put(mode.section(), json::parse(section));
    put("extra_tools", texts_json(profile.extra_tools));
    if (!profile.offer_custom_tools) put("custom_tools", false);
    put("executed_heat", to_json(profile.executed_heat));
    put("bbox_heat", to_json(profile.bbox_heat));
    put("physical_execution", profile.physical_execution);
    put("pace", pace_json(profile.pace));
    put("log", log_json(profile.log));
    if (!profile.lmstudio_logs.empty()) put("lmstudio_logs", json::string(profile.lmstudio_logs));
    return to_text(all);
}

} // namespace eyehand::agent
