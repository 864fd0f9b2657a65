#include "eyehand/agent/desktop_tools.hpp"

#include "base/text.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/gesture.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace eyehand::agent {

// ---- argument types -----------------------------------------------------------------------------

// In Unicode code points. A longer text is a mistake of the model, or of the server that repeats
// itself: it would occupy the keyboard for hours.
constexpr std::size_t max_text = 65536;
constexpr std::size_t max_command = 8192;

/// Text that can be typed with keys.
template <std::size_t max_length>
struct TypableText {
    std::string utf8{};
};
template <std::size_t max_length>
struct ArgumentType<TypableText<max_length>> {
    static std::string schema(const Constraints& constraints) {
        return schema_of<std::string>(constraints);
    }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 TypableText<max_length>& into) {
        if (auto problem = agent::decode<std::string>(json, into.utf8, constraints)) return problem;
        if (const std::size_t length = base::utf8::count(into.utf8); length > max_length)
            return ArgumentProblem{
                false,
                fmt::format("it must have at most {} characters, it has {}", max_length, length)};
        std::string problem = winio::gesture::typing_problem(into.utf8);
        if (problem.empty()) return std::nullopt;
        return ArgumentProblem{false, std::move(problem)};
    }
};

/// A key or a combination of keys, by name.
struct NamedChord {
    winio::KeyChord chord{};
};
template <>
struct ArgumentType<NamedChord> {
    static std::string schema(const Constraints&) { return schema_of<std::string>(); }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&,
                                                 NamedChord& into) {
        std::string text;
        if (auto problem =
                agent::decode<std::string>(json, text, {.limits = {}, .not_empty = true}))
            return problem;
        std::string problem;
        auto chord = winio::parse_chord(text, &problem);
        if (!chord) return ArgumentProblem{false, std::move(problem)};
        into.chord = *std::move(chord);
        return std::nullopt;
    }
};

/// One coordinate of a point; WorkArea clamps it.
enum class Axis { x, y };
template <Axis axis>
struct Coordinate {
    double value = 0;
};
template <Axis axis>
struct ArgumentType<Coordinate<axis>> {
    static std::string schema(const Constraints&) {
        std::string schema = schema_of<double>({range{0, 1000}});
        return schema.insert(schema.size() - 1, axis == Axis::x ? R"(,"format":"eyehand-x")"
                                                                : R"(,"format":"eyehand-y")");
    }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&,
                                                 Coordinate<axis>& into) {
        return agent::decode<double>(json, into.value);
    }
};

