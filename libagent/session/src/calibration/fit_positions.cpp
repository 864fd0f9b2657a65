// From stated positions to a convention and a correction.
#include "calibration/position_form.hpp"
#include "eyehand/session/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace eyehand::session {
namespace {

using agent::CoordinateConvention;
using agent::Correction;
using agent::ImageProcessor;
using winio::NormPoint;

constexpr std::size_t min_samples = 6;

/// In 1/1000 of the image, without limits: numbers out of range are far from all targets.
NormPoint unlimited_position(const PositionSample& sample, const PositionForm& form,
                             const std::optional<ImageProcessor>& processor) {
    const agent::ModelPoint at = stated_point(sample, form);
    const agent::ModelPoint max = converter_for(sample, form, {}, processor).max_point();
    static constexpr double limit = 1e6; // so that squares stay finite
    const auto norm = [](double number, double of) {
        const double value = of > 0 ? number * 1000 / of : 0;
        return std::isfinite(value) ? std::clamp(value, -limit, limit) : limit;
    };
    return {norm(at.x, max.x), norm(at.y, max.y)};
}

NormPoint center_of(const PositionSample& sample) {
    const auto norm = [](int begin, int length, int side) {
        return side > 1 ? (begin + (length - 1) / 2.0) * 1000 / (side - 1) : 0.0;
    };
    return {norm(sample.target.x, sample.target.width, sample.image.width),
            norm(sample.target.y, sample.target.height, sample.image.height)};
}

double distance(NormPoint a, NormPoint b) { return std::hypot(a.x - b.x, a.y - b.y); }

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::vector<double> distances(const std::vector<NormPoint>& points,
                              const std::vector<NormPoint>& centers) {
    std::vector<double> all(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) all[i] = distance(points[i], centers[i]);
    return all;
}

/// The negative logarithm of the likelihood, up to a constant, if errors have a bivariate t distribution
/// with one degree of freedom, whose density falls with (1 + d^2 / s^2)^(-3/2): wrong targets then count
/// little. Lange, Little and Taylor, "Robust Statistical Modeling Using the t Distribution", Journal of
/// the American Statistical Association 84 (1989), 881-896.
double unlikelihood(const std::vector<double>& distances, double scale) {
    double sum = 0;
    for (const double d : distances) sum += 1.5 * std::log1p(d * d / (scale * scale));
    return sum;
}

// --- The form ------------------------------------------------------------------------------------

struct Hypothesis {
    PositionForm form;
    /// By how much a hypothesis must be more likely than a simpler one, as a logarithm.
    double penalty = 0;
    std::vector<NormPoint> points{};
};

/// A ratio of 20, the usual limit of strong evidence, as a logarithm.
constexpr double strong_evidence = 3;

std::vector<Hypothesis> hypotheses(CoordinateConvention stated) {
    using enum CoordinateConvention;
    // Ties go to the earlier one.
    constexpr std::array simple_first{norm1000, image_pixels, model_pixels_28, model_pixels_32,
                                      percent,  unit,         norm1000_yx,     norm999};
    constexpr std::array in_pixels{image_pixels, model_pixels_28, model_pixels_32};
    constexpr double other = strong_evidence;
    constexpr double unusual = 2 * strong_evidence;
    std::vector<Hypothesis> all{{{stated, false, ServerResize::none}, 0}};
    for (const CoordinateConvention convention : simple_first)
        if (convention != stated) all.push_back({{convention, false, ServerResize::none}, other});
    for (const ServerResize resize :
         {ServerResize::long_side_1024, ServerResize::long_side_1568, ServerResize::short_side_768})
        for (const CoordinateConvention convention : in_pixels)
            all.push_back({{convention, false, resize}, unusual});
    for (const CoordinateConvention convention : simple_first)
        if (convention != norm1000 && convention != norm1000_yx) // these are each other's
            all.push_back({{convention, true, ServerResize::none}, unusual});
    return all;
}

// --- Chance --------------------------------------------------------------------------------------

/// Shuffles by Fisher and Yates with the generator MINSTD (std::minstd_rand), because the standard
/// library's std::shuffle differs between systems.
class Shuffler {
public:
    void shuffle(std::vector<std::size_t>& order) {
        for (std::size_t i = order.size(); i > 1; --i) {
            state_ = state_ * 48271 % 2147483647;
            std::swap(order[i - 1], order[state_ % i]);
        }
    }

private:
    std::uint64_t state_ = 20260101;
};

/// The residual that fewer than 1 % of random assignments of answers to targets reach.
double chance_residual(const std::vector<Hypothesis>& all, const std::vector<NormPoint>& centers) {
    constexpr int shuffles = 199; // and the real one: the best of 200 is among the first 0.5 %
    Shuffler shuffler;
    std::vector<std::size_t> order(centers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<NormPoint> shuffled(centers.size());
    double lowest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < shuffles; ++i) {
        shuffler.shuffle(order);
        for (std::size_t k = 0; k < order.size(); ++k) shuffled[k] = centers[order[k]];
        for (const Hypothesis& one : all)
            lowest = std::min(lowest, median(distances(one.points, shuffled)));
    }
    return lowest;
}

// --- The correction ------------------------------------------------------------------------------

struct Line {
    double scale = 1;
    double offset = 0;
};

/// The estimator of Theil and Sen: the median of the slopes between all pairs of points, which up to
/// 29 % of wrong points do not spoil. Sen, "Estimates of the Regression Coefficient Based on Kendall's
/// Tau", Journal of the American Statistical Association 63 (1968), 1379-1389.
Line theil_sen(const std::vector<double>& from, const std::vector<double>& to) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t k = i + 1; k < from.size(); ++k)
            if (const double run = from[k] - from[i]; std::abs(run) >= 1)
                slopes.push_back((to[k] - to[i]) / run);
    Line line;
    if (!slopes.empty()) line.scale = median(std::move(slopes));
    std::vector<double> offsets(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) offsets[i] = to[i] - line.scale * from[i];
    line.offset = median(std::move(offsets));
    return line;
}

