#include "core.hpp"

#include "access.hpp"
#include "base/text.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/vlm/digest.hpp"
#include "schema.hpp"
#include "session.hpp"
#include "task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace eyehand::mcp {
namespace {

constexpr std::chrono::hours seal_lifetime{24};

std::int64_t now_in_seconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool is_token_character(char c) {
    constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           others.find(c) != std::string_view::npos;
}

/// The arguments with x-mcp-header, wherever they are. Throws std::invalid_argument for one that the
/// specification forbids.
void collect_headers(const json::value& schema, std::vector<std::string>& path,
                     bool only_properties_so_far, std::vector<HeaderArgument>& headers) {
    if (const json::array* list = schema.if_array()) {
        for (const json::value& each : *list) collect_headers(each, path, false, headers);
        return;
    }
    const json::object* rules = schema.if_object();
    if (rules == nullptr) return;
    if (const json::value* name = rules->if_contains("x-mcp-header")) {
        const std::string text = name->is_string() ? std::string(name->get_string()) : "";
        const auto type = string_in(*rules, "type");
        const bool same = std::any_of(headers.begin(), headers.end(), [&](const auto& each) {
            return agent::equals_ignoring_case(each.field, "Mcp-Param-" + text);
        });
        if (text.empty() || !std::all_of(text.begin(), text.end(), is_token_character) || same ||
            !only_properties_so_far || path.empty() ||
            (type != "string" && type != "integer" && type != "boolean"))
            throw std::invalid_argument("\"x-mcp-header\" must be a unique name of a header field, "
                                        "at a string, an integer or a boolean");
        headers.push_back({.path = path, .field = "Mcp-Param-" + text});
    }
    for (const auto& [keyword, part] : *rules) {
        if (is_data_keyword(keyword)) continue;
        const json::object* named = is_named_schemas_keyword(keyword) ? part.if_object() : nullptr;
        if (named == nullptr) {
            collect_headers(part, path, false, headers);
            continue;
        }
        const bool only_properties = only_properties_so_far && keyword == "properties";
        for (const auto& [member, subschema] : *named) {
            path.emplace_back(member);
            collect_headers(subschema, path, only_properties, headers);
            path.pop_back();
        }
    }
}

json::value usable_schema(const std::string& text, const std::string& what) {
    auto schema = agent::parse_json(text);
    if (!schema || !schema->is_object())
        throw std::invalid_argument(what + " is not a JSON object");
    if (const auto mistake = schema_mistake(*schema))
        throw std::invalid_argument(what + ": " + *mistake);
    return *std::move(schema);
}

std::shared_ptr<const OfferedTool> offered(Tool tool) {
    OfferedTool entry;
    const std::string what = "the input schema of " + tool.name;
    entry.input_schema = usable_schema(tool.input_schema_json, what);
    if (string_in(entry.input_schema.get_object(), "type") != "object")
        throw std::invalid_argument(what + " needs the type \"object\"");
    std::vector<std::string> path;
    collect_headers(entry.input_schema, path, true, entry.headers);
    if (!tool.output_schema_json.empty())
        entry.output_schema =
            usable_schema(tool.output_schema_json, "the output schema of " + tool.name);
    if (!tool.call) throw std::invalid_argument("the tool " + tool.name + " has no function");
    entry.tool = std::move(tool);
    return std::make_shared<const OfferedTool>(std::move(entry));
}

template <class Entry, class Name>
void add_unique(std::vector<std::shared_ptr<const Entry>>& list, std::shared_ptr<const Entry> entry,
                const Name& name_of, std::string_view what) {
    const std::string& name = name_of(*entry);
    if (name.empty()) throw std::invalid_argument(fmt::format("a {} has no name or URI", what));
    for (const auto& each : list)
        if (name_of(*each) == name)
            throw std::invalid_argument(fmt::format("the {} \"{}\" exists already", what, name));
    list.push_back(std::move(entry));
}

template <class Entry, class Name>
bool remove_from(std::vector<std::shared_ptr<const Entry>>& list, const Name& name_of,
                 std::string_view name) {
    return std::erase_if(list, [&](const auto& each) { return name_of(*each) == name; }) > 0;
}

constexpr auto name_of_tool = [](const OfferedTool& entry) -> const std::string& {
    return entry.tool.name;
};
constexpr auto uri_of = [](const Resource& entry) -> const std::string& { return entry.uri; };
constexpr auto template_of = [](const ResourceTemplate& entry) -> const std::string& {
    return entry.uri_template;
};
constexpr auto name_of_prompt = [](const Prompt& entry) -> const std::string& {
    return entry.name;
};

std::string signature(const std::string& key, std::string_view purpose, std::string_view text) {
    std::string signed_text = std::to_string(purpose.size());
    signed_text += ':';
    signed_text += purpose;
    signed_text += text;
    return vlm::hmac_sha256_hex(key, signed_text);
}

} // namespace

bool matches_template(std::string_view uri, std::string_view uri_template) {
    while (!uri_template.empty()) {
        const std::size_t open = uri_template.find('{');
        const std::string_view text = uri_template.substr(0, open);
        if (!uri.starts_with(text)) return false;
        uri.remove_prefix(text.size());
        if (open == std::string_view::npos) return uri.empty();
        const std::size_t close = uri_template.find('}', open);
        if (close == std::string_view::npos) return false;
        uri_template.remove_prefix(close + 1);
        // A variable ends where the text after it begins.
        const char next = uri_template.empty() ? '\0' : uri_template.front();
        std::size_t length = 0;
        while (length < uri.size() && uri[length] != '/' &&
               (next == '\0' || next == '{' || uri[length] != next))
            ++length;
        if (length == 0) return false;
        uri.remove_prefix(length);
    }
    return uri.empty();
}

