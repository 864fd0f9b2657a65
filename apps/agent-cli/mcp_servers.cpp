#include "mcp_servers.hpp"

#include "commands.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/mcp/error.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

std::vector<mcp::ClientOptions> read_servers(const std::string& text, const std::string& where) {
    try {
        return mcp::parse_servers(text, where);
    } catch (const mcp::Error& error) {
        throw UsageError(error.what());
    }
}

std::string text_of_servers(const std::string& file) {
    if (auto text = read_settings_file(file)) return *std::move(text);
    throw UsageError(fmt::format("--mcp-config: {} does not exist", file));
}

} // namespace

McpServers::McpServers(const session::Config& config, const McpServerFlags& flags) {
    const auto put = [&](mcp::ClientOptions server) {
        std::erase_if(options_, [&](const auto& other) { return other.name == server.name; });
        options_.push_back(std::move(server));
    };
    if (const session::ConfigEntry* entry = config.find("mcp_servers")) {
        for (mcp::ClientOptions& server :
             read_servers(std::get<std::string>(entry->value), entry->source + ": mcp_servers"))
            put(std::move(server));
        source_ = entry->source;
    }
    for (const std::string& file : flags.files) {
        for (mcp::ClientOptions& server : read_servers(text_of_servers(file), file))
            put(std::move(server));
        source_ = "--mcp-config";
    }
    const vlm::Proxies proxies = proxy_variables().proxies();
    const std::string ca_file = client_options(config).ca_file;
    for (mcp::ClientOptions& server : options_) {
        server.proxies = proxies;
        server.ca_file = ca_file;
    }
}

void McpServers::connect(agent::Toolbox& tools, agent::AgentOptions& options, bool verbose) {
    for (mcp::ClientOptions server : options_) {
        if (verbose)
            server.on_log = [name = server.name](std::string_view line) {
                print_to(stderr, printable(fmt::format("      {}: {}\n", name, line)));
            };
        const std::string name = server.name;
        try {
            clients_.push_back(std::make_shared<mcp::Client>(std::move(server)));
            for (std::string& tool : mcp::add_tools(tools, *clients_.back()))
                options.with.push_back(std::move(tool));
        } catch (const mcp::Error& error) {
            throw UsageError(fmt::format("{}. A run without this server: set \"disabled\": true in "
                                         "its description",
                                         error.what()));
        }
    }
}

std::vector<std::string> McpServers::names() const {
    std::vector<std::string> all;
    for (const mcp::ClientOptions& server : options_) all.push_back(server.name);
    return all;
}

bool McpServers::may_have(const std::string& tool) const {
    return std::ranges::any_of(options_, [&](const mcp::ClientOptions& server) {
        return tool.starts_with(server.name + "__");
    });
}

std::vector<agent::Setting> McpServers::settings() const {
    if (options_.empty()) return {};
    return {{"mcp_servers", fmt::format("{}", fmt::join(names(), ", ")), source_}};
}

} // namespace eyehand::cli
