// A running conversation that does not outgrow the model: old screenshots and old thoughts go, in
// batches, so that the beginning of the prompt stays byte-identical from turn to turn (servers
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

/// Of each kind the newest `keep` always stay. Only when `keep + batch` are held, the oldest
/// `batch` go at once. A batch of 1 prunes every turn.
struct Retention {
    std::size_t keep = 2;
    std::size_t batch = 8;
    friend bool operator==(const Retention&, const Retention&) = default;
};

/// How many screenshots a request has at most.
[[nodiscard]] EYEHAND_AGENT_API std::size_t max_held(const Retention& retention);
/// `wanted`, with a smaller batch where the screenshots of a request, `picture_tokens` each, would
/// else take more than half of a context of `context_tokens`; the other half is for prompts, tools,
/// what is said, and the answer. The batch is at least 1, and `keep` stays: where not even that fits,
/// the conversation is cut down when the server refuses it. Numbers below 1 are taken for unknown,
/// and change nothing.
[[nodiscard]] EYEHAND_AGENT_API Retention fitted(const Retention& wanted, int picture_tokens,
                                                 int context_tokens);

/// `text` without <think>...</think> blocks (across lines; also a block whose opening or closing
/// tag is missing), trimmed.
[[nodiscard]] EYEHAND_AGENT_API std::string strip_think(std::string_view text);
[[nodiscard]] EYEHAND_AGENT_API bool has_think(std::string_view text);

/// What an old screenshot becomes.
inline constexpr std::string_view screenshot_placeholder =
    "[An older screenshot was here. Only the newest ones are kept.]";

/// What stands for old exchanges that are gone.
inline constexpr std::string_view exchanges_placeholder =
    "[Older exchanges were here. Only the newest ones are kept.]";

/// Begins with the system prompt and the task, which stay; after them come exchanges, each of
/// which begins with what the model said.
class EYEHAND_AGENT_API Transcript {
public:
    /// When the messages' texts are longer than `max_bytes`, the oldest exchanges go until they are
    /// half as long; the newest one stays, however long. What always stays should be less than half
    /// of `max_bytes`.
    Transcript(Retention screenshots, Retention thinks,
               std::size_t max_bytes = (std::numeric_limits<std::size_t>::max)())
        : screenshots_(screenshots), thinks_(thinks), max_bytes_(max_bytes) {}

    void add(vlm::Message message);
    /// The conversation has become too long for the model: for good, keeps only the newest screenshot
    /// and no thoughts; where that is so already, only the newer half of the text. Returns false if
    /// there is nothing left to give up.
    bool narrow();
    [[nodiscard]] const std::vector<vlm::Message>& messages() const { return messages_; }

private:
    bool prune();
    bool drop_exchanges(std::size_t down_to_bytes);
    [[nodiscard]] std::size_t bytes_that_stay() const; ///< of the system prompt and the task
    Retention screenshots_;
    Retention thinks_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0; ///< of all messages' texts and calls
    std::vector<vlm::Message> messages_;
};

} // namespace eyehand::agent
