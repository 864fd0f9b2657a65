#include "modes/conversation/conversation_mode.hpp"

#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/tool.hpp"
#include "modes/still_too_long.hpp"

#include <fmt/format.h>

#include <utility>

namespace eyehand::agent {
namespace {

vlm::Image by_name(const Observed& fact) { return {fact.sha256, nullptr}; }

constexpr const char* role = "agent"; // there is only one

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
    : max_turns_(profile.max_turns), several_calls_(profile.several_calls),
      refused_call_error_(profile.refused_call_error),
      task_(replace_all(profile.task_prompt, "{{task}}", task)),
      transcript_(profile.screenshots, profile.thinks, profile.context_bytes),
      phase_(Phase::observing), loop_rules_(profile.loops), loops_(profile.loops) {
    // What always stays leaves half of the room to what is said.
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
        return Observe{turn_ + 1};
    case Phase::asking: {
        Ask ask{role, request_};
        ask.request.messages = transcript_.messages();
        return ask;
    }
    case Phase::acting:
        return Invoke{calls_.front(), role};
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

void ConversationMode::on(const Observed& fact) {
    if (calls_.empty()) {
        transcript_.add(vlm::Message::user(task_, by_name(fact)));
    } else {
        loops_.saw(fact.still);
        if (is_in_a_loop()) {
            if (loop_rules_.answer == LoopAnswer::recover) {
                phase_ = Phase::recovering; // the call is answered with the picture after that
                return;
            }
            tell_of_loop(words_on_loop(*loops_.loop()));
        }
        answer_calls(screenshot_result(fact));
        transcript_.add(vlm::Message::user(std::exchange(told_, {}) + "The screen as it is now:",
                                           by_name(fact)));
    }
    go_on();
}

void ConversationMode::on(const Recovered& fact) {
    if (!fact.desktop_failure.empty()) {
        finish(Outcome::desktop_failed, fact.desktop_failure);
        return;
    }
    tell_of_loop(words_on_loop(loops_.loop().value_or("the same action again and again"), fact));
    phase_ = Phase::observing; // what the recovery did is to be seen
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
    transcript_.add(vlm::Message::assistant(fact.reply.text, calls_));
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
                    "thoughts or exchanges were dropped");
}

void ConversationMode::on(const Invoked& fact) {
    if (!fact.desktop_failure.empty()) {
        finish(Outcome::desktop_failed, fact.desktop_failure);
        return;
    }
    const bool tried = fact.ok || fact.action.acts;
    if (tried || fact.interrupted)
        loops_.acted(fact.action);
    else // nobody has to look to know that nothing came of it
        loops_.refused(as_tried(fact, calls_.front().arguments_json));
    if (fact.wants_screenshot && turn_ < max_turns_) {
        phase_ = Phase::observing; // the call is answered when the picture is there
        return;
    }
    answer_calls(fact.result_json);
    if (!tried && is_in_a_loop()) { // nothing was done that there were a way out of
        tell_of_loop(words_on_loop(*loops_.loop()));
        transcript_.add(vlm::Message::user(std::exchange(told_, {})));
    }
    go_on();
}

void ConversationMode::on(const UserMessage& fact) {
    if (fact.kind != UserMessage::Kind::words) return; // this model takes no injected reply
    heard_.push_back(fact.text);
    if (phase_ == Phase::asking) {
        pass_on_words();
    } else if (phase_ == Phase::finished && finish_.outcome == Outcome::completed &&
               turn_ < max_turns_) {
        // It counted as the answer because nobody had more to say.
        transcript_.add(vlm::Message::assistant(finish_.reason, {}));
        go_on();
    }
}

/// Where a message of the user has its place: not between a call and its result.
void ConversationMode::pass_on_words() {
    for (const std::string& words : std::exchange(heard_, {}))
        transcript_.add(vlm::Message::user("The user says: " + words));
}

void ConversationMode::on(const Stopped& fact) {
    // A run that has come to its own end has no use for another; one that only ran out of steps
    // has.
    if (phase_ == Phase::finished && finish_.outcome != Outcome::steps_used_up) return;
    finish(Outcome::cancelled, fact.reason);
}

/// A reply without a call is the last one, and the answer if it is whole.
void ConversationMode::finish_with(const vlm::ChatReply& reply) {
    std::string words = strip_think(reply.text);
    if (reply.finish == vlm::FinishReason::length) {
        finish(Outcome::failed,
               "the model's reply was cut off at the output limit; raise max_tokens "
               "(LMSTUDIO_MAX_TOKENS) or choose a model that thinks less");
    } else if (reply.finish == vlm::FinishReason::content_filter ||
               reply.finish == vlm::FinishReason::error) {
        finish(Outcome::failed, "the server interrupted the model's reply: " + words);
    } else if (words.empty()) {
        finish(Outcome::failed, "the model's reply has neither text nor a tool call");
    } else {
        finish(Outcome::completed, std::move(words));
    }
}

/// Every call of a reply needs an answer, or servers refuse the next request.
void ConversationMode::answer_calls(const std::string& first_result) {
    const std::string refusal =
        fail(refused_call_error_,
             fmt::format("Only one tool call a reply: {} was carried out, this one was not.",
                         calls_.front().name))
            .json();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        transcript_.add(vlm::Message::tool(calls_[i].id, i == 0 ? first_result : refusal));
    }
    calls_.clear();
}

void ConversationMode::refuse_calls() {
    const std::string refusal =
        fail(refused_call_error_,
             fmt::format("Only one tool call a reply: none of these {} was carried out.",
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
