#include "agent/desktop_tools.hpp"

#include "winio/gesture.hpp"

#include <cmath>

namespace agent {
namespace {

struct ObserveArgs {};

struct ClickArgs {
    std::string label;
    winio::NormBox box;
};

struct TypeArgs {
    std::string text;
};

struct PressArgs {
    std::string key;
};

enum class ScrollDirection { down, up };
BOOST_DESCRIBE_ENUM(ScrollDirection, down, up)

struct ScrollArgs {
    winio::NormBox box;
    std::optional<ScrollDirection> direction;
    std::optional<int> amount;
};

// Enough for several pages; more is a model gone astray.
constexpr range notches{1, 30};
constexpr int default_notches = 3;

ToolResult click(const ClickArgs& args, ToolContext& context) {
    const winio::NormPoint at = args.box.centre();
    return act(winio::gesture::click(context.area.to_pixel(at)))
        .with("clicked", args.label)
        .with("x", std::round(at.x))
        .with("y", std::round(at.y));
}

ToolResult type(const TypeArgs& args, ToolContext&) {
    const std::string problem = winio::gesture::typing_problem(args.text);
    if (!problem.empty()) return fail("invalid_args", problem);
    return act(winio::gesture::type(args.text)).with("typed", args.text);
}

ToolResult press(const PressArgs& args, ToolContext&) {
    std::string problem;
    const auto chord = winio::parse_chord(args.key, &problem);
    if (!chord) return fail("invalid_key", problem);
    return act(winio::gesture::press(*chord)).with("pressed", winio::to_string(*chord));
}

ToolResult scroll(const ScrollArgs& args, ToolContext& context) {
    const ScrollDirection direction = args.direction.value_or(ScrollDirection::down);
    const int amount = args.amount.value_or(default_notches);
    const int turn = direction == ScrollDirection::up ? amount : -amount;
    return act(winio::gesture::scroll(context.area.to_pixel(args.box.centre()), turn))
        .with("scrolled", direction == ScrollDirection::up ? "up" : "down")
        .with("notches", amount);
}

} // namespace

Toolbox desktop_tools() {
    Toolbox tools;
    tools.add<ObserveArgs>("observe", "Shows the screen as it is now.", {},
                           [](const ObserveArgs&, ToolContext&) { return look(); });
    tools.add<ClickArgs>(
        "click", "Clicks the left mouse button on something visible.",
        {arg("label", &ClickArgs::label, "what is clicked, in a few words", not_empty),
         arg("box", &ClickArgs::box, "where it is: [x, y] or [x1, y1, x2, y2], 0 to 1000")},
        click);
    tools.add<TypeArgs>("type", "Types text into whatever has the keyboard focus.",
                        {arg("text", &TypeArgs::text, "the text; \\n is the Enter key", not_empty)},
                        type);
    tools.add<PressArgs>(
        "press", "Presses a key or a key combination.",
        {arg("key", &PressArgs::key, "such as enter, tab, ctrl+s, alt+f4", not_empty)}, press);
    tools.add<ScrollArgs>(
        "scroll", "Turns the mouse wheel over something visible.",
        {arg("box", &ScrollArgs::box, "where: [x, y] or [x1, y1, x2, y2], 0 to 1000"),
         arg("direction", &ScrollArgs::direction, "down when left out"),
         arg("amount", &ScrollArgs::amount, "notches of the wheel, 3 when left out", notches)},
        scroll);
    return tools;
}

} // namespace agent
