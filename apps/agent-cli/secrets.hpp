// The secrets of a run, from the file that the user names.
#pragma once

#include "eyehand/agent/run.hpp"
#include "eyehand/agent/secrets.hpp"

#include <string>
#include <vector>

namespace eyehand::cli {

/// Reads a file of secrets, and asks on the terminal for those that the user enters. Without a file,
/// the result is empty. With one, this process leaves no core dump, which would contain the values.
/// Throws UsageError for a file that is not valid.
[[nodiscard]] agent::Secrets read_secrets(const std::string& file);

/// Records the names of the secrets in the settings of a run.
void put_secrets(std::vector<agent::Setting>& settings, const agent::Secrets& secrets);

} // namespace eyehand::cli
