// A request to the model, while the run's thread does something else.
#pragma once

#include "run/timeline.hpp"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace eyehand::agent {

/// Calls `ChatModel::reply` on a thread of its own.
class BackgroundReply final : public PendingReply {
public:
    /// Model and request must outlive it. `stop` cancels the request.
    BackgroundReply(vlm::ChatModel& model, const vlm::ChatRequest& request, std::stop_token stop);
    ~BackgroundReply() override;
    BackgroundReply(const BackgroundReply&) = delete;
    BackgroundReply& operator=(const BackgroundReply&) = delete;

    [[nodiscard]] bool wait_until(Time end, const vlm::OnDelta& on_delta) override;
    [[nodiscard]] bool is_answered() const override;
    void cancel() override { cancel_.request_stop(); }
    [[nodiscard]] vlm::ChatReply take(const vlm::OnDelta& on_delta) override;

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
