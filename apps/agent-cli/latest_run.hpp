// Finds the run that a command without a run directory means.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace eyehand::cli {

/// The run directory run_NNNN in `parent` with the highest number, of those for which `wanted`
/// returns true. Empty if no such run exists.
[[nodiscard]] std::filesystem::path
latest_run(const std::string& parent,
           const std::function<bool(const std::filesystem::path&)>& wanted);

} // namespace eyehand::cli
