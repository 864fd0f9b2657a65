#include "modes/team/team_mode.hpp"
#include "modes/result_images.hpp"

#include "base/text.hpp"
#include "coordinates/numbers_of.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/transcript.hpp"
#include "eyehand/winio/reaction.hpp"
#include "modes/reminder_of_text_call.hpp"
#include "modes/still_too_long.hpp"
#include "modes/zoom_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr int patience_with_compression = 2; // then the mode compresses memory itself

/// Of messages of the user that a role has not yet received; several of the maximum length.
constexpr std::size_t max_heard = 4 * RunControl::max_message_bytes;

constexpr std::string_view team_reminder =
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
      several_calls_(several_calls_of(profile)), looks_between_(profile.look_between_calls),
      loop_rules_(profile.loops), offered_(std::move(offered)), numbers_(numbers_of(profile)),
      memory_(std::move(memory)), loops_(profile.loops, coordinate_converter(profile)) {
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
        // The worker does not see a screenshot between its calls, whose positions refer to the latest one.
        return Observe{turn_, {}, goes_on_ ? shown_ : wanted_};
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
    vlm::Message now = vlm::Message::user(context());
    if (!leads_) {
        if (!images_.empty()) now.parts.emplace_back(std::string(words_on_result_images));
        for (const ResultImage& image : images_)
            now.parts.emplace_back(vlm::Image{image.sha256, nullptr});
        if (!images_.empty()) now.parts.emplace_back("The current screen:");
        now.parts.emplace_back(vlm::Image{seen_.sha256, nullptr});
    }
    request.messages.push_back(std::move(now));
    if (reminded_) {
        request.messages.push_back(vlm::Message::assistant(
            reply_.empty() ? "(nothing)" : cut_bytes(reply_, team_.context_bytes / 4, true)));
        request.messages.push_back(vlm::Message::user(std::string(
            ignored_call_ == vlm::IgnoredCall::none ? team_reminder
                                                    : reminder_of_text_call(ignored_call_))));
    }
    return request;
}

std::size_t TeamMode::context_bound() const {
    const std::size_t bound = narrow_ ? team_.context_bytes / 2 : team_.context_bytes;
    return std::max(bound, task_.size() + team_.context_bytes / 8);
}

/// The maximum length of instructions: the worker's context contains them completely.
std::size_t TeamMode::brief_bound() const { return (context_bound() - task_.size()) / 3; }

/// The part of the user's messages for which a request has space.
std::string TeamMode::shown_of_heard() const {
    return cut_bytes(heard(), (context_bound() - task_.size()) / 6);
}

/// The section about the worker's latest action, with this text as its result.
std::string TeamMode::last_action(std::string_view result) const {
    const std::size_t share = (context_bound() - task_.size()) / 6;
    if (previous_->tool.empty())
        return cut_bytes(fmt::format("Turn {}: no tool call\nYou said: {}", previous_->turn,
                                     one_line(previous_->reply)),
                         share, true);
    std::string text =
        fmt::format("Turn {}: {}", previous_->turn, cut_bytes(previous_->call, share / 4, true));
    if (!previous_reason_.empty())
        text += "\nReason: " + cut_bytes(previous_reason_, share / 4, true);
    text += fmt::format("\nResult: {}", result);
    if (!previous_->reply.empty())
        text += "\nYou said: " + cut_bytes(one_line(previous_->reply), share / 4, true);
    return text;
}

