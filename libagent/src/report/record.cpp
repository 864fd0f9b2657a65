// The journal in order, folded into turns. What belongs to a turn is kept as a list of items, so that the
// page shows it as it happened.
#include "report/record.hpp"

#include "annotation/annotation_json.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "record/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace eyehand::agent {
namespace {

// ---- lenient looks into an entry: what is missing or of another type is empty -------------------

std::string_view text_at(const json::object& entry, std::string_view name) {
    const json::value* value = entry.if_contains(name);
    if (value == nullptr || !value->is_string()) return {};
    return {value->as_string().data(), value->as_string().size()};
}

int int_at(const json::object& entry, std::string_view name, int otherwise = 0) {
    const json::value* value = entry.if_contains(name);
    if (value == nullptr || !value->is_int64()) return otherwise;
    return static_cast<int>(
        std::clamp<std::int64_t>(value->as_int64(), -1'000'000'000, 1'000'000'000));
}

json::array array_at(const json::object& entry, std::string_view name) {
    const json::value* value = entry.if_contains(name);
    return value != nullptr && value->is_array() ? value->as_array() : json::array();
}

json::object object_at(const json::object& entry, std::string_view name) {
    const json::value* value = entry.if_contains(name);
    return value != nullptr && value->is_object() ? value->as_object() : json::object();
}

void copy(const json::object& from, json::object& to,
          std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (const json::value* value = from.if_contains(name)) to[name] = *value;
}

double number_of(const json::value& value) {
    boost::system::error_code problem;
    const auto number = value.to_number<double>(problem);
    return problem ? 0 : number;
}

/// Rectangles of the desktop as shares (0 to 1) of the area that a picture shows.
json::array shares(const json::array& rects, const json::array& area) {
    json::array all;
    if (area.size() != 4) return all;
    const double width = number_of(area[2]);
    const double height = number_of(area[3]);
    if (!(width > 0) || !(height > 0)) return all;
    for (const json::value& rect : rects) {
        if (all.size() == max_changes_a_look) break;
        if (!rect.is_array() || rect.as_array().size() != 4) continue;
        const json::array& it = rect.as_array();
        all.emplace_back(json::array{(number_of(it[0]) - number_of(area[0])) / width,
                                     (number_of(it[1]) - number_of(area[1])) / height,
                                     number_of(it[2]) / width, number_of(it[3]) / height});
    }
    return all;
}

// ---- folding ------------------------------------------------------------------------------------

class Folder {
public:
    /// A visual loop counts replies: a turn's reply stands in the journal before the turn begins.
    enum class Turns { begin_with_request, begin_with_reply };
    Folder(std::filesystem::path directory, Turns turns)
        : directory_(std::move(directory)), counted_(turns) {}

