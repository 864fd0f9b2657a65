#include "modes/visual_loop/visual_loop_mode.hpp"

#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "modes/call_words.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <utility>

namespace eyehand::agent {
namespace {

constexpr const char* role = "agent";           // there is only one
constexpr std::size_t max_result_bytes = 16000; // of a further tool, for the model

/// A line of the prompt about an action that calls a further tool:
///     - "launch_app" with "command": Starts a program, or opens a document.
std::string described(const vlm::ToolSpec& tool) {
    // Extended actions have members of their own.
    if (tool.name == "type") return R"(- "type" with "text": where the keyboard focus is)";
    if (tool.name == "press") return R"(- "press" with "key", such as "enter" or "ctrl+s")";
    if (tool.name == "scroll")
        return R"(- "scroll" at x1, y1 with "direction" (up or down) and "amount" (1 to 30))";
    std::string line = fmt::format("- \"{}\"", tool.name);
    const auto parameters = parse_json(tool.parameters_json);
    const json::object* object = parameters ? parameters->if_object() : nullptr;
    const json::value* members = object == nullptr ? nullptr : object->if_contains("properties");
    bool first = true;
    if (members != nullptr && members->is_object()) {
        for (const auto& member : members->as_object()) {
            line += fmt::format("{} \"{}\"", std::exchange(first, false) ? " with" : ",",
                                std::string_view(member.key()));
            const json::object* schema = member.value().if_object();
            const json::value* about =
                schema == nullptr ? nullptr : schema->if_contains("description");
            if (about != nullptr && about->is_string())
                line += fmt::format(" ({})", std::string_view(about->as_string()));
        }
    }
    return line + ": " + one_line(tool.description);
}

std::string filled_in(const Profile& profile, const std::string& task, const VisualLimits& limits) {
    const VisualLoopSettings& visual = *profile.settings<VisualLoopSettings>();
    std::string further = visual.limits.extended_actions ? visual.extended_prompt : "";
    for (const vlm::ToolSpec& tool : limits.tools) {
        if (!further.empty() && !further.ends_with('\n')) further += '\n';
        further += described(tool);
    }
    // The task comes last: a placeholder in it is the user's text.
    constexpr std::string_view place = "{{extended_actions}}";
    std::string text = replace_all(profile.system_prompt, place, further);
    if (!limits.tools.empty() && profile.system_prompt.find(place) == std::string::npos)
        text += "\n\nFurther actions:\n" + further;
    text = replace_all(text, "{{max_boxes}}", fmt::format("{}", visual.limits.boxes));
    text = replace_all(text, "{{max_actions}}", fmt::format("{}", visual.limits.actions));
    return replace_all(text, "{{task}}", task);
}

/// In the numbers of the model, as in its own calls; without `numbers`, 0 to 1000.
json::array pair(const winio::NormPoint& at, const CoordinateConverter* numbers) {
    if (numbers == nullptr) return {at.x, at.y};
    const auto list = numbers->to_list(at);
    return {list[0], list[1]};
}

/// The arguments of the tool that executes the action, as JSON and not as the tool's C++ type: the toolbox checks what
/// the model wrote (names of keys, text that can be typed, limits), as it checks a tool call, and approval, journal and
/// resume show, keep and compare the same text.
json::object arguments_of(const VisualAction& action, const CoordinateConverter* numbers) {
    const ModelPoint at =
        numbers == nullptr ? ModelPoint{action.at.x, action.at.y} : numbers->to_model(action.at);
    const std::string label = fmt::format("action {}", action.number);
    switch (action.verb) {
    case VisualVerb::move:
        return {{"x", at.x}, {"y", at.y}};
    case VisualVerb::click:
    case VisualVerb::right_click:
    case VisualVerb::double_click:
        return {{"label", label}, {"box", pair(action.at, numbers)}};
    case VisualVerb::drag:
        return {{"label", label},
                {"start", pair(action.at, numbers)},
                {"end", pair(action.to, numbers)}};
    case VisualVerb::type:
        return {{"text", action.text}};
    case VisualVerb::press:
        return {{"key", action.text}};
    case VisualVerb::scroll:
    case VisualVerb::tool: // its arguments are the model's own
        break;
    }
    return {{"box", pair(action.at, numbers)},
            {"direction", action.notches > 0 ? "up" : "down"},
            {"amount", action.notches > 0 ? action.notches : -action.notches}};
}

/// The mark of an action; actions of the keyboard have none.
std::optional<Mark> mark_of(const VisualAction& action,
                            const std::vector<winio::NormPoint>& points) {
    if (action.verb == VisualVerb::type || action.verb == VisualVerb::press) return std::nullopt;
    if (action.verb == VisualVerb::tool) {
        if (points.empty()) return std::nullopt;
        Mark mark{action.number, points.front(), {}};
        if (points.size() > 1) mark.to = points.back();
        return mark;
    }
    Mark mark{action.number, action.at, {}};
    if (action.verb == VisualVerb::drag) mark.to = action.to;
    return mark;
}

std::string_view name_of(const VisualAction& action) {
    return action.verb == VisualVerb::tool ? std::string_view(action.tool) : to_string(action.verb);
}

VisualLimits limits_of(const Profile& profile, std::vector<vlm::ToolSpec> further) {
    VisualLimits limits = profile.settings<VisualLoopSettings>()->limits;
    limits.tools = std::move(further);
    limits.coordinates = coordinate_converter(profile);
    return limits;
}

/// The message of a failed result for the model.
std::string message_of(const std::string& result_json) {
    const auto result = parse_json(result_json);
    const json::object* object = result ? result->if_object() : nullptr;
    const json::value* error = object == nullptr ? nullptr : object->if_contains("error");
    const json::object* told = error == nullptr ? nullptr : error->if_object();
    const json::value* message = told == nullptr ? nullptr : told->if_contains("message");
    if (message == nullptr || !message->is_string()) return result_json;
    return {message->as_string().data(), message->as_string().size()};
}

} // namespace

VisualLoopMode::VisualLoopMode(const Profile& profile, const std::string& task,
                               std::vector<vlm::ToolSpec> further_tools)
    : limits_(limits_of(profile, std::move(further_tools))), max_turns_(profile.max_turns),
      trail_turns_(static_cast<std::size_t>(profile.executed_heat.trail_turns)),
      system_prompt_(filled_in(profile, task, limits_)), max_told_(profile.context_bytes / 2) {
    if (system_prompt_.size() > max_told_)
        throw Error(
            errc::task_too_long,
            fmt::format("the system prompt with the task is {} bytes long; with this profile "
                        "it may have {}: shorten the task, or raise context_bytes",
                        system_prompt_.size(), max_told_));
    request_.model = profile.model;
    request_.sampling = profile.sampling;
    const auto& visual = *profile.settings<VisualLoopSettings>();
    if (visual.structured)
        request_.response_format = {"visual_reply", visual_reply_schema(limits_)};
    if (!trim(visual.boot).empty()) begin_turn(visual.boot);
}

Command VisualLoopMode::next() const {
    switch (phase_) {
    case Phase::waiting_inject:
        return Await{};
    case Phase::executing:
        return Invoke{call(), role};
    case Phase::capturing:
        return Observe{turn_, annotation()};
    case Phase::calling_model:
        return Ask{role, request()};
    case Phase::finished:
        break;
    }
    return finish_;
}

void VisualLoopMode::apply(const Fact& fact) {
    std::visit([this](const auto& it) { on(it); }, fact);
}

ModeState VisualLoopMode::state() const {
    ModeState state;
    state.turn = turn_;
    state.role = role;
    state.reply = reply_;
    switch (phase_) {
    case Phase::waiting_inject:
        state.phase = "waiting_inject";
        break;
    case Phase::executing:
        state.phase = "executing";
        break;
    case Phase::capturing:
        state.phase = "capturing";
        break;
    case Phase::calling_model:
        state.phase = "calling_model";
        break;
    case Phase::finished:
        state.phase = "finished";
        break;
    }
    return state;
}

namespace {

/// Some servers report a reply that follows a schema as thoughts. Real thoughts may contain drafts
/// of replies, which must not be executed.
bool is_reply_taken_for_thoughts(const vlm::ChatReply& reply) {
    if (!trim(reply.text).empty() || reply.finish == vlm::FinishReason::length) return false;
    const std::string_view thoughts = trim(reply.reasoning);
    return thoughts.starts_with('{') && thoughts.ends_with('}');
}

} // namespace

// ---- facts --------------------------------------------------------------------------------------

void VisualLoopMode::on(const Observed& fact) {
    seen_ = fact;
    if (injected_)
        next_turn(*std::exchange(injected_, std::nullopt));
    else if (is_done() && heard_.empty())
        finish(Outcome::completed, reply_->observation.empty() ? "The model says that it is done."
                                                               : reply_->observation);
    else
        ask_or_end();
}

void VisualLoopMode::ask_or_end() {
    if (turns_ >= max_turns_) {
        finish(Outcome::steps_used_up,
               fmt::format("the task was not finished within {} turns", max_turns_));
        return;
    }
    ++turns_;
    phase_ = Phase::calling_model;
}

void VisualLoopMode::on(const ObserveFailed& fact) {
    // The last screenshot of a run is only for the user.
    if (is_done() && heard_.empty())
        on(Observed{});
    else
        finish(Outcome::desktop_failed, fact.message);
}

void VisualLoopMode::on(const Replied& fact) {
    const vlm::ChatReply& reply = fact.reply;
    heard_.clear();
    next_turn(is_reply_taken_for_thoughts(reply) ? reply.reasoning : reply.text);
    if (reply.finish == vlm::FinishReason::length)
        failures_.emplace_back("The reply was cut off at the output limit: make it shorter.");
}

void VisualLoopMode::on(const AskFailed& fact) {
    if (!fact.refused || !request_.response_format) {
        finish(Outcome::endpoint_failed, fact.message);
        return;
    }
    request_.response_format.reset(); // the mode asks again
    note("format",
         "a request with a JSON schema for the reply failed; further requests have none: " +
             fact.message);
}

void VisualLoopMode::on(const Invoked& fact) {
    if (!fact.desktop_failure.empty()) {
        finish(Outcome::desktop_failed, fact.desktop_failure);
        return;
    }
    const VisualAction& done = action();
    if (fact.ok) {
        if (auto mark = mark_of(done, fact.action.points)) marks_.push_back(*mark);
        take_result(done, fact);
    } else {
        failures_.push_back(fmt::format("Action {} ({}) was not carried out: {}", done.number,
                                        name_of(done), message_of(fact.result_json)));
    }
    ++next_action_;
    if (fact.stale) {
        max_turns_ += free_turns_.grant();
        // The other actions are based on the same screenshot.
        for (; next_action_ < reply_->actions.size(); ++next_action_)
            failures_.push_back(fmt::format("Action {} ({}) was not carried out, either.",
                                            action().number, name_of(action())));
    }
    act_or_look();
}

/// The result of a further tool is told to the model if it contains more than success.
void VisualLoopMode::take_result(const VisualAction& done, const Invoked& fact) {
    if (done.verb != VisualVerb::tool) return;
    const std::string result = fact.reads
                                   ? result_in_words(fact.result_json).result
                                   : result_in_words(fact.result_json, done.arguments_json).result;
    if (result != "ok")
        results_.push_back(fmt::format("Action {} ({}): {}", done.number, name_of(done),
                                       cut_bytes(result, max_result_bytes, true)));
}

void VisualLoopMode::on(const UserMessage& fact) {
    if (fact.kind == UserMessage::Kind::words) {
        heard_.push_back(fact.text);
        if (phase_ != Phase::finished || finish_.outcome != Outcome::completed ||
            turns_ >= max_turns_)
            return;
        // The task counted as done only because there was no further message.
        if (seen_.sha256.empty())
            phase_ = Phase::capturing; // the last screenshot failed
        else
            ask_or_end();
    } else if (phase_ == Phase::waiting_inject) {
        begin_turn(fact.text);
    } else if (phase_ == Phase::calling_model) {
        --turns_; // the request was not started
        next_turn(fact.text);
    } else if (phase_ == Phase::finished && finish_.outcome == Outcome::completed) {
        next_turn(fact.text);
    } else if (phase_ == Phase::finished) {
        note("reply", "the run has ended: an injected reply is not executed");
    } else {
        if (injected_) note("reply", "an earlier injected reply is not executed");
        injected_ = fact.text;
    }
}

void VisualLoopMode::on(const Stopped& fact) {
    // A run that has ended keeps its outcome, unless it only used up its turns.
    if (phase_ == Phase::finished && finish_.outcome != Outcome::steps_used_up) return;
    finish(outcome_of(fact), fact.reason);
}

// ---- the turn -----------------------------------------------------------------------------------

/// The previous turn becomes a part of the trail.
void VisualLoopMode::next_turn(const std::string& reply) {
    earlier_.push_front(std::move(marks_));
    if (earlier_.size() > trail_turns_) earlier_.pop_back();
    begin_turn(reply);
}

void VisualLoopMode::begin_turn(const std::string& reply) {
    ++turn_;
    reply_ = std::make_shared<const VisualReply>(parse_visual_reply(reply, limits_));
    for (const std::string& problem : reply_->problems) note("reply", problem);
    next_action_ = 0;
    marks_.clear();
    failures_.clear();
    results_.clear();
    act_or_look();
}

void VisualLoopMode::act_or_look() {
    phase_ = next_action_ < reply_->actions.size() ? Phase::executing : Phase::capturing;
}

/// Not if the model relies on actions that did not happen.
bool VisualLoopMode::is_done() const {
    return reply_->done && failures_.empty() && !reply_->actions_left_out;
}

vlm::ToolCall VisualLoopMode::call() const {
    const bool own = action().verb == VisualVerb::tool;
    return {fmt::format("turn_{}_action_{}", turn_, action().number),
            std::string(name_of(action())),
            own ? action().arguments_json
                : to_text(arguments_of(action(),
                                       limits_.coordinates ? &*limits_.coordinates : nullptr)),
            {},
            reply_->in_text ? vlm::Provenance::text : vlm::Provenance::native};
}

Annotation VisualLoopMode::annotation() const {
    Annotation all{{marks_}, reply_->boxes};
    for (const auto& turn : earlier_)
        if (all.trail.size() < trail_turns_) all.trail.push_back(turn);
    return all;
}

vlm::ChatRequest VisualLoopMode::request() const {
    vlm::ChatRequest request = request_;
    request.messages = {
        vlm::Message::system(system_prompt_),
        vlm::Message::user(told(), {seen_.sha256, nullptr}),
    };
    return request;
}

/// The model's own observation, messages of the user, and problems with its reply.
std::string VisualLoopMode::told() const {
    std::string text = reply_->observation.empty()
                           ? "(Your last reply had no observation.)"
                           : cut_bytes(reply_->observation, max_told_ / 2, true);
    for (const std::string& words : heard_) text += "\n\nThe user says: " + words;
    if (!results_.empty()) text += "\n\nResults of your last actions:";
    for (const std::string& one : results_) text += "\n- " + one;
    if (reply_->problems.empty() && failures_.empty()) return cut_bytes(text, max_told_, true);
    text += "\n\nProblems with your last reply:";
    for (const auto* some : {&reply_->problems, &failures_})
        for (const std::string& one : *some)
            if (text.size() < max_told_) text += "\n- " + one;
    return cut_bytes(text, max_told_, true);
}

void VisualLoopMode::finish(Outcome outcome, std::string reason) {
    finish_ = {outcome, std::move(reason)};
    phase_ = Phase::finished;
}

} // namespace eyehand::agent
