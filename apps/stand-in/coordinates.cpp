#include "coordinates.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

namespace stand_in {
namespace {

// Four and two decimals are finer than a pixel of any screen. The limits of pixels are those of
// Qwen2.5-VL and Qwen3-VL.
constexpr std::array conventions{
    Convention{.word = "norm1000"},
    Convention{.word = "norm999", .maximum = 999},
    Convention{.word = "norm1000_yx", .y_first = true},
    Convention{.word = "unit", .maximum = 1, .steps = 10'000},
    Convention{.word = "percent", .maximum = 100, .steps = 100},
    Convention{.word = "image_pixels", .maximum = 0},
    Convention{.word = "model_pixels:28",
               .maximum = 0,
               .factor = 28,
               .min_pixels = 3136,
               .max_pixels = 12'845'056},
    Convention{.word = "model_pixels:32",
               .maximum = 0,
               .factor = 32,
               .min_pixels = 65'536,
               .max_pixels = 16'777'216},
};

// Half to even, as Python rounds, and at least one multiple.
std::int64_t nearest_multiple(int side, int factor) {
    const int below = side / factor;
    const int twice_the_rest = side % factor * 2;
    const bool is_up = twice_the_rest > factor || (twice_the_rest == factor && below % 2 == 1);
    return std::int64_t{factor} * std::max(1, below + (is_up ? 1 : 0));
}

std::int64_t multiple_below(double side, int factor) {
    return factor * std::max<std::int64_t>(1, std::llround(std::floor(side / factor)));
}

std::int64_t multiple_above(double side, int factor) {
    return factor * std::llround(std::ceil(side / factor));
}

std::optional<double> number_in(std::string_view text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

// -1 to 1 on each axis. Computed from the generator's numbers, because the distributions of the
// standard library differ between implementations.
Position random_error(std::size_t number) {
    std::minstd_rand random(271'828'182);
    random.discard(2 * number);
    const auto next = [&] {
        constexpr double range = std::minstd_rand::max() - std::minstd_rand::min();
        return 2 * static_cast<double>(random() - std::minstd_rand::min()) / range - 1;
    };
    const double x = next();
    const double y = next();
    return {x, y};
}

Position error_of(const Coordinates& coordinates, std::size_t number) {
    Position error = coordinates.bias;
    if (coordinates.noise > 0) {
        const Position random = random_error(number);
        error.x += coordinates.noise * random.x;
        error.y += coordinates.noise * random.y;
    }
    return error;
}

/// One side of the image.
struct Axis {
    int pixels;         ///< of the image in the request
    int resized_pixels; ///< of the image to which the numbers refer
    double error;       ///< in 1/1000 of the image
};

// Multiplies before it divides: without an error, all products are exact.
double written(double pixel, const Axis& axis, const Convention& convention) {
    const double last = axis.pixels - 1;
    if (last < 1) return 0;
    const double maximum = convention.needs_image() ? axis.resized_pixels - 1 : convention.maximum;
    const double shown = std::clamp(pixel + axis.error * last / 1000, 0.0, last);
    return std::round(shown * (maximum * convention.steps) / last) / convention.steps;
}

} // namespace

std::string convention_words() {
    std::string words;
    for (const Convention& convention : conventions)
        words += fmt::format("{}{}", words.empty() ? "" : ", ", convention.word);
    return words;
}

Convention convention_of(std::string_view word) {
    const auto found =
        std::find_if(conventions.begin(), conventions.end(),
                     [&](const Convention& convention) { return convention.word == word; });
    if (found != conventions.end()) return *found;
    throw std::invalid_argument(fmt::format("--coordinates {}: one of these words is expected: {}",
                                            word, convention_words()));
}

Size resized(Size image, const Convention& convention) {
    const int factor = convention.factor;
    if (factor == 0 || image.width < 1 || image.height < 1) return image;
    std::int64_t width = nearest_multiple(image.width, factor);
    std::int64_t height = nearest_multiple(image.height, factor);
    const double pixels = static_cast<double>(image.width) * image.height;
    if (width * height > convention.max_pixels) {
        const double scale = std::sqrt(pixels / static_cast<double>(convention.max_pixels));
        width = multiple_below(image.width / scale, factor);
        height = multiple_below(image.height / scale, factor);
    } else if (width * height < convention.min_pixels) {
        const double scale = std::sqrt(static_cast<double>(convention.min_pixels) / pixels);
        width = multiple_above(image.width * scale, factor);
        height = multiple_above(image.height * scale, factor);
    }
    return {static_cast<int>(width), static_cast<int>(height)};
}

Position parse_bias(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma != std::string_view::npos) {
        const auto x = number_in(text.substr(0, comma));
        const auto y = number_in(text.substr(comma + 1));
        if (x && y) return {*x, *y};
    }
    throw std::invalid_argument(fmt::format("--bias {}: X,Y is expected, two numbers", text));
}

double parse_noise(std::string_view text) {
    const auto noise = number_in(text);
    if (noise && *noise >= 0) return *noise;
    throw std::invalid_argument(
        fmt::format("--noise {}: a number that is not negative is expected", text));
}

Box middle_of(Size image) {
    return {(image.width - 1) / 2, (image.height - 1) / 2, 2 - image.width % 2,
            2 - image.height % 2};
}

Area stated(const Box& box, Size image, const Coordinates& coordinates, std::size_t number) {
    const Convention& convention = coordinates.convention;
    const Size size = resized(image, convention);
    const Position error = error_of(coordinates, number);
    const Axis across{image.width, size.width, error.x};
    const Axis down{image.height, size.height, error.y};
    const auto write = [&](double x, double y) {
        return Position{written(x, across, convention), written(y, down, convention)};
    };
    const int right = std::max(box.x, box.right() - 1);
    const int bottom = std::max(box.y, box.bottom() - 1);
    return {write(box.x, box.y), write(right, bottom),
            write((box.x + right) / 2.0, (box.y + bottom) / 2.0), convention.y_first};
}

} // namespace stand_in
