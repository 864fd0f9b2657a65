// Agents that send no tools: each reply is to be one JSON object with what the model sees and what is to
// be done about it.
//
//     {"observation": "...", "bboxes": [], "actions": [{"name": "click", "x1": 500, "y1": 300}],
//      "done": false}
#pragma once

#include "chat_request.hpp"
#include "player.hpp"

#include <boost/json/array.hpp>
#include <string>

namespace stand_in {

/// Told by the schema that the request wants the reply to follow; where there is none, by its text,
/// which names the members.
[[nodiscard]] bool wants_visual_reply(const ChatRequest& request);

/// What such a reply can do, each as if it were a tool: the actions that the request's schema lists
/// (without one those of the usual ones that its text names), a look at the screen without an action,
/// and being done.
[[nodiscard]] boost::json::array visual_actions(const ChatRequest& request);

/// What the request says went wrong with the reply before; empty: nothing.
[[nodiscard]] std::string told_failure(const ChatRequest& request);

/// The reply as such an object. Its call is one of `visual_actions`.
[[nodiscard]] std::string visual_reply(const Reply& reply);

} // namespace stand_in
