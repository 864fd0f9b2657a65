#include "base/text.hpp"
#include "coordinates/numbers_of.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "modes/built_in.hpp"
#include "modes/visual_loop/visual_loop_mode.hpp"
#include "profile/profile_parts.hpp"
#include "profile/words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace eyehand::agent {
namespace {

constexpr std::array<std::string_view, 4> of_prompt{task_placeholder, "{{max_boxes}}",
                                                    "{{max_actions}}", "{{extended_actions}}"};

/// The tools that execute the actions of a reply.
std::vector<ToolPresentation> tools_of_actions(const VisualLoopSettings& visual) {
    std::vector<ToolPresentation> tools;
    for (const char* tool : {"move", "click", "right_click", "double_click", "drag"})
        tools.push_back({.tool = tool});
    if (visual.limits.extended_actions)
        for (const char* tool : {"type", "press", "scroll"}) tools.push_back({.tool = tool});
    return tools;
}

/// The limits for showing the replies of a journal.
VisualLimits shown_limits(const Profile& profile, const VisualLoopSettings& visual) {
    VisualLimits limits = visual.limits;
    for (const std::string& tool : profile.extra_tools) limits.tools.push_back({tool, {}, "{}"});
    limits.coordinates = coordinate_converter(profile);
    return limits;
}

/// The first reply may be the text of a reply, or the object itself.
std::string read_boot(const Members& members) {
    const json::value* boot = members.value("boot");
    if (boot == nullptr) return {};
    if (boot->is_object()) return to_text(*boot);
    std::string text;
    members.read("boot", text);
    return text;
}

VisualLoopSettings read_visual(const Members& members, const Prompts& prompts) {
    VisualLoopSettings visual;
    visual.boot = read_boot(members);
    members.read("max_boxes", visual.limits.boxes, 0, 1000);
    members.read("max_actions", visual.limits.actions, 1, 1000);
    members.read("extended_actions", visual.limits.extended_actions);
    if (members.has("extended_prompt"))
        visual.extended_prompt = prompts.read(members, "extended_prompt", {});
    else if (visual.limits.extended_actions)
        members.refuse("extended_actions",
                       "needs \"extended_prompt\", which describes them to the model");
    members.read("structured", visual.structured);
    return visual;
}

const VisualLoopSettings& settings_of(const Profile& profile) {
    const auto* visual = profile.settings<VisualLoopSettings>();
    if (visual == nullptr)
        throw Error(errc::bad_profile, "the settings of the mode \"visual_loop\" are missing");
    return *visual;
}

class VisualLoopFactory final : public ModeFactory {
public:
    [[nodiscard]] std::string_view name() const override { return "visual_loop"; }
    [[nodiscard]] std::string_view section() const override { return "visual"; }
    [[nodiscard]] ModeTraits traits() const override {
        return {.turn_start = ModeTraits::TurnStart::reply,
                .takes_replies = true,
                .annotates = true,
                .stores_replies = true};
    }

    [[nodiscard]] std::vector<std::string_view> unused_members() const override {
        return {"task_prompt", "tools"};
    }

    void read(const ProfileReader& reader, Profile& profile) const override {
        const Members& members = reader.source().members;
        for (const std::string_view member : unused_members())
            if (const json::value* value = members.value(member);
                value != nullptr && !(value->is_array() && value->as_array().empty()))
                members.refuse(member,
                               "is not allowed in the mode \"visual_loop\", which has fixed "
                               "actions, extra_tools, and the task in its system prompt");
        members.require("visual");
        profile.mode_settings = read_visual(*members.object("visual"), reader.source().prompts);
        profile.system_prompt = reader.prompt("system_prompt", {}, of_prompt);
        if (profile.system_prompt.find(task_placeholder) == std::string::npos)
            members.refuse("system_prompt", "must contain {{task}}");
    }

    [[nodiscard]] std::string write(const Profile& profile) const override {
        const VisualLoopSettings& visual = settings_of(profile);
        json::object all{{"boot", to_valid_utf8(visual.boot)},
                         {"max_boxes", visual.limits.boxes},
                         {"max_actions", visual.limits.actions},
                         {"extended_actions", visual.limits.extended_actions}};
        if (!visual.extended_prompt.empty())
            all["extended_prompt"] = to_valid_utf8(visual.extended_prompt);
        all["structured"] = visual.structured;
        return to_text(all);
    }

