// Releases what another process has pressed. Each back-end implements it.
#pragma once

#include "watchdog/hold.hpp"

#include <memory>
#include <span>
#include <string>

namespace eyehand::winio {

class InputReleaser {
public:
    virtual ~InputReleaser() = default;
    /// Releases those that are pressed. Ignores errors: a watchdog can do nothing more.
    virtual void release(std::span<const ReleaseCode> codes) = 0;
};

} // namespace eyehand::winio
