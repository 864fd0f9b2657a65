#include "replay/desktop_recording.hpp"

#include "base/text.hpp"
#include "eyehand/agent/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::size_t max_line = std::size_t{256} << 20; // a frame of 64 million pixels has less

Error line_error(std::size_t line, std::string_view reason) {
    return {errc::bad_run, fmt::format("{}, line {}: {}", recording_name, line, reason)};
}

std::string text_at(const json::object& record, std::string_view name) {
    const json::string& text = record.at(name).as_string();
    return {text.data(), text.size()};
}

Watch watch_at(const json::object& record) {
    const std::string name = text_at(record, "watch");
    for (const Watch watch : {Watch::off, Watch::check, Watch::resend})
        if (to_string(watch) == name) return watch;
    throw std::runtime_error("the watch is unknown");
}

Source source_at(const json::object& record, std::string_view name) {
    return text_at(record, name) == "client" ? Source::client : Source::library;
}

RecordedPart part_of(const json::object& record) {
    if (record.at("format").to_number<int>() != recording_format)
        throw std::runtime_error("the format is that of another version");
    RecordedPart part;
    part.version = text_at(record, "version");
    part.watch = watch_at(record);
    part.approvals =
        text_at(record, "approvals") == "user" ? Approvals::user : Approvals::unattended;
    part.annotation = source_at(record, "annotation");
    part.first_reply = source_at(record, "first_reply");
    for (const json::value& process : record.at("own_processes").as_array())
        part.own_processes.push_back(process.to_number<std::uint32_t>());
    part.desktop = {record.at("windows").as_bool(), record.at("clipboard").as_bool(),
                    text_at(record, "line_break")};
    return part;
}

/// Checks records without decoding frames, and numbers the frames.
class Checker final : public DesktopTape {
public:
    [[nodiscard]] winio::Frame frame_of(const json::value& record) override {
        (void)record.as_object();
        return {};
    }
};

/// Moves the frame of a record to `frames`; the record keeps its number.
void number_frame(json::object& record, std::vector<json::object>& frames) {
    json::value* value = record.if_contains("value");
    json::object* object = value == nullptr ? nullptr : value->if_object();
    json::value* frame = object == nullptr ? nullptr : object->if_contains("frame");
    if (frame == nullptr) return;
    frames.push_back(std::move(frame->as_object()));
    *frame = json::object{{"number", frames.size() - 1}};
}

void add(json::object record, std::size_t line, std::vector<RecordedPart>& parts) {
    const std::string type = text_at(record, "type");
    if (type == "part") {
        parts.push_back(part_of(record));
        return;
    }
    if (parts.empty()) throw std::runtime_error("the recording does not begin with a part");
    RecordedPart& part = parts.back();
    if (type == "command") {
        part.commands.push_back({.line = line,
                                 .name = text_at(record, "command"),
                                 .turn = record.at("turn").to_number<int>()});
        return;
    }
    if (type != "answer" && type != "input")
        throw std::runtime_error("the type \"" + type + "\" is unknown");
    if (part.commands.empty()) throw std::runtime_error("a record precedes all commands");
    RecordedCommand& command = part.commands.back();
    Checker checker;
    check_record(record, checker);
    if (type == "answer") {
        number_frame(record, part.frames);
        const std::string of = text_at(record, "of");
        command.answers[of].push_back({line, std::move(record)});
    } else {
        command.inputs.push_back({line, std::move(record)});
    }
}

bool is(const json::object& record, std::string_view kind) {
    const json::value* of = record.if_contains("of");
    return of != nullptr && of->as_string() == kind;
}

} // namespace

bool has_frame(const json::value& value) {
    const json::object* object = value.if_object();
    return object != nullptr && object->contains("frame");
}

