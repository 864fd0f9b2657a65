// Work on several threads that ends before the call does.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

namespace winio {

/// Calls `work` once for each item, on at most `threads` threads: this one and others that live
/// only as long as the call. After an exception no further item is begun, and the first one is
/// thrown again here. Fewer threads do when the system gives no more.
inline void share_out(std::span<const int> items, int threads,
                      const std::function<void(int item)>& work) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr problem;
    const auto take_part = [&]() noexcept {
        for (std::size_t at = 0; (at = next++) < items.size();) {
            try {
                work(items[at]);
            } catch (...) {
                next = items.size();
                const std::lock_guard lock(mutex);
                if (!problem) problem = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t wanted = std::min(static_cast<std::size_t>(threads), items.size());
        try {
            while (others.size() + 1 < wanted) others.emplace_back(take_part);
        } catch (const std::system_error&) {
            // Then this thread does more of it.
        }
        take_part();
    }
    if (problem) std::rethrow_exception(problem);
}

} // namespace winio
