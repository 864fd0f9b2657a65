#include "eyehand/mcp/server.hpp"

#include "core.hpp"
#include "eyehand/vlm/chat.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace eyehand::mcp {

Server::Server(ServerOptions options) : core_(std::make_unique<Core>(std::move(options))) {}
Server::~Server() = default;

void Server::add(Tool tool) { core_->add(std::move(tool)); }
void Server::add(Resource resource) { core_->add(std::move(resource)); }
void Server::add(ResourceTemplate resources) { core_->add(std::move(resources)); }
void Server::add(Prompt prompt) { core_->add(std::move(prompt)); }

void Server::add(const agent::Toolbox& tools,
                 // NOLINTNEXTLINE(performance-unnecessary-value-param): each tool keeps a copy
                 std::function<agent::ToolContext(Exchange& exchange)> make_context) {
    const auto shared = std::make_shared<const agent::Toolbox>(tools);
    for (const vlm::ToolSpec& spec : shared->specs())
        add(Tool{.name = spec.name,
                 .description = spec.description,
                 .input_schema_json = spec.parameters_json,
                 .call = [shared, make_context, name = spec.name](agent::JsonView arguments,
                                                                  Exchange& exchange) {
                     agent::ToolContext context = make_context(exchange);
                     const agent::ToolResult result =
                         shared->call({.name = name, .arguments_json = arguments.text()}, context);
                     if (result.plan())
                         throw std::logic_error(
                             fmt::format("the tool {} returns a plan, which needs a run", name));
                     return result.succeeded() ? text_result(result.json())
                                               : error_result(result.json());
                 }});
}

bool Server::remove_tool(std::string_view name) { return core_->remove_tool(name); }
bool Server::remove_resource(std::string_view uri) { return core_->remove_resource(uri); }
bool Server::remove_resource_template(std::string_view uri_template) {
    return core_->remove_resource_template(uri_template);
}
bool Server::remove_prompt(std::string_view name) { return core_->remove_prompt(name); }
void Server::resource_updated(std::string_view uri) { core_->resource_updated(uri); }

void Server::on_session_end(std::function<void(const std::string& session)> ended) {
    core_->on_session_end(std::move(ended));
}

const ServerOptions& Server::options() const { return core_->options(); }

} // namespace eyehand::mcp
