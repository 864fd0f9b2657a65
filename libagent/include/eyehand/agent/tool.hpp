// Tools: a typed struct, an argument list and a callable.
//
//     struct SetVolume {
//         int percent = 0;
//         std::optional<std::string> device;
//         winio::NormPoint knob;
//     };
//
//     tools.add<SetVolume>("set_volume", "Sets how loud the speakers are.",
//         {arg("percent", &SetVolume::percent, "0 is silent", range{0, 100}),
//          arg("device", &SetVolume::device, "left out: the default device"),
//          arg("knob", &SetVolume::knob, "centre of the knob")},
//         [&](const SetVolume& args, ToolContext&) {
//             return ok("volume " + std::to_string(args.percent));
//         });
//
// The list's order is the schema's order. What a model gets wrong becomes a result that says so; an
// exception from the callable is the desktop's (winio::Error) or ends the run.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/json_view.hpp"
#include "eyehand/agent/signal.hpp"
#include "eyehand/export.hpp"
#include "eyehand/winio/effect.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/gesture.hpp"

#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace eyehand::winio {
class Desktop;
}
namespace eyehand::vlm {
struct ToolCall;
struct ToolSpec;
} // namespace eyehand::vlm

namespace eyehand::agent {

// ---- results ------------------------------------------------------------------------------------

/// What a tool call came to. The model reads `json()`: {"ok":true,...} or
/// {"ok":false,"error":{"type","message"}}.
class EYEHAND_AGENT_API ToolResult {
public:
    [[nodiscard]] bool succeeded() const { return error_type_.empty(); }
    [[nodiscard]] const std::string& error_type() const { return error_type_; }
    [[nodiscard]] const std::string& message() const { return message_; }

    /// Adds a member to a successful result; members keep their order.
    ToolResult& with(std::string_view name, std::string_view text) &;
    ToolResult& with(std::string_view name, double number) &;
    ToolResult&& with(std::string_view name, std::string_view text) && {
        return std::move(with(name, text));
    }
    ToolResult&& with(std::string_view name, double number) && {
        return std::move(with(name, number));
    }

    /// What the call means to the run: to a plan, a memory, a goal.
    ToolResult&& signal(Signal meaning) && {
        signal_ = std::move(meaning);
        return std::move(*this);
    }
    [[nodiscard]] const Signal& signal() const { return signal_; }
    /// What, besides its target points, makes the call a different one: the text that is typed, the
    /// key. Not what the model merely says about it. For recognising loops.
    ToolResult&& about(std::string subject) && {
        subject_ = std::move(subject);
        return std::move(*this);
    }
    [[nodiscard]] const std::string& subject() const { return subject_; }
    /// The tool has changed something by itself, without a plan.
    ToolResult&& acted() && {
        acted_ = true;
        return std::move(*this);
    }
    [[nodiscard]] bool has_acted() const { return acted_; }
    /// How long it took until the call was allowed or refused: somebody was asked.
    ToolResult&& decided_in(std::chrono::microseconds duration) && {
        decided_in_ = duration;
        return std::move(*this);
    }
    [[nodiscard]] std::chrono::microseconds decided_in() const { return decided_in_; }

    /// What is to be done on the desktop before the result holds; carried out by whoever called the
    /// tool.
    [[nodiscard]] const std::optional<winio::Plan>& plan() const { return plan_; }
    /// True: the model wants to see the screen; it gets a screenshot after this result.
    [[nodiscard]] bool wants_screenshot() const { return wants_screenshot_; }

