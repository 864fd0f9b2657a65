// A tool is a typed struct for its arguments, an argument list and a callable.
//
//     struct SetVolume {
//         int percent = 0;
//         std::optional<std::string> device;
//         winio::NormPoint knob;
//     };
//
//     tools.add<SetVolume>("set_volume", "Sets the volume of the speakers.",
//         {arg("percent", &SetVolume::percent, "0 is silent", range{0, 100}),
//          arg("device", &SetVolume::device, "omit for the default device"),
//          arg("knob", &SetVolume::knob, "center of the knob")},
//         [&](const SetVolume& args, ToolContext&) {
//             return ok("volume " + std::to_string(args.percent));
//         });
//
// The schema has the order of the list. A mistake of the model becomes an error result for the
// model. A winio::Error from the callable is a failure of the desktop; any other exception ends the
// run.
//
// Supported types of arguments (details: docs/tools.md):
//
//     bool                           std::string
//     std::int8_t ... std::uint64_t  and all other integer types, but no character types
//     float, double, long double     winio::NormPoint, winio::NormBox
//     enum                           described with BOOST_DESCRIBE_ENUM
//     struct                         described with BOOST_DESCRIBE_STRUCT
//     std::vector<T>                 std::map<std::string, T>
//     std::optional<T>               as an argument or as a member of a struct: not required
//
// For any other type, specialize ArgumentType.
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/json_view.hpp"
#include "eyehand/agent/secrets.hpp"
#include "eyehand/agent/signal.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/message.hpp"
#include "eyehand/winio/effect.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/gesture.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/mp11/algorithm.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
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
struct ToolSpec;
} // namespace eyehand::vlm

namespace eyehand::agent {

// ---- results ------------------------------------------------------------------------------------

/// The result of a tool call. The model reads `json()`: {"ok":true,...} or
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

    /// Sets the meaning of the call for the run (signal.hpp).
    ToolResult&& signal(Signal meaning) && {
        signal_ = std::move(meaning);
        return std::move(*this);
    }
    [[nodiscard]] const Signal& signal() const { return signal_; }
    /// For loop detection: sets what distinguishes the call from others besides its target points,
    /// such as the typed text or the key; not the model's remarks about it.
    ToolResult&& about(std::string subject) && {
        subject_ = std::move(subject);
        return std::move(*this);
    }
    [[nodiscard]] const std::string& subject() const { return subject_; }
    /// States that the tool has changed something itself, without a plan.
    ToolResult&& acted() && {
        acted_ = true;
        return std::move(*this);
    }
    [[nodiscard]] bool has_acted() const { return acted_; }
    /// States that the result contains what the tool has read, such as the clipboard. A mode whose
    /// memory shortens results keeps the latest one of each such tool complete.
    ToolResult&& reads() && {
        reads_ = true;
        return std::move(*this);
    }
    [[nodiscard]] bool has_read() const { return reads_; }
    /// States that the result contains text that the user did not write, and whose it is: "window",
    /// "clipboard", "program", ... The model receives it as the member "untrusted", whose meaning the
    /// prompts of the built-in profiles explain.
    ToolResult&& untrusted(std::string source) && {
        untrusted_ = std::move(source);
        return std::move(*this);
    }
    [[nodiscard]] const std::string& untrusted() const { return untrusted_; }
    /// Shows the model an image besides the result: PNG, JPEG, GIF or WebP (`vlm::make_image`). A screenshot
    /// follows it. Values of secrets in it are not found.
    ToolResult&& shows(vlm::Image image) && {
        images_.push_back(std::move(image));
        return std::move(*this);
    }
    [[nodiscard]] const std::vector<vlm::Image>& images() const { return images_; }
    /// Sets the time until the user allowed or refused the call.
    ToolResult&& decided_in(std::chrono::microseconds duration) && {
        decided_in_ = duration;
        return std::move(*this);
    }
    [[nodiscard]] std::chrono::microseconds decided_in() const { return decided_in_; }

    /// The input that the caller of the tool must execute on the desktop before the result is
    /// valid.
    [[nodiscard]] const std::optional<winio::Plan>& plan() const { return plan_; }
    /// Whether the model receives a screenshot after this result.
    [[nodiscard]] bool wants_screenshot() const { return wants_screenshot_; }
    /// The part of the screen that this screenshot shows, in desktop pixels; not set: all of it.
    [[nodiscard]] const std::optional<winio::Rect>& zoom() const { return zoom_; }

