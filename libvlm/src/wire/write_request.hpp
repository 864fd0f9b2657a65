// The parts of a request that all APIs have in common.
#pragma once

#include "reasoning.hpp"
#include "write_json.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// The text that `write` writes, allocated once.
template <class Write>
[[nodiscard]] std::string written(Write write) {
    Length length;
    write(length);
    std::string text;
    text.reserve(length.value);
    write(text);
    return text;
}

/// A member, if it has a value.
template <class Out, class Number>
void write_option(Out& out, Separator<Out>& member, std::string_view name,
                  const std::optional<Number>& value) {
    if (!value) return;
    member.key(name);
    write_number(out, *value);
}

template <class Out>
void write_reasoning(Out& out, Separator<Out>& member, const Sampling& sampling,
                     const Quirks& quirks, Api api) {
    for (const OptionMember& one : reasoning_options(sampling, quirks, api).members) {
        member.key(one.name);
        write(out, one.json);
    }
}

template <class Out>
void write_stop(Out& out, Separator<Out>& member, const std::vector<std::string>& texts) {
    if (texts.empty()) return;
    member.key("stop");
    write(out, "[");
    Separator comma(out);
    for (const std::string& text : texts) {
        comma();
        write_string(out, text);
    }
    write(out, "]");
}

/// The members that describe a function.
template <class Out>
void write_function(Out& out, const ToolSpec& tool) {
    write(out, R"("name":)");
    write_string(out, tool.name);
    if (!tool.description.empty()) {
        write(out, R"(,"description":)");
        write_string(out, tool.description);
    }
    write(out, R"(,"parameters":)");
    write(out, tool.parameters_json);
}

/// The members about tools, if there are any. `write_tool` writes one of them.
template <class Out, class WriteTool>
void write_tools(Out& out, Separator<Out>& member, const ChatRequest& request, const Quirks& quirks,
                 WriteTool write_tool) {
    if (request.tools.empty()) return;
    member.key("tools");
    write(out, "[");
    Separator comma(out);
    for (const ToolSpec& tool : request.tools) {
        comma();
        write_tool(tool);
    }
    write(out, "]");
    member.key("tool_choice");
    write_string(out, name_of(request.tool_choice));
    if (quirks.one_call_at_a_time) {
        member.key("parallel_tool_calls");
        write(out, "false");
    }
}

/// The members that describe the structure of the reply.
template <class Out>
void write_schema(Out& out, const ResponseFormat& format) {
    write(out, R"("name":)");
    write_string(out, format.name);
    write(out, R"(,"strict":true,"schema":)");
    write(out, format.schema_json);
}

} // namespace eyehand::vlm::wire
