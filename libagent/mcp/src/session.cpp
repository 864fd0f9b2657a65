#include "session.hpp"

#include "call.hpp"
#include "content_json.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/base/exception_text.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "schema.hpp"
#include "task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

namespace eyehand::mcp {
namespace {

constexpr std::string_view revision_key = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view client_key = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view log_level_key = "io.modelcontextprotocol/logLevel";
constexpr std::string_view server_key = "io.modelcontextprotocol/serverInfo";
constexpr std::string_view subscription_key = "io.modelcontextprotocol/subscriptionId";

constexpr int header_mismatch = -32020;
constexpr int missing_client_capability = -32021;
constexpr int unsupported_version = -32022;
constexpr int legacy_resource_not_found = -32002;

constexpr std::array<std::string_view, 4> legacy_revisions{newest_legacy_revision, "2025-06-18",
                                                           "2025-03-26", "2024-11-05"};

/// An error response, and the status that it has over HTTP.
struct Refusal {
    RpcError error{};
    unsigned http_status = 200;
};

Refusal refusal(int code, std::string message, unsigned http_status = 200) {
    return {{.code = code, .message = std::move(message)}, http_status};
}

Refusal unknown_method(std::string_view method) {
    return refusal(rpc_code::method_not_found, fmt::format("unknown method \"{}\"", method), 404);
}

// ---- lists --------------------------------------------------------------------------------------

void set_text(json::object& object, std::string_view name, const std::string& text) {
    if (!text.empty()) object[name] = text;
}

json::object list_entry(const OfferedTool& entry, std::string_view revision) {
    const Tool& tool = entry.tool;
    json::object listed{{"name", tool.name}};
    set_text(listed, "title", tool.title);
    set_text(listed, "description", tool.description);
    listed["inputSchema"] = entry.input_schema;
    // Older revisions permit objects only.
    if (entry.output_schema && (revision >= stateless_revision ||
                                string_in(entry.output_schema->as_object(), "type") == "object"))
        listed["outputSchema"] = *entry.output_schema;
    json::object annotations;
    const auto hint = [&](std::string_view name, const std::optional<bool>& value) {
        if (value) annotations[name] = *value;
    };
    hint("readOnlyHint", tool.annotations.read_only);
    hint("destructiveHint", tool.annotations.destructive);
    hint("idempotentHint", tool.annotations.idempotent);
    hint("openWorldHint", tool.annotations.open_world);
    if (!annotations.empty()) listed["annotations"] = std::move(annotations);
    return listed;
}

template <class Described>
json::object list_entry(const Described& resource, std::string_view uri_member,
                        const std::string& uri) {
    json::object listed{{uri_member, uri}, {"name", resource.name.empty() ? uri : resource.name}};
    set_text(listed, "title", resource.title);
    set_text(listed, "description", resource.description);
    set_text(listed, "mimeType", resource.mime_type);
    return listed;
}

json::object list_entry(const Prompt& prompt) {
    json::object listed{{"name", prompt.name}};
    set_text(listed, "title", prompt.title);
    set_text(listed, "description", prompt.description);
    json::array arguments;
    for (const PromptArgument& argument : prompt.arguments) {
        json::object one{{"name", argument.name}, {"required", argument.required}};
        set_text(one, "description", argument.description);
        arguments.emplace_back(std::move(one));
    }
    if (!arguments.empty()) listed["arguments"] = std::move(arguments);
    return listed;
}

json::object server_info(const ServerOptions& options) {
    json::object info{{"name", options.name}, {"version", options.version}};
    set_text(info, "title", options.title);
    return info;
}

json::object capabilities(const Catalog& catalog) {
    json::object offered{{"logging", json::object{}},
                         {"tools", json::object{{"listChanged", true}}}};
    if (catalog.has_had_resources)
        offered["resources"] = json::object{{"listChanged", true}, {"subscribe", true}};
    if (catalog.has_had_prompts) offered["prompts"] = json::object{{"listChanged", true}};
    if (catalog.has_had_resources || catalog.has_had_prompts)
        offered["completions"] = json::object{};
    return offered;
}

/// The methods that both generations have and that need no handler. Nothing for any other method.
/// Throws Refusal.
std::optional<json::object> answer_at_once(const std::string& method, const json::object& params,
                                           const Catalog& catalog, std::string_view revision) {
    json::array list;
    std::string_view member;
    if (method == "tools/list") {
        member = "tools";
        for (const auto& tool : catalog.tools) list.emplace_back(list_entry(*tool, revision));
    } else if (method == "resources/list" && catalog.has_had_resources) {
        member = "resources";
        for (const auto& each : catalog.resources)
            list.emplace_back(list_entry(*each, "uri", each->uri));
    } else if (method == "resources/templates/list" && catalog.has_had_resources) {
        member = "resourceTemplates";
        for (const auto& each : catalog.templates)
            list.emplace_back(list_entry(*each, "uriTemplate", each->uri_template));
    } else if (method == "prompts/list" && catalog.has_had_prompts) {
        member = "prompts";
        for (const auto& each : catalog.prompts) list.emplace_back(list_entry(*each));
    } else {
        return std::nullopt;
    }
    // Each list is one page.
    if (params.contains("cursor"))
        throw refusal(rpc_code::invalid_params, "the cursor is not valid");
    return json::object{{member, std::move(list)}};
}

/// The library has no completions: clients expect an answer nevertheless.
json::object complete(const json::object& params, const Catalog& catalog) {
    const json::object* reference = object_in(params, "ref");
    const json::object* argument = object_in(params, "argument");
    if (reference == nullptr || argument == nullptr || !string_in(*argument, "name") ||
        !string_in(*argument, "value"))
        throw refusal(rpc_code::invalid_params, "\"ref\" or \"argument\" is missing");
    const auto type = string_in(*reference, "type");
    if (type == "ref/prompt") {
        const auto name = string_in(*reference, "name");
        if (std::none_of(catalog.prompts.begin(), catalog.prompts.end(),
                         [&](const auto& prompt) { return prompt->name == name; }))
            throw refusal(rpc_code::invalid_params, "the prompt does not exist");
    } else if (type != "ref/resource" || !string_in(*reference, "uri")) {
        throw refusal(rpc_code::invalid_params, "\"ref\" is not valid");
    }
    return {
        {"completion", json::object{{"values", json::array{}}, {"total", 0}, {"hasMore", false}}}};
}

// ---- requests with handlers ---------------------------------------------------------------------

json::object resource_contents(const std::vector<ResourceContents>& contents) {
    json::array list;
    for (const ResourceContents& each : contents) list.emplace_back(to_json(each));
    return {{"contents", std::move(list)}};
}

/// Replaces what a client of an older revision does not know.
Content for_revision(const Content& content, std::string_view revision) {
    if (const auto* link = std::get_if<ResourceLink>(&content); link && revision < "2025-06-18")
        return Text{link->name.empty() ? link->uri : link->name + ": " + link->uri};
    if (const auto* audio = std::get_if<Audio>(&content); audio && revision < "2025-03-26")
        return Text{"[audio: " + audio->mime_type + "]"};
    return content;
}

json::object tool_result(const OfferedTool& tool, CallResult result, std::string_view revision) {
    std::optional<json::value> structured;
    if (!result.structured_json.empty()) {
        structured = agent::parse_json(result.structured_json);
        if (!structured)
            return to_json(error_result("the tool failed: its structured result is not JSON"));
    }
    if (tool.output_schema && !result.is_error) {
        if (!structured)
            return to_json(error_result("the tool failed: it has no structured result"));
        if (const auto problem = schema_mismatch(*structured, *tool.output_schema))
            return to_json(error_result("the tool failed: its structured result does not match its "
                                        "schema: " +
                                        *problem));
    }
    if (result.content.empty() && structured)
        result.content.emplace_back(Text{agent::to_text(*structured)});
    for (Content& content : result.content) content = for_revision(content, revision);
    result.structured_json.clear();
    json::object written = to_json(result);
    if (structured &&
        (revision >= stateless_revision || (revision >= "2025-06-18" && structured->is_object())))
        written["structuredContent"] = *std::move(structured);
    return written;
}

/// Other errors, such as of a client that the handler uses, are failures of the tool.
bool is_protocol_error(const std::error_code& code) {
    return code == errc::invalid_params || code == errc::resource_not_found ||
           code == errc::not_supported || code == errc::cancelled;
}

using PreparedHandler = std::function<json::object(Exchange::Source&)>;

PreparedHandler prepare_tool(const json::object& params, const Catalog& catalog,
                             std::string_view revision) {
    const auto name = string_in(params, "name");
    if (!name) throw refusal(rpc_code::invalid_params, "\"name\" is missing");
    const auto found = std::find_if(catalog.tools.begin(), catalog.tools.end(),
                                    [&](const auto& each) { return each->tool.name == *name; });
    if (found == catalog.tools.end())
        throw refusal(rpc_code::invalid_params, fmt::format("Unknown tool: {}", *name));
    json::value arguments = json::object{};
    if (const json::value* given = params.if_contains("arguments")) {
        if (!given->is_object())
            throw refusal(rpc_code::invalid_params, "\"arguments\" must be an object");
        arguments = *given;
    }
    return [tool = *found, arguments = std::move(arguments),
            revision = std::string(revision)](Exchange::Source& call) {
        // The model can correct these, so they are results.
        if (const auto problem = schema_mismatch(arguments, tool->input_schema))
            return to_json(error_result("invalid arguments: " + *problem));
        Exchange exchange(call);
        CallResult result;
        try {
            result = tool->tool.call(agent::JsonDocument::view_of(arguments), exchange);
        } catch (const Error& error) {
            if (is_protocol_error(error.code())) throw;
            result = error_result(error.what());
        } catch (const std::exception& error) {
            result = error_result(base::exception_text(error));
        }
        return tool_result(*tool, std::move(result), revision);
    };
}

PreparedHandler prepare_resource(const json::object& params, const Catalog& catalog) {
    const auto uri = string_in(params, "uri");
    if (!uri) throw refusal(rpc_code::invalid_params, "\"uri\" is missing");
    for (const auto& each : catalog.resources)
        if (each->uri == *uri)
            return [resource = each](Exchange::Source& call) {
                Exchange exchange(call);
                return resource_contents(resource->read(exchange));
            };
    for (const auto& each : catalog.templates)
        if (matches_template(*uri, each->uri_template))
            return [resource = each, uri = std::string(*uri)](Exchange::Source& call) {
                Exchange exchange(call);
                return resource_contents(resource->read(uri, exchange));
            };
    throw Error(errc::resource_not_found, "Resource not found");
}

PreparedHandler prepare_prompt(const json::object& params, const Catalog& catalog,
                               std::string_view revision) {
    const auto name = string_in(params, "name");
    if (!name) throw refusal(rpc_code::invalid_params, "\"name\" is missing");
    const auto found = std::find_if(catalog.prompts.begin(), catalog.prompts.end(),
                                    [&](const auto& each) { return each->name == *name; });
    if (found == catalog.prompts.end())
        throw refusal(rpc_code::invalid_params, fmt::format("Unknown prompt: {}", *name));
    json::value arguments = json::object{};
    if (const json::value* given = params.if_contains("arguments")) {
        if (!given->is_object())
            throw refusal(rpc_code::invalid_params, "\"arguments\" must be an object");
        arguments = *given;
    }
    const json::object& values = arguments.get_object();
    for (const auto& [argument, value] : values)
        if (!value.is_string())
            throw refusal(
                rpc_code::invalid_params,
                fmt::format("the argument \"{}\" must be a string", std::string_view(argument)));
    for (const PromptArgument& argument : (*found)->arguments)
        if (argument.required && !values.contains(argument.name))
            throw refusal(rpc_code::invalid_params,
                          fmt::format("the argument \"{}\" is missing", argument.name));
    return [prompt = *found, arguments = std::move(arguments),
            revision = std::string(revision)](Exchange::Source& call) {
        Exchange exchange(call);
        json::array messages;
        for (const PromptMessage& message :
             prompt->get(agent::JsonDocument::view_of(arguments), exchange))
            messages.emplace_back(
                json::object{{"role", message.role},
                             {"content", to_json(for_revision(message.content, revision))}});
        json::object result{{"messages", std::move(messages)}};
        set_text(result, "description", prompt->description);
        return result;
    };
}

/// Nothing for other methods. Throws Refusal or Error.
std::optional<PreparedHandler> prepare(const std::string& method, const json::object& params,
                                       const Catalog& catalog, std::string_view revision) {
    if (method == "tools/call") return prepare_tool(params, catalog, revision);
    if (method == "resources/read" && catalog.has_had_resources)
        return prepare_resource(params, catalog);
    if (method == "prompts/get" && catalog.has_had_prompts)
        return prepare_prompt(params, catalog, revision);
    return std::nullopt;
}

Refusal refusal_for(const Error& error, bool is_stateless, std::string_view uri) {
    const std::string message = error.what();
    if (const auto* missing = dynamic_cast<const MissingCapability*>(&error);
        missing != nullptr && is_stateless) {
        Refusal result = refusal(missing_client_capability, message, 400);
        result.error.data = json::object{{"requiredCapabilities", missing->required()}};
        return result;
    }
    if (error.code() == errc::resource_not_found) {
        Refusal result =
            refusal(is_stateless ? rpc_code::invalid_params : legacy_resource_not_found, message);
        result.error.data = json::object{{"uri", uri}};
        return result;
    }
    if (error.code() == errc::invalid_params || error.code() == errc::not_supported)
        return refusal(rpc_code::invalid_params, message);
    return refusal(rpc_code::internal_error, message);
}

/// The outcome of a handler, and the status that it has over HTTP. Throws InputNeeded.
std::pair<std::variant<json::object, RpcError>, unsigned>
outcome_of(const PreparedHandler& handler, Exchange::Source& call, const CallFacts& facts) {
    Refusal reason;
    try {
        return {handler(call), 200};
    } catch (const InputNeeded&) {
        throw;
    } catch (Refusal& refused) {
        reason = std::move(refused);
    } catch (const Error& error) {
        reason = refusal_for(error, facts.is_stateless(), facts.uri);
    } catch (const std::exception& error) {
        reason = refusal(rpc_code::internal_error, base::exception_text(error));
    } catch (...) {
        reason = refusal(rpc_code::internal_error, "the handler failed");
    }
    return {std::move(reason.error), facts.is_stateless() ? reason.http_status : 200};
}

bool is_about_task(std::string_view method) {
    return method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel";
}

/// Nothing for methods that do not concern tasks. Throws Refusal or Error.
std::optional<json::object> answer_about_task(const std::string& method, const json::object& params,
                                              const json::object& client_capabilities,
                                              TaskList& tasks) {
    if (!is_about_task(method)) return std::nullopt;
    require_tasks(client_capabilities);
    const auto id = string_in(params, "taskId");
    if (!id) throw refusal(rpc_code::invalid_params, "\"taskId\" is missing");
    const auto task = tasks.find(*id);
    if (!task) throw refusal(rpc_code::invalid_params, "Task not found");
    if (method == "tasks/get") return task->state();
    if (method == "tasks/cancel") {
        task->cancel();
        return json::object{};
    }
    const json::object* answers = object_in(params, "inputResponses");
    if (answers == nullptr)
        throw refusal(rpc_code::invalid_params, "\"inputResponses\" is missing");
    task->update(*answers);
    return json::object{};
}

/// The state is read here, so that of two notifications the later one has the later state.
std::string task_notification(const Task& task, const RequestId& subscription) {
    json::object params = task.state();
    params["_meta"] = json::object{{subscription_key, to_json(subscription)}};
    return write_message(
        RpcNotification{.method = "notifications/tasks", .params = std::move(params)});
}

PeerInfo peer_of(const json::object* info) {
    if (info == nullptr) return {};
    const auto text = [&](std::string_view name) {
        return std::string(string_in(*info, name).value_or(""));
    };
    return {.name = text("name"), .title = text("title"), .version = text("version")};
}

std::optional<json::value> progress_token_of(const json::object* meta) {
    const json::value* token = meta != nullptr ? meta->if_contains("progressToken") : nullptr;
    if (token == nullptr || !(token->is_string() || token->is_int64())) return std::nullopt;
    return *token;
}

// ---- header fields of the stateless revision ----------------------------------------------------

/// Decodes =?base64?...?=. Nothing if it is malformed.
std::optional<std::string> decoded_field(std::string_view value) {
    constexpr std::string_view begin = "=?base64?";
    constexpr std::string_view end = "?=";
    if (!value.starts_with(begin) || !value.ends_with(end) ||
        value.size() < begin.size() + end.size())
        return std::string(value);
    value = value.substr(begin.size(), value.size() - begin.size() - end.size());
    const auto bytes = base::from_base64(value);
    if (!bytes) return std::nullopt;
    return std::string(bytes->begin(), bytes->end());
}

void require_field(const HeaderFields& fields, std::string_view name, std::string_view value) {
    const auto given = fields(name);
    if (!given)
        throw refusal(header_mismatch, fmt::format("Header mismatch: {} is missing", name), 400);
    const auto decoded = decoded_field(*given);
    if (decoded != value)
        throw refusal(header_mismatch,
                      fmt::format("Header mismatch: {} does not match the message", name), 400);
}

bool is_same_argument(std::string_view field, const json::value& argument) {
    if (argument.is_string()) return field == std::string_view(argument.get_string());
    if (argument.is_bool()) return field == (argument.get_bool() ? "true" : "false");
    char* end = nullptr;
    const std::string text(field);
    const double number = std::strtod(text.c_str(), &end);
    return !text.empty() && *end == '\0' && std::isfinite(number) &&
           (argument.is_int64() || argument.is_uint64() || argument.is_double()) &&
           number == argument.to_number<double>();
}

void check_argument_fields(const json::object& params, const Catalog& catalog,
                           const HeaderFields& fields) {
    const auto name = string_in(params, "name");
    for (const auto& tool : catalog.tools) {
        if (tool->tool.name != name) continue;
        for (const HeaderArgument& header : tool->headers) {
            const json::value* value = params.if_contains("arguments");
            for (const std::string& member : header.path) {
                const json::object* object = value != nullptr ? value->if_object() : nullptr;
                value = object != nullptr ? object->if_contains(member) : nullptr;
            }
            const auto given = fields(header.field);
            const bool has_value = value != nullptr && !value->is_null();
            if (!has_value && !given) continue;
            const auto decoded = given ? decoded_field(*given) : std::nullopt;
            if (!has_value || !decoded || !is_same_argument(*decoded, *value))
                throw refusal(
                    header_mismatch,
                    fmt::format("Header mismatch: {} does not match the arguments", header.field),
                    400);
        }
    }
}

} // namespace

bool is_legacy_revision(std::string_view revision) {
    return std::find(legacy_revisions.begin(), legacy_revisions.end(), revision) !=
           legacy_revisions.end();
}

bool is_stateless(const json::object& params, const HeaderFields* fields) {
    const json::object* meta = object_in(params, "_meta");
    if (meta != nullptr && meta->contains(revision_key)) return true;
    if (fields == nullptr) return false;
    const auto revision = (*fields)("MCP-Protocol-Version");
    return revision == stateless_revision;
}

Session::Session(Server::Core& core, std::string id, std::shared_ptr<Outlet> events)
    : core_(core), id_(std::move(id)), events_(std::move(events)) {}

Session::~Session() { core_.forget(this); }

// ---- messages -----------------------------------------------------------------------------------

void Session::receive(RpcMessage message, const std::shared_ptr<Outlet>& outlet,
                      const HeaderFields* fields) {
    if (auto* request = std::get_if<RpcRequest>(&message))
        take(std::move(*request), outlet, fields);
    else if (const auto* notification = std::get_if<RpcNotification>(&message))
        take(*notification);
    else if (auto* response = std::get_if<RpcResponse>(&message))
        take(std::move(*response));
    else if (auto* mistake = std::get_if<RpcMistake>(&message); !take_malformed_response(*mistake))
        outlet->finish(
            write_message(RpcResponse{.id = mistake->id, .outcome = std::move(mistake->error)}),
            400);
}

bool Session::take_malformed_response(const RpcMistake& mistake) {
    return mistake.is_response && take(RpcResponse{.id = mistake.id, .outcome = mistake.error});
}

void Session::take(RpcRequest request, const std::shared_ptr<Outlet>& outlet,
                   const HeaderFields* fields) {
    const bool stateless = is_stateless(request.params, fields);
    const auto refuse = [&](Refusal reason) {
        outlet->finish(
            write_message(RpcResponse{.id = request.id, .outcome = std::move(reason.error)}),
            stateless ? reason.http_status : 200);
    };
    try {
        if (stateless)
            take_stateless(request, outlet, fields);
        else
            take_legacy(request, outlet);
    } catch (Refusal& reason) {
        refuse(std::move(reason));
    } catch (const Error& error) {
        refuse(refusal_for(error, stateless, string_in(request.params, "uri").value_or("")));
    }
}

void Session::take(const RpcNotification& notification) {
    if (notification.method == "notifications/initialized") {
        const std::lock_guard lock(mutex_);
        is_ready_ = !revision_.empty();
    } else if (notification.method == "notifications/cancelled") {
        const json::value* id = notification.params.if_contains("requestId");
        if (id == nullptr) return;
        if (const auto request = to_request_id(*id)) cancel(*request);
    }
}

bool Session::take(RpcResponse response) {
    const auto* id = response.id ? std::get_if<std::int64_t>(&*response.id) : nullptr;
    if (id == nullptr) return false;
    {
        const std::lock_guard lock(mutex_);
        const auto asked = asked_.find(*id);
        if (asked == asked_.end()) return false;
        asked->second->answer = std::move(response);
    }
    changed_.notify_all();
    return true;
}

void Session::take_stateless(RpcRequest& request, const std::shared_ptr<Outlet>& outlet,
                             const HeaderFields* fields) {
    const json::object* meta = object_in(request.params, "_meta");
    const auto revision = meta != nullptr ? string_in(*meta, revision_key) : std::nullopt;
    if (!revision)
        throw refusal(rpc_code::invalid_params,
                      fmt::format("\"_meta\" has no \"{}\"", revision_key), 400);
    const json::object* client_capabilities = object_in(*meta, capabilities_key);
    if (client_capabilities == nullptr)
        throw refusal(rpc_code::invalid_params,
                      fmt::format("\"_meta\" has no \"{}\"", capabilities_key), 400);
    if (fields != nullptr) require_field(*fields, "MCP-Protocol-Version", *revision);
    if (revision != stateless_revision) {
        Refusal reason = refusal(unsupported_version, "Unsupported protocol version", 400);
        reason.error.data =
            json::object{{"supported", json::array{stateless_revision}}, {"requested", *revision}};
        throw reason;
    }
    const std::string& method = request.method;
    const auto catalog = core_.catalog();
    if (fields != nullptr) {
        require_field(*fields, "Mcp-Method", method);
        if (method == "tools/call" || method == "prompts/get")
            require_field(*fields, "Mcp-Name", string_in(request.params, "name").value_or(""));
        if (method == "resources/read")
            require_field(*fields, "Mcp-Name", string_in(request.params, "uri").value_or(""));
        if (is_about_task(method))
            require_field(*fields, "Mcp-Name", string_in(request.params, "taskId").value_or(""));
        if (method == "tools/call") check_argument_fields(request.params, *catalog, *fields);
    }

    CallFacts facts{.id = request.id,
                    .method = method,
                    .uri = std::string(string_in(request.params, "uri").value_or("")),
                    .revision = std::string(stateless_revision),
                    .client = peer_of(object_in(*meta, client_key)),
                    .capabilities = *client_capabilities,
                    .progress_token = progress_token_of(meta)};
    if (const json::value* level = meta->if_contains(log_level_key)) {
        facts.log_level = level->is_string() ? to_log_level(level->get_string()) : std::nullopt;
        if (!facts.log_level)
            throw refusal(rpc_code::invalid_params, "the log level is not valid", 400);
    }

    const auto finish = [&](json::object result) {
        result["resultType"] = "complete";
        result["_meta"] = json::object{{server_key, server_info(core_.options())}};
        outlet->finish(write_message(RpcResponse{.id = request.id, .outcome = std::move(result)}),
                       200);
    };
    const auto cacheable = [&](json::object result) {
        result["ttlMs"] = core_.options().list_ttl.count();
        result["cacheScope"] = "private";
        return result;
    };
    if (method == "server/discover") {
        json::object offered = capabilities(*catalog);
        offered["extensions"] = tasks_capability().at("extensions");
        json::object result{{"supportedVersions", json::array{stateless_revision}},
                            {"capabilities", std::move(offered)}};
        set_text(result, "instructions", core_.options().instructions);
        return finish(cacheable(std::move(result)));
    }
    if (method == "subscriptions/listen") return listen(request, outlet, facts.capabilities);
    if (auto answer = answer_about_task(method, request.params, facts.capabilities, core_.tasks()))
        return finish(*std::move(answer));
    if (method == "completion/complete" && (catalog->has_had_resources || catalog->has_had_prompts))
        return finish(complete(request.params, *catalog));
    if (auto list = answer_at_once(method, request.params, *catalog, stateless_revision))
        return finish(cacheable(*std::move(list)));

    auto handler = prepare(method, request.params, *catalog, stateless_revision);
    if (!handler) throw unknown_method(method);
    // A state is valid for the same request only.
    facts.purpose = method;
    for (const std::string_view member : {"name", "uri", "arguments"})
        if (const json::value* value = request.params.if_contains(member))
            facts.purpose += "\n" + json::serialize(*value);
    if (const json::value* state = request.params.if_contains("requestState")) {
        const auto text =
            state->is_string() ? core_.unseal(facts.purpose, state->get_string()) : std::nullopt;
        const auto content = text ? agent::parse_json(*text) : std::nullopt;
        if (!content) throw refusal(rpc_code::invalid_params, "\"requestState\" is not valid");
        facts.state = content->at("state").as_string();
        facts.answers = content->at("answers").as_object();
    }
    if (const json::value* answers = request.params.if_contains("inputResponses")) {
        if (!answers->is_object())
            throw refusal(rpc_code::invalid_params, "\"inputResponses\" must be an object");
        for (const auto& [key, answer] : answers->get_object()) facts.answers[key] = answer;
    }
    start(std::make_shared<Call>(shared_from_this(), outlet, std::move(facts)),
          [work = *std::move(handler), info = server_info(core_.options()),
           is_reading = method == "resources/read"](Exchange::Source& call) {
              json::object result = work(call);
              result["resultType"] = "complete";
              result["_meta"] = json::object{{server_key, info}};
              if (is_reading) {
                  result["ttlMs"] = 0;
                  result["cacheScope"] = "private";
              }
              return result;
          });
}

void Session::take_legacy(RpcRequest& request, const std::shared_ptr<Outlet>& outlet) {
    const std::string& method = request.method;
    const auto finish = [&](json::object result) {
        outlet->finish(write_message(RpcResponse{.id = request.id, .outcome = std::move(result)}),
                       200);
    };
    if (method == "initialize") return finish(initialize(request.params));
    if (method == "ping") return finish({});
    const json::object* meta = object_in(request.params, "_meta");
    CallFacts facts{.id = request.id,
                    .method = method,
                    .uri = std::string(string_in(request.params, "uri").value_or("")),
                    .progress_token = progress_token_of(meta)};
    {
        const std::lock_guard lock(mutex_);
        if (revision_.empty())
            throw refusal(rpc_code::invalid_params,
                          fmt::format("send \"initialize\" first, or the \"_meta\" of revision {}",
                                      stateless_revision));
        facts.revision = revision_;
        facts.client = client_;
        facts.capabilities = capabilities_;
        facts.log_level = log_level_;
    }
    const auto catalog = core_.catalog();
    if (method == "logging/setLevel") {
        const auto level = to_log_level(string_in(request.params, "level").value_or(""));
        if (!level) throw refusal(rpc_code::invalid_params, "the log level is not valid");
        {
            const std::lock_guard lock(mutex_);
            log_level_ = *level;
        }
        return finish({});
    }
    if ((method == "resources/subscribe" || method == "resources/unsubscribe") &&
        catalog->has_had_resources) {
        const auto uri = string_in(request.params, "uri");
        if (!uri) throw refusal(rpc_code::invalid_params, "\"uri\" is missing");
        {
            const std::lock_guard lock(mutex_);
            if (method == "resources/subscribe")
                uris_.emplace(*uri);
            else if (const auto found = uris_.find(*uri); found != uris_.end())
                uris_.erase(found);
        }
        return finish({});
    }
    if (method == "completion/complete" && (catalog->has_had_resources || catalog->has_had_prompts))
        return finish(complete(request.params, *catalog));
    if (auto list = answer_at_once(method, request.params, *catalog, facts.revision))
        return finish(*std::move(list));
    auto handler = prepare(method, request.params, *catalog, facts.revision);
    if (!handler) throw unknown_method(method);
    start(std::make_shared<Call>(shared_from_this(), outlet, std::move(facts)),
          *std::move(handler));
}

json::object Session::initialize(const json::object& params) {
    const auto requested = string_in(params, "protocolVersion");
    const json::object* client_capabilities = object_in(params, "capabilities");
    const json::object* client = object_in(params, "clientInfo");
    if (!requested || client_capabilities == nullptr || client == nullptr)
        throw refusal(rpc_code::invalid_params,
                      "\"protocolVersion\", \"capabilities\" or \"clientInfo\" is missing");
    const std::string revision(is_legacy_revision(*requested) ? *requested
                                                              : newest_legacy_revision);
    {
        const std::lock_guard lock(mutex_);
        if (!revision_.empty())
            throw refusal(rpc_code::invalid_request, "the session is already initialized");
        revision_ = revision;
        client_ = peer_of(client);
        capabilities_ = *client_capabilities;
    }
    json::object result{{"protocolVersion", revision},
                        {"capabilities", capabilities(*core_.catalog())},
                        {"serverInfo", server_info(core_.options())}};
    set_text(result, "instructions", core_.options().instructions);
    return result;
}

// ---- calls --------------------------------------------------------------------------------------

void Session::start(const std::shared_ptr<Call>& call, Handler handler) {
    {
        const std::lock_guard lock(mutex_);
        if (closed_) throw refusal(rpc_code::internal_error, "the session has ended", 503);
        if (!calls_.emplace(call->facts().id, call).second)
            throw refusal(rpc_code::invalid_request, "a request with this id is still in progress",
                          400);
        ++active_;
    }
    if (core_.submit([self = shared_from_this(), call, handler = std::move(handler)] {
            self->run(*call, handler);
            self->call_finished(*call);
        }))
        return;
    call_finished(*call);
    throw refusal(rpc_code::internal_error, "the server is busy: too many requests wait", 503);
}

void Session::run(Call& call, const Handler& handler) {
    const CallFacts& facts = call.facts();
    RpcResponse response{.id = facts.id};
    unsigned status = 200;
    try {
        if (!call.stop().stop_requested())
            std::tie(response.outcome, status) = outcome_of(handler, call, facts);
    } catch (InputNeeded& needed) {
        json::object result{{"resultType", "input_required"},
                            {"inputRequests", std::move(needed.requests)},
                            {"_meta", json::object{{server_key, server_info(core_.options())}}}};
        if (const std::string state = call.sealed_state(); !state.empty())
            result["requestState"] = state;
        response.outcome = std::move(result);
    }
    call.end();
    if (const auto task = call.task()) {
        task->end(std::move(response.outcome));
        const std::lock_guard lock(mutex_);
        tasks_.erase(task);
        return;
    }
    {
        // Before the answer: the client may use the id again.
        const std::lock_guard lock(mutex_);
        calls_.erase(facts.id);
    }
    if (call.stop().stop_requested())
        call.outlet()->drop();
    else
        call.outlet()->finish(write_message(response), status);
}

void Session::call_finished(Call& call) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = calls_.find(call.facts().id);
            found != calls_.end() && found->second.get() == &call)
            calls_.erase(found);
        --active_;
    }
    finish_if_ended();
}

