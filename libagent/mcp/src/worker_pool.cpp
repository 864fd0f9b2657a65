#include "worker_pool.hpp"

#include <utility>

#ifndef _WIN32
#include <signal.h>
#endif

namespace eyehand::mcp {
namespace {

#ifdef _WIN32
struct SignalsForOthers {};
#else
/// Blocks signals while a thread is started: the threads of the program handle them.
class SignalsForOthers {
public:
    SignalsForOthers() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsForOthers() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsForOthers(const SignalsForOthers&) = delete;
    SignalsForOthers& operator=(const SignalsForOthers&) = delete;

private:
    sigset_t before_{};
};
#endif

} // namespace

WorkerPool::~WorkerPool() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::submit(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        const bool needs_thread = jobs_.size() >= idle_;
        if (needs_thread && threads_.size() < max_threads_) {
            [[maybe_unused]] const SignalsForOthers blocked;
            threads_.emplace_back([this] { work(); });
        } else if (needs_thread && jobs_.size() >= max_waiting_ + idle_) {
            return false;
        }
        jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
    return true;
}

void WorkerPool::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
        --idle_;
        if (jobs_.empty()) return;
        std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        job = nullptr; // releases what it holds without the lock
        lock.lock();
    }
}

} // namespace eyehand::mcp
