#include "eyehand/agent/run_view.hpp"

#include "base/text.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace eyehand::agent {
namespace {

/// A number in a damaged journal may be too large for a sum.
void add(std::optional<int>& total, const std::optional<int>& more) {
    if (!more) return;
    const std::int64_t sum = std::int64_t{total.value_or(0)} + *more;
    total = static_cast<int>(std::clamp<std::int64_t>(sum, std::numeric_limits<int>::min(),
                                                      (std::numeric_limits<int>::max)()));
}

constexpr std::size_t max_roles = 16;

/// A turn's number in a damaged journal may be the highest int.
int after(int turn) { return turn == (std::numeric_limits<int>::max)() ? turn : turn + 1; }

} // namespace

struct RunView::Fold {
    /// A turn, and the snapshot since which it is not shared.
    struct Slot {
        std::shared_ptr<TurnView> turn;
        std::uint64_t owned_since = 0; ///< the snapshot after which it was made
    };

    std::shared_ptr<const Profile> profile;
    RunViewLimits limits;
    bool begins_with_reply = false;
    std::string task{};
    std::string model{};
    ModeState state{};
    Activity activity = Activity::idle;
    vlm::Usage usage{};
    std::chrono::milliseconds elapsed{};
    std::optional<RunFinished> finished{};
    std::string problem{};
    bool superseded = false; ///< the latest request; the next screenshot replaces its screenshot
    std::deque<Slot> turns{};
    std::size_t turns_left_out = 0;
    std::map<int, std::size_t> ordinals{}; ///< of turns by number, counted from the first one
    /// Indices of calls and recoveries in progress: a search through all items would be slow in
    /// long turns.
    struct UnderWay {
        std::vector<std::size_t> calls{};
        std::vector<std::size_t> recoveries{};
        std::vector<std::size_t>& of(const CallView&) { return calls; }
        std::vector<std::size_t>& of(const RecoveryView&) { return recoveries; }
    };
    std::map<int, UnderWay> under_way{}; ///< by turn
    Observe ordered{};                   ///< the latest one
    std::size_t screenshots = 0;
    std::shared_ptr<const ScreenshotView> screenshot{};
    std::string text{};
    std::string reasoning{};
    /// The latest request of a role, if the journal names its texts.
    struct Sent {
        int number = 0;
        std::vector<std::shared_ptr<const SentMessage>> messages{};
    };
    int requests = 0;
    std::map<std::string, std::shared_ptr<const Sent>> sent{}; ///< by role
    bool states_are_known = false; ///< the journal contains changes of the mode's state
    std::size_t unknown = 0;
    std::uint64_t revision = 0;
    std::uint64_t snapshots = 1;

    // ---- turns --------------------------------------------------------------------------------

    [[nodiscard]] std::string cut(std::string_view whole) const {
        return cut_bytes(whole, limits.text_bytes, true);
    }

    TurnView& change(Slot& slot) {
        if (slot.owned_since != snapshots) {
            slot.turn = std::make_shared<TurnView>(*slot.turn);
            slot.owned_since = snapshots;
        }
        return *slot.turn;
    }

    /// An event without a turn belongs to the latest turn, or to the entry before the first turn.
    TurnView& turn_of(int number) {
        if (number <= 0 && !turns.empty()) return change(turns.back());
        number = std::max(number, 0);
        if (const auto known = ordinals.find(number); known != ordinals.end())
            return change(turns[known->second - turns_left_out]);
        auto turn = std::make_shared<TurnView>();
        turn->number = number;
        turn->t = elapsed;
        turn->seen = screenshot;
        ordinals.emplace(number, turns_left_out + turns.size());
        turns.push_back({std::move(turn), snapshots});
        if (turns.size() > std::max<std::size_t>(limits.turns, 1)) {
            const int gone = turns.front().turn->number;
            ordinals.erase(gone);
            under_way.erase(gone);
            turns.pop_front();
            ++turns_left_out;
        }
        return *turns.back().turn;
    }

    [[nodiscard]] int turn_of_request(const Event& event) const {
        return begins_with_reply ? agent::after(event.turn) : event.turn;
    }

    /// Returns whether there was space for the item.
    bool add_item(int number, TurnItem item) {
        TurnView& turn = turn_of(number);
        if (turn.items.size() >= limits.items_per_turn) {
            ++turn.left_out;
            return false;
        }
        turn.items.push_back(std::move(item));
        return true;
    }