    [[nodiscard]] std::string json() const;

private:
    friend ToolResult ok(std::string_view message);
    friend ToolResult act(winio::Plan plan, std::string_view message);
    friend ToolResult look();
    friend ToolResult look_at(const winio::Rect& part);
    friend ToolResult fail(std::string_view type, std::string_view message);
    std::vector<std::pair<std::string, std::string>> members_; ///< name and JSON text
    std::string untrusted_;
    std::string error_type_;
    std::string message_;
    std::optional<winio::Plan> plan_;
    bool wants_screenshot_ = false;
    std::optional<winio::Rect> zoom_;
    Signal signal_{};
    std::string subject_{};
    bool acted_ = false;
    bool reads_ = false;
    std::vector<vlm::Image> images_{};
    std::chrono::microseconds decided_in_{};
};

/// Success; `message` may be empty.
[[nodiscard]] EYEHAND_AGENT_API ToolResult ok(std::string_view message = {});
/// Success once `plan` has been executed.
[[nodiscard]] EYEHAND_AGENT_API ToolResult act(winio::Plan plan, std::string_view message = {});
/// Shows the screen to the model.
[[nodiscard]] EYEHAND_AGENT_API ToolResult look();
/// Shows a part of the screen to the model at full resolution; desktop pixels. Positions in its next
/// calls refer to this part.
[[nodiscard]] EYEHAND_AGENT_API ToolResult look_at(const winio::Rect& part);
/// Failure. `type` is a snake_case word for programs; `message` tells the model what to do instead.
[[nodiscard]] EYEHAND_AGENT_API ToolResult fail(std::string_view type, std::string_view message);

/// The usual environment variables with keys of model servers, such as EYEHAND_API_KEY and
/// OPENAI_API_KEY.
[[nodiscard]] EYEHAND_AGENT_API std::vector<std::string> key_variables();

/// The environment of a tool call.
struct EYEHAND_AGENT_API ToolContext {
    winio::Desktop& desktop; ///< for queries (pointer, windows); return a plan to act
    winio::WorkArea area;    ///< the area of normalized coordinates: what the latest image shows
    std::stop_token stop;    ///< triggered when the call must be interrupted at once
    /// Triggered when the run ends at a safe point: interrupt a call that only waits, asks or
    /// reads. An interrupted tool throws winio::Error{cancelled}.
    std::stop_token safe_point{};
    winio::gesture::DragOptions drag{};     ///< the run's settings for drags
    std::chrono::milliseconds type_delay{}; ///< between the characters of typed text
    /// Environment variables of this process to hide from programs that the tool starts.
    std::vector<std::string> hidden_variables = key_variables();
    /// Asks the guard, and perhaps the user, whether the tool may have this effect itself, without a
    /// plan. Returns the result for the model if not. When it returns, the decision is in the
    /// journal, on the disk. Empty: everything is permitted.
    std::function<std::optional<ToolResult>(const GuardedEffect&)> permit{};
    /// Replaces references to secrets (secrets.hpp) by their values in a text that the returned plan
    /// types. The values must not appear in the result. Empty: the run has no secrets.
    std::function<RevealedText(std::string_view)> reveal{};
    /// Replaces values of secrets in a text that the tool has read, before it shortens it: a part of a
    /// value is not recognized later. Empty: the run has no secrets.
    std::function<std::string(std::string_view)> redact{};
    /// Shows the user how far a long call is: `done` of `total`, if that is known, and a text, which may
    /// be untrusted. May be called often, on the thread of the call. Empty: it is not shown.
    std::function<void(double done, std::optional<double> total, std::string_view message)>
        progress{};
    /// The numbers in which the model states and reads positions. If it is not set, `Toolbox::call`
    /// sets it to those of the toolbox during the call. nullptr: 0 to 1000.
    const CoordinateConverter* coordinates = nullptr;
    /// The whole work area if `area` is only a part of it, because the model has zoomed in.
    std::optional<winio::WorkArea> whole{};
    /// The area that input can reach.
    [[nodiscard]] const winio::WorkArea& work_area() const { return whole ? *whole : area; }
    /// A position for a result, in the numbers of the model; whole numbers for 0 to 1000.
    [[nodiscard]] ModelPoint shown(winio::NormPoint at) const;
};

// ---- arguments ----------------------------------------------------------------------------------

