// A desktop that records when captures begin and when buttons are pressed.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace reaction {

class RecordingDesktop final : public eyehand::winio::Desktop {
public:
    using Time = std::chrono::steady_clock::time_point;
    struct Press {
        Time sent;             ///< directly before the system receives it
        Time captured;         ///< the begin of the latest capture
        std::size_t thought{}; ///< what `latest_thought` returned
    };

    /// `latest_thought` returns the model's latest thought, on which a press is based.
    RecordingDesktop(eyehand::winio::Desktop& inner, std::function<std::size_t()> latest_thought)
        : inner_(inner), latest_thought_(std::move(latest_thought)) {}

    /// The begin of each capture.
    [[nodiscard]] const std::vector<Time>& captures() const { return captures_; }
    [[nodiscard]] const std::vector<Press>& presses() const { return presses_; }

    std::vector<eyehand::winio::Display> displays() override { return inner_.displays(); }
    std::unique_ptr<eyehand::winio::Capturer>
    open_capturer(const eyehand::winio::CaptureOptions& options) override {
        return std::make_unique<RecordingCapturer>(inner_.open_capturer(options), captures_);
    }
    eyehand::winio::SendReport send(std::span<const eyehand::winio::InputEvent> events) override {
        for (const auto& event : events) {
            const auto* button = std::get_if<eyehand::winio::ButtonChange>(&event);
            if (button == nullptr || button->press != eyehand::winio::Press::down) continue;
            presses_.push_back({std::chrono::steady_clock::now(),
                                captures_.empty() ? Time{} : captures_.back(), latest_thought_()});
        }
        return inner_.send(events);
    }
    std::optional<eyehand::winio::Point> pointer() override { return inner_.pointer(); }
    void launch(const eyehand::winio::LaunchCommand& command) override { inner_.launch(command); }
    std::chrono::milliseconds double_click_time() override { return inner_.double_click_time(); }
    bool busy() override { return inner_.busy(); }
    eyehand::winio::Windows* windows() noexcept override { return inner_.windows(); }
    eyehand::winio::Clipboard* clipboard() noexcept override { return inner_.clipboard(); }

private:
    class RecordingCapturer final : public eyehand::winio::Capturer {
    public:
        RecordingCapturer(std::unique_ptr<eyehand::winio::Capturer> inner,
                          std::vector<Time>& captures)
            : inner_(std::move(inner)), captures_(captures) {}
        void capture(const eyehand::winio::Rect& area, eyehand::winio::Frame& into) override {
            captures_.push_back(std::chrono::steady_clock::now());
            inner_->capture(area, into);
        }

    private:
        std::unique_ptr<eyehand::winio::Capturer> inner_;
        std::vector<Time>& captures_;
    };

    eyehand::winio::Desktop& inner_;
    std::function<std::size_t()> latest_thought_;
    std::vector<Time> captures_;
    std::vector<Press> presses_;
};

} // namespace reaction
