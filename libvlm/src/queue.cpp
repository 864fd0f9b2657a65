#include "queue.hpp"

#include "eyehand/base/stoppable_wait.hpp"
#include "eyehand/vlm/error.hpp"

#include <condition_variable>
#include <map>
#include <mutex>

namespace eyehand::vlm {

struct Turn::Queue {
    std::mutex mutex;
    std::condition_variable freed;
    bool taken = false;
};

std::shared_ptr<Turn::Queue> Turn::queue_of(const std::string& server) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<Queue>> queues;
    const std::lock_guard lock(mutex);
    std::weak_ptr<Queue>& known = queues[server];
    std::shared_ptr<Queue> queue = known.lock();
    if (!queue) known = queue = std::make_shared<Queue>();
    return queue;
}

Turn::Turn(const std::string& server, const std::stop_token& stop) : queue_(queue_of(server)) {
    std::unique_lock lock(queue_->mutex);
    while (queue_->taken) {
        if (stop.stop_requested())
            throw Error(errc::cancelled,
                        "the request to " + server + " was canceled before it was sent");
        queue_->freed.wait_for(lock, base::stop_poll_interval);
    }
    queue_->taken = true;
}

Turn::~Turn() {
    {
        const std::lock_guard lock(queue_->mutex);
        queue_->taken = false;
    }
    queue_->freed.notify_one();
}

} // namespace eyehand::vlm