namespace {

using winio::Button;
namespace gesture = winio::gesture;

// ---- the tools' arguments -----------------------------------------------------------------------

struct NoArgs {};

struct TargetArgs {
    std::string label;
    winio::NormBox box;
};

enum class ButtonName { left, right, middle };
BOOST_DESCRIBE_ENUM(ButtonName, left, right, middle)

struct ClickArgs {
    std::string label;
    std::optional<winio::NormBox> box;
    std::optional<ButtonName> button;
    std::optional<int> times;
    std::optional<NamedChord> keys;
};

struct DragArgs {
    std::string label;
    winio::NormPoint start;
    winio::NormPoint end;
    std::optional<std::vector<winio::NormPoint>> via;
};

struct MoveArgs {
    Coordinate<Axis::x> x;
    Coordinate<Axis::y> y;
};

struct TextArgs {
    TypableText<max_text> text;
};

struct CommandArgs {
    TypableText<max_command> command;
};

struct KeyArgs {
    NamedChord key;
};

struct HoldArgs {
    NamedChord key;
    double seconds = 0;
};

struct WaitArgs {
    double seconds = 0;
};

enum class ScrollDirection { down, up };
BOOST_DESCRIBE_ENUM(ScrollDirection, down, up)

struct ScrollArgs {
    winio::NormBox box;
    std::optional<ScrollDirection> direction;
    std::optional<int> amount;
};

struct WheelArgs {
    std::optional<ScrollDirection> direction;
    std::optional<int> amount;
};

enum class WheelDirection { down, up, left, right };
BOOST_DESCRIBE_ENUM(WheelDirection, down, up, left, right)

struct TurnArgs {
    std::optional<winio::NormBox> box;
    WheelDirection direction = WheelDirection::down;
    std::optional<int> amount;
    std::optional<NamedChord> keys;
};

struct AmountArgs {
    std::optional<int> amount;
};

struct ZoomArgs {
    winio::NormBox region;
};

struct TitleArgs {
    std::string title;
};

// Enough for several pages; more is a mistake of the model.
constexpr range notches{1, 30};
constexpr int default_notches = 3;
constexpr int one_notch = 1; // of tools without a target
// Limits of lists and texts for the model.
constexpr std::size_t max_windows = 40;
constexpr std::size_t title_length = 80;
constexpr std::size_t clipboard_length = 4000;

// ---- the pointer --------------------------------------------------------------------------------

/// Adds the place of an action to its result.
ToolResult placed(ToolResult result, winio::NormPoint at, const ToolContext& context) {
    const ModelPoint shown = context.shown(at);
    return std::move(result).with("x", shown.x).with("y", shown.y);
}

/// The same for a pixel, which may be outside what the model sees.
ToolResult placed(ToolResult result, winio::Point at, const ToolContext& context) {
    if (!context.area.contains(at)) return result;
    return placed(std::move(result), context.area.to_norm(at), context);
}

/// `verb` names the action in the result: {"ok":true,"clicked":"OK","x":500,"y":300}.
auto click_with(Button button, int times, const char* verb) {
    return [=](const TargetArgs& args, ToolContext& context) {
        const winio::NormPoint at = args.box.center();
        return placed(
            act(gesture::click(context.area.to_pixel(at), button, times)).with(verb, args.label),
            at, context);
    };
}

ToolResult drag(const DragArgs& args, ToolContext& context) {
    std::vector<winio::Point> path{context.area.to_pixel(args.start)};
    for (const winio::NormPoint& corner : args.via.value_or(std::vector<winio::NormPoint>()))
        path.push_back(context.area.to_pixel(corner));
    path.push_back(context.area.to_pixel(args.end));
    return act(gesture::drag_along(path, context.drag)).with("dragged", args.label);
}

ToolResult move(const MoveArgs& args, ToolContext& context) {
    const winio::Point to = context.area.to_pixel({args.x.value, args.y.value});
    return placed(act(gesture::move(to)), context.area.to_norm(to), context);
}

/// The pointer's position if it is known; sets `problem` if it is outside the work area.
std::optional<winio::Point> pointer_in_reach(ToolContext& context,
                                             std::optional<ToolResult>& problem) {
    const std::optional<winio::Point> at = context.desktop.pointer();
    if (at && !context.work_area().contains(*at))
        problem = fail("pointer_outside",
                       "The pointer is outside the visible screen: move it onto the target first.");
    return at;
}

/// A plan that acts at the pointer's position, with this position as its target, to distinguish it
/// from others.
ToolResult act_at_pointer(winio::Plan plan, std::string_view done, ToolContext& context) {
    std::optional<ToolResult> problem;
    const std::optional<winio::Point> at = pointer_in_reach(context, problem);
    if (problem) return *std::move(problem);
    if (!at) return act(std::move(plan), done); // the desktop does not report it
    plan.targets = {*at};
    return placed(act(std::move(plan), done), *at, context);
}

ToolResult click_here(const NoArgs&, ToolContext& context) {
    return act_at_pointer(gesture::click_here(), "Clicked where the pointer is.", context);
}

/// With the keys held, if any.
winio::Plan holding(const std::optional<NamedChord>& keys, winio::Plan what) {
    return keys ? gesture::holding(keys->chord, std::move(what)) : what;
}

Button button_of(ButtonName name) {
    switch (name) {
    case ButtonName::right:
        return Button::right;
    case ButtonName::middle:
        return Button::middle;
    case ButtonName::left:
        break;
    }
    return Button::left;
}

ToolResult click_with_options(const ClickArgs& args, ToolContext& context) {
    const Button button = button_of(args.button.value_or(ButtonName::left));
    const int times = args.times.value_or(1);
    const std::string keys = args.keys ? winio::to_string(args.keys->chord) : "";
    const std::string about = fmt::format("{} {}", times, keys);
    if (args.box) {
        const winio::NormPoint at = args.box->center();
        return placed(
                   act(holding(args.keys, gesture::click(context.area.to_pixel(at), button, times)))
                       .with("clicked", args.label),
                   at, context)
            .about(about);
    }
    std::optional<ToolResult> problem;
    const std::optional<winio::Point> at = pointer_in_reach(context, problem);
    if (problem) return *std::move(problem);
    if (!at)
        return fail("pointer_unknown",
                    "The position of the pointer is not known: state where to click.");
    return placed(act(holding(args.keys, gesture::click(*at, button, times)))
                      .with("clicked", args.label),
                  *at, context)
        .about(about);
}

// ---- the wheel ----------------------------------------------------------------------------------

std::string_view word(ScrollDirection direction) {
    return direction == ScrollDirection::up ? "up" : "down";
}

ToolResult scrolled(winio::Plan plan, ScrollDirection direction, int amount) {
    return act(std::move(plan))
        .with("scrolled", word(direction))
        .with("notches", amount)
        .about(fmt::format("{} {}", amount, word(direction)));
}

int signed_notches(ScrollDirection direction, int amount) {
    return direction == ScrollDirection::up ? amount : -amount;
}

ToolResult scroll(const ScrollArgs& args, ToolContext& context) {
    const ScrollDirection direction = args.direction.value_or(ScrollDirection::down);
    const int amount = args.amount.value_or(default_notches);
    const winio::Point at = context.area.to_pixel(args.box.center());
    return scrolled(gesture::scroll(at, signed_notches(direction, amount)), direction, amount);
}

auto scroll_in_the_middle(ScrollDirection direction) {
    return [direction](const AmountArgs& args, ToolContext& context) {
        const int amount = args.amount.value_or(one_notch);
        const winio::Point center = context.work_area().to_pixel({500, 500});
        return scrolled(gesture::scroll(center, signed_notches(direction, amount)), direction,
                        amount);
    };
}

ToolResult scroll_here(const WheelArgs& args, ToolContext& context) {
    const ScrollDirection direction = args.direction.value_or(ScrollDirection::down);
    const int amount = args.amount.value_or(one_notch);
    const winio::Batch turn{winio::WheelTurn{signed_notches(direction, amount)}};
    return act_at_pointer({{winio::Step{turn}}, {}},
                          fmt::format("Scrolled {} {} {} where the pointer is.", word(direction),
                                      amount, amount == 1 ? "notch" : "notches"),
                          context)
        .about(fmt::format("{} {}", amount, word(direction)));
}

std::string_view word_for(WheelDirection direction) {
    switch (direction) {
    case WheelDirection::up:
        return "up";
    case WheelDirection::left:
        return "left";
    case WheelDirection::right:
        return "right";
    case WheelDirection::down:
        break;
    }
    return "down";
}

ToolResult turn_wheel(const TurnArgs& args, ToolContext& context) {
    const int amount = args.amount.value_or(default_notches);
    const bool sideways =
        args.direction == WheelDirection::left || args.direction == WheelDirection::right;
    const bool positive =
        args.direction == WheelDirection::up || args.direction == WheelDirection::right;
    const winio::Axis axis = sideways ? winio::Axis::horizontal : winio::Axis::vertical;
    const std::string_view word = word_for(args.direction);
    std::optional<winio::Point> at;
    if (args.box) {
        at = context.area.to_pixel(args.box->center());
    } else {
        std::optional<ToolResult> problem;
        at = pointer_in_reach(context, problem);
        if (problem) return *std::move(problem);
        if (!at) at = context.work_area().to_pixel({500, 500});
    }
    return act(holding(args.keys, gesture::scroll(*at, positive ? amount : -amount, axis)))
        .with("scrolled", word)
        .with("notches", amount)
        .about(fmt::format("{} {}", amount, word));
}

// ---- the keyboard -------------------------------------------------------------------------------

ToolResult type(const TextArgs& args, ToolContext& context) {
    RevealedText typed{.text = args.text.utf8};
    if (context.reveal) typed = context.reveal(args.text.utf8);
    if (!typed.problem.empty()) return fail("secret", typed.problem);
    // Before each character, it is checked which window receives it.
    const auto delay = typed.secrets.empty()
                           ? context.type_delay
                           : std::max(context.type_delay, std::chrono::milliseconds(1));
    return act(gesture::type(typed.text, delay))
        .with("typed", args.text.utf8)
        .about(args.text.utf8);
}

ToolResult press(const KeyArgs& args, ToolContext&) {
    const std::string name = winio::to_string(args.key.chord);
    return act(gesture::press(args.key.chord)).with("pressed", name).about(name);
}

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(std::llround(seconds * 1000));
}

