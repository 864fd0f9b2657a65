// Watches the user with a helper process, which has low-level hooks (input_hooks.hpp).
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/helper_process.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace eyehand::winio::win32 {

class HelperUserWatch final : public UserWatch {
public:
    /// `command` as DesktopOptions::watchdog. Throws Error{not_supported} without a command, and
    /// Error{launch_failed}.
    HelperUserWatch(const std::vector<std::string>& command, const UserWatchOptions& options,
                    std::function<void(UserSignal)> call);
    ~HelperUserWatch() override;
    HelperUserWatch(const HelperUserWatch&) = delete;
    HelperUserWatch& operator=(const HelperUserWatch&) = delete;

private:
    void read();
    /// After this, the end of the helper is not reported.
    void end();

    Win32HelperProcess helper_;
    std::function<void(UserSignal)> call_;
    std::atomic<bool> ends_ = false;
    std::promise<bool> starts_; ///< false: the helper has ended instead
    std::thread thread_;
};

} // namespace eyehand::winio::win32
