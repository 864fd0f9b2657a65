#include "base/text.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/team_settings.hpp"
#include "modes/built_in.hpp"
#include "modes/team/team_mode.hpp"
#include "profile/profile_parts.hpp"
#include "profile/words.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace eyehand::agent {
namespace {

[[nodiscard]] Words<WithoutBrief> without_brief_words() {
    return {{"fail", WithoutBrief::fail}, {"skip", WithoutBrief::skip}};
}

TeamRole read_role(const Members& team, std::string_view which, const vlm::Sampling& sampling,
                   const Prompts& prompts) {
    team.require(which);
    const Members members = *team.object(which);
    TeamRole role;
    members.read_required("name", role.name);
    members.read_required("phase", role.phase);
    role.tools = read_tools(members);
    if (role.tools.empty()) members.refuse("tools", "is missing: a role acts through its tools");
    role.system_prompt = prompts.read(members, "system_prompt", role.tools);
    role.sampling = sampling;
    read_sampling(members, role.sampling);
    return role;
}

bool has_tool(const TeamRole& role, std::string_view id) {
    return std::any_of(
        role.tools.begin(), role.tools.end(),
        [&](const ToolPresentation& presentation) { return presentation.tool == id; });
}

TeamSettings read_team(const Members& members, const vlm::Sampling& sampling,
                       const Prompts& prompts) {
    TeamSettings team;
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

json::object role_json(const TeamRole& role) {
    return {{"name", role.name},
            {"phase", role.phase},
            {"system_prompt", to_valid_utf8(role.system_prompt)},
            {"sampling", sampling_json(role.sampling)},
            {"tools", tools_json(role.tools)}};
}

const TeamSettings& settings_of(const Profile& profile) {
    const auto* team = profile.settings<TeamSettings>();
    if (team == nullptr)
        throw Error(errc::bad_profile, "the settings of the mode \"team\" are missing");
    return *team;
}

/// The numbers of a note: "3 actions archived, 5 active", or "...: the oldest half was archived, 5
/// active".
void derive_memory(const std::string& note, ModeState& state) {
    const std::size_t all = state.active_actions + state.archived_actions;
    const std::size_t comma = note.rfind(", ");
    if (comma == std::string::npos || !note.ends_with(" active")) return;
    std::size_t active = 0;
    const char* const begin = note.data() + comma + 2;
    if (std::from_chars(begin, note.data() + note.size(), active).ec != std::errc()) return;
    if (active > all) return;
    state.active_actions = active;
    state.archived_actions = all - active;
}

class TeamFactory final : public ModeFactory {
public:
    [[nodiscard]] std::string_view name() const override { return "team"; }
    // A screenshot precedes the lead's first turn.
    [[nodiscard]] ModeTraits traits() const override { return {.first_screenshot = 0}; }

    [[nodiscard]] std::vector<std::string_view> unused_members() const override {
        return {"system_prompt", "tools", "context_bytes"};
    }

    void read(const ProfileReader& reader, Profile& profile) const override {
        const Members& members = reader.source().members;
        const Prompts& prompts = reader.source().prompts;
        for (const char* member : {"system_prompt", "tools"})
            if (members.has(member)) members.refuse(member, "belongs in the roles of \"team\"");
        if (members.has("context_bytes")) members.refuse("context_bytes", "belongs in \"team\"");
        members.require("team");
        // The output of `write` has the complete sampling settings of each role.
        const vlm::Sampling shared = prompts.come_from_files() ? profile.sampling : vlm::Sampling{};
        profile.mode_settings = read_team(*members.object("team"), shared, prompts);
        profile.loops.answer = LoopAnswer::recover; // no user watches each of its actions
    }

    [[nodiscard]] std::string write(const Profile& profile) const override {
        const TeamSettings& team = settings_of(profile);
        return to_text(
            json::object{{"lead", role_json(team.lead)},
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
                         {"review_completion", team.review_completion}});
    }

    [[nodiscard]] std::vector<vlm::Sampling*> samplings(Profile& profile) const override {
        (void)settings_of(profile);
        auto* team = profile.settings<TeamSettings>();
        return {&profile.sampling, &team->lead.sampling, &team->worker.sampling};
    }

    [[nodiscard]] std::vector<std::string*> prompts(Profile& profile) const override {
        (void)settings_of(profile);
        auto* team = profile.settings<TeamSettings>();
        return {&team->lead.system_prompt, &team->worker.system_prompt, &profile.task_prompt};
    }

    [[nodiscard]] std::string& screenshot_prompt(Profile& profile) const override {
        (void)settings_of(profile);
        return profile.settings<TeamSettings>()->worker.system_prompt;
    }

    [[nodiscard]] std::vector<RolePlan> roles(const Profile& profile) const override {
        const TeamSettings& team = settings_of(profile);
        return {{.name = team.lead.name,
                 .phase = team.lead.phase,
                 .tools = team.lead.tools,
                 .acts = false},
                {.name = team.worker.name, .phase = team.worker.phase, .tools = team.worker.tools}};
    }

    [[nodiscard]] std::unique_ptr<Mode> make(const ModeContext& context) const override {
        const TeamSettings& team = settings_of(context.profile);
        const Toolbox& lead = context.tools.at(team.lead.name);
        const Toolbox& worker = context.tools.at(team.worker.name);
        TeamMode::OfferedTools offered{
            lead.specs(), worker.specs(), lead.name_of("brief"), lead.name_of("archive"), {}};
        offered.coordinates = coordinate_converter(context.profile);
        for (const vlm::ToolSpec& tool : offered.worker)
            if (auto arguments = worker.arguments(tool.name))
                offered.arguments.emplace(tool.name, *std::move(arguments));
        std::unique_ptr<Memory> memory =
            context.make_memory
                ? context.make_memory()
                : std::make_unique<TeamMemory>(TeamMemoryOptions{
                      .threshold = static_cast<std::size_t>(team.compression_threshold)});
        return std::make_unique<TeamMode>(context.profile, context.task, std::move(offered),
                                          std::move(memory));
    }

    [[nodiscard]] ModeState initial_state(const Profile& profile) const override {
        ModeState state;
        if (const auto* team = profile.settings<TeamSettings>()) {
            state.role = team->lead.name;
            state.phase = team->lead.phase;
        }
        return state;
    }

    void derive_state(const Profile& profile, const Event& event, ModeState& state) const override {
        state.turn = event.turn;
        const auto* team = profile.settings<TeamSettings>();
        visit(
            event,
            [&](const Asked& it) {
                if (!it.role.ends_with(refine_role_end)) state.role = it.role;
            },
            [&](const Replied& it) {
                if (team != nullptr && state.role == team->lead.name)
                    state.plan = strip_think(it.reply.text);
            },
            [&](const Invoked& it) {
                if (const auto* brief = std::get_if<Brief>(&it.signal))
                    state.brief = trim(brief->instructions);
                if (team != nullptr && state.role == team->worker.name) ++state.active_actions;
            },
            [&](const Noted& it) { // "EXECUTION: the operator has its instructions"
                if (it.kind == "phase") state.phase = it.text.substr(0, it.text.find(':'));
                if (it.kind == "memory") derive_memory(it.text, state);
            },
            [&](const Finish&) { state.phase = "finished"; }, [](const auto&) {});
    }
};

} // namespace

std::shared_ptr<const ModeFactory> team_factory() { return std::make_shared<TeamFactory>(); }

} // namespace eyehand::agent
