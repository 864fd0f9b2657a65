#include "desktop_call.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace stand_in {
namespace {

namespace json = boost::json;

constexpr std::string_view prefix = "desktop.";

// The player derives the same roles from these names.
constexpr std::array<std::pair<Role, std::string_view>, 9> role_names{{
    {Role::click, "click"},
    {Role::double_click, "double_click"},
    {Role::right_click, "right_click"},
    {Role::drag, "drag"},
    {Role::type, "type"},
    {Role::press, "press"},
    {Role::scroll, "scroll"},
    {Role::observe, "observe"},
    {Role::complete, "finish"},
}};

json::value desktop_tool(Role role, json::object arguments) {
    const auto entry = std::find_if(role_names.begin(), role_names.end(),
                                    [&](const auto& e) { return e.first == role; });
    return tool_with(std::string(prefix).append(entry->second), std::move(arguments));
}

json::object with_members(std::initializer_list<std::string_view> members) {
    json::object arguments;
    for (const std::string_view member : members) arguments[member] = json::object();
    return arguments;
}

// Two numbers are a point; four would be a box.
json::object with_points(std::initializer_list<std::string_view> points) {
    json::object arguments;
    for (const std::string_view point : points) arguments[point] = json::object{{"maxItems", 2}};
    return arguments;
}

} // namespace

json::array desktop_tools(PositionForm form, bool scrolls_sideways) {
    const bool lists = form == PositionForm::lists;
    const json::object place = lists ? with_points({"position"}) : with_members({"x", "y"});
    const json::object path =
        lists ? with_points({"start", "end"}) : with_members({"x1", "y1", "x2", "y2"});
    json::object target = place;
    target["label"] = json::object();
    json::array directions{"up", "down"};
    if (scrolls_sideways) {
        directions.emplace_back("left");
        directions.emplace_back("right");
    }
    json::object wheel = place;
    wheel["direction"] = json::object{{"enum", directions}};
    return {desktop_tool(Role::click, target),
            desktop_tool(Role::double_click, target),
            desktop_tool(Role::right_click, target),
            desktop_tool(Role::drag, path),
            desktop_tool(Role::type, with_members({"text"})),
            desktop_tool(Role::press, {{"keys", json::object{{"type", "array"}}}}),
            desktop_tool(Role::scroll, wheel),
            desktop_tool(Role::observe, {})};
}

json::value finishing_tool() { return desktop_tool(Role::complete, with_members({"evidence"})); }

std::optional<DesktopCall> desktop_call(const ToolCall& call) {
    if (!call.name.starts_with(prefix)) return std::nullopt;
    const std::string_view name = std::string_view(call.name).substr(prefix.size());
    const auto entry = std::find_if(role_names.begin(), role_names.end(),
                                    [&](const auto& e) { return e.second == name; });
    if (entry == role_names.end()) return std::nullopt;
    return DesktopCall{entry->first, call.arguments};
}

} // namespace stand_in
