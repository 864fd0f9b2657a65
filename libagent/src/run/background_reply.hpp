// A request to the model, while the run's thread does something else.
#pragma once

#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace eyehand::agent {

/// Calls `ChatModel::reply` on a thread of its own. Model and request must outlive it. Use it on one
/// thread.
class BackgroundReply {
public:
    using Clock = std::chrono::steady_clock;

    /// `stop` cancels the request.
    BackgroundReply(vlm::ChatModel& model, const vlm::ChatRequest& request, std::stop_token stop);
    ~BackgroundReply(); ///< cancels the request and waits for its end
    BackgroundReply(const BackgroundReply&) = delete;
    BackgroundReply& operator=(const BackgroundReply&) = delete;

    /// Waits until `end`; returns true as soon as the request has ended. Passes on the deltas that
    /// arrive, on this thread.
    [[nodiscard]] bool wait_until(Clock::time_point end, const vlm::OnDelta& on_delta);
    /// Whether a delta of text or of a tool call has arrived.
    [[nodiscard]] bool is_answered() const;
    void cancel() { cancel_.request_stop(); }
    /// Waits for the end of the request, and returns the reply or throws what `reply` has thrown.
    [[nodiscard]] vlm::ChatReply take(const vlm::OnDelta& on_delta);

private:
    void pass_on(const vlm::OnDelta& on_delta);

    std::stop_token stop_;
    std::stop_source cancel_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<vlm::Delta> deltas_; ///< that have not been passed on
    bool answered_ = false;
    bool ended_ = false;
    std::optional<vlm::ChatReply> reply_;
    std::exception_ptr problem_;
    std::thread thread_;
};

} // namespace eyehand::agent