std::shared_ptr<Task> Session::add_task(const CallFacts& facts, const std::stop_source& stop,
                                        const std::shared_ptr<Outlet>& outlet) {
    auto task =
        std::make_shared<Task>(facts.capabilities, stop, [&core = core_](const Task& changed) {
            core.task_changed(changed);
        });
    core_.tasks().add(task);
    std::unique_lock lock(mutex_);
    calls_.erase(facts.id); // the client may use it again, and cannot cancel the request any more
    tasks_.emplace(task, outlet);
    const bool closed = closed_;
    lock.unlock();
    if (closed) task->cancel();
    return task;
}

void Session::answer_with_task(const CallFacts& facts, const Task& task, Outlet& outlet) const {
    json::object result = task.state();
    result["resultType"] = "task";
    result["_meta"] = json::object{{server_key, server_info(core_.options())}};
    outlet.finish(write_message(RpcResponse{.id = facts.id, .outcome = std::move(result)}), 200);
}

void Session::cancel(const RequestId& id) {
    std::shared_ptr<Call> call;
    std::shared_ptr<Outlet> outlet;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = calls_.find(id); found != calls_.end()) {
            call = found->second;
        } else if (const auto listening = subscriptions_.find(id);
                   listening != subscriptions_.end()) {
            outlet = std::move(listening->second.outlet);
            subscriptions_.erase(listening);
        }
    }
    if (call) call->cancel();
    if (outlet) outlet->drop();
}

