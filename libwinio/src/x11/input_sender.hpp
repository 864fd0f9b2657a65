// Sends input to the server with XTEST.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "watchdog/hold_lease.hpp"
#include "x11/connection.hpp"
#include "x11/held_input.hpp"
#include "x11/input_translator.hpp"
#include "x11/spare_key_register.hpp"

namespace eyehand::winio::x11 {

class InputSender {
public:
    /// Refers to the connection and the lease, which must outlive it. Throws Error{not_supported} if
    /// the server lacks XTEST.
    InputSender(Connection& connection, HoldLease& lease);
    /// Releases held keys and buttons, and clears the spare keys after programs have had time to
    /// read their last characters.
    ~InputSender();
    InputSender(const InputSender&) = delete;
    InputSender& operator=(const InputSender&) = delete;

    [[nodiscard]] SendReport send(std::span<const InputEvent> events);

private:
    void adopt_orphans();
    /// The report for events that cannot be sent, because the watchdog has released what was held, or
    /// cannot be started.
    [[nodiscard]] std::optional<SendReport> hold_problem(std::span<const InputEvent> events,
                                                         std::span<const ReleaseCode> pressed);
    [[nodiscard]] std::optional<InputContext> context() const;
    void give(const InputSegment& segment) const;
    void give(const NativeInput& input) const;

    const Connection& connection_;
    InputTranslator translator_;
    SpareKeyRegister register_;
    HoldLease& lease_;
    HeldInput held_;
};

} // namespace eyehand::winio::x11
