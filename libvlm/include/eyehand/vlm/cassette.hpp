// What was said to a model and what it answered, kept in a file that people can read and commit, and
// played back without a model.
//
//     vlm::RecordingModel recorded(client, "login.cassette");   // asks client, writes each turn
//     vlm::ReplayModel replayed("login.cassette");              // answers the same again
//
// A cassette is JSON Lines: a header, then one line a turn with the request, what was streamed, the
// reply or the error, and when. Messages that a request shares with the one before it are counted, not
// repeated. Pictures are files beside it ("login.cassette.images/SHA256.png"), named by their hash.
// No key is in it, and no address but in the words of errors. docs/vlm.md has the members.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/model.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace eyehand::vlm {

/// A cassette cannot be written or read, or the file is not a cassette. `what()` names file and line.
class EYEHAND_VLM_API CassetteError : public Error {
public:
    explicit CassetteError(const std::string& what) : Error(errc::bad_cassette, what) {}

protected:
    CassetteError(errc code, const std::string& what) : Error(code, what) {}
};

/// Hands everything on to another model and writes it down. A turn is on the disk when `reply`
/// returns or throws; a program that dies leaves every turn before.
class EYEHAND_VLM_API RecordingModel final : public ChatModel {
public:
    /// `model` must live as long. Throws CassetteError if `file` is there already or cannot be made.
    RecordingModel(ChatModel& model, const std::filesystem::path& file);
    ~RecordingModel() override;

    /// Throws what the model throws, after it was written down, and CassetteError: before the
    /// question if a picture cannot be written, after it if the turn cannot, and from then on at
    /// once, because a cassette with a hole in it is none. Throws std::invalid_argument for an image
    /// whose hash is not that of its bytes. Without `on_delta` nothing is streamed, nor recorded of
    /// it.
    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The request differs from the recorded request of this turn. `what()` shows the difference line by
/// line.
class EYEHAND_VLM_API CassetteMismatch : public CassetteError {
public:
    explicit CassetteMismatch(const std::string& what)
        : CassetteError(errc::cassette_mismatch, what) {}
};

enum class ReplayMatch {
    strict, ///< every byte of the request as it is sent, pictures by their hash
    by_turn ///< only the number of the turn: for a screen that looks a little different each time
};

struct ReplayOptions {
    ReplayMatch match = ReplayMatch::strict;
    bool original_speed = false; ///< waits as long as the model took
    /// That the files of all pictures are there, and are what was recorded; nothing else needs them.
    bool check_images = true;
};

/// Answers as the cassette says, deltas and errors included.
class EYEHAND_VLM_API ReplayModel final : public ChatModel {
public:
    /// Reads all of it. Throws CassetteError; a last line that was cut off by a crash is left out.
    explicit ReplayModel(const std::filesystem::path& file, ReplayOptions options = {});
    ~ReplayModel() override;

    /// Throws CassetteMismatch, also when all turns are used up, and the recorded vlm::Error. Any
    /// other exception of the model comes back as std::invalid_argument if it was one, else as
    /// std::runtime_error. A request that does not match, or is cancelled by `stop`, uses up
    /// nothing.
    ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                    std::stop_token stop = {}) override;

    [[nodiscard]] std::size_t remaining() const; ///< turns

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::vlm
