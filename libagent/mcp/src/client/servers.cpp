// Servers from the form of JSON that is common among clients.
#include "eyehand/mcp/client.hpp"

#include "base/nearest.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace eyehand::mcp {
namespace {

namespace json = boost::json;

constexpr double least_seconds = 0.1;
constexpr double most_seconds = 24 * 3600;

/// Reads the members of one server; errors name the server and the member.
class ServerReader {
public:
    ServerReader(const json::object& object, std::string where)
        : object_(object), where_(std::move(where)) {}

    [[noreturn]] void refuse(std::string_view member, std::string_view reason) const {
        throw Error(errc::bad_config, fmt::format("{}: \"{}\" {}", where_, member, reason));
    }
    [[nodiscard]] const json::value* find(std::string_view member) const {
        const json::value* value = object_.if_contains(member);
        return value == nullptr || value->is_null() ? nullptr : value;
    }
    [[nodiscard]] std::string text(std::string_view member) const {
        const json::value* value = find(member);
        if (value == nullptr) return {};
        if (!value->is_string()) refuse(member, "must be a string");
        return std::string(value->get_string());
    }
    [[nodiscard]] std::vector<std::string> texts(std::string_view member) const {
        std::vector<std::string> all;
        const json::value* value = find(member);
        if (value == nullptr) return all;
        const json::array* array = value->if_array();
        if (array == nullptr) refuse(member, "must be an array of strings");
        for (const json::value& element : *array) {
            if (!element.is_string()) refuse(member, "must contain only strings");
            all.emplace_back(element.get_string());
        }
        return all;
    }
    [[nodiscard]] std::map<std::string, std::string> map(std::string_view member) const {
        std::map<std::string, std::string> all;
        const json::value* value = find(member);
        if (value == nullptr) return all;
        const json::object* object = value->if_object();
        if (object == nullptr) refuse(member, "must be an object with strings");
        for (const auto& [name, element] : *object) {
            if (!element.is_string()) refuse(member, "must contain only strings");
            all.emplace(name, std::string(element.get_string()));
        }
        return all;
    }
    [[nodiscard]] bool flag(std::string_view member) const {
        const json::value* value = find(member);
        if (value == nullptr) return false;
        if (!value->is_bool()) refuse(member, "must be true or false");
        return value->get_bool();
    }
    [[nodiscard]] ClientOptions read(std::string name) const;

private:
    const json::object& object_;
    std::string where_;
};

ClientOptions ServerReader::read(std::string name) const {
    static const std::vector<std::string> known{
        "command", "args",         "env",           "cwd",      "url", "headers",
        "timeout", "allowedTools", "allowed_tools", "disabled", "type"};
    for (const auto& [member, value] : object_) {
        const std::string given(member);
        if (std::ranges::find(known, given) == known.end())
            refuse(agent::shorten(agent::to_valid_utf8(given), 60),
                   "is unknown" + agent::did_you_mean(given, known));
    }
    ClientOptions options;
    options.name = std::move(name);
    const std::string program = text("command");
    const std::vector<std::string> arguments = texts("args");
    options.url = text("url");
    if (program.empty() == options.url.empty())
        refuse("command", "or \"url\" is required: a program, or the address of a server");
    const std::string type = text("type");
    const std::string expected = program.empty() ? "http" : "stdio";
    if (type == "sse")
        refuse("type",
               "is \"sse\", an outdated form of HTTP that is not supported: use the address "
               "for Streamable HTTP");
    if (!type.empty() && type != expected && !(type == "streamable-http" && program.empty()))
        refuse("type", fmt::format("must be \"{}\" for this server", expected));
    if (!program.empty()) {
        options.command.push_back(program);
        options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    } else if (!arguments.empty()) {
        refuse("args", "needs a \"command\"");
    }
    options.environment = map("env");
    options.folder = agent::path_of(text("cwd"));
    options.headers = map("headers");
    for (const char* member : {"allowedTools", "allowed_tools"})
        if (find(member) != nullptr) options.allowed_tools = texts(member);
    if (const json::value* timeout = find("timeout")) {
        const double seconds = timeout->is_number() ? timeout->to_number<double>() : 0;
        if (!(seconds >= least_seconds && seconds <= most_seconds))
            refuse("timeout",
                   fmt::format("must be from {} to {} seconds", least_seconds, most_seconds));
        options.call_timeout = std::chrono::milliseconds(std::llround(seconds * 1000));
    }
    return options;
}

constexpr std::array specs{
    agent::SettingSpec{.name = "mcp_servers",
                       .kind = agent::SettingKind::object,
                       .help = "servers of the Model Context Protocol whose tools a run may use",
                       .alias = "mcpServers"}};

} // namespace

std::span<const agent::SettingSpec> setting_specs() { return specs; }

std::vector<ClientOptions> parse_servers(std::string_view text, const std::string& where) {
    std::string problem;
    const auto value = agent::parse_json(text, &problem);
    if (!value) throw Error(errc::bad_config, fmt::format("{} is not JSON: {}", where, problem));
    const json::object* servers = value->if_object();
    // The file of another client, whose only other members are its own.
    if (servers != nullptr)
        if (const json::value* inside = servers->if_contains("mcpServers"))
            servers = inside->if_object();
    if (servers == nullptr)
        throw Error(errc::bad_config,
                    fmt::format("{} must contain an object with the names of servers", where));
    std::vector<ClientOptions> all;
    for (const auto& [key, described] : *servers) {
        const std::string name = agent::shorten(agent::to_valid_utf8(std::string_view(key)), 60);
        const std::string place = fmt::format("{}: the server \"{}\"", where, name);
        const json::object* object = described.if_object();
        if (object == nullptr)
            throw Error(errc::bad_config, fmt::format("{} must be an object", place));
        const ServerReader reader(*object, place);
        ClientOptions options = reader.read(name);
        try {
            const Client checked(options);
        } catch (const std::invalid_argument& reason) {
            throw Error(errc::bad_config, fmt::format("{}: {}", place, reason.what()));
        }
        if (!reader.flag("disabled")) all.push_back(std::move(options));
    }
    return all;
}

} // namespace eyehand::mcp
