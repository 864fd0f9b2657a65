// What a model answers in a visual loop: one JSON object with its story, the regions it looks at and
// the actions it wants.
//
//     {"observation": "...", "bboxes": [{"x1": 10, "y1": 20, "x2": 300, "y2": 400}],
//      "actions": [{"name": "click", "x1": 500, "y1": 300}], "done": false}
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

enum class VisualVerb { move, click, right_click, double_click, drag, type, press, scroll };
/// "move", "right_click", ...
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(VisualVerb verb);
/// Types, presses or scrolls: only where the profile has `extended_actions`.
[[nodiscard]] EYEHAND_AGENT_API bool is_extended(VisualVerb verb);

struct VisualAction {
    VisualVerb verb = VisualVerb::move;
    int number = 1;        ///< its place among the reply's actions, also those that are dropped
    winio::NormPoint at{}; ///< clamped; not of type and press
    winio::NormPoint to{}; ///< of drag
    std::string text{};    ///< of type, and the key of press
    int notches = 0;       ///< of scroll; above 0 scrolls up
    friend bool operator==(const VisualAction&, const VisualAction&) = default;
};

struct VisualLimits {
    std::size_t boxes = 5; ///< a reply
    std::size_t actions = 8;
    bool extended_actions = false;
};

struct VisualReply {
    std::string text{};        ///< all of it, as valid UTF-8
    bool understood = true;    ///< false: no such object was in it, so that all of it is the story
    std::string observation{}; ///< the story
    std::vector<winio::NormBox> boxes{}; ///< clamped, corners in order
    std::vector<VisualAction> actions{};
    bool done = false;
    bool actions_left_out = false; ///< for what is wrong with them, or for being too many
    /// What was wrong or too much, a sentence each, for the model.
    std::vector<std::string> problems{};
};

/// Reads a reply; whatever it is, there is a result. Think blocks are left out. Around the object may
/// be words: the first balanced braces count that hold a member of it. Names of actions are read in any
/// case of letters. What exceeds the limits or has members of wrong types is left out and said.
[[nodiscard]] EYEHAND_AGENT_API VisualReply parse_visual_reply(std::string_view text,
                                                               const VisualLimits& limits);

/// The reply as it was understood: {"observation", "bboxes", "actions"}, numbers clamped.
[[nodiscard]] EYEHAND_AGENT_API std::string to_json(const VisualReply& reply);

/// The JSON schema of a reply within these limits.
[[nodiscard]] EYEHAND_AGENT_API std::string visual_reply_schema(const VisualLimits& limits);

} // namespace eyehand::agent
