// From a profile's JSON and prompts to a Profile.
#include "annotation/annotation_json.hpp"
#include "base/nearest.hpp"
#include "eyehand/agent/profile.hpp"
#include "modes/unregistered_mode.hpp"
#include "profile/members.hpp"
#include "profile/profile_parts.hpp"
#include "profile/prompts.hpp"
#include "profile/words.hpp"

#include <fmt/ranges.h>

#include <array>

namespace eyehand::agent {
namespace {

using Files = Prompts::Files;

constexpr std::array of_task_prompt{task_placeholder};

void read_retention(const Members& members, std::string_view name, Retention& into) {
    if (const auto retention = members.object(name)) {
        retention->read("keep", into.keep, 1, 1000);
        retention->read("batch", into.batch, 1, 1000);
    }
}

void read_loops(const Members& members, Profile& profile) {
    if (const auto loops = members.object("loops")) {
        loops->read("answer", profile.loops.answer, loop_answer_words());
        loops->read("repetitions", profile.loops.repetitions, 2, 100);
        loops->read("longest_cycle", profile.loops.max_cycle, 1, 100);
        loops->read("distance", profile.loops.distance, 0, 1000);
        loops->read("cooldown", profile.loops.cooldown, 0, 1000000);
    }
}

double read_number(const Members& members, std::string_view member, double otherwise, double min,
                   double max) {
    std::optional<double> number = otherwise;
    members.read(member, number, min, max);
    return *number;
}

void read_delay(const Members& members, std::string_view member, std::chrono::milliseconds& into) {
    int delay = static_cast<int>(into.count());
    members.read(member, delay, 0, 600000);
    into = std::chrono::milliseconds(delay);
}

/// [[0, "rgba(255,140,0,0.5)"], ...]
void read_stops(const Members& members, std::string_view member,
                std::vector<winio::GradientStop>& into) {
    const json::value* value = members.value(member);
    if (value == nullptr) return;
    auto stops = stops_of(*value);
    if (!stops)
        members.refuse(member,
                       "must be an array of up to 64 pairs of a place from 0 to 1 and a color "
                       "such as \"rgba(255,140,0,0.5)\"");
    into = *std::move(stops);
}

void read_executed_heat(const Members& members, ExecutedHeat& heat) {
    members.read("enabled", heat.enabled);
    heat.radius_scale = read_number(members, "radius_scale", heat.radius_scale, 0.0001, 1);
    read_stops(members, "stops", heat.stops);
    members.read("trail_turns", heat.trail_turns, 1, 100);
    heat.trail_shrink = read_number(members, "trail_shrink", heat.trail_shrink, 0.01, 1);
}

void read_bbox_heat(const Members& members, BboxHeat& heat) {
    members.read("enabled", heat.enabled);
    std::string border = winio::to_string(heat.border);
    members.read("border", border);
    const auto color = winio::parse_rgba(border);
    if (!color) members.refuse("border", "must be a color such as \"rgba(40,120,255,0.9)\"");
    heat.border = *color;
    members.read("border_width", heat.border_width, 0, 100);
    read_stops(members, "fill_stops", heat.fill_stops);
}

void read_pace(const Members& members, Pace& pace) {
    read_delay(members, "capture_delay_ms", pace.capture_delay);
    read_delay(members, "action_delay_ms", pace.action_delay);
    members.read("drag_steps", pace.drag_steps, 1, 1000);
    read_delay(members, "drag_step_delay_ms", pace.drag_step_delay);
    read_delay(members, "type_delay_ms", pace.type_delay);
}

void read_log(const Members& members, const Profile& profile, LogProfile& log) {
    members.read("layout", log.layout, log_layout_words());
    if (log.layout != LogLayout::screenshots && !mode_of(profile).traits().stores_replies)
        members.refuse(
            "layout", fmt::format("needs a mode that stores replies, unlike \"{}\"", profile.mode));
    members.read("to_file", log.to_file);
    members.read("level", log.level, log_level_words());
}

/// Settings that do not concern the model: annotations, execution, logs.
void read_manners(const Members& members, Profile& profile) {
    if (const auto heat = members.object("executed_heat"))
        read_executed_heat(*heat, profile.executed_heat);
    if (const auto heat = members.object("bbox_heat")) read_bbox_heat(*heat, profile.bbox_heat);
    members.read("physical_execution", profile.physical_execution);
    if (const auto pace = members.object("pace")) read_pace(*pace, profile.pace);
    if (const auto log = members.object("log")) read_log(*log, profile, profile.log);
}

void read_task_prompt(const Members& members, const Prompts& prompts, Profile& profile) {
    if (!members.has("task_prompt")) return;
    profile.task_prompt = prompts.read(members, "task_prompt", profile.tools, of_task_prompt);
    if (profile.task_prompt.find(task_placeholder) == std::string::npos)
        members.refuse("task_prompt", "must contain {{task}}");
}

void read_image(const Members& members, Profile& profile) {
    std::string image = winio::to_string(profile.image);
    members.read("image", image);
    const auto size = winio::parse_image_size(image);
    if (!size)
        members.refuse("image",
                       R"(must be a size such as "1536x864", "1536x864!", "60%", "tokens:1024")");
    profile.image = *size;
}

void read_image_format(const Members& members, Profile& profile) {
    std::string word(winio::to_string(profile.image_format));
    members.read("image_format", word);
    const auto format = winio::parse_image_format(word);
    if (!format)
        members.refuse("image_format",
                       fmt::format("is \"{}\"; allowed values: png, jpeg, webp", word));
    profile.image_format = *format;
    std::optional<int> quality;
    members.read("image_quality", quality, 1, 100);
    if (!quality) return;
    if (!winio::quality_of(*format))
        members.refuse("image_quality",
                       "needs an \"image_format\" of jpeg or webp: PNG is lossless");
    profile.image_format = winio::with_quality(*format, *quality);
}

/// Runs of versions without the member had 0 to 1000.
void read_coordinates(const Members& members, const Prompts& prompts, Profile& profile) {
    std::string word = prompts.come_from_files() ? "auto" : "norm1000";
    members.read("coordinates", word);
    if (word == "auto") return;
    profile.coordinates = parse_coordinate_convention(word);
    if (profile.coordinates) return;
    const std::vector<std::string> known = coordinate_words();
    members.refuse("coordinates", fmt::format("is \"{}\"; allowed values: {}{}", word,
                                              fmt::join(known, ", "), did_you_mean(word, known)));
}

void read_axis(const Members& members, std::string_view scale_name, double& scale,
               std::string_view offset_name, double& offset) {
    std::optional<double> number = scale;
    members.read(scale_name, number, 0.5, 2);
    scale = *number;
    number = offset;
    members.read(offset_name, number, -500, 500);
    offset = *number;
}

void read_correction(const Members& members, Profile& profile) {
    const auto numbers = members.object("correction");
    if (!numbers) return;
    Correction& correction = profile.correction.emplace();
    read_axis(*numbers, "scale_x", correction.scale_x, "offset_x", correction.offset_x);
    read_axis(*numbers, "scale_y", correction.scale_y, "offset_y", correction.offset_y);
}

void read_dialect(const Members& members, Profile& profile) {
    std::string word(to_string(Dialect::native));
    members.read("dialect", word);
    if (const auto dialect = parse_dialect(word)) {
        profile.dialect = *dialect;
        return;
    }
    const std::vector<std::string> known = dialect_words();
    members.refuse("dialect", fmt::format("is \"{}\"; allowed values: {}{}", word,
                                          fmt::join(known, ", "), did_you_mean(word, known)));
}

/// Finds the profile's mode, which reads its own settings.
void read_mode(const Members& members, const Prompts& prompts, const ModeRegistry& modes,
               Profile& profile) {
    members.read("mode", profile.mode);
    profile.mode_factory = modes.find(profile.mode);
    if (!profile.mode_factory && !prompts.come_from_files()) {
        profile.mode_factory = unregistered_mode(profile.mode);
    } else if (!profile.mode_factory) {
        const std::vector<std::string> names = modes.names();
        members.refuse("mode",
                       fmt::format("is \"{}\"; allowed values: {}{}", profile.mode,
                                   fmt::join(names, ", "), did_you_mean(profile.mode, names)));
    }
    for (const std::string& name : modes.names()) {
        const std::string_view section = modes.find(name)->section();
        if (section.empty() || section == profile.mode_factory->section() ||
            is_unregistered(*profile.mode_factory))
            continue;
        if (members.has(section))
            members.refuse(section, fmt::format("belongs to the mode \"{}\"", name));
    }
    const ProfileReader::Source source{members, prompts};
    profile.mode_factory->read(ProfileReader(source), profile);
}

Profile read_profile(const Members& members, const Prompts& prompts, const ModeRegistry& modes) {
    int version = 0;
    members.read("schema", version, 1, 1000);
    if (version == 0) members.refuse("schema", "is missing");
    if (version > profile_schema) {
        members.refuse("schema",
                       fmt::format("is {}; this version reads up to {}", version, profile_schema));
    }
    Profile profile;
    members.read_required("name", profile.name);
    members.read("description", profile.description);
    members.read("model", profile.model);
    read_sampling(members, profile.sampling);
    read_mode(members, prompts, modes, profile);
    read_task_prompt(members, prompts, profile);
    members.read("extra_tools", profile.extra_tools);
    members.read("custom_tools", profile.offer_custom_tools);
    members.read("max_steps", profile.max_turns, 1, 1000000); // the former name
    members.read("max_turns", profile.max_turns, 1, 1000000);
    read_delay(members, "step_delay_ms", profile.step_delay);
    read_image(members, profile);
    read_image_format(members, profile);
    read_coordinates(members, prompts, profile);
    read_correction(members, profile);
    read_dialect(members, profile);
    members.read("refine", profile.refine, refine_words());
    members.read("screenshot_first", profile.screenshot_first);
    if (members.has("screenshot_after_actions")) {
        bool after = false;
        members.read("screenshot_after_actions", after);
        profile.screenshot_after_actions = after;
    }
    read_retention(members, "screenshots", profile.screenshots);
    read_retention(members, "thinks", profile.thinks);
    members.read("context_bytes", profile.context_bytes, 1000, 1000000000);
    read_loops(members, profile);
    if (const auto several = members.object("several_calls")) {
        SeveralCalls carried_out{};
        if (several->has("carry_out")) {
            several->read("carry_out", carried_out, several_calls_words());
            profile.several_calls = carried_out;
        }
        several->read("look_between", profile.look_between_calls);
        several->read("error", profile.refused_call_error);
        if (profile.refused_call_error.empty()) several->refuse("error", "is empty");
    }
    members.read("text_tool_calls", profile.text_tool_calls, text_tool_calls_words());
    read_manners(members, profile);
    members.read("lmstudio_logs", profile.lmstudio_logs);
    // Only the user may name a folder, because a profile can come from an untrusted source.
    for (const std::string_view word : {"", "auto", "off"})
        if (profile.lmstudio_logs == word) return profile;
    members.refuse("lmstudio_logs", R"(must be "auto" or "off")");
}

Profile read_text(std::string_view text, const std::string& place, const Prompts& prompts,
                  const ModeRegistry& modes) {
    std::string reason;
    const auto value = parse_json(without_mark(text), &reason);
    if (!value) throw Error(errc::bad_profile, fmt::format("{} is not JSON: {}", place, reason));
    if (!value->is_object()) throw Error(errc::bad_profile, place + " must contain an object");
    Profile profile = read_profile(Members(value->as_object(), place), prompts, modes);
    if (is_unregistered(*profile.mode_factory))
        profile.mode_settings = UnregisteredSettings{to_text(*value)};
    return profile;
}

} // namespace

Profile parse_profile(const Files& files, const std::string& where, const ModeRegistry& modes) {
    const std::string place = where + "/" + profile_file;
    const auto file = files.find(profile_file);
    if (file == files.end()) throw Error(errc::bad_profile, place + " is missing");
    return read_text(file->second, place, Prompts(&files), modes);
}

Profile profile_from_json(std::string_view json, const std::string& where,
                          const ModeRegistry& modes) {
    return read_text(json, where, Prompts(nullptr), modes);
}

} // namespace eyehand::agent
