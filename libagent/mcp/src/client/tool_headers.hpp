// Arguments of tools that are repeated as headers of HTTP requests: "x-mcp-header" in a tool's schema.
#pragma once

#include "json_rpc.hpp"

#include <string>
#include <utility>
#include <vector>

namespace eyehand::mcp {

struct ToolHeader {
    std::vector<std::string> path{}; ///< members of the arguments, from outside to inside
    std::string name{};              ///< "Mcp-Param-..."
};

/// The headers that a schema requests. Throws std::invalid_argument, with the reason, if it breaks the rules of the
/// specification: the tool must then not be used over HTTP.
[[nodiscard]] std::vector<ToolHeader> read_tool_headers(const json::object& schema);

/// The headers of a call, encoded.
[[nodiscard]] std::vector<std::pair<std::string, std::string>>
headers_of_call(const std::vector<ToolHeader>& headers, const json::object& arguments);

} // namespace eyehand::mcp