    [[nodiscard]] std::vector<std::string*> prompts(Profile& profile) const override {
        (void)settings_of(profile);
        auto* visual = profile.settings<VisualLoopSettings>();
        return {&profile.system_prompt, &visual->extended_prompt, &visual->boot};
    }

    [[nodiscard]] std::map<std::string, std::string>
    options(const Profile& profile) const override {
        const VisualLoopSettings& visual = settings_of(profile);
        return {{"boot", visual.boot},
                {"extended_actions", visual.limits.extended_actions ? "true" : "false"}};
    }

    void set_option(Profile& profile, std::string_view name,
                    const std::string& value) const override {
        (void)settings_of(profile);
        auto& visual = *profile.settings<VisualLoopSettings>();
        if (name == "boot") {
            visual.boot = value;
        } else if (name == "extended_actions") {
            visual.limits.extended_actions = value == "true";
            if (visual.limits.extended_actions && visual.extended_prompt.empty())
                throw Error(errc::bad_config, "extended actions need \"extended_prompt\" in the "
                                              "profile, which describes them to the model");
        } else {
            ModeFactory::set_option(profile, name, value);
        }
    }

    [[nodiscard]] std::vector<RolePlan> roles(const Profile& profile) const override {
        const auto* visual = profile.settings<VisualLoopSettings>();
        return {{.name = "agent",
                 .tools = tools_of_actions(visual == nullptr ? VisualLoopSettings{} : *visual),
                 .offered = false}};
    }

    void check(const Profile& profile, Source first_reply) const override {
        if (first_reply == Source::client || !trim(settings_of(profile).boot).empty()) return;
        throw Error(
            errc::bad_profile,
            fmt::format("the profile \"{}\" has no first reply: set \"boot\" to one, such as {}, "
                        "or let the client inject it",
                        profile.name, R"({"observation": "I begin.", "actions": []})"));
    }

    [[nodiscard]] std::unique_ptr<Mode> make(const ModeContext& context) const override {
        const std::vector<ToolPresentation> own = tools_of_actions(settings_of(context.profile));
        std::vector<vlm::ToolSpec> further = context.tools.at("agent").specs();
        std::erase_if(further, [&](const vlm::ToolSpec& tool) {
            return std::any_of(own.begin(), own.end(), [&](const ToolPresentation& presentation) {
                return presentation.tool == tool.name;
            });
        });
        return std::make_unique<VisualLoopMode>(context.profile, context.task, std::move(further));
    }

    [[nodiscard]] ModeState initial_state(const Profile& profile) const override {
        ModeState state;
        state.role = "agent";
        const auto* visual = profile.settings<VisualLoopSettings>();
        if (visual == nullptr || trim(visual->boot).empty()) return state;
        const CoordinateConverter numbers = numbers_of(profile);
        state.reply = std::make_shared<const VisualReply>(
            parse_visual_reply(numbers.filled_in(visual->boot), shown_limits(profile, *visual)));
        return state;
    }

    void derive_state(const Profile& profile, const Event& event, ModeState& state) const override {
        state.turn = event.turn;
        const auto* visual = profile.settings<VisualLoopSettings>();
        const auto begin = [&](const std::string& reply) {
            if (visual != nullptr)
                state.reply = std::make_shared<const VisualReply>(
                    parse_visual_reply(reply, shown_limits(profile, *visual)));
        };
        visit(
            event, [&](const Await&) { state.phase = "waiting_inject"; },
            [&](const Invoke&) { state.phase = "executing"; },
            [&](const Observe&) { state.phase = "capturing"; },
            [&](const Asked&) { state.phase = "calling_model"; },
            [&](const Replied& it) { begin(it.reply.text); },
            [&](const UserMessage& it) {
                if (it.kind == UserMessage::Kind::reply) begin(it.text);
            },
            [&](const Finish&) { state.phase = "finished"; }, [](const auto&) {});
    }
};

} // namespace

std::shared_ptr<const ModeFactory> visual_loop_factory() {
    return std::make_shared<VisualLoopFactory>();
}

} // namespace eyehand::agent