/// The context of the role, at most `context_bytes`: the unchanging parts first. Evidence for the
/// lead and the results of reading tools get the space that the other sections leave.
std::string TeamMode::context() const {
    const std::size_t max = context_bound();
    const std::size_t share = (max - task_.size()) / 6;
    const bool shows_last_action = !leads_ && team_.previous_action && previous_;
    std::string result;
    std::string claim;
    std::string report;
    const auto sections_but_memory = [&] {
        Sections sections;
        sections.add("TASK", task_);
        sections.add("PLAN",
                     cut_bytes(plan_, std::min(team_.plan_bytes, share), team_.plan_ellipsis));
        if (!leads_) sections.add("INSTRUCTIONS", brief_);
        if (shows_last_action) sections.add("LAST ACTION", last_action(result));
        sections.add("NOW", fmt::format("{}, turn {} of {}", role().phase, turn_, max_turns_));
        if (leads_ && compression_asked_)
            sections.add("MEMORY IS FULL",
                         fmt::format("{} actions are active. Archive finished turns first.",
                                     memory_->active()));
        if (!leads_) sections.add("SCREENSHOT", words_on_zoom(seen_, numbers_));
        sections.add("CLAIM", claim);
        sections.add("REPORT", report);
        sections.add("THE USER SAYS", shown_of_heard());
        sections.add("NOTE", cut_bytes(told(), share, true));
        if (leads_)
            sections.add("INSTRUCTIONS TO SHORTEN", cut_bytes(long_brief_, 2 * share, true));
        return sections;
    };
    // With a sixth left for memory.
    const auto cut_to_room = [&](const std::string& text) {
        const std::size_t used = sections_but_memory().text().size() + share;
        return cut_bytes(text, used < max ? max - used : 0, true);
    };
    const std::string heading = "MEMORY";
    const auto memory = [&] {
        const std::size_t used = sections_but_memory().text().size() + heading.size() + 3;
        return used < max ? memory_->context(max - used) : std::string();
    };
    if (leads_ && !claim_.empty())
        claim = cut_to_room("The worker says that the task is done. Evidence: " + claim_);
    if (leads_) report = cut_to_room(report_);
    std::string remembered;
    if (shows_last_action && previous_->complete) {
        result = fmt::format("see turn {} in MEMORY", previous_->turn);
        remembered = memory();
        if (remembered.find(previous_->outcome) == std::string::npos) {
            result.clear();
            result = cut_to_room(previous_->outcome);
            remembered = memory();
        }
    } else {
        if (shows_last_action) result = cut_bytes(previous_->outcome, share, true);
        remembered = memory();
    }
    Sections sections = sections_but_memory();
    sections.add(heading, remembered);
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
    without_effect_.reset();
    if (const auto effect = effect_.shown_by(fact)) set_effect(*effect);
    seen_ = fact;
    if (std::exchange(goes_on_, false)) {
        step_ = Step::acting;
        return;
    }
    shown_ = std::exchange(wanted_, std::nullopt);
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
        images_.clear();
        const std::size_t all = calls_.size();
        choose_calls();
        if (refused_calls_ > 0)
            note("refused", fmt::format("one call per turn: {} of {} calls were not executed",
                                        refused_calls_, all));
        step_ = Step::acting;
        return;
    }
    if (!reminded_) {
        reminded_ = true;
        ignored_call_ = fact.reply.ignored_call;
        note("reminder", ignored_call_ == vlm::IgnoredCall::none
                             ? "the reply had no tool call"
                             : "a tool call in the text of the reply was not executed");
        return; // the mode asks again
    }
    note("refused", "a turn without a tool call");
    if (leads_) {
        end_lead_turn();
    } else {
        images_.clear();
        previous_ = ActionRecord{turn_, {}, {}, {}, seen_.file, reply_, false};
        previous_reason_.clear();
        effect_.forget();
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
    images_.clear();
    memory_->compress();
    note("context", "the request was longer than the model's context: memory was compressed, and "
                    "further contexts are half as long");
    if (leads_ || brief_.size() <= brief_bound()) return;
    lead_told_ = fmt::format("The model's context is shorter than expected: the {} can receive "
                             "instructions of at most {} bytes. Shorten them and call {} again.",
                             team_.worker.name, brief_bound(), offered_.brief);
    long_brief_ = brief_;
    switch_to_lead("the instructions are too long for the model's context");
    compression_asked_ = memory_->needs_compression();
}

/// Leaves the calls to execute: the first one, or all of the worker; and of the lead also one that
/// archives turns besides one that briefs.
void TeamMode::choose_calls() {
    refused_calls_ = 0;
    if (!leads_ && several_calls_ == SeveralCalls::all) return;
    const std::size_t all = calls_.size();
    const std::string first = calls_.front().name;
    std::string second;
    if (leads_ && !offered_.archive.empty() && first == offered_.brief) second = offered_.archive;
    if (leads_ && !offered_.archive.empty() && first == offered_.archive) second = offered_.brief;
    auto other = calls_.end();
    if (!second.empty())
        other = std::find_if(calls_.begin(), calls_.end(),
                             [&](const vlm::ToolCall& call) { return call.name == second; });
    if (other != calls_.end()) std::iter_swap(std::next(calls_.begin()), other);
    calls_.resize(other != calls_.end() ? 2 : 1);
    refused_calls_ = all - calls_.size();
}