/// Why an argument could not be decoded.
struct EYEHAND_AGENT_API ArgumentProblem {
    bool missing = false; ///< absent, null or empty; otherwise present, but wrong
    std::string message;  ///< such as "it must be true or false, not 3"
    /// Where in the argument the problem is, such as ".bounds[2]"; empty: the argument as a whole.
    std::string path{};

    /// The same problem for the value that contains this one as a member or an element. The
    /// containing value is not missing.
    [[nodiscard]] ArgumentProblem in_member(std::string_view name) &&;
    [[nodiscard]] ArgumentProblem in_element(std::size_t index) &&;
};

/// Limits of a number, both inclusive. They apply before a fraction is rounded, and in addition to
/// the limits of the argument's type.
struct range {
    double min;
    double max;
};
/// Requires a text that is not empty.
struct not_empty_t {};
inline constexpr not_empty_t not_empty{};

/// Constraints of a number or a text. Constraints of a vector or a map apply to each element.
struct Constraints {
    std::optional<range> limits;
    bool not_empty = false;
};

namespace detail {
template <class>
inline constexpr bool is_supported = false;
}

/// The schema of a C++ type and its conversion from JSON. Specialize it for your own types with
///     static std::string schema(const Constraints&);   // a JSON object
///     static std::optional<ArgumentProblem> decode(JsonView, const Constraints&, T& into);
/// If decode() returns a problem, the value of `into` is unspecified.
template <class T, class = void>
struct ArgumentType {
    static_assert(detail::is_supported<T>,
                  "Eyehand does not support this type as an argument of a tool: describe a struct "
                  "with BOOST_DESCRIBE_STRUCT or an enum with BOOST_DESCRIBE_ENUM, or specialize "
                  "eyehand::agent::ArgumentType for the type. docs/tools.md lists the supported "
                  "types.");
    // Declared, so that the compiler reports nothing else.
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView, const Constraints&, T& into);
};

/// The JSON schema of a T.
template <class T>
std::string schema_of(const Constraints& constraints = {}) {
    return ArgumentType<T>::schema(constraints);
}
/// Reads a T; returns nothing on success.
template <class T>
std::optional<ArgumentProblem> decode(JsonView json, T& into, const Constraints& constraints = {}) {
    return ArgumentType<T>::decode(json, constraints, into);
}

/// The name, description and error types of an argument; runtime values that a profile may change.
struct ArgumentInfo {
    std::string id{}; ///< the name that the tool registered
    std::string name{};
    std::string description{};
    /// Without description. Positions have a "format" that `Toolbox::specs` removes: "eyehand-point",
    /// "eyehand-box", "eyehand-x", "eyehand-y".
    std::string schema{};
    bool required = true;
    bool ignored = false; ///< offered to and required of the model, but not used by the tool
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

// ---- presentations ------------------------------------------------------------------------------

/// How a profile presents an argument.
struct ArgumentPresentation {
    std::string name{};
    std::string
        is{}; ///< the tool's argument; empty: one that the tool ignores (such as a justification)
    std::string description{};   ///< empty: the tool's own
    std::string missing_error{}; ///< empty: the tool's own
    std::string invalid_error{}; ///< empty: the tool's own
    std::optional<bool> required{};
    std::size_t min_length = 0; ///< of a text argument, in Unicode code points; 0: the tool's own
};

/// How a profile presents a tool: under another name, with other arguments in another order.
/// Arguments that are not listed are not offered; required ones must be listed.
struct ToolPresentation {
    std::string tool{}; ///< the registered name
    std::string name{}; ///< empty: the same
    std::string description{};
    std::optional<std::vector<ArgumentPresentation>> arguments{}; ///< nothing: the tool's own
    /// The error type of mistakes in arguments whose presentation has no error types of its own,
    /// and of arguments that are not a JSON object. Empty: the tool's own error types, and
    /// invalid_json or invalid_args.
    std::string invalid_error{};
};

// ---- the toolbox --------------------------------------------------------------------------------

namespace detail {
/// Reads argument `index` of a tool's list into its struct.
using DecodeArgument =
    std::function<std::optional<ArgumentProblem>(std::size_t index, JsonView json)>;
/// Passes each argument that the model supplied to `decode`, in the order of the list. Returns the
/// result of the call if an argument is missing or wrong.
using ReadArguments = std::function<std::optional<ToolResult>(const DecodeArgument& decode)>;
/// One call of a tool: reads its struct and runs its callable.
using TypedCall = std::function<ToolResult(const ReadArguments& read, ToolContext& context)>;
} // namespace detail

/// The tools of an agent. Copies are independent. A moved-from toolbox is empty. Not thread-safe
/// while tools are added.
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