    template <class Item>
    void begin_item(int number, const Item& item) {
        if (!add_item(number, item)) return;
        const TurnView& turn = turn_of(number);
        under_way[turn.number].of(item).push_back(turn.items.size() - 1);
    }

    /// The latest item of this kind in progress, or a new one; nullptr without space.
    template <class Item>
    Item* end_item(int number) {
        TurnView& turn = turn_of(number);
        std::vector<std::size_t>& places = under_way[turn.number].of(Item{});
        if (!places.empty()) {
            const std::size_t place = places.back();
            places.pop_back();
            return &std::get<Item>(turn.items.at(place));
        }
        if (!add_item(number, Item{})) return nullptr;
        return &std::get<Item>(turn_of(number).items.back());
    }

    /// The latest item of this kind in progress; nullptr without one.
    template <class Item>
    Item* item_under_way(int number) {
        TurnView& turn = turn_of(number);
        const std::vector<std::size_t>& places = under_way[turn.number].of(Item{});
        return places.empty() ? nullptr : &std::get<Item>(turn.items.at(places.back()));
    }

    // ---- events -------------------------------------------------------------------------------

    void fold_state(const Event& event) {
        state.turn = event.turn;
        if (const auto* changed = std::get_if<StateChanged>(&event.payload)) {
            const std::shared_ptr<const VisualReply> reply = std::move(state.reply);
            state = changed->state;
            state.reply = reply;
            states_are_known = true;
            return;
        }
        const ModeState before = state;
        mode_of(*profile).derive_state(*profile, event, state);
        if (!states_are_known) return;
        // An event such as refused instructions need not change the state of the mode.
        state.plan = before.plan;
        state.brief = before.brief;
        state.active_actions = before.active_actions;
        state.archived_actions = before.archived_actions;
    }