json::object Session::ask(const std::string& method, json::object params,
                          const std::shared_ptr<Outlet>& outlet, const std::stop_token& stop,
                          const std::stop_token& until) {
    const auto asked = std::make_shared<Asked>();
    asked->outlet = outlet;
    std::unique_lock lock(mutex_);
    const std::int64_t id = next_id_++;
    asked_.emplace(id, asked);
    lock.unlock();
    const bool sent = outlet->send(
        write_message(RpcRequest{.id = id, .method = method, .params = std::move(params)}));
    lock.lock();
    // Polls the tokens: see eyehand/base/stoppable_wait.hpp.
    while (sent && !asked->answer && !asked->lost && !closed_ && !stop.stop_requested() &&
           !until.stop_requested())
        changed_.wait_for(lock, base::stop_poll_interval);
    asked_.erase(id);
    const bool canceled = stop.stop_requested() || closed_;
    const bool answered = asked->answer.has_value();
    lock.unlock();
    if (!answered && !canceled && until.stop_requested())
        outlet->send(write_message(RpcNotification{
            .method = "notifications/cancelled",
            .params = {{"requestId", id}, {"reason", "The question was answered elsewhere."}}}));
    if (!answered && (canceled || until.stop_requested()))
        throw Error(errc::cancelled, "the request was canceled");
    if (!answered) throw Error(errc::connection_lost, "the client disconnected before it answered");
    if (const auto* error = std::get_if<RpcError>(&asked->answer->outcome))
        throw Error(errc::remote_error,
                    fmt::format("the client refused {}: {}", method, error->message));
    return std::get<json::object>(std::move(asked->answer->outcome));
}

