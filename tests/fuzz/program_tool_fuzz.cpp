// Any tool file gives a tool, or Error{bad_tool} that names the file. A tool's schema accepts or
// rejects any arguments without an exception.
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "json/json_schema.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace eyehand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const agent::ProgramTool tool = agent::parse_program_tool(text, "fuzz.json");
        const auto schema = agent::parse_json(tool.parameters_json);
        if (!schema || agent::schema_mistake(*schema)) std::abort();
        // Any values will do, such as the tool's own file.
        (void)agent::schema_problem(*agent::parse_json(text), *schema);
        (void)agent::schema_problem(*schema, *schema);
        agent::Toolbox tools;
        agent::add_program_tool(tools, tool);
    } catch (const agent::Error& error) {
        if (error.code() != agent::errc::bad_tool) std::abort();
        if (!std::string(error.what()).starts_with("fuzz.json")) std::abort();
    }
    return 0;
}