ToolResult hold_key(const HoldArgs& args, ToolContext&) {
    const std::string name = winio::to_string(args.key.chord);
    const winio::Plan pause{{winio::Step{winio::Batch{}, milliseconds(args.seconds)}}, {}};
    return act(gesture::holding(args.key.chord, pause))
        .with("held", name)
        .with("seconds", args.seconds)
        .about(fmt::format("{} {}", name, args.seconds));
}

// ---- waiting ------------------------------------------------------------------------------------

ToolResult wait(const WaitArgs& args, ToolContext&) {
    return act({{winio::Step{winio::Batch{}, milliseconds(args.seconds)}}, {}})
        .with("waited_seconds", args.seconds)
        .about(fmt::format("{}", args.seconds));
}

// ---- looking ------------------------------------------------------------------------------------

ToolResult zoom(const ZoomArgs& args, ToolContext& context) {
    const winio::Point first = context.area.to_pixel({args.region.x1, args.region.y1});
    const winio::Point last = context.area.to_pixel({args.region.x2, args.region.y2});
    return look_at({first.x, first.y, last.x - first.x + 1, last.y - first.y + 1})
        .about(fmt::format("{},{} to {},{}", first.x, first.y, last.x, last.y));
}

// ---- windows and programs -----------------------------------------------------------------------

