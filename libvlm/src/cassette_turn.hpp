// Converts turns of a cassette to lines of JSON and back. Does not access files.
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

/// The difference of a request to the previous one.
struct AbridgedRequest {
    std::size_t same_messages = 0; ///< number of leading messages that both requests share
    bool same_tools = false;
    ChatRequest rest{}; ///< everything else
};

/// Precondition: the images of both requests have hashes (`with_hashes`).
[[nodiscard]] AbridgedRequest abridge(const ChatRequest& request, const ChatRequest& previous);

/// Turns the previous request into this one; new images have no bytes. Precondition: `previous` has
/// at least `same_messages` messages.
void restore(const AbridgedRequest& request, ChatRequest& previous);

/// Computes the hash of every image that has bytes.
[[nodiscard]] ChatRequest with_hashes(ChatRequest request);

/// An exception of a model that is not a vlm::Error.
struct OtherException {
    bool invalid_argument = false; ///< a std::invalid_argument
    std::string what{};
};

struct Times {
    std::string at{};                                ///< when the model was asked, in UTC
    std::vector<std::chrono::milliseconds> deltas{}; ///< since then, for each delta; or empty
    std::chrono::milliseconds took{};                ///< until the reply or the error
};

struct Turn {
    AbridgedRequest request{};
    std::vector<Delta> deltas{};
    std::variant<ChatReply, Error, OtherException> outcome{};
    Times times{};
};

/// An image file of the cassette.
struct ImageFile {
    std::string sha256{};
    std::string media_type{};
    std::uint64_t bytes = 0;
    std::size_t line = 0; ///< of the cassette, where the image first appears
};

/// The contents of a cassette.
struct Tape {
    std::vector<Turn> turns{};
    std::vector<ImageFile> images{}; ///< without duplicates
};

/// The first line.
[[nodiscard]] std::string header_line();
/// Turns are counted from 1.
[[nodiscard]] std::string turn_line(std::size_t number, const Turn& turn);

/// Throws CassetteError, whose text has `name` and the line. Ignores a last line that is cut off.
[[nodiscard]] Tape read_tape(std::string_view text, const std::string& name);

/// The request as it would be sent, with images by hash and type. A request that cannot be sent is
/// printed as it would be recorded.
[[nodiscard]] std::string as_sent(const ChatRequest& request);

} // namespace eyehand::vlm::cassette
