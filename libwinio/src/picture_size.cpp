#include "winio/picture_size.hpp"

#include "overloaded.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace winio {
namespace {

int at_least_one(double extent) { return std::max(1, static_cast<int>(std::lround(extent))); }

Size percent_of(Size source, double percent) {
    if (!(percent > 0 && percent <= 400))
        throw std::invalid_argument("a picture's percentage is above 0 and at most 400");
    return {at_least_one(source.width * percent / 100),
            at_least_one(source.height * percent / 100)};
}

// To the nearest, halves to even: as Python rounds, in which the rule is written.
int rounded_cells(double cells) {
    const double below = std::floor(cells);
    const double rest = cells - below;
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
    return std::max(1, static_cast<int>(up ? below + 1 : below));
}

Size within_tokens(Size source, const FitTokens& wish) {
    if (wish.tokens < 1 || wish.multiple < 1)
        throw std::invalid_argument("a picture needs at least one token of at least one pixel");
    const double wide = static_cast<double>(source.width) / wish.multiple;
    const double high = static_cast<double>(source.height) / wish.multiple;
    const int most_columns = rounded_cells(wide);
    const int most_rows = rounded_cells(high);
    int columns = most_columns;
    int rows = most_rows;
    if (static_cast<double>(columns) * rows > wish.tokens) {
        // Below one where only the rounding was too much.
        const double shrink = std::sqrt(wide * high / wish.tokens);
        columns = std::clamp(static_cast<int>(wide / shrink), 1, most_columns);
        rows = std::clamp(static_cast<int>(high / shrink), 1, most_rows);
        // A very long strip, whose short side had to be rounded up to one cell.
        columns = std::min(columns, wish.tokens / std::min(rows, wish.tokens));
        rows = std::min(rows, wish.tokens / columns);
    }
    return {columns * wish.multiple, rows * wish.multiple};
}

} // namespace

Size picture_size(Size source, const PictureSize& wish) {
    if (source.empty()) throw std::invalid_argument("an empty source has no picture");
    return std::visit(overloaded{
                          [&](const FitWithin& fit) { return fit_within(source, fit.box); },
                          [](const ExactSize& exact) {
                              if (exact.size.empty())
                                  throw std::invalid_argument("a picture has at least one pixel");
                              return exact.size;
                          },
                          [&](const Percent& part) { return percent_of(source, part.percent); },
                          [&](const FitTokens& fit) { return within_tokens(source, fit); },
                      },
                      wish);
}

} // namespace winio