// ---- what belongs to no request -----------------------------------------------------------------

void Session::listen(const RpcRequest& request, const std::shared_ptr<Outlet>& outlet,
                     const json::object& client_capabilities) {
    const json::object* wanted = object_in(request.params, "notifications");
    if (wanted == nullptr) throw refusal(rpc_code::invalid_params, "\"notifications\" is missing");
    Subscription subscription{.outlet = outlet};
    json::object honored;
    const auto catalog = core_.catalog();
    const auto accept = [&](std::string_view name, ListKind kind, bool offered) {
        const json::value* value = wanted->if_contains(name);
        if (value == nullptr || !value->is_bool() || !value->get_bool() || !offered) return;
        subscription.lists.insert(kind);
        honored[name] = true;
    };
    accept("toolsListChanged", ListKind::tools, true);
    accept("promptsListChanged", ListKind::prompts, catalog->has_had_prompts);
    accept("resourcesListChanged", ListKind::resources, catalog->has_had_resources);
    if (const json::array* uris = array_in(*wanted, "resourceSubscriptions");
        uris != nullptr && catalog->has_had_resources) {
        for (const json::value& uri : *uris)
            if (uri.is_string()) subscription.uris.emplace(uri.get_string());
        honored["resourceSubscriptions"] = *uris;
    }
    std::vector<std::shared_ptr<Task>> watched;
    if (const json::array* ids = array_in(*wanted, "taskIds")) {
        require_tasks(client_capabilities);
        json::array known;
        for (const json::value& id : *ids) {
            const auto task = id.is_string() ? core_.tasks().find(id.get_string()) : nullptr;
            if (!task || !subscription.tasks.insert(task->id()).second) continue;
            watched.push_back(task);
            known.push_back(id);
        }
        honored["taskIds"] = std::move(known);
    }
    {
        const std::lock_guard lock(mutex_);
        if (closed_) throw refusal(rpc_code::internal_error, "the session has ended", 503);
        if (calls_.contains(request.id) || subscriptions_.contains(request.id))
            throw refusal(rpc_code::invalid_request, "a request with this id is still in progress",
                          400);
        // With the lock, so that no notification is sent before.
        outlet->send(write_message(RpcNotification{
            .method = "notifications/subscriptions/acknowledged",
            .params = {{"_meta", json::object{{subscription_key, to_json(request.id)}}},
                       {"notifications", std::move(honored)}}}));
        // It may have changed since the client has asked.
        for (const auto& task : watched) outlet->send(task_notification(*task, request.id));
        subscriptions_.emplace(request.id, std::move(subscription));
    }
}

