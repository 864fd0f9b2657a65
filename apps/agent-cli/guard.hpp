// The guard of a run, from settings, flags and files.
#pragma once

#include "eyehand/agent/guard.hpp"
#include "eyehand/session/config.hpp"
#include "settings.hpp"

#include <filesystem>

namespace eyehand::cli {

/// The level that the settings `guard` and `approve` choose: the stricter one.
[[nodiscard]] agent::GuardLevel guard_level(const session::Config& config);

/// The administrator's rules for all users of this machine; the file need not exist.
[[nodiscard]] std::filesystem::path administrator_rules();

/// A guard with the rules of the administrator and of the user's files. Throws UsageError if a file
/// cannot be read or is not valid.
[[nodiscard]] agent::Guard make_guard(agent::GuardLevel level, const GuardFlags& flags);

} // namespace eyehand::cli
