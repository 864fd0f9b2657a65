// Asks a model for the positions of targets on test screens.
#include "calibration/position_form.hpp"
#include "coordinates/zoomed_view.hpp"
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/dialect.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/winio/image_file.hpp"
#include "run/element_size.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace eyehand::session {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr int max_failures_in_a_row = 3;
constexpr std::array pointer_tools{"click", "double_click", "right_click", "click_with", "move"};

// --- The position in a call ----------------------------------------------------------------------

/// A position in a call of a tool.
struct FoundPosition {
    std::vector<double> numbers{};
    bool valid = false; ///< the call follows the schema of its tool
};

std::optional<double> number_in(const json::value& value) {
    if (!value.is_number()) return std::nullopt;
    return value.to_number<double>();
}

/// The numbers of [a, b], [a, b, c, d] or [[a, b], [c, d]], also as JSON in a string, as the tools
/// accept them. Clears `as_offered` if the schema does not have this form.
std::vector<double> numbers_in(const json::value& value, bool& as_offered) {
    std::vector<double> all;
    if (value.is_string()) {
        as_offered = false;
        const auto inner = agent::parse_json(std::string(value.as_string()));
        return inner && inner->is_array() ? numbers_in(*inner, as_offered) : all;
    }
    if (!value.is_array()) return all;
    for (const json::value& element : value.as_array()) {
        if (const auto number = number_in(element)) {
            all.push_back(*number);
        } else {
            as_offered = false;
            const std::vector<double> inner =
                element.is_array() ? numbers_in(element, as_offered) : std::vector<double>{};
            all.insert(all.end(), inner.begin(), inner.end());
        }
    }
    return all;
}

bool has_format(const agent::ArgumentInfo& argument, std::string_view format) {
    return argument.schema.find(fmt::format("\"eyehand-{}\"", format)) != std::string::npos;
}

/// Nothing if the call does not name a position.
std::optional<FoundPosition> position_in(const vlm::ToolCall& call, const agent::Toolbox& tools) {
    const auto arguments = tools.arguments(call.name);
    const auto parsed = agent::parse_json(call.arguments_json);
    if (!arguments || !parsed || !parsed->is_object()) return std::nullopt;
    const json::object& given = parsed->as_object();
    FoundPosition found{.valid = true};
    std::optional<double> x;
    std::optional<double> y;
    for (const agent::ArgumentInfo& argument : *arguments) {
        const json::value* value = given.if_contains(argument.name);
        if (value == nullptr || value->is_null()) {
            if (argument.required) found.valid = false;
            continue;
        }
        if (has_format(argument, "box") || has_format(argument, "point"))
            found.numbers = numbers_in(*value, found.valid);
        else if (has_format(argument, "x"))
            x = number_in(*value);
        else if (has_format(argument, "y"))
            y = number_in(*value);
    }
    if (x && y) found.numbers = {*x, *y};
    if (found.numbers.size() != 2 && found.numbers.size() != 4) return std::nullopt;
    return found;
}

// --- One question --------------------------------------------------------------------------------

/// The profile for screens of this size, in a conversation of this number of turns. The user's next
/// question comes with a screenshot, so there is one after each action.
agent::Profile profile_for(agent::Profile profile, winio::Size size, int turns) {
    profile.image = winio::ExactSize{size};
    profile.screenshot_first = true;
    profile.screenshot_after_actions = true;
    profile.look_between_calls = false;
    profile.loops.answer = agent::LoopAnswer::none; // equal answers are not a loop here
    profile.max_turns = turns + 1;
    profile.executed_heat.enabled = false;
    profile.refine = agent::Refine::off;
    profile.correction.reset();
    (void)agent::resolve_coordinates(profile, size);
    return profile;
}

/// The number of actions that a reply states.
std::size_t count_actions(const vlm::ChatReply& reply, agent::Dialect dialect) {
    if (agent::states_text(dialect) && reply.tool_calls.empty())
        return agent::read_text_actions(dialect, reply.text).actions.size();
    std::size_t count = 0;
    for (const vlm::ToolCall& call : reply.tool_calls)
        count += !agent::function_of(dialect).empty() && call.name == agent::function_of(dialect)
                     ? agent::read_call_actions(dialect, call.arguments_json).actions.size()
                     : 1;
    return count;
}

