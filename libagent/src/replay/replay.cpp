#include "eyehand/agent/replay.hpp"

#include "base/text.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/prompt.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/raw_response.hpp"
#include "eyehand/winio/frame_diff.hpp"
#include "eyehand/winio/image_file.hpp"
#include "record/journal_json.hpp"
#include "replay/desktop_recording.hpp"
#include "run/desktop_world.hpp"
#include "run/timeline.hpp"
#include "json/json_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <istream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <utility>
#include <variant>

namespace eyehand::agent {
namespace {

using Lines = std::vector<std::string>;

// ---- texts to compare ---------------------------------------------------------------------------

Lines lines_of(std::string_view text) {
    Lines lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

/// The length of the longest common subsequence of what follows each pair of positions.
class CommonLines {
public:
    CommonLines(const Lines& a, const Lines& b)
        : width_(b.size() + 1), lengths_((a.size() + 1) * width_) {
        for (std::size_t i = a.size(); i-- > 0;)
            for (std::size_t j = b.size(); j-- > 0;)
                at(i, j) =
                    a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
    [[nodiscard]] std::size_t& at(std::size_t i, std::size_t j) { return lengths_[i * width_ + j]; }

private:
    std::size_t width_;
    std::vector<std::size_t> lengths_;
};

/// The lines that only one side has. Returns nothing if both are equal.
std::optional<ReplayDifference> difference(int turn, std::string subject, const Lines& recorded,
                                           const Lines& replayed) {
    if (recorded == replayed) return std::nullopt;
    ReplayDifference result{turn, std::move(subject), {}, {}};
    const auto ends = std::ranges::mismatch(recorded, replayed);
    const Lines a(ends.in1, recorded.end());
    const Lines b(ends.in2, replayed.end());
    constexpr std::size_t max_cells = 4'000'000;
    if (a.size() * b.size() > max_cells) {
        result.recorded = a;
        result.replayed = b;
        return result;
    }
    CommonLines common(a, b);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            ++i, ++j;
        } else if (j == b.size() || (i < a.size() && common.at(i + 1, j) >= common.at(i, j + 1))) {
            result.recorded.push_back(a[i++]);
        } else {
            result.replayed.push_back(b[j++]);
        }
    }
    return result;
}

/// The members that are measured, and those that number and connect entries.
constexpr std::array<std::string_view, 11> not_decided{
    "seq",         "t",         "prev",   "capture_ms", "scale_ms", "encode_ms",
    "annotate_ms", "policy_ms", "act_ms", "wait_ms",    "model_ms"};

void remove_measures(json::object& entry) {
    for (const std::string_view name : not_decided) entry.erase(name);
}

/// Replaces the hash of a text by its lines, so that a difference shows the text.
void show_text(json::value& text, const RunStore& store) {
    json::object* object = text.if_object();
    const json::value* hash = object == nullptr ? nullptr : object->if_contains("text");
    if (hash == nullptr || !hash->is_string()) return;
    const auto content = read_prompt(store, {hash->as_string().data(), hash->as_string().size()});
    if (!content) return; // the hash is compared
    json::array lines;
    for (const std::string& line : lines_of(*content)) lines.emplace_back(to_valid_utf8(line));
    text = std::move(lines);
}

void show_texts(json::object& entry, const RunStore& store) {
    json::value* added = entry.if_contains("added");
    if (added == nullptr || !added->is_array()) return; // of an older version
    entry.erase("request_sha256");                      // the messages determine it, and show more
    for (json::value& message : added->as_array())
        if (json::object* one = message.if_object())
            if (json::value* parts = one->if_contains("parts");
                parts != nullptr && parts->is_array())
                for (json::value& part : parts->as_array()) show_text(part, store);
    for (const char* name : {"tools_text", "structure"})
        if (json::value* text = entry.if_contains(name)) show_text(*text, store);
}

Lines lines_of(const Event& event, const RunStore& store) {
    auto value = parse_json(event.line);
    if (!value || !value->is_object()) return {event.line};
    remove_measures(value->as_object());
    show_texts(value->as_object(), store);
    return lines_of(laid_out(*value));
}

json::object entry_of(const Fact& fact) {
    const Payload payload = std::visit([](const auto& it) { return Payload(it); }, fact);
    json::object entry{{"type", type_name(payload)}};
    write_payload(payload, entry);
    remove_measures(entry);
    return entry;
}

Lines lines_of_recorded(const Fact& fact) { return lines_of(laid_out(entry_of(fact))); }

/// As the journal would be read: the parser rounds some numbers in their last digit.
Lines lines_of_replayed(const Fact& fact) {
    const auto read = parse_json(to_text(entry_of(fact)));
    return lines_of(laid_out(read ? *read : json::value(nullptr)));
}

bool is_derived(const Event& event) {
    return std::holds_alternative<Noted>(event.payload) ||
           std::holds_alternative<StateChanged>(event.payload);
}

/// A world writes its decisions while it executes a command. The replay's world writes none: a
/// decision is compared as part of the result.
bool is_compared(const Event& event) {
    return !std::holds_alternative<RunFinished>(event.payload) &&
           !std::holds_alternative<Judged>(event.payload);
}

// ---- the run ------------------------------------------------------------------------------------

/// The events of a part of a run, and the lines of the journal before it.
struct JournalPart {
    std::vector<std::string> before{};
    std::vector<Event> events{}; ///< without those that begin and end a part, and decisions
    std::vector<std::string> remarks{};
};

std::vector<JournalPart> parts_of(const RunStore& run, std::string& task) {
    std::vector<JournalPart> parts;
    std::vector<std::string> lines;
    for_each_event(run, [&](Event&& event) {
        std::string line = event.line;
        if (const auto* started = std::get_if<RunStarted>(&event.payload)) {
            task = started->task;
            parts.emplace_back();
        } else if (const auto* resumed = std::get_if<RunResumed>(&event.payload)) {
            parts.push_back({.before = lines, .remarks = resumed->remarks});
        } else if (std::holds_alternative<UnknownEvent>(event.payload)) {
            throw Error(errc::journal_corrupt,
                        fmt::format("{}, line {}: this version cannot read it", journal_name,
                                    lines.size() + 1));
        } else if (!parts.empty() && is_compared(event)) {
            parts.back().events.push_back(std::move(event));
        }
        lines.push_back(std::move(line));
    });
    if (parts.empty())
        throw Error(errc::bad_run, "the run directory has no journal of a run that has started");
    return parts;
}

std::vector<RecordedPart> recording_of(const RunStore& run, std::size_t parts) {
    const auto in = run.open_read(recording_name);
    if (!in) return {};
    std::vector<RecordedPart> recorded = read_recording(*in);
    if (recorded.size() > parts)
        throw Error(
            errc::bad_run,
            fmt::format("{} does not belong to the journal: it has {} parts, the journal {}",
                        recording_name, recorded.size(), parts));
    return recorded;
}

/// What was not compared, and how often.
using NotCompared = std::map<std::string, int>;

// ---- time and the model -------------------------------------------------------------------------

/// Decodes the recorded answer of the server to the present request again; without it, gives the reply
/// that the journal has.
class RepliesAgain final : public vlm::ChatModel {
public:
    RepliesAgain(TapePlayer* player, ReplayReport& report, NotCompared& not_compared)
        : player_(player), report_(report), not_compared_(not_compared) {}

