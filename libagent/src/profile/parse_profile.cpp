// From a profile's JSON and prompts to a Profile.
#include "agent/profile.hpp"
#include "profile/members.hpp"
#include "profile/words.hpp"
#include "text.hpp"

#include <algorithm>

namespace agent {
namespace {

using Files = std::map<std::string, std::string>;

constexpr const char* profile_file = "profile.json";
constexpr std::string_view task_placeholder = "{{task}}";

ArgumentFace read_argument(const Members& members) {
    ArgumentFace face;
    members.read_required("name", face.name);
    members.read("is", face.is);
    members.read("description", face.description);
    members.read("missing", face.missing_error);
    members.read("invalid", face.invalid_error);
    members.read("required", face.required);
    members.read("min_length", face.min_length, 0, 10000);
    return face;
}

ToolFace read_tool(const Members& members) {
    ToolFace face;
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

std::vector<ToolFace> read_tools(const Members& members) {
    std::vector<ToolFace> faces;
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
        loops->read("longest_cycle", profile.loops.longest_cycle, 1, 100);
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

    /// The prompt with the tools' names filled in.
    [[nodiscard]] std::string read(const Members& members, std::string_view member,
                                   const std::vector<ToolFace>& tools) const {
        std::string given;
        members.read_required(member, given);
        if (files_ == nullptr) return given;
        const auto file = files_->find(given);
        if (file == files_->end())
            members.refuse(member,
                           fmt::format("names no file: \"{}\"{}", given, nearest_file(given)));
        if (to_valid_utf8(file->second) != file->second)
            members.refuse(member, fmt::format("names a file that is not UTF-8: \"{}\"", given));
        std::string text = filled_in(file->second, members, member, tools);
        if (text.empty()) members.refuse(member, fmt::format("names an empty file: \"{}\"", given));
        return text;
    }

private:
    static std::string filled_in(std::string_view contents, const Members& members,
                                 std::string_view member, const std::vector<ToolFace>& tools) {
        std::string text(trim(replace_all(std::string(without_mark(contents)), "\r\n", "\n")));
        for (const ToolFace& face : tools)
            text = replace_all(text, "{{" + face.tool + "}}",
                               face.name.empty() ? face.tool : face.name);
        for (std::size_t open = text.find("{{"); open != std::string::npos;
             open = text.find("{{", open + 2)) {
            if (member == "task_prompt" &&
                text.compare(open, task_placeholder.size(), task_placeholder) == 0)
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
                       [&](const ToolFace& face) { return face.tool == id; });
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

enum class Mode { conversation, team };

/// What a profile says about who speaks: of a conversation one agent, of a team two roles.
void read_minds(const Members& members, const Prompts& prompts, Profile& profile) {
    Mode mode = Mode::conversation;
    members.read("mode", mode, {{"conversation", Mode::conversation}, {"team", Mode::team}});
    members.read("mode", profile.mode);
    if (mode == Mode::conversation) {
        if (members.has("team")) members.refuse("team", "belongs to the mode \"team\"");
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
    profile.task_prompt = prompts.read(members, "task_prompt", profile.tools);
    if (profile.task_prompt.find(task_placeholder) == std::string::npos)
        members.refuse("task_prompt", "has no {{task}} in it");
}

void read_image(const Members& members, Profile& profile) {
    std::string image = winio::to_string(profile.image);
    members.read("image", image);
    const auto size = winio::parse_picture_size(image);
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
    members.read("max_steps", profile.max_steps, 1, 1000000);
    int delay = 0;
    members.read("step_delay_ms", delay, 0, 600000);
    profile.step_delay = std::chrono::milliseconds(delay);
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
    members.read("lmstudio_logs", profile.lmstudio_logs);
    // A folder is the user's business: a profile comes from anywhere.
    for (const std::string_view word : {"", "auto", "off"})
        if (profile.lmstudio_logs == word) return profile;
    members.refuse("lmstudio_logs", R"(must be "auto" or "off")");
}

Profile read_text(std::string_view text, const std::string& place, const Prompts& prompts) {
    std::string why;
    const auto value = parse_json(without_mark(text), &why);
    if (!value) throw Error(errc::bad_profile, fmt::format("{} is not JSON: {}", place, why));
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

} // namespace agent
