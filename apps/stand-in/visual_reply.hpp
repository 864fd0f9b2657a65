// Agents that send no tools: each reply must be one JSON object with an observation and actions.
//
//     {"observation": "...", "bboxes": [], "actions": [{"name": "click", "x1": 500, "y1": 300}],
//      "done": false}
#pragma once

#include "chat_request.hpp"
#include "player.hpp"

#include <boost/json/array.hpp>
#include <string>

namespace stand_in {

/// Whether the request asks for such a reply: in the schema of its `response_format`, or without a
/// schema in its text, which names the members.
[[nodiscard]] bool wants_visual_reply(const ChatRequest& request);

/// The possible actions of such a reply, each in the form of a tool: the actions in the schema of
/// the request (without a schema, the usual actions that its text names), a screenshot without an
/// action, and the end of the run.
[[nodiscard]] boost::json::array visual_actions(const ChatRequest& request);

/// The problem of the previous reply, as the request describes it; empty: none.
[[nodiscard]] std::string told_failure(const ChatRequest& request);

/// Encodes the reply as such an object. Its call must be one of `visual_actions`.
[[nodiscard]] std::string visual_reply(const Reply& reply);

} // namespace stand_in
