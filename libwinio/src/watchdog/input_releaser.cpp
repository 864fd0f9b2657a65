#include "watchdog/input_releaser.hpp"

#include <exception>

namespace eyehand::winio {

void InputReleaser::replace_clipboard(Clipboard& clipboard, const std::string& text) {
    // Other programs may hold the clipboard for longer than an attempt waits.
    constexpr int max_attempts = 10;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        try {
            return text.empty() ? clipboard.clear() : clipboard.set_text(text);
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): tries again, or gives up
        }
    }
}

} // namespace eyehand::winio
