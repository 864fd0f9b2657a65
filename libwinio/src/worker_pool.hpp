// Threads that help their owner with a list of small tasks.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace eyehand::winio {

/// The owner always works, too, and waits only for items that helpers have started: nothing is lost
/// on a busy machine, where helpers may not get to run at all. Threads start when they are first
/// needed, are then idle between calls, and end with the pool.
class WorkerPool {
public:
    WorkerPool() = default;
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Calls `work` once for each item, on at most `threads` threads including this one, and
    /// returns when all items are done. After an exception, no further item is started, and the
    /// first exception is rethrown here. Uses fewer threads if the system does not provide more.
    /// Not reentrant.
    void run(std::span<const int> items, int threads, const std::function<void(int item)>& work);

private:
    struct Job {
        std::span<const int> unclaimed;
        const std::function<void(int)>& work;
        int helpers_wanted;
        int running = 0; // helpers that work on it
        std::exception_ptr problem;
    };

    void start_helpers(int count);
    void help();
    void work_on(Job& job, std::unique_lock<std::mutex>& lock);

    std::mutex mutex_; // guards all following members except helpers_
    std::condition_variable there_is_work_;
    std::condition_variable helper_is_done_;
    Job* job_ = nullptr;
    bool ending_ = false;
    std::vector<std::jthread> helpers_;
};

} // namespace eyehand::winio
