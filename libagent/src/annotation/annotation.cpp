#include "eyehand/agent/annotation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace eyehand::agent {
namespace {

using winio::NormPoint;
using winio::Point;
using winio::Rect;

const winio::Rgba label_ground{0, 0, 0, 0.65};
const winio::Rgba label_text{255, 255, 255, 1};

/// Glyphs of 10x14 pixels at the usual 1536x864, which models read without trouble.
int label_scale(winio::Size size) {
    return std::clamp(static_cast<int>(std::lround(std::max(size.width, size.height) / 768.0)), 1,
                      8);
}

NormPoint toward(NormPoint from, NormPoint to, double part) {
    return {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
}

class AnnotationOverlay final : public winio::Overlay {
public:
    AnnotationOverlay(const Annotation& annotation, const ExecutedHeat& heat, const BboxHeat& boxes,
                      winio::Size size, const CoordinateConverter* numbers)
        : size_(size), area_({0, 0, size.width, size.height}), scale_(label_scale(size)),
          border_(boxes.border), border_width_(boxes.border_width), box_fill_(boxes.fill_stops) {
        if (boxes.enabled)
            for (const winio::NormBox& box : annotation.boxes) add_box(box, numbers);
        if (heat.enabled) add_trail(annotation.trail, heat, numbers);
    }

    [[nodiscard]] std::vector<winio::RowRange> rows() const override {
        std::vector<winio::RowRange> all;
        const auto add = [&](int first, int last) { all.push_back({first, last - first + 1}); };
        for (const Rect& box : boxes_) add(box.y, box.bottom() - 1);
        for (const Disc& disc : discs_) {
            const int reach = static_cast<int>(std::ceil(disc.radius));
            add(disc.center.y - reach, disc.center.y + reach);
        }
        for (const Label& label : labels_) add(label.ground.y, label.ground.bottom() - 1);
        return all;
    }

    void draw(winio::Canvas& canvas) const override {
        for (const Rect& box : boxes_) {
            canvas.fill_radially(box, box_fill_);
            canvas.frame(box, border_width_, border_);
        }
        for (const Disc& disc : discs_)
            canvas.fill_disc(disc.center, disc.radius, gradients_[disc.gradient]);
        for (const Label& label : labels_) {
            canvas.fill(label.ground, label_ground);
            canvas.write({label.ground.x + scale_, label.ground.y + scale_}, label.text, scale_,
                         label_text);
        }
    }

private:
    struct Disc {
        Point center;
        double radius;
        std::size_t gradient;
    };
    struct Label {
        Rect ground;
        std::string text;
    };

    /// "500,300": without spaces, because labels hide the screen.
    static std::string listed(NormPoint at, const CoordinateConverter* numbers) {
        return numbers == nullptr ? fmt::format("{:.0f},{:.0f}", at.x, at.y) : numbers->label(at);
    }

    void add_box(const winio::NormBox& given, const CoordinateConverter* numbers) {
        const winio::NormBox box = winio::normalized(given);
        const Point from = area_.to_pixel({box.x1, box.y1});
        const Point to = area_.to_pixel({box.x2, box.y2});
        boxes_.push_back({from.x, from.y, to.x - from.x + 1, to.y - from.y + 1});
        // Above the box, so that the label does not hide it.
        const int height = winio::text_size("", scale_).height + 2 * scale_;
        add_label({from.x, from.y - height},
                  fmt::format("#{} ({},{})", boxes_.size(), listed({box.x1, box.y1}, numbers),
                              listed({box.x2, box.y2}, numbers)));
    }

    void add_trail(const std::vector<std::vector<Mark>>& trail, const ExecutedHeat& heat,
                   const CoordinateConverter* numbers) {
        const double longer = std::max(size_.width, size_.height);
        const std::size_t turns =
            std::min(trail.size(), static_cast<std::size_t>(std::max(heat.trail_turns, 1)));
        for (std::size_t age = turns; age-- > 0;) { // draws the oldest first
            const double left = std::pow(heat.trail_shrink, static_cast<double>(age));
            const double radius = heat.radius_scale * longer * left;
            if (trail[age].empty()) continue;
            gradients_.emplace_back(heat.stops,
                                    1 - static_cast<double>(age) / std::max(heat.trail_turns, 1));
            for (const Mark& mark : trail[age]) {
                const NormPoint middle = mark.to ? toward(mark.at, *mark.to, 0.5) : mark.at;
                add_disc(toward(middle, mark.at, left), radius);
                if (mark.to) add_disc(toward(middle, *mark.to, left), radius);
                if (age == 0) add_labels(mark, radius, numbers);
            }
        }
    }

    void add_disc(NormPoint at, double radius) {
        discs_.push_back({area_.to_pixel(at), radius, gradients_.size() - 1});
    }

    /// To the lower right of the place, so that the labels do not hide it.
    void add_labels(const Mark& mark, double radius, const CoordinateConverter* numbers) {
        const int aside = std::min(static_cast<int>(std::lround(radius * 0.7)), 12 * scale_);
        const auto add = [&](NormPoint at, const char* arrow) {
            const Point place = area_.to_pixel(at);
            add_label({place.x + aside, place.y + aside},
                      fmt::format("{} {}({})", mark.number, arrow, listed(at, numbers)));
        };
        add(mark.at, "");
        if (mark.to) add(*mark.to, ">");
    }

    void add_label(Point at, std::string text) {
        const winio::Size size = winio::text_size(text, scale_);
        Rect ground{at.x, at.y, size.width + 2 * scale_, size.height + 2 * scale_};
        ground.x = std::max(0, std::min(ground.x, size_.width - ground.width));
        ground.y = std::max(0, std::min(ground.y, size_.height - ground.height));
        labels_.push_back({ground, std::move(text)});
    }

    winio::Size size_;
    winio::WorkArea area_; ///< the screenshot itself: maps coordinates to its pixels
    int scale_;
    winio::Rgba border_;
    int border_width_;
    winio::Gradient box_fill_;
    std::vector<winio::Gradient> gradients_; ///< by age
    std::vector<Rect> boxes_;
    std::vector<Disc> discs_;
    std::vector<Label> labels_;
};

} // namespace

std::unique_ptr<winio::Overlay> make_overlay(const Annotation& annotation, const ExecutedHeat& heat,
                                             const BboxHeat& boxes, winio::Size size,
                                             const CoordinateConverter* coordinates) {
    return std::make_unique<AnnotationOverlay>(annotation, heat, boxes, size, coordinates);
}

} // namespace eyehand::agent