ToolResult no_windows() {
    return fail("not_supported", "This desktop does not support window control. Use the mouse.");
}

std::vector<winio::WindowInfo> titled_windows(winio::Windows& windows) {
    std::vector<winio::WindowInfo> all = windows.list();
    std::erase_if(all, [](const winio::WindowInfo& window) { return window.title.empty(); });
    return all;
}

std::string redacted(const ToolContext& context, const std::string& text) {
    return context.redact ? context.redact(text) : text;
}

std::string title_of(const winio::WindowInfo& window, const ToolContext& context) {
    return shorten(one_line(redacted(context, window.title)), title_length);
}

ToolResult list_windows(const NoArgs&, ToolContext& context) {
    winio::Windows* windows = context.desktop.windows();
    if (windows == nullptr) return no_windows();
    const std::vector<winio::WindowInfo> all = titled_windows(*windows);
    std::string lines;
    for (std::size_t i = 0; i < std::min(all.size(), max_windows); ++i) {
        const winio::WindowInfo& window = all[i];
        lines += fmt::format("{}. {}", i + 1, title_of(window, context));
        if (!window.process.empty()) lines += " (" + window.process + ")";
        if (window.foreground) lines += ", in front";
        if (window.state == winio::WindowState::minimized) lines += ", minimized";
        lines += '\n';
    }
    return ok()
        .with("count", static_cast<double>(all.size()))
        .with("windows", trim(lines))
        .reads()
        .untrusted("window");
}

std::string titles_of(const std::vector<winio::WindowInfo>& windows, const ToolContext& context) {
    std::string titles;
    for (std::size_t i = 0; i < std::min(windows.size(), max_windows); ++i)
        titles += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", title_of(windows[i], context));
    return titles.empty() ? "none" : titles;
}

ToolResult focus_window(const TitleArgs& args, ToolContext& context) {
    winio::Windows* windows = context.desktop.windows();
    if (windows == nullptr) return no_windows();
    const std::vector<winio::WindowInfo> all = titled_windows(*windows);
    const auto window = winio::find_window(all, {.title = args.title});
    if (!window)
        return fail("window_not_found",
                    fmt::format("No window has \"{}\" in its title. Open windows: {}.",
                                shorten(args.title, title_length), titles_of(all, context)))
            .untrusted("window");
    return act({{winio::Step{winio::WindowCommand{window->id, winio::WindowAction::focus, {}}}},
                {}})
        .with("focused", window->title)
        .untrusted("window")
        .about(args.title);
}

