#include "worker_pool.hpp"

#include <system_error>

namespace eyehand::winio {

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    there_is_work_.notify_all();
}

void WorkerPool::run(std::span<const int> items, int threads,
                     const std::function<void(int)>& work) {
    start_helpers(threads - 1);
    Job job{.unclaimed = items,
            .work = work,
            .helpers_wanted = threads - 1,
            .running = 0,
            .problem = {}};
    std::unique_lock lock(mutex_);
    if (threads > 1) {
        job_ = &job;
        there_is_work_.notify_all();
    }
    work_on(job, lock);
    job_ = nullptr; // late helpers find no job
    helper_is_done_.wait(lock, [&job] { return job.running == 0; });
    if (job.problem) std::rethrow_exception(job.problem);
}

void WorkerPool::start_helpers(int count) {
    try {
        while (static_cast<int>(helpers_.size()) < count) helpers_.emplace_back([this] { help(); });
    } catch (const std::system_error&) {
        // Continue with fewer helpers.
    }
}

void WorkerPool::help() {
    std::unique_lock lock(mutex_);
    for (;;) {
        there_is_work_.wait(lock, [this] {
            return ending_ ||
                   (job_ != nullptr && job_->helpers_wanted > 0 && !job_->unclaimed.empty());
        });
        if (ending_) return;
        Job& job = *job_;
        --job.helpers_wanted;
        ++job.running;
        work_on(job, lock);
        if (--job.running == 0) helper_is_done_.notify_one();
    }
}

// Releases the lock while it works on an item.
void WorkerPool::work_on(Job& job, std::unique_lock<std::mutex>& lock) {
    while (!job.unclaimed.empty()) {
        const int item = job.unclaimed.front();
        job.unclaimed = job.unclaimed.subspan(1);
        lock.unlock();
        std::exception_ptr problem;
        try {
            job.work(item);
        } catch (...) {
            problem = std::current_exception();
        }
        lock.lock();
        if (!problem) continue;
        if (!job.problem) job.problem = problem;
        job.unclaimed = {};
    }
}

} // namespace eyehand::winio
