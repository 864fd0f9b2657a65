// A back-end that implements only the required functions.
#pragma once

#include "eyehand/winio/testing/memory_desktop.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

/// Has no clipboard, no windows unless the test sets them, and cannot start programs.
class MinimalDesktop final : public eyehand::winio::Desktop {
public:
    std::vector<eyehand::winio::Display> displays() override { return inner_.displays(); }
    std::unique_ptr<eyehand::winio::Capturer>
    open_capturer(const eyehand::winio::CaptureOptions& options) override {
        return inner_.open_capturer(options);
    }
    eyehand::winio::SendReport send(std::span<const eyehand::winio::InputEvent> events) override {
        return inner_.send(events);
    }
    std::optional<eyehand::winio::Point> pointer() override { return inner_.pointer(); }
    eyehand::winio::Windows* windows() noexcept override { return its_windows; }

    eyehand::winio::Windows* its_windows = nullptr;

private:
    eyehand::winio::testing::MemoryDesktop inner_{{320, 240}};
};