ToolResult launch_app(const CommandArgs& args, ToolContext& context) {
    const std::string& command = args.command.utf8;
    return act({{winio::Step{winio::LaunchCommand{command, context.hidden_variables}}}, {}},
               "Started. Its window may take a moment to appear.")
        .with("launched", command)
        .about(command);
}

// ---- the clipboard ------------------------------------------------------------------------------

ToolResult no_clipboard() { return fail("not_supported", "This desktop has no usable clipboard."); }

ToolResult read_clipboard(const NoArgs&, ToolContext& context) {
    winio::Clipboard* clipboard = context.desktop.clipboard();
    if (clipboard == nullptr) return no_clipboard();
    if (context.permit) {
        GuardedEffect effect;
        effect.kind = EffectKind::clipboard_read;
        effect.window_known = true;
        if (auto denied = context.permit(effect)) return *std::move(denied);
    }
    const std::string text = redacted(context, clipboard->text());
    if (text.empty()) return ok("The clipboard holds no text.").with("text", "").reads();
    return ok().with("text", shorten(text, clipboard_length)).reads().untrusted("clipboard");
}

ToolResult paste_text(const TextArgs& args, ToolContext& context) {
    if (context.desktop.clipboard() == nullptr) return no_clipboard();
    if (context.reveal && context.reveal(args.text.utf8).text != args.text.utf8)
        return fail("secret", "A secret cannot be pasted, because other programs can read the "
                              "clipboard. Type it.");
    return act(gesture::paste(args.text.utf8)).with("pasted", args.text.utf8).about(args.text.utf8);
}

// ---- argument lists -----------------------------------------------------------------------------

template <class Args>
Argument<Args> label_of(std::string Args::*member) {
    return arg("label", member, "what it is, in a few words", not_empty);
}

std::vector<Argument<TargetArgs>> target() {
    return {label_of(&TargetArgs::label),
            arg("box", &TargetArgs::box, "where it is: {{point}} or {{box}}, {{range}}")};
}

std::vector<Argument<AmountArgs>> amount() {
    return {arg("amount", &AmountArgs::amount, "wheel notches; default: 1", notches)};
}

/// Mistakes in a key have their own error type.
template <class Args, class Key>
Argument<Args> key_of(std::string name, Key Args::*member, std::string description) {
    Argument<Args> key = arg(std::move(name), member, std::move(description));
    key.info.invalid_error = "invalid_key";
    return key;
}

void add_looking(Toolbox& tools) {
    tools.add<NoArgs>("observe", "Shows the current screen.", {},
                      [](const NoArgs&, ToolContext&) { return look(); });
    tools.add<ZoomArgs>("zoom",
                        "Shows a part of the screen at full resolution, enlarged if it is small. "
                        "Positions in your next calls refer to this image, until the next "
                        "screenshot.",
                        {arg("region", &ZoomArgs::region, "the part: {{box}}, {{range}}")}, zoom);
    tools.add<WaitArgs>("wait", "Waits, to give a program time.",
                        {arg("seconds", &WaitArgs::seconds, "0 to 30", range{0, 30})}, wait);
}

