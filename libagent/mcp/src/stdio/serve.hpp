// A session over a pair of streams.
#pragma once

#include "eyehand/mcp/server.hpp"
#include "stdio/streams.hpp"

#include <stop_token>

namespace eyehand::mcp {

/// `serve_stdio` for other streams.
void serve_streams(Server& server, Streams& streams, const std::stop_token& stop);

} // namespace eyehand::mcp
