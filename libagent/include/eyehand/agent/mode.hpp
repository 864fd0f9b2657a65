// A mode decides what an agent does next. It is a state machine without I/O: it returns commands
// (Command) and receives their results (Fact). A World executes the commands; a Journal stores
// commands and facts.
//
// A mode depends on its facts only, so that its state can be restored from a journal, it can run in
// another World, and a test can check it transition by transition.
#pragma once

#include "eyehand/agent/annotation.hpp"
#include "eyehand/agent/control.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/signal.hpp"
#include "eyehand/agent/visual_reply.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/confirm.hpp"
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
    steps_used_up, ///< the turns, or another limit (`RunLimits`)
    endpoint_failed,
    desktop_failed,
    refused,
    cancelled,
};
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(Outcome outcome);

// ---- commands -----------------------------------------------------------------------------------

/// What a screenshot of a part of the work area is for.
enum class ZoomUse {
    positions, ///< positions in the next calls refer to it, until the next screenshot
    look,      ///< the model looks closely; positions still refer to the whole work area
    /// Of a request for the exact position of a target: cut from the latest screenshot, without a new
    /// capture and without the pointer. Positions still refer to that screenshot.
    refine,
};
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(ZoomUse use);
/// A part of the work area.
struct Zoom {
    winio::NormBox region{}; ///< of the work area; the world may extend it by some pixels
    ZoomUse use = ZoomUse::positions;
    /// With `refine`: where the target is; the world measures what is visible there.
    std::optional<winio::NormPoint> target{};
    friend bool operator==(const Zoom&, const Zoom&) = default;
};

/// Wait until the screen is stable, then take a screenshot for the model.
struct Observe {
    int screenshot = 0; ///< its number: the turn in which the model sees it
    /// Drawn over the screenshot before the model receives it. Not with `zoom`.
    std::optional<Annotation> annotation{};
    /// The screenshot shows only this part of the work area, at full resolution: enlarged by a whole
    /// factor if it is small, and scaled down only if it is larger than screenshots are.
    std::optional<Zoom> zoom{};
};
/// The end of the journal's name for the role of a request that only refines a position.
inline constexpr std::string_view refine_role_end = ".refine";
/// Send a request to the model. Images in the request are named by hash; the World has their bytes.
struct Ask {
    std::string role{}; ///< the role that the model plays in this request
    vlm::ChatRequest request{};
    /// The World may return Superseded, after which `next` is Observe. `make_mode` sets it; modes do
    /// not.
    bool may_be_superseded = false;
    /// A reply without tool calls may state actions as text (dialect.hpp), so that a reply that states
    /// none is final although the request offers no tools. `make_mode` sets it; modes do not.
    bool calls_in_text = false;
    /// Asks only for the exact position of a target, besides the request of the turn. The journal names
    /// its role "ROLE.refine". `make_mode` sets it; modes do not.
    bool refines = false;
};
/// Run one tool call.
struct Invoke {
    vlm::ToolCall call{};
    std::string role{}; ///< the role to whose tools the call belongs
};
/// Get an agent out of a loop: press Escape, move the pointer to the center and to the bottom left
/// corner, click there, press Ctrl+Escape and Escape. With a crop or a chosen window, only press
/// Escape and move the pointer to the center of the area.
struct Recover {
    std::string reason{};
};
/// Wait until the client supplies the first reply of a visual loop.
struct Await {};
/// The run is over.
struct Finish {
    Outcome outcome = Outcome::completed;
    std::string reason{}; ///< the model's final answer, or the cause of a failure
};
using Command = std::variant<Observe, Ask, Invoke, Recover, Await, Finish>;

// ---- facts --------------------------------------------------------------------------------------

/// Of a screenshot that shows only a part of the work area.
struct Zoomed {
    winio::Rect work_area{}; ///< desktop pixels
    ZoomUse use = ZoomUse::positions;
    /// Of the visible element at most 6 pixels from `Zoom::target`; at most 49 per side. Not set without one.
    std::optional<winio::Size> element{};
    friend bool operator==(const Zoomed&, const Zoomed&) = default;
};
struct Observed {
    std::string sha256{};     ///< of the image file that the model receives
    std::string file{};       ///< its name in the run directory, with forward slashes
    std::string raw_sha256{}; ///< the screenshot without its annotation; empty if it has none
    std::string raw_file{};
    winio::Size size{}; ///< of the screenshot
    winio::Rect area{}; ///< the area of the desktop that it shows
    /// As the model's processor resizes it, if it is known (`image_processor`), and if the server does
    /// not resize it before.
    std::optional<winio::Size> model_size{};
    std::vector<winio::Rect> changed{};
    std::vector<winio::Rect> redacted{}; ///< what is black in it (`AgentOptions::redaction`)
    /// In the work area; not set if hidden or unknown.
    std::optional<winio::NormPoint> pointer{};
    /// The screenshot shows nothing new: nothing has changed except regions that toggle by
    /// themselves (such as a caret), or the screenshot equals one of the latest ones.
    bool still = false;
    /// It equals an earlier one, so it is `still`, but it differs from the previous one by more than
    /// regions that toggle by themselves, as after a menu was closed.
    bool returned = false;
    std::chrono::milliseconds settle{}; ///< the wait before the screenshot
    /// Why that wait ended. If a reaction to an action was expected: "reacted", "local_only",
    /// "no_reaction", "busy_timeout" or "timeout" (`winio::ReactionEnd`); otherwise "stable" or
    /// "timeout". Empty in older runs.
    std::string end{};
    /// From the end of the action until its reaction was first seen.
    std::optional<std::chrono::milliseconds> reacted_after{};
    std::chrono::microseconds capture{};
    std::chrono::microseconds scale{};
    std::chrono::microseconds encode{};
    std::chrono::microseconds annotate{};
    /// Not set for a screenshot of the whole work area, which is `area`.
    std::optional<Zoomed> zoomed{};

