#include "eyehand/agent/control.hpp"

#include "base/text.hpp"
#include "eyehand/agent/run_port.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace eyehand::agent {

// The state that RunControl and RunPort share.
class RunControl::State {
public:
    using Clock = std::chrono::steady_clock;
    enum class Cause { user, limit };
    void stop(const std::string& reason, Cause cause = Cause::user);
    void stop_now(const std::string& reason);
    void pause();
    void resume();
    void step();
    bool take_over(Clock::time_point at);
    [[nodiscard]] SubmitResult put(UserMessage told);
    [[nodiscard]] SubmitResult annotate(int turn, std::vector<std::uint8_t> png);
    [[nodiscard]] bool resolve(std::uint64_t question, Approval approval);
    [[nodiscard]] RunStatus status() const;
    [[nodiscard]] std::uint64_t add_listener(std::function<void()> call);
    void remove_listener(std::uint64_t id);
    [[nodiscard]] bool stopping() const { return safe_.stop_requested(); }
    [[nodiscard]] std::string stop_reason() const;
    [[nodiscard]] bool at_limit() const;

    void begin(RunPort::Replies replies);
    void end();
    [[nodiscard]] std::optional<UserMessage> next_message(RunPort::Hold hold);
    [[nodiscard]] std::optional<UserMessage> wait_for_reply();
    [[nodiscard]] std::shared_ptr<const std::vector<std::uint8_t>>
    wait_for_annotation(AnnotationRequest wanted);
    [[nodiscard]] Approval request_approval(ApprovalRequest question, const std::stop_token& stop);
    [[nodiscard]] std::stop_token begin_action();
    [[nodiscard]] bool was_taken_over();
    [[nodiscard]] std::stop_token at_safe_point() const { return safe_.get_token(); }
    [[nodiscard]] std::stop_token at_once() const { return now_.get_token(); }
    void interrupt_action();

private:
    void changed();
    void continue_at_control();

    mutable std::mutex mutex_;
    std::condition_variable news_;
    bool begun_ = false;
    bool ended_ = false;
    bool paused_ = false;
    bool held_ = false;
    bool has_acted_ = false;
    bool taken_over_ = false;     ///< paused because of it
    bool was_taken_over_ = false; ///< the run does not know it yet
    Clock::time_point
        at_control_{}; ///< when the user last used this object to let the run continue
    int steps_ = 0;    ///< commands allowed while paused
    bool takes_replies_ = false;
    bool waits_for_reply_ = false;
    std::deque<UserMessage> told_;
    std::optional<AnnotationRequest> annotation_request_;
    std::shared_ptr<const std::vector<std::uint8_t>> annotated_;
    std::map<std::uint64_t, ApprovalRequest> questions_;
    std::map<std::uint64_t, Approval> approvals_;
    std::uint64_t latest_question_ = 0;
    std::string reason_;
    Cause cause_ = Cause::user;
    std::stop_source safe_;
    std::stop_source now_;
    std::stop_source action_; ///< of the present action

    std::mutex calling_; ///< held while the listeners are called
    std::map<std::uint64_t, std::function<void()>> listeners_;
    std::uint64_t latest_listener_ = 0;
};

// ---- from any thread ----------------------------------------------------------------------------

void RunControl::State::stop(const std::string& reason, Cause cause) {
    {
        const std::lock_guard lock(mutex_);
        if (reason_.empty()) {
            reason_ = cut_bytes(reason, max_message_bytes);
            cause_ = cause;
        }
    }
    safe_.request_stop(); // outside the lock: callbacks may call stop_reason()
    changed();
}

void RunControl::State::stop_now(const std::string& reason) {
    stop(reason);
    now_.request_stop();
    interrupt_action();
}

void RunControl::State::interrupt_action() {
    std::stop_source action = [this] {
        const std::lock_guard lock(mutex_);
        return action_;
    }();
    action.request_stop(); // outside the lock: it calls the callbacks of the token
}

std::string RunControl::State::stop_reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
}

bool RunControl::State::at_limit() const {
    const std::lock_guard lock(mutex_);
    return cause_ == Cause::limit;
}

void RunControl::State::pause() {
    {
        const std::lock_guard lock(mutex_);
        paused_ = true;
        steps_ = 0;
    }
    changed();
}

void RunControl::State::resume() {
    {
        const std::lock_guard lock(mutex_);
        paused_ = held_ = false;
        steps_ = 0;
        continue_at_control();
    }
    changed();
}

/// `mutex_` is locked.
void RunControl::State::continue_at_control() {
    taken_over_ = false;
    at_control_ = Clock::now();
}

bool RunControl::State::take_over(Clock::time_point at) {
    constexpr std::chrono::seconds way_back{1};
    {
        const std::lock_guard lock(mutex_);
        const bool user_is_asked = !questions_.empty() || waits_for_reply_ ||
                                   (annotation_request_.has_value() && !annotated_);
        if (!has_acted_ || ended_ || paused_ || safe_.stop_requested() || user_is_asked ||
            at < at_control_ + way_back)
            return false;
        paused_ = taken_over_ = was_taken_over_ = true;
        steps_ = 0;
    }
    interrupt_action();
    changed();
    return true;
}

