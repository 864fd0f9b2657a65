#include "report/report_json.hpp"

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/prompt.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/base/folder_file.hpp"
#include "page_json.hpp"
#include "record/run_file.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace eyehand::session {
namespace {

namespace fs = std::filesystem;
using agent::ScreenshotView;

// ---- the run ------------------------------------------------------------------------------------

/// The readable part of a journal.
struct ReadRun {
    agent::RunView view;
    json::array remarks{};
};

/// Whether the event may begin a turn that the view does not yet contain.
bool begins_turn(const agent::RunView& view, const agent::Event& event) {
    const std::size_t count = view.turn_count();
    const int latest = count == 0 ? 0 : view.turn(count - 1).number;
    const bool begins_with_reply =
        agent::mode_of(view.profile()).traits().turn_start == agent::ModeTraits::TurnStart::reply;
    if (const auto* observe = std::get_if<agent::Observe>(&event.payload))
        return !begins_with_reply && observe->screenshot > latest;
    // If a reply begins a turn, its request precedes the turn.
    if (begins_with_reply && std::holds_alternative<agent::Asked>(event.payload))
        return event.turn >= latest;
    return event.turn > latest;
}

ReadRun read(const fs::path& directory, const agent::Profile& profile) {
    ReadRun run{agent::RunView(profile, {.turns = max_turns + 1,
                                         .items_per_turn = max_items_per_turn,
                                         .messages_per_request = max_messages_per_request})};
    if (!base::size_in_folder(directory, agent::journal_name, agent::max_journal_bytes))
        run.remarks.emplace_back("The journal cannot be read: events.jsonl.");
    agent::JournalReader reader(directory / agent::journal_name);
    std::size_t bytes = 0;
    std::size_t left_out = 0;
    bool is_full = false;
    while (const auto event = reader.next()) {
        bytes += event->line.size();
        is_full = is_full || bytes > max_journal_bytes_read ||
                  (run.view.turn_count() >= max_turns && begins_turn(run.view, *event));
        // Even the longest run shows its outcome.
        const bool is_of_run = std::holds_alternative<agent::RunFinished>(event->payload) ||
                               std::holds_alternative<agent::RunResumed>(event->payload);
        if (is_full && !is_of_run)
            ++left_out;
        else
            run.view.apply(*event);
    }
    left_out += run.view.turns_left_out();
    for (std::size_t i = 0; i < run.view.turn_count(); ++i) left_out += run.view.turn(i).left_out;
    const auto remark = [&](std::size_t count, std::string_view reason) {
        if (count > 0)
            run.remarks.emplace_back(
                fmt::format("Journal entries omitted because {}: {}.", reason, count));
    };
    if (reader.torn())
        run.remarks.emplace_back("The journal ends with an incomplete entry, which is omitted.");
    remark(reader.damaged(), "they are damaged");
    remark(reader.too_long(), "they are too long");
    // The view counts damaged entries as unknown, too.
    const std::size_t unknown = run.view.unknown_events();
    remark(unknown > reader.damaged() ? unknown - reader.damaged() : 0,
           "this version does not know their type");
    remark(left_out, "the run is too long for a report");
    return run;
}

// ---- the texts of its requests ------------------------------------------------------------------

/// The texts that the requests of the turns name, by hash.
class Texts {
public:
    explicit Texts(fs::path directory) : directory_(std::move(directory)) {}

