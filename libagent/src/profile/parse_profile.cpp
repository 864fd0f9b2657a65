// From a profile's JSON and prompts to a Profile.
#include "base/text.hpp"
#include "eyehand/agent/profile.hpp"
#include "profile/members.hpp"
#include "profile/words.hpp"

#include <algorithm>

namespace eyehand::agent {
namespace {

using Files = std::map<std::string, std::string>;

constexpr const char* profile_file = "profile.json";
constexpr std::string_view task_placeholder = "{{task}}";
/// What a mode or a run fills in, when there is a task.
using Placeholders = std::vector<std::string_view>;
const Placeholders of_task_prompt{task_placeholder};
const Placeholders of_visual_prompt{task_placeholder, "{{max_boxes}}", "{{max_actions}}",
                                    "{{extended_actions}}"};

ArgumentPresentation read_argument(const Members& members) {
    ArgumentPresentation face;
    members.read_required("name", face.name);
    members.read("is", face.is);
    members.read("description", face.description);
    members.read("missing", face.missing_error);
    members.read("invalid", face.invalid_error);
    members.read("required", face.required);
    members.read("min_length", face.min_length, 0, 10000);
    return face;
}

ToolPresentation read_tool(const Members& members) {
    ToolPresentation face;
    members.read_required("tool", face.tool);
    members.read("name", face.name);
    members.read("description", face.description);
    members.read("invalid", face.invalid_error);
    if (const auto arguments = members.objects("arguments")) {
        face.arguments.emplace();
        for (const Members& argument : *arguments)
            face.arguments->push_back(read_argument(argument));
    }
    return face;
}

std::vector<ToolPresentation> read_tools(const Members& members) {
    std::vector<ToolPresentation> faces;
    if (const auto tools = members.objects("tools"))
        for (const Members& tool : *tools) faces.push_back(read_tool(tool));
    return faces;
}

void read_sampling(const Members& members, vlm::Sampling& into) {
    const auto sampling = members.object("sampling");
    if (!sampling) return;
    sampling->read("temperature", into.temperature, 0, 2);
    sampling->read("top_p", into.top_p, 0, 1);
    sampling->read("top_k", into.top_k, 0, 100000);
    sampling->read("presence_penalty", into.presence_penalty, -2, 2);
    sampling->read("max_tokens", into.max_tokens, 1, 10000000);
}

void read_retention(const Members& members, std::string_view name, Retention& into) {
    if (const auto retention = members.object(name)) {
        retention->read("keep", into.keep, 1, 1000);
        retention->read("batch", into.batch, 1, 1000);
    }
}

void read_loops(const Members& members, Profile& profile) {
    // A team has nobody else who would notice.
    if (profile.team) profile.loops.answer = LoopAnswer::recover;
    if (const auto loops = members.object("loops")) {
        loops->read("answer", profile.loops.answer, loop_answer_words());
        loops->read("repetitions", profile.loops.repetitions, 2, 100);
        loops->read("longest_cycle", profile.loops.max_cycle, 1, 100);
        loops->read("distance", profile.loops.distance, 0, 1000);
        loops->read("cooldown", profile.loops.cooldown, 0, 1000000);
    }
}

/// Editors put a byte order mark there, which no model and no parser wants.
std::string_view without_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

/// Where prompts come from: the files that members name, or, with no files, the members themselves.
class Prompts {
public:
    explicit Prompts(const Files* files) : files_(files) {}
    [[nodiscard]] bool come_from_files() const { return files_ != nullptr; }

