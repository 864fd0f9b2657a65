// What happens in a run, for those who watch: terminal, log, panel.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <cstdint>
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
/// The run goes on after it was interrupted.
struct RunResumed {
    std::vector<std::string> remarks; ///< what is not as it was, for people
};
struct RunFinished {
    Outcome outcome = Outcome::completed;
    std::string reason;
    int turns = 0;
    // Of all parts of a run that was resumed.
    vlm::Usage usage;                    ///< totals; what no reply told is unknown
    std::chrono::milliseconds elapsed{}; ///< without the time between the parts
};

using Payload = std::variant<RunStarted, RunResumed, Observe, Ask, Invoke, Recover, Await, Finish,
                             Observed, ObserveFailed, Replied, AskFailed, Invoked, Recovered,
                             UserMessage, Stopped, Noted, RunFinished>;

/// One entry of the journal.
struct Event {
    std::uint64_t seq = 0;         ///< from 1, without gaps
    std::chrono::milliseconds t{}; ///< since the run started
    int turn = 0;
    Payload payload;
    std::string line; ///< the entry as JSON, without line break
};

/// Calls the overload that fits the event's payload; the last one should take anything, because
/// later versions add payloads.
///
///     visit(event, [](const Replied& fact) { ... }, [](const auto&) {});
template <class... Overloads>
void visit(const Event& event, Overloads&&... overloads) {
    struct Visitor : std::decay_t<Overloads>... {
        using std::decay_t<Overloads>::operator()...;
    };
    std::visit(Visitor{std::forward<Overloads>(overloads)...}, event.payload);
}

/// Somebody who watches. Called on the running thread, in order. An observer that throws is not
/// called again, and execution_log.txt says so; the run goes on.
class EYEHAND_AGENT_API Observer {
public:
    virtual ~Observer() = default;
    virtual void on_event(const Event& event) = 0;
    /// A piece of the model's reply as it arrives; not in the journal.
    virtual void on_delta(const vlm::Delta&) {}
    /// What the mode is at, before each of its commands; not in the journal, whose facts determine it.
    virtual void on_state(const ModeState&) {}
};

} // namespace eyehand::agent
