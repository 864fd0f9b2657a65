#include "base/nearest.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/vlm/chat.hpp"
#include "tools/positions.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::size_t not_a_parameter = static_cast<std::size_t>(-1);

/// A schema with its description first, where small models read it.
std::string described(const std::string& schema, const std::string& description) {
    if (description.empty()) return schema;
    const std::string member = R"("description":)" + json_quote(description);
    if (schema == "{}") return "{" + member + "}";
    return "{" + member + "," + schema.substr(1);
}

std::string parameters_of(const std::vector<ArgumentInfo>& arguments,
                          const CoordinateConverter* numbers) {
    std::string properties;
    std::string required;
    for (const ArgumentInfo& argument : arguments) {
        if (!properties.empty()) properties += ',';
        properties += json_quote(argument.name) + ":" +
                      described(offered_schema(argument.schema, numbers), argument.description);
        if (!argument.required) continue;
        if (!required.empty()) required += ',';
        required += json_quote(argument.name);
    }
    return R"({"type":"object","properties":{)" + properties + R"(},"required":[)" + required +
           "]}";
}

ToolResult problem_result(const ArgumentInfo& info, const ArgumentProblem& problem) {
    return fail(problem.missing ? info.missing_error : info.invalid_error,
                fmt::format("Argument \"{}{}\": {}.", info.name, problem.path, problem.message));
}

/// The arguments as an object; also accepts JSON inside a JSON string.
std::optional<json::value> arguments_object(const std::string& text, ToolResult& problem) {
    if (trim(text).empty()) return json::object();
    std::string reason;
    auto value = parse_json(text, &reason);
    if (value && value->is_string()) {
        const json::string inner = value->as_string();
        value = parse_json({inner.data(), inner.size()}, &reason);
    }
    if (!value) {
        problem =
            fail("invalid_json",
                 fmt::format("The arguments are not JSON ({}). Send one JSON object.", reason));
        return std::nullopt;
    }
    if (value->is_null()) return json::object();
    if (!value->is_object()) {
        problem = fail("invalid_args", "The arguments must be one JSON object.");
        return std::nullopt;
    }
    return value;
}

/// Checks the minimum length of a text, such as evidence that must be more than a word.
std::optional<ArgumentProblem> length_problem(const ArgumentInfo& info,
                                              const std::optional<JsonView>& value) {
    if (info.min_length == 0 || !value || value->kind() != JsonView::Kind::string)
        return std::nullopt; // other checks handle a missing value or another type
    const std::string text(trim(value->string()));
    const std::size_t length = base::utf8::count(text);
    if (length >= info.min_length) return std::nullopt;
    return ArgumentProblem{false, fmt::format("it must have at least {} characters, it has {}",
                                              info.min_length, length)};
}

/// Converts the positions among the arguments of a call.
std::optional<ToolResult> convert(json::object& given, const std::vector<ArgumentInfo>& arguments,
                                  const CoordinateConverter& numbers) {
    for (const ArgumentInfo& argument : arguments) {
        json::value* value = given.if_contains(argument.name);
        if (value == nullptr) continue;
        const auto schema = parse_json(argument.schema);
        if (!schema) continue;
        if (const auto problem = convert_positions(*value, *schema, numbers))
            return problem_result(argument, *problem);
    }
    return std::nullopt;
}

/// The same for a tool without a struct.
std::optional<ToolResult> convert(json::value& given, const std::string& schema,
                                  const CoordinateConverter& numbers) {
    const auto parameters = parse_json(schema);
    if (!parameters) return std::nullopt;
    if (const auto problem = convert_positions(given, *parameters, numbers))
        return fail("invalid_args",
                    fmt::format("Argument \"{}\": {}.",
                                problem->path.substr(problem->path.starts_with('.') ? 1 : 0),
                                problem->message));
    return std::nullopt;
}

