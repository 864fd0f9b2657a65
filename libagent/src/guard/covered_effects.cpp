// Whether a decision still holds for input that is about to be sent.
#include "eyehand/agent/guard.hpp"

#include <algorithm>

namespace eyehand::agent {
namespace {

bool by_keyboard(const GuardedEffect& effect) {
    return effect.kind == EffectKind::key || effect.kind == EffectKind::text;
}

bool into_password_field(const GuardedEffect& effect) {
    return effect.window && effect.window->kind == WindowKind::password;
}

bool same_window(const GuardedEffect& a, const GuardedEffect& b) {
    if (!a.window || !b.window) return !a.window && !b.window;
    return a.window->id == b.window->id;
}

/// Whether an effect that was judged includes another one of its device. The pointer may pass over
/// password fields, but the keyboard may not type into one that was not judged.
bool includes(const GuardedEffect& judged, const GuardedEffect& effect) {
    return same_window(judged, effect) &&
           (!by_keyboard(effect) || into_password_field(judged) || !into_password_field(effect));
}

} // namespace

bool covers(const GuardedAction& judged, std::span<const GuardedEffect> effects) {
    return std::ranges::all_of(effects, [&](const GuardedEffect& effect) {
        return !effect.window_known ||
               std::ranges::any_of(judged.effects, [&](const GuardedEffect& known) {
                   return by_keyboard(known) == by_keyboard(effect) &&
                          (!known.window_known || includes(known, effect));
               });
    });
}

} // namespace eyehand::agent
