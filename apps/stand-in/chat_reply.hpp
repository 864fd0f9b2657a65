// Encodes a reply in the chat-completions protocol, whole or as a stream of events.
#pragma once

#include "player.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace stand_in {

inline constexpr std::string_view model_id = "eyehand-stand-in";

/// The metadata of a reply.
struct Envelope {
    std::int64_t number = 0;  ///< of the request; part of the ids
    std::int64_t created = 0; ///< seconds since 1970
    std::int64_t prompt_tokens = 0;
    bool with_usage = false; ///< in a stream: add the usage event
};

/// The body of a `chat.completion`.
[[nodiscard]] std::string completion(const Reply& reply, const Envelope& envelope);

/// The same as server-sent events, `[DONE]` included.
[[nodiscard]] std::string completion_events(const Reply& reply, const Envelope& envelope);

/// `{"error":{"message","type"}}`
[[nodiscard]] std::string error_body(std::string_view message, std::string_view type);

/// The list of models, which contains only this one.
[[nodiscard]] std::string models_body();

/// The estimated tokens of a request: one per four characters and, for each image, which counts as
/// large as the last one, one per square with sides of `patch` pixels.
[[nodiscard]] std::int64_t prompt_tokens(const ChatRequest& request,
                                         const std::optional<Screen>& screen, int patch);

} // namespace stand_in