/// Sets the numbers of a context that has none, and resets them after the call.
class NumbersOfCall {
public:
    NumbersOfCall(ToolContext& context, const CoordinateConverter* numbers)
        : context_(context), before_(context.coordinates) {
        if (before_ == nullptr) context.coordinates = numbers;
    }
    ~NumbersOfCall() { context_.coordinates = before_; }
    NumbersOfCall(const NumbersOfCall&) = delete;
    NumbersOfCall& operator=(const NumbersOfCall&) = delete;

private:
    ToolContext& context_;
    const CoordinateConverter* before_;
};

} // namespace

ModelPoint ToolContext::shown(winio::NormPoint at) const {
    return coordinates == nullptr ? ModelPoint{std::round(at.x), std::round(at.y)}
                                  : coordinates->to_model(at);
}

struct Toolbox::Tool {
    std::string id;
    std::string name;
    std::string description;
    std::vector<ArgumentInfo> arguments;
    std::string invalid_error; ///< for arguments that are not an object; empty: by the mistake
    /// The parameter of the struct for each of `arguments`: a presentation may change the order.
    std::vector<std::size_t> order;
    std::vector<ArgumentInfo> parameters; ///< of the struct, as they were registered
    detail::TypedCall typed;
    std::string parameters_json; ///< of a tool without a struct; such a tool has `whole`
    std::function<ToolResult(JsonView, ToolContext&)> whole;
    bool only_plans = false;
};

struct Toolbox::Tools {
    std::vector<Tool> all;
    std::optional<CoordinateConverter> coordinates;

    [[nodiscard]] const CoordinateConverter* numbers() const {
        return coordinates ? &*coordinates : nullptr;
    }
    [[nodiscard]] std::string filled_in(const std::string& description) const {
        static const CoordinateConverter thousandths(CoordinateConvention::norm1000, {1000, 1000});
        return (coordinates ? *coordinates : thousandths).filled_in(description);
    }
    [[nodiscard]] std::vector<ArgumentInfo> filled_in(std::vector<ArgumentInfo> arguments) const {
        for (ArgumentInfo& argument : arguments)
            argument.description = filled_in(argument.description);
        return arguments;
    }
};

std::vector<std::string> key_variables() {
    return {"EYEHAND_API_KEY",    "OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "LMSTUDIO_API_KEY",
            "LM_API_TOKEN",       "LLAMA_API_KEY",  "OLLAMA_API_KEY",       "VLLM_API_KEY",
            "ANTHROPIC_API_KEY",  "GEMINI_API_KEY", "GOOGLE_API_KEY",       "MISTRAL_API_KEY",
            "OPENROUTER_API_KEY", "HF_TOKEN"};
}

Toolbox::Toolbox() noexcept = default;
Toolbox::Toolbox(const Toolbox& other)
    : tools_(other.tools_ ? std::make_unique<Tools>(*other.tools_) : nullptr) {}
Toolbox::Toolbox(Toolbox&& other) noexcept = default;
Toolbox& Toolbox::operator=(const Toolbox& other) {
    if (this != &other) *this = Toolbox(other);
    return *this;
}
Toolbox& Toolbox::operator=(Toolbox&& other) noexcept = default;
Toolbox::~Toolbox() = default;

const std::vector<Toolbox::Tool>& Toolbox::tools() const {
    static const std::vector<Tool> none;
    return tools_ ? tools_->all : none;
}

void Toolbox::add_tool(Tool tool) {
    if (tool.name.empty()) throw std::invalid_argument("a tool needs a name");
    if (has(tool.name)) {
        throw Error(errc::duplicate_tool,
                    fmt::format("the tool \"{}\" is already registered", tool.name));
    }
    if (!tools_) tools_ = std::make_unique<Tools>();
    tools_->all.push_back(std::move(tool));
}

void Toolbox::add_typed(std::string name, std::string description,
                        std::vector<ArgumentInfo> arguments, detail::TypedCall call) {
    Tool tool;
    tool.id = name;
    tool.name = std::move(name);
    tool.description = std::move(description);
    tool.parameters = arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) tool.order.push_back(i);
    tool.arguments = std::move(arguments);
    tool.typed = std::move(call);
    add_tool(std::move(tool));
}

