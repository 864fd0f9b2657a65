#include "page_state.hpp"

#include "annotation/annotation_json.hpp"
#include "base/text.hpp"

#include <limits>
#include <string_view>
#include <utility>
#include <variant>

namespace eyehand::panel {
namespace {

// What one run may make a page hold; the run's own files have all of it.
constexpr std::size_t max_words = 16384;
constexpr std::size_t max_result = 8192;
constexpr std::size_t max_streamed = 65536;
constexpr std::size_t max_notes = 50; // a turn
constexpr std::size_t max_points = 100;
constexpr std::size_t max_name = 1024;

constexpr agent::RunViewLimits limits{.turns = PageState::max_turns,
                                      .items_per_turn = PageState::max_calls + max_notes,
                                      .text_bytes = max_words,
                                      .streamed_bytes = max_streamed};

json::value or_null(std::string_view text) {
    return text.empty() ? json::value() : json::value(agent::to_valid_utf8(text));
}

json::value or_null(const std::optional<int>& number) {
    return number ? json::value(*number) : json::value();
}

double ms(std::chrono::microseconds duration) {
    return static_cast<double>(duration.count()) / 1000.0;
}

json::array points_json(const std::vector<winio::NormPoint>& points) {
    json::array all;
    for (const winio::NormPoint& point : points) {
        if (all.size() == max_points) break;
        all.emplace_back(json::array{point.x, point.y});
    }
    return all;
}

json::array rect_json(const winio::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

std::string cut(std::string_view text, std::size_t max) {
    return agent::to_valid_utf8(agent::cut_bytes(text, max, true));
}

// ---- a turn -------------------------------------------------------------------------------------

/// The parts of a turn that the page shows, from its items in their order.
struct Shown {
    json::array calls{};
    json::array notes{};
    const vlm::ChatReply* reply = nullptr; ///< the latest one

    void note(std::string_view kind, std::string_view text) {
        if (notes.size() < max_notes)
            notes.push_back(
                json::object{{"kind", cut(kind, max_name)}, {"text", cut(text, max_result)}});
    }
    void operator()(const agent::Replied& it) {
        reply = &it.reply;
        for (const std::string& told : it.reply.notes) note("reply", told);
    }
    void operator()(const agent::CallView& it) {
        if (calls.size() >= PageState::max_calls) return;
        const bool is_over = it.ok.has_value();
        calls.push_back(
            json::object{{"id", cut(it.id, max_name)},
                         {"tool", cut(it.tool, max_name)},
                         {"arguments", cut(it.arguments_json, max_result)},
                         {"ok", is_over ? json::value(*it.ok) : json::value()},
                         {"result", cut(it.result_json, max_result)},
                         {"act_ms", is_over ? json::value(ms(it.act)) : json::value()},
                         {"policy_ms", is_over ? json::value(ms(it.policy)) : json::value()},
                         {"points", points_json(it.action.points)}});
    }
    void operator()(const agent::RecoveryView& it) {
        note("recovery", it.reason);
        if (!it.problem.empty()) note("error", it.problem);
    }
    void operator()(const agent::FailureView& it) { note("error", it.message); }
    void operator()(const agent::Noted& it) { note(it.kind, it.text); }
    void operator()(const agent::UserMessage& it) {
        note(it.kind == agent::UserMessage::Kind::reply ? "reply" : "told", it.text);
    }
    void operator()(const agent::Stopped& it) { note("stopped", it.reason); }
    void operator()(const agent::RunResumed&) {}
};

/// The screenshot with the turn's number.
const agent::ScreenshotView* picture_of(const agent::TurnView& turn) {
    for (const auto* one : {&turn.after, &turn.seen})
        if (*one && (*one)->number == turn.number) return one->get();
    return nullptr;
}

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

json::value outcome_json(const agent::RunFinished* finished) {
    if (finished == nullptr) return nullptr;
    return json::object{{"outcome", to_string(finished->outcome)},
                        {"why", agent::to_valid_utf8(finished->reason)},
                        {"turns", finished->turns},
                        {"prompt_tokens", or_null(finished->usage.prompt_tokens)},
                        {"cached_tokens", or_null(finished->usage.cached_tokens)},
                        {"completion_tokens", or_null(finished->usage.completion_tokens)},
                        {"elapsed_ms", finished->elapsed.count()}};
}

} // namespace

PageState::PageState(std::string run, const agent::Profile& profile)
    : run_(std::move(run)), view_(profile, limits),
      begins_with_reply_(agent::mode_of(profile).traits().turn_start ==
                         agent::ModeTraits::TurnStart::reply),
      profile_(profile.name) {}

// ---- what a run tells ---------------------------------------------------------------------------

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

void PageState::apply(const agent::RunStatus& waiting) { waiting_ = waiting; }

PageState::PageState(PageState& other)
    : seq(other.seq), run_(other.run_), view_(other.view_.snapshot()),
      begins_with_reply_(other.begins_with_reply_), controlled_(other.controlled_),
      over_(other.over_), followed_(other.followed_), memory_is_known_(other.memory_is_known_),
      profile_(other.profile_), annotated_(other.annotated_), reply_(other.reply_),
      annotation_(other.annotation_), waiting_(other.waiting_), words_turn_(other.words_turn_) {}

PageState PageState::snapshot() { return PageState(*this); }

// ---- what is shown ------------------------------------------------------------------------------

std::string PageState::phase() const {
    if (view_.finished() != nullptr) return "finished";
    if (run_.empty()) return "idle";
    if (!live()) return followed_ ? "following" : "interrupted";
    if (waiting_.picture) return "waiting_annotated";
    if (waiting_.held) return "paused";
    if (waiting_.for_reply) return "waiting_inject";
    return std::string(word_for(view_.activity()));
}

json::value PageState::picture_json(const agent::ScreenshotView* picture) const {
    if (picture == nullptr) return nullptr;
    const std::string url = "/picture/" + run_ + "/" + std::to_string(picture->index);
    // One that waits for its annotation has only the other.
    const bool has_own = !picture->look.file.empty();
    const bool is_drawn = !has_own || !picture->look.raw_file.empty();
    json::array changed;
    for (const winio::Rect& rect : picture->look.changed) changed.emplace_back(rect_json(rect));
    const auto& pointer = picture->look.pointer;
    return json::object{
        {"turn", picture->number},
        {"n", picture->index},
        {"url", has_own ? url : url + "/raw"},
        {"raw_url", is_drawn ? url + "/raw" : url},
        {"width", picture->look.size.width},
        {"height", picture->look.size.height},
        {"annotation", is_drawn && picture->annotation
                           ? json::value(agent::to_json(*picture->annotation))
                           : json::value()},
        {"changed", std::move(changed)},
        {"area", rect_json(picture->look.area)},
        {"pointer", pointer ? json::value(json::array{pointer->x, pointer->y}) : json::value()}};
}

json::value PageState::latest_picture_json() const {
    const auto latest = view_.screenshot();
    if (!waiting_.picture) return picture_json(latest.get());
    agent::ScreenshotView wanted;
    wanted.index = latest ? latest->index + 1 : 1;
    wanted.number = waiting_.picture->turn;
    wanted.look.size = waiting_.picture->size;
    wanted.annotation = annotation_;
    if (latest) wanted.look.area = latest->look.area;
    return picture_json(&wanted);
}

/// Modes with one role do not tell it.
std::string_view PageState::role() const {
    if (!view_.state().role.empty() || view_.turn_count() == 0) return view_.state().role;
    return view_.turn(view_.turn_count() - 1).role;
}

/// Where the latest call acted, once it is over.
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
    Shown shown;
    for (const agent::TurnItem& item : turn.items) std::visit(shown, item);
    std::string_view words = turn.visual_reply ? std::string_view(turn.visual_reply->text) : "";
    if (shown.reply != nullptr) words = shown.reply->text;
    const agent::ScreenshotView* picture = picture_of(turn);
    json::object all{
        {"turn", turn.number},
        {"role", agent::to_valid_utf8(turn.role)},
        {"phase", agent::to_valid_utf8(turn.phase)},
        {"calls", std::move(shown.calls)},
        {"words", cut(words, max_words)},
        {"reasoning", shown.reply == nullptr ? "" : cut(shown.reply->reasoning, max_words)},
        {"notes", std::move(shown.notes)},
        {"picture", picture_json(picture)}};
    const auto figure = [&](const char* name, const auto* from, auto value) {
        all[name] = from == nullptr ? json::value() : json::value(value(*from));
    };
    using vlm::ChatReply;
    figure("prompt_tokens", shown.reply,
           [](const ChatReply& it) { return or_null(it.usage.prompt_tokens); });
    figure("cached_tokens", shown.reply,
           [](const ChatReply& it) { return or_null(it.usage.cached_tokens); });
    figure("completion_tokens", shown.reply,
           [](const ChatReply& it) { return or_null(it.usage.completion_tokens); });
    figure("wait_ms", shown.reply, [](const ChatReply& it) { return it.wait.count(); });
    figure("model_ms", shown.reply, [](const ChatReply& it) { return it.total.count(); });
    using agent::ScreenshotView;
    figure("settle_ms", picture, [](const ScreenshotView& it) { return it.look.settle.count(); });
    figure("capture_ms", picture, [](const ScreenshotView& it) { return ms(it.look.capture); });
    figure("scale_ms", picture, [](const ScreenshotView& it) { return ms(it.look.scale); });
    figure("encode_ms", picture, [](const ScreenshotView& it) { return ms(it.look.encode); });
    figure("annotate_ms", picture, [](const ScreenshotView& it) {
        return it.look.raw_file.empty() ? json::value() : json::value(ms(it.look.annotate));
    });
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
    const auto parsed = reply_ ? agent::parse_json(agent::to_json(*reply_)) : std::nullopt;
    const json::object reply =
        parsed && parsed->is_object() ? parsed->get_object() : json::object();
    const agent::ModeState& state = view_.state();
    const auto memory = [&](std::size_t actions) {
        return memory_is_known_ ? json::value(actions) : json::value();
    };
    const bool is_live = live();
    return {{"phase", phase()},
            {"error", or_null(view_.problem())},
            {"turn", state.turn},
            {"msg_id", state.turn},
            {"pending_seq", waiting_.picture ? waiting_.picture->turn : state.turn},
            {"annotated_seq", annotated_},
            {"raw_b64", nullptr},
            {"bboxes", reply.contains("bboxes") ? reply.at("bboxes") : json::array()},
            {"actions", reply.contains("actions") ? reply.at("actions") : json::array()},
            {"observation", reply_ ? agent::to_valid_utf8(reply_->observation) : std::string()},
            {"vlm_json", reply_ ? reply_->text : std::string()},
            {"run", run_},
            {"profile", agent::to_valid_utf8(profile_)},
            {"mode", run_.empty() ? std::string() : view_.profile().mode},
            {"mode_phase", agent::to_valid_utf8(state.phase)},
            {"model", agent::to_valid_utf8(view_.model())},
            {"task", agent::to_valid_utf8(view_.task())},
            {"role", agent::to_valid_utf8(role())},
            {"plan", agent::to_valid_utf8(state.plan)},
            {"brief", agent::to_valid_utf8(state.brief)},
            {"memory", json::object{{"active", memory(state.active_actions)},
                                    {"archived", memory(state.archived_actions)}}},
            {"paused", is_live && waiting_.paused},
            {"held", is_live && waiting_.held},
            {"stopping", is_live && waiting_.stopping},
            {"live", is_live},
            {"takes_replies", is_live && waiting_.takes_replies},
            {"for_reply", is_live && waiting_.for_reply},
            {"outcome", outcome_json(view_.finished())},
            {"questions", std::move(questions)},
            {"wanted", std::move(wanted)},
            {"picture", latest_picture_json()},
            // What waits for approval is aimed at already.
            {"targets", waiting_.questions.empty()
                            ? targets()
                            : points_json(waiting_.questions.front().points)},
            {"tokens", json::object{{"prompt", or_null(view_.usage().prompt_tokens)},
                                    {"completion", or_null(view_.usage().completion_tokens)}}},
            {"text", view_.streamed_text()},
            {"reasoning", view_.streamed_reasoning()},
            {"seq", seq}};
}

} // namespace eyehand::panel
