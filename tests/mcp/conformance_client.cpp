// The client under test of the official conformance suite: lists the tools of the server whose URL is the last argument, and
// calls each. MCP_CONFORMANCE_CONTEXT may contain the calls instead. Prints "completed" after the last call.
#include "eyehand/mcp/client.hpp"

#include "json/json.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace eyehand;
namespace json = boost::json;

/// A value that the schema describes.
json::value value_for(const json::object& schema, const json::value& first_schema) {
    const json::value* type = schema.if_contains("type");
    const std::string name =
        type != nullptr && type->is_string() ? std::string(type->as_string()) : "";
    if (name == "integer" || name == "number") return 5;
    if (name == "boolean") return true;
    if (name == "array") return json::array();
    if (name == "object") return first_schema;
    return "text";
}

json::object arguments_for(const mcp::RemoteTool& tool, const json::value& first_schema) {
    json::object arguments;
    const json::value schema = json::parse(tool.input_schema_json);
    const json::value* properties = schema.as_object().if_contains("properties");
    if (properties == nullptr || !properties->is_object()) return arguments;
    for (const auto& [name, property] : properties->as_object())
        if (property.is_object()) arguments[name] = value_for(property.as_object(), first_schema);
    return arguments;
}

using Calls = std::vector<std::pair<std::string, json::object>>;

Calls calls_of_context() {
    Calls calls;
    const char* const text = std::getenv("MCP_CONFORMANCE_CONTEXT");
    if (text == nullptr) return calls;
    const json::value context = json::parse(text);
    const json::value* given = context.as_object().if_contains("toolCalls");
    if (given == nullptr) return calls;
    for (const json::value& call : given->as_array())
        calls.emplace_back(std::string(call.at("name").as_string()),
                           call.at("arguments").as_object());
    return calls;
}

void run(const std::string& url) {
    mcp::ClientOptions options{.name = "conformance", .url = url};
    options.on_log = [](std::string_view line) { std::cerr << line << '\n'; };
    options.on_elicit = [](const std::string&, const std::string&) {
        return mcp::ElicitResult{mcp::ElicitResult::Action::accept, "{}"};
    };
    mcp::Client client(std::move(options));
    const std::vector<mcp::RemoteTool> tools = client.tools();
    Calls calls = calls_of_context();
    if (calls.empty()) {
        const json::value first =
            tools.empty() ? json::value() : json::parse(tools.front().input_schema_json);
        for (const mcp::RemoteTool& tool : tools)
            calls.emplace_back(tool.name, arguments_for(tool, first));
    }
    for (const auto& [name, arguments] : calls) {
        try {
            const mcp::CallResult result = client.call(name, json::serialize(arguments));
            std::cout << name << (result.is_error ? " failed" : " succeeded") << '\n';
        } catch (const mcp::Error& error) {
            if (error.code() != mcp::errc::remote_error) throw;
            std::cout << error.what() << '\n'; // the server of a scenario may have no tools/call
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "eyehand-conformance-client: the URL of a server is missing\n";
        return 2;
    }
    try {
        run(argv[argc - 1]);
        std::cout << "completed\n" << std::flush;
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "eyehand-conformance-client: " << error.what() << '\n';
        return 1;
    }
}
