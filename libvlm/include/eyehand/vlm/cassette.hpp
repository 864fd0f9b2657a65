// Cassettes: recorded conversations with a model, in a readable text file, and their replay without
// a model.
//
//     vlm::RecordingModel recorded(client, "login.cassette");   // asks client, writes each turn
//     vlm::ReplayModel replayed("login.cassette");              // gives the same answers again
//
// A cassette is a JSON Lines file: a header, then one line per turn with the request, the deltas,
// the reply or the error, and the times. Messages that a request shares with the previous one are
// counted, not repeated. Images are separate files named by their hash
// ("login.cassette.images/SHA256.png"). A cassette contains no API key, and addresses only in error
// messages. docs/vlm.md describes its members.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/model.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace eyehand::vlm {

/// A cassette cannot be written or read, or the file is not a cassette. `what()` names file and
/// line.
class EYEHAND_VLM_API CassetteError : public Error {
public:
    explicit CassetteError(const std::string& what) : Error(errc::bad_cassette, what) {}

protected:
    CassetteError(errc code, const std::string& what) : Error(code, what) {}
};

/// Forwards each request to another model and records the turn. The turn is on the disk when
/// `reply` returns or throws; after a crash, the file has all completed turns.
class EYEHAND_VLM_API RecordingModel final : public ChatModel {
public:
    /// `model` must outlive this object. Throws CassetteError if `file` exists or cannot be
    /// created.
    RecordingModel(ChatModel& model, const std::filesystem::path& file);
    ~RecordingModel() override;

    /// Rethrows the model's exceptions after recording them. Throws CassetteError before it asks
    /// the model if an image cannot be written, and after that if the turn cannot be written; then
    /// every further call throws at once, because the cassette lacks a turn. Throws
    /// std::invalid_argument if the hash of an image does not match its bytes. Without `on_delta`,
    /// the model does not stream and no deltas are recorded.
    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The request differs from the recorded request of this turn. `what()` shows the difference line
/// by line.
class EYEHAND_VLM_API CassetteMismatch : public CassetteError {
public:
    explicit CassetteMismatch(const std::string& what)
        : CassetteError(errc::cassette_mismatch, what) {}
};

enum class ReplayMatch {
    strict, ///< compares every byte of the request as it is sent, images by their hash
    by_turn ///< compares only the turn's number: for screens that differ slightly in each run
};

struct ReplayOptions {
    ReplayMatch match = ReplayMatch::strict;
    bool original_speed = false; ///< waits as long as the model took
    /// Checks in the constructor that all image files exist and are unchanged. The replay does not
    /// need them otherwise.
    bool check_images = true;
};

/// Replays a cassette, deltas and errors included.
class EYEHAND_VLM_API ReplayModel final : public ChatModel {
public:
    /// Reads the whole file. Throws CassetteError. Ignores a last line that a crash cut off.
    explicit ReplayModel(const std::filesystem::path& file, ReplayOptions options = {});
    ~ReplayModel() override;

    /// Throws CassetteMismatch if the request differs or no turn is left, and the recorded
    /// vlm::Error. A recorded exception of another type is thrown as std::invalid_argument if it
    /// was one, else as std::runtime_error. A request that does not match, or that `stop` cancels,
    /// does not consume its turn.
    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;

    [[nodiscard]] std::size_t remaining() const; ///< number of turns left

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm
