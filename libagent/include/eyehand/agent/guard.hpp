// Decides which actions an agent may carry out: each one is allowed, denied, or needs the user's
// approval.
//
//     agent::AgentOptions options;
//     options.guard = agent::Guard(agent::GuardLevel::standard);
//     options.guard.add(agent::load_guard_rules("guard.json"), agent::RuleOrigin::user);
//
// An agent asks its guard before each effect on the desktop, and before the clipboard is read.
// docs/security.md describes the levels, the built-in rules and the file format.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/effect.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::agent {

// ---- what is judged -----------------------------------------------------------------------------

/// What an action does.
enum class EffectKind {
    move,            ///< moves the pointer
    click,           ///< presses a button of the mouse; drags, too
    scroll,          ///< turns the wheel
    key,             ///< presses a key or a chord
    text,            ///< types text
    clipboard_write, ///< writes text to the clipboard, as for pasting
    clipboard_read,  ///< reads the clipboard
    window,          ///< focuses, moves or closes a window
    launch,          ///< starts a program
    program,         ///< runs a program as a tool (program_tool.hpp)
};
/// "move", "click", "scroll", "key", "text", "clipboard_write", "clipboard_read", "window", "launch",
/// "program".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(EffectKind kind) noexcept;
/// All of them.
[[nodiscard]] EYEHAND_AGENT_API std::span<const EffectKind> effect_kinds() noexcept;

/// What decided on an action.
enum class Provenance {
    native,   ///< a tool call of the model (`vlm::Provenance`)
    text,     ///< a call that the model wrote as text
    reply,    ///< the reply of a visual loop, from its model or from the client
    recovery, ///< the fixed sequence against loops
    /// A command of the user, such as `agent-cli do`: the rules of the levels do not apply to it.
    user,
};
/// "native", "text", "reply", "recovery", "user".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(Provenance provenance) noexcept;
/// All of them.
[[nodiscard]] EYEHAND_AGENT_API std::span<const Provenance> provenances() noexcept;

/// Windows that need care, recognized by process and class, and password fields in other windows.
enum class WindowKind {
    other,
    own,                ///< the terminal or another window of the agent's own processes
    terminal,           ///< a terminal or a console
    run_dialog,         ///< a dialog that starts programs
    on_screen_keyboard, ///< clicks become keys
    remote,             ///< a remote desktop or a virtual machine
    password,           ///< not the window, but a password field in it receives the input
};
/// "other", "own", "terminal", "run_dialog", "on_screen_keyboard", "remote", "password".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(WindowKind kind) noexcept;

/// A window that receives input.
struct GuardedWindow {
    winio::WindowId id{};
    std::string title{};
    std::string window_class{};
    std::string process{}; ///< file name of the program; empty: unknown
    WindowKind kind = WindowKind::other;
    bool elevated = false; ///< as `winio::WindowInfo::elevated`
};

/// One effect of an action.
struct GuardedEffect {
    EffectKind kind = EffectKind::move;
    /// The window that receives it: at the target point, or with the keyboard focus. Null: none does
    /// (an empty desktop). Meaningful if `window_known`.
    std::optional<GuardedWindow> window{};
    bool window_known = false;
    /// For the keyboard: whether the window with the focus is outside of the area that the user chose
    /// (`--window`, `--crop`). Empty: unknown.
    std::optional<bool> outside_area = false;
    std::string
        chord{};        ///< modifiers first, in the order windows, ctrl, alt, shift: "ctrl+shift+s"
    std::string text{}; ///< typed, or written to the clipboard; UTF-8, Enter is \n
    std::string command{}; ///< of a launch or a program
    std::string details{}; ///< for the user in an approval request; may be empty
};

/// An action as a whole.
struct GuardedAction {
    std::string tool{};  ///< the tool's registered name; empty for a recovery
    std::string label{}; ///< what the model calls the target
    Provenance provenance = Provenance::native;
    std::vector<GuardedEffect> effects{};
};

/// The surroundings of an action.
struct GuardSurroundings {
    /// Topmost first. Not set: they could not be listed, so which window receives input is unknown. An
    /// empty list: a desktop without windows.
    std::optional<std::vector<winio::WindowInfo>> windows{};
    std::vector<winio::PasswordField> password_fields{};
    std::optional<winio::Point> pointer{}; ///< for actions without a target; desktop pixels
    /// This process, then its ancestors: `winio::own_processes`. The windows of this process, and of
    /// its nearest ancestor that has windows, are its own.
    std::vector<std::uint32_t> own_processes{};
    /// The part of a display that the user chose (`--crop`): the keyboard may reach windows that it
    /// touches.
    std::optional<winio::Rect> crop{};
    /// The window that the user chose (`--window`): the keyboard may reach it, and other windows of
    /// its process.
    std::optional<winio::WindowInfo> chosen_window{};
};

/// The effects of a plan, in order; moves before a press belong to the press.
[[nodiscard]] EYEHAND_AGENT_API std::vector<GuardedEffect>
effects_of(const winio::Plan& plan, const GuardSurroundings& surroundings);

