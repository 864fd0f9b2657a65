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
