#include "eyehand/winio/redaction.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace eyehand::winio {
namespace {

/// Adds the up to four parts of `from` outside of `covered`.
void subtract(const Rect& from, const Rect& covered, std::vector<Rect>& into) {
    const Rect shared = intersection(from, covered);
    if (shared.empty()) {
        into.push_back(from);
        return;
    }
    const auto add = [&](const Rect& part) {
        if (!part.empty()) into.push_back(part);
    };
    add({from.x, from.y, from.width, shared.y - from.y});
    add({from.x, shared.y, shared.x - from.x, shared.height});
    add({shared.right(), shared.y, from.right() - shared.right(), shared.height});
    add({from.x, shared.bottom(), from.width, from.bottom() - shared.bottom()});
}

std::vector<Rect> visible_parts(std::span<const WindowInfo> windows, std::size_t index) {
    std::vector<Rect> visible{windows[index].bounds};
    for (const WindowInfo& above : windows.first(index)) {
        if (above.state == WindowState::minimized) continue;
        std::vector<Rect> left;
        for (const Rect& part : visible) subtract(part, above.opaque, left);
        visible = std::move(left);
    }
    return visible;
}

/// A query for "keepassxc" also selects windows of "keepassxc.exe".
bool selects(const WindowQuery& query, const WindowInfo& window) {
    if (matches(window, query)) return true;
    if (query.process.empty()) return false;
    WindowQuery on_windows = query;
    on_windows.process += ".exe";
    return matches(window, on_windows);
}

/// The indices of the redaction's visible windows in the list.
std::vector<std::size_t> hidden_windows(const Redaction& redaction,
                                        std::span<const WindowInfo> windows) {
    std::vector<WindowId> more;
    if (redaction.more_windows) more = redaction.more_windows(windows);
    std::vector<std::size_t> hidden;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const WindowInfo& window = windows[i];
        if (window.state == WindowState::minimized || window.bounds.empty()) continue;
        const auto is_selected = [&](const WindowQuery& query) { return selects(query, window); };
        if (std::ranges::any_of(redaction.windows, is_selected) ||
            std::ranges::find(more, window.id) != more.end())
            hidden.push_back(i);
    }
    return hidden;
}

/// Whether the same windows are at the same places in the same order. Their titles do not matter.
bool is_same_layout(std::span<const WindowInfo> before, std::span<const WindowInfo> after) {
    return std::ranges::equal(before, after, [](const WindowInfo& a, const WindowInfo& b) {
        return a.id == b.id && a.bounds == b.bounds && a.opaque == b.opaque && a.state == b.state;
    });
}

/// The areas of the redaction's windows in two lists, also where other windows hide them, and
/// between the two places of a window that has moved.
std::vector<Rect> whole_windows(const Redaction& redaction, std::span<const WindowInfo> before,
                                std::span<const WindowInfo> after) {
    std::vector<Rect> areas;
    const std::vector<std::size_t> hidden_before = hidden_windows(redaction, before);
    areas.reserve(before.size() + after.size());
    for (const std::size_t then : hidden_before) areas.push_back(before[then].bounds);
    for (const std::size_t now : hidden_windows(redaction, after)) {
        const auto then = std::ranges::find_if(
            hidden_before, [&](std::size_t i) { return before[i].id == after[now].id; });
        areas.push_back(then == hidden_before.end()
                            ? after[now].bounds
                            : bounding_rect(before[*then].bounds, after[now].bounds));
    }
    return areas;
}

} // namespace

std::vector<Rect> redacted_areas(const Redaction& redaction, std::span<const WindowInfo> windows) {
    std::vector<Rect> areas = redaction.areas;
    for (const std::size_t index : hidden_windows(redaction, windows))
        for (const Rect& part : visible_parts(windows, index)) areas.push_back(part);
    return areas;
}

void black_out(Frame& frame, std::span<const Rect> areas) {
    for (const Rect& area : areas)
        frame.pixels.fill(
            {area.x - frame.origin.x, area.y - frame.origin.y, area.width, area.height}, {});
}

RedactingCapturer::RedactingCapturer(std::unique_ptr<Capturer> inner, Windows* windows,
                                     Redaction redaction)
    : inner_(std::move(inner)), windows_(windows), redaction_(std::move(redaction)) {
    if (redaction_.needs_windows() && windows_ == nullptr)
        throw std::invalid_argument("windows cannot be kept out of screenshots: this desktop does "
                                    "not list its windows");
    if (!redaction_.needs_windows()) windows_ = nullptr;
}

void RedactingCapturer::capture(const Rect& area, Frame& into) {
    redacted_.clear();
    std::vector<Rect> hidden = redaction_.areas;
    const auto add = [&](const std::vector<Rect>& parts) {
        hidden.insert(hidden.end(), parts.begin(), parts.end());
    };
    const auto add_password_fields = [&] {
        if (!redaction_.password_fields) return;
        for (const PasswordField& field : windows_->password_fields())
            hidden.push_back(field.bounds);
    };
    if (windows_ == nullptr) {
        inner_->capture(area, into);
    } else {
        const std::vector<WindowInfo> before = windows_->list();
        add_password_fields();
        inner_->capture(area, into);
        const std::vector<WindowInfo> after = windows_->list();
        add_password_fields();
        add(redacted_areas(redaction_, before)); // a title may have changed
        add(redacted_areas(redaction_, after));
        if (!is_same_layout(before, after)) add(whole_windows(redaction_, before, after));
    }
    for (const Rect& part : hidden) {
        const Rect seen = intersection(part, area);
        if (!seen.empty() && std::ranges::find(redacted_, seen) == redacted_.end())
            redacted_.push_back(seen);
    }
    black_out(into, redacted_);
}

} // namespace eyehand::winio
