// The question to a client's user whether an action may be carried out.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/mcp/server.hpp"

#include <stop_token>
#include <string>

namespace eyehand::mcp {

/// As `Exchange::elicit`, with its errors. Every answer that is not a clear permission denies.
[[nodiscard]] agent::Approval ask_for_approval(Exchange& exchange, const std::string& key,
                                               const agent::ApprovalRequest& request,
                                               const std::stop_token& until);

} // namespace eyehand::mcp
