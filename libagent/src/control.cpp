#include "agent/control.hpp"

#include <chrono>
#include <utility>

namespace agent {

// ---- from any thread ----------------------------------------------------------------------------

void RunControl::stop(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (why_.empty()) why_ = why;
    }
    safe_.request_stop(); // outside the lock: callbacks may ask why()
    changed();
}

void RunControl::stop_now(const std::string& why) {
    stop(why);
    now_.request_stop();
}

std::string RunControl::why() const {
    const std::lock_guard lock(mutex_);
    return why_;
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

Reception RunControl::put(Told told) {
    {
        const std::lock_guard lock(mutex_);
        if (!begun_ || ended_ || safe_.stop_requested()) return Reception::over;
        if (told.text.size() > most_told) return Reception::too_long;
        if (told.kind == Told::Kind::reply) {
            if (!takes_replies_) return Reception::not_now;
            for (const Told& other : told_)
                if (other.kind == Told::Kind::reply) return Reception::not_now;
        }
        told_.push_back(std::move(told));
    }
    changed();
    return Reception::taken;
}

Reception RunControl::tell(std::string words) { return put({Told::Kind::words, std::move(words)}); }

Reception RunControl::inject(std::string reply) {
    return put({Told::Kind::reply, std::move(reply)});
}

Reception RunControl::annotated(int turn, std::vector<std::uint8_t> png) {
    {
        const std::lock_guard lock(mutex_);
        if (!begun_ || ended_ || safe_.stop_requested()) return Reception::over;
        if (!picture_wanted_ || picture_) return Reception::not_now;
        if (picture_wanted_->turn != turn) return Reception::outdated;
        picture_ = std::make_shared<const std::vector<std::uint8_t>>(std::move(png));
    }
    changed();
    return Reception::taken;
}

bool RunControl::decide(std::uint64_t question, Consent consent) {
    {
        const std::lock_guard lock(mutex_);
        if (questions_.erase(question) == 0) return false;
        consents_.emplace(question, std::move(consent));
    }
    changed();
    return true;
}

Waiting RunControl::waiting() const {
    const std::lock_guard lock(mutex_);
    Waiting all;
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

std::optional<Told> RunControl::next_told(Hold hold) {
    std::unique_lock lock(mutex_);
    while (!safe_.stop_requested()) {
        if (!told_.empty()) {
            Told told = std::move(told_.front());
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

std::optional<Told> RunControl::wait_for_reply() {
    const auto reply = [this] {
        auto it = told_.begin();
        while (it != told_.end() && it->kind != Told::Kind::reply) ++it;
        return it;
    };
    std::optional<Told> told;
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
RunControl::wait_for_picture(PictureWanted wanted) {
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

Consent RunControl::ask(Question question, const std::stop_token& stop) {
    // A stop callback would wake it at once; its destructor can hang with GCC 12's library for Windows.
    constexpr std::chrono::milliseconds look_every{20};
    std::uint64_t id = 0;
    {
        const std::lock_guard lock(mutex_);
        id = question.id = ++latest_question_;
        questions_.emplace(id, std::move(question));
    }
    changed();
    Consent consent{false, "Nobody answered: the run is being stopped."};
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

} // namespace agent