Line shift(const std::vector<double>& from, const std::vector<double>& to) {
    std::vector<double> offsets(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) offsets[i] = to[i] - from[i];
    return {1, median(std::move(offsets))};
}

template <class Fit>
Correction fit_axes(const std::vector<NormPoint>& points, const std::vector<NormPoint>& centers,
                    Fit fit) {
    const auto axis = [](const std::vector<NormPoint>& all, double NormPoint::*member) {
        std::vector<double> values(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) values[i] = all[i].*member;
        return values;
    };
    const Line x = fit(axis(points, &NormPoint::x), axis(centers, &NormPoint::x));
    const Line y = fit(axis(points, &NormPoint::y), axis(centers, &NormPoint::y));
    return {x.scale, x.offset, y.scale, y.offset};
}

std::vector<NormPoint> corrected(std::vector<NormPoint> points, const Correction& correction) {
    for (NormPoint& point : points)
        point = {correction.scale_x * point.x + correction.offset_x,
                 correction.scale_y * point.y + correction.offset_y};
    return points;
}

/// A hypothesis with a correction of a systematic error, or with none.
struct Candidate {
    const Hypothesis* hypothesis;
    Correction correction{};
    int parameters = 0;
    std::vector<double> distances{};
    double residual = 0; ///< their median
};

/// Without a correction first, and then, if `with_corrections`, those that are worth mentioning to users.
std::vector<Candidate> candidates_of(const Hypothesis& hypothesis,
                                     const std::vector<NormPoint>& centers, bool with_corrections) {
    const std::vector<NormPoint>& points = hypothesis.points;
    std::vector<Candidate> all;
    const auto add = [&](const Correction& correction, int parameters) {
        if (!correction.valid()) return;
        std::vector<double> left = distances(corrected(points, correction), centers);
        const double residual = median(left);
        if (parameters > 0 &&
            (residual > all.front().residual * 0.9 || residual > all.front().residual - 1))
            return;
        all.push_back({&hypothesis, correction, parameters, std::move(left), residual});
    };
    add({}, 0);
    if (!with_corrections) return all;
    add(fit_axes(points, centers, shift), 2);
    add(fit_axes(points, centers, theil_sen), 4);
    return all;
}

/// The Bayesian information criterion, halved, with the robust loss in place of the likelihood: each
/// parameter costs 0.5 log(n). Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6
/// (1978), 461-464; Machado, "Robust Model Selection and M-Estimation", Econometric Theory 9 (1993),
/// 478-493.
double criterion(const Candidate& one, double scale) {
    return unlikelihood(one.distances, scale) +
           0.5 * one.parameters * std::log(static_cast<double>(one.distances.size())) +
           one.hypothesis->penalty;
}

} // namespace

bool follows(const PositionSample& sample, const PositionFit& fit,
             const std::optional<ImageProcessor>& processor) {
    if (!keeps_to(sample, fit.form, processor)) return false;
    // A single position does not tell conventions apart whose numbers are about the same.
    const double scale = std::max(5.0, fit.residual);
    const std::vector<NormPoint> center{center_of(sample)};
    const auto unlikelihood_of = [&](const PositionForm& form) {
        return unlikelihood(
            distances(corrected({unlimited_position(sample, form, processor)}, fit.correction),
                      center),
            scale);
    };
    const double own = unlikelihood_of(fit.form);
    return std::ranges::none_of(hypotheses(fit.form.convention), [&](const Hypothesis& other) {
        return unlikelihood_of(other.form) + std::max(strong_evidence, other.penalty) < own;
    });
}

PositionFit fit_positions(std::span<const PositionSample> samples, const FitOptions& options) {
    PositionFit fit{.form = {options.stated, false, ServerResize::none}};
    std::vector<NormPoint> centers;
    for (const PositionSample& sample : samples) {
        if (sample.image.empty() || (sample.numbers.size() != 2 && sample.numbers.size() != 4))
            throw std::invalid_argument("a sample of a position without an image, or with " +
                                        std::to_string(sample.numbers.size()) + " numbers");
        centers.push_back(center_of(sample));
    }
    if (samples.size() < min_samples) return fit;

    std::vector<Hypothesis> all = hypotheses(options.stated);
    std::vector<Candidate> candidates;
    double scale = std::numeric_limits<double>::infinity();
    for (Hypothesis& one : all) {
        for (const PositionSample& sample : samples)
            one.points.push_back(unlimited_position(sample, one.form, options.processor));
        for (Candidate& candidate : candidates_of(one, centers, options.corrections)) {
            scale = std::min(scale, candidate.residual);
            candidates.push_back(std::move(candidate));
        }
    }
    scale = std::max(1.0, scale); // whole numbers cannot be more exact
    const auto best = std::ranges::min_element(
        candidates, {}, [&](const Candidate& one) { return criterion(one, scale); });
    fit.form = best->hypothesis->form;
    fit.uncorrected_residual = fit.residual = median(distances(best->hypothesis->points, centers));
    fit.chance_residual = chance_residual(all, centers);
    fit.grounds = fit.uncorrected_residual < fit.chance_residual;
    if (fit.grounds) {
        fit.correction = best->correction;
        fit.residual = best->residual;
    }
    return fit;
}

} // namespace eyehand::session
