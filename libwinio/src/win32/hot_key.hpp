// Waits for a chord in any window, with RegisterHotKey.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/system_calls.hpp"

#include <functional>
#include <thread>

namespace eyehand::winio::win32 {

class RegisteredHotKey final : public HotKey {
public:
    /// Refers to `system` only in the constructor. Throws Error{not_supported} and
    /// Error{input_refused}.
    RegisteredHotKey(const SystemCalls& system, const KeyChord& chord,
                     std::function<void()> pressed);
    ~RegisteredHotKey() override;
    RegisteredHotKey(const RegisteredHotKey&) = delete;
    RegisteredHotKey& operator=(const RegisteredHotKey&) = delete;

private:
    std::function<void()> pressed_;
    std::thread thread_;
    DWORD thread_id_ = 0;
};

} // namespace eyehand::winio::win32
