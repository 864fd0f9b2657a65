// Controls a running agent from other threads: stops and holds it, sends it messages, answers its
// requests.
//
//     agent::RunControl control;
//     std::jthread user([&] {
//         control.pause();
//         control.send_message("The file is called notes.txt.");
//         control.resume();
//     });
//     agent.run(task, directory, control);
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace eyehand::agent {

/// The user's answer to an ApprovalRequest.
struct Approval {
    bool granted = false;
    std::string reason{}; ///< why an action is denied, for the model
};

/// An action that waits for approval.
struct ApprovalRequest {
    std::uint64_t id = 0;                   ///< from 1, unique within one control
    int turn = 0;                           ///< of the run
    std::string tool{};                     ///< as the model calls it
    std::string arguments_json{};           ///< as the model gave them, in valid UTF-8
    std::string text{};                     ///< further information for the user
    std::vector<winio::NormPoint> points{}; ///< the action's targets on the screenshot
};

/// A screenshot that waits for its annotation by the client.
struct AnnotationRequest {
    int turn = 0;                                           ///< `annotate` must name it
    winio::Size size{};                                     ///< of the PNG that `annotate` takes
    std::shared_ptr<const std::vector<std::uint8_t>> png{}; ///< without annotation
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
    too_long,     ///< longer than `RunControl::max_message_bytes`
    run_ended,    ///< the run has not started or has ended
};

/// What a run waits for, for front ends.
struct RunStatus {
    bool begun = false;         ///< the run has started and has not ended
    bool paused = false;        ///< held now, or from the next safe point on
    bool held = false;          ///< waits for `resume`, `step` or `stop`
    bool stopping = false;      ///< ends at the next safe point
    bool takes_replies = false; ///< a visual loop: `inject` is possible
    bool for_reply = false;     ///< waits for `inject`
    std::optional<AnnotationRequest> picture{};
    std::vector<ApprovalRequest> questions{}; ///< pending requests, oldest first
};

/// Controls one run from other threads. Thread-safe; must outlive the run. A safe point comes before
/// each command: there the input of this object becomes facts of the run.
class EYEHAND_AGENT_API RunControl {
public:
    static constexpr std::size_t max_message_bytes = 65536; ///< of `send_message` and `inject`

    RunControl() = default;
    RunControl(const RunControl&) = delete;
    RunControl& operator=(const RunControl&) = delete;

    // ---- for the user, from any thread ----------------------------------------------------------

    /// Ends the run at the next safe point. A wait for the model or the screen ends within 100 ms; an
    /// action that has started completes first. `reason` becomes the run's last word; the first call
    /// counts. Pending approval requests are denied.
    void stop(const std::string& reason = "stopped by the user");
    /// Ends the run at once: an action that has started is interrupted, and its keys and buttons are
    /// released.
    void stop_now(const std::string& reason = "stopped by the user");

    /// Holds the run at the next safe point; a reply or an action that has started completes first.
    /// Before the start of a run: holds it before its first command.
    void pause();
    void resume();
    /// Executes one command (an observation, a request to the model, an action) and holds the run
    /// again. A run that is not paused is held after its current command.
    void step();

    /// Sends a message to the model. A message that arrives during the model's final answer keeps the
    /// run going while turns are left.
    SubmitResult send_message(std::string words);
    /// Replaces the next reply of the model; for a visual loop without a first reply: supplies it. If
    /// called twice before the model's turn, the later call counts.
    SubmitResult inject(std::string reply);
    /// Supplies the annotated screenshot of a turn. The caller must pass a PNG of the requested size.
    SubmitResult annotate(int turn, std::vector<std::uint8_t> png);
    /// Answers an approval request; the first answer counts. Returns false if no request with this id
    /// is pending.
    bool resolve(std::uint64_t request, Approval approval);

    [[nodiscard]] RunStatus status() const;
    /// Calls `call` after each change of `status()`, on the thread that caused the change, one call at
    /// a time, until the last copy of the returned handle is destroyed; then no call is running. `call`
    /// may read this object but must not change it. The handle must not outlive this object.
    [[nodiscard]] std::shared_ptr<void> on_change(std::function<void()> call);

    [[nodiscard]] bool stopping() const { return safe_.stop_requested(); }
    [[nodiscard]] std::string stop_reason() const; ///< empty unless the run stops
    [[nodiscard]] std::stop_token at_safe_point() const { return safe_.get_token(); }
    [[nodiscard]] std::stop_token at_once() const { return now_.get_token(); }

    // ---- for the run, from its thread -----------------------------------------------------------

    enum class Replies { not_taken, taken }; ///< whether `inject` is possible
    void begin(Replies replies);
    void end();

    enum class Hold { no, yes };
    /// At a safe point: returns the messages since the last one, one per call. Without a message,
    /// waits while the run is held; nothing: the run continues or stops. With Hold::no, for the end of
    /// a run, it does not wait, and without a message it accepts no further ones.
    [[nodiscard]] std::optional<UserMessage> next_message(Hold hold = Hold::yes);
    /// Waits for `inject`; nothing: the run stops.
    [[nodiscard]] std::optional<UserMessage> wait_for_reply();
    /// Waits for `annotate`; nothing: the run stops.
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>>
    wait_for_annotation(AnnotationRequest wanted);
    /// Waits for `resolve`. Denied if the run stops or `stop` is triggered first. Any thread may call
    /// it. Fills in the request's id.
    [[nodiscard]] Approval request_approval(ApprovalRequest request,
                                            const std::stop_token& stop = {});

private:
    void changed();
    [[nodiscard]] SubmitResult put(UserMessage told);

    mutable std::mutex mutex_;
    std::condition_variable news_;
    bool begun_ = false;
    bool ended_ = false;
    bool paused_ = false;
    bool held_ = false;
    int steps_ = 0; ///< commands that are let through although it is paused
    bool takes_replies_ = false;
    bool waits_for_reply_ = false;
    std::deque<UserMessage> told_;
    std::optional<AnnotationRequest> picture_wanted_;
    std::shared_ptr<const std::vector<std::uint8_t>> picture_;
    std::map<std::uint64_t, ApprovalRequest> questions_;
    std::map<std::uint64_t, Approval> consents_;
    std::uint64_t latest_question_ = 0;
    std::string reason_;
    std::stop_source safe_;
    std::stop_source now_;

    std::mutex calling_; ///< held while they are called
    std::map<std::uint64_t, std::function<void()>> listeners_;
    std::uint64_t latest_listener_ = 0;
};

} // namespace eyehand::agent
