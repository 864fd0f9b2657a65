#include "modes/conversation/conversation_mode.hpp"
#include "modes/result_images.hpp"

#include "base/text.hpp"
#include "coordinates/numbers_of.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/tool.hpp"
#include "modes/call_words.hpp"
#include "modes/reminder_of_text_call.hpp"
#include "modes/still_too_long.hpp"
#include "modes/zoom_words.hpp"

#include <fmt/format.h>

#include <utility>

namespace eyehand::agent {
namespace {

vlm::Image by_name(const Observed& fact) { return {fact.sha256, nullptr}; }

constexpr const char* role = "agent"; // there is only one

constexpr const char* reminder =
    "Your reply had neither text nor a tool call. Call a tool, or write your final answer as text.";

/// The user reads it if a run fails because of such a call.
constexpr const char* text_call_remedy =
    "If the model cannot call tools natively, allow calls in its text (text_tool_calls: "
    "until_native), or choose a model that calls tools";

std::string screenshot_result(const Observed& fact) {
    return ok()
        .with("file", fact.file)
        .with("width", fact.size.width)
        .with("height", fact.size.height)
        .json();
}

} // namespace

ConversationMode::ConversationMode(const Profile& profile, const std::string& task,
                                   std::vector<vlm::ToolSpec> tools)
    : max_turns_(profile.max_turns), several_calls_(several_calls_of(profile)),
      looks_between_(profile.look_between_calls),
      looks_after_actions_(looks_after_actions(profile)),
      refused_call_error_(profile.refused_call_error), numbers_(numbers_of(profile)),
      task_(replace_all(profile.task_prompt, "{{task}}", task)),
      transcript_(profile.screenshots, profile.thinks, profile.context_bytes),
      phase_(Phase::observing), loop_rules_(profile.loops),
      loops_(profile.loops, coordinate_converter(profile)) {
    // The fixed texts must leave half of the space for the turns.
    const std::size_t stays = profile.system_prompt.size() + task_.size();
    if (stays > profile.context_bytes / 2)
        throw Error(errc::task_too_long,
                    fmt::format("the system prompt and the task are {} bytes long; with this "
                                "profile they may have {}: shorten them, or raise context_bytes",
                                stays, profile.context_bytes / 2));
    request_.model = profile.model;
    request_.tools = std::move(tools);
    request_.sampling = profile.sampling;
    transcript_.add(vlm::Message::system(profile.system_prompt));
    if (profile.screenshot_first) return;
    transcript_.add(vlm::Message::user(task_));
    go_on();
}

Command ConversationMode::next() const {
    switch (phase_) {
    case Phase::observing:
        // The model does not see a screenshot between its calls, whose positions refer to the latest one.
        return Observe{turn_ + 1, {}, goes_on_ ? shown_ : wanted_};
    case Phase::asking: {
        Ask ask{role, request_};
        ask.request.messages = transcript_.messages();
        return ask;
    }
    case Phase::acting:
        return Invoke{calls_[results_.size()], role};
    case Phase::recovering:
        return Recover{loops_.loop().value_or("")};
    case Phase::finished:
        break;
    }
    return finish_;
}

void ConversationMode::apply(const Fact& fact) {
    std::visit([this](const auto& it) { on(it); }, fact);
}

ModeState ConversationMode::state() const {
    switch (phase_) {
    case Phase::observing:
        return {turn_, "observing"};
    case Phase::asking:
        return {turn_, "asking"};
    case Phase::acting:
        return {turn_, "acting"};
    case Phase::recovering:
        return {turn_, "recovering"};
    case Phase::finished:
        break;
    }
    return {turn_, "finished"};
}

void ConversationMode::revise(const Observed& seen) {
    loops_.revise(seen.still);
    // A late change is perhaps the effect of the latest action.
    if (!seen.still && shown_effect_ == winio::ActionEffect::no_visible_change)
        shown_effect_.reset();
    transcript_.replace_latest_screenshot(screen_message(seen));
}

vlm::Message ConversationMode::screen_message(const Observed& fact) const {
    std::string words = fact.zoomed ? told_before_ + words_on_zoom(fact, numbers_) : shown_words_;
    if (shown_effect_)
        words = fmt::format("The effect of your latest action: {}.\n{}",
                            winio::to_string(*shown_effect_), words);
    if (shown_images_.empty()) return vlm::Message::user(std::move(words), by_name(fact));
    // Servers accept images only in messages of the user. The last one is the screenshot, to which positions refer.
    vlm::Message message = vlm::Message::user(std::string(words_on_result_images));
    for (const ResultImage& image : shown_images_)
        message.parts.emplace_back(vlm::Image{image.sha256, nullptr});
    message.parts.emplace_back(std::move(words));
    message.parts.emplace_back(by_name(fact));
    return message;
}

void ConversationMode::on(const Observed& fact) {
    shown_effect_ = effect_.shown_by(fact);
    if (calls_.empty()) {
        shown_words_ = task_;
    } else {
        loops_.saw(fact.still);
        if (std::exchange(goes_on_, false)) {
            phase_ = Phase::acting;
            return;
        }
        if (is_in_a_loop()) {
            if (loop_rules_.answer == LoopAnswer::recover) {
                phase_ = Phase::recovering; // the screenshot after the recovery answers the call
                return;
            }
            tell_of_loop(words_on_loop(*loops_.loop()));
        }
        // The screenshot is the result of a call that asked for one.
        if (results_.back().empty()) results_.back() = screenshot_result(fact);
        answer_calls();
        shown_images_ = std::exchange(images_, {});
        told_before_ = std::exchange(told_, {});
        shown_words_ = told_before_ + "The current screen:";
    }
    shown_ = std::exchange(wanted_, std::nullopt);
    transcript_.add(screen_message(fact));
    go_on();
}

void ConversationMode::on(const Recovered& fact) {
    if (!fact.desktop_failure.empty()) {
        finish(Outcome::desktop_failed, fact.desktop_failure);
        return;
    }
    tell_of_loop(words_on_loop(loops_.loop().value_or("the same action again and again"), fact));
    wanted_.reset();
    phase_ = Phase::observing; // show the effect of the recovery
}

void ConversationMode::on(const ObserveFailed& fact) {
    finish(Outcome::desktop_failed, fact.message);
}

void ConversationMode::on(const Replied& fact) {
    calls_ = fact.reply.tool_calls;
    if (calls_.empty()) {
        finish_with(fact.reply);
        return;
    }
    reminded_ = false;
    results_.clear();
    images_.clear();
    has_effect_ = wants_look_ = false;
    transcript_.add(vlm::message_of(fact.reply));
    if (calls_.size() > 1 && several_calls_ == SeveralCalls::none) {
        refuse_calls();
        go_on();
        return;
    }
    phase_ = Phase::acting;
}

void ConversationMode::on(const AskFailed& fact) {
    if (!fact.context_overflow) {
        finish(Outcome::endpoint_failed, fact.message);
        return;
    }
    if (!transcript_.narrow()) {
        finish(Outcome::endpoint_failed, still_too_long(fact.message));
        return;
    }
    note("context", "the conversation was longer than the model's context: older screenshots, "
                    "thoughts or turns were dropped");
}

void ConversationMode::on(const Invoked& fact) {
    if (!fact.desktop_failure.empty()) {
        finish(Outcome::desktop_failed, fact.desktop_failure);
        return;
    }
    wanted_.reset();
    if (fact.stale) { // the model decides again on a new screenshot
        max_turns_ += free_turns_.grant();
        results_.push_back(fact.result_json);
        phase_ = Phase::observing;
        return;
    }
    if (fact.action.acts) effect_.invoked(fact);
    images_.insert(images_.end(), fact.images.begin(), fact.images.end());
    // Some dialects have no other action for a look at the screen than a wait.
    has_effect_ = has_effect_ || fact.action.acts || fact.action.waits;
    const bool tried = fact.ok || fact.action.acts;
    if (tried || fact.interrupted)
        loops_.acted(fact.action);
    else // no screenshot is needed: a refused call has no effect
        loops_.refused(as_tried(fact, calls_[results_.size()].arguments_json));
    const bool can_look = turn_ < max_turns_;
    const bool asked = fact.wants_screenshot && can_look;
    if (asked && fact.ok && fact.zoom) wanted_ = Zoom{.region = *fact.zoom};
    results_.push_back(asked ? std::string() : with_effect(fact.result_json, fact.effect));
    if (fact.ok && has_more_calls() && heard_.empty()) {
        goes_on_ = asked || (looks_between_ && fact.action.acts);
        if (asked) results_.back() = fact.result_json;
        wants_look_ = wants_look_ || asked;
        phase_ = goes_on_ ? Phase::observing : Phase::acting;
        return;
    }
    // Images of results come with a screenshot.
    if (asked ||
        (can_look && (wants_look_ || !images_.empty() || (looks_after_actions_ && has_effect_)))) {
        phase_ = Phase::observing; // the screenshot comes with the results
        return;
    }
    answer_calls();
    if (!tried && is_in_a_loop()) { // no recovery: the call had no effect on the desktop
        tell_of_loop(words_on_loop(*loops_.loop()));
        transcript_.add(vlm::Message::user(std::exchange(told_, {})));
    }
    go_on();
}

bool ConversationMode::has_more_calls() const {
    return several_calls_ == SeveralCalls::all && results_.size() < calls_.size();
}

void ConversationMode::on(const UserMessage& fact) {
    if (fact.kind != UserMessage::Kind::words) return; // this mode takes no injected replies
    heard_.push_back(fact.text);
    if (phase_ == Phase::asking) {
        pass_on_words();
    } else if (phase_ == Phase::finished && finish_.outcome == Outcome::completed &&
               turn_ < max_turns_) {
        // The reply was final only because there was no further message.
        transcript_.add(final_answer_);
        go_on();
    }
}

/// Adds the messages of the user at a place that is not between a call and its result.
void ConversationMode::pass_on_words() {
    for (const std::string& words : std::exchange(heard_, {}))
        transcript_.add(vlm::Message::user("The user says: " + words));
}

void ConversationMode::on(const Stopped& fact) {
    // A run that has ended keeps its outcome, unless it only used up its turns.
    if (phase_ == Phase::finished && finish_.outcome != Outcome::steps_used_up) return;
    finish(outcome_of(fact), fact.reason);
}

/// Asks again in the same turn.
void ConversationMode::remind(const vlm::ChatReply& reply, std::string_view words) {
    reminded_ = true;
    // Some servers reject an assistant message without text.
    if (reply.text.empty())
        transcript_.add(vlm::Message::assistant("(nothing)"));
    else
        transcript_.add(vlm::message_of(reply));
    transcript_.add(vlm::Message::user(std::string(words)));
}

/// A reply without a call ends the run; it is the answer if it is complete. The model is reminded
/// once if the reply is empty or contains a call as text; a quotation counts as an answer then.
void ConversationMode::finish_with(const vlm::ChatReply& reply) {
    std::string words = strip_think(reply.text);
    if (reply.finish == vlm::FinishReason::length) {
        finish(Outcome::failed,
               "the model's reply was cut off at the output limit; raise max_tokens "
               "(LMSTUDIO_MAX_TOKENS) or choose a model that thinks less");
    } else if (reply.finish == vlm::FinishReason::content_filter ||
               reply.finish == vlm::FinishReason::error) {
        finish(Outcome::failed, "the server interrupted the model's reply: " + words);
    } else if (reply.ignored_call != vlm::IgnoredCall::none && !reminded_) {
        note("reminder", "a tool call in the text of the reply was not executed");
        remind(reply, reminder_of_text_call(reply.ignored_call));
    } else if (reply.ignored_call == vlm::IgnoredCall::not_accepted) {
        finish(
            Outcome::failed,
            fmt::format("the model wrote a tool call as text, which was not executed, also after "
                        "a reminder. {}",
                        text_call_remedy));
    } else if (reply.ignored_call == vlm::IgnoredCall::unclear) {
        finish(Outcome::failed,
               "a tool call in the text of the model's reply was malformed, of an unknown tool, or "
               "followed by other text, also after a reminder: choose a model that calls tools");
    } else if (words.empty() && !reminded_) {
        note("reminder", "the reply had neither text nor a tool call");
        remind(reply, reminder);
    } else if (words.empty()) {
        finish(Outcome::failed, "the model's reply has neither text nor a tool call, also after a "
                                "reminder");
    } else {
        final_answer_ = vlm::message_of(reply);
        finish(Outcome::completed, std::move(words));
    }
}

/// Each call of a reply needs a result; otherwise servers reject the next request.
void ConversationMode::answer_calls() {
    const std::string& latest = calls_[results_.size() - 1].name;
    const std::string refusal =
        fail(refused_call_error_,
             several_calls_ == SeveralCalls::all
                 ? std::string("Not carried out, because the action before it failed, or the user "
                               "sent a message.")
                 : fmt::format("Only one tool call per reply: {} was processed, this one was not.",
                               latest))
            .json();
    for (std::size_t i = 0; i < calls_.size(); ++i)
        transcript_.add(
            vlm::Message::tool(calls_[i].id, i < results_.size() ? results_[i] : refusal));
    calls_.clear();
}

void ConversationMode::refuse_calls() {
    const std::string refusal =
        fail(refused_call_error_,
             fmt::format("Only one tool call per reply: none of these {} was carried out.",
                         calls_.size()))
            .json();
    for (const vlm::ToolCall& call : calls_) transcript_.add(vlm::Message::tool(call.id, refusal));
    calls_.clear();
}

bool ConversationMode::is_in_a_loop() {
    if (loop_rules_.answer == LoopAnswer::none || turn_ < loops_from_) return false;
    const auto loop = loops_.loop();
    if (loop) note("loop", *loop);
    return loop.has_value();
}

void ConversationMode::tell_of_loop(std::string words) {
    told_ = std::move(words) + " Look closely and try another way.\n";
    loops_.reset();
    loops_from_ = turn_ + loop_rules_.cooldown;
}

void ConversationMode::go_on() {
    if (turn_ < max_turns_) {
        pass_on_words();
        ++turn_;
        phase_ = Phase::asking;
    } else {
        finish(Outcome::steps_used_up,
               fmt::format("the task was not finished within {} turns", max_turns_));
    }
}

void ConversationMode::finish(Outcome outcome, std::string reason) {
    finish_ = {outcome, std::move(reason)};
    phase_ = Phase::finished;
}

} // namespace eyehand::agent