void add_pointer(Toolbox& tools) {
    tools.add<TargetArgs>("click", "Clicks the left mouse button on something visible.", target(),
                          click_with(Button::left, 1, "clicked"));
    tools.add<TargetArgs>("double_click", "Double-clicks something visible.", target(),
                          click_with(Button::left, 2, "double_clicked"));
    tools.add<TargetArgs>("right_click", "Clicks the right mouse button on something visible.",
                          target(), click_with(Button::right, 1, "right_clicked"));
    tools.add<DragArgs>(
        "drag", "Drags something from one place to another with the left mouse button.",
        {label_of(&DragArgs::label),
         arg("start", &DragArgs::start, "where it is: {{point}}, {{range}}"),
         arg("end", &DragArgs::end, "where it goes: {{point}}, {{range}}"),
         arg("via", &DragArgs::via, "corners of the path between them: [{{point}}, ...]")},
        drag);
    tools.add<MoveArgs>("move", "Moves the mouse pointer, without clicking.",
                        {arg("x", &MoveArgs::x, "0 is the left edge, {{x:1000}} the right one"),
                         arg("y", &MoveArgs::y, "0 is the top edge, {{y:1000}} the bottom one")},
                        move);
    tools.add<ClickArgs>(
        "click_with", "Clicks with any button, several times, or while keys are held.",
        {label_of(&ClickArgs::label),
         arg("box", &ClickArgs::box,
             "where it is: {{point}} or {{box}}, {{range}}; default: where the pointer is"),
         arg("button", &ClickArgs::button, "default: left"),
         arg("times", &ClickArgs::times, "default: 1", range{1, 3}),
         key_of("keys", &ClickArgs::keys, "held during the click, such as ctrl or ctrl+shift")},
        click_with_options);
    tools.add<NoArgs>("click_here", "Clicks the left mouse button where the pointer is.", {},
                      click_here);
    tools.add<ScrollArgs>(
        "scroll", "Turns the mouse wheel over something visible.",
        {arg("box", &ScrollArgs::box, "where: {{point}} or {{box}}, {{range}}"),
         arg("direction", &ScrollArgs::direction, "default: down"),
         arg("amount", &ScrollArgs::amount, "wheel notches; default: 3", notches)},
        scroll);
    tools.add<WheelArgs>("scroll_here", "Turns the mouse wheel where the pointer is.",
                         {arg("direction", &WheelArgs::direction, "default: down"),
                          arg("amount", &WheelArgs::amount, "wheel notches; default: 1", notches)},
                         scroll_here);
    tools.add<TurnArgs>(
        "turn_wheel", "Turns the mouse wheel in any direction.",
        {arg("box", &TurnArgs::box,
             "where: {{point}} or {{box}}, {{range}}; default: where the pointer is"),
         arg("direction", &TurnArgs::direction, "where the content scrolls to"),
         arg("amount", &TurnArgs::amount, "wheel notches; default: 3", notches),
         key_of("keys", &TurnArgs::keys, "held meanwhile, such as ctrl")},
        turn_wheel);
    tools.add<AmountArgs>("scroll_down", "Scrolls down in the middle of the screen.", amount(),
                          scroll_in_the_middle(ScrollDirection::down));
    tools.add<AmountArgs>("scroll_up", "Scrolls up in the middle of the screen.", amount(),
                          scroll_in_the_middle(ScrollDirection::up));
}

void add_keyboard(Toolbox& tools) {
    tools.add<TextArgs>("type", "Types text where the keyboard focus is.",
                        {arg("text", &TextArgs::text, "the text; \\n is the Enter key", not_empty)},
                        type);
    tools.add<KeyArgs>("press", "Presses a key or a key combination.",
                       {key_of("key", &KeyArgs::key, "such as enter, tab, ctrl+s, alt+f4")}, press);
    tools.add<KeyArgs>("hotkey", "Presses several keys together.",
                       {key_of("keys", &KeyArgs::key, "joined by +, such as ctrl+shift+s")}, press);
    tools.add<HoldArgs>("hold_key", "Holds a key or a key combination down for a while.",
                        {key_of("key", &HoldArgs::key, "such as right, ctrl, shift+down"),
                         arg("seconds", &HoldArgs::seconds, "0.1 to 10", range{0.1, 10})},
                        hold_key);
}

void add_windows_and_clipboard(Toolbox& tools) {
    tools.add<NoArgs>("list_windows", "Lists the open windows, topmost first.", {}, list_windows);
    tools.add<TitleArgs>("focus_window", "Brings a window to the front.",
                         {arg("title", &TitleArgs::title, "its title, or a part of it", not_empty)},
                         focus_window);
    tools.add<CommandArgs>("launch_app", "Starts a program, or opens a document.",
                           {arg("command", &CommandArgs::command,
                                "such as notepad.exe, with arguments if any", not_empty)},
                           launch_app);
    tools.add<NoArgs>("read_clipboard", "Returns the text in the clipboard.", {}, read_clipboard);
    tools.add<TextArgs>(
        "paste_text", "Pastes text where the keyboard focus is; better than typing for long text.",
        {arg("text", &TextArgs::text, "the text", not_empty)}, paste_text);
}

} // namespace

Toolbox desktop_tools() {
    Toolbox tools;
    add_looking(tools);
    add_pointer(tools);
    add_keyboard(tools);
    add_windows_and_clipboard(tools);
    tools.only_plans();
    return tools;
}

} // namespace eyehand::agent
