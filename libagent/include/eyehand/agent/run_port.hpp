// The run's side of a RunControl, for programs with their own World and for tools that ask the
// user.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/export.hpp"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace eyehand::agent {

/// Receives the input of a RunControl. `request_approval`, `stop_at_limit`, `interrupt_action`,
/// `stopping` and the tokens may be used from any thread, everything else from the run's thread
/// only.
class EYEHAND_AGENT_API RunPort {
public:
    explicit RunPort(const RunControl& control) : state_(control.state_) {}

    enum class Replies { not_taken, taken }; ///< whether `RunControl::inject` is possible
    void begin(Replies replies);
    void end();

    enum class Hold { no, yes };
    /// Call it at a safe point, repeatedly: returns the messages since the last safe point, one per
    /// call. Without a message, waits while the run is held; returns nothing when the run continues
    /// or stops. With Hold::no, for the end of a run, it does not wait, and once no message is
    /// left, it accepts no further ones.
    [[nodiscard]] std::optional<UserMessage> next_message(Hold hold = Hold::yes);
    /// Waits for `RunControl::inject`; returns nothing if the run stops.
    [[nodiscard]] std::optional<UserMessage> wait_for_reply();
    /// Waits for `RunControl::annotate`; returns nullptr if the run stops.
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>>
    wait_for_annotation(AnnotationRequest wanted);
    /// Waits for `RunControl::resolve`. Denied if the run stops or `stop` is triggered first. Fills in
    /// the request's id.
    [[nodiscard]] Approval request_approval(ApprovalRequest request,
                                            const std::stop_token& stop = {});

    /// Like `RunControl::stop`, because a limit of the run is reached.
    void stop_at_limit(const std::string& reason);
    /// Interrupts an action that has started, and releases its keys and buttons; the run continues, and
    /// the call fails as if the user had taken over. Without effect between actions.
    void interrupt_action();

    /// To be called before each action on the desktop. The token is triggered when the action must be
    /// interrupted: when the run ends at once, or by `RunControl::take_over`.
    [[nodiscard]] std::stop_token begin_action();
    /// Whether the user has taken over since the last call, and has let the run continue.
    [[nodiscard]] bool was_taken_over();

    [[nodiscard]] bool stopping() const;
    [[nodiscard]] std::string stop_reason() const; ///< empty unless the run stops
    [[nodiscard]] bool at_limit() const;           ///< it stops because of a limit
    /// Triggered when the run ends at the next safe point.
    [[nodiscard]] std::stop_token at_safe_point() const;
    /// Triggered when the run ends at once.
    [[nodiscard]] std::stop_token at_once() const;

private:
    std::shared_ptr<RunControl::State> state_;
};

} // namespace eyehand::agent
