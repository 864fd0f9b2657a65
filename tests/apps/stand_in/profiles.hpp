// The tools of different agents, as they appear in a request.
#pragma once

#include <boost/json.hpp>
#include <string>

namespace stand_in_test {

namespace json = boost::json;

inline json::value tool(const std::string& name, const std::string& properties,
                        const std::string& required) {
    return json::parse(R"({"type":"function","function":{"name":")" + name +
                       R"(","parameters":{"type":"object","properties":{)" + properties +
                       R"(},"required":[)" + required + "]}}}");
}

inline const std::string text_type = R"({"type":"string"})";
inline const std::string point_type =
    R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2})";
inline const std::string box_type = R"({"type":"array"})";

inline json::array observer_tools() {
    return {tool("observe_screen", "", ""),
            tool("click_element", R"("label":)" + text_type + R"(,"box":)" + box_type,
                 R"("label","box")"),
            tool("type_text", R"("text":)" + text_type, R"("text")"),
            tool("press_key", R"("key":)" + text_type, R"("key")"),
            tool("scroll_at_position",
                 R"("box":)" + box_type +
                     R"(,"direction":{"type":"string","enum":["up","down"]},)"
                     R"("amount":{"type":"integer","minimum":1,"maximum":2})",
                 R"("box","direction","amount")")};
}

inline json::array basic_tools() {
    return {tool("take_screenshot", "", ""),
            tool("move_mouse", R"("x":{"type":"number"},"y":{"type":"number"})", R"("x","y")"),
            tool("click_mouse", "", ""), tool("type_text", R"("text":)" + text_type, R"("text")"),
            tool("scroll_down", "", "")};
}

// The tools of both teams, which differ only in names.
inline json::array team_tools(const std::string& infix, const std::string& reason,
                              const std::string& label) {
    const std::string why = "\"" + reason + "\":" + text_type;
    const std::string because = "\"" + reason + "\"";
    const std::string click =
        why + ",\"" + label + "\":" + text_type + R"(,"position":)" + point_type;
    const std::string clicks = because + ",\"" + label + "\",\"position\"";
    return {tool("click_" + infix + "element", click, clicks),
            tool("double_click_" + infix + "element", click, clicks),
            tool("right_click_" + infix + "element", click, clicks),
            tool("drag_" + infix + "element",
                 click + R"(,"start":)" + point_type + R"(,"end":)" + point_type,
                 clicks + R"(,"start","end")")};
}

inline json::array commander_tools() {
    json::array tools = team_tools("", "justification", "label");
    const std::string why = R"("justification":)" + text_type;
    const std::string because = R"("justification")";
    tools.push_back(tool("type_text", why + R"(,"text":)" + text_type, because + R"(,"text")"));
    tools.push_back(tool("press_key", why + R"(,"key":)" + text_type, because + R"(,"key")"));
    tools.push_back(tool("scroll_down", why, because));
    tools.push_back(tool("scroll_up", why, because));
    tools.push_back(tool("report_progress",
                         R"("objective_id":)" + text_type + R"(,"status":)" + text_type +
                             R"(,"evidence":)" + text_type,
                         R"("objective_id","status","evidence")"));
    tools.push_back(tool("report_completion", R"("evidence":)" + text_type, R"("evidence")"));
    return tools;
}

// Without a tool that takes a screenshot or reports.
inline json::array clicking_tools() { return team_tools("", "justification", "label"); }

inline json::array planner_tools() {
    json::array tools = team_tools("screen_", "reasoning", "element_name");
    const std::string why = R"("reasoning":)" + text_type;
    const std::string because = R"("reasoning")";
    tools.push_back(
        tool("type_text_input", why + R"(,"text":)" + text_type, because + R"(,"text")"));
    tools.push_back(
        tool("press_keyboard_key", why + R"(,"key":)" + text_type, because + R"(,"key")"));
    tools.push_back(tool("scroll_screen_down", why, because));
    tools.push_back(tool("scroll_screen_up", why, because));
    tools.push_back(tool("report_goal_status",
                         R"("goal_identifier":)" + text_type + R"(,"completion_status":)" +
                             text_type + R"(,"evidence":)" + text_type,
                         R"("goal_identifier","completion_status","evidence")"));
    tools.push_back(tool("report_mission_complete", R"("evidence":)" + text_type, R"("evidence")"));
    return tools;
}

inline json::array briefing_tools() {
    return {tool("spawn_operator",
                 R"("operator_instructions":)" + text_type + R"(,"rationale":)" + text_type,
                 R"("operator_instructions","rationale")"),
            tool("compress_memory",
                 R"("compression_summary":)" + text_type + R"(,"loop_analysis":)" + text_type +
                     R"(,"archived_turns":{"type":"array"})",
                 R"("compression_summary","loop_analysis","archived_turns")")};
}

} // namespace stand_in_test