void RunControl::State::step() {
    {
        const std::lock_guard lock(mutex_);
        if (paused_) ++steps_;
        paused_ = true;
        held_ = false;
        continue_at_control();
    }
    changed();
}

SubmitResult RunControl::State::put(UserMessage told) {
    {
        const std::lock_guard lock(mutex_);
        if (!begun_ || ended_ || safe_.stop_requested()) return SubmitResult::run_ended;
        if (told.text.size() > max_message_bytes) return SubmitResult::too_long;
        if (told.kind == UserMessage::Kind::reply) {
            if (!takes_replies_) return SubmitResult::not_expected;
            for (const UserMessage& other : told_)
                if (other.kind == UserMessage::Kind::reply) return SubmitResult::not_expected;
        }
        if (told_.size() >= max_waiting_messages) return SubmitResult::too_many;
        told_.push_back(std::move(told));
        at_control_ = Clock::now();
    }
    changed();
    return SubmitResult::accepted;
}

SubmitResult RunControl::State::annotate(int turn, std::vector<std::uint8_t> png) {
    {
        const std::lock_guard lock(mutex_);
        if (!begun_ || ended_ || safe_.stop_requested()) return SubmitResult::run_ended;
        if (!annotation_request_ || annotated_) return SubmitResult::not_expected;
        if (annotation_request_->turn != turn) return SubmitResult::outdated;
        if (png.size() > max_annotation_bytes) return SubmitResult::too_long;
        annotated_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(png));
        at_control_ = Clock::now();
    }
    changed();
    return SubmitResult::accepted;
}

bool RunControl::State::resolve(std::uint64_t question, Approval approval) {
    {
        const std::lock_guard lock(mutex_);
        if (questions_.erase(question) == 0) return false;
        approval.reason = cut_bytes(approval.reason, max_message_bytes);
        at_control_ = Clock::now();
        approvals_.emplace(question, std::move(approval));
    }
    changed();
    return true;
}

RunStatus RunControl::State::status() const {
    const std::lock_guard lock(mutex_);
    RunStatus all;
    all.stage = ended_ ? RunStage::ended : begun_ ? RunStage::running : RunStage::not_started;
    all.paused = paused_;
    all.held = held_;
    all.taken_over = taken_over_;
    all.stopping = safe_.stop_requested();
    all.takes_replies = takes_replies_;
    all.for_reply = waits_for_reply_;
    if (!annotated_) all.annotation_request = annotation_request_;
    for (const auto& [id, question] : questions_) all.approval_requests.push_back(question);
    return all;
}

std::uint64_t RunControl::State::add_listener(std::function<void()> call) {
    const std::lock_guard lock(calling_);
    const std::uint64_t id = ++latest_listener_;
    listeners_.emplace(id, std::move(call));
    return id;
}

void RunControl::State::remove_listener(std::uint64_t id) {
    const std::lock_guard no_call(calling_);
    listeners_.erase(id);
}

void RunControl::State::changed() {
    {
        // Without the lock, a thread between its check and its wait would miss the notification.
        const std::lock_guard lock(mutex_);
        news_.notify_all();
    }
    const std::lock_guard lock(calling_);
    for (const auto& [id, call] : listeners_) {
        try {
            call();
        } catch (...) { // NOLINT(bugprone-empty-catch): a front end must not end the run
        }
    }
}

// ---- from the run's thread ----------------------------------------------------------------------

void RunControl::State::begin(RunPort::Replies replies) {
    {
        const std::lock_guard lock(mutex_);
        begun_ = true;
        takes_replies_ = replies == RunPort::Replies::taken;
    }
    changed();
}

void RunControl::State::end() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed();
}

std::stop_token RunControl::State::begin_action() {
    const std::lock_guard lock(mutex_);
    has_acted_ = true;
    // A user who takes over directly before an action interrupts it, too.
    if (!was_taken_over_ && !now_.stop_requested()) action_ = {};
    return action_.get_token();
}

bool RunControl::State::was_taken_over() {
    const std::lock_guard lock(mutex_);
    return !taken_over_ && std::exchange(was_taken_over_, false);
}

std::optional<UserMessage> RunControl::State::next_message(RunPort::Hold hold) {
    std::unique_lock lock(mutex_);
    while (!safe_.stop_requested()) {
        if (!told_.empty()) {
            UserMessage told = std::move(told_.front());
            told_.pop_front();
            return told;
        }
        if (hold == RunPort::Hold::no) {
            ended_ = true;
            break;
        }
        if (!paused_) break;
        if (steps_ > 0) {
            --steps_;
            break;
        }
        held_ = true;
        lock.unlock();
        changed();
        lock.lock();
        news_.wait(lock, [this] {
            return !paused_ || steps_ > 0 || !told_.empty() || safe_.stop_requested();
        });
        held_ = false;
        lock.unlock();
        changed();
        lock.lock();
    }
    return std::nullopt;
}