    /// Of so many bytes in the journal.
    void add(const json::object& entry, std::size_t bytes) {
        const std::string_view type = text_at(entry, "type");
        entry_bytes_ = bytes;
        told_bytes_ += bytes;
        // How it ended is told of the longest run.
        if (told_bytes_ > max_bytes_told && type != "run_finished") {
            ++left_out_;
            return;
        }
        const bool asks = type == "ask" || type == "replied" || type == "ask_failed";
        const int turn =
            int_at(entry, "turn") + (asks && counted_ == Turns::begin_with_reply ? 1 : 0);
        t_ = std::max(t_, int_at(entry, "t"));
        const bool of_a_turn = turn > 0 && type != "observe" && type != "observed" &&
                               !type.starts_with("run_") && type != "finish" && type != "await";
        if (of_a_turn && !index_.contains(turn) && turns_.size() >= max_turns_told) {
            ++left_out_;
            return;
        }
        if (type == "run_started") {
            copy(entry, run_, {"model"});
        } else if (type == "run_resumed") {
            for (const char* name : {"outcome", "why"}) run_.erase(name); // it went on
            json::object item{{"kind", "resumed"}};
            copy(entry, item, {"remarks"});
            add_item(std::move(item), turn);
        } else if (type == "observe") {
            annotation_ = object_at(entry, "annotation");
            annotation_bytes_ = bytes;
        } else if (type == "observed") {
            look(entry);
        } else if (type == "ask") {
            ask(entry, turn);
        } else if (type == "replied") {
            json::object item{{"kind", "words"}};
            copy(entry, item,
                 {"text", "reasoning", "finish", "model", "notes", "prompt_tokens", "cached_tokens",
                  "completion_tokens", "wait_ms", "model_ms"});
            item["calls"] = array_at(entry, "tool_calls").size();
            add_item(std::move(item), turn);
        } else if (type == "invoke") {
            json::object item{{"kind", "call"}, {"pending", true}};
            copy(entry, item, {"tool", "arguments"});
            add_pending(std::move(item), turn);
        } else if (type == "invoked") {
            invoked(entry, turn);
        } else if (type == "recover") {
            json::object item{{"kind", "recovery"}, {"pending", true}};
            copy(entry, item, {"why"});
            add_pending(std::move(item), turn);
        } else if (type == "recovered") {
            json::object* const found = pending("recovery", turn);
            if (found == nullptr) return;
            json::object& item = *found;
            copy(entry, item, {"problem", "desktop_failure", "act_ms"});
            item["ok"] =
                text_at(entry, "problem").empty() && text_at(entry, "desktop_failure").empty();
        } else if (type == "ask_failed" || type == "observe_failed") {
            json::object item{{"kind", type == "ask_failed" ? "no_reply" : "no_picture"}};
            copy(entry, item, {"message"});
            item["error"] = current_error_name(text_at(entry, "error"));
            add_item(std::move(item), turn);
        } else if (type == "noted") {
            json::object item{{"kind", "note"}};
            item["about"] = text_at(entry, "kind");
            copy(entry, item, {"text"});
            add_item(std::move(item), turn);
        } else if (type == "told") {
            json::object item{{"kind", "told"}};
            item["about"] = text_at(entry, "kind");
            copy(entry, item, {"text"});
            add_item(std::move(item), turn);
        } else if (type == "stopped") {
            json::object item{{"kind", "stopped"}};
            copy(entry, item, {"why"});
            add_item(std::move(item), turn);
        } else if (type == "run_finished") {
            copy(entry, run_,
                 {"outcome", "why", "prompt_tokens", "cached_tokens", "completion_tokens",
                  "elapsed_ms"});
        } else if (type != "finish" && type != "await") {
            ++unknown_;
        }
    }

    RunRecord take() {
        show_after(); // the last look was for nobody
        RunRecord record;
        record.turns = turns_.size();
        json::array turns;
        for (json::object& turn : turns_) turns.emplace_back(std::move(turn));
        if (!run_.contains("elapsed_ms")) run_["elapsed_ms"] = t_;
        run_["turns"] = std::move(turns);
        run_["before"] = std::move(before_);
        record.page = std::move(run_);
        record.pictures = std::move(pictures_);
        return record;
    }
    [[nodiscard]] int unknown() const { return unknown_; }
    [[nodiscard]] int left_out() const { return left_out_; }
    [[nodiscard]] int bare_turns() const { return bare_turns_; }
    [[nodiscard]] int pictures_left_out() const { return pictures_left_out_; }

private:
    /// What a look showed.
    struct Look {
        std::size_t picture = 0;
        std::size_t bytes = 0; ///< in the journal
        int copies = 0;        ///< in turns
        std::string sha256;    ///< of the file that the model got
        json::object told;
        json::object annotation;
        json::array changed;
        bool shown = false; ///< a turn has it as what it saw
    };

    json::object& turn_of(int number) {
        if (const auto found = index_.find(number); found != index_.end())
            return turns_[found->second];
        show_after();
        json::object turn{
            {"number", number}, {"t", t_}, {"items", json::array()}, {"marks", json::array()}};
        if (latest_) {
            turn["picture"] = latest_->picture;
            if (may_copy()) {
                turn["look"] = latest_->told;
                turn["annotation"] = latest_->annotation;
                turn["changed"] = latest_->changed;
            }
            latest_->shown = true;
        }
        index_.emplace(number, turns_.size());
        turns_.push_back(std::move(turn));
        return turns_.back();
    }

