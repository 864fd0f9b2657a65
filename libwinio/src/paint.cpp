#include "eyehand/winio/paint.hpp"

#include "eyehand/winio/bitmap_font.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace eyehand::winio {
namespace {

std::string_view without_spaces(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

std::optional<double> number_up_to(double max, std::string_view text) {
    text = without_spaces(text);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (!(value >= 0 && value <= max)) return std::nullopt; // rejects NaN, too
    return value;
}

std::optional<Rgba> parse_hex(std::string_view digits) {
    if (digits.size() != 6 && digits.size() != 8) return std::nullopt;
    std::array<double, 4> parts{0, 0, 0, 255};
    for (std::size_t i = 0; i * 2 < digits.size(); ++i) {
        unsigned value = 0;
        const char* begin = digits.data() + i * 2;
        const auto [end, error] = std::from_chars(begin, begin + 2, value, 16);
        if (error != std::errc{} || end != begin + 2) return std::nullopt;
        parts.at(i) = value;
    }
    return Rgba{parts[0], parts[1], parts[2], parts[3] / 255};
}

std::string number_text(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

bool valid(const Rgba& color) {
    const auto level = [](double value) { return value >= 0 && value <= 255; };
    return level(color.red) && level(color.green) && level(color.blue) && color.alpha >= 0 &&
           color.alpha <= 1;
}

} // namespace

std::optional<Rgba> parse_rgba(std::string_view text) {
    text = without_spaces(text);
    if (text.starts_with('#')) return parse_hex(text.substr(1));
    const std::size_t parts = text.starts_with("rgba(") ? 4 : text.starts_with("rgb(") ? 3 : 0;
    if (parts == 0 || !text.ends_with(')')) return std::nullopt;
    text.remove_prefix(parts + 1);
    text.remove_suffix(1);
    std::array<double, 4> values{0, 0, 0, 1};
    for (std::size_t i = 0; i < parts; ++i) {
        const bool last = i + 1 == parts;
        const std::size_t end = last ? text.size() : text.find(',');
        if (end == std::string_view::npos) return std::nullopt;
        const auto value = number_up_to(i == 3 ? 1 : 255, text.substr(0, end));
        if (!value) return std::nullopt;
        values.at(i) = *value;
        text.remove_prefix(last ? end : end + 1);
    }
    return Rgba{values[0], values[1], values[2], values[3]};
}

std::string to_string(const Rgba& color) {
    return "rgba(" + number_text(color.red) + "," + number_text(color.green) + "," +
           number_text(color.blue) + "," + number_text(color.alpha) + ")";
}

Gradient::Gradient(std::span<const GradientStop> stops, double opacity)
    : stops_(stops.begin(), stops.end()), opacity_(opacity) {
    if (!(opacity >= 0 && opacity <= 1)) throw std::invalid_argument("an opacity must be 0 to 1");
    for (const GradientStop& stop : stops_)
        if (!(stop.at >= 0 && stop.at <= 1) || !valid(stop.color))
            throw std::invalid_argument("a gradient's stop is out of range");
    std::stable_sort(stops_.begin(), stops_.end(),
                     [](const GradientStop& a, const GradientStop& b) { return a.at < b.at; });
    for (std::size_t i = 0; i <= table_size; ++i)
        table_.at(i) = layer_of(at(static_cast<double>(i) / table_size));
}

Gradient::Layer Gradient::layer_of(const Rgba& color) {
    const auto part = [&](double level) {
        return static_cast<std::uint32_t>(std::lround(level * color.alpha * 65536));
    };
    return {part(color.blue) | std::uint64_t{part(color.red)} << 32, part(color.green),
            static_cast<std::uint32_t>(std::lround((1 - color.alpha) * 65536))};
}

Rgba Gradient::at(double t) const {
    if (stops_.empty()) return {0, 0, 0, 0};
    const auto after =
        std::upper_bound(stops_.begin(), stops_.end(), t,
                         [](double place, const GradientStop& stop) { return place < stop.at; });
    Rgba color;
    if (after == stops_.begin()) {
        color = stops_.front().color;
    } else if (after == stops_.end()) {
        color = stops_.back().color;
    } else {
        const GradientStop& from = *std::prev(after);
        const GradientStop& to = *after;
        const double part = (t - from.at) / (to.at - from.at);
        const auto between = [&](double Rgba::*member) {
            return from.color.*member + (to.color.*member - from.color.*member) * part;
        };
        color = {between(&Rgba::red), between(&Rgba::green), between(&Rgba::blue),
                 between(&Rgba::alpha)};
    }
    color.alpha *= opacity_;
    return color;
}

Rect Canvas::visible(const Rect& area) const {
    return intersection(area, {0, first_row_, rows_.width(), rows_.height()});
}

namespace {

/// Mixes blue and red at once, each in one half of 64 bits.
template <class Layer>
void mix(std::uint8_t* pixel, const Layer& layer) {
    constexpr std::uint64_t half = std::uint64_t{32768} << 32 | 32768U;
    const std::uint64_t under = pixel[0] | std::uint64_t{pixel[2]} << 32;
    const std::uint64_t blue_red = under * layer.through + layer.blue_red + half;
    pixel[0] = static_cast<std::uint8_t>(blue_red >> 16);
    pixel[1] = static_cast<std::uint8_t>((pixel[1] * layer.through + layer.green + 32768U) >> 16);
    pixel[2] = static_cast<std::uint8_t>(blue_red >> 48);
}

} // namespace

void Canvas::fill(const Rect& area, const Rgba& color) {
    const Rect part = visible(area);
    if (part.empty()) return;
    const Gradient::Layer layer = Gradient::layer_of(color);
    for (int y = part.y; y < part.bottom(); ++y) {
        std::uint8_t* pixel = rows_.row(y - first_row_).data() + std::ptrdiff_t{4} * part.x;
        for (int x = 0; x < part.width; ++x, pixel += 4) mix(pixel, layer);
    }
}

// The reach is limited to a value larger than any image, because a caller may pass a huge radius.
void Canvas::fill_disc(Point center, double radius, const Gradient& gradient) {
    if (!(radius > 0)) return;
    const int reach = static_cast<int>(std::min(std::ceil(radius), 100000.0));
    paint({center.x - reach, center.y - reach, 2 * reach + 1, 2 * reach + 1}, center.x, center.y,
          radius, Outside::clear, gradient);
}

void Canvas::fill_radially(const Rect& area, const Gradient& gradient) {
    // The center of pixel x is at x + 0.5, for the area as well as for the painted pixels.
    paint(area, area.x + (area.width - 1) / 2.0, area.y + (area.height - 1) / 2.0,
          std::max(area.width, area.height) / 2.0, Outside::last_color, gradient);
}

void Canvas::paint(const Rect& area, double center_x, double center_y, double radius,
                   Outside outside, const Gradient& gradient) {
    const Rect part = visible(area);
    if (part.empty()) return;
    constexpr auto rim = static_cast<float>(Gradient::table_size);
    // The minimum radius keeps this finite: infinity times a distance of 0 would be NaN.
    const auto per_radius = static_cast<float>(Gradient::table_size / std::max(radius, 1e-3));
    const auto square = outside == Outside::clear ? static_cast<float>(radius * radius)
                                                  : std::numeric_limits<float>::infinity();
    // Computes the table index of each pixel first, which compilers vectorize.
    constexpr int chunk = 256;
    std::array<std::int32_t, chunk> places{};
    for (int y = part.y; y < part.bottom(); ++y) {
        const auto down = static_cast<float>(y - center_y);
        for (int x = part.x; x < part.right(); x += chunk) {
            const int count = std::min(chunk, part.right() - x);
            const auto right = static_cast<float>(x - center_x);
            for (int i = 0; i < count; ++i) {
                const float across = right + static_cast<float>(i);
                const float distance = down * down + across * across;
                const float place = std::min(std::sqrt(distance) * per_radius + 0.5F, rim);
                places[static_cast<std::size_t>(i)] =
                    static_cast<std::int32_t>(distance > square ? rim + 1 : place);
            }
            std::uint8_t* pixel = rows_.row(y - first_row_).data() + std::ptrdiff_t{4} * x;
            for (int i = 0; i < count; ++i, pixel += 4)
                mix(pixel,
                    gradient.table_[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])]);
        }
    }
}

