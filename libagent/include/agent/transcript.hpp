// A running conversation that does not outgrow the model: old screenshots and old thoughts go, in
// batches, so that the beginning of the prompt stays byte-identical from turn to turn (servers
// cache it).
#pragma once

#include "vlm/message.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

/// Of each kind the newest `keep` always stay. Only when `keep + batch` are held, the oldest
/// `batch` go at once. A batch of 1 prunes every turn.
struct Retention {
    std::size_t keep = 2;
    std::size_t batch = 8;
    friend bool operator==(const Retention&, const Retention&) = default;
};

/// How many screenshots a request has at most.
[[nodiscard]] std::size_t most_held(const Retention& retention);
/// `wanted`, with a smaller batch where the screenshots of a request, `picture_tokens` each, would
/// else take more than half of a context of `context_tokens`; the other half is for prompts, tools,
/// what is said, and the answer. The batch is at least 1, and `keep` stays: where not even that fits,
/// the conversation is cut down when the server refuses it. Numbers below 1 are taken for unknown,
/// and change nothing.
[[nodiscard]] Retention fitted(const Retention& wanted, int picture_tokens, int context_tokens);

/// `text` without <think>...</think> blocks (across lines; also a block whose opening or closing
/// tag is missing), trimmed.
[[nodiscard]] std::string strip_think(std::string_view text);
[[nodiscard]] bool has_think(std::string_view text);

/// What an old screenshot becomes.
inline constexpr std::string_view screenshot_placeholder =
    "[An older screenshot was here. Only the newest ones are kept.]";

class Transcript {
public:
    Transcript(Retention screenshots, Retention thinks)
        : screenshots_(screenshots), thinks_(thinks) {}

    void add(vlm::Message message);
    /// Keeps the newest screenshot and no thoughts, whatever the retention: the conversation has
    /// become too long for the model.
    void reduce();
    [[nodiscard]] const std::vector<vlm::Message>& messages() const { return messages_; }

private:
    void prune(const Retention& screenshots, const Retention& thinks);
    Retention screenshots_;
    Retention thinks_;
    std::vector<vlm::Message> messages_;
};

} // namespace agent
