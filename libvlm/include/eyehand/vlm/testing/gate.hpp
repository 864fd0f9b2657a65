// A place where a scripted server waits until the test lets it go on: pauses without sleeping.
#pragma once

#include "eyehand/export.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace eyehand::vlm::testing {

/// Closed at first. Copies are the same gate; one gate may stand at several places. Thread-safe.
class EYEHAND_VLM_API Gate {
public:
    Gate();

    /// Lets the next `times` arrivals through, those that wait first.
    void pass(std::size_t times = 1) const;
    /// Lets everything through from now on.
    void open() const;
    /// Waits until the gate has been reached so many times in all; false when it took longer than
    /// `at_most`.
    [[nodiscard]] bool wait_until_reached(std::size_t times,
                                          std::chrono::milliseconds at_most) const;

    /// For the server: true if it may go on at once, else `wake` is called once when it may, from
    /// whatever thread opens the gate; it must not use the gate. `who` identifies the arrival.
    [[nodiscard]] bool arrive(const void* who, std::function<void()> wake) const;
    /// For the server: `wake` of this arrival is not called any more, and is not running.
    void forget(const void* who) const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace eyehand::vlm::testing
