// Time as a run sees it, and what takes time: waits and requests. Tests replace it by a virtual clock.
#pragma once

#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <memory>
#include <stop_token>

namespace eyehand::agent {

/// A request in progress. Use it on one thread. The destructor cancels the request and waits for its
/// end.
class PendingReply {
public:
    using Time = std::chrono::steady_clock::time_point;

    virtual ~PendingReply() = default;
    /// Waits until `end`; returns true as soon as the request has ended. Passes on the deltas that
    /// arrive, on this thread.
    [[nodiscard]] virtual bool wait_until(Time end, const vlm::OnDelta& on_delta) = 0;
    /// Whether a delta of text or of a tool call has arrived.
    [[nodiscard]] virtual bool is_answered() const = 0;
    virtual void cancel() = 0;
    /// Waits for the end of the request, and returns the reply or throws what `ChatModel::reply` has
    /// thrown. Call it once.
    [[nodiscard]] virtual vlm::ChatReply take(const vlm::OnDelta& on_delta) = 0;
};

class Timeline {
public:
    using Time = PendingReply::Time;

    virtual ~Timeline() = default;
    [[nodiscard]] virtual Time now() const = 0;
    /// Waits; returns false if the token is triggered earlier.
    [[nodiscard]] virtual bool wait(std::chrono::milliseconds duration,
                                    const std::stop_token& stop) = 0;
    /// Sends a request, which `stop` cancels. Model and request must outlive what it returns.
    [[nodiscard]] virtual std::unique_ptr<PendingReply>
    send(vlm::ChatModel& model, const vlm::ChatRequest& request, std::stop_token stop) = 0;

    /// The steady clock; a request has a thread of its own.
    [[nodiscard]] static Timeline& real();
};

} // namespace eyehand::agent