// A variable, because GCC 12 for MinGW warns about the temporary of the default argument.
agent::ToolsByRole tools_for(const agent::Toolbox& tools, const agent::Profile& profile) {
    const agent::AgentOptions no_options;
    return agent::tools_by_role(tools, profile, no_options);
}

/// One conversation with the model about screens of one size. Its requests are those of a run in which
/// each action succeeds.
class Conversation {
public:
    Conversation(const CalibrationOptions& options, winio::Size size)
        : profile_(profile_for(options.profile, size, max_calibration_turns)), size_(size),
          tools_(tools_for(options.tools, profile_)) {}

    [[nodiscard]] const agent::Profile& profile() const { return profile_; }
    [[nodiscard]] int turn() const { return turn_; }
    /// Whether it is possible to ask again: the latest reply had an action, and none was refused.
    [[nodiscard]] bool goes_on() const {
        return mode_ && std::holds_alternative<agent::Observe>(mode_->next());
    }

    /// The request with the next question. `screen` has the size of the conversation.
    vlm::ChatRequest ask(const std::string& task, const vlm::Image& screen) {
        ++turn_;
        images_[screen.sha256] = screen;
        if (mode_ == nullptr)
            mode_ = agent::make_mode({profile_, task, tools_, {}});
        else
            mode_->apply(agent::UserMessage{.text = task});
        mode_->apply(
            agent::Observed{.sha256 = screen.sha256,
                            .file = fmt::format("screenshots/turn_{:04}{}", turn_,
                                                winio::file_extension(profile_.image_format)),
                            .size = size_,
                            .area = {0, 0, size_.width, size_.height}});
        agent::Command command = mode_->next();
        auto* ask = std::get_if<agent::Ask>(&command);
        if (ask == nullptr)
            throw agent::Error(
                agent::errc::bad_profile,
                fmt::format("the profile \"{}\" does not ask the model first", profile_.name));
        for (vlm::Message& message : ask->request.messages)
            for (vlm::Part& part : message.parts)
                if (auto* image = std::get_if<vlm::Image>(&part))
                    *image = images_.at(image->sha256);
        return std::move(ask->request);
    }

    /// The mode reads the reply as in a run. Calls `visit` with each call, which counts as successful,
    /// and with the tools of its role.
    template <class Visit>
    void read(const vlm::ChatReply& reply, Visit visit) {
        constexpr int max_calls = 16;
        mode_->apply(agent::Replied{.reply = reply});
        for (int i = 0; i < max_calls; ++i) {
            const agent::Command command = mode_->next();
            const auto* invoke = std::get_if<agent::Invoke>(&command);
            if (invoke == nullptr) return;
            const agent::Toolbox& box = tools_.at(invoke->role);
            visit(invoke->call, box);
            mode_->apply(
                agent::Invoked{.call_id = invoke->call.id,
                               .tool = invoke->call.name,
                               .ok = true,
                               .result_json = "{\"ok\":true}",
                               .action = {.tool = box.id_of(invoke->call.name), .acts = true}});
        }
    }

private:
    agent::Profile profile_;
    winio::Size size_;
    agent::ToolsByRole tools_;
    std::unique_ptr<agent::Mode> mode_;
    std::map<std::string, vlm::Image, std::less<>> images_; ///< by hash
    int turn_ = 0;
};

// --- The calibration -----------------------------------------------------------------------------

class Calibrator {
public:
    Calibrator(vlm::ChatModel& model, const CalibrationOptions& options)
        : model_(model), options_(options) {
        const agent::Profile& profile = options.profile;
        if (profile.mode != "conversation")
            throw agent::Error(
                agent::errc::bad_profile,
                fmt::format("the profile \"{}\" cannot be calibrated: its mode is \"{}\"; choose a "
                            "profile with a conversation, such as observer",
                            profile.name, profile.mode));
        if (const auto family = agent::model_family(profile.model)) processor_ = family->processor;
        Calibration& result = run_.calibration;
        result.model = profile.model;
        result.profile = profile.name;
        result.dialect = profile.dialect;
        result.version = agent::version();
    }

