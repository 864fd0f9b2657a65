// The door through which other threads reach a running agent: to stop it, to hold it, to tell it
// something, to answer what it asks.
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

/// Whether something may be done.
struct Approval {
    bool granted = false;
    std::string reason{}; ///< why not, for the model
};

/// What waits for somebody's consent.
struct ApprovalRequest {
    std::uint64_t id = 0;                   ///< from 1; of one control, each has its own
    int turn = 0;                           ///< of the run
    std::string tool{};                     ///< as the model calls it
    std::string arguments_json{};           ///< as the model gave them, in valid UTF-8
    std::string text{};                     ///< what else there is to know, for people
    std::vector<winio::NormPoint> points{}; ///< of the screen as the model saw it, where it would
};

/// A picture that waits for its annotation to be drawn outside.
struct AnnotationRequest {
    int turn = 0;                                           ///< which the answer must name
    winio::Size size{};                                     ///< which the answer must have
    std::shared_ptr<const std::vector<std::uint8_t>> png{}; ///< without annotation
};

/// Something for the agent that did not come from its model.
struct UserMessage {
    enum class Kind {
        words, ///< for the model: it hears them with the next request
        reply, ///< of a visual loop: in place of the model's next reply
    };
    Kind kind = Kind::words;
    std::string text{};
};

/// What became of something that was brought.
enum class SubmitResult {
    accepted,     ///< it goes into the run at the next safe point
    not_expected, ///< nothing waits for it, or one is on its way into the run already
    outdated,     ///< it is for another turn
    too_long,     ///< more than `RunControl::max_message_bytes` bytes
    run_ended,    ///< there is no run, or it has ended
};

/// What a run is held up by.
struct RunStatus {
    bool begun = false;         ///< there is a run, and it has not ended
    bool paused = false;        ///< it is held, or will be from the next safe point on
    bool held = false;          ///< it does nothing until it is resumed, stepped or stopped
    bool stopping = false;      ///< it ends at the next safe point
    bool takes_replies = false; ///< a visual loop: `inject` is possible
    bool for_reply = false;     ///< it waits for `inject`
    std::optional<AnnotationRequest> picture{};
    std::vector<ApprovalRequest> questions{}; ///< the oldest first
};

/// Thread-safe. One control a run; it must outlive the run. What it brings becomes a fact of the run at
/// the next safe point: before a command is carried out.
class EYEHAND_AGENT_API RunControl {
public:
    static constexpr std::size_t max_message_bytes = 65536; ///< bytes of one `tell` or `inject`

    RunControl() = default;
    RunControl(const RunControl&) = delete;
    RunControl& operator=(const RunControl&) = delete;

    // ---- from any thread ------------------------------------------------------------------------

    /// Ends the run at the next safe point: a wait for the model or the screen is broken off within
    /// 100 ms, an action that has begun is finished first. `reason` is the run's last word; the first
    /// one counts. What waits here waits no longer: a question is denied.
    void stop(const std::string& reason = "stopped by the user");
    /// Ends the run at once: an action that has begun is broken off and what it pressed is
    /// released.
    void stop_now(const std::string& reason = "stopped by the user");

    /// Holds the run at the next safe point: what has begun is finished first, also a reply of the
    /// model that is under way. Of a run that has not begun: before it does anything.
    void pause();
    void resume();
    /// Lets one command through (a look at the screen, a question to the model, one action) and holds
    /// the run again; one that is not paused is held after what it is doing.
    void step();

    /// Says something to the model. Words that come while the model gives its final answer keep the
    /// run going, as long as there are steps left.
    SubmitResult send_message(std::string words);
    /// A reply in place of the model's next one; of a visual loop that has no first reply: that. Of two
    /// before the model would speak the later one counts.
    SubmitResult inject(std::string reply);
    /// The picture of that turn as it was annotated outside. That it is a PNG of the wanted size is
    /// for the caller to see to.
    SubmitResult annotate(int turn, std::vector<std::uint8_t> png);
    /// Answers a question; the first answer counts. False: nothing of that number waits.
    bool resolve(std::uint64_t request, Approval approval);

    [[nodiscard]] RunStatus status() const;
    /// Has `call` called after each change of `waiting()`, on the thread that caused it, one at a time,
    /// as long as what is returned is kept: when the last copy is gone, no call is under way any more.
    /// A call may ask this control, but change nothing. What is returned must not outlive the control.
    [[nodiscard]] std::shared_ptr<void> on_change(std::function<void()> call);

    [[nodiscard]] bool stopping() const { return safe_.stop_requested(); }
    [[nodiscard]] std::string stop_reason() const;
    [[nodiscard]] std::stop_token at_safe_point() const { return safe_.get_token(); }
    [[nodiscard]] std::stop_token at_once() const { return now_.get_token(); }

    // ---- from the run's thread ------------------------------------------------------------------

    enum class Replies { not_taken, taken }; ///< whether `inject` is possible
    void begin(Replies replies);
    void end();

    enum class Hold { no, yes };
    /// At a safe point: what was told since the last one, one thing at a time. Where there is nothing,
    /// waits as long as the run is to be held; nothing: the run goes on, or is to stop. Before its end
    /// nobody holds it (Hold::no), and where there is nothing, nothing more is taken.
    [[nodiscard]] std::optional<UserMessage> next_message(Hold hold = Hold::yes);
    /// Waits for `inject`; nothing: the run is to stop.
    [[nodiscard]] std::optional<UserMessage> wait_for_reply();
    /// Waits for `annotated`; nothing: the run is to stop.
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>>
    wait_for_annotation(AnnotationRequest wanted);
    /// Waits for `decide`; without consent where the run is to stop or `stop` is triggered first. Any
    /// thread may ask. The question's number is filled in.
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