    void add(const agent::TurnView& turn) {
        for (const agent::TurnItem& item : turn.items) {
            const auto* request = std::get_if<agent::RequestView>(&item);
            if (request == nullptr) continue;
            for (const auto* messages : {&request->added, &request->replaced})
                for (const auto& message : *messages)
                    for (const agent::SentPart& part : message->parts)
                        if (part.image_sha256.empty()) add(part.text);
            if (request->tools) add(*request->tools);
            if (request->structure) add(*request->structure);
        }
    }
    void remark(json::array& remarks) const {
        if (missing_ > 0)
            remarks.emplace_back(
                fmt::format("Texts of requests that are missing or were changed: {}.", missing_));
        if (left_out_ > 0)
            remarks.emplace_back(
                fmt::format("Texts of requests omitted because the run is too long for a report: "
                            "{}.",
                            left_out_));
    }
    [[nodiscard]] json::object take() && { return std::move(all_); }

private:
    void add(const agent::SentText& text) {
        if (!known_.insert(text.hash).second) return;
        if (bytes_ > max_prompt_bytes_read) {
            ++left_out_;
            return;
        }
        const auto read = agent::read_prompt(directory_, text.hash);
        if (!read) {
            ++missing_;
            return;
        }
        bytes_ += read->size();
        all_[text.hash] = agent::to_valid_utf8(*read);
    }

    fs::path directory_;
    json::object all_;
    std::set<std::string, std::less<>> known_;
    std::size_t bytes_ = 0;
    std::size_t missing_ = 0;
    std::size_t left_out_ = 0;
};

// ---- its screenshots ----------------------------------------------------------------------------

/// The image files of the screenshots, each once.
class ScreenshotFiles {
public:
    explicit ScreenshotFiles(fs::path directory) : directory_(std::move(directory)) {}

    /// The index of a screenshot's image. Files with the same hash in the journal share an index if
    /// their contents are equal.
    std::size_t place_of(const agent::Observed& look) {
        const bool is_annotated = !look.raw_file.empty();
        const std::string file = agent::to_valid_utf8(is_annotated ? look.raw_file : look.file);
        const std::string& sha256 = is_annotated ? look.raw_sha256 : look.sha256;
        if (const auto known = known_.find(file); known != known_.end()) return known->second;
        if (known_.size() >= max_screenshot_files) return place_of_others();
        const auto [same, is_new] = by_hash_.try_emplace(sha256, all_.size());
        if (!is_new && !sha256.empty() && is_same_file(file, all_[same->second].file)) {
            known_.emplace(file, same->second);
            return same->second;
        }
        known_.emplace(file, all_.size());
        all_.push_back({file});
        return all_.size() - 1;
    }

    [[nodiscard]] std::size_t left_out() const { return left_out_; }
    [[nodiscard]] std::vector<ScreenshotFile> take() && { return std::move(all_); }

private:
    std::size_t place_of_others() {
        ++left_out_;
        if (!others_) {
            others_ = all_.size();
            all_.push_back({{},
                            fmt::format("The report contains only the first {} screenshots.",
                                        max_screenshot_files)});
        }
        return *others_;
    }

    bool is_same_file(const std::string& a, const std::string& b) {
        constexpr std::uintmax_t max = agent::max_screenshot_file_bytes;
        const auto size = base::size_in_folder(directory_, agent::path_of(a), max);
        if (!size || size != base::size_in_folder(directory_, agent::path_of(b), max)) return false;
        compared_bytes_ += *size;
        if (compared_bytes_ > max_bytes_compared) return false;
        const auto bytes = base::read_in_folder(directory_, agent::path_of(a), max);
        return bytes && bytes == base::read_in_folder(directory_, agent::path_of(b), max);
    }

    fs::path directory_;
    std::vector<ScreenshotFile> all_;
    std::map<std::string, std::size_t, std::less<>> known_; ///< indices by file
    std::map<std::string, std::size_t, std::less<>> by_hash_;
    std::optional<std::size_t> others_; ///< the index of the placeholder
    std::size_t left_out_ = 0;
    std::uintmax_t compared_bytes_ = 0;
};

/// The screenshots of all turns, by number.
class Screenshots {
public:
    explicit Screenshots(const fs::path& directory) : files_(directory) {}

