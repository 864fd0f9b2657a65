#include "eyehand/agent/coordinates.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace eyehand::agent {
namespace {

struct Row {
    CoordinateConvention convention;
    std::string_view word;
    std::string_view description;
    double max;   ///< the largest number; 0: one less than the side in pixels
    int decimals; ///< 4 and 2 decimals are finer than a pixel up to 10001 pixels per side
    int factor;
};

constexpr std::array rows{
    Row{CoordinateConvention::norm1000, "norm1000", "0 to 1000", 1000, 0, 0},
    Row{CoordinateConvention::norm999, "norm999", "0 to 999", 999, 0, 0},
    Row{CoordinateConvention::norm1000_yx, "norm1000_yx", "0 to 1000 with y before x", 1000, 0, 0},
    Row{CoordinateConvention::unit, "unit", "fractions from 0 to 1", 1, 4, 0},
    Row{CoordinateConvention::percent, "percent", "0 to 100", 100, 2, 0},
    Row{CoordinateConvention::image_pixels, "image_pixels", "pixels of the image", 0, 0, 0},
    Row{CoordinateConvention::model_pixels_28, "model_pixels:28",
        "pixels of the image that the model's processor has resized", 0, 0, 28},
    Row{CoordinateConvention::model_pixels_32, "model_pixels:32",
        "pixels of the image that the model's processor has resized", 0, 0, 32},
};

const Row& row_of(CoordinateConvention convention) {
    const auto found = std::ranges::find(rows, convention, &Row::convention);
    if (found == rows.end()) throw std::invalid_argument("an unknown coordinate convention");
    return *found;
}

winio::Size size_for_model(const Row& row, winio::Size image,
                           const std::optional<ImageProcessor>& processor) {
    if (image.empty()) throw std::invalid_argument("positions in an empty image");
    if (row.factor == 0) return image;
    if (!processor)
        return model_image_size(image, row.factor == 28 ? qwen2_5_processor : qwen3_processor);
    if (processor->factor != row.factor)
        throw std::invalid_argument("the factor of the image processor differs from " +
                                    std::string(row.word));
    return model_image_size(image, *processor);
}

// NaN becomes 0, and so does -0, whose sign would be written.
double clamped(double number, double max) { return number > 0 ? std::min(number, max) : 0.0; }

double scale_of(int decimals) { return decimals == 4 ? 10'000 : decimals == 2 ? 100 : 1; }

double rounded(double norm, double max, int decimals) {
    const double scale = scale_of(decimals);
    return std::round(clamped(norm, 1000) * (max * scale) / 1000) / scale;
}

double norm_of(double number, double max) {
    return max == 0 ? 0 : clamped(number, max) * 1000 / max;
}

template <std::size_t count>
std::string list_text(const std::array<double, count>& list) {
    std::string text = "[";
    for (const double number : list)
        text += (text.size() == 1 ? "" : ", ") + CoordinateConverter::text(number);
    return text + ']';
}

} // namespace

std::string_view to_string(CoordinateConvention convention) { return row_of(convention).word; }

std::optional<CoordinateConvention> parse_coordinate_convention(std::string_view word) {
    const auto found = std::ranges::find(rows, word, &Row::word);
    if (found == rows.end()) return std::nullopt;
    return found->convention;
}

std::vector<std::string> coordinate_words() {
    std::vector<std::string> words{"auto"};
    for (const Row& row : rows) words.emplace_back(row.word);
    return words;
}

std::string_view description(CoordinateConvention convention) {
    return row_of(convention).description;
}

int image_factor(CoordinateConvention convention) { return row_of(convention).factor; }

bool Correction::valid() const {
    // Comparisons with NaN are false.
    const auto scale = [](double value) { return value >= 0.5 && value <= 2; };
    const auto offset = [](double value) { return value >= -500 && value <= 500; };
    return scale(scale_x) && scale(scale_y) && offset(offset_x) && offset(offset_y);
}

namespace {

/// In steps of 1/65536: JSON does not keep the last digits, and a replay must get the same positions.
Correction in_steps(const Correction& correction) {
    const auto step = [](double value) { return std::round(value * 65536) / 65536; };
    return {step(correction.scale_x), step(correction.offset_x), step(correction.scale_y),
            step(correction.offset_y)};
}

} // namespace

CoordinateConverter::CoordinateConverter(CoordinateConvention convention, winio::Size image,
                                         const std::optional<ImageProcessor>& processor,
                                         const Correction& correction)
    : convention_(convention), model_image_(size_for_model(row_of(convention), image, processor)),
      decimals_(row_of(convention).decimals), processor_(processor),
      correction_(in_steps(correction)) {
    if (!correction.valid())
        throw std::invalid_argument("a correction of positions that is out of range");
    const double max = row_of(convention).max;
    max_ = max > 0 ? ModelPoint{max, max}
                   : ModelPoint{model_image_.width - 1.0, model_image_.height - 1.0};
}

CoordinateConverter CoordinateConverter::with_image(winio::Size image) const {
    return CoordinateConverter(convention_, image, processor_, correction_);
}

winio::NormPoint CoordinateConverter::step() const {
    const auto step = [this](double max) {
        return max == 0 ? 0.0 : 1000 / (max * scale_of(decimals_));
    };
    return {step(max_.x), step(max_.y)};
}

bool CoordinateConverter::contains(ModelPoint point) const {
    // Comparisons with NaN are false.
    return point.x >= 0 && point.x <= max_.x && point.y >= 0 && point.y <= max_.y;
}

/// Reverses the correction.
winio::NormPoint CoordinateConverter::stated(winio::NormPoint point) const {
    if (correction_ == Correction{}) return point;
    const auto reversed = [](double norm, double scale, double offset) {
        return (clamped(norm, 1000) - offset) / scale;
    };
    return {reversed(point.x, correction_.scale_x, correction_.offset_x),
            reversed(point.y, correction_.scale_y, correction_.offset_y)};
}

ModelPoint CoordinateConverter::to_model(winio::NormPoint point) const {
    const winio::NormPoint at = stated(point);
    return {rounded(at.x, max_.x, decimals_), rounded(at.y, max_.y, decimals_)};
}

ModelPoint CoordinateConverter::to_model_exactly(winio::NormPoint point) const {
    const winio::NormPoint at = stated(point);
    return {clamped(at.x, 1000) * max_.x / 1000, clamped(at.y, 1000) * max_.y / 1000};
}

winio::NormPoint CoordinateConverter::to_norm(ModelPoint point) const {
    const winio::NormPoint stated{norm_of(point.x, max_.x), norm_of(point.y, max_.y)};
    if (correction_ == Correction{}) return stated;
    return {clamped(correction_.scale_x * stated.x + correction_.offset_x, 1000),
            clamped(correction_.scale_y * stated.y + correction_.offset_y, 1000)};
}

std::array<double, 2> CoordinateConverter::to_list(winio::NormPoint point) const {
    const auto [x, y] = to_model(point);
    if (convention_ == CoordinateConvention::norm1000_yx) return {y, x};
    return {x, y};
}

std::array<double, 4> CoordinateConverter::to_list(const winio::NormBox& box) const {
    const auto first = to_list(winio::NormPoint{box.x1, box.y1});
    const auto second = to_list(winio::NormPoint{box.x2, box.y2});
    return {first[0], first[1], second[0], second[1]};
}

winio::NormPoint CoordinateConverter::to_norm(const std::array<double, 2>& list) const {
    if (convention_ == CoordinateConvention::norm1000_yx)
        return to_norm(ModelPoint{list[1], list[0]});
    return to_norm(ModelPoint{list[0], list[1]});
}

winio::NormBox CoordinateConverter::to_norm(const std::array<double, 4>& list) const {
    const winio::NormPoint first = to_norm(std::array{list[0], list[1]});
    const winio::NormPoint second = to_norm(std::array{list[2], list[3]});
    return {std::min(first.x, second.x), std::min(first.y, second.y), std::max(first.x, second.x),
            std::max(first.y, second.y)};
}

// Models do not write exponents.
std::string CoordinateConverter::text(double number) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr;
    return {text.data(), end};
}

std::string CoordinateConverter::text(winio::NormPoint point) const {
    return list_text(to_list(point));
}

std::string CoordinateConverter::text(const winio::NormBox& box) const {
    return list_text(to_list(box));
}

std::string CoordinateConverter::label(ModelPoint point) const {
    const double scale = scale_of(decimals_);
    const std::string x = text(std::round(point.x * scale) / scale);
    const std::string y = text(std::round(point.y * scale) / scale);
    if (convention_ == CoordinateConvention::norm1000_yx) return "y " + y + ",x " + x;
    return x + ',' + y;
}

std::string CoordinateConverter::label(winio::NormPoint point) const {
    return label(to_model(point));
}

std::string CoordinateConverter::range_text() const {
    const std::string x = "x from 0 to " + text(max_.x);
    const std::string y = "y from 0 to " + text(max_.y);
    return convention_ == CoordinateConvention::norm1000_yx ? y + ", " + x : x + ", " + y;
}

} // namespace eyehand::agent