void Toolbox::add(std::string name, std::string description, std::string parameters_json,
                  std::function<ToolResult(JsonView, ToolContext&)> callable) {
    Tool tool;
    tool.id = name;
    tool.name = std::move(name);
    tool.description = std::move(description);
    tool.parameters_json = std::move(parameters_json);
    tool.whole = std::move(callable);
    add_tool(std::move(tool));
}

void Toolbox::add(const Toolbox& other) {
    for (const Tool& tool : other.tools()) add_tool(tool);
}

void Toolbox::only_plans() {
    if (!tools_) return;
    for (Tool& tool : tools_->all) tool.only_plans = true;
}

void Toolbox::use_coordinates(std::optional<CoordinateConverter> coordinates) {
    if (!tools_) tools_ = std::make_unique<Tools>();
    tools_->coordinates = coordinates;
}

bool Toolbox::may_act_itself(std::string_view name) const {
    const Tool* tool = find(name);
    return tool != nullptr && !tool->only_plans;
}

const Toolbox::Tool* Toolbox::find(std::string_view name) const {
    const auto found = std::find_if(tools().begin(), tools().end(),
                                    [&](const Tool& tool) { return tool.name == name; });
    return found == tools().end() ? nullptr : &*found;
}

bool Toolbox::has(std::string_view name) const { return find(name) != nullptr; }

std::string Toolbox::id_of(std::string_view name) const {
    const Tool* tool = find(name);
    return tool == nullptr ? std::string() : tool->id;
}

std::string Toolbox::name_of(std::string_view id) const {
    const auto found = std::find_if(tools().begin(), tools().end(),
                                    [&](const Tool& tool) { return tool.id == id; });
    return found == tools().end() ? std::string() : found->name;
}

std::optional<std::vector<ArgumentInfo>> Toolbox::arguments(std::string_view name) const {
    const Tool* tool = find(name);
    if (tool == nullptr || tool->whole) return std::nullopt;
    return tools_->filled_in(tool->arguments);
}

std::vector<vlm::ToolSpec> Toolbox::specs() const {
    std::vector<vlm::ToolSpec> specs;
    specs.reserve(tools().size());
    for (const Tool& tool : tools()) {
        const CoordinateConverter* numbers = tools_->numbers();
        specs.push_back({tool.name, tools_->filled_in(tool.description),
                         tool.whole ? offered_schema(tool.parameters_json, numbers)
                                    : parameters_of(tools_->filled_in(tool.arguments), numbers)});
    }
    return specs;
}

Toolbox Toolbox::present(std::span<const ToolPresentation> presentations) const {
    Toolbox box;
    for (const ToolPresentation& presentation : presentations) {
        const auto found = std::find_if(tools().begin(), tools().end(), [&](const Tool& tool) {
            return tool.id == presentation.tool;
        });
        if (found == tools().end()) {
            std::vector<std::string> known;
            for (const Tool& tool : tools()) known.push_back(tool.id);
            throw Error(errc::unknown_tool,
                        fmt::format("the tool \"{}\" is unknown; known tools: {}{}",
                                    presentation.tool, fmt::join(known, ", "),
                                    did_you_mean(presentation.tool, known)));
        }
        Tool tool = *found;
        if (!presentation.name.empty()) tool.name = presentation.name;
        if (!presentation.description.empty()) tool.description = presentation.description;
        tool.invalid_error = presentation.invalid_error;
        if (!presentation.arguments && !presentation.invalid_error.empty()) {
            for (ArgumentInfo& argument : tool.arguments)
                argument.missing_error = argument.invalid_error = presentation.invalid_error;
        }
        if (presentation.arguments && tool.whole)
            throw Error(
                errc::bad_profile,
                fmt::format("tool \"{}\": its arguments cannot be changed", presentation.tool));
        if (presentation.arguments) {
            const Tool& own = *found;
            tool.arguments.clear();
            tool.order.clear();
            for (const ArgumentPresentation& shown : *presentation.arguments) {
                ArgumentInfo info;
                std::size_t parameter = not_a_parameter;
                if (shown.is.empty()) {
                    info.ignored = true;
                    info.schema = schema_of<std::string>();
                } else {
                    const auto argument =
                        std::find_if(own.arguments.begin(), own.arguments.end(),
                                     [&](const ArgumentInfo& a) { return a.id == shown.is; });
                    if (argument == own.arguments.end()) {
                        throw Error(errc::bad_profile,
                                    fmt::format("tool \"{}\": it has no argument \"{}\"",
                                                presentation.tool, shown.is));
                    }
                    info = *argument;
                    parameter =
                        own.order[static_cast<std::size_t>(argument - own.arguments.begin())];
                }
                info.name = shown.name;
                if (!shown.description.empty()) info.description = shown.description;
                for (const std::string& error : {presentation.invalid_error, shown.missing_error})
                    if (!error.empty()) info.missing_error = error;
                for (const std::string& error : {presentation.invalid_error, shown.invalid_error})
                    if (!error.empty()) info.invalid_error = error;
                info.min_length = shown.min_length;
                if (shown.required) {
                    if (info.required && !*shown.required && !info.ignored) {
                        throw Error(errc::bad_profile,
                                    fmt::format("tool \"{}\": its argument \"{}\" is required",
                                                presentation.tool, shown.is));
                    }
                    info.required = *shown.required;
                }
                tool.arguments.push_back(std::move(info));
                tool.order.push_back(parameter);
            }
            for (const ArgumentInfo& argument : own.arguments) {
                const bool shown =
                    std::any_of(tool.arguments.begin(), tool.arguments.end(),
                                [&](const ArgumentInfo& info) { return info.id == argument.id; });
                if (argument.required && !shown) {
                    throw Error(errc::bad_profile,
                                fmt::format("tool \"{}\": its argument \"{}\" cannot be left out",
                                            presentation.tool, argument.id));
                }
            }
        }
        box.add_tool(std::move(tool));
    }
    return box;
}

