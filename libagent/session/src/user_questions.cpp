#include "eyehand/session/user_questions.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace eyehand::session {

class UserQuestions::Impl {
public:
    Impl(agent::RunControl control, AskUser ask)
        : control_(std::move(control)), ask_(std::move(ask)),
          listener_(control_.on_change([this] { look(); })), thread_([this] { answer(); }) {
        look(); // it may have questions already
    }
    ~Impl() {
        listener_.reset();
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
            withdrawn_.request_stop();
        }
        changed_.notify_all();
        thread_.join();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

private:
    /// Stores the open question. If it is a new one, the previous one was answered elsewhere or withdrawn by the
    /// run.
    void look() {
        const std::lock_guard lock(mutex_); // of two calls, the later one reads the later status
        const agent::RunStatus now = control_.status();
        const bool takes_over =
            ask_.continue_run && now.approval_requests.empty() && now.taken_over;
        const std::uint64_t id =
            now.approval_requests.empty() ? 0 : now.approval_requests.front().id;
        if ((request_ ? request_->id : 0) == id && taken_over_ == takes_over) return;
        request_ = id == 0 ? std::nullopt : std::optional(now.approval_requests.front());
        taken_over_ = takes_over;
        ++questions_;
        withdrawn_.request_stop();
        withdrawn_ = {};
        changed_.notify_all();
    }

    void answer() {
        int asked = 0;
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [&] {
                return over_ || (asked != questions_ && (request_.has_value() || taken_over_));
            });
            if (over_) return;
            asked = questions_;
            const std::optional<agent::ApprovalRequest> request = request_;
            const std::stop_token withdrawn = withdrawn_.get_token();
            lock.unlock();
            if (request)
                ask_.approve(*request, withdrawn);
            else
                ask_.continue_run(withdrawn);
            lock.lock();
        }
    }

    agent::RunControl control_;
    const AskUser ask_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::optional<agent::ApprovalRequest> request_; ///< the oldest pending one
    bool taken_over_ = false;                       ///< without a request
    int questions_ = 0;                             ///< so far
    std::stop_source withdrawn_;                    ///< of the question that is being asked
    std::shared_ptr<void> listener_;
    std::thread thread_;
};

UserQuestions::UserQuestions(agent::RunControl control, AskUser ask)
    : impl_(std::make_unique<Impl>(std::move(control), std::move(ask))) {}
UserQuestions::~UserQuestions() = default;

} // namespace eyehand::session
