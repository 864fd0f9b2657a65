// A view of a run, folded from its events: turns with their requests, replies, calls and
// screenshots, the state of the mode, and totals. Panel, report and other front ends show it, so
// that they need not interpret events.
//
//     const agent::RunView run = agent::read_run("runs/run_0007");
//     for (std::size_t i = 0; i < run.turn_count(); ++i)
//         for (const agent::TurnItem& item : run.turn(i).items)
//             if (const auto* call = std::get_if<agent::CallView>(&item))
//                 std::cout << call->tool << ' ' << call->result_json << '\n';
//
// To follow a run in progress, apply its events (Observer, JournalReader) as they arrive.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace eyehand::agent {

/// A screenshot of the run.
struct ScreenshotView {
    std::size_t index = 0; ///< from 1, in the order in which the run took its screenshots
    int number = 0;  ///< `Observe::screenshot`: in most modes the turn in which the model sees it
    Observed look{}; ///< its files, sizes, changes and timings
    std::optional<Annotation> annotation{}; ///< drawn over it
};

/// A call of a tool.
struct CallView {
    std::string id{};
    std::string tool{}; ///< as the model calls it
    std::string arguments_json{};
    std::optional<bool> ok{}; ///< not set: in progress
    std::string result_json{};
    bool interrupted = false; ///< whether it took effect is unknown
    std::string desktop_failure{};
    std::chrono::microseconds policy{};
    std::optional<GuardRecord> guard{};
    std::chrono::microseconds act{};
    Action action{};
};
/// An attempt to bring the desktop out of a state in which the agent repeats itself.
struct RecoveryView {
    std::string reason{};
    std::optional<bool> ok{}; ///< not set: in progress
    std::string problem{};
    std::chrono::microseconds act{};
};
/// A request without a reply, or a screenshot that could not be taken.
struct FailureView {
    enum class Of { request, screenshot };
    Of of = Of::request;
    std::string error{}; ///< "vlm.timeout"
    std::string message{};
};

/// A request to the model and its texts, which `read_prompt` (prompt.hpp) returns.
struct RequestView {
    int number = 0;   ///< in the run, from 1
    int previous = 0; ///< the number of the previous request of the same role; 0 for the first one
    std::string role{};
    bool sent = true; ///< false: the screen changed before it was sent
    std::size_t messages = 0;
    std::size_t same = 0; ///< leading messages that equal those of the previous request
    std::vector<std::shared_ptr<const SentMessage>> added{};    ///< all messages after them
    std::vector<std::shared_ptr<const SentMessage>> replaced{}; ///< instead of these messages
    std::size_t left_out = 0;            ///< messages beyond `RunViewLimits::messages_per_request`
    std::size_t tool_count = 0;          ///< of the offered tools
    std::optional<SentText> tools{};     ///< the offered tools
    std::optional<SentText> structure{}; ///< the JSON schema of the reply's text
};

/// What happened in a turn, in order. A request has an item if the journal names its texts. A reply that the
/// client injected is a `UserMessage` of the turn in which it arrived.
using TurnItem = std::variant<Replied, CallView, RecoveryView, FailureView, Noted, UserMessage,
                              Stopped, RunResumed, RequestView>;

struct TurnView {
    int number = 0;                ///< 0: before the first turn
    std::chrono::milliseconds t{}; ///< of its first event, since the start of the run
    std::string role{};            ///< of its latest request
    std::string phase{};           ///< of the mode at its latest request
    int requests = 0;
    /// The latest screenshot when the turn began, or the one that was taken for it before its request.
    std::shared_ptr<const ScreenshotView> seen{};
    std::shared_ptr<const ScreenshotView>
        after{}; ///< the latest one at the end of the turn, if it differs from `seen`
    bool seen_by_model = false; ///< the latest request of the turn contained `seen`
    std::vector<TurnItem> items{};
    /// Of a visual loop: the reply that this turn executes.
    std::shared_ptr<const VisualReply> visual_reply{};
    std::size_t left_out = 0; ///< items beyond `RunViewLimits::items_per_turn`
};

/// What the run is doing, by its latest command. `finished`: its outcome is known.
enum class Activity { idle, observing, asking, acting, recovering, awaiting_reply, finished };

