#include "watchdog/input_releaser.hpp"

#include <exception>

namespace eyehand::winio {

void InputReleaser::try_repeatedly(const std::function<void()>& replace_clipboard) {
    constexpr int max_attempts = 10;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        try {
            return replace_clipboard();
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): tries again, or gives up
        }
    }
}

} // namespace eyehand::winio
