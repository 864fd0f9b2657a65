// Controls a running agent from other threads: stops and holds it, sends messages, answers
// requests.
//
//     agent::RunControl control;
//     std::jthread user([&] {
//         for (std::string line; std::getline(std::cin, line);) control.send_message(line);
//         control.stop(); // at the end of the input
//     });
//     agent.run(task, directory, control);
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::agent {

/// The user's answer to an ApprovalRequest.
struct Approval {
    bool granted = false;
    std::string reason{};  ///< why an action is denied, for the model
    std::string channel{}; ///< through which the user answered, such as "panel"; for the journal
};

/// An action that waits for approval.
struct ApprovalRequest {
    std::uint64_t id = 0;                   ///< from 1, unique within one control
    int turn = 0;                           ///< of the run
    std::string tool{};                     ///< as the model calls it
    std::string arguments_json{};           ///< as the model gave them, in valid UTF-8
    std::string text{};                     ///< further information for the user
    std::string rule{};                     ///< the guard's rule that requires approval; or empty
    std::string reason{};                   ///< of the rule, in a sentence; or empty
    std::vector<winio::NormPoint> points{}; ///< the action's targets on the screenshot
};

/// A screenshot that waits for its annotation by the client.
struct AnnotationRequest {
    int turn = 0;       ///< `annotate` must name it
    winio::Size size{}; ///< the PNG passed to `annotate` must have this size
    std::shared_ptr<const std::vector<std::uint8_t>> file{}; ///< without annotation
    std::string media_type = "image/png";                    ///< of `file`
};

/// Input for a run that does not come from its model.
struct UserMessage {
    enum class Kind {
        words, ///< the model receives them with the next request
        reply, ///< replaces the next reply of the model of a visual loop
    };
    Kind kind = Kind::words;
    std::string text{};
};

/// The result of `send_message`, `inject` and `annotate`.
enum class SubmitResult {
    accepted,     ///< becomes a fact of the run at the next safe point
    not_expected, ///< the run does not wait for it, or has just received one
    outdated,     ///< names another turn
    too_long,     ///< longer than `RunControl::max_message_bytes` or `max_annotation_bytes`
    too_many,     ///< `RunControl::max_waiting_messages` wait for the next safe point
    run_ended,    ///< the run has not started, is stopping, or has ended
};

enum class RunStage { not_started, running, ended };

/// The state of a run for front ends.
struct RunStatus {
    RunStage stage = RunStage::not_started;
    bool paused = false;        ///< held now, or from the next safe point on
    bool held = false;          ///< waits for `resume`, `step` or `stop`
    bool taken_over = false;    ///< paused by `take_over`
    bool stopping = false;      ///< ends at the next safe point
    bool takes_replies = false; ///< a visual loop: `inject` is possible
    bool for_reply = false;     ///< waits for `inject`
    std::optional<AnnotationRequest> annotation_request{}; ///< if set, the run waits for `annotate`
    std::vector<ApprovalRequest> approval_requests{};      ///< pending requests, oldest first
};

/// Controls one run from other threads. Thread-safe. It is a handle: copies control the same run,
/// and it may be destroyed before its run ends. A safe point precedes each command: there the input
/// of this object becomes facts of the run.
class EYEHAND_AGENT_API RunControl {
public:
    /// Of `send_message` and `inject`. Longer reasons (`stop`, `resolve`) are cut.
    static constexpr std::size_t max_message_bytes = 65536;
    /// Of `send_message` and `inject`, since the last safe point.
    static constexpr std::size_t max_waiting_messages = 100;
    static constexpr std::size_t max_annotation_bytes = std::size_t{64} << 20; ///< of `annotate`

    RunControl();

    /// Ends the run at the next safe point. A wait for the model or the screen ends within 100 ms;
    /// an action that has started completes first. `reason` becomes the reason of the run's end;
    /// the first call counts. Pending approval requests are denied.
    void stop(const std::string& reason = "stopped by the user");
    /// Ends the run at once: an action that has started is interrupted, and its keys and buttons are
    /// released.
    void stop_now(const std::string& reason = "stopped by the user");

    /// Holds the run at the next safe point; a reply or an action that has started completes first.
    /// Before the start of a run: holds it before its first command.
    void pause();
    void resume();
    /// The user has used the mouse or the keyboard (`winio::UserSignal::input`) at this time: holds the
    /// run as `pause` does, but interrupts an action that has started, and releases its keys and
    /// buttons. After `resume`, the run takes a screenshot before it acts again.
    ///
    /// Without effect, and false, before the first action of the run, while it is paused, is stopping or
    /// waits for the user (an approval, a reply, an annotation), and for a second after each other
    /// call that lets the run continue or passes something to it: the user may then be on the way back.
    bool take_over(std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now());
    /// Executes one command (an observation, a request to the model, an action) and holds the run
    /// again. A run that is not paused is held after its current command.
    void step();

    /// Sends a message to the model. Returns `run_ended` before the run has started. A message that
    /// arrives during the model's final answer keeps the run going while turns are left.
    SubmitResult send_message(std::string words);
    /// Replaces the next reply of the model of a visual loop, or supplies the first one. Returns
    /// `not_expected` while an earlier reply waits for its safe point. If several replies arrive
    /// before the model's turn, the last one counts.
    SubmitResult inject(std::string reply);
    /// Supplies the annotated screenshot of a turn. The caller must pass a PNG of the requested size.
    /// The run encodes it in the profile's `image_format` if that is another one.
    SubmitResult annotate(int turn, std::vector<std::uint8_t> png);
    /// Answers an approval request; the first answer counts. Returns false if no request with this id
    /// is pending.
    bool resolve(std::uint64_t request, Approval approval);

    [[nodiscard]] RunStatus status() const;
    /// Calls `call` after each change of `status()`, on the thread that caused the change, one call
    /// at a time, until the last copy of the returned handle is destroyed; then no call is running.
    /// `call` may read this object but must not change it; its exceptions are ignored.
    [[nodiscard]] std::shared_ptr<void> on_change(std::function<void()> call);

    [[nodiscard]] bool stopping() const;
    [[nodiscard]] std::string stop_reason() const; ///< empty unless the run stops

private:
    friend class RunPort;
    class State;
    std::shared_ptr<State> state_;
};

} // namespace eyehand::agent
