// A window of another program, and the input that it received.
#pragma once

#include "desktop_contract.hpp"
#include "eyehand/winio/desktop.hpp"
#include "temp_folder.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace x11_tests {

using namespace std::chrono_literals;
using desktop_contract::patience;

/// Ends the process in its destructor.
class Process {
public:
    explicit Process(const std::vector<std::string>& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    [[nodiscard]] bool has_ended();

private:
    pid_t process_;
    bool ended_ = false;
};

struct Look {
    eyehand::winio::Size size{400, 300};
    std::string color = "3366cc";
    /// The window becomes dark this time after a press of a button, and the area around the pointer at once; negative:
    /// only that area. Empty: it does not react.
    std::optional<std::chrono::milliseconds> reaction{};
};

class TestWindow {
public:
    /// When the constructor returns, the window exists and has the input focus.
    TestWindow(eyehand::winio::Desktop& desktop, const std::string& title, const Look& look = {});

    /// The desktop's description of the window; the test fails if the window does not exist.
    [[nodiscard]] eyehand::winio::WindowInfo info() const;
    /// The center of the window.
    [[nodiscard]] eyehand::winio::Point center() const;
    /// The lines of its log that begin with `what` and a space, without this prefix.
    [[nodiscard]] std::vector<std::string> lines(const std::string& what) const;
    /// The characters of its "key" lines.
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool has_ended() { return process_.has_ended(); }

private:
    eyehand::winio::Desktop& desktop_;
    std::string title_;
    test::TempFolder folder_;
    Process process_;
};

} // namespace x11_tests
