// Measures how a model states positions: it gets the task to click on known targets of drawn screens.
//
//     vlm::OpenAiClient model({.endpoint = endpoint});
//     session::CalibrationOptions options{.profile = agent::load_profile("observer")};
//     options.profile.model = "qwen3-vl-8b-instruct";
//     session::CalibrationRun run = session::calibrate(model, options);
//     run.calibration.endpoint = endpoint;
//     for (const std::string& warning : session::warnings(run.calibration)) std::cout << warning << '\n';
//     const std::filesystem::path file = folder / session::calibration_file(endpoint, model_id);
//     std::ofstream(file) << session::to_json(run.calibration);
//
// `SessionOptions::calibrations` names the folder in which runs look for the result. The functions for
// screens, samples and results are pure and thread-safe.
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/model.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/image.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::session {

// --- Test screens --------------------------------------------------------------------------------

/// The shorter sides of targets, in pixels of the image. Each screen has one target of each size.
inline constexpr std::array target_sizes{8, 12, 16, 24, 32, 48, 64, 96};
/// Targets of at most this size count as small.
inline constexpr int max_small_target = 16;

enum class TargetKind { button, icon, link, menu_item, checkbox };

/// Something to click on.
struct Target {
    winio::Rect bounds{};
    TargetKind kind = TargetKind::button;
    int size = 0; ///< one of `target_sizes`
    /// Describes it uniquely on its screen: "the button \"Save\"", "the red circle".
    std::string description{};
};

struct TestScreen {
    winio::Image image{};
    std::vector<Target> targets{}; ///< in the order of `target_sizes`
    bool dark = false;
    std::string language{}; ///< of the labels: "en", "de", "es"
};

/// Draws a screen. The same index always gives the same pixels. Five image sizes follow each other,
/// between 1006x590 and 1920x1080, one of them in portrait format; their sides tell the conventions
/// apart. Throws std::invalid_argument for an index below 0.
[[nodiscard]] EYEHAND_SESSION_API TestScreen test_screen(int index);

struct TestQuestion {
    int screen = 0; ///< index of `test_screen`
    std::size_t target = 0;
    bool continues = false; ///< the conversation of the question before
    friend bool operator==(const TestQuestion&, const TestQuestion&) = default;
};

inline constexpr int min_calibration_requests = 8;
inline constexpr int default_calibration_requests = 40;
inline constexpr int max_calibration_requests = 400;
/// Turns of the conversation at the end of a calibration, at most half of its requests.
inline constexpr int max_calibration_turns = 20;
/// Turns of a conversation up to this one count as early.
inline constexpr int max_early_turn = max_calibration_turns / 2;

/// The questions of a calibration: first those that are a conversation of their own, on the five image
/// sizes, then those of one conversation, on screens of one size, as in a run. Any 8 questions in a row
/// have all target sizes. Throws std::invalid_argument for a number out of range.
[[nodiscard]] EYEHAND_SESSION_API std::vector<TestQuestion> test_questions(int requests);

// --- The fit -------------------------------------------------------------------------------------

/// What a server may do with an image before the model's processor receives it.
enum class ServerResize {
    none,
    long_side_1024, ///< shrinks the longer side to 1024 pixels
    long_side_1568, ///< the same with 1568 pixels
    short_side_768, ///< shrinks the shorter side to 768 pixels
};
/// "none", "long_side_1024", ...: the names of the enumerators.
[[nodiscard]] EYEHAND_SESSION_API std::string_view to_string(ServerResize resize);
/// The size to which the server shrinks the image; never larger than `image`.
[[nodiscard]] EYEHAND_SESSION_API winio::Size shrunk_size(winio::Size image, ServerResize resize);

/// How a model states positions.
struct PositionForm {
    agent::CoordinateConvention convention = agent::CoordinateConvention::norm1000;
    bool swapped = false; ///< y before x, in a convention with x before y
    ServerResize resize = ServerResize::none;

    /// Whether a run can use it: no convention has pixels, percent or fractions with y before x.
    [[nodiscard]] bool usable() const { return !swapped; }
    friend bool operator==(const PositionForm&, const PositionForm&) = default;
};
/// For users: "norm1000: 0 to 1000", "image_pixels: pixels of the image, y before x".
[[nodiscard]] EYEHAND_SESSION_API std::string description(const PositionForm& form);

/// A position that the model has stated for a target.
struct PositionSample {
    winio::Size image{}; ///< as it was sent
    winio::Rect target{};
    std::vector<double> numbers{}; ///< two, or four of a box, in the order of the model
};

/// Where the model points, by this form and correction: 0 to 1000 of the image, clamped.
[[nodiscard]] EYEHAND_SESSION_API winio::NormPoint
position_of(const PositionSample& sample, const PositionForm& form,
            const agent::Correction& correction = {},
            const std::optional<agent::ImageProcessor>& processor = std::nullopt);
/// Whether a click there reaches the target.
[[nodiscard]] EYEHAND_SESSION_API bool hits(const PositionSample& sample, winio::NormPoint at);

struct PositionFit {
    /// False: the model has stated too few positions, or they do not depend on the targets. The other
    /// members then have no meaning for runs.
    bool grounds = false;
    PositionForm form{};
    agent::Correction correction{}; ///< of a systematic error; the default changes nothing
    /// Median distance to the centers of the targets, in 1/1000 of the image.
    double residual = 0;
    double uncorrected_residual = 0; ///< the same without the correction
    /// The residual below which the answers depend on the targets: see `fit_positions`.
    double chance_residual = 0;
    friend bool operator==(const PositionFit&, const PositionFit&) = default;
};

/// The inputs of `fit_positions` besides the samples.
struct FitOptions {
    /// The convention that the prompts named. It wins if the samples do not tell it from others.
    agent::CoordinateConvention stated = agent::CoordinateConvention::norm1000;
    /// Of the model, used for model pixels of its factor; otherwise, the usual ones are used.
    std::optional<agent::ImageProcessor> processor{};
    bool corrections = true; ///< consider systematic errors
};

/// Finds how a model states positions. It compares all conventions, with x or y first, and for pixels
/// also images that the server has shrunk, each without and with a correction of a systematic error: a
/// shift of each axis, or a shift and a scale. The likelihood of the distances to the targets' centers
/// decides, under errors with heavy tails, so that some wrong targets do not matter. A correction must
/// explain more than its parameters (Bayesian information criterion), and lower the median distance by
/// 10 % and by 1/1000. A difference of likelihoods that chance explains counts as a tie, in which the
/// stated convention and then the simpler one wins. norm999 and norm1000 are a tie unless the model is
/// exact within 1/1000. On images of one size, a scale can be a tie with other pixels.
///
/// The answers depend on the targets if fewer than 1 % of random assignments of answers to targets,
/// each with the convention that suits it best, have a residual as small (a permutation test); so a
/// model that always points at the center does not ground. At least 6 samples are required.
///
/// The result depends only on the arguments. Throws std::invalid_argument if an image is empty, or a
/// sample does not have two or four numbers.
[[nodiscard]] EYEHAND_SESSION_API PositionFit fit_positions(std::span<const PositionSample> samples,
                                                            const FitOptions& options = {});

// --- The result ----------------------------------------------------------------------------------

struct Interval {
    double low = 0;
    double high = 1;
};
/// The range of a probability of which `hits` of `total` trials were seen, with a confidence of 95 %
/// (Wilson). 0 to 1 without trials.
[[nodiscard]] EYEHAND_SESSION_API Interval wilson_interval(int hits, int total);

/// Hits of targets of one size. An answer without a position is not a hit.
struct HitRate {
    int size = 0;
    int hits = 0;
    int total = 0;
    friend bool operator==(const HitRate&, const HitRate&) = default;
};

/// What refined positions change (`agent::Profile::refine`), for the targets of `refined_sizes`. All rates
/// are of the same first answers.
struct RefineResult {
    std::vector<HitRate> without{}; ///< by size, ascending
    std::vector<HitRate> with{};    ///< the same sizes; with agent::Refine::on
    /// With agent::Refine::small; empty in older files.
    std::vector<HitRate> with_small{};
    int requests = 0;          ///< answered ones, in addition to `Calibration::requests`
    double median_seconds = 0; ///< of these requests
    std::optional<int> median_prompt_tokens{};
    std::optional<int> median_completion_tokens{};
    friend bool operator==(const RefineResult&, const RefineResult&) = default;
};
/// The sizes of the targets whose positions a calibration refines.
inline constexpr std::array refined_sizes{8, 12};
/// How many of some positions are in the convention of a calibration.
struct ConventionShare {
    int in_convention = 0;
    int total = 0;
    friend bool operator==(const ConventionShare&, const ConventionShare&) = default;
};

/// What was measured for one model on one endpoint.
struct Calibration {
    std::string endpoint{}; ///< without its query
    std::string model{};
    std::string version{}; ///< of Eyehand
    std::int64_t time = 0; ///< seconds since 1970
    std::string profile{}; ///< its name
    agent::Dialect dialect = agent::Dialect::native;
    agent::CoordinateConvention stated = agent::CoordinateConvention::norm1000; ///< in the prompts
    PositionFit fit{};
    std::vector<HitRate> hit_rates{}; ///< by size, ascending
    int requests = 0;                 ///< answered ones
    int failed_requests = 0;
    // The following replies are counted among `requests`.
    int with_position = 0;
    int valid_calls = 0;  ///< follow the schema of their tool or dialect
    int single_calls = 0; ///< with exactly one call or action
    /// With a position that the convention can contain, and that no other convention explains much
    /// better.
    int in_convention = 0;
    double median_seconds = 0;
    std::optional<int> median_prompt_tokens{};
    std::optional<int> median_completion_tokens{};
    std::optional<RefineResult> refined{}; ///< if it was measured
    // `in_convention` by the turn of the conversation; 0 of 0 in older files.
    ConventionShare early{}; ///< up to turn `max_early_turn`
    ConventionShare late{};
    /// The form of the positions that are not in the convention, if they have one in common.
    std::optional<PositionForm> other_form{};

    /// Whether the model keeps to one convention in a long conversation: at least
    /// `min_convention_share` of the positions are in it, early and late. Empty if it does not ground,
    /// or if there are fewer than 5 late positions.
    [[nodiscard]] EYEHAND_SESSION_API std::optional<bool> keeps_convention() const;
    /// The hits of small targets, which stand for the hit rate to expect; `size` is 0.
    [[nodiscard]] EYEHAND_SESSION_API HitRate small_targets() const;
    friend bool operator==(const Calibration&, const Calibration&) = default;
};

// Lower values are a reason for a warning.
inline constexpr double min_small_hit_rate = 0.8;
inline constexpr double min_convention_share = 0.8;

/// What users should know about a calibration, without the name of the model: that it does not ground,
/// that no run can use its positions, that small targets are likely to be missed, or that it changes
/// its convention. Sentences without a period.
[[nodiscard]] EYEHAND_SESSION_API std::vector<std::string> warnings(const Calibration& calibration);
/// What users can do if clicks of a model are likely to miss, most promising first, as phrases: another
/// dialect, models of families that ground (`agent::model_families`), tools without positions. `dialect`
/// is the one that did not work.
[[nodiscard]] EYEHAND_SESSION_API std::vector<std::string> alternatives(std::string_view model,
                                                                        agent::Dialect dialect);

/// Readable JSON with a version of its format. It also has texts and sums for programs that show it,
/// which `calibration_from_json` computes again.
[[nodiscard]] EYEHAND_SESSION_API std::string to_json(const Calibration& calibration);
/// The inverse. Ignores unknown members. Throws agent::Error{bad_config}, naming `where`, for anything
/// else than a calibration, and for the format of a newer version.
[[nodiscard]] EYEHAND_SESSION_API Calibration calibration_from_json(std::string_view json,
                                                                    const std::string& where);

/// The name of the file with the calibration of a model: a hash of both, so that each model on each
/// endpoint has its own file. The query of the endpoint does not count.
[[nodiscard]] EYEHAND_SESSION_API std::string calibration_file(std::string_view endpoint,
                                                               std::string_view model);
/// Reads the calibration of a model from a folder. Empty if the file is missing, or belongs to another
/// endpoint or model. Throws as `calibration_from_json` does.
[[nodiscard]] EYEHAND_SESSION_API std::optional<Calibration>
load_calibration(const std::filesystem::path& folder, std::string_view endpoint,
                 std::string_view model);

// --- Calibrate -----------------------------------------------------------------------------------

/// An answer of the model.
struct CalibrationAnswer {
    TestQuestion question{};
    int size = 0;                         ///< of the target
    int turn = 1;                         ///< of its conversation
    PositionSample sample{};              ///< without numbers: the reply has no position
    std::optional<winio::NormPoint> at{}; ///< where the model points
    bool hit = false;
    std::string problem{}; ///< why there is no position; or empty
    std::chrono::milliseconds duration{};
};

struct CalibrationOptions {
    agent::Profile profile{}; ///< of mode "conversation"; with the model's id and its dialect
    agent::Toolbox tools = agent::built_in_tools(); ///< the tools that the profile can name
    int requests = default_calibration_requests;
    /// Also refines the positions of the smallest targets afterwards, with one more request for each: that of
    /// agent::Refine::on, which agent::Refine::small makes for some of them. Has no effect if the model does not
    /// ground, if runs cannot use its form, or if its server shrinks images.
    bool refine = false;
    /// Called after each answer, also to a request that refines, with the number of answers so far. `at` and
    /// `hit` are not set before the last of the `requests`.
    std::function<void(const CalibrationAnswer& answer, int done)> on_answer{};
    std::stop_token stop{};
};

/// The largest number of requests that a calibration with these options sends.
[[nodiscard]] EYEHAND_SESSION_API int max_requests(const CalibrationOptions& options);

struct CalibrationRun {
    Calibration calibration{}; ///< its endpoint and time are empty
    std::vector<CalibrationAnswer> answers{};
    /// Why `CalibrationOptions::refine` had no result, although the positions can be refined; or empty.
    std::string not_refined{};
};

/// Asks the questions, with the requests that an agent with this profile would send, and evaluates the
/// answers. In the conversation, each action counts as done, and the next question comes as a message of
/// the user with the next screen; it starts again if the model ends it with a reply without an action,
/// or after a failed request. Prompts name the convention of the profile or of the model's family. No
/// action is executed.
/// Throws std::invalid_argument for a number of requests out of range, agent::Error{bad_profile} for a
/// profile of another mode or without a tool that clicks, and vlm::Error if the first request or three
/// requests in a row fail, or after a stop request. While positions are refined, these failures and a stop
/// request keep the calibration (`CalibrationRun::not_refined`).
[[nodiscard]] EYEHAND_SESSION_API CalibrationRun calibrate(vlm::ChatModel& model,
                                                           const CalibrationOptions& options);

/// The screens of the answers below each other: targets framed in white, hits marked green, misses red.
[[nodiscard]] EYEHAND_SESSION_API winio::Image
draw_answers(std::span<const CalibrationAnswer> answers);

} // namespace eyehand::session