ToolResult Toolbox::call(const vlm::ToolCall& call, ToolContext& context) const {
    const Tool* tool = find(call.name);
    if (tool == nullptr) {
        std::vector<std::string> names;
        for (const Tool& known : tools()) names.push_back(known.name);
        return fail("unknown_tool", fmt::format("Unknown tool \"{}\". Use one of: {}.", call.name,
                                                fmt::join(names, ", ")));
    }
    ToolResult problem;
    auto arguments = arguments_object(call.arguments_json, problem);
    if (!arguments)
        return tool->invalid_error.empty() ? problem : fail(tool->invalid_error, problem.message());
    const NumbersOfCall numbers_of_call(context, tools_->numbers());
    if (const CoordinateConverter* numbers = context.coordinates) {
        auto wrong = tool->whole ? convert(*arguments, tool->parameters_json, *numbers)
                                 : convert(arguments->as_object(), tool->arguments, *numbers);
        if (wrong) return *std::move(wrong);
    }
    const JsonView object = JsonDocument::view_of(*arguments);
    if (tool->whole) return tool->whole(object, context);

    const std::size_t count = tool->parameters.size();
    std::vector<std::optional<JsonView>> given(count); ///< not set: the model omitted it
    std::vector<const ArgumentInfo*> infos;            ///< as presented, or as registered
    for (const ArgumentInfo& parameter : tool->parameters) infos.push_back(&parameter);
    for (std::size_t i = 0; i < tool->arguments.size(); ++i) {
        const std::size_t parameter = tool->order[i];
        if (parameter == not_a_parameter) continue; // offered only to the model
        infos[parameter] = &tool->arguments[i];
        given[parameter] = object.find(tool->arguments[i].name);
        if (const auto too_short = length_problem(tool->arguments[i], given[parameter]))
            return problem_result(tool->arguments[i], *too_short);
    }
    const auto read = [&](const detail::DecodeArgument& decode) -> std::optional<ToolResult> {
        for (std::size_t i = 0; i < count; ++i) {
            const bool absent = !given[i] || given[i]->kind() == JsonView::Kind::null;
            if (absent && !infos[i]->required) continue;
            if (absent) return problem_result(*infos[i], {true, "it is missing"});
            if (const auto wrong = decode(i, *given[i])) return problem_result(*infos[i], *wrong);
        }
        return std::nullopt;
    };
    return tool->typed(read, context);
}

} // namespace eyehand::agent
