// The model's reply in a visual loop: one JSON object with its observation, the regions that it
// looks at and the actions that it wants.
//
//     {"observation": "...", "bboxes": [{"x1": 10, "y1": 20, "x2": 300, "y2": 400}],
//      "actions": [{"name": "click", "x1": 500, "y1": 300}], "done": false}
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/geometry.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

enum class VisualVerb { move, click, right_click, double_click, drag, type, press, scroll, tool };
/// "move", "right_click", ...; "tool" for a call of another tool.
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(VisualVerb verb);
/// Whether the action is type, press or scroll, which need `extended_actions`.
[[nodiscard]] EYEHAND_AGENT_API bool is_extended(VisualVerb verb);

struct VisualAction {
    VisualVerb verb = VisualVerb::move;
    int number = 1;        ///< its position among all actions of the reply, including dropped ones
    winio::NormPoint at{}; ///< clamped; not used by type and press
    winio::NormPoint to{}; ///< of drag
    std::string text{};    ///< of type, and the key of press
    int notches = 0;       ///< of scroll; above 0 scrolls up
    std::string tool{};    ///< of tool: its name
    std::string arguments_json{}; ///< of tool: an object
    friend bool operator==(const VisualAction&, const VisualAction&) = default;
};

struct VisualLimits {
    std::size_t boxes = 5;   ///< maximum per reply
    std::size_t actions = 8; ///< maximum per reply
    bool extended_actions = false;
    /// Further tools, which the model calls as actions with the tool's arguments as members. The
    /// name of an extended action enables that action.
    std::vector<vlm::ToolSpec> tools{};
    /// The numbers of the positions in the reply; empty: 0 to 1000.
    std::optional<CoordinateConverter> coordinates{};
};

struct VisualReply {
    std::string text{};     ///< the complete reply, as valid UTF-8
    bool understood = true; ///< false: no reply object was found; `observation` is the whole text
    /// Other text than a Markdown fence surrounds the object, so that the model may only have quoted
    /// it: the calls of its actions have the provenance `text`.
    bool in_text = false;
    std::string observation{};
    std::vector<winio::NormBox> boxes{}; ///< clamped, corners in order
    std::vector<VisualAction> actions{};
    bool done = false;
    bool actions_left_out = false; ///< actions were wrong or too many
    /// One sentence for the model about each mistake.
    std::vector<std::string> problems{};
};

/// Parses a reply; never fails. Think blocks are ignored. The object may be surrounded by text: the
/// first balanced braces with one of its members count. Names of actions are case-insensitive.
/// Items that exceed the limits or have members of the wrong type are dropped and reported in
/// `problems`.
[[nodiscard]] EYEHAND_AGENT_API VisualReply parse_visual_reply(std::string_view text,
                                                               const VisualLimits& limits);

/// The parsed reply: {"observation", "bboxes", "actions"}, with clamped numbers.
[[nodiscard]] EYEHAND_AGENT_API std::string to_json(const VisualReply& reply);

/// The JSON schema of a reply within these limits.
[[nodiscard]] EYEHAND_AGENT_API std::string visual_reply_schema(const VisualLimits& limits);

} // namespace eyehand::agent