void Session::list_changed(ListKind kind) {
    const std::string method = kind == ListKind::tools ? "notifications/tools/list_changed"
                               : kind == ListKind::resources
                                   ? "notifications/resources/list_changed"
                                   : "notifications/prompts/list_changed";
    const std::lock_guard lock(mutex_);
    if (is_ready_ && events_) events_->send(write_message(RpcNotification{.method = method}));
    for (const auto& [id, subscription] : subscriptions_)
        if (subscription.lists.contains(kind))
            subscription.outlet->send(write_message(RpcNotification{
                .method = method,
                .params = {{"_meta", json::object{{subscription_key, to_json(id)}}}}}));
}

void Session::resource_updated(std::string_view uri) {
    const std::string method = "notifications/resources/updated";
    const std::lock_guard lock(mutex_);
    if (is_ready_ && events_ && uris_.contains(uri))
        events_->send(write_message(RpcNotification{.method = method, .params = {{"uri", uri}}}));
    for (const auto& [id, subscription] : subscriptions_)
        if (subscription.uris.contains(uri))
            subscription.outlet->send(write_message(
                RpcNotification{.method = method,
                                .params = {{"_meta", json::object{{subscription_key, to_json(id)}}},
                                           {"uri", uri}}}));
}

void Session::task_changed(const Task& task) {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, subscription] : subscriptions_)
        if (subscription.tasks.contains(task.id()))
            subscription.outlet->send(task_notification(task, id));
}