    void on(const Event&, const RunStarted& it) {
        task = it.task;
        model = it.model;
    }
    void on(const Event& event, const RunResumed& it) {
        finished.reset();
        problem.clear();
        activity = Activity::idle;
        add_item(event.turn, it);
    }
    void on(const Event& event, const Observe& it) {
        activity = Activity::observing;
        ordered = it;
        if (state.reply) turn_of(event.turn).visual_reply = state.reply;
    }
    void on(const Event&, const Observed& it) {
        problem.clear();
        if (it.refines()) return; // its request shows it
        auto view = std::make_shared<ScreenshotView>();
        view->index = ++screenshots;
        view->number = ordered.screenshot;
        view->look = it;
        view->annotation = std::exchange(ordered.annotation, std::nullopt);
        screenshot = std::move(view);
        // The screenshot of a turn that has no other event yet, or whose request was canceled, was
        // taken again.
        const bool again = std::exchange(superseded, false);
        if (!turns.empty() && !begins_with_reply && screenshot->number > 0 &&
            turns.back().turn->number == screenshot->number &&
            (turns.back().turn->requests == 0 || again)) {
            change(turns.back()).seen = screenshot;
            return;
        }
        // A screenshot between the calls of a turn is the latest one of the turn.
        if (!turns.empty()) change(turns.back()).after = screenshot;
        // A screenshot for the next turn begins that turn.
        const int latest = turns.empty() ? 0 : turns.back().turn->number;
        if (!begins_with_reply && screenshot->number > latest) (void)turn_of(screenshot->number);
    }
    void on(const Event& event, const ObserveFailed& it) {
        problem = it.message;
        add_item(event.turn, FailureView{FailureView::Of::screenshot, it.error, cut(it.message)});
    }
    void on(const Event& event, const Asked& it) {
        superseded = false;
        activity = Activity::asking;
        text.clear();
        reasoning.clear();
        TurnView& turn = turn_of(turn_of_request(event));
        ++turn.requests;
        if (it.role.ends_with(refine_role_end)) { // the turn's own request came before
            add_request(turn.number, it);
            return;
        }
        turn.role = it.role;
        turn.phase = state.phase;
        turn.seen_by_model = turn.seen && std::find(it.images.begin(), it.images.end(),
                                                    turn.seen->look.sha256) != it.images.end();
        add_request(turn.number, it);
    }
    void add_request(int turn, const Asked& it) {
        requests = it.number > 0 ? it.number : agent::after(requests);
        const std::shared_ptr<const Sent> before = std::move(sent[it.role]);
        sent.erase(it.role);
        if (!it.sent) return;
        if (sent.size() >= max_roles) sent.clear(); // a damaged journal
        auto now = std::make_shared<Sent>();
        now->number = requests;
        RequestView view{.number = requests,
                         .role = it.role,
                         .messages = it.messages,
                         .tool_count = it.tools,
                         .tools = it.sent->tools,
                         .structure = it.sent->structure};
        const auto keep = [&](auto& list, const std::shared_ptr<const SentMessage>& message) {
            if (list.size() < limits.messages_per_request)
                list.push_back(message);
            else
                ++view.left_out;
        };
        if (before) {
            view.previous = before->number;
            view.same = std::min(it.sent->same, before->messages.size());
            const auto end = before->messages.begin() + static_cast<std::ptrdiff_t>(view.same);
            now->messages.assign(before->messages.begin(), end);
            std::for_each(end, before->messages.end(),
                          [&](const auto& message) { keep(view.replaced, message); });
        }
        for (const SentMessage& added : it.sent->added) {
            SentMessage message = added;
            for (vlm::ToolCall& call : message.tool_calls)
                call.arguments_json = cut(call.arguments_json);
            now->messages.push_back(std::make_shared<const SentMessage>(std::move(message)));
            keep(view.added, now->messages.back());
        }
        sent[it.role] = std::move(now);
        add_item(turn, std::move(view));
    }
    void on(const Event& event, const Replied& it) {
        superseded = it.screen_changed && it.reply.tool_calls.empty(); // perhaps asked again
        problem.clear();
        text.clear();
        reasoning.clear();
        if (!it.reply.model.empty()) model = it.reply.model;
        add(usage.prompt_tokens, it.reply.usage.prompt_tokens);
        add(usage.cached_tokens, it.reply.usage.cached_tokens);
        add(usage.completion_tokens, it.reply.usage.completion_tokens);
        Replied view = it;
        view.reply.text = cut(view.reply.text);
        view.reply.reasoning = cut(view.reply.reasoning);
        for (vlm::ToolCall& call : view.reply.tool_calls)
            call.arguments_json = cut(call.arguments_json);
        view.reply.items_json.clear(); // for the server only
        add_item(turn_of_request(event), std::move(view));
    }
    void on(const Event& event, const AskFailed& it) {
        problem = it.message;
        add_item(turn_of_request(event),
                 FailureView{FailureView::Of::request, it.error, cut(it.message)});
    }
    void on(const Event& event, const Superseded& it) { // a note of the mode follows
        superseded = true;
        if (it.after.count() == 0) not_sent(event);
        add(usage.prompt_tokens, it.spent_tokens());
        text.clear();
        reasoning.clear();
    }
    void not_sent(const Event& event) {
        std::vector<TurnItem>& items = turn_of(turn_of_request(event)).items;
        for (auto item = items.rbegin(); item != items.rend(); ++item) {
            auto* request = std::get_if<RequestView>(&*item);
            if (request == nullptr) continue;
            request->sent = request->number != requests;
            return;
        }
    }
    void on(const Event& event, const Invoke& it) {
        activity = Activity::acting;
        if (state.reply) turn_of(event.turn).visual_reply = state.reply;
        CallView call;
        call.id = it.call.id;
        call.tool = it.call.name;
        call.arguments_json = cut(it.call.arguments_json);
        begin_item(event.turn, call);
    }
    void on(const Event& event, const Invoked& it) {
        if (!it.desktop_failure.empty()) problem = it.desktop_failure;
        auto* call = end_item<CallView>(event.turn);
        if (call == nullptr) return;
        call->id = it.call_id;
        call->tool = it.tool;
        call->ok = it.ok;
        call->result_json = cut(it.result_json);
        call->interrupted = it.interrupted;
        call->desktop_failure = cut(it.desktop_failure);
        call->policy = it.policy;
        if (it.guard) call->guard = it.guard; // an interrupted call has only the one of `Judged`
        call->act = it.act;
        call->action = it.action;
    }
    void on(const Event& event, const Recover& it) {
        activity = Activity::recovering;
        begin_item(event.turn, RecoveryView{.reason = cut(it.reason)});
    }
    void on(const Event& event, const Recovered& it) {
        if (!it.desktop_failure.empty()) problem = it.desktop_failure;
        auto* recovery = end_item<RecoveryView>(event.turn);
        if (recovery == nullptr) return;
        recovery->ok = it.problem.empty() && it.desktop_failure.empty();
        const bool both = !it.problem.empty() && !it.desktop_failure.empty();
        recovery->problem = cut(it.problem + (both ? "; " : "") + it.desktop_failure);
        recovery->act = it.act;
    }
    void on(const Event&, const Await&) { activity = Activity::awaiting_reply; }
    void on(const Event&, const Finish&) {} // the run still writes its last files
    void on(const Event& event, const Judged& it) {
        if (!it.step.empty()) return; // of a recovery
        if (auto* call = item_under_way<CallView>(event.turn)) call->guard = it.guard;
    }
    void on(const Event& event, const Noted& it) {
        add_item(event.turn, Noted{it.kind, cut(it.text)});
    }
    void on(const Event& event, const UserMessage& it) {
        add_item(event.turn, UserMessage{it.kind, cut(it.text)});
    }
    void on(const Event& event, const Stopped& it) { add_item(event.turn, it); }
    void on(const Event&, const StateChanged&) {}
    void on(const Event&, const RunFinished& it) {
        activity = Activity::finished;
        finished = it;
    }
    void on(const Event&, const UnknownEvent&) { ++unknown; }
};

