// A gate at which a scripted server waits until the test opens it, so that tests need no sleeps.
#pragma once

#include "eyehand/export.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace eyehand::vlm::testing {

/// Closed at first. Copies share one state; a gate may be used in several places. Thread-safe.
class EYEHAND_VLM_API Gate {
public:
    Gate();

    /// Lets the next `times` arrivals pass; those that are waiting come first.
    void pass(std::size_t times = 1) const;
    /// Lets all arrivals pass from now on.
    void open() const;
    /// Waits until the gate has been reached `times` times in total. Returns false after `timeout`.
    [[nodiscard]] bool wait_until_reached(std::size_t times,
                                          std::chrono::milliseconds timeout) const;

    /// For the server: returns true if it may continue at once. Otherwise calls `wake` once, on the
    /// thread that opens the gate; `wake` must not use the gate. `id` identifies the arrival.
    [[nodiscard]] bool arrive(const void* id, std::function<void()> wake) const;
    /// For the server: cancels this arrival. After it returns, `wake` neither runs nor will be
    /// called.
    void forget(const void* id) const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace eyehand::vlm::testing