    /// Returns the number by which a turn refers to the screenshot.
    json::value add(const ScreenshotView& screenshot) {
        const std::string number = std::to_string(screenshot.index);
        if (all_.contains(number)) return screenshot.index;
        json::object one = page::to_json(screenshot);
        bytes_ += one.at("changed").as_array().size() * 24 + cost(screenshot.annotation);
        if (bytes_ > max_screenshot_bytes) {
            one["changed"] = json::array();
            one["annotation"] = nullptr;
            one["bare"] = true;
            ++bare_;
        }
        one["picture"] = files_.place_of(screenshot.look);
        one["file"] = agent::to_valid_utf8(screenshot.look.file);
        all_[number] = std::move(one);
        return screenshot.index;
    }

    void remark(json::array& remarks) const {
        if (bare_ > 0)
            remarks.emplace_back(fmt::format("Screenshots without annotation and changed regions "
                                             "because the run is too long for a report: {}.",
                                             bare_));
        if (files_.left_out() > 0)
            remarks.emplace_back(fmt::format("Screenshots omitted after the first {}: {}.",
                                             max_screenshot_files, files_.left_out()));
    }
    [[nodiscard]] json::object take_json() { return std::move(all_); }
    [[nodiscard]] std::vector<ScreenshotFile> take_files() { return std::move(files_).take(); }

private:
    /// The approximate size of an annotation as JSON.
    static std::size_t cost(const std::optional<agent::Annotation>& annotation) {
        if (!annotation) return 0;
        std::size_t bytes = annotation->boxes.size() * 60;
        for (const auto& marks : annotation->trail) bytes += 2 + marks.size() * 60;
        return bytes;
    }

    ScreenshotFiles files_;
    json::object all_;
    std::size_t bytes_ = 0;
    std::size_t bare_ = 0;
};

/// The name of a run directory, also if the path ends with a slash.
std::string name_of(const fs::path& directory) {
    const fs::path whole = fs::absolute(directory).lexically_normal();
    return agent::text_of(whole.has_filename() ? whole.filename() : whole.parent_path().filename());
}

} // namespace

ReportJson read_report_json(const fs::path& run_directory) {
    const agent::StoredRun stored = agent::load_run(run_directory);
    ReadRun run = read(run_directory, stored.summary.profile);
    Screenshots screenshots(run_directory);
    Texts texts(run_directory);
    json::array turns;
    for (std::size_t i = 0; i < run.view.turn_count(); ++i) {
        turns.emplace_back(page::to_json(
            run.view.turn(i), [&](const ScreenshotView& one) { return screenshots.add(one); }));
        texts.add(run.view.turn(i));
    }
    screenshots.remark(run.remarks);
    texts.remark(run.remarks);

    json::object state = page::to_json(run.view);
    // run.json contains the task even if the journal has no event.
    state["task"] = agent::to_valid_utf8(stored.summary.task);
    const auto calibration =
        base::read_in_folder(run_directory, agent::calibration_name, agent::max_calibration_bytes);
    ReportJson report;
    report.turns = turns.size();
    report.page = {{"run", name_of(run_directory)},
                   {"state", std::move(state)},
                   {"turns", std::move(turns)},
                   {"screenshots", screenshots.take_json()},
                   {"config", page::config_json(stored, calibration)},
                   {"remarks", std::move(run.remarks)},
                   {"texts", std::move(texts).take()}};
    report.screenshot_files = screenshots.take_files();
    return report;
}

void shorten_texts(json::value& value, std::size_t max_bytes, std::string_view file) {
    if (value.is_string()) {
        const json::string& whole = value.as_string();
        if (whole.size() <= max_bytes) return;
        value = fmt::format("{} [... {} bytes in total; the full text is in {}]",
                            agent::cut_bytes({whole.data(), whole.size()}, max_bytes), whole.size(),
                            file);
    } else if (value.is_array()) {
        for (json::value& it : value.as_array()) shorten_texts(it, max_bytes, file);
    } else if (value.is_object()) {
        for (auto& member : value.as_object()) shorten_texts(member.value(), max_bytes, file);
    }
}

} // namespace eyehand::session