/// Maximum sizes of a view. By default, a view contains the complete run.
struct RunViewLimits {
    std::size_t turns = (std::numeric_limits<std::size_t>::max)(); ///< the latest ones, at least 1
    std::size_t items_per_turn = (std::numeric_limits<std::size_t>::max)(); ///< the first ones
    /// Of the messages that a request adds, and of those that it replaces: the first ones.
    std::size_t messages_per_request = (std::numeric_limits<std::size_t>::max)();
    /// Maximum length of each text: replies, arguments, results, messages. Longer texts are cut and
    /// end in "...".
    std::size_t text_bytes = (std::numeric_limits<std::size_t>::max)();
    std::size_t streamed_bytes =
        (std::numeric_limits<std::size_t>::max)(); ///< of a reply in progress
};

/// Not thread-safe, but a `snapshot` may be read on any thread while the original changes.
class EYEHAND_AGENT_API RunView {
public:
    /// The view of a run with this profile before its first event. Throws Error{bad_profile} if the
    /// profile's mode is unknown.
    explicit RunView(Profile profile, RunViewLimits limits = {});
    RunView(RunView&&) noexcept;
    RunView& operator=(RunView&&) noexcept;
    ~RunView();

    /// Folds an event. Accepts events in any order and with any content, because journals can be
    /// damaged.
    void apply(const Event& event);
    /// Adds a piece of the reply in progress.
    void apply(const vlm::Delta& delta);
    /// Sets the state of the mode, which a run in progress reports before its events.
    void apply(const ModeState& state);
    /// A copy that shares the turns; only the first change of a turn afterwards copies that turn.
    [[nodiscard]] RunView snapshot();

    [[nodiscard]] const Profile& profile() const;
    [[nodiscard]] const std::string& task() const;
    [[nodiscard]] const std::string& model() const; ///< that replied, else the requested one
    [[nodiscard]] const ModeState& state() const;
    [[nodiscard]] Activity activity() const;
    /// The totals of the replies so far; a value that no reply reported is not set.
    [[nodiscard]] const vlm::Usage& usage() const;
    [[nodiscard]] std::chrono::milliseconds elapsed() const; ///< at the latest event
    /// How the run ended; nullptr if it is in progress or was interrupted.
    [[nodiscard]] const RunFinished* finished() const;
    /// Why the latest screenshot or request failed; empty after a success.
    [[nodiscard]] const std::string& problem() const;

    /// The turns in the order in which they began. A turn begins with the screenshot that is taken
    /// for it, or else with its request. `turn(0)` may contain the events before the first turn.
    [[nodiscard]] std::size_t turn_count() const;
    [[nodiscard]] const TurnView& turn(std::size_t index) const; ///< `index` is below `turn_count`
    [[nodiscard]] std::size_t turns_left_out() const; ///< older turns beyond `RunViewLimits::turns`
    /// The latest screenshot; nullptr before the first one.
    [[nodiscard]] std::shared_ptr<const ScreenshotView> screenshot() const;

    /// The reply in progress.
    [[nodiscard]] const std::string& streamed_text() const;
    [[nodiscard]] const std::string& streamed_reasoning() const;

    /// The number of damaged events and of events whose type this version does not know.
    [[nodiscard]] std::size_t unknown_events() const;
    /// Grows with each change.
    [[nodiscard]] std::uint64_t revision() const;

private:
    struct Fold;
    explicit RunView(std::unique_ptr<Fold> fold);
    std::unique_ptr<Fold> fold_;
};

/// The view of the journal in a run directory, also while another process writes it. Throws
/// Error{bad_run} if run.json is missing or not readable.
[[nodiscard]] EYEHAND_AGENT_API RunView
read_run(const std::filesystem::path& directory,
         const ModeRegistry& modes = ModeRegistry::built_in(), RunViewLimits limits = {});

/// The same from a store.
[[nodiscard]] EYEHAND_AGENT_API RunView
read_run(const RunStore& store, const ModeRegistry& modes = ModeRegistry::built_in(),
         RunViewLimits limits = {});

} // namespace eyehand::agent
