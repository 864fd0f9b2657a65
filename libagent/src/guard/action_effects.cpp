// What a plan does, as the guard judges it.
#include "eyehand/agent/guard.hpp"

#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/screen_state.hpp"
#include "guard/own_windows.hpp"
#include "guard/window_kind.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <variant>

namespace eyehand::agent {
namespace {

using winio::NamedKey;

constexpr std::array modifiers{NamedKey::windows, NamedKey::ctrl, NamedKey::alt, NamedKey::shift};

bool is_modifier(const winio::Key& key) {
    const auto* named = std::get_if<NamedKey>(&key);
    return named != nullptr && std::ranges::find(modifiers, *named) != modifiers.end();
}

/// Translates the steps of a plan one after the other.
class Translator {
public:
    explicit Translator(const GuardSurroundings& around)
        : around_(around), own_windows_(listed(around), around.own_processes),
          pointer_(around.pointer) {}

    std::vector<GuardedEffect> translate(const winio::Plan& plan) {
        types_ = std::ranges::any_of(plan.steps, [](const winio::Step& step) {
            const auto* batch = std::get_if<winio::Batch>(&step.effect);
            return batch != nullptr && std::ranges::any_of(*batch, [](const auto& event) {
                       return std::holds_alternative<winio::TypedScalar>(event);
                   });
        });
        for (const winio::Step& step : plan.steps)
            std::visit([this](const auto& effect) { on(effect); }, step.effect);
        // A modifier that is pressed alone, such as the Windows key.
        if (!alone_.empty()) add_key(alone_);
        if (moved_ && effects_.empty()) effects_.push_back(at_pointer(EffectKind::move));
        return std::move(effects_);
    }

private:
    void on(const winio::Batch& batch) {
        for (const winio::InputEvent& event : batch)
            std::visit([this](const auto& it) { on(it); }, event);
    }
    void on(const winio::PointerMove& move) {
        pointer_ = move.to;
        moved_ = true;
    }
    void on(const winio::ButtonChange& change) {
        if (change.press == winio::Press::down) {
            pressed_at_ = pointer_;
            add(at_pointer(EffectKind::click));
        } else if (pointer_ != pressed_at_) {
            add(at_pointer(EffectKind::click)); // the end of a drag
        }
    }
    void on(const winio::WheelTurn&) { add(at_pointer(EffectKind::scroll)); }
    void on(const winio::KeyChange& change) {
        if (is_modifier(change.key)) {
            const NamedKey key = std::get<NamedKey>(change.key);
            if (change.press == winio::Press::down) {
                held_.push_back(key);
                alone_ = chord({});
            } else {
                if (!alone_.empty()) add_key(std::exchange(alone_, {}));
                std::erase(held_, key);
            }
            return;
        }
        if (change.press == winio::Press::up) return;
        alone_.clear();
        const std::string text = text_of(change.key);
        if (types_ && !text.empty()) {
            add_text(text);
            return;
        }
        GuardedEffect effect = at_focus(EffectKind::key);
        effect.chord = chord(winio::to_string(change.key));
        effect.text = text;
        add(std::move(effect));
    }
    void on(const winio::TypedScalar& typed) {
        std::string text;
        base::utf8::append(text, typed.scalar);
        add_text(text);
    }
    void on(const winio::ClipboardWrite& write) {
        GuardedEffect effect = at_focus(EffectKind::clipboard_write);
        effect.text = write.text;
        add(std::move(effect));
    }
    void on(const winio::ClipboardRestore&) {}
    void on(const winio::WindowCommand& command) {
        GuardedEffect effect;
        effect.kind = EffectKind::window;
        effect.window_known = around_.windows.has_value();
        if (around_.windows) {
            const auto found =
                std::ranges::find(*around_.windows, command.window, &winio::WindowInfo::id);
            if (found != around_.windows->end())
                effect.window = guarded(*found, [](const auto&) { return false; });
        }
        add(std::move(effect));
    }
    void on(const winio::LaunchCommand& launch) {
        GuardedEffect effect;
        effect.kind = EffectKind::launch;
        effect.window_known = true; // it needs none
        effect.command = launch.command;
        add(std::move(effect));
    }