    /// Registers a tool without a C++ type for its arguments: `parameters_json` is the JSON schema
    /// of an object, which is sent to the model unchanged. The callable receives the object and
    /// must validate it itself. A profile cannot change the arguments of such a tool. Throws
    /// Error{duplicate_tool}.
    void add(std::string name, std::string description, std::string parameters_json,
             std::function<ToolResult(JsonView, ToolContext&)> callable);

    /// Adds all tools of another toolbox. Throws Error{duplicate_tool}.
    void add(const Toolbox& other);
    /// Adds the tools of an object that has a function `add_tools(toolbox, source)` in its namespace, such as a
    /// mcp::Client, and returns the result of that function.
    template <class Source>
    requires requires(Toolbox& toolbox, Source& source) { add_tools(toolbox, source); }
    auto add(Source& source) { return add_tools(*this, source); }

    /// States that none of the tools so far changes anything itself: they return plans (`act`), or
    /// only read. Before it calls another tool, a run waits until its journal is on the disk, because
    /// the tool may act, and a resumed run must not repeat that after a power failure.
    void only_plans();
    /// Whether the tool that is offered as `name` may change something itself.
    [[nodiscard]] bool may_act_itself(std::string_view name) const;

    /// Offers positions in other numbers than 0 to 1000, and converts those in calls: arguments of the
    /// types winio::NormPoint and winio::NormBox, and all others whose schema has the format
    /// "eyehand-point", "eyehand-box", "eyehand-x" or "eyehand-y". Placeholders in descriptions
    /// (`CoordinateConverter::filled_in`) are replaced also without it.
    void use_coordinates(std::optional<CoordinateConverter> coordinates);

    /// Returns only the tools that `presentations` name, in their order and under their names.
    /// Throws Error{unknown_tool} or Error{bad_profile}, naming tool and argument.
    [[nodiscard]] Toolbox present(std::span<const ToolPresentation> presentations) const;

    /// The tools as offered to the model, in order of registration.
    [[nodiscard]] std::vector<vlm::ToolSpec> specs() const;
    [[nodiscard]] bool has(std::string_view name) const;
    /// The registered name of the tool that is offered as `name`; empty if no tool is.
    [[nodiscard]] std::string id_of(std::string_view name) const;
    /// The inverse.
    [[nodiscard]] std::string name_of(std::string_view id) const;
    /// The arguments of the tool that is offered as `name`, as they are offered. Nothing if no tool
    /// is, or if its arguments are not a C++ struct.
    [[nodiscard]] std::optional<std::vector<ArgumentInfo>> arguments(std::string_view name) const;

    /// Decodes the arguments of the call and runs the tool. A mistake of the model is a failed
    /// result (`unknown_tool`, `invalid_json`, or the error types of the argument).
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
/// Accepts numbers as strings; a number outside the range is a problem.
template <>
struct EYEHAND_AGENT_API ArgumentType<float> {
    static std::string schema(const Constraints& constraints);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 float& into);
};
template <>
struct EYEHAND_AGENT_API ArgumentType<double> {
    static std::string schema(const Constraints& constraints);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 double& into);
};
/// Has the precision and the range of a double.
template <>
struct EYEHAND_AGENT_API ArgumentType<long double> {
    static std::string schema(const Constraints& constraints);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 long double& into);
};
/// Accepts numbers and booleans as their text.
template <>
struct EYEHAND_AGENT_API ArgumentType<std::string> {
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 std::string& into);
};
/// [x, y]; clamped to 0..1000. In a toolbox with `use_coordinates`, the model states other numbers.
template <>
struct EYEHAND_AGENT_API ArgumentType<winio::NormPoint> {
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&,
                                                 winio::NormPoint& into);
};
/// [x, y], [x1, y1, x2, y2] or [[x1, y1], [x2, y2]]; clamped, inverted corners swapped. Other numbers
/// as for NormPoint.
template <>
struct EYEHAND_AGENT_API ArgumentType<winio::NormBox> {
    static std::string schema(const Constraints&);
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&,
                                                 winio::NormBox& into);
};

