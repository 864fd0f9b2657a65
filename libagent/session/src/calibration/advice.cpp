// What users should know about a calibration, and what they can do.
#include "calibration/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace eyehand::session {
namespace {

/// Families that a run can use without further settings: the vendor states the convention, the published
/// image processor shows that the weights can be downloaded, and they call tools natively.
std::vector<std::string_view> reliable_families() {
    std::vector<std::string_view> names;
    for (const agent::ModelFamily& family : agent::model_families())
        if (family.grounds && family.convention && !family.varies && family.processor &&
            family.certainty == agent::Certainty::vendor &&
            family.dialect == agent::Dialect::native)
            names.push_back(family.name);
    return names;
}

std::string no_grounding(const Calibration& calibration) {
    if (calibration.with_position == 0)
        return "the model does not ground: no reply has a position, so the model cannot click";
    return fmt::format("the model does not ground: its positions do not depend on the targets, or "
                       "are too few ({} of {} replies), so clicks are likely to miss",
                       calibration.with_position, calibration.requests);
}

std::string changed_convention(const Calibration& calibration) {
    const std::string others =
        calibration.other_form
            ? fmt::format("; others are {}", description(*calibration.other_form))
            : std::string();
    return fmt::format("the model does not keep to one convention: {} of {} positions are in it up "
                       "to turn {} of a conversation, {} of {} later{}; clicks in long runs may "
                       "miss",
                       calibration.early.in_convention, calibration.early.total, max_early_turn,
                       calibration.late.in_convention, calibration.late.total, others);
}

} // namespace

std::vector<CalibrationWarning> warnings_of(const Calibration& calibration) {
    if (!calibration.fit.grounds) return {{WarningKind::no_grounding, no_grounding(calibration)}};
    std::vector<CalibrationWarning> all;
    const PositionForm& form = calibration.fit.form;
    if (!form.usable())
        all.push_back({WarningKind::unusable_form,
                       fmt::format("runs do not support positions in this form ({}), so clicks "
                                   "are likely to miss",
                                   description(form))});
    const HitRate small = calibration.small_targets();
    if (small.total > 0 && small.hits < small.total * min_small_hit_rate) {
        const Interval range = wilson_interval(small.hits, small.total);
        all.push_back({WarningKind::small_targets,
                       fmt::format("{:.0f} % of clicks on small targets (up to {} pixels) are "
                                   "expected to hit ({:.0f} to {:.0f} %)",
                                   100.0 * small.hits / small.total, max_small_target,
                                   100 * range.low, 100 * range.high)});
    }
    if (calibration.keeps_convention() == false)
        all.push_back({WarningKind::changed_convention, changed_convention(calibration)});
    return all;
}

std::vector<std::string> warnings(const Calibration& calibration) {
    std::vector<std::string> all;
    for (CalibrationWarning& warning : warnings_of(calibration))
        all.push_back(std::move(warning.text));
    return all;
}

std::vector<std::string> alternatives(std::string_view model, agent::Dialect dialect) {
    std::vector<std::string> all;
    const auto family = agent::model_family(model);
    if (family && family->dialect != dialect) {
        all.push_back(fmt::format("--dialect {}, in which {} was trained to state actions",
                                  to_string(family->dialect), family->name));
    } else if (!family) {
        std::vector<std::string> words = agent::dialect_words();
        std::erase(words, std::string(to_string(dialect)));
        all.push_back(fmt::format("another --dialect, if the model was trained in one ({})",
                                  fmt::join(words, ", ")));
    }
    std::vector<std::string_view> names = reliable_families();
    if (family) std::erase(names, family->name);
    all.push_back(fmt::format("a model of a family that states positions reliably ({})",
                              fmt::join(names, ", ")));
    all.emplace_back("tasks for the keyboard: type and press need no positions, and --with "
                     "launch_app, --with focus_window and --with list_windows add tools that start "
                     "programs and choose windows by their titles");
    all.emplace_back("your own programs as tools (--tool FILE)");
    return all;
}

} // namespace eyehand::session