/// Whether each of these effects reaches a window that the judged action reaches in the same way, with
/// the pointer or with the keyboard. True for what cannot be known. To be called directly before input,
/// with the effects that it has now: another window can have come to the front since the decision.
[[nodiscard]] EYEHAND_AGENT_API bool covers(const GuardedAction& judged,
                                            std::span<const GuardedEffect> effects);

// ---- rules --------------------------------------------------------------------------------------

enum class Decision { allow, ask, deny };
/// "allow", "ask", "deny".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(Decision decision) noexcept;

/// All conditions that are set must hold; of several values in a list, one. Patterns contain `*` (any
/// characters) and `?` (one character), and match the whole value regardless of the case of ASCII
/// letters.
struct GuardCondition {
    std::vector<EffectKind> effects{};
    std::vector<std::string> tools{}; ///< patterns of registered names
    std::vector<Provenance> provenances{};
    std::vector<std::string> processes{}; ///< patterns; of the window that receives the effect
    std::vector<std::string> classes{};   ///< patterns
    std::vector<std::string> titles{};    ///< patterns
    std::vector<WindowKind> kinds{};
    std::vector<std::string> chords{};   ///< patterns
    std::vector<std::string> texts{};    ///< patterns of the typed line, and of pasted text
    std::vector<std::string> commands{}; ///< patterns
    std::vector<std::string> labels{};   ///< patterns
    /// Patterns of file paths in typed and pasted text, and in commands, as far as they can be
    /// recognized; `/` and `\` are the same. A rule that allows matches if each path does.
    std::vector<std::string> paths{};
    /// The same for hosts of URLs, network paths and mail addresses, and words that look like one.
    std::vector<std::string> hosts{};
    std::optional<bool> elevated{};                ///< of the window that receives the effect
    std::optional<std::size_t> text_longer_than{}; ///< bytes
    std::optional<int> more_per_minute_than{};     ///< actions, this one included
    std::optional<bool> outside_area{};
};

struct GuardRule {
    std::string name{};
    GuardCondition when{};
    Decision then = Decision::ask;
    std::string reason{}; ///< for the user and the model; may be empty
};

/// Where a rule comes from. Rules of an earlier origin count first, and of these the first one that
/// matches.
enum class RuleOrigin {
    invariant,     ///< built in; cannot be overridden
    administrator, ///< of the machine
    user,
    built_in, ///< of the level
};
/// "invariant", "administrator", "user", "built_in".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(RuleOrigin origin) noexcept;

/// Parses {"rules": [{"name": ..., "when": {...}, "then": "allow"}, ...]}. Throws Error{bad_guard},
/// naming `where`, the member and the reason; unknown members are errors, too, and so is a rule that
/// allows by the title of a window, which any program can choose.
[[nodiscard]] EYEHAND_AGENT_API std::vector<GuardRule> parse_guard_rules(std::string_view text,
                                                                         const std::string& where);
/// Reads a file of rules. Throws Error{bad_guard} also if the file cannot be read.
[[nodiscard]] EYEHAND_AGENT_API std::vector<GuardRule>
load_guard_rules(const std::filesystem::path& file);

// ---- the guard ----------------------------------------------------------------------------------

enum class GuardLevel {
    off,      ///< everything is allowed, without any rule
    standard, ///< asks before actions that can do harm
    strict,   ///< asks before each action, except those that a rule of the user allows
};
/// "off", "standard", "strict".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(GuardLevel level) noexcept;

/// The decision on an action.
struct GuardVerdict {
    Decision decision = Decision::allow;
    /// The rule that decided: its origin and name, such as "built_in: launch"; "default" without one;
    /// "off".
    std::string rule = "default";
    std::string reason{}; ///< of the rule
};

/// Judges actions. A value: copies are independent. Not thread-safe.
class EYEHAND_AGENT_API Guard {
public:
    using Time = std::chrono::steady_clock::time_point;

    explicit Guard(GuardLevel level = GuardLevel::standard);

    /// Adds rules after those of the same origin. Throws std::invalid_argument for the origins
    /// `invariant` and `built_in`.
    void add(std::vector<GuardRule> rules, RuleOrigin origin);
    [[nodiscard]] GuardLevel level() const { return level_; }

    /// The strictest decision on any effect of the action. A condition on something unknown (such as
    /// the window, if windows cannot be listed) matches if the rule asks or denies, and never if it
    /// allows.
    [[nodiscard]] GuardVerdict judge(const GuardedAction& action, Time now) const;
    /// Records that an action is carried out, for the number of actions per minute and the line of
    /// text that is typed in several calls.
    void carried_out(const GuardedAction& action, Time now);

private:
    struct Rule {
        GuardRule rule;
        RuleOrigin origin;
    };
    struct TypedLine {
        std::optional<winio::WindowId> window;
        std::string text; ///< since the latest Enter
    };
    using TypedLines = std::deque<TypedLine>; ///< not empty; the latest last
    [[nodiscard]] GuardVerdict judge_effect(const GuardedAction& action,
                                            const GuardedEffect& effect, const std::string& line,
                                            int rate) const;
    [[nodiscard]] static std::string append(TypedLines& lines, const GuardedEffect& effect);

    GuardLevel level_;
    std::vector<Rule> rules_; ///< by origin
    std::deque<Time> latest_; ///< actions of the latest minute
    TypedLines lines_;
};

} // namespace eyehand::agent
