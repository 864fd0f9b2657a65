#include "page_state.hpp"

#include "base/text.hpp"
#include "page_json.hpp"

#include <limits>
#include <string_view>
#include <utility>
#include <variant>

namespace eyehand::panel {
namespace {

// Limits for the data of a page; the files of the run contain everything.
constexpr std::size_t max_text = 16384;
constexpr std::size_t max_streamed = 65536;
constexpr std::size_t max_messages = 500;
constexpr std::size_t max_progress = 200; // characters

constexpr agent::RunViewLimits limits{.turns = PageState::max_turns,
                                      .items_per_turn = PageState::max_items,
                                      .messages_per_request = max_messages,
                                      .text_bytes = max_text,
                                      .streamed_bytes = max_streamed};
constexpr page::JsonLimits json_limits{.text_bytes = max_text};

using page::points_json;

std::string_view word_for(agent::Activity activity) {
    switch (activity) {
    case agent::Activity::idle:
        return "idle";
    case agent::Activity::observing:
        return "capturing";
    case agent::Activity::asking:
        return "calling_model";
    case agent::Activity::acting:
    case agent::Activity::recovering:
        return "executing";
    case agent::Activity::awaiting_reply:
        return "waiting_inject";
    case agent::Activity::finished:
        break;
    }
    return "finished";
}

} // namespace

PageState::PageState(std::string run, const agent::Profile& profile)
    : run_(std::move(run)), view_(profile, limits),
      begins_with_reply_(agent::mode_of(profile).traits().turn_start ==
                         agent::ModeTraits::TurnStart::reply),
      profile_(profile.name) {}

// ---- input from the run -------------------------------------------------------------------------

void PageState::apply(const agent::Event& event) {
    agent::visit(
        event, [&](const agent::RunStarted& it) { profile_ = it.profile; },
        [&](const agent::RunResumed&) { over_ = false; },
        [&](const agent::Observe& it) { annotation_ = it.annotation; },
        [&](const agent::Observed& it) {
            if (!it.raw_file.empty()) annotated_ = event.turn;
        },
        [&](const agent::Asked&) {
            words_turn_ = begins_with_reply_ && event.turn < (std::numeric_limits<int>::max)()
                              ? event.turn + 1
                              : event.turn;
        },
        [&](const agent::StateChanged&) { memory_is_known_ = true; },
        [&](const agent::RunFinished&) { over_ = true; }, [](const auto&) {});
    view_.apply(event);
    progress_.clear();
    const bool begins_turn = std::holds_alternative<agent::Observe>(event.payload) ||
                             std::holds_alternative<agent::Invoke>(event.payload);
    if (begins_turn) reply_ = view_.state().reply;
}

void PageState::apply(const agent::ModeState& state) {
    view_.apply(state);
    memory_is_known_ = true;
    reply_ = state.reply;
}

void PageState::apply(const vlm::Delta& delta) {
    view_.apply(vlm::Delta{delta.kind, agent::to_valid_utf8(delta.text)});
}

void PageState::apply(const agent::ToolProgress& progress) {
    progress_ = agent::shorten(agent::to_valid_utf8(description(progress)), max_progress);
}

void PageState::apply(const agent::RunStatus& status) { status_ = status; }

PageState::PageState(PageState& other)
    : seq(other.seq), run_(other.run_), view_(other.view_.snapshot()),
      begins_with_reply_(other.begins_with_reply_), controlled_(other.controlled_),
      over_(other.over_), followed_(other.followed_), memory_is_known_(other.memory_is_known_),
      profile_(other.profile_), annotated_(other.annotated_), reply_(other.reply_),
      annotation_(other.annotation_), status_(other.status_), words_turn_(other.words_turn_),
      progress_(other.progress_) {}

PageState PageState::snapshot() { return PageState(*this); }

// ---- the state ----------------------------------------------------------------------------------

std::string PageState::phase() const {
    if (view_.finished() != nullptr) return "finished";
    if (run_.empty()) return "idle";
    if (!live()) return followed_ ? "following" : "interrupted";
    if (status_.annotation_request) return "waiting_annotated";
    if (status_.held) return "paused";
    if (status_.for_reply) return "waiting_inject";
    return std::string(word_for(view_.activity()));
}

json::value PageState::screenshot_json(const agent::ScreenshotView* screenshot) const {
    if (screenshot == nullptr) return nullptr;
    json::object all = page::to_json(*screenshot, json_limits);
    const std::string url = "/picture/" + run_ + "/" + std::to_string(screenshot->index);
    all["url"] = screenshot->look.file.empty() ? url + "/raw" : url;
    all["raw_url"] = page::is_annotated(*screenshot) ? url + "/raw" : url;
    return all;
}

json::value PageState::latest_screenshot_json() const {
    const auto latest = view_.screenshot();
    if (!status_.annotation_request) return screenshot_json(latest.get());
    agent::ScreenshotView wanted;
    wanted.index = latest ? latest->index + 1 : 1;
    wanted.number = status_.annotation_request->turn;
    wanted.look.size = status_.annotation_request->size;
    wanted.annotation = annotation_;
    if (latest) wanted.look.area = latest->look.area;
    return screenshot_json(&wanted);
}

/// The targets of the latest call.
json::array PageState::targets() const {
    for (std::size_t i = view_.turn_count(); i-- > 0;) {
        const auto& items = view_.turn(i).items;
        for (auto item = items.rbegin(); item != items.rend(); ++item)
            if (const auto* call = std::get_if<agent::CallView>(&*item))
                return points_json(call->action.points);
    }
    return {};
}

json::object PageState::to_json(const agent::TurnView& turn) const {
    const auto screenshot = [&](const agent::ScreenshotView& one) { return screenshot_json(&one); };
    return page::to_json(turn, screenshot, json_limits);
}

namespace {

/// For the user: what calls, and the guard's reason.
std::string words_on(const agent::ApprovalRequest& question) {
    if (question.reason.empty()) return question.text;
    const std::string guard = question.reason + " (" + question.rule + ")";
    return question.text.empty() ? guard : question.text + ": " + guard;
}

} // namespace

json::object PageState::to_json() const {
    json::array questions;
    for (const agent::ApprovalRequest& question : status_.approval_requests)
        questions.push_back(
            json::object{{"id", question.id},
                         {"turn", question.turn},
                         {"tool", agent::to_valid_utf8(question.tool)},
                         {"arguments", agent::to_valid_utf8(question.arguments_json)},
                         {"text", agent::to_valid_utf8(words_on(question))},
                         {"points", points_json(question.points)}});
    json::value wanted;
    if (status_.annotation_request)
        wanted = json::object{{"seq", status_.annotation_request->turn},
                              {"width", status_.annotation_request->size.width},
                              {"height", status_.annotation_request->size.height}};
    const auto parsed = reply_ ? agent::parse_json(agent::to_json(*reply_)) : std::nullopt;
    const json::object reply =
        parsed && parsed->is_object() ? parsed->get_object() : json::object();
    const agent::ModeState& state = view_.state();
    // Of a run without recorded states, the numbers follow from its other events.
    const bool memory_is_known =
        memory_is_known_ || state.active_actions + state.archived_actions > 0;
    const auto memory = [&](std::size_t actions) {
        return memory_is_known ? json::value(actions) : json::value();
    };
    const bool is_live = live();
    json::object all = page::to_json(view_);
    json::object live_json{
        {"phase", phase()},
        // Names for compatibility with clients of other panels.
        {"msg_id", state.turn},
        {"pending_seq", status_.annotation_request ? status_.annotation_request->turn : state.turn},
        {"annotated_seq", annotated_},
        {"raw_b64", nullptr},
        {"bboxes", reply.contains("bboxes") ? reply.at("bboxes") : json::array()},
        {"actions", reply.contains("actions") ? reply.at("actions") : json::array()},
        {"observation", reply_ ? agent::to_valid_utf8(reply_->observation) : std::string()},
        {"vlm_json", reply_ ? reply_->text : std::string()},
        {"progress", progress_},
        {"run", run_},
        {"profile", agent::to_valid_utf8(profile_)},
        {"mode", run_.empty() ? std::string() : view_.profile().mode},
        {"memory", json::object{{"active", memory(state.active_actions)},
                                {"archived", memory(state.archived_actions)}}},
        {"paused", is_live && status_.paused},
        {"held", is_live && status_.held},
        {"taken_over", is_live && status_.taken_over},
        {"stopping", is_live && status_.stopping},
        {"live", is_live},
        {"takes_replies", is_live && status_.takes_replies},
        {"for_reply", is_live && status_.for_reply},
        {"questions", std::move(questions)},
        {"wanted", std::move(wanted)},
        {"picture", latest_screenshot_json()},
        // An approval request already shows its targets.
        {"targets", status_.approval_requests.empty()
                        ? targets()
                        : points_json(status_.approval_requests.front().points)},
        {"text", view_.streamed_text()},
        {"reasoning", view_.streamed_reasoning()},
        {"seq", seq}};
    for (auto& [name, value] : live_json) all[name] = std::move(value);
    return all;
}

} // namespace eyehand::panel