    /// The area of the desktop to which positions refer after this screenshot.
    [[nodiscard]] const winio::Rect& reference() const {
        return zoomed && zoomed->use != ZoomUse::positions ? zoomed->work_area : area;
    }
    /// Whether it is only cut from the latest screenshot, which stays the latest.
    [[nodiscard]] bool refines() const { return zoomed && zoomed->use == ZoomUse::refine; }
};
struct ObserveFailed {
    std::string error{}; ///< as `error_name` returns it: "winio.capture_failed"
    std::string message{};
};
struct Replied {
    vlm::ChatReply reply{};
    /// When the reply, which has no tool call, was complete, the screen differed from the screenshot
    /// of the request.
    bool screen_changed = false;
};
struct AskFailed {
    std::string error{};
    std::string message{};
    bool context_overflow = false; ///< the request is longer than the model's context
    bool refused = false;          ///< the server rejected the request; it may accept another form
};
/// The request was canceled, or not sent, because the screen no longer looks as in its screenshot:
/// the model is asked again, in the same turn, with a new screenshot.
struct Superseded {
    std::string sha256{};                  ///< of the screenshot in the request
    std::vector<winio::Rect> changed{};    ///< where the screen differs; desktop pixels
    std::chrono::milliseconds after{};     ///< since the request was sent; 0 if it was not sent
    std::optional<int> estimated_tokens{}; ///< of the request: as many as the latest one had

    /// The prompt tokens that count for the totals and limits of the run, as an estimate.
    [[nodiscard]] std::optional<int> spent_tokens() const {
        return after.count() > 0 ? estimated_tokens : std::nullopt;
    }
};
/// Why a call was refused directly before its action, or broken off in it.
struct StaleCall {
    /// "appearance", "window" or "foreground" (`winio::StaleReason`). If no screenshot has been taken
    /// since then: "resumed" after the run was resumed, and "taken_over" after the user has used the
    /// mouse or the keyboard (`RunControl::take_over`).
    std::string reason{};
    std::vector<winio::Rect> rects{}; ///< as in `winio::StaleTarget`
};
/// A call as the tool understood it, for loop detection and for descriptions of it to the model.
struct Action {
    std::string tool{};                     ///< the tool's registered name, not the profile's
    std::vector<winio::NormPoint> points{}; ///< the target points
    std::string subject{}; ///< the text that was typed, or the keys that were pressed
    bool acts = false;     ///< the call acted on the desktop
    bool waits = false;    ///< it only gave programs time; not set in older journals
    friend bool operator==(const Action&, const Action&) = default;
};
/// How the guard's decision on an action came about.
struct GuardRecord {
    bool allowed = false;
    std::string rule{}; ///< as in `GuardVerdict`
    /// What decided: the "rule", the "user", or "unattended": no user could be asked, so the action was
    /// denied.
    std::string decider{};
    std::string channel{}; ///< through which the user answered, such as "terminal"; or empty
    friend bool operator==(const GuardRecord&, const GuardRecord&) = default;
};
/// An image in the result of a call.
struct ResultImage {
    std::string sha256{}; ///< of the file
    std::string file{};   ///< its name in the run directory, with forward slashes
    friend bool operator==(const ResultImage&, const ResultImage&) = default;
};
struct Invoked {
    std::string call_id{};
    std::string tool{};
    bool ok = false;
    std::string result_json{};         ///< the result for the model
    std::vector<ResultImage> images{}; ///< for the model, besides `result_json`
    bool wants_screenshot = false;
    std::string desktop_failure{};      ///< why the system refused, which ends the run; or empty
    bool interrupted = false;           ///< whether the action took effect is unknown
    std::chrono::microseconds policy{}; ///< until it was allowed or refused; not in `act`
    std::chrono::microseconds act{};
    Action action{};
    Signal signal{};
    bool reads = false; ///< the result contains what the tool has read (ToolResult::reads)
    /// The effect on the screen, if it is known; the model reads `confirmed` and
    /// `no_visible_change`.
    std::optional<winio::ActionEffect> effect{};
    /// The screen may no longer look as in the screenshot that the model saw: the call was refused
    /// (`stale_target`), or broken off because the user took over (`interrupted`), and uses up no
    /// turn.
    std::optional<StaleCall> stale{};
    /// Not set for calls that neither act nor read anything private, and in older journals.
    std::optional<GuardRecord> guard{};
    /// The ids of the server's safety checks of the call (`vlm::SafetyCheck`), if the user has approved
    /// them.
    std::vector<std::string> approved_checks{};
    /// With `wants_screenshot`: the part of the work area that the model wants to see.
    std::optional<winio::NormBox> zoom{};
};
struct Recovered {
    std::string problem{};         ///< why the recovery is incomplete; or empty
    std::string desktop_failure{}; ///< as in Invoked
    std::chrono::microseconds act{};
    /// The strictest decision on its steps: denied, approved by the user, or allowed by a rule.
    std::optional<GuardRecord> guard{};
    std::chrono::microseconds policy{}; ///< until the steps were allowed or refused; not in `act`
};
/// The user stops the run, or it has reached one of its limits.
struct Stopped {
    std::string reason{};
    bool at_limit = false; ///< a limit (`RunLimits`)
};
/// `steps_used_up` or `cancelled`.
[[nodiscard]] EYEHAND_AGENT_API Outcome outcome_of(const Stopped& fact) noexcept;
// `UserMessage` (eyehand/agent/control.hpp) is also a fact: a message that can arrive before any
// command.
using Fact = std::variant<Observed, ObserveFailed, Replied, AskFailed, Superseded, Invoked,
                          Recovered, UserMessage, Stopped>;

