#include "record/turn_log.hpp"

#include "annotation/annotation_json.hpp"
#include "modes/visual_loop/visual_json.hpp"
#include "json/json_layout.hpp"

#include <utility>

namespace eyehand::agent {
namespace {

constexpr const char* file_name = "turns.jsonl";

json::object record(int turn, const char* stage) { return {{"turn", turn}, {"stage", stage}}; }

/// "turn_0001/" for "turn_0001/screenshot_raw.png".
std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

} // namespace

void TurnLog::clear() {
    if (store_.contains(file_name)) store_.replace(file_name, "");
    turn_ = 0;
    written_ = 0;
}

void TurnLog::add(const Observed& fact, const ModeState& state) {
    if (!state.reply || layout_ == LogLayout::screenshots) return;
    const VisualReply& reply = *state.reply;
    if (layout_ == LogLayout::turn_dirs) {
        store_.replace(folder_of(fact.raw_file) + "vlm_output.json",
                       laid_out(json::object{{"observation", reply.observation},
                                             {"bboxes", boxes_json(reply.boxes)},
                                             {"actions", actions_json(reply.actions)},
                                             {"text", reply.text}}) +
                           "\n");
        return;
    }
    json::object raw = record(state.turn, "raw");
    raw["observation"] = reply.observation;
    raw["bboxes"] = boxes_json(reply.boxes);
    raw["actions"] = actions_json(reply.actions);
    raw["raw_png"] = fact.raw_file;
    json::object annotated = record(state.turn, "annotated");
    annotated["annotated_png"] = fact.file;
    const auto file = store_.open_append(file_name);
    if (state.turn == turn_ && written_ > before_) {
        file->cut(before_);
        written_ = before_;
    }
    turn_ = state.turn;
    before_ = written_;
    const std::string entries = to_text(raw) + "\n" + to_text(annotated) + "\n";
    file->append(entries);
    written_ += entries.size();
}

} // namespace eyehand::agent
