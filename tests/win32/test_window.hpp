// The test window, in a process of its own, for the time of one test.
#pragma once

#include "test_window/state.hpp"

#include "winio/desktop.hpp"

#include "desktop_contract.hpp"

#include <windows.h>

#include <string>

using desktop_contract::eventually;

class TestWindow {
public:
    /// Starts the program, waits until its window is painted and brings it to the foreground. A
    /// test fails here when there is no such window.
    explicit TestWindow(winio::Desktop& desktop, winio::Point at = {120, 90});
    ~TestWindow();
    TestWindow(const TestWindow&) = delete;
    TestWindow& operator=(const TestWindow&) = delete;

    [[nodiscard]] const TestWindowState& state() const { return *state_; }
    [[nodiscard]] std::string text() const; ///< of the edit control
    [[nodiscard]] winio::WindowInfo info() const;
    [[nodiscard]] bool listed() const;
    [[nodiscard]] bool exits_within(std::chrono::milliseconds limit) const;

private:
    winio::Desktop& desktop_;
    HANDLE mapping_ = nullptr;
    TestWindowState* state_ = nullptr;
    PROCESS_INFORMATION process_{};
};

[[nodiscard]] winio::Rect rect_of(const SharedRect& shared);
[[nodiscard]] winio::Point centre_of(const SharedRect& shared);
