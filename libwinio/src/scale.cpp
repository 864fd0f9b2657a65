// Scaling in two passes: a row of output is first the weighted sum of the source rows it covers,
// then each of its pixels the weighted sum of the columns it covers. Weights are whole numbers and
// one division at the end rounds to the nearest, so that the result is exact: no drift, no grey
// where stripes meet whole pixels.
#include "winio/scale.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace winio {
namespace {

// How one axis of the output is put together: output position i is the sum over k < taps of
// weights[i * taps + k] times source position first[i] + k, divided by `total`.
struct Axis {
    std::vector<int> first;
    std::vector<std::uint32_t> weights;
    int taps = 1;
    std::uint32_t total = 1;
};

// Where the output shrinks, pixel i covers [i * from, (i + 1) * from) in units of 1/to of a source
// pixel, and a source pixel's weight is its share of that.
Axis averaging(std::int64_t from, std::int64_t to, int count) {
    Axis axis;
    axis.taps = static_cast<int>((from + to - 1) / to + 1);
    axis.total = static_cast<std::uint32_t>(from);
    for (int i = 0; i < count; ++i) {
        const std::int64_t begin = i * from;
        const std::int64_t end = begin + from;
        axis.first.push_back(static_cast<int>(begin / to));
        for (int k = 0; k < axis.taps; ++k) {
            const std::int64_t pixel = (begin / to + k) * to;
            const auto share = std::min(end, pixel + to) - std::max(begin, pixel);
            axis.weights.push_back(static_cast<std::uint32_t>(std::max<std::int64_t>(share, 0)));
        }
    }
    return axis;
}

// Where it grows, pixel i's centre lies between two source centres, at ((2i + 1) * from - to) in
// units of 1/(2 * to); beyond the outermost centres the edge pixel goes on.
Axis interpolating(std::int64_t from, std::int64_t to, int count, int source_extent) {
    Axis axis;
    axis.taps = 2;
    const std::int64_t unit = 2 * to;
    axis.total = static_cast<std::uint32_t>(unit);
    for (int i = 0; i < count; ++i) {
        const std::int64_t last = (source_extent - 1) * unit;
        const auto centre =
            std::clamp<std::int64_t>((2 * std::int64_t{i} + 1) * from - to, 0, last);
        axis.first.push_back(static_cast<int>(centre / unit));
        axis.weights.push_back(static_cast<std::uint32_t>(unit - centre % unit));
        axis.weights.push_back(static_cast<std::uint32_t>(centre % unit));
    }
    return axis;
}

// Drops taps that no output position needs: 5 to 4 asks for two, the worst case of its ratio three.
void trim_taps(Axis& axis) {
    int needed = 1;
    for (std::size_t at = 0; at < axis.weights.size(); ++at)
        if (axis.weights[at] != 0)
            needed =
                std::max(needed, static_cast<int>(at % static_cast<std::size_t>(axis.taps)) + 1);
    std::vector<std::uint32_t> kept;
    for (std::size_t at = 0; at < axis.weights.size(); ++at)
        if (static_cast<int>(at % static_cast<std::size_t>(axis.taps)) < needed)
            kept.push_back(axis.weights[at]);
    axis.weights = std::move(kept);
    axis.taps = needed;
}

Axis make_axis(int source, int target) {
    const int divisor = std::gcd(source, target);
    const int from = source / divisor;
    const int to = target / divisor;
    Axis axis = from >= to ? averaging(from, to, target) : interpolating(from, to, target, source);
    trim_taps(axis);
    return axis;
}

// Sums the source rows that output row `y` covers. `Sum` holds 255 times the axis' total.
template <typename Sum>
void sum_rows(const ImageView& source, const Axis& rows, int y, std::vector<Sum>& sums) {
    const auto row_at = static_cast<std::size_t>(y);
    const auto taps = static_cast<std::size_t>(rows.taps);
    const std::size_t length = static_cast<std::size_t>(source.width()) * 4;
    for (std::size_t k = 0; k < taps; ++k) {
        const auto weight = static_cast<Sum>(rows.weights[row_at * taps + k]);
        if (weight == 0) continue;
        const std::uint8_t* bytes = source.row(rows.first[row_at] + static_cast<int>(k)).data();
        Sum* sum = sums.data();
        if (k == 0) {
            for (std::size_t i = 0; i < length; ++i) sum[i] = static_cast<Sum>(weight * bytes[i]);
        } else {
            for (std::size_t i = 0; i < length; ++i)
                sum[i] = static_cast<Sum>(sum[i] + static_cast<Sum>(weight * bytes[i]));
        }
    }
}

// Sums columns and divides. Whole numbers in `Real`: exact as long as they fit its mantissa, and
// adding a half before the multiplication by 1/total keeps a rounding error of the product from
// falling below a whole number.
template <int Taps, typename Real, typename Sum>
void sum_columns(const std::vector<Sum>& sums, const Axis& columns,
                 const std::vector<Real>& weights, std::uint64_t total,
                 std::span<std::uint8_t> row) {
    const std::uint64_t half_down = total / 2;
    const Real half = static_cast<Real>(half_down) + Real{0.5};
    const Real inverse = Real{1} / static_cast<Real>(total);
    const int taps = Taps == 0 ? columns.taps : Taps;
    const Real* weight = weights.data();
    const std::size_t count = columns.first.size();
    for (std::size_t x = 0; x < count; ++x, weight += taps) {
        const Sum* pixel = sums.data() + static_cast<std::size_t>(columns.first[x]) * 4;
        Real mean[4] = {half, half, half, half};
        for (int k = 0; k < taps; ++k)
            for (int channel = 0; channel < 4; ++channel)
                mean[channel] += weight[k] * static_cast<Real>(pixel[k * 4 + channel]);
        std::uint8_t* out = &row[x * 4];
        for (int channel = 0; channel < 3; ++channel)
            out[channel] = static_cast<std::uint8_t>(static_cast<int>(mean[channel] * inverse));
        out[3] = 255;
    }
}

template <typename Real, typename Sum>
void scale_rows(const ImageView& source, const Axis& columns, const Axis& rows, Image& into) {
    // Columns past the right edge have weight 0 but are read: leave room for them.
    const auto room = static_cast<std::size_t>(source.width() + columns.taps) * 4;
    std::vector<Sum> sums(room);
    const std::vector<Real> weights(columns.weights.begin(), columns.weights.end());
    const std::uint64_t total = std::uint64_t{columns.total} * rows.total;
    for (int y = 0; y < into.height(); ++y) {
        sum_rows(source, rows, y, sums);
        const auto row = into.row(y);
        switch (columns.taps) {
        case 1:
            sum_columns<1>(sums, columns, weights, total, row);
            break;
        case 2:
            sum_columns<2>(sums, columns, weights, total, row);
            break;
        case 3:
            sum_columns<3>(sums, columns, weights, total, row);
            break;
        default:
            sum_columns<0>(sums, columns, weights, total, row);
            break;
        }
    }
}

void copy_opaque(const ImageView& source, Image& into) {
    for (int y = 0; y < source.height(); ++y) {
        const auto row = into.row(y);
        std::ranges::copy(source.row(y), row.begin());
        for (std::size_t at = 3; at < row.size(); at += 4) row[at] = 255;
    }
}

} // namespace

void scale(const ImageView& source, Size size, Image& into) {
    if (source.empty() || size.empty())
        throw std::invalid_argument("an empty image cannot be scaled");
    into.resize(size);
    if (source.size() == size) {
        copy_opaque(source, into);
        return;
    }
    const Axis columns = make_axis(source.width(), size.width);
    const Axis rows = make_axis(source.height(), size.height);
    // A float is exact here up to a total of 8192: sums stay below 2^22, and 0.5 / 8192 is more
    // than the worst error of the division, 255 * 3 * 2^-24. The 16-bit row sums hold 255 * 257.
    constexpr std::uint64_t float_limit = 8192;
    constexpr std::uint32_t short_limit = 257;
    const bool small = std::uint64_t{columns.total} * rows.total <= float_limit;
    if (small && rows.total <= short_limit)
        scale_rows<float, std::uint16_t>(source, columns, rows, into);
    else if (small)
        scale_rows<float, std::uint32_t>(source, columns, rows, into);
    else
        scale_rows<double, std::uint32_t>(source, columns, rows, into);
}

} // namespace winio