    [[nodiscard]] std::string json() const;

private:
    friend ToolResult ok(std::string_view message);
    friend ToolResult act(winio::Plan plan, std::string_view message);
    friend ToolResult look();
    friend ToolResult fail(std::string_view type, std::string_view message);
    std::vector<std::pair<std::string, std::string>> members_; ///< name and JSON text
    std::string error_type_;
    std::string message_;
    std::optional<winio::Plan> plan_;
    bool wants_screenshot_ = false;
    Signal signal_{};
    std::string subject_{};
    bool acted_ = false;
    std::chrono::microseconds decided_in_{};
};

/// Done; `message` may be empty.
[[nodiscard]] EYEHAND_AGENT_API ToolResult ok(std::string_view message = {});
/// Done once `plan` has been carried out.
[[nodiscard]] EYEHAND_AGENT_API ToolResult act(winio::Plan plan, std::string_view message = {});
/// The screen is to be shown to the model.
[[nodiscard]] EYEHAND_AGENT_API ToolResult look();
/// Not done; `type` is a snake_case word for programs, `message` says to the model what to do
/// instead.
[[nodiscard]] EYEHAND_AGENT_API ToolResult fail(std::string_view type, std::string_view message);

/// What a tool may know and use while it runs.
struct ToolContext {
    winio::Desktop& desktop; ///< for looking up (pointer, windows); acting goes through a plan
    winio::WorkArea area;    ///< where normalised coordinates lie
    std::stop_token stop;    ///< triggered when what has begun is to be broken off
    /// Triggered when the run is to end at a safe point: what only waits, asks or reads is broken
    /// off, too. A tool that was broken off throws winio::Error{cancelled}.
    std::stop_token safe_point{};
    winio::gesture::DragOptions drag{}; ///< how the run drags
};

// ---- arguments ----------------------------------------------------------------------------------

/// Why an argument could not be decoded.
struct ArgumentProblem {
    bool missing = false; ///< absent, null or empty; otherwise there, but wrong
    std::string message;
};

/// Limits of a number, both included.
struct range {
    double min;
    double max;
};
/// A text that must not be empty.
struct not_empty_t {};
inline constexpr not_empty_t not_empty{};

struct Constraints {
    std::optional<range> limits;
    bool not_empty = false;
};

/// How a C++ type appears in a schema and is read from JSON: the extension point for users' own
/// types. A specialisation has
///     static std::string schema(const Constraints&);   // a JSON object
///     static std::optional<ArgumentProblem> decode(JsonView, const Constraints&, T& into);
template <class T, class = void>
struct ArgumentType;

/// The JSON schema of a T.
template <class T>
std::string schema_of(const Constraints& constraints = {}) {
    return ArgumentType<T>::schema(constraints);
}
/// Reads a T; nothing when it went well.
template <class T>
std::optional<ArgumentProblem> decode(JsonView json, T& into, const Constraints& constraints = {}) {
    return ArgumentType<T>::decode(json, constraints, into);
}

/// What an argument is called and how its problems are named; runtime values that a profile may
/// change.
struct ArgumentInfo {
    std::string id{}; ///< the tool's own name for it
    std::string name{};
    std::string description{};
    std::string schema{}; ///< without description
    bool required = true;
    bool ignored = false; ///< offered and required for the model's sake, not used by the tool
    std::string missing_error = "invalid_args";
    std::string invalid_error = "invalid_args";
    std::size_t min_length = 0; ///< of a text argument, in Unicode code points
};

template <class Args>
struct Argument {
    ArgumentInfo info;
    std::function<std::optional<ArgumentProblem>(JsonView, Args&)> decode;
};

namespace detail {
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
inline void constrain(Constraints& constraints, range limits) { constraints.limits = limits; }
inline void constrain(Constraints& constraints, not_empty_t) { constraints.not_empty = true; }
} // namespace detail

/// One entry of an argument list: `arg("percent", &SetVolume::percent, "0 is silent", range{0,
/// 100})`. A std::optional member is not required.
template <class Args, class Member, class... Limits>
Argument<Args> arg(std::string name, Member Args::*member, std::string description,
                   Limits... limits) {
    Constraints constraints;
    (detail::constrain(constraints, limits), ...);
    ArgumentInfo info;
    info.id = name;
    info.name = std::move(name);
    info.description = std::move(description);
    info.schema = schema_of<Member>(constraints);
    info.required = !detail::is_optional<Member>::value;
    return {std::move(info), [member, constraints](JsonView json, Args& into) {
                return agent::decode<Member>(json, into.*member, constraints);
            }};
}

// ---- faces --------------------------------------------------------------------------------------

/// How a profile shows one argument.
struct ArgumentPresentation {
    std::string name{};
    std::string
        is{}; ///< the tool's own argument; empty: the tool ignores it (a justification, say)
    std::string description{};   ///< empty: the tool's own
    std::string missing_error{}; ///< empty: the tool's own
    std::string invalid_error{}; ///< empty: the tool's own
    std::optional<bool> required{};
    std::size_t min_length = 0; ///< of a text argument, in Unicode code points; 0: the tool's own
};

/// How a profile shows a tool: another name, other arguments in another order. Arguments of the
/// tool that the face leaves out are not offered; required ones cannot be left out.
struct ToolPresentation {
    std::string tool{}; ///< the name it was registered under
    std::string name{}; ///< empty: the same
    std::string description{};
    std::optional<std::vector<ArgumentPresentation>> arguments{}; ///< nothing: the tool's own
    /// What mistakes in the arguments are called where an argument's face does not say, also of
    /// arguments that are no JSON object at all; empty: the tool's own names, invalid_json,
    /// invalid_args.
    std::string invalid_error{};
};

// ---- the box ------------------------------------------------------------------------------------

namespace detail {
/// Reads argument `index` of a tool's list into its struct.
using DecodeArgument =
    std::function<std::optional<ArgumentProblem>(std::size_t index, JsonView json)>;
/// Passes each argument that the model gave to `decode`, in the order of the list. The result of
/// the call if an argument is missing or wrong.
using ReadArguments = std::function<std::optional<ToolResult>(const DecodeArgument& decode)>;
/// One call of a tool: reads its struct and runs its callable.
using TypedCall = std::function<ToolResult(const ReadArguments& read, ToolContext& context)>;
} // namespace detail

/// The tools an agent has. Copies are independent. A box that was moved from is empty. Not
/// thread-safe while tools are added.
class EYEHAND_AGENT_API Toolbox {
public:
    Toolbox() noexcept;
    Toolbox(const Toolbox& other);
    Toolbox(Toolbox&& other) noexcept;
    Toolbox& operator=(const Toolbox& other);
    Toolbox& operator=(Toolbox&& other) noexcept;
    ~Toolbox();

