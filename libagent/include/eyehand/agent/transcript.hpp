// A conversation that stays within the model's context: old screenshots and thoughts are removed,
// in batches, so that the beginning of the prompt stays byte-identical from turn to turn (servers
// cache it).
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/message.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// How many items of a kind to keep. The newest `keep` always stay; as soon as there are `keep +
/// batch`, the oldest `batch` are removed at once. A batch of 1 prunes in every turn.
struct Retention {
    std::size_t keep = 2;
    std::size_t batch = 8;
    friend bool operator==(const Retention&, const Retention&) = default;
};

/// Maximum number of screenshots in a request.
[[nodiscard]] EYEHAND_AGENT_API std::size_t max_held(const Retention& retention);
/// Returns `wanted` with a smaller batch if the screenshots of a request, `screenshot_tokens` each,
/// would otherwise take more than half of a context of `context_tokens`; the other half is for
/// prompts, tools, messages and the reply. The batch is at least 1, and `keep` does not change: if
/// even that does not fit, the conversation is shortened when the server rejects it. Numbers below
/// 1 mean unknown and change nothing.
[[nodiscard]] EYEHAND_AGENT_API Retention fitted(const Retention& wanted, int screenshot_tokens,
                                                 int context_tokens);

/// `text` without <think>...</think> blocks (across lines; also a block whose opening or closing
/// tag is missing), trimmed.
[[nodiscard]] EYEHAND_AGENT_API std::string strip_think(std::string_view text);
[[nodiscard]] EYEHAND_AGENT_API bool has_think(std::string_view text);

/// Replaces an old screenshot.
inline constexpr std::string_view screenshot_placeholder =
    "[An older screenshot was here. Only the newest ones are kept.]";

/// Replaces removed turns.
inline constexpr std::string_view turns_placeholder =
    "[Older exchanges were here. Only the newest ones are kept.]";

/// Begins with the system prompt and the task, which stay; turns follow, each of which begins
/// with a message of the model.
class EYEHAND_AGENT_API Transcript {
public:
    /// When the texts of the messages exceed `max_bytes`, the oldest turns are removed until
    /// half of `max_bytes` is left; the newest turn always stays. The system prompt and the
    /// task should be shorter than half of `max_bytes`.
    Transcript(Retention screenshots, Retention thinks,
               std::size_t max_bytes = (std::numeric_limits<std::size_t>::max)())
        : screenshots_(screenshots), thinks_(thinks), max_bytes_(max_bytes) {}

    void add(vlm::Message message);
    /// Replaces the newest message with a screenshot by another one with a screenshot; without one,
    /// does nothing.
    void replace_latest_screenshot(vlm::Message message);
    /// Shortens a conversation that is too long for the model: from now on keeps only the newest
    /// screenshot and no thoughts; if that is already so, keeps the newer half of the text. Returns
    /// false if nothing is left to remove.
    bool narrow();
    [[nodiscard]] const std::vector<vlm::Message>& messages() const { return messages_; }

private:
    bool prune();
    bool drop_turns(std::size_t down_to_bytes);
    [[nodiscard]] std::size_t bytes_that_stay() const; ///< of the system prompt and the task
    Retention screenshots_;
    Retention thinks_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0; ///< of all messages' texts and calls
    std::vector<vlm::Message> messages_;
};

} // namespace eyehand::agent