    CalibrationRun go() {
        for (const TestQuestion& question : test_questions(options_.requests)) {
            run_.answers.push_back(ask(question));
            if (options_.on_answer) options_.on_answer(run_.answers.back(), ++done_);
        }
        evaluate();
        if (options_.refine) try_to_refine();
        return std::move(run_);
    }

private:
    struct Shown {
        TestScreen screen{};
        vlm::Image image{};
    };
    const Shown& screen(int index) {
        const auto known = screens_.find(index);
        if (known != screens_.end()) return known->second;
        Shown added{.screen = test_screen(index)};
        added.image = encoded(added.screen.image);
        return screens_.emplace(index, std::move(added)).first->second;
    }

    CalibrationAnswer ask(const TestQuestion& question) {
        const Shown& shown = screen(question.screen);
        const Target& target = shown.screen.targets[question.target];
        const winio::Size size = shown.screen.image.size();
        if (!question.continues || !conversation_ || !conversation_->goes_on())
            conversation_.emplace(options_, size);
        const agent::Profile& profile = conversation_->profile();
        run_.calibration.stated =
            profile.coordinates.value_or(agent::CoordinateConvention::norm1000);
        const vlm::ChatRequest request =
            conversation_->ask(fmt::format("Click on {}.", target.description), shown.image);
        CalibrationAnswer answer{.question = question,
                                 .size = target.size,
                                 .turn = conversation_->turn(),
                                 .sample = {.image = size, .target = target.bounds}};

        const auto start = Clock::now();
        const std::optional<vlm::ChatReply> reply = send(request, answer);
        answer.duration =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
        replies_.push_back(reply);
        if (reply) {
            count(*reply, answer, profile.dialect);
            read_position(*reply, answer);
        } else {
            conversation_.reset();
        }
        return answer;
    }

    /// The image as a run with this profile would send it.
    [[nodiscard]] vlm::Image encoded(const winio::Image& image) const {
        const winio::ImageFormat& format = options_.profile.image_format;
        return vlm::make_image(winio::encode_image(image.view(), format),
                               std::string(winio::media_type(format)));
    }

    [[nodiscard]] agent::Observed look_of(const vlm::Image& image, winio::Size size) const {
        return {.sha256 = image.sha256,
                .file = fmt::format("screenshots/turn_0001{}",
                                    winio::file_extension(options_.profile.image_format)),
                .size = size,
                .area = {0, 0, size.width, size.height}};
    }

    static void show(const vlm::Image& image, vlm::ChatRequest& request) {
        for (vlm::Message& message : request.messages)
            for (vlm::Part& part : message.parts)
                if (auto* reference = std::get_if<vlm::Image>(&part)) *reference = image;
    }

    /// Nothing if the request failed.
    std::optional<vlm::ChatReply> send(const vlm::ChatRequest& request, CalibrationAnswer& answer) {
        try {
            const auto ignore = [](const vlm::Delta&) {}; // streams, as a run does
            std::optional<vlm::ChatReply> reply = model_.reply(request, ignore, options_.stop);
            failures_in_a_row_ = 0;
            return reply;
        } catch (const vlm::Error& error) {
            if (error.code() == vlm::errc::truncated) { // the model did not come to an end
                ++run_.calibration.requests;
                failures_in_a_row_ = 0;
                answer.problem = "the output limit ended the reply inside a call";
                return std::nullopt;
            }
            ++failures_in_a_row_;
            if (error.code() == vlm::errc::cancelled || run_.answers.empty() ||
                failures_in_a_row_ >= max_failures_in_a_row)
                throw;
            ++run_.calibration.failed_requests;
            answer.problem = fmt::format("the request failed: {}", error.what());
            return std::nullopt;
        }
    }

    void count(const vlm::ChatReply& reply, const CalibrationAnswer& answer,
               agent::Dialect dialect) {
        Calibration& result = run_.calibration;
        ++result.requests;
        if (count_actions(reply, dialect) == 1) ++result.single_calls;
        seconds_.push_back(static_cast<double>(answer.duration.count()) / 1000);
        if (reply.usage.prompt_tokens) prompt_tokens_.push_back(*reply.usage.prompt_tokens);
        if (reply.usage.completion_tokens)
            completion_tokens_.push_back(*reply.usage.completion_tokens);
    }