    /// Each turn has what it saw and what it came to, however many saw the same.
    bool may_copy() {
        if (latest_->copies++ < 2) return true; // the turn before and the one after it
        if (copied_bytes_ + latest_->bytes > max_bytes_copied) {
            ++bare_turns_;
            return false;
        }
        copied_bytes_ += latest_->bytes;
        return true;
    }

    /// What is known now is what the latest turn has come to.
    void show_after() {
        if (turns_.empty() || !latest_ || latest_->shown) return;
        turns_.back()["after"] = latest_->picture;
        turns_.back()["after_changed"] = json::array();
        turns_.back()["after_annotation"] = json::object();
        if (!may_copy()) return;
        turns_.back()["after_changed"] = latest_->changed;
        turns_.back()["after_annotation"] = latest_->annotation;
    }

    /// Of what happened before the first turn there is a list of its own. An entry without a turn belongs to
    /// the latest one.
    json::array& items_of(int number) {
        if (number > 0) return turn_of(number)["items"].as_array();
        return turns_.empty() ? before_ : turns_.back()["items"].as_array();
    }

    /// Whether there was room for it.
    bool add_item(json::object item, int turn) {
        json::array& items = items_of(turn);
        if (items.size() < max_items_a_turn) {
            items.emplace_back(std::move(item));
            return true;
        }
        ++left_out_;
        return false;
    }

    // ---- items that wait for what came of them, by turn and kind: a search would take its time in long turns

    [[nodiscard]] std::string waiting_key(std::string_view kind, int turn) const {
        std::string of = "before"; // as items_of has it
        if (turn > 0)
            of = std::to_string(turn);
        else if (!turns_.empty())
            of = std::to_string(turns_.back().at("number").as_int64());
        return fmt::format("{} {}", of, kind);
    }

    void add_pending(json::object item, int turn) {
        const std::string kind(text_at(item, "kind"));
        if (add_item(std::move(item), turn))
            waiting_[waiting_key(kind, turn)].push_back(items_of(turn).size() - 1);
    }

    /// The latest one that waits, or a new one; nothing where there is no room.
    json::object* pending(std::string_view kind, int turn) {
        const auto found = waiting_.find(waiting_key(kind, turn));
        if (found == waiting_.end()) {
            if (!add_item({{"kind", kind}}, turn)) return nullptr;
            return &items_of(turn).back().as_object();
        }
        json::object& item = items_of(turn).at(found->second.back()).as_object();
        found->second.pop_back();
        if (found->second.empty()) waiting_.erase(found);
        item.erase("pending");
        return &item;
    }

    void look(const json::object& entry) {
        Look look;
        const bool annotated = !text_at(entry, "raw_file").empty();
        look.sha256 = std::string(text_at(entry, "sha256"));
        look.bytes = entry_bytes_ + std::exchange(annotation_bytes_, 0);
        copy(entry, look.told,
             {"file", "raw_file", "width", "height", "still", "settle_ms", "capture_ms", "scale_ms",
              "encode_ms", "annotate_ms"});
        look.changed = shares(array_at(entry, "changed"), array_at(entry, "area"));
        look.annotation = std::exchange(annotation_, {});
        look.picture = place_of(std::string(text_at(entry, annotated ? "raw_file" : "file")),
                                std::string(text_at(entry, annotated ? "raw_sha256" : "sha256")));
        // A turn that looks again between its calls has come to the latest look.
        latest_ = std::move(look);
        show_after();
    }

