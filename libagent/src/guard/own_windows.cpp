#include "guard/own_windows.hpp"

#include "guard/window_kind.hpp"

#include <algorithm>
#include <string_view>

namespace eyehand::agent {
namespace {

/// The end of the titles of the pages (page.js); the browser's name follows. Another page can have
/// such a title, too: it is then treated like the panel.
constexpr std::string_view page_title_end = " – Eyehand";

} // namespace

// The terminal is the nearest ancestor of this process that has a window.
OwnWindows::OwnWindows(std::span<const winio::WindowInfo> windows,
                       std::span<const std::uint32_t> own_processes)
    : own_processes_(own_processes) {
    for (const std::uint32_t process : own_processes) {
        const auto window = std::ranges::find(windows, process, &winio::WindowInfo::process_id);
        if (process == 0 || window == windows.end()) continue;
        if (!is_desktop_shell(*window)) terminal_ = process;
        return;
    }
}

bool OwnWindows::contains(const winio::WindowInfo& window) const {
    if (window.title.find(page_title_end) != std::string::npos) return true;
    if (window.process_id == 0) return false;
    return window.process_id == terminal_ ||
           (!own_processes_.empty() && window.process_id == own_processes_.front());
}

} // namespace eyehand::agent
