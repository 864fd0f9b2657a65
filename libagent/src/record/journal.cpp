#include "eyehand/agent/journal.hpp"

#include "base/path_text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/base/folder_file.hpp"
#include "record/journal_json.hpp"
#include "record/line_hash.hpp"
#include "record/lock_file.hpp"
#include "record/prompt_files.hpp"
#include "record/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <istream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace eyehand::agent {
namespace {

[[noreturn]] void refuse(const std::string& file, std::size_t line, std::string_view reason) {
    throw Error(errc::journal_corrupt, fmt::format("{}, line {}: {}", file, line, reason));
}

} // namespace

class Journal::State {
public:
    /// `in` reads the journal, or is nullptr; `out` continues it. The texts of requests are stored
    /// in `store`, unless it is nullptr.
    State(std::string file, std::unique_ptr<AppendStream> out, std::unique_ptr<std::istream> in,
          Listener listener, RunStore* store, std::string key)
        : file_(std::move(file)), listener_(std::move(listener)), out_(std::move(out)),
          hash_(std::move(key)), previous_hash_(hash_.first()) {
        if (store != nullptr) prompts_.emplace(*store);
        recover(std::move(in));
    }

    void append(Payload payload, int turn);
    void start_sync();
    void finish_sync();
    /// The entry for a request, whose texts are stored first.
    [[nodiscard]] Asked asked(const Ask& command);
    void drop_ends();
    [[nodiscard]] std::chrono::milliseconds elapsed() const;
    [[nodiscard]] const std::vector<Fact>& recovered() const { return recovered_; }
    void release_recovered() { std::vector<Fact>().swap(recovered_); } // with its capacity
    [[nodiscard]] const std::string& task() const { return task_; }
    [[nodiscard]] const std::string& outcome() const { return outcome_; }

private:
    void recover(std::unique_ptr<std::istream> in);
    /// `first`: the "prev" of the first line.
    void check_key(std::string_view first);
    void count(const Payload& payload);
    std::string file_; ///< for errors
    Listener listener_;
    std::unique_ptr<AppendStream> out_;
    bool synced_ = false;       ///< since the latest entry, or being synced
    std::future<void> syncing_; ///< its thread uses `out_`
    std::uint64_t seq_ = 0;
    LineHash hash_;
    std::string previous_hash_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::milliseconds offset_{};
    std::vector<Fact> recovered_;
    std::string task_;
    std::string outcome_;
    int requests_ = 0;
    std::optional<PromptFiles> prompts_;
    std::map<std::string, std::vector<SentMessage>> sent_; ///< the latest request of each role
};

// The journal is locked before it is read: an entry that another process is writing looks like a
// torn line.

Journal::Journal(const std::filesystem::path& file, Listener listener) {
    auto out = lock_file(file);
    auto in = base::open_in_folder(file.parent_path(), file.filename(), max_journal_bytes);
    state_ = std::make_unique<State>(text_of(file), std::move(out), std::move(in),
                                     std::move(listener), nullptr, std::string());
}

Journal::Journal(RunStore& store, Listener listener, std::string key) {
    auto out = store.lock_journal();
    auto in = store.open_read(journal_name);
    const auto directory = store.directory();
    state_ = std::make_unique<State>(directory ? text_of(*directory / journal_name) : journal_name,
                                     std::move(out), std::move(in), std::move(listener), &store,
                                     std::move(key));
}

Journal::~Journal() = default;

void Journal::State::recover(std::unique_ptr<std::istream> in) {
    std::optional<Fact> pending; // the fact for the latest command if no fact follows it
    int turn = 0;
    std::size_t number = 0;
    std::uint64_t complete = 0; // bytes of the lines with a line break
    std::string line;
    // A line is complete with its line break: the text after the last one is a torn line.
    while (in && std::getline(*in, line) && !in->eof()) {
        complete += line.size() + 1;
        ++number;
        std::string reason;
        const auto value = parse_json(line, &reason);
        if (!value || !value->is_object()) refuse(file_, number, value ? "not an object" : reason);
        const json::object& entry = value->as_object();
        try {
            if (entry.at("seq").to_number<std::uint64_t>() != seq_ + 1) {
                refuse(file_, number, "the entry before it is missing");
            }
            if (seq_ == 0) check_key(entry.at("prev").as_string());
            if (entry.at("prev").as_string() != previous_hash_) {
                refuse(file_, number, "the line before it has been changed");
            }
            offset_ = std::chrono::milliseconds(entry.at("t").to_number<std::int64_t>());
            turn = entry.at("turn").to_number<int>();
            const Payload payload = read_payload(entry);
            count(payload);
            if (auto fact = interrupted(payload)) pending = std::move(fact);
            if (const auto* started = std::get_if<RunStarted>(&payload)) task_ = started->task;
            if (std::holds_alternative<RunResumed>(payload)) drop_ends();
            if (const auto* finished = std::get_if<RunFinished>(&payload))
                outcome_ = to_string(finished->outcome);
            if (auto fact = fact_of(payload)) {
                pending.reset();
                recovered_.push_back(*std::move(fact));
            }
        } catch (const Error&) {
            throw;
        } catch (const std::exception& problem) { // a member is missing or of the wrong type
            refuse(file_, number, problem.what());
        }
        ++seq_;
        previous_hash_ = hash_.of(line);
    }
    const bool is_torn = in && in->eof() && !line.empty();
    in.reset();
    if (is_torn) out_->cut(complete);
    if (pending) {
        std::visit([&](const auto& it) { append(Payload(it), turn); }, *pending);
        recovered_.push_back(*std::move(pending));
    }
}

