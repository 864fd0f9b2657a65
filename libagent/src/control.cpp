#include "agent/control.hpp"

namespace agent {

void RunControl::stop(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (why_.empty()) why_ = why;
    }
    safe_.request_stop(); // outside the lock: callbacks may ask why()
}

void RunControl::stop_now(const std::string& why) {
    stop(why);
    now_.request_stop();
}

std::string RunControl::why() const {
    const std::lock_guard lock(mutex_);
    return why_;
}

} // namespace agent