std::vector<RecordedPart> read_recording(std::istream& in) {
    std::vector<RecordedPart> parts;
    bool pointer_before = false;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line) && !in.eof();) {
        ++number;
        if (line.size() > max_line) throw line_error(number, "it is too long");
        std::string reason;
        auto value = parse_json(line, &reason);
        if (!value || !value->is_object())
            throw line_error(number, value ? "not an object" : reason);
        try {
            json::object& record = value->as_object();
            const bool is_pointer = is(record, answers::pointer.of) && !record.contains("error");
            add(std::move(record), number, parts);
            // The executor asks until the pointer has arrived: only the last answer counts.
            if (is_pointer && pointer_before) {
                auto& all = parts.back().commands.back().answers.find(answers::pointer.of)->second;
                all.erase(all.end() - 2);
            }
            pointer_before = is_pointer;
        } catch (const Error&) {
            throw;
        } catch (const std::exception& problem) { // a member is missing or of the wrong type
            throw line_error(number, problem.what());
        }
    }
    return parts;
}

// ---- the player ---------------------------------------------------------------------------------

void TapePlayer::next_command(const Command& command) {
    asked_.clear();
    inputs_.clear();
    missing_.clear();
    if (next_ == part_.commands.size())
        throw Error(errc::bad_run,
                    fmt::format("{} is incomplete: it ends before a command \"{}\" of the journal",
                                recording_name, name_of(command)));
    command_ = &part_.commands[next_++];
    if (command_->name != name_of(command))
        throw line_error(
            command_->line,
            fmt::format("the recording does not belong to the journal: it has the command "
                        "\"{}\" where the journal has \"{}\"",
                        command_->name, name_of(command)));
}

std::vector<std::string> TapePlayer::recorded_inputs() const {
    std::vector<std::string> all;
    if (command_ != nullptr)
        for (const RecordedLine& input : command_->inputs)
            all.push_back(text_at(input.record, "what"));
    return all;
}

winio::Frame TapePlayer::frame_of(const json::value& record) {
    const auto number = record.at("number").to_number<std::size_t>();
    if (number >= part_.frames.size()) throw std::out_of_range("a frame is missing");
    if (number + 1 < decoded_) { // an answer is given back again
        decoded_ = 0;
        frames_ = {};
    }
    while (decoded_ <= number) frame_ = frames_.decode(part_.frames[decoded_++]);
    return frame_;
}

std::optional<vlm::RawResponse> TapePlayer::response() {
    if (command_ == nullptr || !command_->answers.contains(answers::response.of))
        return std::nullopt;
    return answer(answers::response, [] { return vlm::RawResponse(); });
}

const json::object* TapePlayer::next_answer(std::string_view of) {
    const json::object*& latest = latest_.try_emplace(std::string(of), nullptr).first->second;
    if (command_ == nullptr) return latest;
    const auto found = command_->answers.find(of);
    std::size_t& asked = asked_.try_emplace(std::string(of), 0).first->second;
    if (found != command_->answers.end() && asked < found->second.size()) {
        latest = &found->second[asked++].record;
        if (const json::value* value = latest->if_contains("value"); value && has_frame(*value))
            latest_frame_ = latest;
    } else if (of == answers::capture.of && latest_frame_ != nullptr) {
        return latest_frame_; // the screen has not changed since, as far as the run knows
    }
    return latest;
}

winio::Error TapePlayer::no_answer(std::string_view of) {
    missing_.emplace_back(of);
    return DesktopTape::no_answer(of);
}

const json::object* TapePlayer::next_input(const std::string& what) {
    inputs_.push_back(what);
    const std::size_t index = inputs_.size() - 1;
    if (command_ == nullptr || index >= command_->inputs.size()) return nullptr;
    const json::object& record = command_->inputs[index].record;
    return text_at(record, "what") == what ? &record : nullptr;
}

Error TapePlayer::error_in(const json::object& record, const std::string& reason) const {
    if (command_ == nullptr) return line_error(0, reason);
    for (const RecordedLine& it : command_->inputs)
        if (&it.record == &record) return line_error(it.line, reason);
    for (const auto& [kind, lines] : command_->answers)
        for (const RecordedLine& it : lines)
            if (&it.record == &record) return line_error(it.line, reason);
    return line_error(command_->line, reason);
}

} // namespace eyehand::agent