void TeamMode::on(const Invoked& fact) {
    if (!fact.desktop_failure.empty()) {
        record(fact);
        finish(Outcome::desktop_failed, fact.desktop_failure);
    } else if (leads_) {
        take_lead_call(fact);
    } else {
        images_.insert(images_.end(), fact.images.begin(), fact.images.end());
        take_worker_call(fact);
    }
}

void TeamMode::take_lead_call(const Invoked& fact) {
    std::string problem;
    if (const auto* brief = std::get_if<Brief>(&fact.signal)) {
        problem = take_brief(*brief);
    } else if (const auto* archive = std::get_if<Archive>(&fact.signal)) {
        problem = memory_->archive(archive->summary, archive->patterns, archive->turns);
        archived_now_ = problem.empty();
        if (problem.empty())
            note("memory", fmt::format("{} actions archived, {} active", memory_->archived(),
                                       memory_->active()));
    } else if (const auto* verdict = std::get_if<Verdict>(&fact.signal)) {
        if (verdict->confirmed && !claim_.empty()) {
            finish(Outcome::completed, claim_);
            return;
        }
        if (claim_.empty()) problem = "there is no claim to confirm";
        claim_.clear();
    }
    if (!problem.empty()) note("refused", problem);
    if (!fact.ok) problem = result_in_words(fact.result_json).result;
    if (!problem.empty()) {
        if (!refusals_.empty()) refusals_ += '\n';
        refusals_ += fmt::format("Your call of {} was refused: {}", calls_.front().name, problem);
    }
    calls_.erase(calls_.begin());
    if (!calls_.empty()) return; // the other call of this reply follows
    std::string told = words_on_refused_calls();
    if (!told.empty() && !refusals_.empty()) told += '\n';
    told += std::exchange(refusals_, {});
    end_lead_turn();
    lead_told_ = std::move(told);
    if (std::exchange(briefed_now_, false)) {
        claim_.clear();
        report_.clear();
        leads_ = false;
        note("phase", fmt::format("{}: the {} has its instructions", role().phase, role().name));
    }
    begin_turn();
}

/// Returns a problem for the lead, or an empty text.
std::string TeamMode::take_brief(const Brief& brief) {
    std::string instructions(trim(brief.instructions));
    if (instructions.size() > brief_bound()) {
        std::string problem = fmt::format(
            "the instructions are {} bytes long, and the {} can receive at most {}: shorten them "
            "and call {} again",
            instructions.size(), team_.worker.name, brief_bound(), offered_.brief);
        long_brief_ = std::move(instructions);
        return problem;
    }
    // A server that enforces a call may suppress the text in which the lead writes its plan.
    if (reply_.empty() && (must_plan() || plan_.empty())) plan_ = trim(brief.rationale);
    brief_ = std::move(instructions);
    long_brief_.clear();
    briefed_now_ = true;
    return {};
}

/// Empty if all calls of the reply were executed.
std::string TeamMode::words_on_refused_calls() const {
    if (refused_calls_ == 0) return {};
    std::string words =
        fmt::format("Only your first call was processed, {} more were refused: one call per turn",
                    refused_calls_);
    if (leads_ && !offered_.archive.empty())
        words += fmt::format(", or {} and {} together", offered_.archive, offered_.brief);
    return words + '.';
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
    const vlm::ToolCall& call = calls_.front();
    const auto arguments = offered_.arguments.find(call.name);
    CallWords words =
        call_in_words(call, arguments == offered_.arguments.end() ? nullptr : &arguments->second,
                      offered_.coordinates ? &*offered_.coordinates : nullptr);
    const std::string result = with_effect(fact.result_json, fact.effect);
    ResultWords outcome =
        fact.reads ? result_in_words(result) : result_in_words(result, call.arguments_json);
    const bool denied = outcome.error_type == "denied" || outcome.error_type == "refused";
    previous_ = ActionRecord{.turn = turn_,
                             .tool = fact.tool,
                             .arguments = call.arguments_json,
                             .result = result,
                             .screenshot = seen_.file,
                             .reply = reply_,
                             .call = std::move(words.call),
                             .outcome = std::move(outcome.result),
                             .complete = fact.reads || denied};
    previous_reason_ = std::move(words.reason);
    effect_.invoked(fact);
    memory_->add(*previous_);
}

