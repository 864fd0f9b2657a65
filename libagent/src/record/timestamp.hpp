// The time stamp of logs.
#pragma once

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <string>

namespace eyehand::agent {

/// Now, in UTC: "2026-01-31T12:00:00Z".
[[nodiscard]] inline std::string timestamp() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr)));
}

} // namespace eyehand::agent
