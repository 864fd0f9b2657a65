// Derives the roles of tools from the schemas of a request: which of them clicks, types or
// observes, and which argument takes the position, the label or the text.
#pragma once

#include "coordinates.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in {

/// The function of a tool.
enum class Role {
    click,
    double_click,
    right_click,
    drag,
    move,
    type,
    press,
    scroll,
    observe,
    complete, ///< ends the run with evidence
    report,   ///< reports progress to the agent that gave the instructions
    brief,    ///< hands instructions to another agent
    archive,  ///< archives past turns, with a summary
};

/// The content of a call; a tool uses the members that its arguments need.
struct Intent {
    std::optional<Area> place;
    std::optional<Area> to; ///< where a drag ends
    std::string label;
    std::string text; ///< text, keys, instructions, summary, or the direction of a scroll
    std::string objective;
    std::string status;
    std::string reason;
    std::string evidence;
    std::vector<int> turns; ///< to archive
};

struct ToolCall {
    std::string name;
    boost::json::object arguments;
};

/// A tool in the form of a request, without a description. All arguments are required.
[[nodiscard]] boost::json::value tool_with(std::string_view name, boost::json::object arguments);

/// The tools of one request, by role.
class ToolRoles {
public:
    /// Ignores tools that are malformed or have no role.
    explicit ToolRoles(const boost::json::array& tools);

    [[nodiscard]] bool has(Role role) const { return tools_.contains(role); }

    /// Whether the first tool of this role takes a position; otherwise it acts at the pointer.
    [[nodiscard]] bool takes_position(Role role) const;

    /// A call of the first tool of this role that can express the intent, or nothing.
    [[nodiscard]] std::optional<ToolCall> call(Role role, const Intent& intent) const;

private:
    struct Tool {
        std::string name;
        boost::json::object parameters; ///< the JSON schema of its arguments
    };
    std::map<Role, std::vector<Tool>> tools_;
};

} // namespace stand_in
