// The configuration of MCP clients that start this program as a server.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace eyehand::cli {

/// The names of the clients: "claude-desktop", "claude-code", ...
[[nodiscard]] std::vector<std::string> mcp_client_names();
/// The text for the configuration file of a client, with `program` as an absolute path and the arguments
/// of `agent-cli mcp`. docs/mcp.md names the files.
[[nodiscard]] std::string mcp_client_config(const std::string& client,
                                            const std::filesystem::path& program,
                                            const std::vector<std::string>& arguments);

} // namespace eyehand::cli
