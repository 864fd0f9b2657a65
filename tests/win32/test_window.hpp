// The test window, in a separate process, for the duration of a test.
#pragma once

#include "test_window/state.hpp"

#include "eyehand/winio/desktop.hpp"
#include "win32/handles.hpp"

#include "desktop_contract.hpp"

#include <windows.h>

#include <memory>
#include <optional>
#include <string>

using desktop_contract::eventually;

/// Another program, which ends with its owner.
class TestProcess {
public:
    /// The test fails here if the program does not start. With `console_title`, the program gets a
    /// console of its own.
    explicit TestProcess(std::wstring command, std::wstring console_title = {});
    ~TestProcess() { TerminateProcess(process_.get(), 1); }
    TestProcess(const TestProcess&) = delete;
    TestProcess& operator=(const TestProcess&) = delete;
    [[nodiscard]] HANDLE handle() const { return process_.get(); }
    [[nodiscard]] DWORD id() const { return id_; }

private:
    eyehand::winio::win32::KernelObject process_;
    DWORD id_ = 0;
};

class TestWindow {
public:
    /// Starts the program, waits until its window is painted and brings it to the foreground. The
    /// test fails here if the window does not appear.
    explicit TestWindow(eyehand::winio::Desktop& desktop, eyehand::winio::Point at = {120, 90});
    ~TestWindow();
    TestWindow(const TestWindow&) = delete;
    TestWindow& operator=(const TestWindow&) = delete;

    [[nodiscard]] const TestWindowState& state() const { return *state_.get(); }
    [[nodiscard]] std::string text() const; ///< of the edit control
    [[nodiscard]] eyehand::winio::WindowInfo info() const;
    [[nodiscard]] bool exits_within(std::chrono::milliseconds limit) const;

    [[nodiscard]] HWND handle() const { return reinterpret_cast<HWND>(info().id); }
    /// Waits until the program has handled all messages that were sent or posted before. Returns
    /// false if it does not answer, for example because it is closed.
    [[nodiscard]] bool answers() const;
    void hang(); ///< its program answers no messages until `go_on`
    void go_on() { state_.get()->may_go_on = 1; }
    /// From now on, the area reacts to a press.
    void react_after(std::chrono::milliseconds time) {
        state_.get()->reaction = static_cast<int>(time.count());
    }

    void set_title(const std::string& utf8);
    /// Copies the text with the edit control, whose program then owns the clipboard.
    void copy(const std::string& utf8);

    [[nodiscard]] HANDLE process() const { return process_.handle(); }

private:
    // A separate class, so that it releases its resources if the constructor fails.
    class SharedState {
    public:
        explicit SharedState(const std::wstring& name);
        [[nodiscard]] TestWindowState* get() const { return view_.get(); }

    private:
        struct Unmap {
            void operator()(TestWindowState* state) const { UnmapViewOfFile(state); }
        };
        eyehand::winio::win32::KernelObject mapping_;
        std::unique_ptr<TestWindowState, Unmap> view_;
    };
    [[nodiscard]] std::optional<eyehand::winio::WindowInfo> find() const;

    eyehand::winio::Desktop& desktop_;
    std::wstring name_;
    SharedState state_;
    TestProcess process_;
};

[[nodiscard]] eyehand::winio::Rect rect_of(const SharedRect& shared);
[[nodiscard]] eyehand::winio::Point center_of(const SharedRect& shared);
