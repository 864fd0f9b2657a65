// The actions of the desktop that a dialect can state, in the form of tools for the player.
#pragma once

#include "tool_roles.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>

namespace stand_in {

/// The arguments in which these tools take positions.
enum class PositionForm {
    lists,   ///< "position", or "start" and "end"
    members, ///< "x" and "y", or "x1", "y1", "x2" and "y2"
};

/// Tools for clicks, drags, typing, keys, scrolling and new screenshots. Their names contain a
/// period, which the names of tools in requests cannot contain.
[[nodiscard]] boost::json::array desktop_tools(PositionForm form, bool scrolls_sideways);

/// A tool that ends the run, with evidence.
[[nodiscard]] boost::json::value finishing_tool();

/// A call of one of these tools.
struct DesktopCall {
    Role role = Role::observe;
    boost::json::object arguments;
};

/// Returns nothing for a call of another tool.
[[nodiscard]] std::optional<DesktopCall> desktop_call(const ToolCall& call);

} // namespace stand_in
