#include "eyehand/mcp/client.hpp"

#include "client/link.hpp"
#include "client/tool_headers.hpp"
#include "content_json.hpp"
#include "revision.hpp"

#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/version.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <stdexcept>
#include <utility>

namespace eyehand::mcp {
namespace {

using std::chrono::milliseconds;

// The newest one first.
constexpr std::array<std::string_view, 4> older_revisions{"2025-11-25", "2025-06-18", "2025-03-26",
                                                          "2024-11-05"};
// Older servers may ignore a request before `initialize`; programs also need time to start.
constexpr milliseconds time_to_discover{3000};
constexpr std::size_t max_pages = 1000;
constexpr std::size_t max_tools = 10000;
constexpr std::size_t max_list_messages = 4; // a list of tools may need as many bytes as these
constexpr int max_questions_of_call = 16;    // answers "input_required" to one call

// Errors that only servers of the stateless revisions send.
constexpr std::int64_t header_mismatch = -32020;
constexpr std::int64_t capability_missing = -32021;
constexpr std::int64_t unsupported_revision = -32022;

bool is_recognized(const RpcError& error) {
    return error.code == header_mismatch || error.code == capability_missing ||
           error.code == unsupported_revision;
}

bool is_name_of_server(std::string_view text) {
    return !text.empty() && text.size() <= 32 && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
}

bool is_older_revision(std::string_view revision) {
    return std::ranges::find(older_revisions, revision) != older_revisions.end();
}

json::object client_info() { return {{"name", "eyehand"}, {"version", EYEHAND_VERSION_STRING}}; }

std::vector<std::string> strings_in(const json::object& object, std::string_view name) {
    std::vector<std::string> all;
    if (const json::array* array = array_in(object, name))
        for (const json::value& element : *array)
            if (element.is_string()) all.emplace_back(element.get_string());
    return all;
}

std::optional<bool> boolean_in(const json::object& object, std::string_view name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

void check_options(const ClientOptions& options) {
    if (!is_name_of_server(options.name))
        throw std::invalid_argument("the name of a server must be 1 to 32 letters, digits, \"_\" "
                                    "or \"-\"");
    if (options.command.empty() == options.url.empty())
        throw std::invalid_argument(
            fmt::format("the server \"{}\" needs either a command or a URL", options.name));
    const auto has_control = [](std::string_view text, std::string_view which) {
        return text.find_first_of(which) != std::string_view::npos;
    };
    for (const std::string& word : options.command)
        if (has_control(word, std::string_view("\0", 1)))
            throw std::invalid_argument("a command must not contain NUL characters");
    if (!options.command.empty() && options.command.front().empty())
        throw std::invalid_argument("the name of a program must not be empty");
    for (const auto& [name, value] : options.environment)
        if (name.empty() || has_control(name, std::string_view("=\0", 2)) ||
            has_control(value, std::string_view("\0", 1)))
            throw std::invalid_argument(
                "the name of a variable must not be empty or contain \"=\"");
    for (const auto& [name, value] : options.headers)
        if (name.empty() || has_control(name, std::string_view("\r\n\0: ", 5)) ||
            has_control(value, std::string_view("\r\n\0", 3)))
            throw std::invalid_argument("a header must not contain line breaks");
}

} // namespace

Error remote_error(const std::string& server, const RpcError& error) {
    return {errc::remote_error,
            fmt::format("{} reports: {} (error {})", server,
                        agent::shorten(agent::one_line(agent::to_valid_utf8(error.message)), 1000),
                        error.code)};
}

RefusedRequest::RefusedRequest(const std::string& server, RpcError error, int status)
    : StatusError(errc::remote_error, remote_error(server, error).what(), status),
      error_(std::move(error)) {}

class Client::Impl {
public:
    explicit Impl(ClientOptions given) : options(std::move(given)) { check_options(options); }
    ~Impl() { link_in_use.reset(); } // its threads use the other members
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    std::vector<RemoteTool> tools(const std::stop_token& stop);
    CallResult call(std::string_view tool, std::string_view arguments_json,
                    const std::stop_token& stop,
                    const std::function<void(const Progress&)>& on_progress);
    void on_tools_changed(std::function<void()> changed);
    std::string revision() const {
        const std::lock_guard lock(mutex);
        return revision_in_use;
    }

