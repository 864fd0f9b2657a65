// Executes plans on a desktop, and releases everything that it pressed.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>

namespace eyehand::winio {

/// The result of executing a plan.
struct ExecutionReport {
    std::size_t events = 0;   ///< input events that the system accepted
    std::size_t released = 0; ///< keys and buttons released because the plan itself did not
    std::string problem{};    ///< why the plan broke off or what could not be undone, or empty
    std::error_code error{};  ///< the same as a code
    [[nodiscard]] bool complete() const { return !error; }
};

/// A reason, in a clause, not to send the batch; otherwise nothing.
using CheckBatch = std::function<std::optional<std::string>(const Batch& batch)>;

/// Executes a plan's steps in order and waits between them; a stop token ends these waits. Keeps
/// track of pressed keys and buttons and releases them when a plan ends or fails. Remembers the
/// latest press, so use one executor for as long as its fence is valid. Refers to the desktop,
/// which must outlive it. Not thread-safe.
class EYEHAND_WINIO_API InputExecutor {
public:
    /// The executor refuses to move the pointer outside `fence`, and to press a button or turn the
    /// wheel while the pointer is outside.
    InputExecutor(Desktop& desktop, WorkArea fence);
    /// Releases keys and buttons that are still pressed because the system refused an earlier
    /// release.
    ~InputExecutor();
    InputExecutor(const InputExecutor&) = delete;
    InputExecutor& operator=(const InputExecutor&) = delete;

    [[nodiscard]] const WorkArea& fence() const;
    [[nodiscard]] Desktop& desktop() const;

    /// Executes the plan. Reports what the system refuses instead of throwing: with
    /// `input_refused`, `input_not_permitted`, `outside_work_area`, `cancelled`, `not_supported` or
    /// the error of the effect. A plan with a target or a move outside the fence is refused before
    /// anything is sent.
    ///
    /// If a plan's first press and the latest press of an earlier plan could count as a
    /// double-click (the same button, at most 8 pixels apart), the press waits until they no longer
    /// can: at most `Desktop::double_click_time` plus 16 ms. Presses within one plan are not
    /// delayed. `keep_apart` waits earlier.
    ///
    /// If the plan contains a ClipboardRestore, the content of the clipboard is read before the
    /// plan writes to it. If that fails, or if the clipboard holds content that cannot be restored
    /// (files, for example), nothing is written and the error is `clipboard_failed`. Content that
    /// another program copied meanwhile is not replaced. If a plan is stopped while a program may
    /// still be reading the clipboard, the program gets up to 80 ms before the content is restored.
    ///
    /// `check` is called directly before each batch that presses a key or a button, turns the wheel or
    /// types; a reason ends the plan with `raced`, and nothing of the batch is sent.
    [[nodiscard]] ExecutionReport execute(const Plan& plan, std::stop_token stop = {},
                                          const CheckBatch& check = {});

    /// Waits as long as `execute` would wait before the plan's first press, so that the caller can
    /// look at the screen after this wait and directly before the press. Throws Error{cancelled}.
    void keep_apart(const Plan& plan, std::stop_token stop = {}) const;

    /// Releases all pressed keys and buttons, the last pressed first, and returns the number of
    /// releases. A key or button that the system refuses to release is tried again next time.
    std::size_t release_all() noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::winio
