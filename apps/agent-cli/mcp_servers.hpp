// Servers of the Model Context Protocol whose tools a run uses: the setting mcp_servers and --mcp-config.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/mcp/client.hpp"
#include "eyehand/session/config.hpp"

#include <memory>
#include <string>
#include <vector>

namespace eyehand::cli {

struct McpServerFlags {
    std::vector<std::string> files; ///< of --mcp-config
};

/// The configured servers. Starts none before `connect`.
class McpServers {
public:
    McpServers() = default;
    /// Servers of a flag replace those of the same name in the settings. Throws UsageError.
    McpServers(const session::Config& config, const McpServerFlags& flags);

    /// Connects to the servers, and offers their tools besides those of the profile. This object must outlive
    /// `tools` and its copies. Throws UsageError if a server cannot be reached. `verbose`: prints what the servers
    /// log.
    void connect(agent::Toolbox& tools, agent::AgentOptions& options, bool verbose);
    [[nodiscard]] const std::vector<mcp::ClientOptions>& options() const { return options_; }
    [[nodiscard]] std::vector<std::string> names() const;
    /// Whether a tool with this name can belong to one of the servers.
    [[nodiscard]] bool may_have(const std::string& tool) const;
    /// For run.json; without what may contain keys.
    [[nodiscard]] std::vector<agent::Setting> settings() const;

private:
    std::vector<mcp::ClientOptions> options_;
    std::vector<std::shared_ptr<mcp::Client>> clients_;
    std::string source_;
};

} // namespace eyehand::cli
