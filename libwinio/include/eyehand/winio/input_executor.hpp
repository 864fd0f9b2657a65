// Carries plans out on a desktop, and lets go of everything it pressed.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>

namespace eyehand::winio {

/// What carrying out a plan came to.
struct ExecutionReport {
    std::size_t events = 0;   ///< input events the system took
    std::size_t released = 0; ///< keys and buttons let go that the plan itself did not release
    std::string problem{};    ///< why it broke off or what could not be undone, or empty
    std::error_code error{};  ///< the same for programs
    [[nodiscard]] bool complete() const { return !error; }
};

/// Sends a plan's steps in order, waits between them on the stop token, and keeps track of what is
/// held down: whatever happens, nothing that a plan pressed stays pressed, not even where the plan
/// ends without releasing it. Remembers the latest press, so keep one as long as its fence serves.
/// Refers to the desktop, which must outlive it. Not thread-safe.
class EYEHAND_WINIO_API InputExecutor {
public:
    /// Nothing outside `fence` can be aimed at: not by a move, and not by a button or the wheel
    /// where the pointer is already.
    InputExecutor(Desktop& desktop, WorkArea fence);
    /// Releases what is still held because the system refused to let go of it earlier.
    ~InputExecutor();
    InputExecutor(const InputExecutor&) = delete;
    InputExecutor& operator=(const InputExecutor&) = delete;

    [[nodiscard]] const WorkArea& fence() const;
    [[nodiscard]] Desktop& desktop() const;

    /// Carries out the plan. Never throws for what the system refuses: the report says so, with
    /// `input_refused`, `input_not_permitted`, `outside_work_area`, `cancelled`, `not_supported` or
    /// what the effect itself failed with. A plan with a target or a move outside the fence is
    /// refused before anything is sent.
    ///
    /// A plan whose first press would make a double-click of the latest press of an earlier plan
    /// (the same button, nearly the same place) waits until that can no longer happen: at most
    /// `Desktop::double_click_time` and a little. Within one plan nothing is delayed.
    ///
    /// What a ClipboardRestore is to put back is read before the plan writes to the clipboard; when
    /// that fails, or the clipboard holds what could not be put back (files, say), nothing is
    /// written: `clipboard_failed`. What somebody else has put there meanwhile stays. A plan that is
    /// stopped while a program may still be reading gives it 80 ms.
    [[nodiscard]] ExecutionReport execute(const Plan& plan, std::stop_token stop = {});

    /// Releases everything held, in the opposite order of pressing. Returns how many were let go;
    /// what the system refuses to release stays on the list, for the next time.
    std::size_t release_all() noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::winio
