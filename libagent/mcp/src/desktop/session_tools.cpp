#include "desktop/session_tools.hpp"

#include "desktop/session_mode.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/screen_watch.hpp"

#include "json/json.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>
#include <utility>

namespace eyehand::mcp {
namespace {

namespace json = boost::json;

using agent::ToolContext;
using agent::ToolResult;

// ---- look ---------------------------------------------------------------------------------------

struct LookArgs {
    std::optional<std::string> display;
    std::optional<std::string> window;
    std::optional<winio::NormBox> region;
    std::optional<int> since;
};

/// Shows a part of the desktop, as far as the session can reach it.
ToolResult look_at_part(const winio::Rect& part, ToolContext& context, std::string_view what) {
    const winio::Rect all = context.work_area().bounds();
    const winio::Rect visible = winio::intersection(part, all);
    if (visible.empty())
        return agent::fail("not_visible", std::string(what) +
                                              " is not in the part of the desktop that this "
                                              "session can reach.");
    if (visible == all) return agent::look();
    return agent::look_at(visible);
}

ToolResult look_at_display(const std::string& wanted, ToolContext& context) {
    std::string known;
    for (const winio::Display& display : context.desktop.displays()) {
        if (display.id == wanted || display.name == wanted)
            return look_at_part(display.bounds, context, "The display");
        known += (known.empty() ? "" : ", ") + display.id;
    }
    return agent::fail("display_not_found",
                       "No display is called \"" + wanted + "\". Displays: " + known + ".");
}

ToolResult look_at_window(const std::string& title, ToolContext& context) {
    winio::Windows* windows = context.desktop.windows();
    if (windows == nullptr)
        return agent::fail("not_supported", "This desktop does not list its windows.");
    const auto window = winio::find_window(windows->list(), {.title = title});
    if (!window || title.empty())
        return agent::fail("window_not_found",
                           "No window has this text in its title: call windows to see them.");
    return look_at_part(window->bounds, context, "The window");
}

ToolResult look_as_told(const LookArgs& args, ToolContext& context) {
    const int parts = (args.display ? 1 : 0) + (args.window ? 1 : 0) + (args.region ? 1 : 0) +
                      (args.since ? 1 : 0);
    if (parts > 1)
        return agent::fail("invalid_args",
                           "State at most one of display, window, region and since.");
    if (args.display) return look_at_display(*args.display, context);
    if (args.window) return look_at_window(*args.window, context);
    if (args.region) {
        const winio::Point first = context.area.to_pixel({args.region->x1, args.region->y1});
        const winio::Point last = context.area.to_pixel({args.region->x2, args.region->y2});
        return look_at_part({first.x, first.y, last.x - first.x + 1, last.y - first.y + 1}, context,
                            "The region");
    }
    return agent::look();
}

// ---- waiting ------------------------------------------------------------------------------------

struct WaitForChangeArgs {
    std::optional<double> seconds;
};

constexpr double default_wait_seconds = 10;

/// Waits until the screen differs from its look at the beginning, except where it changes by itself.
ToolResult wait_for_change(const WaitForChangeArgs& args, ToolContext& context,
                           const std::function<bool()>& canceled) {
    using Clock = std::chrono::steady_clock;
    const double seconds = args.seconds.value_or(default_wait_seconds);
    const auto end = Clock::now() + std::chrono::milliseconds(std::llround(seconds * 1000));
    const winio::Rect area = context.area.bounds();
    const auto capturer = context.desktop.open_capturer({.pointer = false});
    winio::ScreenState state;
    winio::capture_state(context.desktop, *capturer, area, state);
    winio::ScreenWatch watch;
    watch.start(state, Clock::now());
    std::chrono::microseconds cost{0};
    while (Clock::now() < end) {
        constexpr std::chrono::milliseconds slice{20};
        const auto next = std::min(end, Clock::now() + winio::watch_interval(cost));
        while (Clock::now() < next) {
            if (canceled()) return agent::fail("canceled", "The client has canceled the wait.");
            if (context.stop.stop_requested() || context.safe_point.stop_requested())
                throw winio::Error(winio::errc::cancelled, "the wait was canceled");
            std::this_thread::sleep_for(std::min<Clock::duration>(slice, next - Clock::now()));
        }
        const auto start = Clock::now();
        winio::capture_state(context.desktop, *capturer, area, state);
        watch.note(state, Clock::now());
        cost = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
        if (!watch.differing().empty()) return agent::look();
    }
    return agent::look();
}

// ---- the pointer, windows and the clipboard -----------------------------------------------------

struct MoveToArgs {
    winio::NormPoint position;
};

ToolResult move_to(const MoveToArgs& args, ToolContext& context) {
    const winio::Point to = context.area.to_pixel(args.position);
    return agent::act(winio::gesture::move(to));
}

struct NoSessionArgs {};

std::string shown_title(const winio::WindowInfo& window, const ToolContext& context) {
    constexpr std::size_t max_title_bytes = 300;
    std::string title = context.redact ? context.redact(window.title) : window.title;
    if (title.size() <= max_title_bytes) return title;
    return title.substr(0, base::utf8::boundary_at_or_before(title, max_title_bytes)) + "...";
}

json::value number(double value) {
    if (const auto whole = static_cast<std::int64_t>(value); static_cast<double>(whole) == value)
        return whole;
    return value;
}

json::object json_of(const winio::WindowInfo& window, const ToolContext& context) {
    json::object object{{"title", shown_title(window, context)},
                        {"process", window.process},
                        {"state", to_string(window.state)},
                        {"foreground", window.foreground}};
    const winio::Rect visible = winio::intersection(window.bounds, context.area.bounds());
    if (window.state == winio::WindowState::minimized || visible.empty()) return object;
    const auto first = context.shown(context.area.to_norm(visible.origin()));
    const auto last =
        context.shown(context.area.to_norm({visible.right() - 1, visible.bottom() - 1}));
    object["top_left"] = json::object{{"x", number(first.x)}, {"y", number(first.y)}};
    object["bottom_right"] = json::object{{"x", number(last.x)}, {"y", number(last.y)}};
    return object;
}

ToolResult list_session_windows(const NoSessionArgs&, ToolContext& context) {
    constexpr std::size_t max_listed = 100;
    winio::Windows* windows = context.desktop.windows();
    if (windows == nullptr)
        return agent::fail("not_supported", "This desktop does not list its windows.");
    json::array list;
    std::size_t count = 0;
    for (const winio::WindowInfo& window : windows->list()) {
        if (window.title.empty()) continue;
        if (++count <= max_listed) list.push_back(json_of(window, context));
    }
    return agent::ok()
        .with("count", static_cast<double>(count))
        .with("windows", agent::to_text(list))
        .reads()
        .untrusted("window");
}

struct ClipboardTextArgs {
    std::string text;
};

ToolResult write_clipboard(const ClipboardTextArgs& args, ToolContext& context) {
    if (context.desktop.clipboard() == nullptr)
        return agent::fail("not_supported", "This desktop has no usable clipboard.");
    if (args.text.find('\0') != std::string::npos)
        return agent::fail("invalid_args", "The text must not contain a NUL character.");
    if (context.reveal && context.reveal(args.text).text != args.text)
        return agent::fail("secret", "A secret cannot be written to the clipboard, because other "
                                     "programs can read it. Type it.");
    return agent::act({{winio::Step{winio::ClipboardWrite{args.text}}}, {}},
                      "The clipboard has the text.")
        .about(args.text);
}

// ---- presentation -------------------------------------------------------------------------------

constexpr const char* where = "where: {{point}}, {{range}}, of the image that you received last";
constexpr const char* what_it_is = "what is there, in a few words, for the user and the log";

/// One tool of the list: its registered name, the name and the properties that clients see.
struct Offered {
    std::string_view tool;
    std::string_view name;
    std::string_view title;
    bool acting;
    ToolAnnotations annotations;
};

constexpr ToolAnnotations reads{
    .read_only = true, .destructive = false, .idempotent = true, .open_world = false};
/// Whatever the program under the pointer or with the keyboard focus does.
constexpr ToolAnnotations anything{
    .read_only = false, .destructive = true, .idempotent = false, .open_world = true};
/// A program may react to the pointer over it.
constexpr ToolAnnotations hovers{
    .read_only = false, .destructive = false, .idempotent = true, .open_world = true};
constexpr ToolAnnotations harmless_again{
    .read_only = false, .destructive = false, .idempotent = true, .open_world = false};

constexpr std::array offered_tools{
    Offered{"look", look_tool, "Look at the screen", false, reads},
    Offered{"click_with", "click", "Click", true, anything},
    Offered{"double_click", "double_click", "Double-click", true, anything},
    Offered{"right_click", "right_click", "Right-click", true, anything},
    Offered{"move_to", "move", "Move the pointer", true, hovers},
    Offered{"drag", "drag", "Drag", true, anything},
    Offered{"turn_wheel", "scroll", "Scroll", true, anything}, // a wheel also changes values
    Offered{"type", "type", "Type text", true, anything},
    Offered{"press", "press", "Press a key", true, anything},
    Offered{"hold_key", "hold", "Hold a key", true, anything},
    Offered{"paste_text", "paste", "Paste text", true, anything},
    Offered{"wait_for_change", wait_for_change_tool, "Wait for a change", false, reads},
    Offered{"windows", "windows", "List windows", false, reads},
    Offered{"focus_window", "focus_window", "Focus a window", true, harmless_again},
    Offered{"launch_app", "launch", "Start a program", true, anything},
    Offered{"read_clipboard", "clipboard_read", "Read the clipboard", false, reads},
    // Replaces what the user has copied.
    Offered{"clipboard_write",
            "clipboard_write",
            "Write the clipboard",
            false,
            {.read_only = false, .destructive = true, .idempotent = true, .open_world = false}},
};

const Offered* find_offered(std::string_view name) {
    const auto found = std::ranges::find(offered_tools, name, &Offered::name);
    return found == offered_tools.end() ? nullptr : &*found;
}

agent::ArgumentPresentation shown(std::string name, std::string is, std::string description = {}) {
    return {.name = std::move(name), .is = std::move(is), .description = std::move(description)};
}

/// The arguments of tools that are shown in another form than their own.
std::optional<std::vector<agent::ArgumentPresentation>> arguments_of(std::string_view tool) {
    if (tool == "click_with") {
        auto position = shown("position", "box", where);
        position.required = true;
        return {{position, shown("button", "button"), shown("times", "times"),
                 shown("keys", "keys"), shown("element", "label", what_it_is)}};
    }
    if (tool == "double_click" || tool == "right_click")
        return {{shown("position", "box", where), shown("element", "label", what_it_is)}};
    if (tool == "drag")
        return {{shown("start", "start"), shown("end", "end"), shown("via", "via"),
                 shown("element", "label", what_it_is)}};
    if (tool == "turn_wheel")
        return {{shown("direction", "direction"), shown("amount", "amount"),
                 shown("position", "box"), shown("keys", "keys")}};
    return std::nullopt;
}

std::string description_of_tool(std::string_view tool) {
    if (tool == "click_with")
        return "Clicks something visible; with the left button unless stated.";
    if (tool == "paste_text")
        return "Pastes text where the keyboard focus is, and restores the clipboard; better than "
               "typing for long text.";
    return {};
}

constexpr const char* system_prompt =
    "The model of this run is an MCP client: its calls follow, one per turn.";

} // namespace

ToolAnnotations annotations_of(std::string_view tool) {
    const Offered* found = find_offered(tool);
    return found == nullptr ? ToolAnnotations{} : found->annotations;
}

std::string title_of(std::string_view tool) {
    const Offered* found = find_offered(tool);
    return found == nullptr ? std::string() : std::string(found->title);
}

bool is_acting(std::string_view tool) {
    const Offered* found = find_offered(tool);
    return found == nullptr || found->acting;
}

agent::Toolbox session_tools() {
    return session_tools_with([] { return false; });
}

agent::Toolbox session_tools_with(std::function<bool()> canceled) {
    agent::Toolbox own;
    own.add<LookArgs>(
        "look",
        "Shows the current screen, once it is stable. Positions in the next calls refer to this "
        "image.",
        {agent::arg("display", &LookArgs::display, "only this display: its id"),
         agent::arg("window", &LookArgs::window, "only this window: a part of its title"),
         agent::arg("region", &LookArgs::region,
                    "only this part of the last image, enlarged: {{box}}, {{range}}"),
         agent::arg("since", &LookArgs::since,
                    "only what has changed since the screenshot with this id; positions still "
                    "refer to the last complete image")},
        look_as_told);
    own.add<MoveToArgs>("move_to", "Moves the mouse pointer, without clicking.",
                        {agent::arg("position", &MoveToArgs::position, where)}, move_to);
    own.add<NoSessionArgs>("windows",
                           "Lists the open windows, topmost first, with their places in the image "
                           "that you received last.",
                           {}, list_session_windows);
    own.add<ClipboardTextArgs>("clipboard_write", "Replaces the text in the clipboard.",
                               {agent::arg("text", &ClipboardTextArgs::text, "the text")},
                               write_clipboard);
    own.only_plans();
    // Its waits are not repeated in a replay.
    own.add<WaitForChangeArgs>(
        "wait_for_change",
        "Waits until the screen has changed since the last image, except where it changes by "
        "itself, and shows it.",
        {agent::arg("seconds", &WaitForChangeArgs::seconds, "at most, 0 to 60; default: 10",
                    agent::range{0, 60})},
        [canceled = std::move(canceled)](const WaitForChangeArgs& args, ToolContext& context) {
            return wait_for_change(args, context, canceled);
        });
    agent::Toolbox all = agent::built_in_tools();
    all.add(own);
    return all;
}

agent::Profile session_profile(const DesktopServerOptions& options) {
    agent::Profile profile;
    profile.name = "mcp";
    profile.description = "an MCP client controls the desktop";
    profile.mode_factory = session_mode();
    profile.mode = std::string(profile.mode_factory->name());
    profile.system_prompt = system_prompt;
    profile.model = "mcp";
    profile.max_turns = 1'000'000; // the largest value; the mode ignores it
    profile.screenshot_first = false;
    profile.text_tool_calls = agent::TextToolCalls::never;
    profile.coordinates = options.coordinates;
    profile.image = options.image;
    profile.image_format = options.image_format;
    for (const Offered& tool : offered_tools)
        profile.tools.push_back({.tool = std::string(tool.tool),
                                 .name = std::string(tool.name),
                                 .description = description_of_tool(tool.tool),
                                 .arguments = arguments_of(tool.tool)});
    return profile;
}

} // namespace eyehand::mcp