// ---- the end ------------------------------------------------------------------------------------

void Session::set_events(std::shared_ptr<Outlet> events) {
    const std::lock_guard lock(mutex_);
    events_ = std::move(events);
}

void Session::client_left(const std::shared_ptr<Outlet>& outlet) {
    std::vector<std::shared_ptr<Call>> canceled;
    std::vector<std::shared_ptr<Task>> unknown; // the client has not received their ids
    std::vector<Subscription> ended;            // destroyed without the lock
    {
        const std::lock_guard lock(mutex_);
        if (events_ == outlet) events_ = nullptr;
        for (const auto& [id, asked] : asked_)
            if (asked->outlet == outlet) asked->lost = true;
        // Of the older revisions, a client may lose a connection without giving up the request.
        for (const auto& [id, call] : calls_)
            if (call->outlet() == outlet && call->facts().is_stateless()) canceled.push_back(call);
        for (const auto& [task, answer] : tasks_)
            if (answer == outlet) unknown.push_back(task);
        for (auto it = subscriptions_.begin(); it != subscriptions_.end();) {
            if (it->second.outlet != outlet) {
                ++it;
                continue;
            }
            ended.push_back(std::move(it->second));
            it = subscriptions_.erase(it);
        }
    }
    changed_.notify_all();
    for (const auto& call : canceled) call->cancel();
    for (const auto& task : unknown) task->cancel();
}