std::optional<UserMessage> RunControl::State::wait_for_reply() {
    const auto reply = [this] {
        auto it = told_.begin();
        while (it != told_.end() && it->kind != UserMessage::Kind::reply) ++it;
        return it;
    };
    std::optional<UserMessage> told;
    {
        const std::lock_guard lock(mutex_);
        waits_for_reply_ = true;
    }
    changed();
    {
        std::unique_lock lock(mutex_);
        news_.wait(lock, [&] { return reply() != told_.end() || safe_.stop_requested(); });
        if (const auto it = reply(); it != told_.end() && !safe_.stop_requested()) {
            told = std::move(*it);
            told_.erase(it);
        }
        waits_for_reply_ = false;
    }
    changed();
    return told;
}

std::shared_ptr<const std::vector<std::uint8_t>>
RunControl::State::wait_for_annotation(AnnotationRequest wanted) {
    {
        const std::lock_guard lock(mutex_);
        annotated_.reset();
        annotation_request_ = std::move(wanted);
    }
    changed();
    std::shared_ptr<const std::vector<std::uint8_t>> annotated;
    {
        std::unique_lock lock(mutex_);
        news_.wait(lock, [this] { return annotated_ || safe_.stop_requested(); });
        annotated = std::exchange(annotated_, nullptr);
        annotation_request_.reset();
    }
    changed();
    return annotated;
}

Approval RunControl::State::request_approval(ApprovalRequest question,
                                             const std::stop_token& stop) {
    // Polls, because the destructor of a std::stop_callback can hang with GCC 12's library on
    // Windows.
    constexpr std::chrono::milliseconds look_every{20};
    std::uint64_t id = 0;
    {
        const std::lock_guard lock(mutex_);
        id = question.id = ++latest_question_;
        questions_.emplace(id, std::move(question));
    }
    changed();
    Approval approval{false, "The request was not answered: the run is stopping."};
    {
        std::unique_lock lock(mutex_);
        while (!approvals_.contains(id) && !safe_.stop_requested() && !stop.stop_requested()) {
            if (stop.stop_possible())
                news_.wait_for(lock, look_every);
            else
                news_.wait(lock);
        }
        if (const auto answer = approvals_.find(id); answer != approvals_.end()) {
            approval = std::move(answer->second);
            approvals_.erase(answer);
        }
        questions_.erase(id);
    }
    changed();
    return approval;
}

// ---- the two sides ------------------------------------------------------------------------------

RunControl::RunControl() : state_(std::make_shared<State>()) {}
void RunControl::stop(const std::string& reason) { state_->stop(reason); }
void RunControl::stop_now(const std::string& reason) { state_->stop_now(reason); }
void RunControl::pause() { state_->pause(); }
void RunControl::resume() { state_->resume(); }
void RunControl::step() { state_->step(); }
bool RunControl::take_over(std::chrono::steady_clock::time_point at) {
    return state_->take_over(at);
}

SubmitResult RunControl::send_message(std::string words) {
    return state_->put({UserMessage::Kind::words, std::move(words)});
}

SubmitResult RunControl::inject(std::string reply) {
    return state_->put({UserMessage::Kind::reply, std::move(reply)});
}

SubmitResult RunControl::annotate(int turn, std::vector<std::uint8_t> png) {
    return state_->annotate(turn, std::move(png));
}

bool RunControl::resolve(std::uint64_t request, Approval approval) {
    return state_->resolve(request, std::move(approval));
}

RunStatus RunControl::status() const { return state_->status(); }

std::shared_ptr<void> RunControl::on_change(std::function<void()> call) {
    const std::uint64_t id = state_->add_listener(std::move(call));
    return {state_.get(), [state = state_, id](State*) { state->remove_listener(id); }};
}

bool RunControl::stopping() const { return state_->stopping(); }
std::string RunControl::stop_reason() const { return state_->stop_reason(); }

void RunPort::begin(Replies replies) { state_->begin(replies); }
void RunPort::end() { state_->end(); }
std::optional<UserMessage> RunPort::next_message(Hold hold) { return state_->next_message(hold); }
std::optional<UserMessage> RunPort::wait_for_reply() { return state_->wait_for_reply(); }

std::shared_ptr<const std::vector<std::uint8_t>>
RunPort::wait_for_annotation(AnnotationRequest wanted) {
    return state_->wait_for_annotation(std::move(wanted));
}

Approval RunPort::request_approval(ApprovalRequest request, const std::stop_token& stop) {
    return state_->request_approval(std::move(request), stop);
}

void RunPort::stop_at_limit(const std::string& reason) {
    state_->stop(reason, RunControl::State::Cause::limit);
}
void RunPort::interrupt_action() { state_->interrupt_action(); }
std::stop_token RunPort::begin_action() { return state_->begin_action(); }
bool RunPort::was_taken_over() { return state_->was_taken_over(); }
bool RunPort::stopping() const { return state_->stopping(); }
std::string RunPort::stop_reason() const { return state_->stop_reason(); }
bool RunPort::at_limit() const { return state_->at_limit(); }
std::stop_token RunPort::at_safe_point() const { return state_->at_safe_point(); }
std::stop_token RunPort::at_once() const { return state_->at_once(); }

} // namespace eyehand::agent