void TeamMode::set_effect(winio::ActionEffect effect) {
    if (effect == winio::ActionEffect::no_visible_change) without_effect_ = previous_;
    const std::string result = with_effect(previous_->result, effect);
    previous_->outcome = previous_->complete ? result_in_words(result).result
                                             : result_in_words(result, previous_->arguments).result;
    previous_->result = result;
    memory_->update(*previous_);
}

/// A late change is perhaps the effect of the latest action: the record of no effect is removed.
void TeamMode::revise(const Observed& seen) {
    loops_.revise(seen.still);
    seen_ = seen;
    if (seen.still || !without_effect_) return;
    previous_ = std::exchange(without_effect_, std::nullopt);
    memory_->update(*previous_);
}

void TeamMode::take_worker_call(const Invoked& fact) {
    record(fact);
    wanted_.reset();
    if (fact.ok && fact.zoom) wanted_ = Zoom{.region = *fact.zoom};
    worker_told_ = words_on_refused_calls();
    // A repeated mistake is also a loop; a screen that changes is not the model's mistake.
    if (fact.stale)
        max_turns_ += free_turns_.grant();
    else
        loops_.acted(as_tried(fact, calls_.front().arguments_json));
    if (const auto* progress = std::get_if<Progress>(&fact.signal)) {
        const auto asks_for_review = [&](const std::string& status) {
            return equals_ignoring_case(status, trim(progress->status));
        };
        if (std::any_of(team_.review_statuses.begin(), team_.review_statuses.end(),
                        asks_for_review)) {
            needs_review_ = true;
            report_ = fmt::format("Turn {}: {} is {}.\nEvidence: {}", turn_,
                                  one_line(progress->objective), one_line(progress->status),
                                  trim(progress->evidence));
        }
    } else if (const auto* completion = std::get_if<Completion>(&fact.signal)) {
        if (!team_.review_completion) {
            finish(Outcome::completed, completion->evidence);
            return;
        }
        claim_ = completion->evidence;
    }
    if (goes_on_after(fact)) return;
    begin_turn();
}

/// Whether another call of the worker's reply follows in the same turn.
bool TeamMode::goes_on_after(const Invoked& fact) {
    if (several_calls_ != SeveralCalls::all || calls_.size() < 2) return false;
    if (!fact.ok || fact.stale || needs_review_ || !claim_.empty()) {
        worker_told_ =
            fmt::format("{} further actions of your reply were not carried out", calls_.size() - 1);
        return false;
    }
    calls_.erase(calls_.begin());
    goes_on_ = looks_between_ && fact.action.acts;
    step_ = goes_on_ ? Step::observing : Step::acting;
    return true;
}

void TeamMode::on(const UserMessage& fact) {
    if (fact.kind != UserMessage::Kind::words) return; // this mode takes no injected replies
    bool dropped = false;
    for (std::string* heard : {&lead_heard_, &worker_heard_}) {
        if (!heard->empty()) *heard += '\n';
        *heard += fact.text;
        if (heard->size() <= max_heard) continue;
        // The newest messages count most.
        heard->erase(0, heard->find('\n', heard->size() - max_heard) + 1);
        dropped = true;
    }
    if (dropped)
        note("refused", "too many messages of the user wait: the oldest ones were dropped");
    if (!leads_ || step_ != Step::asking) needs_review_ = true; // the lead must consider it
    if (step_ != Step::finished || finish_.outcome != Outcome::completed || turn_ >= max_turns_)
        return;
    begin_turn(); // the task counted as done only because there was no further message
}

void TeamMode::on(const Stopped& fact) {
    // A run that has ended keeps its outcome, unless it only used up its turns.
    if (step_ == Step::finished && finish_.outcome != Outcome::steps_used_up) return;
    finish(outcome_of(fact), fact.reason);
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
    wanted_.reset(); // the instructions may change
    needs_review_ = false;
    note("phase", fmt::format("{}: {}", role().phase, reason));
}

void TeamMode::finish(Outcome outcome, std::string reason) {
    finish_ = {outcome, std::move(reason)};
    step_ = Step::finished;
}

} // namespace eyehand::agent
