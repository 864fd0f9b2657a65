// Threads that help their owner with a list of small things to do.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace eyehand::winio {

/// The owner always works itself and waits only for what others have really begun: on a busy
/// machine, where they may not get to run at all, nothing is lost. Threads are started when they
/// are first needed and then wait for more; they end with the pool.
class WorkerPool {
public:
    WorkerPool() = default;
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Calls `work` once for each item, on at most `threads` threads including this one, and
    /// returns when all are done. After an exception no further item is begun, and the first one
    /// is thrown again here. Fewer threads do when the system gives no more. Not reentrant.
    void run(std::span<const int> items, int threads, const std::function<void(int item)>& work);

private:
    struct Job {
        std::span<const int> unclaimed;
        const std::function<void(int)>& work;
        int helpers_wanted;
        int running = 0; // helpers at work on it
        std::exception_ptr problem;
    };

    void start_helpers(int count);
    void help();
    void work_on(Job& job, std::unique_lock<std::mutex>& lock);

    std::mutex mutex_; // of all that follows but helpers_
    std::condition_variable there_is_work_;
    std::condition_variable helper_is_done_;
    Job* job_ = nullptr;
    bool ending_ = false;
    std::vector<std::jthread> helpers_;
};

} // namespace eyehand::winio
