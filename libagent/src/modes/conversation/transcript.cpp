#include "eyehand/agent/transcript.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <variant>

namespace eyehand::agent {
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

bool begins_turn(const vlm::Message& message) { return message.role == vlm::Role::assistant; }

/// The length of the texts and calls in a message; of its output items, which state the same, if it
/// has some.
std::size_t bytes_of(const vlm::Message& message) {
    if (!message.items_json.empty()) return message.items_json.size();
    std::size_t bytes = 0;
    for (const vlm::Part& part : message.parts)
        if (const auto* text = std::get_if<std::string>(&part)) bytes += text->size();
    for (const vlm::ToolCall& call : message.tool_calls)
        bytes += call.id.size() + call.name.size() + call.arguments_json.size();
    return bytes;
}

/// Applies `reduce` to the oldest `batch` messages for which `matches` is true, as soon as there
/// are `keep + batch`. Returns whether it did.
template <class Matches, class Reduce>
bool prune(std::vector<vlm::Message>& messages, const Retention& retention, Matches matches,
           Reduce reduce) {
    const auto held =
        static_cast<std::size_t>(std::count_if(messages.begin(), messages.end(), matches));
    const std::size_t batch = std::max<std::size_t>(retention.batch, 1);
    if (held < retention.keep + batch) return false;
    std::size_t left = held - retention.keep;
    for (vlm::Message& message : messages) {
        if (left == 0) break;
        if (!matches(message)) continue;
        reduce(message);
        --left;
    }
    return true;
}

} // namespace

std::size_t max_held(const Retention& retention) {
    return retention.keep + std::max<std::size_t>(retention.batch, 1) - 1;
}

Retention fitted(const Retention& wanted, int screenshot_tokens, int context_tokens) {
    if (screenshot_tokens < 1 || context_tokens < 1) return wanted;
    const auto room = static_cast<std::size_t>(context_tokens / 2 / screenshot_tokens);
    if (max_held(wanted) <= room) return wanted;
    // At most keep + batch - 1 screenshots are held.
    const std::size_t batch = room > wanted.keep ? room - wanted.keep + 1 : 1;
    return {wanted.keep, batch};
}

std::string strip_think(std::string_view text) {
    std::string rest;
    while (true) {
        const std::size_t open = text.find(open_tag);
        const std::size_t close = text.find(close_tag);
        if (close < open) { // a chat template removed the opening tag: all text before is a thought
            rest.clear();
            text.remove_prefix(close + close_tag.size());
        } else if (open == std::string_view::npos) {
            rest += text;
            return std::string(trim(rest));
        } else {
            rest += text.substr(0, open);
            if (close == std::string_view::npos)
                return std::string(trim(rest)); // cut off within a thought
            text.remove_prefix(close + close_tag.size());
        }
    }
}

bool has_think(std::string_view text) {
    return text.find(open_tag) != std::string_view::npos ||
           text.find(close_tag) != std::string_view::npos;
}

void Transcript::add(vlm::Message message) {
    bytes_ += bytes_of(message);
    messages_.push_back(std::move(message));
    (void)prune();
    if (bytes_ > max_bytes_) (void)drop_turns(max_bytes_ / 2);
}

void Transcript::replace_latest_screenshot(vlm::Message message) {
    const auto latest = std::find_if(messages_.rbegin(), messages_.rend(), has_image);
    if (latest == messages_.rend()) return;
    bytes_ += bytes_of(message);
    bytes_ -= bytes_of(*latest);
    *latest = std::move(message);
}

bool Transcript::narrow() {
    screenshots_ = {.keep = 1, .batch = 1};
    thinks_ = {.keep = 0, .batch = 1};
    if (prune()) return true;
    const std::size_t too_long = bytes_;
    if (!drop_turns(too_long / 2)) return false;
    // Leaves space for turns besides the fixed messages; otherwise each turn would replace
    // the previous one.
    max_bytes_ = std::min(max_bytes_, std::max(too_long / 4 * 3, 2 * bytes_that_stay()));
    return true;
}

std::size_t Transcript::bytes_that_stay() const {
    std::size_t bytes = 0;
    for (const vlm::Message& message : messages_) {
        if (begins_turn(message)) break;
        bytes += bytes_of(message);
    }
    return bytes;
}

bool Transcript::prune() {
    const auto reduced = [this](auto reduce) {
        return [this, reduce](vlm::Message& old) {
            bytes_ -= bytes_of(old);
            reduce(old);
            bytes_ += bytes_of(old);
        };
    };
    const bool images =
        agent::prune(messages_, screenshots_, has_image, reduced([](vlm::Message& old) {
                         for (vlm::Part& part : old.parts) {
                             if (std::holds_alternative<vlm::Image>(part))
                                 part = std::string(screenshot_placeholder);
                         }
                     }));
    const bool thoughts =
        agent::prune(messages_, thinks_, is_thinking,
                     reduced([](vlm::Message& old) { old.parts = {strip_think(old.text())}; }));
    return images || thoughts;
}

/// Removes as many of the oldest turns as necessary; the newest one stays. Returns whether any
/// was removed.
bool Transcript::drop_turns(std::size_t down_to_bytes) {
    const auto first = std::find_if(messages_.begin(), messages_.end(), begins_turn);
    auto last = first; // the first one that stays
    std::size_t bytes = bytes_;
    while (last != messages_.end() && bytes > down_to_bytes) {
        const auto next = std::find_if(std::next(last), messages_.end(), begins_turn);
        if (next == messages_.end()) break;
        for (; last != next; ++last) bytes -= bytes_of(*last);
    }
    if (first == last || first == messages_.begin()) return false;
    vlm::Message& task = *std::prev(first);
    if (!task.text().ends_with(turns_placeholder)) {
        task.parts.emplace_back(std::string(turns_placeholder));
        bytes += turns_placeholder.size();
    }
    bytes_ = bytes;
    messages_.erase(first, last);
    return true;
}

} // namespace eyehand::agent
