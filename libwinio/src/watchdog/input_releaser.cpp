#include "watchdog/input_releaser.hpp"

#include <exception>

namespace eyehand::winio {

void InputReleaser::replace_clipboard(Clipboard& clipboard, const std::string& text) {
    try {
        if (text.empty())
            clipboard.clear();
        else
            clipboard.set_text(text);
    } catch (
        const std::exception&) { // NOLINT(bugprone-empty-catch): a watchdog can do nothing more
    }
}

} // namespace eyehand::winio
