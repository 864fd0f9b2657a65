#include "eyehand/winio/image_size.hpp"

#include "overloaded.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace eyehand::winio {
namespace {

Size checked(Size size) {
    if (size.empty()) throw std::invalid_argument("a screenshot must have at least one pixel");
    if (size.width > max_image_side || size.height > max_image_side)
        throw std::invalid_argument("the maximum side of a screenshot is " +
                                    std::to_string(max_image_side) + " pixels");
    return size;
}

int at_least_one(double extent) { return std::max(1, static_cast<int>(std::lround(extent))); }

Size percent_of(Size source, double percent) {
    if (!(percent > 0 && percent <= 400))
        throw std::invalid_argument("the percentage must be greater than 0 and at most 400");
    const Size size{at_least_one(source.width * percent / 100),
                    at_least_one(source.height * percent / 100)};
    return fit_within(size, {max_image_side, max_image_side});
}

// Rounds to the nearest integer, halves to even, as Python does: the rule is written in Python.
int rounded_cells(double cells) {
    const double below = std::floor(cells);
    const double rest = cells - below;
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
    return std::max(1, static_cast<int>(up ? below + 1 : below));
}

Size within_tokens(Size source, const FitTokens& requested) {
    if (requested.tokens < 1 || requested.tokens > 1000000)
        throw std::invalid_argument("the number of tokens must be 1 to 1,000,000");
    if (requested.multiple < 1 || requested.multiple > 256)
        throw std::invalid_argument("the cell size of a token must be 1 to 256 pixels");
    const int longest = max_image_side - requested.multiple; // leaves room for rounding up
    source = fit_within(source, {longest, longest});
    const double wide = static_cast<double>(source.width) / requested.multiple;
    const double high = static_cast<double>(source.height) / requested.multiple;
    const int max_columns = rounded_cells(wide);
    const int max_rows = rounded_cells(high);
    int columns = max_columns;
    int rows = max_rows;
    if (static_cast<double>(columns) * rows > requested.tokens) {
        // Less than 1 if only the rounding exceeded the limit.
        const double shrink = std::sqrt(wide * high / requested.tokens);
        columns = std::clamp(static_cast<int>(wide / shrink), 1, max_columns);
        rows = std::clamp(static_cast<int>(high / shrink), 1, max_rows);
        // For very long strips, whose short side was rounded up to one cell.
        columns = std::min(columns, requested.tokens / std::min(rows, requested.tokens));
        rows = std::min(rows, requested.tokens / columns);
    }
    return {columns * requested.multiple, rows * requested.multiple};
}

// Parses all of `text` as a number; empty if it is not one.
template <typename Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<ImageSize> parse_tokens(std::string_view text) {
    FitTokens requested;
    const auto colon = text.find(':');
    const auto tokens = number<int>(text.substr(0, colon));
    const auto multiple = colon == std::string_view::npos ? std::optional(requested.multiple)
                                                          : number<int>(text.substr(colon + 1));
    if (!tokens || !multiple) return std::nullopt;
    return FitTokens{*tokens, *multiple};
}

std::optional<ImageSize> parse(std::string_view text) {
    constexpr std::string_view tokens = "tokens:";
    if (text.starts_with(tokens)) return parse_tokens(text.substr(tokens.size()));
    if (text.ends_with('%')) {
        const auto percent = number<double>(text.substr(0, text.size() - 1));
        return percent ? std::optional<ImageSize>(Percent{*percent}) : std::nullopt;
    }
    const bool exact = text.ends_with('!');
    const auto size = parse_size(exact ? text.substr(0, text.size() - 1) : text);
    if (!size) return std::nullopt;
    return exact ? ImageSize(ExactSize{*size}) : ImageSize(FitWithin{*size});
}

std::string words(Size size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

// Without trailing zeros, unlike std::to_string.
std::string words(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

} // namespace

std::optional<ImageSize> parse_image_size(std::string_view text) {
    const auto requested = parse(text);
    if (!requested) return std::nullopt;
    try {
        (void)image_size({1, 1}, *requested);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
    return requested;
}

std::string to_string(const ImageSize& requested) {
    return std::visit(overloaded{
                          [](const FitWithin& fit) { return words(fit.box); },
                          [](const ExactSize& exact) { return words(exact.size) + "!"; },
                          [](const Percent& part) { return words(part.percent) + "%"; },
                          [](const FitTokens& fit) {
                              return "tokens:" + std::to_string(fit.tokens) + ":" +
                                     std::to_string(fit.multiple);
                          },
                      },
                      requested);
}

Size image_size(Size source, const ImageSize& requested) {
    if (source.empty()) throw std::invalid_argument("the source must not be empty");
    return checked(
        std::visit(overloaded{
                       [&](const FitWithin& fit) { return fit_within(source, checked(fit.box)); },
                       [](const ExactSize& exact) { return exact.size; },
                       [&](const Percent& part) { return percent_of(source, part.percent); },
                       [&](const FitTokens& fit) { return within_tokens(source, fit); },
                   },
                   requested));
}

} // namespace eyehand::winio
