#include "agent/transcript.hpp"

#include "text.hpp"

#include <algorithm>
#include <variant>

namespace agent {
namespace {

constexpr std::string_view open_tag = "<think>";
constexpr std::string_view close_tag = "</think>";

bool has_image(const vlm::Message& message) {
    return std::any_of(message.parts.begin(), message.parts.end(), [](const vlm::Part& part) {
        return std::holds_alternative<vlm::Image>(part);
    });
}

bool is_thinking(const vlm::Message& message) {
    return message.role == vlm::Role::assistant && has_think(message.text());
}

/// Applies `reduce` to the oldest `batch` messages that `matches`, once `keep + batch` of them are
/// held.
template <class Matches, class Reduce>
void prune(std::vector<vlm::Message>& messages, const Retention& retention, Matches matches,
           Reduce reduce) {
    const auto held =
        static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(), matches));
    const std::size_t batch = std::max<std::size_t>(retention.batch, 1);
    if (held < retention.keep + batch) return;
    std::size_t left = held - retention.keep;
    for (vlm::Message& message : messages) {
        if (left == 0) break;
        if (!matches(message)) continue;
        reduce(message);
        --left;
    }
}

} // namespace

std::size_t most_held(const Retention& retention) {
    return retention.keep + std::max<std::size_t>(retention.batch, 1) - 1;
}

Retention fitted(const Retention& wanted, int picture_tokens, int context_tokens) {
    if (picture_tokens < 1 || context_tokens < 1) return wanted;
    const auto room = static_cast<std::size_t>(context_tokens / 2 / picture_tokens);
    if (most_held(wanted) <= room) return wanted;
    // keep + batch - 1 pictures are held at most.
    const std::size_t batch = room > wanted.keep ? room - wanted.keep + 1 : 1;
    return {wanted.keep, batch};
}

std::string strip_think(std::string_view text) {
    std::string rest;
    while (true) {
        const std::size_t open = text.find(open_tag);
        const std::size_t close = text.find(close_tag);
        if (close < open) { // a template ate the opening tag: all before is thought
            rest.clear();
            text.remove_prefix(close + close_tag.size());
        } else if (open == std::string_view::npos) {
            rest += text;
            return std::string(trim(rest));
        } else {
            rest += text.substr(0, open);
            if (close == std::string_view::npos)
                return std::string(trim(rest)); // cut off in thought
            text.remove_prefix(close + close_tag.size());
        }
    }
}

bool has_think(std::string_view text) {
    return text.find(open_tag) != std::string_view::npos ||
           text.find(close_tag) != std::string_view::npos;
}

void Transcript::add(vlm::Message message) {
    messages_.push_back(std::move(message));
    prune(screenshots_, thinks_);
}

void Transcript::reduce() { prune({.keep = 1, .batch = 1}, {.keep = 0, .batch = 1}); }

void Transcript::prune(const Retention& screenshots, const Retention& thinks) {
    agent::prune(messages_, screenshots, has_image, [](vlm::Message& old) {
        for (vlm::Part& part : old.parts) {
            if (std::holds_alternative<vlm::Image>(part))
                part = std::string(screenshot_placeholder);
        }
    });
    agent::prune(messages_, thinks, is_thinking,
                 [](vlm::Message& old) { old.parts = {strip_think(old.text())}; });
}

} // namespace agent
