#include "eyehand/agent/program_tool.hpp"

#include "base/nearest.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/base/utf8.hpp"
#include "eyehand/winio/error.hpp"
#include "profile/members.hpp"
#include "tools/program/run_program.hpp"
#include "json/json.hpp"
#include "json/json_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

namespace eyehand::agent {
namespace {

constexpr std::size_t max_name = 64;
constexpr double least_timeout = 0.1; // seconds
constexpr double max_timeout = 3600;
constexpr std::array<std::string_view, 6> known_members{"name",    "description", "parameters",
                                                        "command", "timeout",     "effect"};

// --- the file ------------------------------------------------------------------------------------

/// Names of functions that all servers accept.
bool is_name(std::string_view text) {
    return !text.empty() && text.size() <= max_name &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-';
           });
}

bool has_zero(std::string_view text) { return text.find('\0') != std::string_view::npos; }

std::optional<std::string> parameters_mistake(const json::value& parameters) {
    if (auto mistake = schema_mistake(parameters)) return mistake;
    const json::value* type = parameters.as_object().if_contains("type");
    if (type == nullptr || *type != "object") return R"(must be a schema of "type": "object")";
    return std::nullopt;
}

[[noreturn]] void refuse(std::string_view where, std::string_view member, std::string_view reason) {
    throw Error(errc::bad_tool, fmt::format("{}: \"{}\" {}", where, member, reason));
}

/// Throws for an invalid tool, from a file or from a program.
void check(const ProgramTool& tool, const std::string& where) {
    if (!is_name(tool.name))
        refuse(where, "name", "must be 1 to 64 letters, digits, \"_\" or \"-\"");
    if (tool.description.empty()) refuse(where, "description", "is missing");
    const auto parameters = parse_json(tool.parameters_json);
    if (!parameters) refuse(where, "parameters", "is not JSON");
    if (const auto mistake = parameters_mistake(*parameters)) refuse(where, "parameters", *mistake);
    if (tool.command.empty())
        refuse(where, "command", "is missing: name the program, then its arguments");
    for (const std::string& word : tool.command)
        if (word.empty() || has_zero(word))
            refuse(where, "command", "must contain only non-empty strings without NUL characters");
    const std::chrono::duration<double> timeout = tool.timeout;
    if (timeout.count() < least_timeout || timeout.count() > max_timeout)
        refuse(where, "timeout",
               fmt::format("must be from {} to {} seconds", least_timeout, max_timeout));
}

ProgramTool read_tool(const json::object& object, const std::string& where) {
    for (const auto& member : object)
        if (std::find(known_members.begin(), known_members.end(), member.key()) ==
            known_members.end())
            refuse(where, shorten(to_valid_utf8(member.key()), 60),
                   "is not a member of a tool" +
                       did_you_mean(member.key(), std::vector<std::string>(known_members.begin(),
                                                                           known_members.end())));
    const Members members(object, where, errc::bad_tool);
    ProgramTool tool;
    members.read_required("name", tool.name);
    members.read_required("description", tool.description);
    tool.description = to_valid_utf8(tool.description);
    if (members.has("parameters")) tool.parameters_json = to_text(object.at("parameters"));
    members.require("command");
    members.read("command", tool.command);
    std::optional<double> seconds;
    members.read("timeout", seconds, least_timeout, max_timeout);
    if (seconds) tool.timeout = std::chrono::milliseconds(std::llround(*seconds * 1000));
    members.require("effect");
    members.read("effect", tool.effect,
                 {{"reads", ProgramEffect::reads}, {"acts", ProgramEffect::acts}});
    check(tool, where);
    return tool;
}

// --- a call --------------------------------------------------------------------------------------

ProgramEnd run(const ProgramTool& tool, std::string input, const ToolContext& context) {
    ProgramCall call;
    call.command = tool.command;
    call.folder = tool.folder;
    call.input = std::move(input);
    call.hidden_variables = context.hidden_variables;
    call.hidden_variables.insert(call.hidden_variables.end(), tool.hidden_variables.begin(),
                                 tool.hidden_variables.end());
    call.timeout = tool.timeout;
    call.max_output = max_program_output;
    call.max_error = max_program_error;
    // A program that only reads can be killed at a safe point; one that acts completes first.
    call.stop = [&context, reads = tool.effect == ProgramEffect::reads] {
        return context.stop.stop_requested() || (reads && context.safe_point.stop_requested());
    };
    return run_program(call);
}

std::string with_error(std::string what, const ProgramEnd& end) {
    const std::string said(trim(to_valid_utf8(end.error_end)));
    if (!said.empty()) what += " The end of its standard error: " + said;
    return what;
}

/// The number of bytes of `raw` that correspond to `mended`, the beginning of to_valid_utf8(raw):
/// each character is unchanged or replaces one byte.
std::size_t bytes_of(std::string_view mended, std::string_view raw) {
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < mended.size();) {
        const std::size_t size = base::utf8::boundary_at_or_after(mended, at + 1) - at;
        bytes += raw.substr(bytes, size) == mended.substr(at, size) ? size : 1;
        at += size;
    }
    return bytes;
}