    const ClientOptions options;

private:
    using LinkPointer = std::shared_ptr<Link>;

    LinkPointer connected(const std::stop_token& stop);
    void connect(const std::stop_token& stop);
    enum class Discovery { stateless, older, silent };
    Discovery discover(Link& link, const std::stop_token& stop, WaitClock::time_point end);
    void initialize(Link& link, const std::stop_token& stop, WaitClock::time_point end);
    void use(Link& link, std::string revision);
    void listen(Link& link);
    json::object capabilities() const;
    json::object with_meta(json::object params, bool stateless) const;
    bool is_stateless() const {
        const std::lock_guard lock(mutex);
        return revision_in_use == stateless_revision;
    }

    /// Sends a request, over a new connection if the old one is lost.
    json::object request(const std::string& method, json::object params,
                         const std::stop_token& stop,
                         const std::function<void(const Progress&)>& on_progress = {},
                         std::vector<std::pair<std::string, std::string>> headers = {});
    json::object request_once(Link& link, const std::string& method, json::object params,
                              const std::stop_token& stop,
                              const std::function<void(const Progress&)>& on_progress,
                              std::vector<std::pair<std::string, std::string>> headers);
    json::object answers_to(const json::object& questions);
    std::optional<RemoteTool> read_tool(const json::value& value);
    std::vector<std::pair<std::string, std::string>>
    headers_for(std::string_view tool, const json::object& arguments, const std::stop_token& stop);
    [[noreturn]] void fail(errc code, std::string_view what) const {
        throw Error(code, fmt::format("the server \"{}\" {}", options.name, what));
    }
    void log(std::string_view line) const {
        if (options.on_log) options.on_log(line);
    }

