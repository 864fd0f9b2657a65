#include "modes/team/team_mode.hpp"

#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/transcript.hpp"
#include "modes/still_too_long.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr int patience_with_compression = 2; // then the mode compresses memory itself

constexpr std::string_view reminder =
    "Your reply had no tool call, so nothing happened. Call exactly one of your tools now.";

/// The parts of a context under their headings; empty parts are omitted.
class Sections {
public:
    void add(std::string_view heading, std::string_view text) {
        if (text.empty()) return;
        if (!text_.empty()) text_ += "\n\n";
        text_ += heading;
        text_ += '\n';
        text_ += text;
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

} // namespace

TeamMode::TeamMode(const Profile& profile, const std::string& task, OfferedTools offered,
                   std::unique_ptr<Memory> memory)
    : team_(*profile.settings<TeamSettings>()), model_(profile.model),
      task_(replace_all(profile.task_prompt, "{{task}}", task)), max_turns_(profile.max_turns),
      loop_rules_(profile.loops), offered_(std::move(offered)), memory_(std::move(memory)),
      loops_(profile.loops) {
    // The task is never cut, and the other parts of a context need space.
    if (task_.size() > team_.context_bytes / 2)
        throw Error(errc::task_too_long,
                    fmt::format("the task is {} bytes long; with this profile it may have {}: "
                                "shorten it, or raise context_bytes",
                                task_.size(), team_.context_bytes / 2));
}

const TeamRole& TeamMode::role() const { return leads_ ? team_.lead : team_.worker; }

// --- Commands -------------------------------------------------------------------------------------

Command TeamMode::next() const {
    switch (step_) {
    case Step::observing:
        return Observe{turn_};
    case Step::asking:
        return Ask{role().name, request()};
    case Step::acting:
        return Invoke{calls_.front(), role().name};
    case Step::recovering:
        return Recover{loops_.loop().value_or("")};
    case Step::finished:
        break;
    }
    return finish_;
}

bool TeamMode::must_plan() const { return team_.first_plan && leads_ && brief_.empty(); }

vlm::ChatRequest TeamMode::request() const {
    vlm::ChatRequest request;
    request.model = model_;
    request.sampling = role().sampling;
    request.tools = leads_ ? offered_.lead : offered_.worker;
    if (must_plan()) {
        // All servers support this way to force a call: a single tool, and "required".
        std::erase_if(request.tools,
                      [&](const vlm::ToolSpec& tool) { return tool.name != offered_.brief; });
        request.tool_choice = vlm::ToolChoice::required;
    }
    request.messages.push_back(vlm::Message::system(role().system_prompt));
    request.messages.push_back(
        leads_ ? vlm::Message::user(context())
               : vlm::Message::user(context(), vlm::Image{seen_.sha256, nullptr}));
    if (reminded_) {
        request.messages.push_back(vlm::Message::assistant(
            reply_.empty() ? "(nothing)" : cut_bytes(reply_, team_.context_bytes / 4, true)));
        request.messages.push_back(vlm::Message::user(std::string(reminder)));
    }
    return request;
}

std::size_t TeamMode::context_bound() const {
    const std::size_t bound = narrow_ ? team_.context_bytes / 2 : team_.context_bytes;
    return std::max(bound, task_.size() + team_.context_bytes / 8);
}

/// The part of the user's messages for which a request has space.
std::string TeamMode::shown_of_heard() const {
    return cut_bytes(heard(), (context_bound() - task_.size()) / 6);
}

/// The context of the role, at most `context_bytes`: the unchanging parts first.
std::string TeamMode::context() const {
    const std::size_t max = context_bound();
    const std::size_t share = (max - task_.size()) / 6;
    Sections sections;
    sections.add("TASK", task_);
    sections.add("PLAN", cut_bytes(plan_, std::min(team_.plan_bytes, share), team_.plan_ellipsis));
    if (!leads_) sections.add("INSTRUCTIONS", cut_bytes(brief_, share, true));
    if (!leads_ && team_.previous_action && previous_) {
        const std::string call = previous_->tool.empty()
                                     ? std::string("no tool call")
                                     : previous_->tool + ' ' + one_line(previous_->arguments);
        sections.add("LAST ACTION",
                     cut_bytes(fmt::format("Turn {}: {}\nResult: {}\nYou said: {}", previous_->turn,
                                           cut_bytes(call, share / 2, true),
                                           cut_bytes(one_line(previous_->result), share / 4, true),
                                           one_line(previous_->reply)),
                               share, true));
    }
    sections.add("NOW", fmt::format("{}, turn {} of {}", role().phase, turn_, max_turns_));
    if (leads_ && compression_asked_)
        sections.add(
            "MEMORY IS FULL",
            fmt::format("{} actions are active. Archive finished turns first.", memory_->active()));
    if (leads_ && !claim_.empty())
        sections.add(
            "CLAIM",
            cut_bytes("The worker says that the task is done. Evidence: " + claim_, share, true));
    sections.add("THE USER SAYS", shown_of_heard());
    sections.add("NOTE", cut_bytes(told(), share, true));
    const std::string heading = "MEMORY";
    const std::size_t used = sections.text().size() + heading.size() + 3;
    if (used < max) sections.add(heading, memory_->context(max - used));
    return cut_bytes(sections.text(), std::max(max, task_.size() + 5));
}

ModeState TeamMode::state() const {
    ModeState state;
    state.turn = turn_;
    state.phase = step_ == Step::finished ? "finished" : role().phase;
    state.role = role().name;
    state.plan = plan_;
    state.brief = brief_;
    state.active_actions = memory_->active();
    state.archived_actions = memory_->archived();
    return state;
}

// --- Facts ----------------------------------------------------------------------------------------

void TeamMode::apply(const Fact& fact) {
    std::visit([this](const auto& it) { on(it); }, fact);
}

void TeamMode::on(const Observed& fact) {
    loops_.saw(fact.still);
    seen_ = fact;
    if (turn_ == 0) {
        begin_turn();
        return;
    }
    const auto loop = loops_.loop();
    if (loop_rules_.answer != LoopAnswer::none && loop && turn_ >= loops_from_) {
        note("loop", *loop);
        if (loop_rules_.answer == LoopAnswer::recover) {
            step_ = Step::recovering;
            return;
        }
        tell_of_loop(words_on_loop(*loop));
    }
    step_ = Step::asking;
}

void TeamMode::tell_of_loop(std::string words) {
    worker_told_ = std::move(words) + " Look again and try another way, or report BLOCKED.";
    loops_.reset();
    loops_from_ = turn_ + loop_rules_.cooldown;
}

void TeamMode::on(const ObserveFailed& fact) { finish(Outcome::desktop_failed, fact.message); }

void TeamMode::on(const Recovered& fact) {
    if (!fact.desktop_failure.empty()) {
        finish(Outcome::desktop_failed, fact.desktop_failure);
        return;
    }
    tell_of_loop(words_on_loop(loops_.loop().value_or("the same action again and again"), fact));
    step_ = Step::observing; // show the effect of the recovery
}

void TeamMode::on(const Replied& fact) {
    take_words(fact.reply);
    calls_ = fact.reply.tool_calls;
    // The request contained this part; later requests contain the remaining messages.
    if (!calls_.empty() || reminded_) heard().erase(0, shown_of_heard().size());
    if (!calls_.empty()) {
        if (calls_.size() > 1)
            note("refused", fmt::format("one call per turn: {} of {} calls were not executed",
                                        calls_.size() - 1, calls_.size()));
        step_ = Step::acting;
        return;
    }
    if (!reminded_) {
        reminded_ = true;
        note("reminder", "the reply had no tool call");
        return; // the mode asks again
    }
    note("refused", "a turn without a tool call");
    if (leads_) {
        end_lead_turn();
    } else {
        previous_ = ActionRecord{turn_, {}, {}, {}, seen_.file, reply_, false};
        memory_->add(*previous_);
        worker_told_.clear();
    }
    begin_turn();
}

void TeamMode::take_words(const vlm::ChatReply& reply) {
    reply_ = strip_think(reply.text);
    if (leads_ && !reply_.empty()) plan_ = reply_;
}

void TeamMode::on(const AskFailed& fact) {
    if (!fact.context_overflow) {
        finish(Outcome::endpoint_failed, fact.message);
        return;
    }
    if (narrow_) {
        finish(Outcome::endpoint_failed, still_too_long(fact.message));
        return;
    }
    narrow_ = true;
    memory_->compress();
    note("context", "the request was longer than the model's context: memory was compressed, and "
                    "further contexts are half as long");
}

void TeamMode::on(const Invoked& fact) {
    if (!fact.desktop_failure.empty()) {
        record(fact);
        finish(Outcome::desktop_failed, fact.desktop_failure);
    } else if (leads_) {
        take_lead_call(fact);
    } else {
        take_worker_call(fact);
    }
}

void TeamMode::take_lead_call(const Invoked& fact) {
    std::string answer;
    const std::string refused_calls = words_on_refused_calls();
    if (const auto* brief = std::get_if<Brief>(&fact.signal)) {
        brief_ = std::string(trim(brief->instructions));
        claim_.clear();
        end_lead_turn();
        lead_told_ = refused_calls;
        leads_ = false;
        note("phase", fmt::format("{}: the {} has its instructions", role().phase, role().name));
        begin_turn();
        return;
    }
    if (const auto* archive = std::get_if<Archive>(&fact.signal)) {
        answer = memory_->archive(archive->summary, archive->patterns, archive->turns);
        archived_now_ = answer.empty();
        note(answer.empty() ? "memory" : "refused",
             answer.empty() ? fmt::format("{} actions archived, {} active", memory_->archived(),
                                          memory_->active())
                            : answer);
    } else if (const auto* verdict = std::get_if<Verdict>(&fact.signal)) {
        if (verdict->confirmed && !claim_.empty()) {
            finish(Outcome::completed, claim_);
            return;
        }
        answer = claim_.empty() ? "there is no claim to confirm" : "";
        claim_.clear();
    } else if (!fact.ok) {
        answer = fact.result_json;
    }
    end_lead_turn();
    lead_told_ = refused_calls;
    if (!answer.empty()) {
        if (!lead_told_.empty()) lead_told_ += '\n';
        lead_told_ += "Your last call was refused: " + answer;
    }
    begin_turn();
}

/// Empty if the reply had only one call.
std::string TeamMode::words_on_refused_calls() const {
    if (calls_.size() < 2) return {};
    return fmt::format(
        "Only your first call was processed, {} more were refused: one call per turn.",
        calls_.size() - 1);
}

/// Clears the texts for the lead. If the lead repeatedly ignores the request to compress memory,
/// compresses it.
void TeamMode::end_lead_turn() {
    lead_told_.clear();
    if (!compression_asked_) return;
    compressions_ignored_ = archived_now_ ? 0 : compressions_ignored_ + 1;
    if (compressions_ignored_ < patience_with_compression) return;
    compressions_ignored_ = 0;
    memory_->compress();
    note("memory",
         fmt::format("the lead archived no turns: the oldest half was archived, {} active",
                     memory_->active()));
}

void TeamMode::record(const Invoked& fact) {
    previous_ =
        ActionRecord{turn_,  fact.tool, calls_.front().arguments_json, fact.result_json, seen_.file,
                     reply_, false};
    memory_->add(*previous_);
}

void TeamMode::take_worker_call(const Invoked& fact) {
    record(fact);
    worker_told_ = words_on_refused_calls();
    // A repeated mistake is also a loop.
    loops_.acted(as_tried(fact, calls_.front().arguments_json));
    if (const auto* progress = std::get_if<Progress>(&fact.signal)) {
        const auto asks_for_review = [&](const std::string& status) {
            return equals_ignoring_case(status, trim(progress->status));
        };
        needs_review_ = needs_review_ || std::any_of(team_.review_statuses.begin(),
                                                     team_.review_statuses.end(), asks_for_review);
    } else if (const auto* completion = std::get_if<Completion>(&fact.signal)) {
        if (!team_.review_completion) {
            finish(Outcome::completed, completion->evidence);
            return;
        }
        claim_ = completion->evidence;
    }
    begin_turn();
}

void TeamMode::on(const UserMessage& fact) {
    if (fact.kind != UserMessage::Kind::words) return; // this mode takes no injected replies
    for (std::string* heard : {&lead_heard_, &worker_heard_}) {
        if (!heard->empty()) *heard += '\n';
        *heard += fact.text;
    }
    if (!leads_ || step_ != Step::asking) needs_review_ = true; // the lead must consider it
    if (step_ != Step::finished || finish_.outcome != Outcome::completed || turn_ >= max_turns_)
        return;
    begin_turn(); // the task counted as done only because there was no further message
}

void TeamMode::on(const Stopped& fact) {
    // A run that has ended keeps its outcome, unless it only used up its turns.
    if (step_ == Step::finished && finish_.outcome != Outcome::steps_used_up) return;
    finish(Outcome::cancelled, fact.reason);
}

// --- Turns ----------------------------------------------------------------------------------------

void TeamMode::begin_turn() {
    calls_.clear();
    reminded_ = false;
    archived_now_ = false;
    while (true) {
        if (turn_ >= max_turns_) {
            finish(Outcome::steps_used_up,
                   fmt::format("the task was not finished within {} turns", max_turns_));
            return;
        }
        ++turn_;
        const std::string review = leads_ ? std::string() : reason_for_review();
        if (!review.empty()) switch_to_lead(review);
        if (leads_) {
            compression_asked_ = memory_->needs_compression();
            step_ = Step::asking;
            return;
        }
        if (!brief_.empty()) {
            step_ = Step::observing;
            return;
        }
        if (team_.without_brief == WithoutBrief::fail) {
            finish(Outcome::failed, fmt::format("the {} has no instructions: the {} gave none",
                                                team_.worker.name, team_.lead.name));
            return;
        }
        note("phase",
             fmt::format("turn {} skipped: the {} has no instructions", turn_, team_.worker.name));
    }
}

std::string TeamMode::reason_for_review() const {
    if (!claim_.empty()) return "a claim of completion needs confirmation";
    if (needs_review_)
        return lead_heard_.empty() ? "a report asks for a review" : "the user sent a message";
    if (memory_->needs_compression()) return "memory must be compressed";
    if (turn_ % team_.review_interval == 0)
        return fmt::format("a review is due every {} turns", team_.review_interval);
    return {};
}

void TeamMode::switch_to_lead(const std::string& reason) {
    leads_ = true;
    needs_review_ = false;
    note("phase", fmt::format("{}: {}", role().phase, reason));
}

void TeamMode::finish(Outcome outcome, std::string reason) {
    finish_ = {outcome, std::move(reason)};
    step_ = Step::finished;
}

} // namespace eyehand::agent
