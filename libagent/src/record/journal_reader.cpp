#include "eyehand/agent/journal_reader.hpp"

#include "eyehand/base/folder_file.hpp"
#include "record/journal_json.hpp"
#include "record/line_hash.hpp"
#include "record/run_file.hpp"

#include <exception>
#include <istream>
#include <utility>

namespace eyehand::agent {
namespace {

/// The member as text; empty if it is missing or not a text.
std::string_view text_at(const json::object& entry, std::string_view name) {
    const json::value* value = entry.if_contains(name);
    if (value == nullptr || !value->is_string()) return {};
    return {value->as_string().data(), value->as_string().size()};
}

/// The member as a number; 0 if it is missing or not such a number.
template <class Number>
Number number_at(const json::object& entry, std::string_view name) {
    const json::value* value = entry.if_contains(name);
    json::error_code error;
    const Number number = value == nullptr ? Number() : value->to_number<Number>(error);
    return error ? Number() : number;
}

bool is_damaged(const Event& event) {
    const auto* unknown = std::get_if<UnknownEvent>(&event.payload);
    return unknown != nullptr && !unknown->problem.empty();
}

} // namespace

Event parse_event(std::string_view line) {
    Event event;
    event.line = line;
    std::string problem;
    const auto value = parse_json(line, &problem);
    if (!value || !value->is_object()) {
        event.payload = UnknownEvent{{}, value ? "the line is not a JSON object" : problem};
        return event;
    }
    const json::object& entry = value->as_object();
    event.seq = number_at<std::uint64_t>(entry, "seq");
    event.t = std::chrono::milliseconds(number_at<std::int64_t>(entry, "t"));
    event.turn = number_at<int>(entry, "turn");
    try {
        event.payload = read_payload(entry);
    } catch (const std::exception& error) { // a member is missing or of the wrong type
        event.payload = UnknownEvent{std::string(text_at(entry, "type")), error.what()};
    }
    return event;
}

struct JournalReader::State {
    std::filesystem::path file;
    std::unique_ptr<std::istream> in{};
    std::streamoff at = 0; ///< of the first byte that is not read
    std::size_t damaged = 0;
    std::size_t too_long = 0;
    bool torn = false;
};

JournalReader::JournalReader(std::filesystem::path file)
    : state_(std::make_unique<State>(State{.file = std::move(file)})) {}

JournalReader::~JournalReader() = default;
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;

std::optional<Event> JournalReader::next() {
    State& state = *state_;
    if (!state.in) {
        state.in = base::open_in_folder(state.file.parent_path(), state.file.filename(),
                                        max_journal_bytes);
        if (!state.in) return std::nullopt;
        state.in->seekg(state.at);
    }
    std::string line;
    std::uintmax_t bytes = 0;
    for (;;) {
        const JournalLine read = next_line(*state.in, line, bytes);
        state.torn = read == JournalLine::torn;
        if (read == JournalLine::none || read == JournalLine::torn) {
            state.in->clear();
            state.in->seekg(state.at); // the line may be whole the next time
            return std::nullopt;
        }
        state.at += static_cast<std::streamoff>(bytes);
        if (read == JournalLine::too_long) {
            ++state.too_long;
            continue;
        }
        Event event = parse_event(line);
        if (is_damaged(event)) ++state.damaged;
        return event;
    }
}

std::size_t JournalReader::damaged() const { return state_->damaged; }
std::size_t JournalReader::too_long() const { return state_->too_long; }
bool JournalReader::torn() const { return state_->torn; }

std::vector<Event> read_journal(const std::filesystem::path& file) {
    std::vector<Event> events;
    JournalReader reader(file);
    while (auto event = reader.next()) events.push_back(*std::move(event));
    return events;
}

std::vector<Event> read_journal(const RunStore& store) {
    std::vector<Event> events;
    for_each_event(store, [&](Event&& event) { events.push_back(std::move(event)); });
    return events;
}

void for_each_event(const RunStore& store, const std::function<void(Event&&)>& call) {
    const auto in = store.open_read(journal_name);
    std::string line;
    std::uintmax_t bytes = 0;
    while (in) {
        const JournalLine read = next_line(*in, line, bytes);
        if (read == JournalLine::none || read == JournalLine::torn) break;
        if (read == JournalLine::whole) call(parse_event(line));
    }
}

std::string ChainVerifier::check(const Event& event) {
    const auto value = parse_json(event.line);
    const json::object* entry = value ? value->if_object() : nullptr;
    const std::string previous(entry == nullptr ? std::string_view() : text_at(*entry, "prev"));
    const LineHash hash(key_);
    if (!std::exchange(began_, true)) {
        previous_line_hash_ = hash.first();
        has_key_ = !previous.empty() && previous != no_hash;
    }
    const std::string expected = std::exchange(previous_line_hash_, hash.of(event.line));
    std::string problem;
    if (entry == nullptr)
        problem = "it is not a JSON object";
    else if (event.seq != seq_ + 1)
        problem = "the entry before it is missing";
    else if (seq_ == 0 && hash.has_key() && previous != expected)
        problem = has_key_ ? "it was written with another key" : "it was written without a key";
    else if (previous != expected && hash.has_key() == has_key_)
        problem = "the line before it has been changed";
    seq_ = event.seq;
    return problem;
}

} // namespace eyehand::agent
