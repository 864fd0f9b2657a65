#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "window_words.hpp"

#include <algorithm>

namespace eyehand::winio {
namespace {

using Clock = std::chrono::steady_clock;

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same_letter(char a, char b) { return lower_letter(a) == lower_letter(b); }

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_letter);
}

bool is_part(std::string_view part, std::string_view whole) {
    return part.empty() || std::search(whole.begin(), whole.end(), part.begin(), part.end(),
                                       same_letter) != whole.end();
}

} // namespace

bool matches(const WindowInfo& window, const WindowQuery& query) {
    return (query.title.empty() || is_part(query.title, window.title)) &&
           (query.window_class.empty() || same_word(query.window_class, window.window_class)) &&
           (query.process.empty() || same_word(query.process, window.process));
}

std::string words(const WindowQuery& query) {
    std::string text;
    const auto add = [&](std::string_view what, const std::string& value) {
        if (value.empty()) return;
        text += text.empty() ? "" : " and ";
        text.append(what).append(" \"").append(value).append("\"");
    };
    add("titled", query.title);
    add("of class", query.window_class);
    add("of", query.process);
    return text.empty() ? "at all" : text;
}

std::string titles(std::span<const WindowInfo> windows) {
    std::string text;
    for (const WindowInfo& window : windows) {
        if (window.title.empty()) continue;
        text += text.empty() ? "" : ", ";
        text.append("\"").append(window.title).append("\"");
    }
    return text.empty() ? "none" : text;
}

std::optional<WindowInfo> find_window(std::span<const WindowInfo> windows,
                                      const WindowQuery& query) {
    const WindowInfo* found = nullptr;
    for (const WindowInfo& window : windows) {
        if (!matches(window, query)) continue;
        if (!query.title.empty() && same_word(window.title, query.title)) return window;
        if (found == nullptr) found = &window;
    }
    return found == nullptr ? std::nullopt : std::optional(*found);
}

WindowInfo wait_for_window(Windows& windows, const WindowQuery& query,
                           std::chrono::milliseconds timeout,
                           std::stop_token stop) { // NOLINT(performance-unnecessary-value-param)
    constexpr std::chrono::milliseconds between_looks{50};
    const auto deadline = base::deadline_after(Clock::now(), timeout);
    for (;;) {
        const std::vector<WindowInfo> there = windows.list();
        if (auto window = find_window(there, query)) return std::move(*window);
        if (Clock::now() >= deadline)
            throw Error(errc::window_not_found,
                        "no window " + words(query) +
                            " appeared; existing windows: " + titles(there));
        if (base::wait_for(between_looks, stop) == base::Waited::stopped)
            throw Error(errc::cancelled, "stopped while waiting for a window");
    }
}

} // namespace eyehand::winio
