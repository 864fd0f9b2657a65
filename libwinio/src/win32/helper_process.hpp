// A helper process whose output another thread can read.
#pragma once

#include "watchdog/helper_process.hpp"
#include "win32/handles.hpp"

#include <windows.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio::win32 {

class Win32HelperProcess final : public HelperProcess {
public:
    /// Throws Error{launch_failed}.
    explicit Win32HelperProcess(const std::vector<std::string>& command);
    ~Win32HelperProcess() override;
    Win32HelperProcess(const Win32HelperProcess&) = delete;
    Win32HelperProcess& operator=(const Win32HelperProcess&) = delete;

    [[nodiscard]] bool send(std::string_view text) override;
    [[nodiscard]] bool has_answered() override;

    /// Waits for bytes and returns their number; 0 after the process has ended. May be called on
    /// another thread than `end`.
    [[nodiscard]] std::size_t receive(std::span<char> into);
    /// Ends its standard input, and the process itself if it still runs after a second.
    void end();

private:
    /// Returns zero, or GetLastError's reason why not.
    DWORD start(const std::vector<std::string>& command, HANDLE input, HANDLE output);

    KernelObject to_;
    KernelObject from_;
    KernelObject process_;
};

} // namespace eyehand::winio::win32