ToolResult result_of(const ProgramTool& tool, const ProgramEnd& end) {
    using How = ProgramEnd::How;
    switch (end.how) {
    case How::not_started:
        return fail("program_failed",
                    fmt::format("\"{}\" cannot be started: {}.",
                                to_valid_utf8(tool.command.front()), end.problem));
    case How::stopped:
        throw winio::Error(winio::errc::cancelled, tool.name + " was interrupted");
    case How::timed_out:
        return fail("timed_out",
                    with_error(fmt::format("It took longer than {} s and was killed.",
                                           static_cast<double>(tool.timeout.count()) / 1000),
                               end));
    case How::killed:
        return fail("program_failed",
                    with_error(fmt::format("It was killed by signal {}.", end.status), end));
    case How::exited:
        break;
    }
    if (end.status != 0)
        return fail("program_failed",
                    with_error(fmt::format("It failed with exit code {}.", end.status), end));
    // Cut after the replacement of invalid bytes, which makes the text longer, and not within a
    // character.
    const std::string output = cut_bytes(to_valid_utf8(end.out), max_program_output);
    ToolResult result = ok().with("output", trim(output));
    const std::uintmax_t left_out = end.out_bytes - bytes_of(output, end.out);
    if (left_out > 0) result.with("bytes_left_out", static_cast<double>(left_out));
    return result;
}

/// A call of a program tool: checks the arguments, asks the user, runs the program.
class Caller {
public:
    explicit Caller(ProgramTool tool)
        : tool_(std::move(tool)), schema_(*parse_json(tool_.parameters_json)) {}

    ToolResult operator()(const JsonView& given, ToolContext& context) const {
        const json::value& arguments = JsonDocument::value_of(given);
        if (const auto problem = schema_problem(arguments, schema_))
            return fail("invalid_args", "Wrong arguments: " + *problem + ".");
        std::string input = to_text(arguments);
        if (!context.permit)
            return fail("denied", "Programs run only in a run with a guard.").about(input);
        if (std::optional<ToolResult> refusal = context.permit(effect()))
            return std::move(*refusal).about(input);
        // An approval may have taken minutes.
        if (context.safe_point.stop_requested())
            return fail("not_begun", "The run is ending: the program was not started.")
                .about(input);
        const ProgramEnd end = run(tool_, input, context);
        ToolResult result = result_of(tool_, end).reads().untrusted("program").about(input);
        if (tool_.effect == ProgramEffect::reads || end.how == ProgramEnd::How::not_started)
            return result;
        return std::move(result).acted();
    }

private:
    [[nodiscard]] GuardedEffect effect() const {
        GuardedEffect effect;
        effect.kind = EffectKind::program;
        effect.window_known = true; // it needs none
        effect.command = fmt::format("{}", fmt::join(tool_.command, " "));
        effect.details =
            fmt::format("your tool \"{}\", which {}: {}", tool_.name,
                        tool_.effect == ProgramEffect::acts ? "changes something" : "only reads",
                        effect.command);
        return effect;
    }

    ProgramTool tool_;
    json::value schema_;
};

} // namespace

ProgramTool parse_program_tool(std::string_view text, const std::string& where) {
    std::string reason;
    const auto value = parse_json(text, &reason);
    if (!value) throw Error(errc::bad_tool, fmt::format("{} is not JSON: {}", where, reason));
    if (!value->is_object()) throw Error(errc::bad_tool, where + " must contain an object");
    return read_tool(value->as_object(), where);
}

ProgramTool load_program_tool(const std::filesystem::path& file) {
    std::error_code error;
    std::ifstream in(file, std::ios::binary);
    if (!in || std::filesystem::is_directory(file, error))
        throw Error(errc::bad_tool, text_of(file) + " cannot be read; check the file name");
    std::ostringstream text;
    text << in.rdbuf();
    ProgramTool tool = parse_program_tool(std::move(text).str(), text_of(file));
    tool.folder = std::filesystem::absolute(file).parent_path();
    std::string& name = tool.command.front();
    const std::filesystem::path program = path_of(name);
    if (program.has_parent_path()) name = text_of((tool.folder / program).lexically_normal());
    return tool;
}

GuardRule permit_program_tool(const std::string& name) {
    return {.name = "the tool " + name,
            .when = {.effects = {EffectKind::program}, .tools = {name}},
            .then = Decision::allow};
}

void add_program_tool(Toolbox& tools, ProgramTool tool) {
    check(tool, tool.name);
    std::string name = tool.name;
    std::string description = tool.description;
    std::string parameters = tool.parameters_json;
    const bool reads = tool.effect == ProgramEffect::reads;
    Toolbox one;
    one.add(std::move(name), std::move(description), std::move(parameters),
            Caller(std::move(tool)));
    if (reads) one.only_plans();
    tools.add(one);
}

} // namespace eyehand::agent