namespace detail {

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T>&& std::is_same_v<T, std::remove_cv_t<T>> &&
                                   sizeof(T) <= sizeof(std::uint64_t) && !std::is_same_v<T, bool> &&
                                   !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> &&
                                   !std::is_same_v<T, char8_t> && !std::is_same_v<T, char16_t> &&
                                   !std::is_same_v<T, char32_t>;
template <class T>
inline constexpr bool is_number = is_integer<T> || std::is_floating_point_v<T>;

/// The smallest and the largest value of an integer type.
struct IntegerLimits {
    std::int64_t min;
    std::uint64_t max;
};
template <class T>
inline constexpr IntegerLimits integer_limits{
    static_cast<std::int64_t>((std::numeric_limits<T>::min)()),
    static_cast<std::uint64_t>((std::numeric_limits<T>::max)())};
EYEHAND_AGENT_API std::string integer_schema(const Constraints& constraints, IntegerLimits type);
/// `into` gets the value modulo 2^64.
EYEHAND_AGENT_API std::optional<ArgumentProblem> decode_integer(JsonView json,
                                                                const Constraints& constraints,
                                                                IntegerLimits type,
                                                                std::uint64_t& into);

EYEHAND_AGENT_API std::string enum_schema(const std::vector<std::string_view>& names);
/// Sets `index` to that of the name in `json`, case-insensitively; or returns a problem that lists
/// the names.
EYEHAND_AGENT_API std::optional<ArgumentProblem>
decode_enum(JsonView json, const std::vector<std::string_view>& names, std::size_t& index);

EYEHAND_AGENT_API std::string array_schema(std::string_view element);
EYEHAND_AGENT_API std::string map_schema(std::string_view value);
struct MemberSchema {
    std::string_view name;
    std::string schema;
    bool required;
};
EYEHAND_AGENT_API std::string struct_schema(const std::vector<MemberSchema>& members);
/// The problem "it must be WHAT, not ...".
EYEHAND_AGENT_API ArgumentProblem must_be(std::string_view what, JsonView found);

/// Reads a member of a struct.
template <class T>
std::optional<ArgumentProblem> decode_member(JsonView object, std::string_view name, T& into) {
    const std::optional<JsonView> json = object.find(name);
    if (!json || json->kind() == JsonView::Kind::null) {
        if constexpr (is_optional<T>::value) {
            into.reset();
            return std::nullopt;
        } else {
            return ArgumentProblem{true, "it is missing"}.in_member(name);
        }
    }
    auto problem = agent::decode<T>(*json, into);
    if (problem) problem = std::move(*problem).in_member(name);
    return problem;
}

} // namespace detail

/// All integer types, including std::int8_t and std::uint8_t, but not bool and the character types.
/// Accepts numbers as strings; rounds fractions. A number outside the range of the type or of the
/// constraints is a problem that states the range. An integer keeps its exact value; a number with
/// a fraction or an exponent has the precision of a double.
template <class T>
struct ArgumentType<T, std::enable_if_t<detail::is_integer<T>>> {
    static std::string schema(const Constraints& constraints) {
        return detail::integer_schema(constraints, detail::integer_limits<T>);
    }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 T& into) {
        std::uint64_t value = 0;
        auto problem = detail::decode_integer(json, constraints, detail::integer_limits<T>, value);
        if (!problem) into = static_cast<T>(value);
        return problem;
    }
};

/// An enum described with BOOST_DESCRIBE_ENUM is a string with one of its names.
template <class E>
struct ArgumentType<
    E, std::enable_if_t<std::is_enum_v<E> && boost::describe::has_describe_enumerators<E>::value>> {
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

/// null is an empty optional.
template <class T>
struct ArgumentType<std::optional<T>> {
    static std::string schema(const Constraints& constraints) { return schema_of<T>(constraints); }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 std::optional<T>& into) {
        if (json.kind() == JsonView::Kind::null) {
            into.reset();
            return std::nullopt;
        }
        T value{};
        auto problem = agent::decode<T>(json, value, constraints);
        if (!problem) into = std::move(value);
        return problem;
    }
};

/// A list. A single number counts as a list of one number.
template <class T>
struct ArgumentType<std::vector<T>> {
    static std::string schema(const Constraints& constraints) {
        return detail::array_schema(schema_of<T>(constraints));
    }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 std::vector<T>& into) {
        into.clear();
        if (json.kind() != JsonView::Kind::array) {
            if constexpr (detail::is_number<T>) {
                T alone{};
                if (!agent::decode<T>(json, alone, constraints)) {
                    into.push_back(alone);
                    return std::nullopt;
                }
            }
            return detail::must_be(list_name, json);
        }
        into.reserve(json.size());
        for (std::size_t i = 0; i < json.size(); ++i) {
            T element{};
            if (auto problem = agent::decode<T>(json.at(i), element, constraints))
                return std::move(*problem).in_element(i);
            into.push_back(std::move(element));
        }
        return std::nullopt;
    }