    void expect(const Fact& fact) { fact_ = &fact; }

    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta&,
                         std::stop_token) override {
        const auto* replied = std::get_if<Replied>(fact_);
        if (replied == nullptr) throw vlm::Error(vlm::errc::cancelled, "the request was canceled");
        const auto response = player_ == nullptr ? std::nullopt : player_->response();
        if (!response) {
            ++not_compared_["The decoding of a reply whose bytes were not recorded"];
            return replied->reply;
        }
        ++report_.replies;
        vlm::ChatReply reply = vlm::decode_response(*response, request);
        reply.wait = replied->reply.wait;
        reply.total = replied->reply.total;
        return reply;
    }

private:
    TapePlayer* player_;
    ReplayReport& report_;
    NotCompared& not_compared_;
    const Fact* fact_ = nullptr;
};

/// Nothing takes time.
class ReplayTimeline final : public Timeline {
public:
    [[nodiscard]] Time now() const override { return {}; }
    [[nodiscard]] bool wait(std::chrono::milliseconds, const std::stop_token&) override {
        return true;
    }
    [[nodiscard]] std::unique_ptr<PendingReply>
    send(vlm::ChatModel& model, const vlm::ChatRequest& request, std::stop_token) override {
        return std::make_unique<Pending>(model, request);
    }

private:
    class Pending final : public PendingReply {
    public:
        Pending(vlm::ChatModel& model, const vlm::ChatRequest& request)
            : model_(model), request_(request) {}
        [[nodiscard]] bool wait_until(Time, const vlm::OnDelta&) override { return true; }
        [[nodiscard]] bool is_answered() const override { return true; }
        void cancel() override {}
        [[nodiscard]] vlm::ChatReply take(const vlm::OnDelta& on_delta) override {
            return model_.reply(request_, on_delta, {});
        }