    /// What a key types without modifiers other than Shift.
    [[nodiscard]] std::string text_of(const winio::Key& key) const {
        const bool shortcut = std::ranges::any_of(
            held_, [](NamedKey modifier) { return modifier != NamedKey::shift; });
        if (shortcut) return {};
        std::string text;
        if (const auto* character = std::get_if<char32_t>(&key))
            base::utf8::append(text, *character);
        else if (key == winio::Key(NamedKey::enter))
            text = "\n";
        else if (key == winio::Key(NamedKey::tab))
            text = "\t";
        else if (key == winio::Key(NamedKey::space))
            text = " ";
        return text;
    }
    /// The modifiers that are held, in their fixed order, and `key`.
    [[nodiscard]] std::string chord(const std::string& key) const {
        std::string name;
        const auto append = [&](const std::string& part) {
            if (!name.empty() && !part.empty()) name += '+';
            name += part;
        };
        for (const NamedKey modifier : modifiers)
            if (std::ranges::find(held_, modifier) != held_.end())
                append(winio::to_string(winio::Key(modifier)));
        append(key);
        return name;
    }
    void add(GuardedEffect effect) { effects_.push_back(std::move(effect)); }
    void add_key(const std::string& name) {
        GuardedEffect effect = at_focus(EffectKind::key);
        effect.chord = name;
        add(std::move(effect));
    }
    void add_text(const std::string& text) {
        if (effects_.empty() || effects_.back().kind != EffectKind::text)
            add(at_focus(EffectKind::text));
        effects_.back().text += text;
    }

    /// `reaches` returns whether the effect reaches a password field.
    template <class Reaches>
    [[nodiscard]] GuardedWindow guarded(const winio::WindowInfo& window,
                                        const Reaches& reaches) const {
        GuardedWindow it{window.id,      window.title,        window.window_class,
                         window.process, window_kind(window), window.elevated};
        const auto is_reached = [&](const winio::PasswordField& field) {
            return field.window == window.id && std::invoke(reaches, field);
        };
        if (own_windows_.contains(window))
            it.kind = WindowKind::own;
        else if (it.kind == WindowKind::other &&
                 std::ranges::any_of(around_.password_fields, is_reached))
            it.kind = WindowKind::password;
        return it;
    }
    [[nodiscard]] GuardedEffect at_pointer(EffectKind kind) const {
        GuardedEffect effect;
        effect.kind = kind;
        effect.window_known = around_.windows.has_value() && pointer_.has_value();
        if (!effect.window_known) return effect;
        if (const winio::WindowInfo* window = winio::window_at(*around_.windows, *pointer_))
            effect.window = guarded(*window, [&](const winio::PasswordField& field) {
                return field.bounds.contains(*pointer_);
            });
        return effect;
    }
    [[nodiscard]] GuardedEffect at_focus(EffectKind kind) const {
        GuardedEffect effect;
        effect.kind = kind;
        effect.window_known = around_.windows.has_value();
        const winio::WindowInfo* window = nullptr;
        if (around_.windows) window = winio::foreground_window(*around_.windows);
        if (window != nullptr) effect.window = guarded(*window, &winio::PasswordField::focused);
        effect.outside_area = outside_area(window);
        return effect;
    }
    [[nodiscard]] std::optional<bool> outside_area(const winio::WindowInfo* window) const {
        if (!around_.crop && !around_.chosen_window) return false;
        if (!around_.windows) return std::nullopt;
        // A desktop without windows has only the area; otherwise, the focus is unknown.
        if (window == nullptr)
            return around_.windows->empty() ? std::optional(false) : std::nullopt;
        if (const auto& chosen = around_.chosen_window) {
            const bool same_process =
                chosen->process_id != 0 && chosen->process_id == window->process_id;
            return window->id != chosen->id && !same_process;
        }
        return winio::intersection(window->bounds, *around_.crop).empty();
    }

    static std::span<const winio::WindowInfo> listed(const GuardSurroundings& around) {
        if (!around.windows) return {};
        return *around.windows;
    }

    const GuardSurroundings& around_;
    OwnWindows own_windows_;
    std::vector<GuardedEffect> effects_;
    std::optional<winio::Point> pointer_;
    std::optional<winio::Point> pressed_at_;
    std::vector<NamedKey> held_;
    std::string alone_; ///< modifiers that are held, and no other key yet
    bool types_ = false;
    bool moved_ = false;
};

} // namespace

std::vector<GuardedEffect> effects_of(const winio::Plan& plan, const GuardSurroundings& around) {
    return Translator(around).translate(plan);
}

} // namespace eyehand::agent
