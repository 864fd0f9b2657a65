#include "run/element_size.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace eyehand::agent {
namespace {

constexpr int max_distance = 6;    // from the position to the element
constexpr int max_gap = 2;         // within an element
constexpr int max_difference = 24; // of a channel: smoothed edges of the background

using Pixel = std::array<std::uint8_t, 3>;

Pixel pixel_at(const winio::ImageView& image, int x, int y) {
    const std::span<const std::uint8_t> row = image.row(y);
    const auto at = static_cast<std::size_t>(x) * 4;
    return {row[at], row[at + 1], row[at + 2]};
}

bool differ(const Pixel& a, const Pixel& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::abs(int{a[i]} - int{b[i]}) > max_difference) return true;
    return false;
}

Pixel background_of(const winio::ImageView& square) {
    std::map<Pixel, int> counts;
    for (int y = 0; y < square.height(); ++y) {
        const bool whole_row = y == 0 || y == square.height() - 1;
        const int step = whole_row || square.width() == 1 ? 1 : square.width() - 1;
        for (int x = 0; x < square.width(); x += step) ++counts[pixel_at(square, x, y)];
    }
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

/// The pixels that differ from the background.
class Mask {
public:
    explicit Mask(const winio::ImageView& square)
        : size_(square.size()),
          set_(static_cast<std::size_t>(size_.width) * static_cast<std::size_t>(size_.height)) {
        const Pixel background = background_of(square);
        for (int y = 0; y < size_.height; ++y)
            for (int x = 0; x < size_.width; ++x)
                set_[index({x, y})] = differ(pixel_at(square, x, y), background);
    }
    [[nodiscard]] winio::Size size() const { return size_; }
    /// Takes the element that contains this pixel out of the mask; empty without one.
    winio::Rect take(winio::Point start) {
        if (!exchange(start)) return {};
        int left = start.x;
        int right = start.x;
        int top = start.y;
        int bottom = start.y;
        std::vector<winio::Point> open{start};
        while (!open.empty()) {
            const winio::Point at = open.back();
            open.pop_back();
            left = std::min(left, at.x);
            right = std::max(right, at.x);
            top = std::min(top, at.y);
            bottom = std::max(bottom, at.y);
            for (int dy = -max_gap - 1; dy <= max_gap + 1; ++dy)
                for (int dx = -max_gap - 1; dx <= max_gap + 1; ++dx)
                    if (exchange({at.x + dx, at.y + dy})) open.push_back({at.x + dx, at.y + dy});
        }
        return {left, top, right - left + 1, bottom - top + 1};
    }

private:
    [[nodiscard]] std::size_t index(winio::Point at) const {
        return static_cast<std::size_t>(at.y) * static_cast<std::size_t>(size_.width) +
               static_cast<std::size_t>(at.x);
    }
    bool exchange(winio::Point at) {
        if (at.x < 0 || at.y < 0 || at.x >= size_.width || at.y >= size_.height) return false;
        const bool was_set = set_[index(at)];
        set_[index(at)] = false;
        return was_set;
    }

    winio::Size size_;
    std::vector<bool> set_;
};

int distance(const winio::Rect& from, winio::Point to) {
    const auto axis = [](int first, int last, int at) {
        return std::max({first - at, at - last, 0});
    };
    return std::max(axis(from.x, from.right() - 1, to.x), axis(from.y, from.bottom() - 1, to.y));
}

/// The whole square along an axis on which the element reaches its border.
int length(int first, int count, int all) {
    return first == 0 || first + count == all ? all : count;
}

} // namespace

std::optional<winio::Size> element_size(const winio::ImageView& image, winio::Point at) {
    if (image.empty()) throw std::invalid_argument("an element in an empty image");
    at = {std::clamp(at.x, 0, image.width() - 1), std::clamp(at.y, 0, image.height() - 1)};
    constexpr int side = 2 * element_reach + 1;
    const winio::Rect square =
        winio::intersection({at.x - element_reach, at.y - element_reach, side, side},
                            {0, 0, image.width(), image.height()});
    Mask mask(image.crop(square));
    const winio::Point center{at.x - square.x, at.y - square.y};
    std::optional<winio::Rect> nearest;
    for (int y = 0; y < mask.size().height; ++y)
        for (int x = 0; x < mask.size().width; ++x) {
            const winio::Rect element = mask.take({x, y});
            if (element.empty() || distance(element, center) > max_distance) continue;
            if (!nearest || distance(element, center) < distance(*nearest, center))
                nearest = element;
        }
    if (!nearest) return std::nullopt;
    return winio::Size{length(nearest->x, nearest->width, mask.size().width),
                       length(nearest->y, nearest->height, mask.size().height)};
}

} // namespace eyehand::agent