    private:
        vlm::ChatModel& model_;
        const vlm::ChatRequest& request_;
    };
};

/// The run's journal ends before the mode has finished, or the mode wants another command.
struct ReplayEnds {};

// ---- one part -----------------------------------------------------------------------------------

/// Compares the events of a replay with those of the run, and knows the run's next one.
class EventComparison {
public:
    EventComparison(const std::vector<Event>& events, const RunStore& run, const RunStore& replay,
                    ReplayReport& report)
        : events_(events), run_(run), replay_(replay), report_(report) {}

    /// The next event of the run that is a command or a fact; nullptr at its end.
    [[nodiscard]] const Event* next() const {
        const auto found = std::find_if(events_.begin() + static_cast<std::ptrdiff_t>(at_),
                                        events_.end(), std::not_fn(is_derived));
        return found == events_.end() ? nullptr : &*found;
    }

    /// Receives each event of the replay.
    void on_event(const Event& event) {
        if (std::holds_alternative<RunStarted>(event.payload) ||
            std::holds_alternative<RunResumed>(event.payload))
            return;
        if (is_derived(event)) {
            append(derived_, event, replay_);
            return;
        }
        compare_derived(event.turn);
        if (at_ == events_.size()) throw ReplayEnds(); // the run was interrupted here
        const Event& recorded = events_[at_++];
        if (fact_of(recorded.payload).has_value())
            return; // the replay has received it from the run
        ++report_.commands;
        compare(event.turn, std::string(type_name(event)), lines_of(recorded, run_),
                lines_of(event, replay_));
        if (recorded.payload.index() == event.payload.index() && !is_other_call(recorded, event))
            return;
        if (next() != nullptr)
            report_.not_compared.push_back(
                fmt::format("The run after this command in turn {}: the replay wants another one.",
                            event.turn));
        throw ReplayEnds();
    }

    /// At the end of the replay.
    void finish(int turn) {
        compare_derived(turn);
        if (const Event* more = next())
            compare(more->turn, "the end of the run", lines_of(*more, run_), {});
    }

