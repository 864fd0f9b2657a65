// Tells the watchdog of a desktop what is held, and what the clipboard is to contain afterwards. Not
// thread-safe, like the desktop.
#pragma once

#include "watchdog/helper_process.hpp"
#include "watchdog/hold.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

class HoldLease {
public:
    /// Starts the watchdog. Without a command, there is no watchdog, and nothing else has an effect.
    /// Throws Error{launch_failed}.
    explicit HoldLease(std::vector<std::string> command = {}, std::string display = {});

    /// To be called before input that may leave these pressed. Starts the watchdog again if it has
    /// ended. Throws Error{interrupted} once if the watchdog has released what was held, and
    /// Error{launch_failed}.
    void hold(std::vector<ReleaseCode> codes);
    /// A heartbeat while something is held, otherwise without effect. Throws what `hold` throws.
    void renew();
    /// To be called after input: these are held now. `passing` were pressed, too, and the system may
    /// still have to process their releases.
    void note(std::vector<ReleaseCode> held, std::span<const ReleaseCode> passing = {}) noexcept;

    /// As `Clipboard::set_text_to_restore`. Ignores texts that are longer than `longest_text`. Heartbeats
    /// are necessary from the call of `clipboard_changed` on: the system may wait for the program whose
    /// content is replaced.
    void keep_clipboard(std::optional<std::string_view> text) noexcept;
    [[nodiscard]] bool keeps_clipboard() const noexcept { return keeps_clipboard_; }
    /// To be called before each change of the clipboard by this program. No effect while nothing is kept.
    void note_clipboard(ClipboardNumber owner) noexcept;
    /// To be called after each such change.
    void clipboard_changed() noexcept;
    static constexpr std::size_t longest_text = std::size_t{1} << 20U;

private:
    void start();
    void tell();
    void tell_latest() noexcept;
    void try_to_tell(const HoldMessage& message) noexcept;

    std::vector<std::string> command_;
    std::string display_;
    std::unique_ptr<HelperProcess> watchdog_{};
    HoldMessage latest_{};         ///< `hold` or `rest`
    bool keeps_clipboard_ = false; ///< a reason for heartbeats, too
    bool holds_ = false;           ///< keys or buttons
};

} // namespace eyehand::winio
