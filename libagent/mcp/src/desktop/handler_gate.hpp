// Lets the handlers of requests in until their object ends.
#pragma once

#include "eyehand/mcp/error.hpp"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace eyehand::mcp {

/// The server may still call a handler after it was removed: the handler then finds a closed gate, which
/// it shares with the object that has ended. Thread-safe.
class HandlerGate {
public:
    /// A handler that is inside. Throws Error{cancelled} if the gate is closed.
    class Pass {
    public:
        explicit Pass(HandlerGate& gate) : gate_(gate) {
            const std::lock_guard lock(gate_.mutex_);
            if (gate_.is_closed_) throw Error(errc::cancelled, "the server has ended");
            ++gate_.inside_;
        }
        ~Pass() {
            const std::lock_guard lock(gate_.mutex_);
            --gate_.inside_;
            gate_.left_.notify_all();
        }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

    private:
        HandlerGate& gate_;
    };

    /// Waits until everyone inside has left.
    void close() {
        std::unique_lock lock(mutex_);
        is_closed_ = true;
        left_.wait(lock, [&] { return inside_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t inside_ = 0;
    bool is_closed_ = false;
};

/// `handler` for a server: throws if the gate is closed.
template <class Handler>
auto through(std::shared_ptr<HandlerGate> gate, Handler handler) {
    return [gate = std::move(gate), handler = std::move(handler)](auto&&... arguments) {
        const HandlerGate::Pass pass(*gate);
        return handler(std::forward<decltype(arguments)>(arguments)...);
    };
}

} // namespace eyehand::mcp