    void compare(int turn, std::string subject, const Lines& recorded, const Lines& replayed) {
        if (auto found = difference(turn, std::move(subject), recorded, replayed))
            report_.differences.push_back(*std::move(found));
    }

private:
    /// The run has no result for it.
    static bool is_other_call(const Event& recorded, const Event& event) {
        const auto* then = std::get_if<Invoke>(&recorded.payload);
        const auto* now = std::get_if<Invoke>(&event.payload);
        return then != nullptr && now != nullptr &&
               (then->call.name != now->call.name ||
                then->call.arguments_json != to_valid_utf8(now->call.arguments_json));
    }
    static void append(Lines& lines, const Event& event, const RunStore& store) {
        for (std::string& line : lines_of(event, store)) lines.push_back(std::move(line));
    }
    /// The notes and states since the latest command or fact.
    void compare_derived(int turn) {
        Lines recorded;
        for (; at_ < events_.size() && is_derived(events_[at_]); ++at_)
            append(recorded, events_[at_], run_);
        compare(turn, "notes and state", recorded, derived_);
        derived_.clear();
    }

    const std::vector<Event>& events_;
    const RunStore& run_;
    const RunStore& replay_;
    ReplayReport& report_;
    std::size_t at_ = 0; ///< of the next event
    Lines derived_;      ///< of the replay
};

/// The screenshots of two stores show the same, even if another version has encoded one of them.
bool shows_the_same(const RunStore& run, const std::string& recorded, const RunStore& replay,
                    const std::string& replayed) {
    const auto image = [](const RunStore& store, const std::string& name) {
        const auto in = store.open_read(name);
        if (!in) throw winio::Error(winio::errc::decode_failed, "the file is missing");
        const std::vector<std::uint8_t> bytes(std::istreambuf_iterator<char>(*in), {});
        return winio::decode_image(bytes);
    };
    try {
        return winio::same_pixels(image(run, recorded).view(), image(replay, replayed).view());
    } catch (const winio::Error&) {
        return false;
    }
}

/// Executes commands in the real world of a recorded desktop, and tells the mode what happened in the
/// run.
class ReplayWorld final : public World {
public:
    struct Parts {
        const RunStore& run;
        RunStore& replay;
        const ToolsByRole& tools;
        EventComparison& events;
        ReplayReport& report;
        NotCompared& not_compared;
    };
    /// Without a recorded desktop, no command is executed.
    ReplayWorld(Parts parts, TapePlayer* player, DesktopWorld* world, RepliesAgain& model)
        : parts_(parts), player_(player), world_(world), model_(model) {}

    std::optional<Fact> news(Next /*next*/) override {
        const Event* next = parts_.events.next();
        return next == nullptr ? std::nullopt : fact_of(next->payload);
    }
    void on_state(const ModeState& state) override {
        turn_ = state.turn;
        if (world_ != nullptr) world_->on_state(state);
    }
    void remember(const Observed& seen) override {
        if (world_ != nullptr) world_->remember(seen);
    }
    void remember(const Invoked& call) override {
        if (world_ != nullptr) world_->remember(call);
    }
    Fact execute(const Command& command) override {
        const Event* next = parts_.events.next();
        if (next == nullptr) throw ReplayEnds();
        const std::optional<Fact> recorded = fact_of(next->payload);
        if (!recorded) throw ReplayEnds(); // the run was interrupted during this command
        if (player_ == nullptr) return *recorded;
        player_->next_command(command);
        if (std::string reason = why_not(command, *recorded); !reason.empty()) {
            ++parts_.not_compared["The result of " + reason];
            world_->note_takeover();
            return *recorded;
        }
        model_.expect(*recorded);
        std::optional<Fact> replayed;
        try {
            replayed = world_->execute(command);
        } catch (const winio::Error&) { // NOLINT(bugprone-empty-catch)
            // The recording lacks an answer: `compare` reports it.
        }
        compare(command, *recorded, std::move(replayed));
        return *recorded;
    }

private:
    /// Why a command cannot be executed in the same way again; empty: it can.
    [[nodiscard]] std::string why_not(const Command& command, const Fact& recorded) const {
        if (std::holds_alternative<Stopped>(recorded)) return "ended by a stop request or a limit";
        if (std::holds_alternative<AskFailed>(recorded)) return "a request that failed";
        if (std::holds_alternative<Await>(command)) return "a reply of the client";
        if (const auto* recovery = std::get_if<Recovered>(&recorded);
            recovery != nullptr && recovery->problem == recovery_interrupted)
            return "a recovery that was interrupted";
        const auto* invoke = std::get_if<Invoke>(&command);
        if (invoke == nullptr) return {};
        if (const auto* result = std::get_if<Invoked>(&recorded);
            result != nullptr && result->interrupted)
            return "an action that was interrupted";
        const Toolbox& tools = parts_.tools.at(invoke->role);
        if (tools.id_of(invoke->call.name).empty() || !tools.may_act_itself(invoke->call.name))
            return {};
        return fmt::format("a call of {}, which may act itself", invoke->call.name);
    }

