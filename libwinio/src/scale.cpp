// Scales in two passes: an output row is first the weighted sum of the source rows that it covers,
// then each of its pixels is the weighted sum of the columns that it covers. The weights are
// integers, and one division at the end rounds to the nearest value, so the result is exact: no
// drift, and no gray at stripes that align with whole pixels.
#include "eyehand/winio/scale.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

namespace eyehand::winio {
namespace {

// The weights of one axis of the output: output position i is the sum over k < taps of weights[i *
// taps + k] times source position first[i] + k, divided by `total`. Weights from position end[i] on
// are 0.
struct ScaledAxis {
    std::vector<int> first;
    std::vector<int> end;
    std::vector<std::uint32_t> weights;
    int taps = 1;
    std::uint32_t total = 1;
    int period = 1; // number of positions after which the weights repeat
};

// If the axis shrinks, pixel i covers [i * from, (i + 1) * from) in units of 1/to of a source
// pixel. The weight of a source pixel is its share of this range.
ScaledAxis averaging(std::int64_t from, std::int64_t to, int count) {
    ScaledAxis axis;
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

// If the axis grows, the center of pixel i lies between two source centers, at ((2i + 1) * from -
// to) in units of 1/(2 * to). Beyond the outermost centers, the edge pixel is used.
ScaledAxis interpolating(std::int64_t from, std::int64_t to, int count, int source_extent) {
    ScaledAxis axis;
    axis.taps = 2;
    const std::int64_t unit = 2 * to;
    axis.total = static_cast<std::uint32_t>(unit);
    for (int i = 0; i < count; ++i) {
        const std::int64_t last = (source_extent - 1) * unit;
        const auto center =
            std::clamp<std::int64_t>((2 * std::int64_t{i} + 1) * from - to, 0, last);
        axis.first.push_back(static_cast<int>(center / unit));
        axis.weights.push_back(static_cast<std::uint32_t>(unit - center % unit));
        axis.weights.push_back(static_cast<std::uint32_t>(center % unit));
    }
    return axis;
}

// Determines the taps that each position needs, and removes taps that no position needs: 5 to 4
// needs two, although the bound for its ratio is three.
void trim_taps(ScaledAxis& axis) {
    const auto taps = static_cast<std::size_t>(axis.taps);
    int needed = 1;
    for (std::size_t i = 0; i < axis.first.size(); ++i) {
        int used = axis.taps;
        while (axis.weights[i * taps + static_cast<std::size_t>(used) - 1] == 0) --used;
        axis.end.push_back(axis.first[i] + used);
        needed = std::max(needed, used);
    }
    std::vector<std::uint32_t> kept;
    for (std::size_t at = 0; at < axis.weights.size(); ++at)
        if (static_cast<int>(at % taps) < needed) kept.push_back(axis.weights[at]);
    axis.weights = std::move(kept);
    axis.taps = needed;
}

ScaledAxis make_axis(int source, int target) {
    const int divisor = std::gcd(source, target);
    const int from = source / divisor;
    const int to = target / divisor;
    ScaledAxis axis =
        from >= to ? averaging(from, to, target) : interpolating(from, to, target, source);
    trim_taps(axis);
    axis.period = to;
    return axis;
}

// Division by a constant as a multiplication: sum / total == (sum * factor >> 16) >> shift.
struct Reciprocal {
    std::uint16_t factor = 0;
    int shift = 0;
};

// Empty if 16 bits are not exact for all sums up to `largest`. With the factor rounded up by e /
// total, the quotient is exact as long as largest * e < 2^(16 + shift) (Granlund and Montgomery,
// "Division by Invariant Integers using Multiplication").
std::optional<Reciprocal> reciprocal(std::uint32_t total, std::uint32_t largest) {
    const int shift = static_cast<int>(std::bit_width(total - 1)) - 1;
    if (shift < 0) return std::nullopt; // one to one
    const std::uint64_t power = std::uint64_t{1} << (16 + shift);
    const std::uint64_t factor = (power + total - 1) / total;
    const std::uint64_t excess = factor * total - power;
    if (factor > 0xFFFF || largest * excess >= power) return std::nullopt;
    return Reciprocal{static_cast<std::uint16_t>(factor), shift};
}

// Sums the source rows that output row `y` covers. `Sum` can hold 255 times the axis' total.
template <typename Sum>
void sum_rows(const ImageView& source, const ScaledAxis& rows, int y, std::vector<Sum>& sums) {
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

// Sums columns and divides. Integers in `Real` are exact if they fit into its mantissa. Adding one
// half before the multiplication by 1/total prevents a rounding error from moving the product below
// an integer.
template <int Taps, typename Real, typename Sum>
void sum_columns(const std::vector<Sum>& sums, const ScaledAxis& columns,
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
void scale_rows(const ImageView& source, const ScaledAxis& columns, const ScaledAxis& rows,
                int first_row, Image& into) {
    // Columns past the right edge have weight 0 but are read, so they need memory.
    const auto room = static_cast<std::size_t>(source.width() + columns.taps) * 4;
    std::vector<Sum> sums(room);
    const std::vector<Real> weights(columns.weights.begin(), columns.weights.end());
    const std::uint64_t total = std::uint64_t{columns.total} * rows.total;
    for (int y = 0; y < into.height(); ++y) {
        sum_rows(source, rows, first_row + y, sums);
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

// --- Ratios of small whole numbers
// ---------------------------------------------------------------- If the weights of a pixel sum to
// at most 256, as for 1920x1080 to 1536x864 (25), every sum fits into 16 bits. The four channels of
// a pixel are then one 64-bit number, which a single multiplication weighs.

using Pixel16 = std::array<std::uint16_t, 4>;

std::uint64_t lanes(const Pixel16& pixel) { return std::bit_cast<std::uint64_t>(pixel); }

template <int Taps>
void sum_rows_16(const ImageView& source, const ScaledAxis& rows, int y, std::uint16_t* sums) {
    const auto row_at = static_cast<std::size_t>(y);
    const int first = rows.first[row_at];
    std::array<const std::uint8_t*, Taps> bytes;
    std::array<std::uint16_t, Taps> weights;
    for (std::size_t k = 0; k < Taps; ++k) {
        // Taps with weight 0 may lie outside the image.
        const int row = std::min(first + static_cast<int>(k), rows.end[row_at] - 1);
        bytes[k] = source.row(row).data();
        weights[k] = static_cast<std::uint16_t>(rows.weights[row_at * Taps + k]);
    }
    const std::size_t length = static_cast<std::size_t>(source.width()) * 4;
    for (std::size_t i = 0; i < length; ++i) {
        std::uint16_t sum = 0;
        for (std::size_t k = 0; k < Taps; ++k)
            sum = static_cast<std::uint16_t>(sum + weights[k] * bytes[k][i]);
        sums[i] = sum;
    }
}

template <int Taps>
void sum_columns_16(const std::uint16_t* sums, const ScaledAxis& columns, std::uint32_t total,
                    std::uint16_t* means) {
    const auto half = static_cast<std::uint16_t>(total / 2);
    const auto opaque = static_cast<std::uint16_t>(total * 255);
    const std::uint64_t start = lanes({half, half, half, 0});
    const std::uint64_t colors = lanes({0xFFFF, 0xFFFF, 0xFFFF, 0});
    const std::uint64_t alpha = lanes({0, 0, 0, opaque});
    const std::uint32_t* weight = columns.weights.data();
    const std::size_t count = columns.first.size();
    for (std::size_t x = 0; x < count; ++x, weight += Taps) {
        const std::uint16_t* pixels = sums + static_cast<std::size_t>(columns.first[x]) * 4;
        std::uint64_t mean = 0;
        for (int k = 0; k < Taps; ++k) {
            std::uint64_t pixel = 0;
            std::memcpy(&pixel, pixels + std::ptrdiff_t{4} * k, sizeof pixel);
            mean += weight[k] * pixel;
        }
        mean = ((mean & colors) + start) | alpha;
        std::memcpy(means + x * 4, &mean, sizeof mean);
    }
}

void divide_16(const std::uint16_t* sums, const Reciprocal& by, std::span<std::uint8_t> quotients) {
    const std::uint32_t factor = by.factor;
    const int shift = by.shift;
    for (std::size_t i = 0; i < quotients.size(); ++i) {
        const auto high = static_cast<std::uint16_t>(sums[i] * factor >> 16U);
        quotients[i] = static_cast<std::uint8_t>(high >> shift);
    }
}

template <int ColumnTaps, int RowTaps>
void scale_rows_16(const ImageView& source, const ScaledAxis& columns, const ScaledAxis& rows,
                   const Reciprocal& by, int first_row, Image& into) {
    std::vector<std::uint16_t> sums(static_cast<std::size_t>(source.width() + ColumnTaps) * 4);
    std::vector<std::uint16_t> means(static_cast<std::size_t>(into.width()) * 4);
    for (int y = 0; y < into.height(); ++y) {
        sum_rows_16<RowTaps>(source, rows, first_row + y, sums.data());
        sum_columns_16<ColumnTaps>(sums.data(), columns, columns.total * rows.total, means.data());
        divide_16(means.data(), by, into.row(y));
    }
}

using ScaleRows16 = void (*)(const ImageView&, const ScaledAxis&, const ScaledAxis&,
                             const Reciprocal&, int, Image&);

template <int ColumnTaps>
ScaleRows16 scale_rows_16_for(int row_taps) {
    constexpr std::array functions{&scale_rows_16<ColumnTaps, 1>, &scale_rows_16<ColumnTaps, 2>,
                                   &scale_rows_16<ColumnTaps, 3>, &scale_rows_16<ColumnTaps, 4>};
    return functions[static_cast<std::size_t>(row_taps) - 1];
}

// Empty for more than four taps: the totals of such ratios rarely fit.
ScaleRows16 scale_rows_16_for(int column_taps, int row_taps) {
    if (column_taps > 4 || row_taps > 4) return nullptr;
    constexpr std::array functions{&scale_rows_16_for<1>, &scale_rows_16_for<2>,
                                   &scale_rows_16_for<3>, &scale_rows_16_for<4>};
    return functions[static_cast<std::size_t>(column_taps) - 1](row_taps);
}

// -------------------------------------------------------------------------------------------------

void copy_opaque(const ImageView& source, int first_row, Image& into) {
    into.copy_from(source.crop({0, first_row, into.width(), into.height()}));
    for (int y = 0; y < into.height(); ++y) {
        const auto row = into.row(y);
        for (std::size_t at = 3; at < row.size(); at += 4) row[at] = 255;
    }
}

} // namespace

struct Scaler::Plan {
    Size source;
    Size target;
    ScaledAxis columns;
    ScaledAxis rows;
    std::optional<Reciprocal> by; // if 16 bits suffice
    ScaleRows16 scale_16 = nullptr;
};

Scaler::Scaler(Size source, Size target) {
    if (source.empty() || target.empty())
        throw std::invalid_argument("an empty image cannot be scaled");
    Plan plan;
    plan.source = source;
    plan.target = target;
    plan.columns = make_axis(source.width, target.width);
    plan.rows = make_axis(source.height, target.height);
    constexpr std::uint64_t limit_16 = 256; // 255 * 256 plus one half for rounding fits into 16
                                            // bits
    const std::uint64_t total = std::uint64_t{plan.columns.total} * plan.rows.total;
    if (total <= limit_16) {
        const auto small = static_cast<std::uint32_t>(total);
        plan.by = reciprocal(small, small * 255 + small / 2);
        plan.scale_16 = scale_rows_16_for(plan.columns.taps, plan.rows.taps);
    }
    plan_ = std::make_unique<const Plan>(std::move(plan));
}
Scaler::~Scaler() = default;
Scaler::Scaler(Scaler&&) noexcept = default;
Scaler& Scaler::operator=(Scaler&&) noexcept = default;

Size Scaler::source() const { return plan_->source; }
Size Scaler::target() const { return plan_->target; }
int Scaler::period() const { return plan_->rows.period; }

namespace {

void check_rows(const RowRange& rows, Size target) {
    if (rows.first < 0 || rows.count < 1 || rows.count > target.height - rows.first)
        throw std::invalid_argument("these rows are not within the scaled image");
}

} // namespace

RowRange Scaler::source_rows(const RowRange& rows) const {
    check_rows(rows, plan_->target);
    const int first = plan_->rows.first[static_cast<std::size_t>(rows.first)];
    const int end = plan_->rows.end[static_cast<std::size_t>(rows.end()) - 1];
    return {first, end - first};
}

RowRange Scaler::target_rows(const RowRange& source_rows) const {
    const ScaledAxis& rows = plan_->rows;
    // `first` and `end` never decrease: adjacent result rows cover adjacent source rows.
    const auto begin = std::ranges::upper_bound(rows.end, source_rows.first) - rows.end.begin();
    const auto end = std::ranges::lower_bound(rows.first, source_rows.end()) - rows.first.begin();
    return {static_cast<int>(begin), std::max(0, static_cast<int>(end - begin))};
}

void Scaler::scale(const ImageView& source, const RowRange& rows, Image& into) const {
    if (source.size() != plan_->source)
        throw std::invalid_argument("the source does not have the size of the scaler");
    check_rows(rows, plan_->target);
    into.resize({plan_->target.width, rows.count});
    if (plan_->source == plan_->target) {
        copy_opaque(source, rows.first, into);
        return;
    }
    if (plan_->by && plan_->scale_16 != nullptr) {
        plan_->scale_16(source, plan_->columns, plan_->rows, *plan_->by, rows.first, into);
        return;
    }
    // A float is exact here up to a total of 8192: sums stay below 2^22, and 0.5 / 8192 is more
    // than the worst error of the division, 255 * 3 * 2^-24. The 16-bit row sums hold 255 * 257.
    constexpr std::uint64_t float_limit = 8192;
    constexpr std::uint32_t short_limit = 257;
    const bool small = std::uint64_t{plan_->columns.total} * plan_->rows.total <= float_limit;
    if (small && plan_->rows.total <= short_limit)
        scale_rows<float, std::uint16_t>(source, plan_->columns, plan_->rows, rows.first, into);
    else if (small)
        scale_rows<float, std::uint32_t>(source, plan_->columns, plan_->rows, rows.first, into);
    else
        scale_rows<double, std::uint32_t>(source, plan_->columns, plan_->rows, rows.first, into);
}

void scale(const ImageView& source, Size size, Image& into) {
    Scaler(source.size(), size).scale(source, {0, size.height}, into);
}

Image scale(const ImageView& source, Size size) {
    Image scaled;
    scale(source, size, scaled);
    return scaled;
}

} // namespace eyehand::winio
