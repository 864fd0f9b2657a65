// A capturer that lets a test repaint the screen before each capture.
#pragma once

#include "eyehand/winio/testing/memory_desktop.hpp"

#include <functional>
#include <memory>
#include <utility>

/// Calls back before each capture, with the number of earlier ones.
class Watched final : public eyehand::winio::Capturer {
public:
    Watched(eyehand::winio::testing::MemoryDesktop& desktop, std::function<void(int)> before)
        : inner_(desktop.open_capturer({})), before_(std::move(before)) {}
    void capture(const eyehand::winio::Rect& what, eyehand::winio::Frame& into) override {
        before_(count_++);
        inner_->capture(what, into);
    }

private:
    std::unique_ptr<eyehand::winio::Capturer> inner_;
    std::function<void(int)> before_;
    int count_ = 0;
};
