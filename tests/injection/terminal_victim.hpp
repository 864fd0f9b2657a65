// What the terminals of all systems have in common.
#pragma once

#include "victim.hpp"

#include "catch.hpp"

#include <optional>
#include <string>
#include <utility>

namespace injection_tests {

class TerminalVictim : public Victim {
public:
    TerminalVictim(eyehand::winio::Desktop& desktop, std::string title)
        : desktop_(desktop), title_(std::move(title)) {}
    [[nodiscard]] eyehand::winio::Point target() const final {
        const auto found = window();
        REQUIRE(found);
        const eyehand::winio::Rect bounds = found->bounds;
        return {bounds.x + bounds.width / 2, bounds.y + bounds.height / 2};
    }

protected:
    // A process id would not find it: under Wine, the window belongs to the console.
    [[nodiscard]] std::optional<eyehand::winio::WindowInfo> window() const {
        return eyehand::winio::find_window(desktop_.windows()->list(), {.title = title_});
    }

    eyehand::winio::Desktop& desktop_;

private:
    std::string title_;
};

} // namespace injection_tests
