// A window of another program, and what reached it.
#pragma once

#include "desktop_contract.hpp"
#include "eyehand/winio/desktop.hpp"
#include "temp_folder.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace x11_tests {

using namespace std::chrono_literals;
using desktop_contract::patience;

/// Ends the process with this object.
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
};

class TestWindow {
public:
    /// Is there, and has the input, when the constructor returns.
    TestWindow(eyehand::winio::Desktop& desktop, const std::string& title, const Look& look = {});

    /// As the desktop describes it; the test fails when there is none.
    [[nodiscard]] eyehand::winio::WindowInfo info() const;
    /// A point in its middle.
    [[nodiscard]] eyehand::winio::Point centre() const;
    /// Lines of its log that begin with `what` and a space, without that.
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
