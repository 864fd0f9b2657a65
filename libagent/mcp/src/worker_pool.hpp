// Threads that run the handlers of requests.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace eyehand::mcp {

/// Starts threads when they are needed, and keeps them. Thread-safe.
class WorkerPool {
public:
    WorkerPool(std::size_t max_threads, std::size_t max_waiting)
        : max_threads_(max_threads), max_waiting_(max_waiting) {}
    /// Executes what waits, then ends.
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// False: too many jobs wait.
    [[nodiscard]] bool submit(std::function<void()> job);

private:
    void work();

    const std::size_t max_threads_;
    const std::size_t max_waiting_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> jobs_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

} // namespace eyehand::mcp
