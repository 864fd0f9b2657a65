// Waits for a chord in any window, with RegisterHotKey.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/handles.hpp"
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
    void run() const;

    std::function<void()> pressed_;
    KernelObject stop_; ///< an event
    std::thread thread_;
};

} // namespace eyehand::winio::win32
