// Results of calibrations: their files, and what they say.
#include "eyehand/session/calibration.hpp"

#include "calibration/position_form.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/vlm/digest.hpp"
#include "profile/members.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>

namespace eyehand::session {
namespace {

namespace json = boost::json;
using agent::Members;

constexpr int file_format = 1;
constexpr int max_count = 1'000'000;
constexpr std::size_t max_rates = 100; // their sum fits into an int

/// The part of an endpoint that a file may contain: a query may have keys.
std::string_view without_query(std::string_view endpoint) {
    return endpoint.substr(0, endpoint.find('?'));
}

json::value to_json(const std::optional<int>& number) {
    return number ? json::value(*number) : json::value(nullptr);
}

/// Three decimals.
double rounded(double number) { return std::round(number * 1000) / 1000; }

json::object to_json(const agent::Correction& correction) {
    return {{"scale_x", correction.scale_x},
            {"offset_x", correction.offset_x},
            {"scale_y", correction.scale_y},
            {"offset_y", correction.offset_y}};
}

json::object to_json(const PositionForm& form) {
    return {{"convention", json::string(to_string(form.convention))},
            {"swapped", form.swapped},
            {"server_resize", json::string(to_string(form.resize))},
            {"text", description(form)}};
}

json::object to_json(const HitRate& rate) {
    const Interval range = wilson_interval(rate.hits, rate.total);
    return {{"size", rate.size},
            {"hits", rate.hits},
            {"total", rate.total},
            {"low", rounded(range.low)},
            {"high", rounded(range.high)}};
}

json::object to_json(const ConventionShare& share) {
    return {{"in_convention", share.in_convention}, {"total", share.total}};
}

json::array to_json(const std::vector<std::string>& texts) {
    json::array all;
    for (const std::string& text : texts) all.emplace_back(json::string(text));
    return all;
}

void read_number(const Members& members, std::string_view name, double& into, double min,
                 double max) {
    std::optional<double> number = into;
    members.read(name, number, min, max);
    into = *number;
}

agent::CoordinateConvention read_convention(const Members& members, std::string_view name) {
    std::string word;
    members.read_required(name, word);
    const auto convention = agent::parse_coordinate_convention(word);
    if (!convention) members.refuse(name, fmt::format("is \"{}\", which is unknown", word));
    return *convention;
}

PositionForm read_form(const Members& members) {
    PositionForm form;
    form.convention = read_convention(members, "convention");
    members.read("swapped", form.swapped);
    std::vector<std::pair<std::string, ServerResize>> resizes;
    resizes.reserve(server_resizes.size());
    for (const ServerResize resize : server_resizes)
        resizes.emplace_back(to_string(resize), resize);
    members.read("server_resize", form.resize, resizes);
    return form;
}

ConventionShare read_share(const Members& members, std::string_view name) {
    ConventionShare share;
    if (const auto object = members.object(name)) {
        object->read("total", share.total, 0, max_count);
        object->read("in_convention", share.in_convention, 0, share.total);
    }
    return share;
}

PositionFit read_fit(const Members& members) {
    PositionFit fit;
    constexpr double max = 1e9;
    members.read("grounds", fit.grounds);
    fit.form = read_form(members);
    read_number(members, "residual", fit.residual, 0, max);
    read_number(members, "uncorrected_residual", fit.uncorrected_residual, 0, max);
    read_number(members, "chance_residual", fit.chance_residual, 0, max);
    if (const auto correction = members.object("correction")) {
        read_number(*correction, "scale_x", fit.correction.scale_x, 0.5, 2);
        read_number(*correction, "offset_x", fit.correction.offset_x, -500, 500);
        read_number(*correction, "scale_y", fit.correction.scale_y, 0.5, 2);
        read_number(*correction, "offset_y", fit.correction.offset_y, -500, 500);
    }
    return fit;
}

std::vector<HitRate> read_hit_rates(const Members& members, std::string_view name) {
    std::vector<HitRate> rates;
    const auto objects = members.objects(name);
    if (!objects) return rates;
    if (objects->size() > max_rates)
        members.refuse(name, fmt::format("must be an array of at most {}", max_rates));
    for (const Members& one : *objects) {
        HitRate rate;
        one.require("size");
        one.read("size", rate.size, 1, max_count);
        one.read("total", rate.total, 0, max_count);
        one.read("hits", rate.hits, 0, rate.total);
        rates.push_back(rate);
    }
    return rates;
}

RefineResult read_refined(const Members& members) {
    constexpr int max_tokens = std::numeric_limits<int>::max();
    RefineResult result;
    result.without = read_hit_rates(members, "without");
    result.with = read_hit_rates(members, "with");
    result.with_small = read_hit_rates(members, "with_small");
    members.read("requests", result.requests, 0, max_count);
    read_number(members, "median_seconds", result.median_seconds, 0, 1e9);
    members.read("median_prompt_tokens", result.median_prompt_tokens, 0, max_tokens);
    members.read("median_completion_tokens", result.median_completion_tokens, 0, max_tokens);
    return result;
}

json::array to_json(const std::vector<HitRate>& hit_rates) {
    json::array rates;
    for (const HitRate& rate : hit_rates) rates.push_back(to_json(rate));
    return rates;
}

json::object to_json(const RefineResult& result) {
    return {{"without", to_json(result.without)},
            {"with", to_json(result.with)},
            {"with_small", to_json(result.with_small)},
            {"requests", result.requests},
            {"median_seconds", result.median_seconds},
            {"median_prompt_tokens", to_json(result.median_prompt_tokens)},
            {"median_completion_tokens", to_json(result.median_completion_tokens)}};
}

} // namespace

// Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the American
// Statistical Association 22 (1927), 209-212. Unlike the usual interval, it is right for few trials.
Interval wilson_interval(int hits, int total) {
    if (total <= 0) return {};
    constexpr double z = 1.959964; // 97.5 % of the standard normal distribution
    const double n = total;
    const double share = hits / n;
    const double middle = (share + z * z / (2 * n)) / (1 + z * z / n);
    const double half =
        z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

HitRate Calibration::small_targets() const {
    HitRate sum;
    for (const HitRate& rate : hit_rates) {
        if (rate.size > max_small_target) continue;
        sum.hits += rate.hits;
        sum.total += rate.total;
    }
    return sum;
}

std::optional<bool> Calibration::keeps_convention() const {
    constexpr int min_late_positions = 5;
    if (!fit.grounds || late.total < min_late_positions) return std::nullopt;
    const auto is_kept = [](const ConventionShare& share) {
        return share.in_convention >= share.total * min_convention_share;
    };
    return is_kept(early) && is_kept(late);
}

std::string to_json(const Calibration& calibration) {
    const PositionFit& fit = calibration.fit;
    json::object positions = to_json(fit.form);
    positions["grounds"] = fit.grounds;
    positions["residual"] = fit.residual;
    positions["uncorrected_residual"] = fit.uncorrected_residual;
    positions["chance_residual"] = fit.chance_residual;
    if (fit.correction != agent::Correction{}) positions["correction"] = to_json(fit.correction);
    json::object all{
        {"format", file_format},
        {"endpoint", json::string(without_query(calibration.endpoint))},
        {"model", json::string(calibration.model)},
        {"version", json::string(calibration.version)},
        {"time", calibration.time},
        {"profile", json::string(calibration.profile)},
        {"dialect", json::string(to_string(calibration.dialect))},
        {"stated", json::string(to_string(calibration.stated))},
        {"positions", std::move(positions)},
        {"hit_rates", to_json(calibration.hit_rates)},
        {"small_targets", to_json(calibration.small_targets())},
        {"requests", calibration.requests},
        {"failed_requests", calibration.failed_requests},
        {"with_position", calibration.with_position},
        {"valid_calls", calibration.valid_calls},
        {"single_calls", calibration.single_calls},
        {"in_convention", calibration.in_convention},
        {"median_seconds", calibration.median_seconds},
        {"median_prompt_tokens", to_json(calibration.median_prompt_tokens)},
        {"median_completion_tokens", to_json(calibration.median_completion_tokens)},
        {"early", to_json(calibration.early)},
        {"late", to_json(calibration.late)},
        {"warnings", to_json(warnings(calibration))},
    };
    if (calibration.refined) all["refined"] = to_json(*calibration.refined);
    if (calibration.other_form) all["other_form"] = to_json(*calibration.other_form);
    if (!fit.grounds)
        all["alternatives"] = to_json(alternatives(calibration.model, calibration.dialect));
    return agent::to_text(all);
}

Calibration calibration_from_json(std::string_view text, const std::string& where) {
    std::string problem;
    const auto parsed = agent::parse_json(text, &problem);
    if (!parsed || !parsed->is_object())
        throw agent::Error(agent::errc::bad_config,
                           fmt::format("{} is not a calibration{}{}", where,
                                       problem.empty() ? "" : ": ", problem));
    const json::object& all = parsed->as_object();
    const Members members(all, where, agent::errc::bad_config);
    int version = 0;
    members.read("format", version, 1, max_count);
    if (version == 0) members.refuse("format", "is missing");
    if (version > file_format)
        members.refuse("format", fmt::format("is {}; this version reads up to {}: calibrate again",
                                             version, file_format));
    Calibration calibration;
    members.read_required("endpoint", calibration.endpoint);
    calibration.endpoint.resize(without_query(calibration.endpoint).size());
    if (calibration.endpoint.empty()) members.refuse("endpoint", "is only a query");
    members.read_required("model", calibration.model);
    members.read("version", calibration.version);
    members.read("profile", calibration.profile);
    if (const json::value* time = all.if_contains("time"); time != nullptr && time->is_int64())
        calibration.time = time->as_int64();
    std::string dialect(to_string(agent::Dialect::native));
    members.read("dialect", dialect);
    const auto known = agent::parse_dialect(dialect);
    if (!known) members.refuse("dialect", fmt::format("is \"{}\", which is unknown", dialect));
    calibration.dialect = *known;
    calibration.stated = read_convention(members, "stated");
    members.require("positions");
    calibration.fit = read_fit(*members.object("positions"));
    calibration.hit_rates = read_hit_rates(members, "hit_rates");
    members.read("requests", calibration.requests, 0, max_count);
    members.read("failed_requests", calibration.failed_requests, 0, max_count);
    members.read("with_position", calibration.with_position, 0, max_count);
    members.read("valid_calls", calibration.valid_calls, 0, max_count);
    members.read("single_calls", calibration.single_calls, 0, max_count);
    members.read("in_convention", calibration.in_convention, 0, max_count);
    calibration.early = read_share(members, "early");
    calibration.late = read_share(members, "late");
    if (const auto form = members.object("other_form")) calibration.other_form = read_form(*form);
    read_number(members, "median_seconds", calibration.median_seconds, 0, 1e9);
    constexpr int max_tokens = std::numeric_limits<int>::max();
    members.read("median_prompt_tokens", calibration.median_prompt_tokens, 0, max_tokens);
    members.read("median_completion_tokens", calibration.median_completion_tokens, 0, max_tokens);
    if (const auto refined = members.object("refined"))
        calibration.refined = read_refined(*refined);
    return calibration;
}

std::string calibration_file(std::string_view endpoint, std::string_view model) {
    // A line break separates them: neither contains one.
    const std::string both = fmt::format("{}\n{}", without_query(endpoint), model);
    return vlm::sha256_hex(both).substr(0, 32) + ".json";
}

std::optional<Calibration> load_calibration(const std::filesystem::path& folder,
                                            std::string_view endpoint, std::string_view model) {
    const std::filesystem::path file = folder / calibration_file(endpoint, model);
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
    std::ifstream in(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::u8string name = file.u8string();
    Calibration calibration = calibration_from_json(text, std::string(name.begin(), name.end()));
    if (calibration.endpoint != without_query(endpoint) || calibration.model != model)
        return std::nullopt;
    return calibration;
}

} // namespace eyehand::session
