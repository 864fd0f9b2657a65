#include "eyehand/vlm/testing/gate.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

namespace eyehand::vlm::testing {

struct Gate::State {
    struct Arrival {
        const void* id = nullptr;
        std::function<void()> wake;
    };

    // Calls `wake` under the lock, so that no call is in progress when `forget` returns.
    void let_through() {
        while (!waiting.empty() && (is_open || passes > 0)) {
            if (!is_open) --passes;
            waiting.front().wake();
            waiting.pop_front();
        }
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Arrival> waiting;
    std::size_t passes = 0;
    std::size_t reached = 0;
    bool is_open = false;
};

Gate::Gate() : state_(std::make_shared<State>()) {}

void Gate::pass(std::size_t times) const {
    const std::lock_guard lock(state_->mutex);
    state_->passes += times;
    state_->let_through();
}

void Gate::open() const {
    const std::lock_guard lock(state_->mutex);
    state_->is_open = true;
    state_->let_through();
}

bool Gate::wait_until_reached(std::size_t times, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(state_->mutex);
    return state_->changed.wait_for(lock, timeout, [&] { return state_->reached >= times; });
}

bool Gate::arrive(const void* id, std::function<void()> wake) const {
    const std::lock_guard lock(state_->mutex);
    ++state_->reached;
    state_->changed.notify_all();
    if (state_->is_open) return true;
    if (state_->passes > 0) {
        --state_->passes;
        return true;
    }
    state_->waiting.push_back({id, std::move(wake)});
    return false;
}

void Gate::forget(const void* id) const {
    const std::lock_guard lock(state_->mutex);
    std::erase_if(state_->waiting, [&](const State::Arrival& entry) { return entry.id == id; });
}

} // namespace eyehand::vlm::testing
