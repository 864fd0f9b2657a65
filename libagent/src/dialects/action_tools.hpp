// From stated actions to calls of the desktop tools (desktop_tools.hpp).
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/dialect.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/chat.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::agent {

/// The tool, which is not offered to the model, whose result tells the model why its action was not
/// carried out. Its argument is "message".
inline constexpr std::string_view invalid_action_tool = "invalid_action";
[[nodiscard]] Toolbox dialect_tools();

/// The desktop tool that shows a part of the screen, by its registered name.
inline constexpr std::string_view zoom_tool = "zoom";
/// Whether the dialect states this as an action; otherwise, its models get the tool.
[[nodiscard]] bool states_zoom(Dialect dialect);
/// What positions refer to after a zoom. Models of Claude state them in the whole screenshot: the
/// reference implementation scales them by the size of the screen, whatever image came last
/// (computer-use-demo/computer_use_demo/tools/computer.py of anthropics/claude-quickstarts,
/// ComputerTool20251124), and descriptions of the tool in public servers say so to the model.
[[nodiscard]] ZoomUse zoom_use(Dialect dialect);

/// Which kinds of actions a role may state: those of which its profile offers a tool.
struct OfferedActions {
    bool pointer = false;
    bool keyboard = false;
    bool wheel = false;
    bool zoom = false; ///< besides another kind; not in `actions_of(presentations)`

    [[nodiscard]] bool any() const { return pointer || keyboard || wheel; }
    [[nodiscard]] bool has(StatedAction::Kind kind) const;
    friend bool operator==(const OfferedActions&, const OfferedActions&) = default;
};

/// Whether a tool, by its registered name, acts on the desktop or looks at it, so that actions of a
/// dialect take its place.
[[nodiscard]] bool is_action_tool(std::string_view id);
[[nodiscard]] OfferedActions actions_of(const std::vector<ToolPresentation>& presentations);
/// The same, of tools presented by `presentations_for_dialect`.
[[nodiscard]] OfferedActions actions_of(const Toolbox& tools);
/// The tools of a role with a dialect: in place of the profile's tools for actions, the desktop tools
/// that carry out all actions of these kinds, under their registered names. A name that another tool of
/// the profile has is left out. Unchanged for a role without tools for actions.
[[nodiscard]] std::vector<ToolPresentation>
presentations_for_dialect(std::vector<ToolPresentation> presentations, const Toolbox& all);

/// The context of a stated action.
struct ActionContext {
    const Toolbox& tools;
    const CoordinateConverter* numbers = nullptr; ///< nullptr: 0 to 1000
    std::string thought{};                        ///< names the target, if it is not empty
};

/// The call that carries out the action, or a call of `invalid_action_tool`. Without an id. Not for
/// `finish` and `ask_user`.
[[nodiscard]] vlm::ToolCall call_of(const StatedAction& action, const ActionContext& context);
/// A call of `invalid_action_tool`.
[[nodiscard]] vlm::ToolCall invalid_action(std::string_view message);
/// A call of a tool of the role, by its registered name, with values for arguments by their registered
/// names; further required arguments get `otherwise`. Empty name: the role does not have the tool.
[[nodiscard]] vlm::ToolCall
call_with(const Toolbox& tools, std::string_view id,
          const std::vector<std::pair<std::string_view, std::string>>& values,
          std::string_view otherwise);

} // namespace eyehand::agent
