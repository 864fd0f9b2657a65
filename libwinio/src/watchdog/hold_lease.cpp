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
    watchdog_.emplace(command_);
    // If it ends at once, the next message notices it.
    if (!display_.empty())
        static_cast<void>(watchdog_->send(to_line({.kind = Kind::display, .display = display_})));
}

void HoldLease::hold(std::vector<ReleaseCode> codes) {
    if (!watchdog_) return;
    if (watchdog_->has_answered() && latest_.kind == Kind::hold) {
        latest_ = {};
        throw Error(errc::interrupted,
                    "this program was stopped or did not continue for 400 ms while it held keys or "
                    "buttons, and its watchdog released them");
    }
    latest_ = {.kind = Kind::hold, .codes = std::move(codes)};
    tell();
}

void HoldLease::renew() {
    if (latest_.kind == Kind::hold) hold(latest_.codes);
}

void HoldLease::note(std::vector<ReleaseCode> held, std::span<const ReleaseCode> passing) noexcept {
    if (!watchdog_) return;
    latest_ = {.kind = held.empty() ? Kind::rest : Kind::hold, .codes = std::move(held)};
    try {
        latest_.codes.insert(latest_.codes.end(), passing.begin(), passing.end());
        // A watchdog that has ended is noticed before the next press.
        static_cast<void>(watchdog_->send(to_line(latest_)));
    } catch (...) { // NOLINT(bugprone-empty-catch): out of memory; the watchdog releases too much
    }
}

void HoldLease::tell() {
    const std::string line = to_line(latest_);
    if (watchdog_->send(line)) return;
    start();
    if (watchdog_->send(line)) return;
    throw Error(errc::launch_failed,
                "the watchdog \"" + command_.front() + "\" ends as soon as it is started");
}

} // namespace eyehand::winio