    /// The position is that of the first call with a target.
    void read_position(const vlm::ChatReply& reply, CalibrationAnswer& answer) {
        answer.problem = "the reply calls no tool";
        bool is_read = false;
        conversation_->read(reply, [&](const vlm::ToolCall& call, const agent::Toolbox& box) {
            if (is_read) return;
            const std::string id = box.id_of(call.name);
            if (std::ranges::find(pointer_tools, id) == pointer_tools.end()) {
                answer.problem = fmt::format("the reply calls {}, which has no target", call.name);
                return;
            }
            is_read = true;
            auto found = position_in(call, box);
            if (!found) {
                answer.problem = fmt::format("the call of {} has no position of two or four "
                                             "numbers",
                                             call.name);
                return;
            }
            answer.problem.clear();
            answer.sample.numbers = std::move(found->numbers);
            ++run_.calibration.with_position;
            if (found->valid) ++run_.calibration.valid_calls;
        });
    }

    void evaluate() {
        Calibration& result = run_.calibration;
        std::vector<PositionSample> samples;
        for (const CalibrationAnswer& answer : run_.answers)
            if (!answer.sample.numbers.empty()) samples.push_back(answer.sample);
        result.fit = fit_positions(samples, {.stated = result.stated, .processor = processor_});
        evaluate_conventions();
        std::map<int, HitRate> rates;
        for (CalibrationAnswer& answer : run_.answers) {
            HitRate& rate = rates[answer.size];
            rate.size = answer.size;
            if (!answer.sample.numbers.empty()) {
                answer.at =
                    position_of(answer.sample, result.fit.form, result.fit.correction, processor_);
                answer.hit = hits(answer.sample, *answer.at);
            } else if (answer.problem.starts_with("the request failed")) {
                continue;
            }
            ++rate.total;
            if (answer.hit) ++rate.hits;
        }
        for (const auto& [size, rate] : rates) result.hit_rates.push_back(rate);
        result.median_seconds = median(seconds_).value_or(0);
        result.median_prompt_tokens = median(prompt_tokens_);
        result.median_completion_tokens = median(completion_tokens_);
    }

    void evaluate_conventions() {
        Calibration& result = run_.calibration;
        std::vector<PositionSample> others;
        for (const CalibrationAnswer& answer : run_.answers) {
            if (answer.sample.numbers.empty()) continue;
            ConventionShare& share = answer.turn <= max_early_turn ? result.early : result.late;
            ++share.total;
            if (follows(answer.sample, result.fit, processor_)) {
                ++share.in_convention;
                ++result.in_convention;
            } else {
                others.push_back(answer.sample);
            }
        }
        // In images of one size, a correction could turn one convention into another one.
        const PositionFit other = fit_positions(
            others,
            {.stated = result.fit.form.convention, .processor = processor_, .corrections = false});
        if (result.fit.grounds && other.grounds && other.form != result.fit.form)
            result.other_form = other.form;
    }

    // --- Refined positions -----------------------------------------------------------------------

    /// The answers so far are worth more than the rest: a failure, or the user who stops, keeps them.
    void try_to_refine() {
        const Calibration calibration = run_.calibration;
        try {
            refine();
        } catch (const vlm::Error& error) {
            run_.calibration = calibration;
            run_.not_refined = error.what();
        }
    }

