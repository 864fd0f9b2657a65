// Tells the watchdog of a desktop what is held. Not thread-safe, like the desktop.
#pragma once

#include "watchdog/helper_process.hpp"
#include "watchdog/hold.hpp"

#include <optional>
#include <span>
#include <string>
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
    /// A sign of life while something is held, otherwise without effect. Throws what `hold` throws.
    void renew();
    /// To be called after input: these are held now. `passing` were pressed, too, and the system may
    /// still have to process their releases.
    void note(std::vector<ReleaseCode> held, std::span<const ReleaseCode> passing = {}) noexcept;

private:
    void start();
    void tell();

    std::vector<std::string> command_;
    std::string display_;
    std::optional<HelperProcess> watchdog_{};
    HoldMessage latest_{};
};

} // namespace eyehand::winio
