#include "modes/refine_mode.hpp"

#include "base/text.hpp"
#include "coordinates/numbers_of.hpp"
#include "coordinates/zoomed_view.hpp"
#include "tools/positions.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace eyehand::agent {
namespace {

// A quarter of the screen's sides: an error of 1 % of the image becomes one of 0.25 %, and a first
// answer that is off by a tenth of the screen still has its target in the crop. Crops of this order
// are used by RegionFocus (arXiv:2505.00684) and ZoomClick (arXiv:2512.05941), which also finds that
// smaller ones lose the context by which a model recognizes its target.
constexpr int crop_share = 4;
constexpr int min_crop = 256; // pixels per side

constexpr std::array click_tools{"click", "double_click", "right_click", "click_with"};

constexpr const char* instructions =
    "You locate targets on a computer screen. You get an image of a small part of the screen at "
    "full "
    "resolution, and the description of a target in it. Answer with one click on the center of the "
    "target, in the numbers of this image, and nothing else.";

std::string text_at(const json::object& object, const std::string& name) {
    const json::value* value = object.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

/// The position of a click; a box if the model stated one.
struct Stated {
    std::string argument;
    std::vector<double> numbers;
    std::string label;
};

std::optional<Stated> stated_in(const vlm::ToolCall& call, const Toolbox& tools) {
    const std::string id = tools.id_of(call.name);
    if (std::find(click_tools.begin(), click_tools.end(), id) == click_tools.end())
        return std::nullopt;
    const auto arguments = tools.arguments(call.name);
    const auto given = parse_json(call.arguments_json);
    if (!arguments || !given || !given->is_object()) return std::nullopt;
    Stated stated;
    for (const ArgumentInfo& argument : *arguments) {
        if (argument.id == "label") stated.label = text_at(given->as_object(), argument.name);
        if (argument.id != "box") continue;
        const json::value* value = given->as_object().if_contains(argument.name);
        if (value == nullptr) return std::nullopt;
        auto numbers = coordinates_in(JsonDocument::view_of(*value));
        if (!numbers || (numbers->size() != 2 && numbers->size() != 4)) return std::nullopt;
        stated.argument = argument.name;
        stated.numbers = *std::move(numbers);
    }
    if (stated.argument.empty()) return std::nullopt;
    return stated;
}

/// The center of two or four numbers in the order of the convention.
ModelPoint center(const std::vector<double>& numbers, const CoordinateConverter& convention) {
    ModelPoint at{numbers[0], numbers[1]};
    if (numbers.size() == 4) at = {(at.x + numbers[2]) / 2, (at.y + numbers[3]) / 2};
    if (convention.convention() == CoordinateConvention::norm1000_yx) std::swap(at.x, at.y);
    return at;
}

/// In steps of 1/1024: JSON does not keep the last digits, and a replay must get the same position.
winio::NormPoint in_steps(winio::NormPoint at) {
    const winio::NormBox box = agent::in_steps(winio::NormBox{at.x, at.y, at.x, at.y});
    return {box.x1, box.y1};
}

/// The call with another position.
vlm::ToolCall moved(vlm::ToolCall call, const std::string& argument, ModelPoint to, bool y_first) {
    auto arguments = parse_json(call.arguments_json);
    if (!arguments || !arguments->is_object()) return call;
    arguments->as_object()[argument] = y_first ? json::array{to.y, to.x} : json::array{to.x, to.y};
    call.arguments_json = to_text(*arguments);
    return call;
}

} // namespace

RefineMode::RefineMode(std::unique_ptr<Mode> inner, const Profile& profile,
                       const ToolsByRole& tools)
    : inner_(std::move(inner)), rule_(profile.refine), numbers_(numbers_of(profile)) {
    for (const RolePlan& plan : mode_of(profile).roles(profile))
        if (const auto of_role = tools.find(plan.name); of_role != tools.end() && plan.offered)
            tools_.emplace(plan.name, of_role->second);
}

Command RefineMode::next() const {
    if (step_ == Step::looking) {
        Observe look;
        look.screenshot = inner_->state().turn;
        look.zoom = crop();
        return look;
    }
    if (step_ == Step::asking) return question();
    Command command = inner_->next();
    if (auto* invoke = std::get_if<Invoke>(&command); invoke != nullptr && call_)
        invoke->call = *call_;
    return command;
}

/// The part of the work area around the target.
Zoom RefineMode::crop() const {
    const winio::WorkArea area(*work_area_);
    const winio::Point at = area.to_pixel(target_->at);
    const auto side = [](int center, int first, int length) {
        const int size = std::min(std::max(length / crop_share, min_crop), length);
        const int from = std::clamp(center - size / 2, first, first + length - size);
        return std::pair(from, from + size - 1);
    };
    const auto [left, right] = side(at.x, work_area_->x, work_area_->width);
    const auto [top, bottom] = side(at.y, work_area_->y, work_area_->height);
    const winio::NormPoint first = area.to_norm({left, top});
    const winio::NormPoint last = area.to_norm({right, bottom});
    return {.region = agent::in_steps(winio::NormBox{first.x, first.y, last.x, last.y}),
            .use = ZoomUse::refine,
            .target = target_->at};
}

Ask RefineMode::question() const {
    const CoordinateConverter numbers = numbers_.with_image(crop_.size);
    Ask ask{target_->role, asked_};
    ask.refines = true;
    std::string words = fmt::format("Positions in this image: {}.", numbers.range_text());
    if (!target_->label.empty()) words += fmt::format("\nTarget: {}", target_->label);
    // Among several that fit the description, it is the nearest one.
    const winio::WorkArea part(crop_.area);
    const winio::Point at = winio::WorkArea(*work_area_).to_pixel(target_->at);
    words +=
        fmt::format("\nIt was seen near {}, which may be inexact.", numbers.text(part.to_norm(at)));
    ask.request.messages = {
        vlm::Message::system(instructions),
        vlm::Message::user(std::move(words), vlm::Image{crop_.sha256, nullptr})};
    for (const vlm::ToolSpec& tool : tools_.at(target_->role).specs())
        if (tool.name == target_->call.name) ask.request.tools = {tool};
    ask.request.tool_choice = vlm::ToolChoice::required;
    return ask;
}

// ---- facts --------------------------------------------------------------------------------------

void RefineMode::apply(const Fact& fact) {
    if (step_ == Step::looking && std::holds_alternative<Observed>(fact)) {
        crop_ = std::get<Observed>(fact);
        step_ = Step::asking;
        if (rule_ == Refine::small && !is_small(*target_)) go_on({});
        return;
    }
    if (step_ == Step::looking && std::holds_alternative<ObserveFailed>(fact)) {
        go_on(
            fmt::format("the position is not refined: {}", std::get<ObserveFailed>(fact).message));
        return;
    }
    if (step_ == Step::asking && std::holds_alternative<AskFailed>(fact)) {
        go_on(fmt::format("the position is not refined: {}", std::get<AskFailed>(fact).message));
        return;
    }
    if (step_ == Step::asking && std::holds_alternative<Superseded>(fact)) {
        go_on("the position is not refined: the screen has changed");
        return;
    }
    if (step_ == Step::asking && std::holds_alternative<Replied>(fact)) {
        take(std::get<Replied>(fact));
        return;
    }
    if (const auto* seen = std::get_if<Observed>(&fact)) see(*seen);
    if (std::holds_alternative<Replied>(fact)) {
        const Command command = inner_->next();
        if (const auto* ask = std::get_if<Ask>(&command)) {
            asked_ = {};
            asked_.model = ask->request.model;
            asked_.sampling = ask->request.sampling;
        }
    }
    if (std::holds_alternative<Replied>(fact) || std::holds_alternative<Invoked>(fact)) {
        handled_ = false;
        call_.reset();
    }
    pass_on(fact);
    consider();
}

void RefineMode::revise(const Observed& seen) {
    see(seen);
    inner_->revise(seen);
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

void RefineMode::see(const Observed& fact) {
    work_area_.reset();
    const winio::Rect& area = fact.reference();
    const bool is_part = fact.zoomed && fact.zoomed->use == ZoomUse::positions;
    if (!is_part && !area.empty()) work_area_ = area;
}

/// Whether the inner mode's next command is a call to refine.
void RefineMode::consider() {
    const Command command = inner_->finished() ? Command(Finish()) : inner_->next();
    const auto* invoke = std::get_if<Invoke>(&command);
    if (invoke == nullptr) {
        step_ = Step::passing;
        handled_ = false;
        call_.reset();
        return;
    }
    if (handled_ || step_ != Step::passing) return;
    handled_ = true;
    target_ = target_of(*invoke);
    if (!target_) return;
    const bool too_large = rule_ == Refine::small && target_->box && !is_small(*target_);
    if (!too_large) step_ = Step::looking;
}

std::optional<RefineMode::Target> RefineMode::target_of(const Invoke& invoke) const {
    const auto tools = tools_.find(invoke.role);
    if (tools == tools_.end() || !work_area_) return std::nullopt;
    const auto stated = stated_in(invoke.call, tools->second);
    if (!stated) return std::nullopt;
    Target target{invoke.call, invoke.role, stated->argument, {}, {}, stated->label};
    target.at = in_steps(numbers_.to_norm(center(stated->numbers, numbers_)));
    if (const auto& box = stated->numbers; box.size() == 4)
        target.box = numbers_.to_norm(std::array{box[0], box[1], box[2], box[3]});
    return target;
}

/// By the box that the model stated; otherwise, by what is visible at the position.
bool RefineMode::is_small(const Target& target) const {
    if (target.box) {
        const winio::WorkArea area(*work_area_);
        const winio::Point first = area.to_pixel({target.box->x1, target.box->y1});
        const winio::Point last = area.to_pixel({target.box->x2, target.box->y2});
        return std::min(last.x - first.x, last.y - first.y) + 1 <= max_refined_size;
    }
    const auto element = crop_.zoomed ? crop_.zoomed->element : std::nullopt;
    return element && std::min(element->width, element->height) <= max_refined_size;
}

/// The click has the safety checks of both replies.
void RefineMode::add_checks(const vlm::ChatReply& reply) {
    vlm::ToolCall click = target_->call;
    for (const vlm::ToolCall& call : reply.tool_calls)
        for (const vlm::SafetyCheck& check : call.safety_checks)
            if (std::ranges::find(click.safety_checks, check) == click.safety_checks.end())
                click.safety_checks.push_back(check);
    if (click == target_->call) return;
    target_->call = std::move(click);
    call_ = target_->call;
}

void RefineMode::take(const Replied& fact) {
    add_checks(fact.reply);
    const Toolbox& tools = tools_.at(target_->role);
    std::optional<Stated> stated;
    for (const vlm::ToolCall& call : fact.reply.tool_calls)
        if (!stated) stated = stated_in(call, tools);
    if (!stated) {
        go_on("the position is not refined: the reply has no position");
        return;
    }
    const CoordinateConverter numbers = numbers_.with_image(crop_.size);
    const ModelPoint at = center(stated->numbers, numbers);
    if (!numbers.contains(at)) {
        go_on("the position is not refined: the reply's position is outside the crop");
        return;
    }
    const winio::WorkArea whole(*work_area_);
    const winio::Point from = whole.to_pixel(target_->at);
    const winio::Point to = winio::WorkArea(crop_.area).to_pixel(numbers.to_norm(at));
    if (to == from) {
        go_on("the position is confirmed");
        return;
    }
    const winio::NormPoint exact = in_steps(whole.to_norm(to));
    call_ = moved(target_->call, target_->argument, numbers_.to_model_exactly(exact),
                  numbers_.convention() == CoordinateConvention::norm1000_yx);
    go_on(fmt::format("the position is refined from {} to {}, by {} pixels",
                      numbers_.label(target_->at), numbers_.label(exact),
                      std::max(std::abs(to.x - from.x), std::abs(to.y - from.y))));
}

void RefineMode::go_on(std::string words) {
    step_ = Step::passing;
    if (!words.empty()) note("refine", std::move(words));
}

void RefineMode::pass_on(const Fact& fact) {
    inner_->apply(fact);
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

} // namespace eyehand::agent