void Journal::State::check_key(std::string_view first) {
    if (first == previous_hash_) return;
    if (first == no_hash) { // a journal that was begun without a key stays without one
        hash_ = LineHash();
        previous_hash_ = no_hash;
    } else {
        refuse(file_, 1,
               hash_.has_key() ? "the journal was written with another key"
                               : "the journal was written with a key: continuing it requires the "
                                 "same key");
    }
}

/// Removes the facts that ended the run, because it continues.
void Journal::State::drop_ends() {
    const auto ends_a_run = [](const Fact& fact) {
        return std::holds_alternative<Stopped>(fact) || std::holds_alternative<AskFailed>(fact) ||
               std::holds_alternative<ObserveFailed>(fact);
    };
    // Messages that arrived at the end are kept.
    std::vector<Fact> told;
    while (!recovered_.empty()) {
        if (std::holds_alternative<UserMessage>(recovered_.back()))
            told.push_back(std::move(recovered_.back()));
        else if (!ends_a_run(recovered_.back()))
            break;
        recovered_.pop_back();
    }
    if (!recovered_.empty()) { // the desktop may be available again
        if (auto* fact = std::get_if<Invoked>(&recovered_.back())) fact->desktop_failure.clear();
        if (auto* fact = std::get_if<Recovered>(&recovered_.back())) fact->desktop_failure.clear();
    }
    // The user may have changed the guard's rules: denials are counted anew.
    for (Fact& fact : recovered_)
        if (auto* call = std::get_if<Invoked>(&fact)) call->guard.reset();
    recovered_.insert(recovered_.end(), std::make_move_iterator(told.rbegin()),
                      std::make_move_iterator(told.rend()));
    outcome_.clear();
}

void Journal::resume(std::vector<std::string> remarks, int turn) {
    state_->drop_ends();
    append(Payload(RunResumed{std::move(remarks)}), turn);
}

std::chrono::milliseconds Journal::State::elapsed() const {
    return offset_ + std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::steady_clock::now() - start_);
}

void Journal::State::append(Payload payload, int turn) {
    Event event;
    event.seq = seq_ + 1;
    event.t = elapsed();
    event.turn = turn;
    event.payload = std::move(payload);

    json::object entry{{"seq", event.seq},
                       {"t", event.t.count()},
                       {"type", type_name(event.payload)},
                       {"turn", turn},
                       {"prev", previous_hash_}};
    write_payload(event.payload, entry);
    event.line = to_text(entry);

    finish_sync(); // the stream has one user at a time
    out_->append(event.line + '\n');
    synced_ = false;
    seq_ = event.seq;
    previous_hash_ = hash_.of(event.line);
    count(event.payload);
    if (listener_) listener_(event);
}

void Journal::State::start_sync() {
    if (std::exchange(synced_, true)) return;
    const auto sync = [this] { out_->sync(); };
    try {
        syncing_ = std::async(std::launch::async, sync);
    } catch (const std::system_error&) { // no further thread
        syncing_ = std::async(std::launch::deferred, sync);
    }
}

void Journal::State::finish_sync() {
    if (!syncing_.valid()) return;
    try {
        syncing_.get();
    } catch (...) {
        synced_ = false;
        throw;
    }
}

Asked Journal::State::asked(const Ask& command) {
    Asked event = agent::asked(command);
    event.number = requests_ + 1;
    if (prompts_) event.sent = prompts_->store(command.request, sent_[event.role]);
    return event;
}

/// Keeps what the next request needs from an entry of the journal.
void Journal::State::count(const Payload& payload) {
    const auto* request = std::get_if<Asked>(&payload);
    if (request == nullptr) return;
    ++requests_;
    std::vector<SentMessage>& messages = sent_[request->role];
    messages.resize(request->sent ? std::min(request->sent->same, messages.size()) : 0);
    if (request->sent)
        messages.insert(messages.end(), request->sent->added.begin(), request->sent->added.end());
}

void Journal::append(Payload payload, int turn) { state_->append(std::move(payload), turn); }
void Journal::start_sync() { state_->start_sync(); }
void Journal::finish_sync() {
    state_->start_sync();
    state_->finish_sync();
}

const std::vector<Fact>& Journal::recovered() const { return state_->recovered(); }
void Journal::release_recovered() { state_->release_recovered(); }
const std::string& Journal::task() const { return state_->task(); }
const std::string& Journal::outcome() const { return state_->outcome(); }
std::chrono::milliseconds Journal::elapsed() const { return state_->elapsed(); }

void Journal::append(const Command& command, int turn) {
    std::visit(
        [&](const auto& it) {
            if constexpr (std::is_same_v<std::decay_t<decltype(it)>, Ask>)
                append(Payload(state_->asked(it)), turn);
            else
                append(Payload(it), turn);
        },
        command);
}

void Journal::append(const Fact& fact, int turn) {
    std::visit([&](const auto& it) { append(Payload(it), turn); }, fact);
}

} // namespace eyehand::agent
