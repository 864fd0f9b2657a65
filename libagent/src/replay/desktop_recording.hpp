// Reads the recording of a run (replay/desktop_tape.hpp).
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/secrets.hpp"
#include "replay/desktop_tape.hpp"
#include "replay/frame_codec.hpp"
#include "replay/taped_desktop.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace eyehand::agent {

inline constexpr int recording_format = 1;

struct RecordedLine {
    std::size_t line = 0; ///< in the file, from 1
    json::object record{};
};

/// What happened during a command.
struct RecordedCommand {
    std::size_t line = 0;
    std::string name{}; ///< as `name_of`
    int turn = 0;
    std::map<std::string, std::vector<RecordedLine>, std::less<>> answers{}; ///< by kind
    std::vector<RecordedLine> inputs{};
};

/// A run until its end or its interruption.
struct RecordedPart {
    std::string version{}; ///< of the library
    Watch watch = Watch::check;
    Approvals approvals = Approvals::unattended;
    Source annotation = Source::library;
    Source first_reply = Source::library;
    std::vector<std::uint32_t> own_processes{};
    DesktopParts desktop{};
    std::vector<RecordedCommand> commands{};
    std::vector<json::object> frames{}; ///< in order; a record names its frame by number
};

/// Whether the value of an answer contains a frame.
[[nodiscard]] bool has_frame(const json::value& value);

/// Reads a recording. The last line may be incomplete, because the process may have died. Throws
/// Error{bad_run}, naming the line and the reason. Does not decode the frames.
[[nodiscard]] std::vector<RecordedPart> read_recording(std::istream& in);

/// Gives back the records of a part, command by command. Within a command, the answers of each kind
/// are given back in their order. If more are asked for, the latest one is given back again, also one
/// of an earlier command: a change of the code then causes few differences.
class TapePlayer final : public DesktopTape {
public:
    /// `part` must outlive it. The values of `secrets` are replaced as in the recording.
    explicit TapePlayer(const RecordedPart& part, Secrets secrets = {})
        : part_(part), secrets_(std::move(secrets)) {
        secrets_.read_all();
    }

    [[nodiscard]] bool replays() const override { return true; }
    [[nodiscard]] std::vector<std::uint32_t> own_processes() const override {
        return part_.own_processes;
    }

    /// Continues with the records of the next command. Throws Error{bad_run} if it is another one.
    void next_command(const Command& command);
    /// The input of the present command: as recorded, and as replayed so far.
    [[nodiscard]] std::vector<std::string> recorded_inputs() const;
    [[nodiscard]] const std::vector<std::string>& replayed_inputs() const { return inputs_; }
    /// The kinds of answers that the present command has asked for without a recorded answer.
    [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

    [[nodiscard]] std::string shown(std::string_view text) const override {
        return secrets_.redact(DesktopTape::shown(text));
    }
    [[nodiscard]] winio::Frame frame_of(const json::value& record) override;
    /// The server's answer to the present command, if it was recorded.
    [[nodiscard]] std::optional<vlm::RawResponse> response();

protected:
    [[nodiscard]] const json::object* next_answer(std::string_view of) override;
    [[nodiscard]] winio::Error no_answer(std::string_view of) override;
    [[nodiscard]] const json::object* next_input(const std::string& what) override;
    [[nodiscard]] Error error_in(const json::object& record,
                                 const std::string& reason) const override;

private:
    const RecordedPart& part_;
    Secrets secrets_;
    std::size_t next_ = 0; ///< index of the command after the present one
    const RecordedCommand* command_ = nullptr;
    std::map<std::string, std::size_t, std::less<>> asked_; ///< answers that were given, by kind
    std::map<std::string, const json::object*, std::less<>> latest_; ///< answers, by kind
    const json::object* latest_frame_ = nullptr;                     ///< an answer with a frame
    std::vector<std::string> inputs_;
    std::vector<std::string> missing_;
    std::size_t decoded_ = 0; ///< frames
    FrameDecoder frames_;
    winio::Frame frame_;
};

} // namespace eyehand::agent
