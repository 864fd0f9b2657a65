#include "mcp_config.hpp"

#include "environment.hpp"
#include "exit_code.hpp"
#include "platform.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

namespace json = boost::json;

/// With line breaks, as users paste it: an object per line, four spaces per level.
void lay_out(const json::value& value, std::string& text, int level) {
    const auto indent = [&](int depth) { text += "\n" + std::string(std::size_t(4 * depth), ' '); };
    const json::object* object = value.if_object();
    if (object == nullptr || object->empty()) {
        text += json::serialize(value);
        return;
    }
    text += "{";
    bool first = true;
    for (const auto& [name, member] : *object) {
        if (!std::exchange(first, false)) text += ",";
        indent(level + 1);
        text += json::serialize(json::string(name)) + ": ";
        lay_out(member, text, level + 1);
    }
    indent(level);
    text += "}";
}

/// A TOML basic string has the escapes of JSON.
std::string toml_string(const std::string& text) { return json::serialize(json::string(text)); }

#ifdef _WIN32
constexpr bool needs_display = false;
#else
constexpr bool needs_display = true; // clients start servers without the variables of the X server
#endif

std::string codex_config(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> quoted;
    quoted.reserve(arguments.size());
    for (const std::string& argument : arguments) quoted.push_back(toml_string(argument));
    std::string text = fmt::format("[mcp_servers.eyehand]\ncommand = {}\nargs = [{}]\n",
                                   toml_string(program), fmt::join(quoted, ", "));
    if (needs_display) text += "env_vars = [\"DISPLAY\", \"XAUTHORITY\"]\n";
    return text + "tool_timeout_sec = 300\n";
}

json::object environment() {
    json::object variables;
    if (needs_display)
        for (const char* name : {"DISPLAY", "XAUTHORITY"})
            if (const std::string value = environment_variable(name); !value.empty())
                variables[name] = value;
    return variables;
}

} // namespace

std::vector<std::string> mcp_client_names() {
    return {"claude-desktop", "claude-code", "vscode", "cursor", "codex", "lmstudio"};
}

std::string mcp_client_config(const std::string& client, const std::filesystem::path& program,
                              const std::vector<std::string>& arguments) {
    const std::vector<std::string> names = mcp_client_names();
    if (std::ranges::find(names, client) == names.end())
        throw UsageError(fmt::format("--print-config is \"{}\"; allowed values: {}", client,
                                     fmt::join(names, ", ")));
    const std::string path = text_of(std::filesystem::absolute(program));
    if (client == "codex") return codex_config(path, arguments);
    json::object server;
    if (client != "claude-desktop" && client != "lmstudio") server["type"] = "stdio";
    server["command"] = path;
    server["args"] = json::array(arguments.begin(), arguments.end());
    if (json::object variables = environment(); !variables.empty())
        server["env"] = std::move(variables);
    const char* const section = client == "vscode" ? "servers" : "mcpServers";
    std::string text;
    lay_out(json::object{{section, json::object{{"eyehand", std::move(server)}}}}, text, 0);
    return text + "\n";
}

} // namespace eyehand::cli
