// Gives input to the system by SendInput. Never blocks the user's own (BlockInput).
#pragma once

#include "win32/input_translator.hpp"
#include "win32/system_calls.hpp"
#include "winio/desktop.hpp"

#include <optional>
#include <span>
#include <string>

namespace winio::win32 {

class InputSender {
public:
    /// Refers to `system`, which must outlive it.
    explicit InputSender(const SystemCalls& system) : system_(system) {}
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

    const SystemCalls& system_;
    InputTranslator translator_;
};

} // namespace winio::win32