void Session::close() {
    std::map<RequestId, std::shared_ptr<Call>> calls;
    std::map<std::shared_ptr<Task>, std::shared_ptr<Outlet>> tasks;
    std::map<RequestId, Subscription> subscriptions;
    std::shared_ptr<Outlet> events;
    {
        const std::lock_guard lock(mutex_);
        if (closed_) return;
        closed_ = true;
        calls = calls_;
        tasks = tasks_;
        subscriptions.swap(subscriptions_);
        events = std::move(events_);
    }
    changed_.notify_all();
    for (const auto& [id, call] : calls) call->cancel();
    for (const auto& [task, outlet] : tasks) task->cancel();
    for (const auto& [id, subscription] : subscriptions)
        subscription.outlet->finish(
            write_message(RpcResponse{
                .id = id,
                .outcome = json::object{{"resultType", "complete"},
                                        {"_meta", json::object{{subscription_key, to_json(id)},
                                                               {server_key,
                                                                server_info(core_.options())}}}}}),
            200);
    if (events) events->drop();
    core_.forget(this);
    finish_if_ended();
}

void Session::finish_if_ended() {
    {
        const std::lock_guard lock(mutex_);
        if (!closed_ || active_ > 0 || ending_) return;
        ending_ = true;
    }
    core_.session_ended(id_);
    {
        // With the lock: wait() may return, and the session end, right after.
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }
}

void Session::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
}

bool Session::is_busy() const {
    const std::lock_guard lock(mutex_);
    return active_ > 0;
}

bool Session::is_initialized() const {
    const std::lock_guard lock(mutex_);
    return !revision_.empty();
}

} // namespace eyehand::mcp