RunView::RunView(Profile profile, RunViewLimits limits)
    : fold_(std::make_unique<Fold>(
          Fold{.profile = std::make_shared<const Profile>(std::move(profile)), .limits = limits})) {
    const ModeFactory& mode = mode_of(*fold_->profile);
    fold_->begins_with_reply = mode.traits().turn_start == ModeTraits::TurnStart::reply;
    fold_->state = mode.initial_state(*fold_->profile);
    fold_->model = fold_->profile->model;
}

RunView::RunView(std::unique_ptr<Fold> fold) : fold_(std::move(fold)) {}
RunView::RunView(RunView&&) noexcept = default;
RunView& RunView::operator=(RunView&&) noexcept = default;
RunView::~RunView() = default;

void RunView::apply(const Event& event) {
    ++fold_->revision;
    fold_->elapsed = std::max(fold_->elapsed, event.t);
    if (!std::holds_alternative<UnknownEvent>(event.payload)) fold_->fold_state(event);
    std::visit([&](const auto& it) { fold_->on(event, it); }, event.payload);
}

void RunView::apply(const vlm::Delta& delta) {
    ++fold_->revision;
    std::string* const into = delta.kind == vlm::Delta::Kind::text        ? &fold_->text
                              : delta.kind == vlm::Delta::Kind::reasoning ? &fold_->reasoning
                                                                          : nullptr;
    if (into != nullptr && into->size() < fold_->limits.streamed_bytes) *into += delta.text;
}

void RunView::apply(const ModeState& state) {
    ++fold_->revision;
    fold_->state = state;
}

RunView RunView::snapshot() {
    ++fold_->snapshots; // from now on the two views share all of these turns
    return RunView(std::make_unique<Fold>(*fold_));
}

const Profile& RunView::profile() const { return *fold_->profile; }
const std::string& RunView::task() const { return fold_->task; }
const std::string& RunView::model() const { return fold_->model; }
const ModeState& RunView::state() const { return fold_->state; }
Activity RunView::activity() const { return fold_->activity; }
const vlm::Usage& RunView::usage() const { return fold_->usage; }
std::chrono::milliseconds RunView::elapsed() const { return fold_->elapsed; }
const RunFinished* RunView::finished() const {
    return fold_->finished ? &*fold_->finished : nullptr;
}
const std::string& RunView::problem() const { return fold_->problem; }
std::size_t RunView::turn_count() const { return fold_->turns.size(); }
const TurnView& RunView::turn(std::size_t index) const { return *fold_->turns.at(index).turn; }
std::size_t RunView::turns_left_out() const { return fold_->turns_left_out; }
std::shared_ptr<const ScreenshotView> RunView::screenshot() const { return fold_->screenshot; }
const std::string& RunView::streamed_text() const { return fold_->text; }
const std::string& RunView::streamed_reasoning() const { return fold_->reasoning; }
std::size_t RunView::unknown_events() const { return fold_->unknown; }
std::uint64_t RunView::revision() const { return fold_->revision; }

RunView read_run(const std::filesystem::path& directory, const ModeRegistry& modes,
                 RunViewLimits limits) {
    RunView run(load_run(directory, modes).summary.profile, limits);
    JournalReader journal(directory / journal_name);
    while (const auto event = journal.next()) run.apply(*event);
    return run;
}

RunView read_run(const RunStore& store, const ModeRegistry& modes, RunViewLimits limits) {
    RunView run(load_run(store, modes).summary.profile, limits);
    for_each_event(store, [&](Event&& event) { run.apply(event); });
    return run;
}

} // namespace eyehand::agent
