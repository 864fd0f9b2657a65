// The door through which other threads reach a running agent.
#pragma once

#include <mutex>
#include <stop_token>
#include <string>

namespace agent {

/// Thread-safe. One control a run; it must outlive the run.
class RunControl {
public:
    /// Ends the run at the next safe point: a wait for the model or the screen is broken off within
    /// 100 ms, an action that has begun is finished first. `why` is the run's last word; the first
    /// one counts.
    void stop(const std::string& why = "stopped by the user");
    /// Ends the run at once: an action that has begun is broken off and what it pressed is
    /// released.
    void stop_now(const std::string& why = "stopped by the user");

    [[nodiscard]] bool stopping() const { return safe_.stop_requested(); }
    [[nodiscard]] std::string why() const;
    [[nodiscard]] std::stop_token at_safe_point() const { return safe_.get_token(); }
    [[nodiscard]] std::stop_token at_once() const { return now_.get_token(); }

private:
    mutable std::mutex mutex_;
    std::string why_;
    std::stop_source safe_;
    std::stop_source now_;
};

} // namespace agent
