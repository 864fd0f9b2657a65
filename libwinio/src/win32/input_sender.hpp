// Sends input with SendInput. Never blocks the user's input (BlockInput).
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "watchdog/hold_lease.hpp"
#include "win32/input_translator.hpp"
#include "win32/system_calls.hpp"

#include <optional>
#include <span>
#include <string>

namespace eyehand::winio::win32 {

/// Its destructor releases keys and buttons that it pressed and that are not released yet.
class InputSender {
public:
    /// Refers to `system` and the lease, which must outlive it.
    InputSender(const SystemCalls& system, HoldLease& lease) : system_(system), lease_(lease) {}
    ~InputSender();
    InputSender(const InputSender&) = delete;
    InputSender& operator=(const InputSender&) = delete;
    [[nodiscard]] SendReport send(std::span<const InputEvent> events);

private:
    [[nodiscard]] InputContext context() const;
    [[nodiscard]] std::optional<std::string>
    permission_problem(std::span<const InputEvent> events) const;
    [[nodiscard]] std::vector<NativeInput> releases_of_users_modifiers() const;
    struct Taken {
        std::size_t inputs = 0;
        DWORD error = ERROR_SUCCESS;
    };
    Taken give(std::span<const NativeInput> inputs);
    Taken give_with_pauses(std::span<const NativeInput> inputs);
    Taken give_move(NativeInput move);
    void remember(std::span<const NativeInput> accepted);
    /// Tells the watchdog. Throws what `HoldLease::hold` throws.
    void prepare(std::span<const NativeInput> inputs);

    const SystemCalls& system_;
    HoldLease& lease_;
    InputTranslator translator_;
    std::vector<NativeInput> pressed_;          ///< and not released yet
    std::uintptr_t last_mark_ = GetTickCount(); ///< of the last move; its low half is sent
};

} // namespace eyehand::winio::win32