Server::Core::Core(ServerOptions options)
    : options_(std::move(options)), key_(web::random_token() + web::random_token()),
      tasks_(std::make_unique<TaskList>()),
      pool_(std::max<std::size_t>(options_.max_calls, 1), options_.max_waiting) {}

Server::Core::~Core() = default;

template <class Change>
void Server::Core::change(ListKind kind, const Change& make) {
    {
        const std::lock_guard lock(mutex_);
        Catalog changed = *catalog_;
        if (!make(changed)) return;
        catalog_ = std::make_shared<const Catalog>(std::move(changed));
    }
    for (const auto& session : sessions()) session->list_changed(kind);
}

void Server::Core::add(Tool tool) {
    const auto entry = offered(std::move(tool));
    change(ListKind::tools, [&](Catalog& catalog) {
        add_unique(catalog.tools, entry, name_of_tool, "tool");
        return true;
    });
}

void Server::Core::add(Resource resource) {
    const auto entry = std::make_shared<const Resource>(std::move(resource));
    change(ListKind::resources, [&](Catalog& catalog) {
        add_unique(catalog.resources, entry, uri_of, "resource");
        catalog.has_had_resources = true;
        return true;
    });
}

void Server::Core::add(ResourceTemplate resources) {
    const auto entry = std::make_shared<const ResourceTemplate>(std::move(resources));
    change(ListKind::resources, [&](Catalog& catalog) {
        add_unique(catalog.templates, entry, template_of, "resource template");
        catalog.has_had_resources = true;
        return true;
    });
}

void Server::Core::add(Prompt prompt) {
    const auto entry = std::make_shared<const Prompt>(std::move(prompt));
    change(ListKind::prompts, [&](Catalog& catalog) {
        add_unique(catalog.prompts, entry, name_of_prompt, "prompt");
        catalog.has_had_prompts = true;
        return true;
    });
}

bool Server::Core::remove_tool(std::string_view name) {
    bool removed = false;
    change(ListKind::tools, [&](Catalog& catalog) {
        return removed = remove_from(catalog.tools, name_of_tool, name);
    });
    return removed;
}

bool Server::Core::remove_resource(std::string_view uri) {
    bool removed = false;
    change(ListKind::resources,
           [&](Catalog& catalog) { return removed = remove_from(catalog.resources, uri_of, uri); });
    return removed;
}

bool Server::Core::remove_resource_template(std::string_view uri_template) {
    bool removed = false;
    change(ListKind::resources, [&](Catalog& catalog) {
        return removed = remove_from(catalog.templates, template_of, uri_template);
    });
    return removed;
}

bool Server::Core::remove_prompt(std::string_view name) {
    bool removed = false;
    change(ListKind::prompts, [&](Catalog& catalog) {
        return removed = remove_from(catalog.prompts, name_of_prompt, name);
    });
    return removed;
}

void Server::Core::resource_updated(std::string_view uri) {
    for (const auto& session : sessions()) session->resource_updated(uri);
}

void Server::Core::task_changed(const Task& task) {
    for (const auto& session : sessions()) session->task_changed(task);
}

void Server::Core::on_session_end(std::function<void(const std::string&)> ended) {
    const std::lock_guard lock(mutex_);
    ended_ = std::move(ended);
}

std::shared_ptr<Session> Server::Core::open(std::string id, std::shared_ptr<Outlet> events) {
    auto session = std::make_shared<Session>(*this, std::move(id), std::move(events));
    const std::lock_guard lock(mutex_);
    sessions_.emplace(session.get(), session);
    return session;
}

std::shared_ptr<const Catalog> Server::Core::catalog() const {
    const std::lock_guard lock(mutex_);
    return catalog_;
}

void Server::Core::forget(const Session* session) {
    const std::lock_guard lock(mutex_);
    sessions_.erase(session);
}

void Server::Core::session_ended(const std::string& id) {
    if (id.empty()) return;
    std::function<void(const std::string&)> ended;
    {
        const std::lock_guard lock(mutex_);
        ended = ended_;
    }
    if (ended) ended(id);
}

std::vector<std::shared_ptr<Session>> Server::Core::sessions() const {
    std::vector<std::shared_ptr<Session>> open;
    const std::lock_guard lock(mutex_);
    for (const auto& [address, session] : sessions_)
        if (auto one = session.lock()) open.push_back(std::move(one));
    return open;
}

std::string Server::Core::seal(std::string_view purpose, std::string_view text) const {
    std::string sealed = fmt::format(
        "{}.{}",
        now_in_seconds() + std::chrono::duration_cast<std::chrono::seconds>(seal_lifetime).count(),
        base::to_base64(text));
    const std::string end = signature(key_, purpose, sealed);
    return sealed + "." + end;
}

std::optional<std::string> Server::Core::unseal(std::string_view purpose,
                                                std::string_view sealed) const {
    const std::size_t last = sealed.rfind('.');
    if (last == std::string_view::npos) return std::nullopt;
    const std::string_view content = sealed.substr(0, last);
    if (!web::is_same_secret(signature(key_, purpose, content), sealed.substr(last + 1)))
        return std::nullopt;
    std::int64_t expiry = 0;
    const auto [end, problem] =
        std::from_chars(content.data(), content.data() + content.size(), expiry);
    if (problem != std::errc{} || expiry < now_in_seconds()) return std::nullopt;
    const std::size_t dot = content.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const auto bytes = base::from_base64(content.substr(dot + 1));
    if (!bytes) return std::nullopt;
    return std::string(bytes->begin(), bytes->end());
}

} // namespace eyehand::mcp