    /// A picture that was there before is in the report once. That it is the same is looked for where the
    /// journal says so, and seen in the files.
    std::size_t place_of(std::string file, const std::string& sha256) {
        if (const auto known = known_.find(file); known != known_.end()) return known->second;
        if (known_.size() >= max_pictures) {
            ++pictures_left_out_;
            if (!instead_) {
                instead_ = pictures_.size();
                pictures_.push_back(
                    {{}, fmt::format("The report has only the first {} pictures.", max_pictures)});
            }
            return *instead_;
        }
        const auto [same, is_new] = by_hash_.try_emplace(sha256, pictures_.size());
        if (!is_new && !sha256.empty() && is_same_file(file, pictures_[same->second].file)) {
            known_.emplace(std::move(file), same->second);
            return same->second;
        }
        known_.emplace(file, pictures_.size());
        pictures_.push_back({std::move(file)});
        return pictures_.size() - 1;
    }

    bool is_same_file(const std::string& a, const std::string& b) {
        if (!is_within(directory_, path_of(a)) || !is_within(directory_, path_of(b))) return false;
        const auto size = run_file_size(directory_ / path_of(a), max_picture_bytes);
        if (!size || size != run_file_size(directory_ / path_of(b), max_picture_bytes))
            return false;
        compared_bytes_ += *size;
        if (compared_bytes_ > max_bytes_compared) return false;
        return read_run_file(directory_ / path_of(a), max_picture_bytes) ==
               read_run_file(directory_ / path_of(b), max_picture_bytes);
    }

    void ask(const json::object& entry, int number) {
        json::object& turn = turn_of(number);
        copy(entry, turn, {"role"});
        if (!latest_ || !turn.contains("picture")) return;
        const json::array images = array_at(entry, "images");
        turn["seen"] = std::any_of(images.begin(), images.end(), [&](const json::value& it) {
            return it.is_string() && std::string_view(it.as_string()) == latest_->sha256;
        });
    }

    void invoked(const json::object& entry, int number) {
        json::object* const found = pending("call", number);
        if (found == nullptr) return;
        json::object& item = *found;
        copy(entry, item,
             {"ok", "result", "interrupted", "desktop_failure", "policy_ms", "act_ms"});
        if (!item.contains("tool")) copy(entry, item, {"tool"});
        json::array points = array_at(object_at(entry, "action"), "points");
        if (points.empty()) return;
        item["points"] = points;
        if (number <= 0) return;
        json::array& marks = turn_of(number)["marks"].as_array();
        marks.emplace_back(
            json::object{{"number", marks.size() + 1}, {"points", std::move(points)}});
    }

