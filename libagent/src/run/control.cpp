#include "eyehand/agent/control.hpp"

#include <chrono>
#include <utility>

namespace eyehand::agent {

// ---- from any thread ----------------------------------------------------------------------------

void RunControl::stop(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        if (reason_.empty()) reason_ = reason;
    }
    safe_.request_stop(); // outside the lock: callbacks may ask why()
    changed();
}

void RunControl::stop_now(const std::string& reason) {
    stop(reason);
    now_.request_stop();
}

std::string RunControl::stop_reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
}

void RunControl::pause() {
    {
        const std::lock_guard lock(mutex_);
        paused_ = true;
        steps_ = 0;
    }
    changed();
}

void RunControl::resume() {
    {
        const std::lock_guard lock(mutex_);
        paused_ = held_ = false;
        steps_ = 0;
    }
    changed();
}

void RunControl::step() {
    {
        const std::lock_guard lock(mutex_);
        if (paused_) ++steps_;
        paused_ = true;
        held_ = false;
    }
    changed();
}

SubmitResult RunControl::put(UserMessage told) {
    {
        const std::lock_guard lock(mutex_);
        if (!begun_ || ended_ || safe_.stop_requested()) return SubmitResult::run_ended;
        if (told.text.size() > max_message_bytes) return SubmitResult::too_long;
        if (told.kind == UserMessage::Kind::reply) {
            if (!takes_replies_) return SubmitResult::not_expected;
            for (const UserMessage& other : told_)
                if (other.kind == UserMessage::Kind::reply) return SubmitResult::not_expected;
        }
        told_.push_back(std::move(told));
    }
    changed();
    return SubmitResult::accepted;
}

SubmitResult RunControl::send_message(std::string words) {
    return put({UserMessage::Kind::words, std::move(words)});
}

SubmitResult RunControl::inject(std::string reply) {
    return put({UserMessage::Kind::reply, std::move(reply)});
}

SubmitResult RunControl::annotate(int turn, std::vector<std::uint8_t> png) {
    {
        const std::lock_guard lock(mutex_);
        if (!begun_ || ended_ || safe_.stop_requested()) return SubmitResult::run_ended;
        if (!picture_wanted_ || picture_) return SubmitResult::not_expected;
        if (picture_wanted_->turn != turn) return SubmitResult::outdated;
        picture_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(png));
    }
    changed();
    return SubmitResult::accepted;
}

bool RunControl::resolve(std::uint64_t question, Approval consent) {
    {
        const std::lock_guard lock(mutex_);
        if (questions_.erase(question) == 0) return false;
        consents_.emplace(question, std::move(consent));
    }
    changed();
    return true;
}

RunStatus RunControl::status() const {
    const std::lock_guard lock(mutex_);
    RunStatus all;
    all.begun = begun_ && !ended_;
    all.paused = paused_;
    all.held = held_;
    all.stopping = safe_.stop_requested();
    all.takes_replies = takes_replies_;
    all.for_reply = waits_for_reply_;
    if (!picture_) all.picture = picture_wanted_;
    for (const auto& [id, question] : questions_) all.questions.push_back(question);
    return all;
}

std::shared_ptr<void> RunControl::on_change(std::function<void()> call) {
    const std::lock_guard lock(calling_);
    const std::uint64_t id = ++latest_listener_;
    listeners_.emplace(id, std::move(call));
    return {this, [id](RunControl* control) {
                const std::lock_guard no_call(control->calling_);
                control->listeners_.erase(id);
            }};
}

void RunControl::changed() {
    {
        // A wait between its look at the state and its sleep would miss the news.
        const std::lock_guard lock(mutex_);
        news_.notify_all();
    }
    const std::lock_guard lock(calling_);
    for (const auto& [id, call] : listeners_) call();
}

// ---- from the run's thread ----------------------------------------------------------------------

void RunControl::begin(Replies replies) {
    {
        const std::lock_guard lock(mutex_);
        begun_ = true;
        takes_replies_ = replies == Replies::taken;
    }
    changed();
}

void RunControl::end() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed();
}

std::optional<UserMessage> RunControl::next_message(Hold hold) {
    std::unique_lock lock(mutex_);
    while (!safe_.stop_requested()) {
        if (!told_.empty()) {
            UserMessage told = std::move(told_.front());
            told_.pop_front();
            return told;
        }
        if (hold == Hold::no) {
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

std::optional<UserMessage> RunControl::wait_for_reply() {
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
RunControl::wait_for_annotation(AnnotationRequest wanted) {
    {
        const std::lock_guard lock(mutex_);
        picture_.reset();
        picture_wanted_ = std::move(wanted);
    }
    changed();
    std::shared_ptr<const std::vector<std::uint8_t>> picture;
    {
        std::unique_lock lock(mutex_);
        news_.wait(lock, [this] { return picture_ || safe_.stop_requested(); });
        picture = std::exchange(picture_, nullptr);
        picture_wanted_.reset();
    }
    changed();
    return picture;
}

Approval RunControl::request_approval(ApprovalRequest question, const std::stop_token& stop) {
    // A stop callback would wake it at once; its destructor can hang with GCC 12's library for Windows.
    constexpr std::chrono::milliseconds look_every{20};
    std::uint64_t id = 0;
    {
        const std::lock_guard lock(mutex_);
        id = question.id = ++latest_question_;
        questions_.emplace(id, std::move(question));
    }
    changed();
    Approval consent{false, "Nobody answered: the run is being stopped."};
    {
        std::unique_lock lock(mutex_);
        while (!consents_.contains(id) && !safe_.stop_requested() && !stop.stop_requested()) {
            if (stop.stop_possible())
                news_.wait_for(lock, look_every);
            else
                news_.wait(lock);
        }
        if (const auto answer = consents_.find(id); answer != consents_.end()) {
            consent = std::move(answer->second);
            consents_.erase(answer);
        }
        questions_.erase(id);
    }
    changed();
    return consent;
}

} // namespace eyehand::agent
