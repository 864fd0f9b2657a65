#include "eyehand/agent/mode_factory.hpp"

#include "coordinates/numbers_of.hpp"
#include "eyehand/agent/profile.hpp"
#include "modes/built_in.hpp"
#include "modes/dialect_mode.hpp"
#include "modes/guarded_mode.hpp"
#include "modes/heated_mode.hpp"
#include "modes/image_tokens_mode.hpp"
#include "modes/refine_mode.hpp"
#include "modes/text_calls_mode.hpp"
#include "modes/watched_mode.hpp"
#include "profile/profile_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace eyehand::agent {

// ---- the defaults: one role with a prompt and tools ---------------------------------------------

ModeFactory::~ModeFactory() = default;

void ModeFactory::read(const ProfileReader& reader, Profile& profile) const {
    profile.tools = reader.tools();
    profile.system_prompt = reader.prompt("system_prompt", profile.tools);
}

std::string ModeFactory::write(const Profile&) const { return {}; }

std::vector<vlm::Sampling*> ModeFactory::samplings(Profile& profile) const {
    return {&profile.sampling};
}

std::vector<std::string*> ModeFactory::prompts(Profile& profile) const {
    return {&profile.system_prompt, &profile.task_prompt};
}

std::string& ModeFactory::screenshot_prompt(Profile& profile) const {
    return profile.system_prompt;
}

std::map<std::string, std::string> ModeFactory::options(const Profile&) const { return {}; }

void ModeFactory::set_option(Profile&, std::string_view name, const std::string&) const {
    throw Error(errc::bad_config,
                fmt::format("the mode \"{}\" has no option \"{}\"", this->name(), name));
}

bool ModeFactory::fit_context(Profile&, int, int) const { return false; }

std::vector<RolePlan> ModeFactory::roles(const Profile& profile) const {
    return {{.name = "agent", .tools = profile.tools}};
}

void ModeFactory::check(const Profile&, Source) const {}

void ModeFactory::derive_state(const Profile&, const Event&, ModeState&) const {}

ModeState ModeFactory::initial_state(const Profile&) const { return {}; }

// ---- the registry -------------------------------------------------------------------------------

const ModeRegistry& ModeRegistry::built_in() {
    static const ModeRegistry modes = [] {
        ModeRegistry all;
        all.add(conversation_factory());
        all.add(team_factory());
        all.add(visual_loop_factory());
        return all;
    }();
    return modes;
}

void ModeRegistry::add(std::shared_ptr<const ModeFactory> mode) {
    if (!mode || mode->name().empty())
        throw std::invalid_argument("a mode needs a factory with a name");
    if (find(mode->name()))
        throw std::invalid_argument(
            fmt::format("the mode \"{}\" is already registered", mode->name()));
    modes_.push_back(std::move(mode));
}

std::shared_ptr<const ModeFactory> ModeRegistry::find(std::string_view name) const {
    const auto found = std::find_if(modes_.begin(), modes_.end(),
                                    [&](const auto& mode) { return mode->name() == name; });
    return found == modes_.end() ? nullptr : *found;
}

std::vector<std::string> ModeRegistry::names() const {
    std::vector<std::string> names;
    for (const auto& mode : modes_) names.emplace_back(mode->name());
    return names;
}

const ModeFactory& mode_of(const Profile& profile) {
    if (profile.mode_factory && profile.mode_factory->name() == profile.mode)
        return *profile.mode_factory;
    if (const auto mode = ModeRegistry::built_in().find(profile.mode)) return *mode;
    throw Error(
        errc::bad_profile,
        fmt::format("the mode \"{}\" is unknown: load the profile with a registry that has it",
                    profile.mode));
}

namespace {

/// With the placeholders of positions in its prompts filled in.
Profile with_positions_explained(Profile profile) {
    const CoordinateConverter numbers = numbers_of(profile);
    for (std::string* prompt : mode_of(profile).prompts(profile))
        *prompt = numbers.filled_in(*prompt);
    return profile;
}

std::unique_ptr<Mode> make_watched(const ModeContext& context) {
    const ModeFactory& factory = mode_of(context.profile);
    const ExecutedHeat& heat = context.profile.executed_heat;
    std::unique_ptr<Mode> mode;
    if (!heat.enabled || factory.traits().annotates) {
        mode = factory.make(context);
    } else {
        const Profile explained = with_heat_explained(context.profile);
        mode = std::make_unique<HeatedMode>(
            factory.make({explained, context.task, context.tools, context.make_memory}),
            heat.trail_turns);
    }
    return std::make_unique<WatchedMode>(std::make_unique<GuardedMode>(std::move(mode)));
}

} // namespace

std::unique_ptr<Mode> make_mode(const ModeContext& context) {
    Profile profile = with_positions_explained(context.profile);
    // What the model states in one action may be several calls: its mode counts the actions.
    if (profile.dialect != Dialect::native) profile.several_calls = SeveralCalls::all;
    std::unique_ptr<Mode> mode =
        make_watched({profile, context.task, context.tools, context.make_memory});
    if (profile.refine != Refine::off)
        mode = std::make_unique<RefineMode>(std::move(mode), profile, context.tools);
    if (const auto processor = image_processor(profile))
        mode = std::make_unique<ImageTokensMode>(std::move(mode), profile.model, *processor);
    TextToolCalls text_calls = profile.text_tool_calls;
    // Servers that have no parser for a model deliver its calls of the function as text.
    if (!function_of(profile.dialect).empty() && text_calls == TextToolCalls::if_not_native)
        text_calls = TextToolCalls::until_native;
    mode = std::make_unique<TextCallsMode>(std::move(mode), text_calls);
    if (profile.dialect == Dialect::native) return mode;
    return std::make_unique<DialectMode>(std::move(mode), context.profile, context.tools);
}

} // namespace eyehand::agent