    /// Registers a tool. Throws Error{duplicate_tool}.
    template <class Args, class Callable>
    void add(std::string name, std::string description, std::vector<Argument<Args>> arguments,
             Callable callable);

    /// Registers a tool whose arguments are no C++ type: `parameters_json` is a JSON schema of an
    /// object, which the model is shown as it is; the callable gets the object, and has to check it
    /// itself. A profile's face cannot change its arguments. Throws Error{duplicate_tool}.
    void add(std::string name, std::string description, std::string parameters_json,
             std::function<ToolResult(JsonView, ToolContext&)> callable);

    /// Adds all tools of another box. Throws Error{duplicate_tool}.
    void add(const Toolbox& other);

    /// Only the tools that `faces` name, in their order, under their names. Throws
    /// Error{unknown_tool} or Error{bad_profile} naming tool and argument.
    [[nodiscard]] Toolbox present(std::span<const ToolPresentation> faces) const;

    /// What is offered to the model, in order of registration.
    [[nodiscard]] std::vector<vlm::ToolSpec> specs() const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// The name under which the tool that is offered as `name` was registered; empty if there is none.
    [[nodiscard]] std::string id_of(std::string_view name) const;
    /// The inverse.
    [[nodiscard]] std::string name_of(std::string_view id) const;

