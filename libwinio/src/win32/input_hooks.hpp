// Watches the user with low-level hooks. In a process of its own, because all input of the session
// waits for the hooks of a process that is stopped.
#pragma once

#include "user/signal_detector.hpp"
#include "user/signal_source.hpp"
#include "win32/handles.hpp"
#include "win32/system_calls.hpp"

#include <windows.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

namespace eyehand::winio::win32 {

class InputHooks final : public SignalSource {
public:
    /// One object per process. Throws Error{not_supported} and std::system_error.
    explicit InputHooks(const UserWatchOptions& options);
    ~InputHooks() override;
    InputHooks(const InputHooks&) = delete;
    InputHooks& operator=(const InputHooks&) = delete;

private:
    void watch(std::promise<void> installed);
    void install();
    void install_again_if_removed();
    void note(const ReportedInput& input, DWORD time);
    void report(const std::vector<UserSignal>& signals);
    void write();
    static LRESULT CALLBACK on_key(int code, WPARAM message, LPARAM event);
    static LRESULT CALLBACK on_mouse(int code, WPARAM message, LPARAM event);

    SystemCalls system_;
    SignalDetector detector_;
    Hook keys_;
    Hook mouse_;
    DWORD latest_ = 0; ///< time of the latest input that a hook has received
    KernelObject stop_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<char> waiting_; ///< bytes to write
    bool over_ = false;

    std::thread hooks_;  ///< a hook must return quickly,
    std::thread writer_; ///< so it does not wait for the program
};

} // namespace eyehand::winio::win32