    void compare(const Command& command, const Fact& recorded, std::optional<Fact> replayed) {
        ++parts_.report.results;
        if (const auto* then = std::get_if<Observed>(&recorded)) {
            if (auto* now = replayed ? std::get_if<Observed>(&*replayed) : nullptr)
                accept_other_encoding(*then, *now);
            world_->adopt(*then);
        }
        parts_.events.compare(turn_, subject(command), lines_of_recorded(recorded),
                              replayed ? lines_of_replayed(*replayed) : Lines());
        const Lines inputs = player_->recorded_inputs();
        parts_.report.inputs += static_cast<int>(inputs.size());
        parts_.events.compare(turn_, "input", inputs, player_->replayed_inputs());
        Lines missing = player_->missing();
        for (std::string& kind : missing)
            kind = fmt::format("asks for \"{}\", for which the recording has no answer", kind);
        parts_.events.compare(turn_, "questions to the desktop", {}, missing);
    }

    void accept_other_encoding(const Observed& then, Observed& now) const {
        if (now.sha256 != then.sha256 &&
            shows_the_same(parts_.run, then.file, parts_.replay, now.file))
            now.sha256 = then.sha256;
        if (now.raw_sha256 != then.raw_sha256 &&
            shows_the_same(parts_.run, then.raw_file, parts_.replay, now.raw_file))
            now.raw_sha256 = then.raw_sha256;
    }

    [[nodiscard]] static std::string subject(const Command& command) {
        const auto* invoke = std::get_if<Invoke>(&command);
        return "the result of " + (invoke == nullptr ? std::string(name_of(command))
                                                     : to_valid_utf8(invoke->call.name));
    }