    /// Decodes the call's arguments and runs the tool. Whatever the model did wrong is a failed
    /// result
    /// (`unknown_tool`, `invalid_json`, or the argument's own errors).
    [[nodiscard]] ToolResult call(const vlm::ToolCall& call, ToolContext& context) const;

private:
    struct Tool;
    struct Tools;
    void add_typed(std::string name, std::string description, std::vector<ArgumentInfo> arguments,
                   detail::TypedCall call);
    void add_tool(Tool tool);
    [[nodiscard]] const std::vector<Tool>& tools() const;
    [[nodiscard]] const Tool* find(std::string_view name) const;
    std::unique_ptr<Tools> tools_; ///< null: none
};

template <class Args, class Callable>
void Toolbox::add(std::string name, std::string description, std::vector<Argument<Args>> arguments,
                  Callable callable) {
    std::vector<ArgumentInfo> infos;
    infos.reserve(arguments.size());
    for (const Argument<Args>& argument : arguments) infos.push_back(argument.info);
    detail::TypedCall call = [arguments = std::move(arguments),
                              callable = std::move(callable)](const detail::ReadArguments& read,
                                                              ToolContext& context) -> ToolResult {
        Args args{};
        const auto decode = [&](std::size_t index, JsonView json) {
            return arguments[index].decode(json, args);
        };
        if (auto failed = read(decode)) return *std::move(failed);
        return callable(std::as_const(args), context);
    };
    add_typed(std::move(name), std::move(description), std::move(infos), std::move(call));
}

// ---- argument types -----------------------------------------------------------------------------

template <>
struct EYEHAND_AGENT_API ArgumentType<bool> {
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&, bool& into);
};
/// Numbers as strings are accepted; outside the range is a problem.
template <>
struct EYEHAND_AGENT_API ArgumentType<double> {
    static std::string schema(const Constraints& constraints);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 double& into);
};
/// Fractions are rounded.
template <>
struct EYEHAND_AGENT_API ArgumentType<int> {
    static std::string schema(const Constraints& constraints);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 int& into);
};
/// Numbers and truth values are taken as their text.
template <>
struct EYEHAND_AGENT_API ArgumentType<std::string> {
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 std::string& into);
};
/// A list; one number alone, and numbers in quotes, are accepted.
template <>
struct EYEHAND_AGENT_API ArgumentType<std::vector<int>> {
    static std::string schema(const Constraints& constraints);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 std::vector<int>& into);
};
/// [x, y]; clamped to 0..1000.
template <>
struct EYEHAND_AGENT_API ArgumentType<winio::NormPoint> {
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&,
                                                 winio::NormPoint& into);
};
/// [x, y], [x1, y1, x2, y2] or [[x1, y1], [x2, y2]]; clamped, inverted corners swapped.
template <>
struct EYEHAND_AGENT_API ArgumentType<winio::NormBox> {
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&,
                                                 winio::NormBox& into);
};
template <class T>
struct ArgumentType<std::optional<T>> {
    static std::string schema(const Constraints& constraints) { return schema_of<T>(constraints); }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 std::optional<T>& into) {
        T value{};
        auto problem = agent::decode<T>(json, value, constraints);
        if (!problem) into = std::move(value);
        return problem;
    }
};

namespace detail {
EYEHAND_AGENT_API std::string enum_schema(const std::vector<std::string_view>& names);
/// The index of the name that `json` holds, case-insensitively; a problem that lists the names
/// otherwise.
EYEHAND_AGENT_API std::optional<ArgumentProblem>
decode_enum(JsonView json, const std::vector<std::string_view>& names, std::size_t& index);
} // namespace detail

/// An enum described with BOOST_DESCRIBE_ENUM becomes its names.
template <class E>
struct ArgumentType<E, std::enable_if_t<std::is_enum_v<E>>> {
    static std::string schema(const Constraints&) { return detail::enum_schema(names()); }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&, E& into) {
        std::size_t index = 0;
        if (auto problem = detail::decode_enum(json, names(), index)) return problem;
        std::size_t i = 0;
        boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto enumerator) {
            if (i++ == index) into = enumerator.value;
        });
        return std::nullopt;
    }

private:
    static std::vector<std::string_view> names() {
        std::vector<std::string_view> all;
        boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>(
            [&](auto enumerator) { all.emplace_back(enumerator.name); });
        return all;
    }
};

} // namespace eyehand::agent
