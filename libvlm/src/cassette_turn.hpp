// A turn of a cassette, and how it is written: from values to lines of JSON and back. Reads and
// writes no files.
#pragma once

#include "eyehand/vlm/cassette.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::vlm::cassette {

/// A request as it differs from the one before it.
struct AbridgedRequest {
    std::size_t same_messages = 0; ///< so many of the beginning are those of the one before
    bool same_tools = false;
    ChatRequest rest{}; ///< all else
};

/// Images of both have their hashes (`with_hashes`).
[[nodiscard]] AbridgedRequest abridge(const ChatRequest& request, const ChatRequest& previous);

/// Makes the request of the one before it, without the bytes of new images. Precondition: that has
/// at least `same_messages`.
void restore(const AbridgedRequest& request, ChatRequest& previous);

/// With the hash of every image that has bytes.
[[nodiscard]] ChatRequest with_hashes(ChatRequest request);

/// Anything but a vlm::Error that a model threw.
struct OtherException {
    bool invalid_argument = false; ///< a std::invalid_argument
    std::string what{};
};

struct Times {
    std::string at{};                                ///< when it was asked, in UTC, for people
    std::vector<std::chrono::milliseconds> deltas{}; ///< since then, one each; or none at all
    std::chrono::milliseconds took{};                ///< until the reply or the error
};

struct Turn {
    AbridgedRequest request{};
    std::vector<Delta> deltas{};
    std::variant<ChatReply, Error, OtherException> outcome{};
    Times times{};
};

/// A file beside the cassette.
struct ImageFile {
    std::string sha256{};
    std::string media_type{};
    std::uint64_t bytes = 0;
    std::size_t line = 0; ///< of the cassette, where it is first spoken of
};

/// All that a cassette's text says.
struct Tape {
    std::vector<Turn> turns{};
    std::vector<ImageFile> images{}; ///< each once
};

/// The first line.
[[nodiscard]] std::string header_line();
/// Turns are counted from 1.
[[nodiscard]] std::string turn_line(std::size_t number, const Turn& turn);

/// Throws CassetteError, with `name` and the line. A last line that was cut off is left out.
[[nodiscard]] Tape read_tape(std::string_view text, const std::string& name);

/// The request as it would be sent, images by hash and type; what no server could understand as it
/// would be recorded.
[[nodiscard]] std::string as_sent(const ChatRequest& request);

} // namespace eyehand::vlm::cassette