void Canvas::frame(const Rect& area, int width, const Rgba& color) {
    if (area.empty() || width <= 0) return;
    const int across = std::min(width, (area.width + 1) / 2);
    const int down = std::min(width, (area.height + 1) / 2);
    const int lower = std::max(area.y + down, area.bottom() - down);
    const int right = std::max(area.x + across, area.right() - across);
    fill({area.x, area.y, area.width, down}, color);
    fill({area.x, lower, area.width, area.bottom() - lower}, color);
    fill({area.x, area.y + down, across, lower - area.y - down}, color);
    fill({right, area.y + down, area.right() - right, lower - area.y - down}, color);
}

void Canvas::write(Point top_left, std::string_view text, int scale, const Rgba& color) {
    int left = top_left.x;
    for (const char character : text) {
        const Glyph& glyph = glyph_of(character);
        for (int row = 0; row < glyph_height; ++row)
            for (int column = 0; column < glyph_width; ++column)
                if ((glyph.rows.at(static_cast<std::size_t>(row)) >> (glyph_width - 1 - column)) &
                    1)
                    fill({left + column * scale, top_left.y + row * scale, scale, scale}, color);
        left += glyph_advance * scale;
    }
}

Size text_size(std::string_view text, int scale) {
    if (text.empty()) return {0, glyph_height * scale};
    const int count = static_cast<int>(text.size());
    return {(count * glyph_advance - (glyph_advance - glyph_width)) * scale, glyph_height * scale};
}

} // namespace eyehand::winio