    /// The prompt with the tools' names filled in; `later` stays.
    [[nodiscard]] std::string read(const Members& members, std::string_view member,
                                   const std::vector<ToolPresentation>& tools,
                                   const Placeholders& later = {}) const {
        std::string given;
        members.read_required(member, given);
        if (files_ == nullptr) return given;
        const auto file = files_->find(given);
        if (file == files_->end())
            members.refuse(member,
                           fmt::format("names no file: \"{}\"{}", given, nearest_file(given)));
        if (to_valid_utf8(file->second) != file->second)
            members.refuse(member, fmt::format("names a file that is not UTF-8: \"{}\"", given));
        std::string text = filled_in(file->second, members, member, tools, later);
        if (text.empty()) members.refuse(member, fmt::format("names an empty file: \"{}\"", given));
        return text;
    }

private:
    static std::string filled_in(std::string_view contents, const Members& members,
                                 std::string_view member,
                                 const std::vector<ToolPresentation>& tools,
                                 const Placeholders& later) {
        std::string text(trim(replace_all(std::string(without_mark(contents)), "\r\n", "\n")));
        for (const ToolPresentation& face : tools)
            text = replace_all(text, "{{" + face.tool + "}}",
                               face.name.empty() ? face.tool : face.name);
        for (std::size_t open = text.find("{{"); open != std::string::npos;
             open = text.find("{{", open + 2)) {
            if (std::any_of(later.begin(), later.end(), [&](std::string_view placeholder) {
                    return text.compare(open, placeholder.size(), placeholder) == 0;
                }))
                continue;
            members.refuse(member, fmt::format("has a placeholder without meaning: {}",
                                               one_line(text.substr(open, 40))));
        }
        return text;
    }
    [[nodiscard]] std::string nearest_file(const std::string& given) const {
        std::vector<std::string> names;
        for (const auto& [name, text] : *files_)
            if (name != profile_file) names.push_back(name);
        return did_you_mean(given, names);
    }
    const Files* files_;
};

RoleProfile read_role(const Members& team, std::string_view which, const vlm::Sampling& sampling,
                      const Prompts& prompts) {
    team.require(which);
    const Members members = *team.object(which);
    RoleProfile role;
    members.read_required("name", role.name);
    members.read_required("phase", role.phase);
    role.tools = read_tools(members);
    if (role.tools.empty()) members.refuse("tools", "is missing: a role acts through its tools");
    role.system_prompt = prompts.read(members, "system_prompt", role.tools);
    role.sampling = sampling;
    read_sampling(members, role.sampling);
    return role;
}

bool has_tool(const RoleProfile& role, std::string_view id) {
    return std::any_of(role.tools.begin(), role.tools.end(),
                       [&](const ToolPresentation& face) { return face.tool == id; });
}

TeamProfile read_team(const Members& members, const vlm::Sampling& sampling,
                      const Prompts& prompts) {
    TeamProfile team;
    team.lead = read_role(members, "lead", sampling, prompts);
    team.worker = read_role(members, "worker", sampling, prompts);
    if (team.lead.name == team.worker.name)
        members.refuse("worker", fmt::format("has the lead's name, \"{}\"", team.worker.name));
    members.read("review_interval", team.review_interval, 1, 1000000);
    members.read("review_statuses", team.review_statuses);
    members.read("compression_threshold", team.compression_threshold, 1, 1000000);
    members.read("plan_bytes", team.plan_bytes, 0, 1000000);
    members.read("plan_ellipsis", team.plan_ellipsis);
    members.read("context_bytes", team.context_bytes, 1000, 10000000);
    members.read("without_brief", team.without_brief, without_brief_words());
    members.read("first_plan", team.first_plan);
    members.read("previous_action", team.previous_action);
    members.read("review_completion", team.review_completion);
    if (team.first_plan && !has_tool(team.lead, "brief"))
        members.refuse("first_plan", "needs the tool \"brief\" among the lead's tools");
    if (team.review_completion && !has_tool(team.lead, "confirm"))
        members.refuse("review_completion", "needs the tool \"confirm\" among the lead's tools");
    return team;
}

// ---- the visual loop and its pictures -----------------------------------------------------------

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

/// A first reply may stand there as the text of a reply, or as the object itself.
std::string read_boot(const Members& members) {
    const json::value* boot = members.value("boot");
    if (boot == nullptr) return {};
    if (boot->is_object()) return to_text(*boot);
    std::string text;
    members.read("boot", text);
    return text;
}

VisualProfile read_visual(const Members& members, const Prompts& prompts) {
    VisualProfile visual;
    visual.boot = read_boot(members);
    members.read("max_boxes", visual.limits.boxes, 0, 1000);
    members.read("max_actions", visual.limits.actions, 1, 1000);
    members.read("extended_actions", visual.limits.extended_actions);
    if (members.has("extended_prompt"))
        visual.extended_prompt = prompts.read(members, "extended_prompt", {});
    else if (visual.limits.extended_actions)
        members.refuse("extended_actions",
                       "needs \"extended_prompt\", which tells the model of them");
    members.read("structured", visual.structured);
    return visual;
}

/// [[0, "rgba(255,140,0,0.5)"], ...]
void read_stops(const Members& members, std::string_view member,
                std::vector<winio::GradientStop>& into) {
    const json::value* value = members.value(member);
    if (value == nullptr) return;
    const auto bad = [&] {
        members.refuse(member,
                       "must be an array of up to 64 pairs of a place from 0 to 1 and a colour "
                       "such as \"rgba(255,140,0,0.5)\"");
    };
    if (!value->is_array() || value->as_array().size() > 64) bad();
    into.clear();
    for (const json::value& element : value->as_array()) {
        const json::array* pair = element.if_array();
        if (pair == nullptr || pair->size() != 2 || !pair->at(0).is_number() ||
            !pair->at(1).is_string())
            bad();
        const json::string& text = pair->at(1).as_string();
        const auto colour = winio::parse_rgba({text.data(), text.size()});
        const double at = pair->at(0).to_number<double>();
        if (!colour || !(at >= 0 && at <= 1)) bad();
        into.push_back({at, *colour});
    }
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
    const auto colour = winio::parse_rgba(border);
    if (!colour) members.refuse("border", "must be a colour such as \"rgba(40,120,255,0.9)\"");
    heat.border = *colour;
    members.read("border_width", heat.border_width, 0, 100);
    read_stops(members, "fill_stops", heat.fill_stops);
}

void read_pace(const Members& members, Pace& pace) {
    read_delay(members, "capture_delay_ms", pace.capture_delay);
    read_delay(members, "action_delay_ms", pace.action_delay);
    members.read("drag_steps", pace.drag_steps, 1, 1000);
    read_delay(members, "drag_step_delay_ms", pace.drag_step_delay);
}

void read_log(const Members& members, const Profile& profile, LogProfile& log) {
    members.read("layout", log.layout, log_layout_words());
    if (log.layout != LogLayout::screenshots && !profile.visual)
        members.refuse("layout", "is one of turns, which only the mode \"visual_loop\" has");
    members.read("to_file", log.to_file);
    members.read("level", log.level, log_level_words());
}

/// What is not the mind's: how pictures are drawn on, how actions are done, what is kept.
void read_manners(const Members& members, Profile& profile) {
    if (const auto heat = members.object("executed_heat"))
        read_executed_heat(*heat, profile.executed_heat);
    if (const auto heat = members.object("bbox_heat")) read_bbox_heat(*heat, profile.bbox_heat);
    members.read("physical_execution", profile.physical_execution);
    if (const auto pace = members.object("pace")) read_pace(*pace, profile.pace);
    if (const auto log = members.object("log")) read_log(*log, profile, profile.log);
}

enum class Mode { conversation, team, visual_loop };

void read_visual_mind(const Members& members, const Prompts& prompts, Profile& profile) {
    for (const char* member : {"tools", "extra_tools", "task_prompt"})
        if (const json::value* value = members.value(member);
            value != nullptr && !(value->is_array() && value->as_array().empty()))
            members.refuse(member,
                           "is not for the mode \"visual_loop\", which offers no tools and has "
                           "the task in its system prompt");
    members.require("visual");
    profile.visual = read_visual(*members.object("visual"), prompts);
    profile.system_prompt = prompts.read(members, "system_prompt", {}, of_visual_prompt);
    if (profile.system_prompt.find(task_placeholder) == std::string::npos)
        members.refuse("system_prompt", "has no {{task}} in it");
}

/// What a profile says about who speaks: of a conversation one agent, of a team two roles.
void read_minds(const Members& members, const Prompts& prompts, Profile& profile) {
    Mode mode = Mode::conversation;
    members.read("mode", mode,
                 {{"conversation", Mode::conversation},
                  {"team", Mode::team},
                  {"visual_loop", Mode::visual_loop}});
    members.read("mode", profile.mode);
    if (mode != Mode::team && members.has("team"))
        members.refuse("team", "belongs to the mode \"team\"");
    if (mode != Mode::visual_loop && members.has("visual"))
        members.refuse("visual", "belongs to the mode \"visual_loop\"");
    if (mode == Mode::visual_loop) {
        read_visual_mind(members, prompts, profile);
        return;
    }
    if (mode == Mode::conversation) {
        profile.tools = read_tools(members);
        profile.system_prompt = prompts.read(members, "system_prompt", profile.tools);
        return;
    }
    for (const char* member : {"system_prompt", "tools"})
        if (members.has(member)) members.refuse(member, "belongs into the roles of \"team\"");
    members.require("team");
    // What `to_json` writes has each role's sampling whole.
    const vlm::Sampling shared = prompts.come_from_files() ? profile.sampling : vlm::Sampling{};
    profile.team = read_team(*members.object("team"), shared, prompts);
}

void read_task_prompt(const Members& members, const Prompts& prompts, Profile& profile) {
    if (!members.has("task_prompt")) return;
    profile.task_prompt = prompts.read(members, "task_prompt", profile.tools, of_task_prompt);
    if (profile.task_prompt.find(task_placeholder) == std::string::npos)
        members.refuse("task_prompt", "has no {{task}} in it");
}

void read_image(const Members& members, Profile& profile) {
    std::string image = winio::to_string(profile.image);
    members.read("image", image);
    const auto size = winio::parse_image_size(image);
    if (!size)
        members.refuse("image", R"(must be such as "1536x864", "1536x864!", "60%", "tokens:1024")");
    profile.image = *size;
}

Profile read_profile(const Members& members, const Prompts& prompts) {
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
    read_minds(members, prompts, profile);
    read_task_prompt(members, prompts, profile);
    members.read("extra_tools", profile.extra_tools);
    members.read("max_steps", profile.max_turns, 1, 1000000); // the name in version 0.1
    members.read("max_turns", profile.max_turns, 1, 1000000);
    read_delay(members, "step_delay_ms", profile.step_delay);
    read_image(members, profile);
    members.read("screenshot_first", profile.screenshot_first);
    read_retention(members, "screenshots", profile.screenshots);
    read_retention(members, "thinks", profile.thinks);
    if (profile.team && members.has("context_bytes"))
        members.refuse("context_bytes", "belongs into \"team\"");
    members.read("context_bytes", profile.context_bytes, 1000, 1000000000);
    read_loops(members, profile);
    if (const auto several = members.object("several_calls")) {
        several->read("carry_out", profile.several_calls, several_calls_words());
        several->read("error", profile.refused_call_error);
        if (profile.refused_call_error.empty()) several->refuse("error", "is empty");
    }
    read_manners(members, profile);
    members.read("lmstudio_logs", profile.lmstudio_logs);
    // A folder is the user's business: a profile comes from anywhere.
    for (const std::string_view word : {"", "auto", "off"})
        if (profile.lmstudio_logs == word) return profile;
    members.refuse("lmstudio_logs", R"(must be "auto" or "off")");
}

Profile read_text(std::string_view text, const std::string& place, const Prompts& prompts) {
    std::string reason;
    const auto value = parse_json(without_mark(text), &reason);
    if (!value) throw Error(errc::bad_profile, fmt::format("{} is not JSON: {}", place, reason));
    if (!value->is_object()) throw Error(errc::bad_profile, place + " must hold an object");
    return read_profile(Members(value->as_object(), place), prompts);
}

} // namespace

Profile parse_profile(const Files& files, const std::string& where) {
    const std::string place = where + "/" + profile_file;
    const auto file = files.find(profile_file);
    if (file == files.end()) throw Error(errc::bad_profile, place + " is missing");
    return read_text(file->second, place, Prompts(&files));
}

Profile profile_from_json(std::string_view json, const std::string& where) {
    return read_text(json, where, Prompts(nullptr));
}

} // namespace eyehand::agent
