#include "watchdog/hold_lease.hpp"

#include "eyehand/winio/error.hpp"

#include <utility>

namespace eyehand::winio {

using Kind = HoldMessage::Kind;

HoldLease::HoldLease(std::vector<std::string> command, std::string display)
    : command_(std::move(command)), display_(std::move(display)) {
    if (!command_.empty()) start();
}

void HoldLease::start() {
    watchdog_.reset();
    watchdog_ = start_helper(command_);
    // If it ends at once, the next message notices it.
    if (!display_.empty()) try_to_tell({.kind = Kind::display, .text = display_});
}

void HoldLease::hold(std::vector<ReleaseCode> codes) {
    if (!watchdog_) return;
    if (watchdog_->has_answered() && latest_.kind == Kind::hold) {
        latest_ = {};
        keeps_clipboard_ = false;
        throw Error(errc::interrupted,
                    "this program was stopped or did not continue for 400 ms while it held keys, "
                    "buttons or the clipboard, and its watchdog released them");
    }
    latest_ = {.kind = Kind::hold, .codes = std::move(codes)};
    tell();
}

void HoldLease::renew() {
    if (latest_.kind == Kind::hold) hold(latest_.codes);
}

void HoldLease::note(std::vector<ReleaseCode> held, std::span<const ReleaseCode> passing) noexcept {
    if (!watchdog_) return;
    holds_ = !held.empty();
    latest_.codes = std::move(held);
    try {
        latest_.codes.insert(latest_.codes.end(), passing.begin(), passing.end());
    } catch (...) { // NOLINT(bugprone-empty-catch): out of memory; some are not released
    }
    tell_latest();
}

void HoldLease::keep_clipboard(std::optional<std::string_view> text) noexcept {
    if (text && text->size() > longest_text) text.reset();
    if (!watchdog_ || (!text && !keeps_clipboard_)) return;
    keeps_clipboard_ = text.has_value();
    try {
        if (text)
            try_to_tell({.kind = Kind::clipboard, .text = std::string(*text)});
        else
            try_to_tell({.kind = Kind::restored});
    } catch (...) { // NOLINT(bugprone-empty-catch): out of memory; the text is not kept
    }
    if (!text) tell_latest();
}

void HoldLease::note_clipboard(ClipboardNumber owner) noexcept {
    if (keeps_clipboard_) try_to_tell({.kind = Kind::owner, .owner = owner});
}

void HoldLease::clipboard_changed() noexcept {
    if (keeps_clipboard_) tell_latest();
}

void HoldLease::tell() {
    const std::string line = to_line(latest_);
    if (watchdog_->send(line)) return;
    start();
    if (watchdog_->send(line)) return;
    throw Error(errc::launch_failed,
                "the watchdog \"" + command_.front() + "\" ends as soon as it is started");
}

void HoldLease::tell_latest() noexcept {
    latest_.kind = holds_ || keeps_clipboard_ ? Kind::hold : Kind::rest;
    try_to_tell(latest_);
}

void HoldLease::try_to_tell(const HoldMessage& message) noexcept {
    try {
        // A watchdog that has ended is noticed before the next press.
        static_cast<void>(watchdog_->send(to_line(message)));
    } catch (...) { // NOLINT(bugprone-empty-catch): out of memory; the watchdog releases too much
    }
}

} // namespace eyehand::winio
