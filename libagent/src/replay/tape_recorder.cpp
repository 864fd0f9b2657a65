#include "replay/tape_recorder.hpp"

#include "eyehand/agent/replay.hpp"
#include "eyehand/agent/run.hpp"
#include "replay/desktop_recording.hpp"

#include <algorithm>
#include <istream>
#include <string>
#include <utility>

namespace eyehand::agent {
namespace {

/// The bytes of the complete lines of a file.
std::uint64_t complete_bytes(std::istream& in) {
    std::uint64_t complete = 0;
    for (std::string line; std::getline(in, line) && !in.eof();) complete += line.size() + 1;
    return complete;
}

} // namespace

TapeRecorder::TapeRecorder(RunStore& store, const AgentOptions& options, const Secrets& secrets)
    : options_(options), secrets_(secrets) {
    std::optional<std::uint64_t> complete;
    if (const auto in = store.open_read(recording_name)) complete = complete_bytes(*in);
    out_ = store.open_append(recording_name);
    if (complete) out_->cut(*complete);
}

void TapeRecorder::begin_part(const DesktopParts& desktop) {
    json::array processes;
    for (const std::uint32_t process : own_processes()) processes.emplace_back(process);
    keep({{"type", "part"},
          {"format", recording_format},
          {"version", version()},
          {"watch", to_string(options_.watch)},
          {"approvals", options_.approvals == Approvals::user ? "user" : "unattended"},
          {"annotation", options_.annotation == Source::client ? "client" : "library"},
          {"first_reply", options_.first_reply == Source::client ? "client" : "library"},
          {"own_processes", std::move(processes)},
          {"windows", desktop.windows},
          {"clipboard", desktop.clipboard},
          {"line_break", desktop.line_break}});
}

void TapeRecorder::begin(const Command& command, int turn) {
    keep({{"type", "command"}, {"command", name_of(command)}, {"turn", turn}});
}

std::string TapeRecorder::shown(std::string_view text) const {
    return secrets_.redact(DesktopTape::shown(text));
}

/// The titles of windows that the user keeps out of screenshots.
bool TapeRecorder::hides(const winio::WindowInfo& window) const {
    return std::ranges::any_of(options_.redaction.windows, [&](winio::WindowQuery query) {
        if (winio::matches(window, query)) return true;
        if (query.process.empty()) return false;
        query.process += ".exe"; // as winio::Redaction
        return winio::matches(window, query);
    });
}

json::value TapeRecorder::frame_record(const winio::Frame& frame) { return frames_.encode(frame); }

void TapeRecorder::keep(json::object&& record) { out_->append(to_text(record) + '\n'); }

} // namespace eyehand::agent