    Parts parts_;
    TapePlayer* player_;
    DesktopWorld* world_;
    RepliesAgain& model_;
    int turn_ = 0;
};

/// The options of a part.
AgentOptions options_of(const RecordedPart* recorded, AgentOptions options) {
    options.record_desktop = false;
    options.limits = {};
    if (recorded == nullptr) return options;
    options.watch = recorded->watch;
    options.approvals = recorded->approvals;
    options.annotation = recorded->annotation;
    options.first_reply = recorded->first_reply;
    return options;
}

/// Gives the journal and the names of the screenshots of the earlier parts to the store of a replay.
void fill(RunStore& store, const JournalPart& part) {
    if (part.before.empty()) return;
    const auto journal = store.open_append(journal_name);
    std::set<std::string> files;
    for (const std::string& line : part.before) {
        journal->append(line + '\n');
        const Event event = parse_event(line);
        if (const auto* seen = std::get_if<Observed>(&event.payload)) {
            files.insert(seen->file);
            if (!seen->raw_file.empty()) files.insert(seen->raw_file);
        }
    }
    for (const std::string& file : files) store.create(file, {});
}

struct RunParts {
    const RunStore& run;
    const StoredRun& stored;
    const std::string& task;
    ReplayReport& report;
    NotCompared& not_compared;
};

void replay_part(const RunParts& run, const JournalPart& part, const RecordedPart* recorded,
                 const ReplayOptions& replay_options) {
    const Profile& profile = run.stored.summary.profile;
    const AgentOptions options = options_of(recorded, replay_options.agent);
    const ToolsByRole tools = tools_by_role(replay_options.tools, profile, options);
    mode_of(profile).check(profile, options.first_reply);
    MemoryStore store;
    fill(store, part);
    EventComparison events(part.events, run.run, store, run.report);
    Journal journal(
        store, [&](const Event& event) { events.on_event(event); }, options.journal_key);
    const std::unique_ptr<Mode> mode = make_mode({profile, run.task, tools, options.make_memory});
    std::optional<TapePlayer> player;
    if (recorded != nullptr) player.emplace(*recorded, options.secrets);
    RepliesAgain model(player ? &*player : nullptr, run.report, run.not_compared);
    const RunControl control;
    ReplayTimeline timeline;
    std::optional<TapedDesktop> desktop;
    std::optional<DesktopWorld> desktop_world;
    if (player) {
        desktop.emplace(*player, recorded->desktop);
        desktop_world.emplace(DesktopWorldParts{*desktop,
                                                model,
                                                tools,
                                                profile,
                                                options,
                                                store,
                                                control,
                                                {},
                                                {},
                                                [](const ToolProgress&) {}}, // tools may report
                              timeline, &*player, &*desktop);
    }
    ReplayWorld world({run.run, store, tools, events, run.report, run.not_compared},
                      player ? &*player : nullptr, desktop_world ? &*desktop_world : nullptr,
                      model);
    try {
        if (part.before.empty())
            journal.append(Payload(RunStarted{run.task, profile.name, profile.model}), 0);
        else
            journal.resume(part.remarks, 0);
        for (const Fact& fact : journal.recovered()) {
            if (const auto* seen = std::get_if<Observed>(&fact)) world.remember(*seen);
            if (const auto* call = std::get_if<Invoked>(&fact)) world.remember(*call);
        }
        (void)drive(*mode, journal, world);
        events.finish(mode->state().turn);
    } catch (const ReplayEnds&) { // NOLINT(bugprone-empty-catch): the differences are in the report
    }
}

} // namespace

ReplayReport replay_run(const RunStore& run, const ReplayOptions& options) {
    const StoredRun stored = load_run(run, options.modes);
    std::string task;
    const std::vector<JournalPart> journal = parts_of(run, task);
    const std::vector<RecordedPart> recording = recording_of(run, journal.size());
    ReplayReport report;
    NotCompared not_compared;
    for (std::size_t i = 0; i < journal.size(); ++i)
        replay_part({run, stored, task, report, not_compared}, journal[i],
                    i < recording.size() ? &recording[i] : nullptr, options);
    if (recording.empty())
        report.not_compared.emplace_back(
            "The run has no recording of the desktop: only the commands were compared, not the "
            "tools, the guard, the screenshots and the input.");
    else if (recording.size() < journal.size())
        report.not_compared.push_back(
            fmt::format("Only the first {} of {} parts of the run have a recording of the desktop.",
                        recording.size(), journal.size()));
    for (const auto& [what, count] : not_compared)
        report.not_compared.push_back(fmt::format(
            "{}{}.", what, count == 1 ? std::string() : fmt::format(" ({} times)", count)));
    return report;
}

std::string to_text(const ReplayReport& report) {
    std::string text;
    for (const ReplayDifference& it : report.differences) {
        text += fmt::format("turn {}: {}\n", it.turn, it.subject);
        for (const std::string& line : it.recorded) text += "- " + line + "\n";
        for (const std::string& line : it.replayed) text += "+ " + line + "\n";
        text += "\n";
    }
    for (const std::string& line : report.not_compared) text += "not compared: " + line + "\n";
    text += report.identical() ? std::string("identical: ")
                               : fmt::format("{} difference{}: ", report.differences.size(),
                                             report.differences.size() == 1 ? "" : "s");
    text +=
        fmt::format("{} commands, {} results and {} pieces of input compared; {} replies decoded\n",
                    report.commands, report.results, report.inputs, report.replies);
    return text;
}

} // namespace eyehand::agent
