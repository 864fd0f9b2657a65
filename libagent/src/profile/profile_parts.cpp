#include "eyehand/agent/mode_factory.hpp"

#include "profile/profile_parts.hpp"

namespace eyehand::agent {
namespace {

ArgumentPresentation read_argument(const Members& members) {
    ArgumentPresentation presentation;
    members.read_required("name", presentation.name);
    members.read("is", presentation.is);
    members.read("description", presentation.description);
    members.read("missing", presentation.missing_error);
    members.read("invalid", presentation.invalid_error);
    members.read("required", presentation.required);
    members.read("min_length", presentation.min_length, 0, 10000);
    return presentation;
}

ToolPresentation read_tool(const Members& members) {
    ToolPresentation presentation;
    members.read_required("tool", presentation.tool);
    members.read("name", presentation.name);
    members.read("description", presentation.description);
    members.read("invalid", presentation.invalid_error);
    if (const auto arguments = members.objects("arguments")) {
        presentation.arguments.emplace();
        for (const Members& argument : *arguments)
            presentation.arguments->push_back(read_argument(argument));
    }
    return presentation;
}

json::object tool_json(const ToolPresentation& presentation) {
    json::object tool{{"tool", presentation.tool},
                      {"name", presentation.name},
                      {"description", presentation.description}};
    if (!presentation.invalid_error.empty()) tool["invalid"] = presentation.invalid_error;
    if (!presentation.arguments) return tool;
    json::array arguments;
    for (const ArgumentPresentation& argument : *presentation.arguments) {
        json::object one{{"name", argument.name},
                         {"is", argument.is},
                         {"description", argument.description},
                         {"missing", argument.missing_error},
                         {"invalid", argument.invalid_error}};
        if (argument.required) one["required"] = *argument.required;
        if (argument.min_length > 0) one["min_length"] = argument.min_length;
        arguments.emplace_back(std::move(one));
    }
    tool["arguments"] = std::move(arguments);
    return tool;
}

} // namespace

std::vector<ToolPresentation> read_tools(const Members& members) {
    std::vector<ToolPresentation> presentations;
    if (const auto tools = members.objects("tools"))
        for (const Members& tool : *tools) presentations.push_back(read_tool(tool));
    return presentations;
}

void read_sampling(const Members& members, vlm::Sampling& into) {
    const auto sampling = members.object("sampling");
    if (!sampling) return;
    sampling->read("temperature", into.temperature, 0, 2);
    sampling->read("top_p", into.top_p, 0, 1);
    sampling->read("top_k", into.top_k, 0, 100000);
    sampling->read("presence_penalty", into.presence_penalty, -2, 2);
    sampling->read("max_tokens", into.max_tokens, 1, 10000000);
    if (sampling->has("reasoning_effort"))
        sampling->read("reasoning_effort", into.reasoning_effort.emplace(),
                       reasoning_effort_words());
    sampling->read("thinking_tokens", into.thinking_tokens, 0, 10000000);
    if (sampling->has("image_detail"))
        sampling->read("image_detail", into.image_detail.emplace(), image_detail_words());
}

json::array tools_json(const std::vector<ToolPresentation>& presentations) {
    json::array tools;
    for (const ToolPresentation& presentation : presentations)
        tools.emplace_back(tool_json(presentation));
    return tools;
}

json::object sampling_json(const vlm::Sampling& sampling) {
    json::object object;
    const auto put = [&](const char* name, const auto& value) {
        if (value) object[name] = *value;
    };
    put("temperature", sampling.temperature);
    put("top_p", sampling.top_p);
    put("top_k", sampling.top_k);
    put("presence_penalty", sampling.presence_penalty);
    put("max_tokens", sampling.max_tokens);
    if (sampling.reasoning_effort)
        object["reasoning_effort"] = std::string(vlm::to_string(*sampling.reasoning_effort));
    put("thinking_tokens", sampling.thinking_tokens);
    if (sampling.image_detail)
        object["image_detail"] = std::string(vlm::to_string(*sampling.image_detail));
    return object;
}

json::array texts_json(const std::vector<std::string>& texts) {
    json::array array;
    for (const std::string& text : texts) array.emplace_back(text);
    return array;
}

// ---- ProfileReader ------------------------------------------------------------------------------

std::optional<JsonView> ProfileReader::find(std::string_view member) const {
    const json::value* value = source_.members.value(member);
    if (value == nullptr) return std::nullopt;
    return JsonDocument::view_of(*value);
}

std::vector<ToolPresentation> ProfileReader::tools() const { return read_tools(source_.members); }

std::string ProfileReader::prompt(std::string_view member, std::span<const ToolPresentation> tools,
                                  std::span<const std::string_view> kept) const {
    return source_.prompts.read(source_.members, member, tools, kept);
}

void ProfileReader::refuse(std::string_view member, std::string_view reason) const {
    source_.members.refuse(member, reason);
}

} // namespace eyehand::agent