    std::mutex connecting;    ///< held while a connection is made
    mutable std::mutex mutex; // the following members
    LinkPointer link_in_use;
    bool link_is_ready = false; ///< for requests of the program
    std::string revision_in_use;
    /// Which kind of revision the server speaks, as it turned out first.
    std::optional<bool> server_is_stateless;
    int losses = 0; ///< in a row, without an answer between them
    std::function<void()> tools_changed;
    std::map<std::string, std::vector<ToolHeader>, std::less<>> tool_headers;
    bool knows_tools = false;
};

// --- Connecting -----------------------------------------------------------------------------------

Client::Impl::LinkPointer Client::Impl::connected(const std::stop_token& stop) {
    const auto current = [this]() -> LinkPointer {
        const std::lock_guard lock(mutex);
        return link_is_ready && link_in_use && !link_in_use->is_lost() ? link_in_use : nullptr;
    };
    if (LinkPointer link = current()) return link;
    std::unique_lock lock(connecting, std::defer_lock);
    // Not a timed mutex, whose locks GCC 12's thread sanitizer does not see.
    while (!lock.try_lock())
        if (base::wait_for(base::stop_poll_interval, stop) == base::Waited::stopped)
            fail(errc::cancelled, "was not connected: canceled");
    if (LinkPointer link = current()) return link;
    connect(stop);
    return current() ? current() : throw Error(errc::connection_lost, "the connection was lost");
}

void Client::Impl::connect(const std::stop_token& stop) {
    LinkPointer old;
    bool again = false;
    {
        const std::lock_guard lock(mutex);
        old = std::exchange(link_in_use, nullptr);
        link_is_ready = false;
        again = old != nullptr || losses > 0;
        if (!options.command.empty() && again && ++losses > options.max_restarts)
            fail(errc::unreachable,
                 fmt::format("has ended {} times in a row: look at its log", losses));
    }
    old.reset(); // ends what is left of the old program
    if (again) log(options.url.empty() ? "the server is started again" : "a new session begins");
    ServerEvents events{.tools_changed =
                            [this] {
                                std::function<void()> changed;
                                {
                                    const std::lock_guard lock(mutex);
                                    changed = tools_changed;
                                    knows_tools = false;
                                }
                                if (changed) changed();
                            },
                        .elicit = options.on_elicit,
                        .log = options.on_log};
    LinkPointer link = options.url.empty() ? start_program(options, std::move(events))
                                           : connect_to_url(options, std::move(events));
    std::optional<bool> stateless;
    {
        const std::lock_guard lock(mutex);
        link_in_use = link;
        revision_in_use.clear();
        knows_tools = false;
        stateless = server_is_stateless;
    }
    try {
        const auto end = WaitClock::now() + options.connect_timeout;
        const Discovery found = stateless == false ? Discovery::older : discover(*link, stop, end);
        try {
            if (found != Discovery::stateless) initialize(*link, stop, end);
        } catch (const Error& error) {
            // It was slow to start, and knows no older revision.
            if (found != Discovery::silent || error.code() != errc::remote_error ||
                discover(*link, stop, end) != Discovery::stateless)
                throw;
        }
    } catch (...) {
        const std::lock_guard lock(mutex);
        if (!link->is_lost()) {
            // Such as after a stop: it is not the server's fault.
            link_in_use.reset();
        }
        revision_in_use.clear();
        throw;
    }
    listen(*link);
    // An older server drops a question during a call if it can send it only through that stream.
    link->wait_until_listening(stop);
    const std::lock_guard lock(mutex);
    link_is_ready = true;
}

json::object Client::Impl::capabilities() const {
    json::object all;
    if (options.on_elicit) all["elicitation"] = json::object{{"form", json::object()}};
    return all;
}

json::object Client::Impl::with_meta(json::object params, bool stateless) const {
    if (!stateless) return params;
    json::object meta;
    if (const json::object* given = object_in(params, "_meta")) meta = *given;
    meta["io.modelcontextprotocol/protocolVersion"] = stateless_revision;
    meta["io.modelcontextprotocol/clientInfo"] = client_info();
    meta["io.modelcontextprotocol/clientCapabilities"] = capabilities();
    params["_meta"] = std::move(meta);
    return params;
}

void Client::Impl::use(Link& link, std::string revision) {
    const bool stateless = revision == stateless_revision;
    link.set_revision(revision, stateless);
    const std::lock_guard lock(mutex);
    revision_in_use = std::move(revision);
    server_is_stateless = stateless;
}

/// Asks in the way of the stateless revisions.
Client::Impl::Discovery Client::Impl::discover(Link& link, const std::stop_token& stop,
                                               WaitClock::time_point end) {
    link.set_revision(std::string(stateless_revision), true);
    const auto left = std::chrono::duration_cast<milliseconds>(end - WaitClock::now());
    const bool is_program = options.url.empty();
    const auto choose = [&](const std::vector<std::string>& offered) {
        if (std::ranges::find(offered, stateless_revision) != offered.end()) {
            use(link, std::string(stateless_revision));
            return Discovery::stateless;
        }
        if (std::ranges::any_of(offered, is_older_revision)) return Discovery::older;
        fail(errc::not_supported,
             fmt::format(
                 "speaks only other revisions of the protocol: {}",
                 agent::shorten(agent::to_valid_utf8(fmt::format("{}", fmt::join(offered, ", "))),
                                200)));
    };
    const auto refused = [&](const RpcError& error) {
        if (!is_recognized(error)) return Discovery::older;
        if (error.code != unsupported_revision)
            throw remote_error(link.conversation().server(), error);
        const json::object* data = error.data ? error.data->if_object() : nullptr;
        return choose(data != nullptr ? strings_in(*data, "supported")
                                      : std::vector<std::string>());
    };
    try {
        const RpcResponse response =
            link.ask({.request = {.id = link.conversation().next_id(),
                                  .method = "server/discover",
                                  .params = with_meta({}, true)},
                      .timeout = is_program ? std::min(left / 2, time_to_discover) : left,
                      .stop = stop,
                      .cancellable = false});
        if (const auto* error = std::get_if<RpcError>(&response.outcome)) return refused(*error);
        const json::object& result = std::get<json::object>(response.outcome);
        // Some older servers answer every request with an empty result.
        if (array_in(result, "supportedVersions") == nullptr) return Discovery::older;
        return choose(strings_in(result, "supportedVersions"));
    } catch (const RefusedRequest& error) {
        return refused(error.error());
    } catch (const StatusError& error) {
        if (error.code() == errc::unreachable || error.status() >= 500) throw;
        return Discovery::older;
    } catch (const Error& error) {
        if (is_program && error.code() == errc::timeout) return Discovery::silent;
        throw;
    }
}

void Client::Impl::initialize(Link& link, const std::stop_token& stop, WaitClock::time_point end) {
    link.set_revision({}, false);
    const auto left =
        std::max(milliseconds(1), std::chrono::duration_cast<milliseconds>(end - WaitClock::now()));
    const RpcResponse response =
        link.ask({.request = {.id = link.conversation().next_id(),
                              .method = "initialize",
                              .params = {{"protocolVersion", older_revisions.front()},
                                         {"capabilities", capabilities()},
                                         {"clientInfo", client_info()}}},
                  .timeout = left,
                  .stop = stop,
                  .cancellable = false});
    if (const auto* error = std::get_if<RpcError>(&response.outcome))
        throw remote_error(link.conversation().server(), *error);
    const json::object& result = std::get<json::object>(response.outcome);
    const std::string revision(string_in(result, "protocolVersion").value_or(""));
    if (!is_older_revision(revision))
        fail(errc::not_supported,
             fmt::format("speaks only another revision of the protocol: \"{}\"",
                         agent::shorten(agent::to_valid_utf8(revision), 40)));
    link.set_revision(revision, false);
    link.tell({.method = "notifications/initialized", .params = {}});
    use(link, revision);
}

/// Begins to receive what the server sends by itself, if the program wants to know.
void Client::Impl::listen(Link& link) {
    bool stateless = false;
    {
        const std::lock_guard lock(mutex);
        stateless = revision_in_use == stateless_revision;
        if (!tools_changed && (stateless || !options.on_elicit)) return;
    }
    link.listen({.id = link.conversation().next_id(),
                 .method = "subscriptions/listen",
                 .params = with_meta({{"notifications", json::object{{"toolsListChanged", true}}}},
                                     stateless)});
}

void Client::Impl::on_tools_changed(std::function<void()> changed) {
    LinkPointer link;
    {
        const std::lock_guard lock(mutex);
        const bool first = !tools_changed;
        tools_changed = std::move(changed);
        if (first && !revision_in_use.empty()) link = link_in_use;
    }
    if (link && !link->is_lost()) listen(*link);
}

// --- Requests -------------------------------------------------------------------------------------

json::object Client::Impl::request_once(Link& link, const std::string& method, json::object params,
                                        const std::stop_token& stop,
                                        const std::function<void(const Progress&)>& on_progress,
                                        std::vector<std::pair<std::string, std::string>> headers) {
    const RequestId id = link.conversation().next_id();
    if (method == "tools/call") params["_meta"] = json::object{{"progressToken", to_json(id)}};
    RpcResponse response =
        link.ask({.request = {.id = id,
                              .method = method,
                              .params = with_meta(std::move(params), is_stateless())},
                  .timeout = options.call_timeout,
                  .stop = stop,
                  .on_progress = on_progress,
                  .headers = std::move(headers)});
    {
        const std::lock_guard lock(mutex);
        losses = 0;
    }
    if (const auto* error = std::get_if<RpcError>(&response.outcome))
        throw RefusedRequest(link.conversation().server(), *error, 200);
    return std::move(std::get<json::object>(response.outcome));
}

json::object Client::Impl::request(const std::string& method, json::object params,
                                   const std::stop_token& stop,
                                   const std::function<void(const Progress&)>& on_progress,
                                   std::vector<std::pair<std::string, std::string>> headers) {
    LinkPointer link = connected(stop);
    try {
        return request_once(*link, method, params, stop, on_progress, headers);
    } catch (const StatusError& error) {
        // A server that has forgotten the session has not handled the request.
        if (error.status() != 404 || !link->is_lost()) throw;
    }
    link.reset();
    link = connected(stop);
    return request_once(*link, method, std::move(params), stop, on_progress, std::move(headers));
}

std::optional<RemoteTool> Client::Impl::read_tool(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr) return std::nullopt;
    RemoteTool tool;
    tool.name = string_in(*object, "name").value_or("");
    if (tool.name.empty()) return std::nullopt;
    tool.title = string_in(*object, "title").value_or("");
    tool.description = string_in(*object, "description").value_or("");
    const json::object* schema = object_in(*object, "inputSchema");
    if (schema == nullptr) {
        log(fmt::format("the tool \"{}\" is left out: it has no schema",
                        agent::shorten(tool.name, 100)));
        return std::nullopt;
    }
    if (const json::object* execution = object_in(*object, "execution");
        execution != nullptr && string_in(*execution, "taskSupport") == "required") {
        log(fmt::format(
            "the tool \"{}\" is left out: it requires tasks, which this client does not support",
            agent::shorten(tool.name, 100)));
        return std::nullopt;
    }
    tool.input_schema_json = json::serialize(*schema);
    if (const json::object* annotations = object_in(*object, "annotations")) {
        tool.read_only = boolean_in(*annotations, "readOnlyHint");
        if (tool.title.empty()) tool.title = string_in(*annotations, "title").value_or("");
    }
    if (options.url.empty() || !is_stateless()) return tool;
    try {
        std::vector<ToolHeader> headers = read_tool_headers(*schema);
        const std::lock_guard lock(mutex);
        tool_headers[tool.name] = std::move(headers);
    } catch (const std::invalid_argument& reason) {
        log(fmt::format("the tool \"{}\" is left out: {}", agent::shorten(tool.name, 100),
                        reason.what()));
        return std::nullopt;
    }
    return tool;
}

std::vector<RemoteTool> Client::Impl::tools(const std::stop_token& stop) {
    std::vector<RemoteTool> all;
    std::set<std::string> names;
    std::set<std::string> cursors;
    std::string cursor;
    const std::size_t max_bytes = max_list_messages * options.max_message_bytes;
    std::size_t bytes = 0;
    do {
        json::object params;
        if (!cursor.empty()) params["cursor"] = cursor;
        const json::object page = request("tools/list", std::move(params), stop);
        const json::array* list = array_in(page, "tools");
        if (list == nullptr) fail(errc::bad_message, "sent a list of tools without \"tools\"");
        for (const json::value& value : *list) {
            std::optional<RemoteTool> tool = read_tool(value);
            if (!tool || !names.insert(tool->name).second) continue;
            bytes += tool->name.size() + tool->description.size() + tool->input_schema_json.size();
            const auto& allowed = options.allowed_tools;
            if (allowed && std::ranges::find(*allowed, tool->name) == allowed->end()) continue;
            all.push_back(std::move(*tool));
        }
        cursor = string_in(page, "nextCursor").value_or("");
        if (!cursor.empty() && !cursors.insert(cursor).second)
            fail(errc::bad_message, "sends the same page of tools again and again");
        if (cursors.size() > max_pages || names.size() > max_tools || bytes > max_bytes)
            fail(errc::bad_message, "offers too many tools");
    } while (!cursor.empty());
    const std::lock_guard lock(mutex);
    knows_tools = true;
    return all;
}

std::vector<std::pair<std::string, std::string>>
Client::Impl::headers_for(std::string_view tool, const json::object& arguments,
                          const std::stop_token& stop) {
    if (options.url.empty()) return {};
    (void)connected(stop);
    if (!is_stateless()) return {};
    bool known = false;
    {
        const std::lock_guard lock(mutex);
        known = knows_tools;
    }
    if (!known) (void)tools(stop);
    const std::lock_guard lock(mutex);
    const auto found = tool_headers.find(tool);
    return found != tool_headers.end() ? headers_of_call(found->second, arguments)
                                       : std::vector<std::pair<std::string, std::string>>();
}

json::object Client::Impl::answers_to(const json::object& questions) {
    json::object answers;
    for (const auto& [key, value] : questions) {
        const json::object* question = value.if_object();
        const std::string_view method =
            question != nullptr ? string_in(*question, "method").value_or("") : "";
        static const json::object none;
        const json::object* params = question != nullptr ? object_in(*question, "params") : nullptr;
        if (method == "elicitation/create")
            answers[key] =
                answer_elicitation(params != nullptr ? *params : none, options.on_elicit);
        else if (method == "roots/list")
            answers[key] = json::object{{"roots", json::array()}};
        else
            fail(errc::bad_message, "asks for something that this client does not support");
    }
    return answers;
}

CallResult Client::Impl::call(std::string_view tool, std::string_view arguments_json,
                              const std::stop_token& stop,
                              const std::function<void(const Progress&)>& on_progress) {
    const auto parsed = agent::parse_json(arguments_json.empty() ? "{}" : arguments_json);
    if (!parsed || !parsed->is_object())
        throw Error(errc::invalid_params, "the arguments of a tool must be a JSON object");
    if (options.allowed_tools &&
        std::ranges::find(*options.allowed_tools, tool) == options.allowed_tools->end())
        throw Error(errc::invalid_params,
                    fmt::format("the tool \"{}\" is not one of the allowed tools", tool));
    const json::object& arguments = parsed->get_object();
    json::object params{{"name", tool}, {"arguments", arguments}};
    bool headers_were_wrong = false;
    for (int round = 0; round < max_questions_of_call; ++round) {
        json::object result;
        try {
            result = request("tools/call", params, stop, on_progress,
                             headers_for(tool, arguments, stop));
        } catch (const RefusedRequest& error) {
            if (error.error().code != header_mismatch || headers_were_wrong) throw;
            // The schema has changed: the server has not handled the call.
            headers_were_wrong = true;
            const std::lock_guard lock(mutex);
            knows_tools = false;
            continue;
        }
        const std::string_view type = string_in(result, "resultType").value_or("complete");
        if (type == "complete") {
            if (std::optional<CallResult> read = read_call_result(result)) return std::move(*read);
            fail(errc::bad_message, "sent a malformed result of a tool");
        }
        if (type != "input_required") fail(errc::bad_message, "sent a result of an unknown type");
        params = {{"name", tool}, {"arguments", arguments}};
        if (const json::object* questions = object_in(result, "inputRequests"))
            params["inputResponses"] = answers_to(*questions);
        if (const json::value* state = result.if_contains("requestState"))
            params["requestState"] = *state;
        if (stop.stop_requested()) fail(errc::cancelled, "was interrupted: canceled");
    }
    fail(errc::bad_message, "asks again and again instead of answering");
}

// --- The interface --------------------------------------------------------------------------------

Client::Client(ClientOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Client::~Client() = default;

// NOLINTBEGIN(performance-unnecessary-value-param): as all stop tokens of the interface
std::vector<RemoteTool> Client::tools(std::stop_token stop) { return impl_->tools(stop); }

CallResult Client::call(std::string_view tool, std::string_view arguments_json,
                        std::stop_token stop,
                        const std::function<void(const Progress&)>& on_progress) {
    return impl_->call(tool, arguments_json, stop, on_progress);
}
// NOLINTEND(performance-unnecessary-value-param)

void Client::on_tools_changed(std::function<void()> changed) {
    impl_->on_tools_changed(std::move(changed));
}

std::string Client::revision() const { return impl_->revision(); }
const ClientOptions& Client::options() const { return impl_->options; }

} // namespace eyehand::mcp