    void refine() {
        const PositionFit& fit = run_.calibration.fit;
        if (!fit.grounds || !fit.form.usable() || fit.form.resize != ServerResize::none) return;
        RefineResult result;
        for (const int size : refined_sizes) {
            result.without.push_back({size, 0, 0});
            result.with.push_back({size, 0, 0});
            result.with_small.push_back({size, 0, 0});
        }
        seconds_.clear();
        prompt_tokens_.clear();
        completion_tokens_.clear();
        for (std::size_t i = 0; i < run_.answers.size(); ++i) {
            const CalibrationAnswer& answer = run_.answers[i];
            const auto rate = std::ranges::find(result.with, answer.size, &HitRate::size);
            if (rate == result.with.end() || !replies_[i]) continue;
            const auto index = static_cast<std::size_t>(rate - result.with.begin());
            const bool refined = hits_refined(answer, *replies_[i]);
            const bool of_small = is_refined_by_small(answer, *replies_[i]);
            const auto add = [](HitRate& to, bool hit) {
                ++to.total;
                if (hit) ++to.hits;
            };
            add(result.without[index], answer.hit);
            add(result.with[index], refined);
            add(result.with_small[index], of_small ? refined : answer.hit);
            if (options_.on_answer) options_.on_answer(answer, ++done_);
        }
        result.requests = static_cast<int>(seconds_.size());
        result.median_seconds = median(seconds_).value_or(0);
        result.median_prompt_tokens = median(prompt_tokens_);
        result.median_completion_tokens = median(completion_tokens_);
        run_.calibration.refined = std::move(result);
    }

    /// The profile of a run that refines positions.
    [[nodiscard]] agent::Profile refining_profile(winio::Size size, agent::Refine rule) const {
        const PositionFit& fit = run_.calibration.fit;
        agent::Profile profile = options_.profile;
        profile.coordinates = fit.form.convention;
        profile = profile_for(std::move(profile), size, 1);
        if (fit.correction != agent::Correction{}) profile.correction = fit.correction;
        profile.refine = rule;
        return profile;
    }

    /// A run after the reply to this question.
    std::unique_ptr<agent::Mode> replied_mode(const agent::Profile& profile,
                                              const agent::ToolsByRole& tools,
                                              const CalibrationAnswer& answer,
                                              const vlm::ChatReply& reply) {
        const Shown& shown = screen(answer.question.screen);
        const std::string task =
            fmt::format("Click on {}.", shown.screen.targets[answer.question.target].description);
        std::unique_ptr<agent::Mode> mode = agent::make_mode({profile, task, tools, {}});
        mode->apply(look_of(shown.image, answer.sample.image));
        mode->apply(agent::Replied{.reply = reply});
        return mode;
    }

    static constexpr int max_commands = 16;

    /// Whether a run with agent::Refine::small would refine the click of this reply. Its request would be
    /// the same as with agent::Refine::on, so it is not sent again.
    bool is_refined_by_small(const CalibrationAnswer& answer, const vlm::ChatReply& reply) {
        const agent::Profile profile = refining_profile(answer.sample.image, agent::Refine::small);
        const agent::ToolsByRole tools = tools_for(options_.tools, profile);
        const auto mode = replied_mode(profile, tools, answer, reply);
        vlm::Image crop;
        for (int i = 0; i < max_commands; ++i) {
            const agent::Command command = mode->next();
            if (const auto* ask = std::get_if<agent::Ask>(&command)) return ask->refines;
            if (const auto* look = std::get_if<agent::Observe>(&command); look && look->zoom) {
                mode->apply(cut(*look->zoom, screen(answer.question.screen).screen, profile, crop));
            } else if (const auto* invoke = std::get_if<agent::Invoke>(&command)) {
                const std::string id = tools.at(invoke->role).id_of(invoke->call.name);
                if (std::ranges::find(pointer_tools, id) != pointer_tools.end()) return false;
                mode->apply(agent::Invoked{.call_id = invoke->call.id,
                                           .tool = invoke->call.name,
                                           .ok = true,
                                           .result_json = "{\"ok\":true}"});
            } else {
                return false;
            }
        }
        return false;
    }

