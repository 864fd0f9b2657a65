// The guard of a run, from settings, flags and files.
#pragma once

#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/session/config.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "settings.hpp"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

namespace eyehand::cli {

/// The level that the settings `guard` and `approve` choose: the stricter one.
[[nodiscard]] agent::GuardLevel guard_level(const session::Config& config);

/// The administrator's rules for all users of this machine; the file need not exist. Empty if the system does
/// not tell the folder.
[[nodiscard]] std::filesystem::path administrator_rules();

/// The user's rules for all runs; the file need not exist. Empty without a configuration folder.
[[nodiscard]] std::filesystem::path user_rules();

/// A guard with the rules of the administrator and of the user's files. Throws UsageError if a file
/// cannot be read or is not valid, or if other users can change the file of `user_rules`.
[[nodiscard]] agent::Guard make_guard(agent::GuardLevel level, const GuardFlags& flags);

/// Asks the guard whether a command of the user may be carried out, and the user if a rule requires it.
/// Returns nothing, and prints the reason, if not; otherwise a check that withholds input from other
/// windows than those of the decision. It refers to `desktop`, and is empty without a guard.
[[nodiscard]] std::optional<winio::CheckBatch>
permit(const winio::Plan& plan, winio::Desktop& desktop, const winio::AreaChoice& choice,
       const winio::WorkArea& area, const GuardFlags& flags, const std::stop_token& stop);

/// Records the user's files of rules in the settings of a run.
void put_rules(std::vector<agent::Setting>& settings, const GuardFlags& flags);

} // namespace eyehand::cli