// ---- the state machine --------------------------------------------------------------------------

/// The state of a mode, for front ends and logs.
struct ModeState {
    int turn = 0; ///< turns begun; a visual loop counts replies, the boot reply being the first
    std::string phase{};
    std::string role{}; ///< the role that speaks in this phase
    std::string plan{};
    std::string brief{};
    std::size_t active_actions = 0;
    std::size_t archived_actions = 0;
    std::shared_ptr<const VisualReply> reply{}; ///< of a visual loop: the reply of this turn
};

/// A decision of the mode that is shown to the user; derived from the facts before it.
struct Noted {
    std::string kind{}; ///< "phase", "loop", "memory", "reminder", "refused", "context",
                        ///< "superseded", "format", "reply", "images", "refine"
    std::string text{};
};

/// Must not use clocks, I/O or randomness: the same facts must result in the same command, byte for
/// byte.
class EYEHAND_AGENT_API Mode {
public:
    virtual ~Mode() = default;
    [[nodiscard]] virtual Command next() const = 0;
    /// Whether `next` is Finish. Override it if making the next command is expensive.
    [[nodiscard]] virtual bool finished() const { return std::holds_alternative<Finish>(next()); }
    /// `make_mode` handles Superseded: modes do not receive it.
    virtual void apply(const Fact& fact) = 0;
    /// The request that the mode has just made was canceled, and `seen` replaces its screenshot:
    /// this request then shows the new one. Override it to show it in later requests, too, and to
    /// correct conclusions from the replaced screenshot.
    virtual void revise(const Observed& /*seen*/) {}
    [[nodiscard]] virtual ModeState state() const = 0;
    /// The notes since the last call: decisions made while facts were applied.
    [[nodiscard]] std::vector<Noted> take_notes() { return std::exchange(notes_, {}); }

protected:
    void note(std::string kind, std::string text) {
        notes_.push_back({std::move(kind), std::move(text)});
    }

private:
    std::vector<Noted> notes_;
};

/// Executes commands: with a desktop and a model, from a recording, or in a test.
class EYEHAND_AGENT_API World {
public:
    virtual ~World() = default;
    /// The kind of command that the mode returns next.
    enum class Next { command, finish };
    /// Called before each command, repeatedly until it returns nothing. Returns a message to the
    /// agent, or a request to stop (after which it is not called again). It may block to hold the
    /// run.
    virtual std::optional<Fact> news(Next /*next*/) { return std::nullopt; }
    /// Called for each screenshot of the earlier parts of a resumed run, oldest first: requests may
    /// name it.
    virtual void remember(const Observed& /*seen*/) {}
    virtual void remember(const Invoked& /*call*/) {}
    /// Receives the state of the mode each time before `news`.
    virtual void on_state(const ModeState& /*state*/) {}
    /// Executes the command and returns its result. Failures of the desktop and the model are
    /// facts, not exceptions; it throws only if the run's files fail (Error{journal_failed},
    /// Error{bad_run}), if a tool throws, or because of a bug. Never called with Finish.
    virtual Fact execute(const Command& command) = 0;
};

class Journal;

/// Applies the journal's facts to the mode, then executes its commands until it returns Finish.
/// Each command is in the journal before it is executed, each fact before it is applied. Throws
/// what the journal and the world throw.
EYEHAND_AGENT_API Finish drive(Mode& mode, Journal& journal, World& world);

} // namespace eyehand::agent
