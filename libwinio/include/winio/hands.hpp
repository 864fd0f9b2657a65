// Carries plans out on a desktop, and lets go of everything it pressed.
#pragma once

#include "winio/desktop.hpp"

#include <stop_token>
#include <vector>

namespace winio {

/// What carrying out a plan came to.
struct HandsReport {
    std::size_t events = 0;   ///< input events the system took
    std::size_t released = 0; ///< keys and buttons let go that the plan itself did not release
    std::string problem{};    ///< why it broke off, or empty
    std::error_code error{};  ///< the same for programs
    [[nodiscard]] bool complete() const { return !error; }
};

/// Sends a plan's steps in order, waits between them on the stop token, and keeps track of what is
/// held down: whatever happens, nothing that a plan pressed stays pressed, not even where the plan
/// ends without releasing it. Refers to the desktop, which must outlive it. Not thread-safe.
class Hands {
public:
    /// Nothing outside `fence` can be aimed at: not by a move, and not by a button or the wheel
    /// where the pointer is already.
    Hands(Desktop& desktop, WorkArea fence);
    /// Releases what is still held because the system refused to let go of it earlier.
    ~Hands();
    Hands(const Hands&) = delete;
    Hands& operator=(const Hands&) = delete;

    [[nodiscard]] const WorkArea& fence() const { return fence_; }

    /// Carries out the plan. Never throws for what the system refuses: the report says so, with
    /// `input_refused`, `input_not_permitted`, `outside_work_area`, `cancelled`, `not_supported` or
    /// what the effect itself failed with. A plan with a target or a move outside the fence is
    /// refused before anything is sent.
    [[nodiscard]] HandsReport carry_out(const Plan& plan, std::stop_token stop = {});

    /// Releases everything held, in the opposite order of pressing. Returns how many were let go;
    /// what the system refuses to release stays on the list.
    std::size_t release_all();

private:
    using Held = std::variant<Button, Key>;
    void send(const Batch& batch, HandsReport& report, const std::stop_token& stop);
    [[nodiscard]] std::optional<Point> pointer_outside(const std::stop_token& stop);
    void note(const InputEvent& event);

    Desktop& desktop_;
    WorkArea fence_;
    std::vector<Held> held_;
};

} // namespace winio
