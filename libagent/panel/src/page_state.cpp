#include "page_state.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace eyehand::panel {
namespace {

// What one run may make a page hold; the run's own files have all of it.
constexpr std::size_t max_words = 16384;
constexpr std::size_t max_result = 8192;
constexpr std::size_t max_streamed = 65536;
constexpr std::size_t max_notes = 50; // a turn
constexpr std::size_t max_points = 100;
constexpr std::size_t max_name = 1024;
// A turn may be counted up.
constexpr int max_turn = 1'000'000'000;

constexpr std::array reply_figures{"prompt_tokens", "cached_tokens", "completion_tokens", "wait_ms",
                                   "model_ms"};
constexpr std::array look_figures{"settle_ms", "capture_ms", "scale_ms", "encode_ms",
                                  "annotate_ms"};

// ---- members that may be missing ----------------------------------------------------------------

std::string text_at(const json::object& entry, std::string_view name) {
    const json::value* text = entry.if_contains(name);
    if (text == nullptr || !text->is_string()) return {};
    return agent::to_valid_utf8({text->get_string().data(), text->get_string().size()});
}

int int_at(const json::object& entry, std::string_view name, int otherwise = 0) {
    const json::value* number = entry.if_contains(name);
    if (number == nullptr) return otherwise;
    json::error_code error;
    const int value = number->to_number<int>(error);
    return error ? otherwise : value;
}

json::value number_at(const json::object& entry, std::string_view name) {
    const json::value* number = entry.if_contains(name);
    return number != nullptr && number->is_number() ? *number : json::value();
}

/// A number that a stranger's journal holds may be too large for a sum.
void add(json::value& total, const json::value& more) {
    json::error_code error;
    const auto number = more.to_number<std::int32_t>(error);
    if (!error) total = (total.is_int64() ? total.get_int64() : 0) + number;
}

json::array array_at(const json::object& entry, std::string_view name) {
    const json::value* value = entry.if_contains(name);
    return value != nullptr && value->is_array() ? value->get_array() : json::array();
}

json::object object_at(const json::object& entry, std::string_view name) {
    const json::value* value = entry.if_contains(name);
    return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

json::value or_null(const std::string& text) {
    return text.empty() ? json::value() : json::value(text);
}

json::array points_json(const std::vector<winio::NormPoint>& points) {
    json::array all;
    for (const winio::NormPoint& point : points) all.emplace_back(json::array{point.x, point.y});
    return all;
}

std::string cut(std::string_view text, std::size_t max) {
    return agent::cut_bytes(text, max, true);
}

void append_some(std::string& all, std::string_view more) {
    if (all.size() < max_streamed) all += agent::to_valid_utf8(more);
}

} // namespace

PageState::PageState(std::string run, const agent::Profile& profile)
    : run_(std::move(run)), profile_(profile.name), settings_(profile),
      traits_(agent::mode_of(profile).traits()),
      derived_(agent::mode_of(profile).initial_state(profile)), model_(profile.model),
      reply_to_come_(derived_.reply) {}

// ---- what a run tells ---------------------------------------------------------------------------

void PageState::apply(const agent::Event& event) {
    const auto entry = agent::parse_json(event.line);
    if (!entry || !entry->is_object()) return;
    const std::shared_ptr<const agent::VisualReply> reply = derived_.reply;
    const auto* changed = std::get_if<agent::StateChanged>(&event.payload);
    if (changed != nullptr) {
        derived_ = changed->state;
        derived_.reply = reply;
    } else {
        agent::mode_of(settings_).derive_state(settings_, event, derived_);
    }
    if (derived_.reply != reply) reply_to_come_ = derived_.reply;
    show_state(derived_);
    if (changed != nullptr) show_memory(derived_);
    apply_entry(entry->get_object());
}

/// What a live run tells by itself before each command is derived for all others.
void PageState::show_state(const agent::ModeState& state) {
    mode_phase_ = agent::to_valid_utf8(state.phase);
    if (!state.role.empty()) role_ = state.role;
    plan_ = agent::to_valid_utf8(state.plan);
    brief_ = agent::to_valid_utf8(state.brief);
}

/// Journals of version 0.1 do not hold it.
void PageState::show_memory(const agent::ModeState& state) {
    active_ = state.active_actions;
    archived_ = state.archived_actions;
}

void PageState::apply_entry(const json::object& entry) {
    const std::string type = text_at(entry, "type");
    const int turn = std::clamp(int_at(entry, "turn", turn_), -max_turn, max_turn);
    turn_ = turn;
    if (type == "run_started") return on_started(entry);
    if (type == "run_resumed") {
        outcome_ = nullptr;
        over_ = false;
        error_.clear();
    } else if (type == "observe") {
        doing_ = "capturing";
        begin_reply(turn);
        // Of a conversation: the turn that will see it.
        screenshot_ = int_at(entry, "screenshot", turn);
        const json::value* annotation = entry.if_contains("annotation");
        annotation_ = annotation == nullptr ? json::value() : *annotation;
    } else if (type == "ask") {
        on_asked(entry, turn);
    } else if (type == "invoke") {
        on_invoke(entry, turn);
    } else if (type == "recover") {
        doing_ = "executing";
        note(turn, "recovery", text_at(entry, "why"));
    } else if (type == "await") {
        doing_ = "waiting_inject";
    } else if (type == "finish") {
        doing_ = "finished";
    } else if (type == "observed") {
        on_observed(entry, turn);
    } else if (type == "observe_failed" || type == "ask_failed") {
        error_ = text_at(entry, "message");
        note(turn, "error", error_);
    } else if (type == "replied") {
        on_replied(entry, turn);
    } else if (type == "invoked") {
        on_invoked(entry, turn);
    } else if (type == "recovered") {
        if (const std::string problem = text_at(entry, "problem"); !problem.empty())
            note(turn, "error", problem);
    } else if (type == "told") {
        on_told(entry, turn);
    } else if (type == "stopped") {
        note(turn, "stopped", text_at(entry, "why"));
    } else if (type == "noted") {
        const std::string text = text_at(entry, "text");
        const std::string kind = text_at(entry, "kind");
        note(turn, kind, text);
    } else if (type == "run_finished") {
        on_finished(entry);
    }
}

void PageState::on_started(const json::object& entry) {
    task_ = text_at(entry, "task");
    profile_ = text_at(entry, "profile");
    model_ = text_at(entry, "model");
}

/// The turn to which a request of this turn, and its reply, belong.
int PageState::turn_of_reply(int turn) const {
    return traits_.turn_start == agent::ModeTraits::TurnStart::reply ? turn + 1 : turn;
}

/// Some modes begin a turn with a reply.
void PageState::begin_reply(int turn) {
    if (!reply_to_come_) return;
    reply_ = std::exchange(reply_to_come_, nullptr);
    ShownTurn& shown = change(turn);
    if (shown.words.empty()) shown.words = cut(reply_->text, max_words);
}

void PageState::on_asked(const json::object& entry, int turn) {
    doing_ = "calling_model";
    role_ = text_at(entry, "role");
    words_turn_ = turn_of_reply(turn);
    text_.clear();
    reasoning_.clear();
    if (words_turn_ != turn) return;
    ShownTurn& shown = change(turn);
    shown.role = role_;
    shown.phase = mode_phase_;
}

void PageState::on_replied(const json::object& entry, int turn) {
    error_.clear();
    text_.clear();
    reasoning_.clear();
    const std::string text = text_at(entry, "text");
    if (const std::string model = text_at(entry, "model"); !model.empty()) model_ = model;
    const int of_turn = turn_of_reply(turn);
    ShownTurn& shown = change(of_turn);
    shown.role = role_;
    shown.words = cut(text, max_words);
    shown.reasoning = cut(text_at(entry, "reasoning"), max_words);
    for (const char* name : reply_figures) shown.figures[name] = number_at(entry, name);
    add(prompt_tokens_, number_at(entry, "prompt_tokens"));
    add(completion_tokens_, number_at(entry, "completion_tokens"));
    for (const json::value& told : array_at(entry, "notes"))
        if (told.is_string()) note(of_turn, "reply", json::value_to<std::string>(told));
}

void PageState::on_invoke(const json::object& entry, int turn) {
    doing_ = "executing";
    begin_reply(turn);
    targets_.clear();
    std::vector<ShownCall>& calls = change(turn).calls;
    if (calls.size() < max_calls)
        calls.push_back({.id = cut(text_at(entry, "call_id"), max_name),
                         .tool = cut(text_at(entry, "tool"), max_name),
                         .arguments = cut(text_at(entry, "arguments"), max_result)});
}

void PageState::on_invoked(const json::object& entry, int turn) {
    ShownTurn& shown = change(turn);
    const std::string id = cut(text_at(entry, "call_id"), max_name);
    const auto last =
        std::find_if(shown.calls.rbegin(), shown.calls.rend(),
                     [&](const ShownCall& call) { return call.id == id && !call.ok; });
    if (last == shown.calls.rend()) return; // it belongs to a turn that is shown no more
    const json::value* ok = entry.if_contains("ok");
    last->ok = ok != nullptr && ok->is_bool() && ok->get_bool();
    last->result = cut(text_at(entry, "result"), max_result);
    last->act_ms = number_at(entry, "act_ms");
    last->policy_ms = number_at(entry, "policy_ms");
    last->points = array_at(object_at(entry, "action"), "points");
    if (last->points.size() > max_points) last->points.resize(max_points);
    targets_ = last->points;
    if (const std::string failure = text_at(entry, "desktop_failure"); !failure.empty())
        error_ = failure;
}

void PageState::on_observed(const json::object& entry, int turn) {
    error_.clear();
    const bool drawn = entry.contains("raw_file");
    picture_ = {.number = picture_.number + 1,
                .turn = screenshot_,
                .size = {int_at(entry, "width"), int_at(entry, "height")},
                .file = text_at(entry, "file"),
                .raw_file = text_at(entry, "raw_file"),
                .annotation = drawn ? annotation_ : json::value(),
                .changed = array_at(entry, "changed"),
                .area = array_at(entry, "area"),
                .pointer = entry.contains("pointer") ? entry.at("pointer") : json::value()};
    if (drawn) annotated_ = turn;
    ShownTurn& shown = change(screenshot_);
    shown.picture = picture_;
    for (const char* name : look_figures) shown.figures[name] = number_at(entry, name);
}

void PageState::on_told(const json::object& entry, int turn) {
    const std::string text = text_at(entry, "text");
    const bool is_reply = text_at(entry, "kind") == "reply";
    note(turn, is_reply ? "reply" : "told", text);
}

void PageState::on_finished(const json::object& entry) {
    doing_ = "finished";
    json::object outcome{{"outcome", text_at(entry, "outcome")},
                         {"why", text_at(entry, "why")},
                         {"turns", int_at(entry, "turns")}};
    for (const char* name : {"prompt_tokens", "cached_tokens", "completion_tokens", "elapsed_ms"})
        outcome[name] = number_at(entry, name);
    outcome_ = std::move(outcome);
    over_ = true;
}

void PageState::apply(const agent::ModeState& state) {
    turn_ = state.turn;
    derived_ = state;
    reply_ = state.reply;
    show_state(state);
    show_memory(state);
}

void PageState::apply(const vlm::Delta& delta) {
    if (delta.kind == vlm::Delta::Kind::text) append_some(text_, delta.text);
    if (delta.kind == vlm::Delta::Kind::reasoning) append_some(reasoning_, delta.text);
}

void PageState::apply(const agent::RunStatus& waiting) { waiting_ = waiting; }

PageState PageState::snapshot() {
    own_.clear();
    return *this;
}

ShownTurn& PageState::change(int turn) {
    if (const auto own = own_.find(turn); own != own_.end()) return *own->second;
    const auto at = std::lower_bound(turns_.begin(), turns_.end(), turn,
                                     [](const std::shared_ptr<const ShownTurn>& shown, int wanted) {
                                         return shown->turn < wanted;
                                     });
    const bool known = at != turns_.end() && (*at)->turn == turn;
    auto own = known ? std::make_shared<ShownTurn>(**at) : std::make_shared<ShownTurn>();
    own->turn = turn;
    ShownTurn& changed = *own;
    own_[turn] = own;
    if (known)
        *at = std::move(own);
    else
        turns_.insert(at, std::move(own));
    if (turns_.size() > max_turns) {
        // Never the one that is about to be changed, even where a journal counts backwards.
        const auto gone =
            turns_.front().get() == &changed ? std::next(turns_.begin()) : turns_.begin();
        own_.erase((*gone)->turn);
        turns_.erase(gone);
    }
    return changed;
}

void PageState::note(int turn, std::string kind, const std::string& text) {
    json::array& notes = change(turn).notes;
    if (notes.size() < max_notes)
        notes.push_back(json::object{{"kind", std::move(kind)}, {"text", cut(text, max_result)}});
}

// ---- what is shown ------------------------------------------------------------------------------

std::string PageState::phase() const {
    if (outcome_.is_object()) return "finished";
    if (run_.empty()) return doing_;
    if (!live()) return followed_ ? "following" : "interrupted";
    if (waiting_.picture) return "waiting_annotated";
    if (waiting_.held) return "paused";
    if (waiting_.for_reply) return "waiting_inject";
    return doing_;
}

json::value PageState::picture_json(const ShownPicture& picture) const {
    if (picture.number == 0) return nullptr;
    const std::string url = "/picture/" + run_ + "/" + std::to_string(picture.number);
    // One that waits for its annotation has only the other.
    const bool has_own = !picture.file.empty();
    const bool is_drawn = !has_own || !picture.raw_file.empty();
    return json::object{{"turn", picture.turn},
                        {"n", picture.number},
                        {"url", has_own ? url : url + "/raw"},
                        {"raw_url", is_drawn ? url + "/raw" : url},
                        {"width", picture.size.width},
                        {"height", picture.size.height},
                        {"annotation", picture.annotation},
                        {"changed", picture.changed},
                        {"area", picture.area},
                        {"pointer", picture.pointer}};
}

json::value PageState::latest_picture_json() const {
    if (!waiting_.picture) return picture_json(picture_);
    return picture_json({.number = picture_.number + 1,
                         .turn = waiting_.picture->turn,
                         .size = waiting_.picture->size,
                         .annotation = annotation_,
                         .area = picture_.area});
}

json::object PageState::to_json(const ShownTurn& turn) const {
    json::array calls;
    for (const ShownCall& call : turn.calls)
        calls.push_back(json::object{{"id", call.id},
                                     {"tool", call.tool},
                                     {"arguments", call.arguments},
                                     {"ok", call.ok ? json::value(*call.ok) : json::value()},
                                     {"result", call.result},
                                     {"act_ms", call.act_ms},
                                     {"policy_ms", call.policy_ms},
                                     {"points", call.points}});
    json::object all{{"turn", turn.turn},   {"role", turn.role},
                     {"phase", turn.phase}, {"calls", std::move(calls)},
                     {"words", turn.words}, {"reasoning", turn.reasoning},
                     {"notes", turn.notes}, {"picture", picture_json(turn.picture)}};
    for (const char* name : reply_figures) all[name] = number_at(turn.figures, name);
    for (const char* name : look_figures) all[name] = number_at(turn.figures, name);
    return all;
}

json::object PageState::to_json() const {
    json::array questions;
    for (const agent::ApprovalRequest& question : waiting_.questions)
        questions.push_back(
            json::object{{"id", question.id},
                         {"turn", question.turn},
                         {"tool", agent::to_valid_utf8(question.tool)},
                         {"arguments", agent::to_valid_utf8(question.arguments_json)},
                         {"text", agent::to_valid_utf8(question.text)},
                         {"points", points_json(question.points)}});
    json::value wanted;
    if (waiting_.picture)
        wanted = json::object{{"seq", waiting_.picture->turn},
                              {"width", waiting_.picture->size.width},
                              {"height", waiting_.picture->size.height}};
    // What waits for consent is aimed at already.
    const json::array targets =
        waiting_.questions.empty() ? targets_ : points_json(waiting_.questions.front().points);
    const auto parsed = reply_ ? agent::parse_json(agent::to_json(*reply_)) : std::nullopt;
    const json::object reply =
        parsed && parsed->is_object() ? parsed->get_object() : json::object();
    const bool is_live = live();
    return {
        {"phase", phase()},
        {"error", or_null(error_)},
        {"turn", turn_},
        {"msg_id", turn_},
        {"pending_seq", waiting_.picture ? waiting_.picture->turn : turn_},
        {"annotated_seq", annotated_},
        {"raw_b64", nullptr},
        {"bboxes", reply.contains("bboxes") ? reply.at("bboxes") : json::array()},
        {"actions", reply.contains("actions") ? reply.at("actions") : json::array()},
        {"observation", reply_ ? agent::to_valid_utf8(reply_->observation) : std::string()},
        {"vlm_json", reply_ ? reply_->text : std::string()},
        {"run", run_},
        {"profile", profile_},
        {"mode", settings_.mode},
        {"mode_phase", mode_phase_},
        {"model", model_},
        {"task", task_},
        {"role", role_},
        {"plan", plan_},
        {"brief", brief_},
        {"memory", json::object{{"active", active_}, {"archived", archived_}}},
        {"paused", is_live && waiting_.paused},
        {"held", is_live && waiting_.held},
        {"stopping", is_live && waiting_.stopping},
        {"live", is_live},
        {"takes_replies", is_live && waiting_.takes_replies},
        {"for_reply", is_live && waiting_.for_reply},
        {"outcome", outcome_},
        {"questions", std::move(questions)},
        {"wanted", std::move(wanted)},
        {"picture", latest_picture_json()},
        {"targets", targets},
        {"tokens", json::object{{"prompt", prompt_tokens_}, {"completion", completion_tokens_}}},
        {"text", text_},
        {"reasoning", reasoning_},
        {"seq", seq}};
}

} // namespace eyehand::panel
