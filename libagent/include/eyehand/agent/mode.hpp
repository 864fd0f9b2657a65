// A mode decides what an agent does next. It is a state machine without I/O: it says what should
// happen (Command) and is told what did (Fact). A World makes commands come true; a Journal keeps
// both.
//
// Because a mode is nothing but its facts, it can be brought to where it was by folding a journal,
// run against another World, and tested one transition a line.
#pragma once

#include "eyehand/agent/annotation.hpp"
#include "eyehand/agent/control.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/signal.hpp"
#include "eyehand/agent/visual_reply.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/geometry.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace eyehand::agent {

/// How a run ended; docs/agent-cli.md maps these to exit codes.
enum class Outcome {
    completed,
    failed,
    steps_used_up,
    endpoint_failed,
    desktop_failed,
    refused,
    cancelled,
};
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(Outcome outcome);

// ---- commands: what should happen ---------------------------------------------------------------

/// Wait until the screen is stable, then take a picture for the model.
struct Observe {
    int screenshot = 0; ///< its number: the turn that will see it
    /// What is drawn over the picture before the model gets it.
    std::optional<Annotation> annotation{};
};
/// Ask the model. Images in the request are named by hash; the World has their bytes.
struct Ask {
    std::string role{}; ///< which of the profile's roles speaks
    vlm::ChatRequest request{};
};
/// Run one tool call.
struct Invoke {
    vlm::ToolCall call{};
    std::string role{}; ///< whose tools it is one of
};
/// Bring a desktop in which the agent is stuck back to where it can go on: Escape, the pointer to the
/// centre and to a corner, a click there, the system's menu key, Escape again. With a crop only
/// Escape and the pointer to the crop's centre.
struct Recover {
    std::string reason{};
};
/// Wait until somebody outside gives the reply with which a visual loop begins.
struct Await {};
/// The run is over.
struct Finish {
    Outcome outcome = Outcome::completed;
    std::string reason{}; ///< the model's last words, or what went wrong
};
using Command = std::variant<Observe, Ask, Invoke, Recover, Await, Finish>;

// ---- facts: what did happen ---------------------------------------------------------------------

struct Observed {
    std::string sha256{};     ///< of the PNG file that the model gets
    std::string file{};       ///< within the run directory, with forward slashes
    std::string raw_sha256{}; ///< the same picture without its annotation; empty: it has none
    std::string raw_file{};
    winio::Size size{}; ///< of the picture
    winio::Rect area{}; ///< of the desktop it shows
    std::vector<winio::Rect> changed{};
    std::optional<winio::NormPoint> pointer{}; ///< where it was seen; hidden or unknown: nowhere
    /// Nothing new since the screenshot before: no change outside what toggles by itself, or a picture
    /// that was there a little while ago.
    bool still = false;
    std::chrono::milliseconds settle{};
    std::chrono::microseconds capture{};
    std::chrono::microseconds scale{};
    std::chrono::microseconds encode{};
    std::chrono::microseconds annotate{};
};
struct ObserveFailed {
    std::string error{}; ///< as `error_name` returns it: "winio.capture_failed"
    std::string message{};
};
struct Replied {
    vlm::ChatReply reply{};
};
struct AskFailed {
    std::string error{};
    std::string message{};
    bool context_overflow = false; ///< the request is longer than the model's context
    bool refused =
        false; ///< the server did not take the request as it was; in another form it might
};
/// A call as it was understood, for recognising loops and for telling the model what it did.
struct Action {
    std::string tool{}; ///< the name under which it was registered, whatever the profile calls it
    std::vector<winio::NormPoint> points{}; ///< what it aimed at
    std::string subject{};                  ///< what it typed or pressed
    bool acts = false;                      ///< it did something on the desktop
    friend bool operator==(const Action&, const Action&) = default;
};
struct Invoked {
    std::string call_id{};
    std::string tool{};
    bool ok = false;
    std::string result_json{}; ///< what the model is told
    bool wants_screenshot = false;
    std::string desktop_failure{};      ///< why the run cannot go on: the system refused; or empty
    bool interrupted = false;           ///< nobody knows whether it happened
    std::chrono::microseconds policy{}; ///< until it was allowed or refused; not in `act`
    std::chrono::microseconds act{};
    Action action{};
    Signal signal{};
};
struct Recovered {
    std::string problem{};         ///< why not all of it was done; or empty
    std::string desktop_failure{}; ///< as of Invoked
    std::chrono::microseconds act{};
};
/// The user wants the run to end.
struct Stopped {
    std::string reason{};
};
// And `UserMessage` (eyehand/agent/control.hpp): a message that arrived from outside, at any time.
using Fact = std::variant<Observed, ObserveFailed, Replied, AskFailed, Invoked, Recovered,
                          UserMessage, Stopped>;

// ---- the machine --------------------------------------------------------------------------------

/// What a mode is at, for panels and logs.
struct ModeState {
    int turn =
        0; ///< model exchanges begun; of a visual loop replies, the boot reply being the first
    std::string phase{};
    std::string role{}; ///< who speaks in this phase
    std::string plan{};
    std::string brief{};
    std::size_t active_actions = 0;
    std::size_t archived_actions = 0;
    std::shared_ptr<const VisualReply> reply{}; ///< of a visual loop: the one this turn carries out
};

/// Something that a mode decided and that people want to see; derived from the facts before it.
struct Noted {
    std::string kind{}; ///< "phase", "loop", "memory", "reminder", "refused", "context"
    std::string text{};
};

/// No clock, no I/O, no randomness: the same facts give the same command, byte for byte.
class EYEHAND_AGENT_API Mode {
public:
    virtual ~Mode() = default;
    [[nodiscard]] virtual Command next() const = 0;
    /// Whether `next` is Finish. Override it where making the next command is expensive.
    [[nodiscard]] virtual bool finished() const { return std::holds_alternative<Finish>(next()); }
    virtual void apply(const Fact& fact) = 0;
    [[nodiscard]] virtual ModeState state() const = 0;
    /// What was decided while facts were applied, each handed out once.
    [[nodiscard]] std::vector<Noted> take_notes() { return std::exchange(notes_, {}); }

protected:
    void note(std::string kind, std::string text) {
        notes_.push_back({std::move(kind), std::move(text)});
    }

private:
    std::vector<Noted> notes_;
};

/// Where commands come true: a desktop and a model, a recording, a test.
class EYEHAND_AGENT_API World {
public:
    virtual ~World() = default;
    /// What the mode returns next.
    enum class Next { command, finish };
    /// Called before each command, until it returns nothing: a message to the agent, or a request to
    /// stop (after which it is not called again). It may hold the run.
    virtual std::optional<Fact> news(Next /*next*/) { return std::nullopt; }
    /// A screenshot of an earlier part of the run that is resumed, oldest first: requests may name it.
    virtual void remember(const Observed& /*seen*/) {}
    /// What the mode is at, each time before `news`.
    virtual void on_state(const ModeState& /*state*/) {}
    /// What came of it. Failures of the desktop and the model are facts, not exceptions; what it
    /// throws is the run directory's (Error{journal_failed}) or a bug. Never called with Finish.
    virtual Fact execute(const Command& command) = 0;
};

class Journal;

/// Folds the journal's facts into the mode, then goes on until the mode says Finish. Every command
/// is in the journal before it is executed, every fact before it is applied. Throws what the
/// journal and the world throw.
EYEHAND_AGENT_API Finish drive(Mode& mode, Journal& journal, World& world);

} // namespace eyehand::agent
