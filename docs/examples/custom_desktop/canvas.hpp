// A desktop of your own: a canvas in memory, on which each press of a button leaves a dot.
#pragma once

#include <eyehand/agent.hpp>

using namespace eyehand;

class Canvas final : public winio::Desktop {
public:
    std::vector<winio::Display> displays() override {
        return {{.id = "canvas", .name = "Canvas", .bounds = bounds_, .primary = true}};
    }
    std::unique_ptr<winio::Capturer> open_capturer(const winio::CaptureOptions&) override {
        return std::make_unique<Camera>(*this);
    }
    winio::SendReport send(std::span<const winio::InputEvent> events) override {
        for (const winio::InputEvent& event : events) {
            if (const auto* move = std::get_if<winio::PointerMove>(&event))
                pointer_ = {std::clamp(move->to.x, 0, bounds_.right() - 1),
                            std::clamp(move->to.y, 0, bounds_.bottom() - 1)};
            const auto* button = std::get_if<winio::ButtonChange>(&event);
            if (button != nullptr && button->press == winio::Press::down)
                pixels_.fill({pointer_.x - 5, pointer_.y - 5, 11, 11}, ink_);
        }
        return {.sent = events.size(), .accepted = events.size()};
    }
    std::optional<winio::Point> pointer() override { return pointer_; }

    bool has_ink(winio::Point at) const { return pixels_.at(at.x, at.y) == ink_; }

private:
    class Camera final : public winio::Capturer {
    public:
        explicit Camera(const Canvas& canvas) : canvas_(canvas) {}
        void capture(const winio::Rect& area, winio::Frame& into) override {
            if (area.empty()) throw std::invalid_argument("an empty area cannot be captured");
            into.pixels.resize(area.size()); // throws std::invalid_argument for an area too large
            into.pixels.fill({0, 0, area.width, area.height}, {});
            into.origin = area.origin();
            into.pointer.reset();
            const winio::Rect part = winio::intersection(area, canvas_.bounds_);
            for (int y = part.y; y < part.bottom(); ++y)
                std::ranges::copy(canvas_.pixels_.row(y).subspan(std::size_t(part.x) * 4,
                                                                 std::size_t(part.width) * 4),
                                  into.pixels.row(y - area.y).data() +
                                      std::ptrdiff_t(part.x - area.x) * 4);
        }

    private:
        const Canvas& canvas_;
    };

    static constexpr winio::Color ink_{.blue = 200, .green = 80, .red = 0};
    winio::Rect bounds_{0, 0, 640, 360};
    winio::Image pixels_{bounds_.size()};
    winio::Point pointer_;
};