    /// Whether the click of this reply hits after its position was refined, as in a run.
    bool hits_refined(const CalibrationAnswer& answer, const vlm::ChatReply& reply) {
        const PositionFit& fit = run_.calibration.fit;
        const Shown& shown = screen(answer.question.screen);
        const agent::Profile profile = refining_profile(answer.sample.image, agent::Refine::on);
        const agent::ToolsByRole tools = tools_for(options_.tools, profile);
        const auto mode = replied_mode(profile, tools, answer, reply);
        vlm::Image crop;
        for (int i = 0; i < max_commands; ++i) {
            agent::Command command = mode->next();
            if (const auto* look = std::get_if<agent::Observe>(&command);
                look != nullptr && look->zoom) {
                mode->apply(cut(*look->zoom, shown.screen, profile, crop));
            } else if (auto* ask = std::get_if<agent::Ask>(&command);
                       ask != nullptr && ask->refines) {
                show(crop, ask->request);
                mode->apply(answer_to(ask->request));
            } else if (const auto* invoke = std::get_if<agent::Invoke>(&command)) {
                const agent::Toolbox& box = tools.at(invoke->role);
                const std::string id = box.id_of(invoke->call.name);
                if (std::ranges::find(pointer_tools, id) != pointer_tools.end()) {
                    const auto found = position_in(invoke->call, box);
                    if (!found) return false;
                    PositionSample sample = answer.sample;
                    sample.numbers = found->numbers;
                    return hits(sample, position_of(sample, fit.form, fit.correction, processor_));
                }
                mode->apply(agent::Invoked{.call_id = invoke->call.id,
                                           .tool = invoke->call.name,
                                           .ok = true,
                                           .result_json = "{\"ok\":true}"});
            } else {
                return false;
            }
        }
        return false;
    }

    [[nodiscard]] agent::Observed cut(const agent::Zoom& zoom, const TestScreen& shown,
                                      const agent::Profile& profile, vlm::Image& crop) const {
        const winio::Rect all{0, 0, shown.image.width(), shown.image.height()};
        const agent::ZoomedView view = agent::zoomed_view(winio::WorkArea(all), zoom, profile);
        const winio::Frame frame{shown.image, all.origin(), {}};
        crop = encoded(agent::zoomed_image(frame, view));
        agent::Observed look = look_of(crop, view.image);
        look.area = view.area;
        look.zoomed = agent::Zoomed{all, zoom.use, {}};
        if (zoom.target)
            look.zoomed->element = agent::element_size(shown.image.view(),
                                                       winio::WorkArea(all).to_pixel(*zoom.target));
        return look;
    }

    /// A request that fails leaves the position as it is, also in a run.
    agent::Fact answer_to(const vlm::ChatRequest& request) {
        CalibrationAnswer ignored;
        const int failed = run_.calibration.failed_requests;
        const int requests = run_.calibration.requests;
        const auto start = Clock::now();
        const std::optional<vlm::ChatReply> reply = send(request, ignored);
        run_.calibration.failed_requests = failed; // these count the requests of the questions
        run_.calibration.requests = requests;
        if (!reply) return agent::AskFailed{.message = ignored.problem};
        seconds_.push_back(std::chrono::duration<double>(Clock::now() - start).count());
        if (reply->usage.prompt_tokens) prompt_tokens_.push_back(*reply->usage.prompt_tokens);
        if (reply->usage.completion_tokens)
            completion_tokens_.push_back(*reply->usage.completion_tokens);
        return agent::Replied{.reply = *reply};
    }

    /// The lower one of an even number.
    template <class Number>
    static std::optional<Number> median(std::vector<Number> values) {
        if (values.empty()) return std::nullopt;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

    vlm::ChatModel& model_;
    const CalibrationOptions& options_;
    std::optional<agent::ImageProcessor> processor_;
    std::map<int, Shown> screens_;
    std::optional<Conversation> conversation_;
    CalibrationRun run_;
    std::vector<std::optional<vlm::ChatReply>> replies_; ///< to the questions
    int done_ = 0;                                       ///< requests
    int failures_in_a_row_ = 0;
    std::vector<double> seconds_;
    std::vector<int> prompt_tokens_;
    std::vector<int> completion_tokens_;
};

} // namespace

int max_requests(const CalibrationOptions& options) {
    int requests = options.requests;
    if (!options.refine) return requests;
    for (const TestQuestion& question : test_questions(options.requests))
        if (std::ranges::find(refined_sizes, target_sizes.at(question.target)) !=
            refined_sizes.end())
            ++requests;
    return requests;
}

CalibrationRun calibrate(vlm::ChatModel& model, const CalibrationOptions& options) {
    return Calibrator(model, options).go();
}

} // namespace eyehand::session
