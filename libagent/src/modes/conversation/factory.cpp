#include "eyehand/agent/profile.hpp"
#include "modes/built_in.hpp"
#include "modes/conversation/conversation_mode.hpp"

namespace eyehand::agent {
namespace {

/// The settings are common members of Profile, so that any mode with a conversation can use them.
class ConversationFactory final : public ModeFactory {
public:
    [[nodiscard]] std::string_view name() const override { return "conversation"; }
    [[nodiscard]] std::string_view section() const override { return {}; }

    bool fit_context(Profile& profile, int image_tokens, int context_tokens) const override {
        const Retention fits = fitted(profile.screenshots, image_tokens, context_tokens);
        const bool changes = fits != profile.screenshots;
        profile.screenshots = fits;
        return changes;
    }

    [[nodiscard]] std::unique_ptr<Mode> make(const ModeContext& context) const override {
        return std::make_unique<ConversationMode>(context.profile, context.task,
                                                  context.tools.at("agent").specs());
    }

    void derive_state(const Profile&, const Event& event, ModeState& state) const override {
        state.turn = event.turn;
        visit(
            event, [&](const Observe&) { state.phase = "observing"; },
            [&](const Asked&) { state.phase = "asking"; },
            [&](const Invoke&) { state.phase = "acting"; },
            [&](const Recover&) { state.phase = "recovering"; },
            [&](const Finish&) { state.phase = "finished"; }, [](const auto&) {});
    }
};

} // namespace

std::shared_ptr<const ModeFactory> conversation_factory() {
    return std::make_shared<ConversationFactory>();
}

} // namespace eyehand::agent
