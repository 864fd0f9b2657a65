// The events of a run, as the journal stores them and observers receive them.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace eyehand::agent {

struct RunStarted {
    std::string task;
    std::string profile;
    std::string model;
};
/// The run continues after an interruption.
struct RunResumed {
    std::vector<std::string> remarks; ///< for the user: what differs from the beginning of the run
};
struct RunFinished {
    Outcome outcome = Outcome::completed;
    std::string reason;
    int turns = 0;
    // Of all parts of a resumed run.
    vlm::Usage usage;                    ///< totals; a value that no reply reported is not set
    std::chrono::milliseconds elapsed{}; ///< without the time between the parts
};

/// A text of a request. The run stores each text once; `read_prompt` (prompt.hpp) returns it.
struct SentText {
    std::string hash{}; ///< the first 32 hexadecimal digits of its SHA-256
    std::size_t bytes = 0;
    friend bool operator==(const SentText&, const SentText&) = default;
};
/// A part of a message: a text, or else an image.
struct SentPart {
    SentText text{};
    std::string image_sha256{}; ///< of the image file; empty for a text
    friend bool operator==(const SentPart&, const SentPart&) = default;
};
/// A message of a request.
struct SentMessage {
    std::string role{}; ///< "system", "user", "assistant" or "tool"
    std::vector<SentPart> parts{};
    std::vector<vlm::ToolCall> tool_calls{}; ///< assistant only
    std::string tool_call_id{};              ///< tool only: the id of the call that it answers
    /// Assistant only: the output items of the reply (`vlm::Message::items_json`).
    std::optional<SentText> items{};
    /// Tool only: the server's safety checks that the user has approved.
    std::vector<vlm::SafetyCheck> acknowledged_checks{};
    friend bool operator==(const SentMessage&, const SentMessage&) = default;
};
/// The messages of a request, as the difference from the previous request of the same role.
struct SentMessages {
    std::size_t same = 0;             ///< leading messages that equal those of the previous request
    std::vector<SentMessage> added{}; ///< all messages after them
    std::optional<SentText> tools{};  ///< the offered tools, one JSON object per line
    std::optional<SentText> structure{}; ///< the JSON schema of the reply's text
};

/// A request to the model. The events before it determine the request; its texts are stored, too.
struct Asked {
    std::string role;  ///< the role that the model plays in this request
    std::string model; ///< as requested
    std::size_t messages = 0;
    std::size_t tools = 0;           ///< offered; 0 in older journals, which lack it
    std::vector<std::string> images; ///< SHA-256 of the image files in the request, in their order
    std::string request_sha256;      ///< of the request without the bytes of its images
    int number = 0; ///< of the request in the run, from 1; 0 in older journals, which lack it
    /// Not set in older journals, and in a journal that does not belong to a `RunStore`.
    std::optional<SentMessages> sent{};
};
/// A decision of the guard on a call, or on a step of a recovery. It is on the disk before the action.
/// The fact of the command contains it, too (`Invoked::guard`, `Recovered::guard`).
struct Judged {
    GuardRecord guard{};
    std::string call_id{};              ///< empty in a recovery
    std::string tool{};                 ///< as in `Invoked`; empty in a recovery
    std::string step{};                 ///< of a recovery: "press Escape"; empty for a call
    std::chrono::microseconds policy{}; ///< until the decision, with the wait for the user
};
/// The mode's state has changed in more than its turn and its phase.
struct StateChanged {
    ModeState state; ///< `turn` is the event's; `reply` is not set
};
/// An event that this version cannot read: it comes from a later version, or it is damaged.
struct UnknownEvent {
    std::string type;    ///< empty if the line is not a JSON object with a type
    std::string problem; ///< why an event of a known type cannot be read; empty for an unknown type
};

using Payload =
    std::variant<RunStarted, RunResumed, Observe, Asked, Invoke, Recover, Await, Finish, Observed,
                 ObserveFailed, Replied, AskFailed, Superseded, Invoked, Recovered, UserMessage,
                 Stopped, Judged, Noted, StateChanged, RunFinished, UnknownEvent>;

/// One entry of the journal.
struct Event {
    std::uint64_t seq = 0;         ///< from 1, without gaps; 0 if the entry has none
    std::chrono::milliseconds t{}; ///< since the run started
    int turn = 0;
    Payload payload;
    std::string line; ///< the entry as JSON, without line break
};

/// The "type" of an event as journals store it: "run_started", "replied", ...
[[nodiscard]] EYEHAND_AGENT_API std::string_view type_name(const Event& event);

/// Calls the overload for the event's payload. The last overload should accept any payload, because
/// later versions add some.
///
///     visit(event, [](const Replied& fact) { ... }, [](const auto&) {});
template <class... Overloads>
void visit(const Event& event, Overloads&&... overloads) {
    struct Visitor : std::decay_t<Overloads>... {
        using std::decay_t<Overloads>::operator()...;
    };
    std::visit(Visitor{std::forward<Overloads>(overloads)...}, event.payload);
}

/// What a call reports while it runs; not in the journal.
struct ToolProgress {
    std::string tool{}; ///< as the model called it
    double done = 0;    ///< grows; of `total`, if that is known
    std::optional<double> total{};
    std::string message{}; ///< of the tool: untrusted, without values of secrets
};
/// For users: "files__search: 30 %, Reading a.txt".
[[nodiscard]] EYEHAND_AGENT_API std::string description(const ToolProgress& progress);

/// Receives the events of a run. Called on the run's thread, in order. An observer that throws is
/// not called again, and execution_log.txt records it; the run continues.
class EYEHAND_AGENT_API Observer {
public:
    virtual ~Observer() = default;
    virtual void on_event(const Event& event) = 0;
    /// A piece of the model's reply as it arrives; not in the journal.
    virtual void on_delta(const vlm::Delta&) {}
    /// The progress of a call that takes long; not in the journal.
    virtual void on_progress(const ToolProgress&) {}
    /// The state of the mode before each of its commands; not in the journal, whose facts determine
    /// it.
    virtual void on_state(const ModeState&) {}
};

} // namespace eyehand::agent