    std::filesystem::path directory_;
    Turns counted_;
    json::object run_;
    json::array before_;
    std::vector<json::object> turns_;
    std::map<int, std::size_t> index_; ///< of the turns, by their numbers
    std::map<std::string, std::vector<std::size_t>, std::less<>> waiting_;
    std::vector<RecordedPicture> pictures_;
    std::map<std::string, std::size_t, std::less<>> known_;
    std::map<std::string, std::size_t, std::less<>> by_hash_;
    std::optional<std::size_t> instead_; ///< of all pictures that are left out
    std::uintmax_t compared_bytes_ = 0;
    json::object annotation_; ///< of the look that was ordered
    std::optional<Look> latest_;
    int t_ = 0;
    std::size_t annotation_bytes_ = 0;
    std::size_t entry_bytes_ = 0; ///< of the entry that is being added
    std::size_t told_bytes_ = 0;
    std::size_t copied_bytes_ = 0;
    int unknown_ = 0;
    int left_out_ = 0;
    int bare_turns_ = 0;
    int pictures_left_out_ = 0;
};

/// The journal's entries, and what is wrong with it.
RunRecord read_journal(const std::filesystem::path& file, Folder::Turns turns,
                       json::array& remarks) {
    // A pipe would be waited for.
    const bool readable = run_file_size(file, max_journal_bytes).has_value();
    std::ifstream in;
    if (readable) in.open(file, std::ios::binary);
    if (!readable || !in)
        remarks.emplace_back("There is no journal that can be read: events.jsonl.");
    Folder folder(file.parent_path(), turns);
    int damaged = 0;
    int too_long = 0;
    bool torn = false;
    std::string line;
    std::uintmax_t bytes = 0;
    while (in.is_open()) {
        const JournalLine read = next_line(in, line, bytes);
        if (read == JournalLine::none) break;
        if (read == JournalLine::torn) { // it was being written, or never was
            torn = true;
            break;
        }
        if (read == JournalLine::too_long) {
            ++too_long;
            continue;
        }
        const auto entry = parse_json(line);
        if (entry && entry->is_object())
            folder.add(entry->as_object(), line.size());
        else
            ++damaged;
    }
    const auto remark = [&](int count, std::string_view reason) {
        if (count > 0)
            remarks.emplace_back(fmt::format(
                "Entries of the journal that are left out because {}: {}.", reason, count));
    };
    if (torn)
        remarks.emplace_back("The journal ends in the middle of an entry, which is left out.");
    remark(damaged, "they are damaged");
    remark(too_long, "they are too long");
    remark(folder.unknown(), "this version does not know their kind");
    remark(folder.left_out(), "the run is too long for a report");
    if (folder.bare_turns() > 0)
        remarks.emplace_back(
            fmt::format("Turns without what was drawn and what had changed, because the run is too "
                        "long for a report: {}.",
                        folder.bare_turns()));
    if (folder.pictures_left_out() > 0)
        remarks.emplace_back(fmt::format("Pictures that are left out, behind the first {}: {}.",
                                         max_pictures, folder.pictures_left_out()));
    return folder.take();
}

} // namespace

RunRecord read_record(const std::filesystem::path& run_directory) {
    const StoredRun stored = load_run(run_directory);
    json::array remarks;
    const Profile& profile = stored.summary.profile;
    const ModeTraits traits = mode_of(profile).traits();
    RunRecord record = read_journal(run_directory / "events.jsonl",
                                    traits.turn_start == ModeTraits::TurnStart::reply
                                        ? Folder::Turns::begin_with_reply
                                        : Folder::Turns::begin_with_request,
                                    remarks);
    json::object& page = record.page;
    page["run"] = text_of(std::filesystem::absolute(run_directory).lexically_normal().filename());
    if (page["run"] == "") // the path ended with a slash
        page["run"] = text_of(
            std::filesystem::absolute(run_directory).lexically_normal().parent_path().filename());
    page["version"] = stored.version;
    page["task"] = stored.summary.task;
    page["profile"] = profile.name;
    page["mode"] = profile.mode;
    page["visual_replies"] = traits.stores_replies;
    page["max_turns"] = profile.max_turns;
    if (!page.contains("model")) page["model"] = profile.model;
    json::object roles; // and when each speaks
    for (const RolePlan& role : mode_of(profile).roles(profile))
        if (!role.phase.empty()) roles[role.name] = role.phase;
    page["roles"] = std::move(roles);
    json::array settings;
    for (const Setting& setting : stored.summary.settings)
        settings.emplace_back(json::object{
            {"name", setting.name}, {"value", setting.value}, {"source", setting.source}});
    page["settings"] = std::move(settings);
    page["heat"] = to_json(profile.executed_heat);
    page["boxes"] = to_json(profile.bbox_heat);
    page["remarks"] = std::move(remarks);
    return record;
}

void shorten_texts(json::value& value, std::size_t max_bytes) {
    if (value.is_string()) {
        const json::string& whole = value.as_string();
        if (whole.size() <= max_bytes) return;
        value = fmt::format("{} [... {} bytes in all; the rest is in events.jsonl]",
                            cut_bytes({whole.data(), whole.size()}, max_bytes), whole.size());
    } else if (value.is_array()) {
        for (json::value& it : value.as_array()) shorten_texts(it, max_bytes);
    } else if (value.is_object()) {
        for (auto& member : value.as_object()) shorten_texts(member.value(), max_bytes);
    }
}

} // namespace eyehand::agent