private:
    static constexpr std::string_view list_name = detail::is_integer<T>  ? "a list of whole numbers"
                                                  : detail::is_number<T> ? "a list of numbers"
                                                                         : "a list";
};

/// A JSON object with members of any name and the same type.
template <class T, class Compare>
struct ArgumentType<std::map<std::string, T, Compare>> {
    static std::string schema(const Constraints& constraints) {
        return detail::map_schema(schema_of<T>(constraints));
    }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints& constraints,
                                                 std::map<std::string, T, Compare>& into) {
        into.clear();
        if (json.kind() != JsonView::Kind::object) return detail::must_be("an object", json);
        for (std::size_t i = 0; i < json.size(); ++i) {
            const JsonMember member = json.member(i);
            T value{};
            if (auto problem = agent::decode<T>(member.value, value, constraints))
                return std::move(*problem).in_member(member.name);
            into.insert_or_assign(std::string(member.name), std::move(value));
        }
        return std::nullopt;
    }
};

namespace detail {

template <class T>
inline constexpr bool is_described_struct =
    std::conjunction_v<std::is_class<T>, boost::describe::has_describe_members<T>>;
/// Marks ArgumentType of described structs; a user's specialization does not have it.
struct DescribedStruct {};
inline constexpr unsigned public_and_inherited =
    boost::describe::mod_public | boost::describe::mod_inherited;
/// The public members of a described struct, after those of its described bases.
template <class T>
using public_members = boost::describe::describe_members<T, public_and_inherited>;
template <class Object, class Member>
Member member_type_of(Member Object::*); // never defined
/// The type of the member that a descriptor of Boost.Describe stands for.
template <class Descriptor>
using member_type = decltype(member_type_of(Descriptor::pointer));

/// Whether a T contains one of `Outer`, or itself.
template <class T, class... Outer>
struct is_recursive : std::false_type {};
template <class T, class... Outer>
struct is_recursive<std::optional<T>, Outer...> : is_recursive<T, Outer...> {};
template <class T, class... Outer>
struct is_recursive<std::vector<T>, Outer...> : is_recursive<T, Outer...> {};
template <class T, class Compare, class... Outer>
struct is_recursive<std::map<std::string, T, Compare>, Outer...> : is_recursive<T, Outer...> {};
template <class T, class... Outer>
requires std::is_base_of_v<DescribedStruct, ArgumentType<T>>
struct is_recursive<T, Outer...> {
    static constexpr bool value = [] {
        if constexpr ((std::is_same_v<T, Outer> || ...)) {
            return true;
        } else {
            bool found = false;
            boost::mp11::mp_for_each<public_members<T>>([&](auto member) {
                found = found || is_recursive<member_type<decltype(member)>, T, Outer...>::value;
            });
            return found;
        }
    }();
};

} // namespace detail

/// A struct described with BOOST_DESCRIBE_STRUCT is an object with its public members;
/// std::optional members are not required. Members with other names are ignored.
template <class T>
struct ArgumentType<T, std::enable_if_t<detail::is_described_struct<T>>> : detail::DescribedStruct {
    static std::string schema(const Constraints&) {
        require_finite_depth();
        std::vector<detail::MemberSchema> members;
        boost::mp11::mp_for_each<detail::public_members<T>>([&](auto member) {
            using Member = detail::member_type<decltype(member)>;
            members.push_back(
                {member.name, schema_of<Member>(), !detail::is_optional<Member>::value});
        });
        return detail::struct_schema(members);
    }
    static std::optional<ArgumentProblem> decode(JsonView json, const Constraints&, T& into) {
        require_finite_depth();
        if (json.kind() != JsonView::Kind::object) return detail::must_be("an object", json);
        std::optional<ArgumentProblem> problem;
        boost::mp11::mp_for_each<detail::public_members<T>>([&](auto member) {
            if (!problem)
                problem = detail::decode_member(json, member.name, into.*decltype(member)::pointer);
        });
        return problem;
    }

private:
    static constexpr void require_finite_depth() {
        static_assert(!detail::is_recursive<T>::value,
                      "Eyehand does not support a struct that contains itself as an argument of a "
                      "tool: specialize eyehand::agent::ArgumentType for the struct.");
    }
};

} // namespace eyehand::agent
