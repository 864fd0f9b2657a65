#include "run/background_reply.hpp"

#include "eyehand/base/stoppable_wait.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

using Clock = std::chrono::steady_clock;

class RealTimeline final : public Timeline {
public:
    [[nodiscard]] Time now() const override { return Clock::now(); }
    [[nodiscard]] bool wait(std::chrono::milliseconds duration,
                            const std::stop_token& stop) override {
        return base::wait_for(duration, stop) == base::Waited::to_the_end;
    }
    [[nodiscard]] std::unique_ptr<PendingReply>
    send(vlm::ChatModel& model, const vlm::ChatRequest& request, std::stop_token stop) override {
        return std::make_unique<BackgroundReply>(model, request, std::move(stop));
    }
};

} // namespace

Timeline& Timeline::real() {
    static RealTimeline timeline;
    return timeline;
}

BackgroundReply::BackgroundReply(vlm::ChatModel& model, const vlm::ChatRequest& request,
                                 std::stop_token stop)
    : stop_(std::move(stop)), thread_([this, &model, &request] {
          const auto keep = [this](const vlm::Delta& delta) {
              {
                  const std::scoped_lock lock(mutex_);
                  deltas_.push_back(delta);
                  answered_ = answered_ || delta.kind != vlm::Delta::Kind::reasoning;
              }
              changed_.notify_one();
          };
          std::optional<vlm::ChatReply> reply;
          std::exception_ptr problem;
          try {
              reply = model.reply(request, keep, cancel_.get_token());
          } catch (...) {
              problem = std::current_exception();
          }
          {
              const std::scoped_lock lock(mutex_);
              reply_ = std::move(reply);
              problem_ = std::move(problem);
              ended_ = true;
          }
          changed_.notify_one();
      }) {}

BackgroundReply::~BackgroundReply() {
    cancel_.request_stop();
    if (thread_.joinable()) thread_.join();
}

bool BackgroundReply::wait_until(Time end, const vlm::OnDelta& on_delta) {
    for (;;) {
        bool ended = false;
        {
            std::unique_lock lock(mutex_);
            // Polls the token: see stop_poll_interval.
            changed_.wait_until(lock, std::min(end, Clock::now() + base::stop_poll_interval),
                                [this] { return ended_ || !deltas_.empty(); });
            ended = ended_;
        }
        pass_on(on_delta);
        if (stop_.stop_requested()) cancel_.request_stop();
        if (ended || Clock::now() >= end) return ended;
    }
}

bool BackgroundReply::is_answered() const {
    const std::scoped_lock lock(mutex_);
    return answered_;
}

vlm::ChatReply BackgroundReply::take(const vlm::OnDelta& on_delta) {
    while (!wait_until(Clock::now() + std::chrono::hours(1), on_delta)) {
    }
    thread_.join();
    if (problem_) std::rethrow_exception(problem_);
    return *std::move(reply_);
}

void BackgroundReply::pass_on(const vlm::OnDelta& on_delta) {
    std::vector<vlm::Delta> arrived;
    {
        const std::scoped_lock lock(mutex_);
        arrived.swap(deltas_);
    }
    if (!on_delta) return;
    for (const vlm::Delta& delta : arrived) on_delta(delta);
}

} // namespace eyehand::agent
