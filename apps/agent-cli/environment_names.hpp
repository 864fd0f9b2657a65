// Lists environment variables.
#pragma once

#include <string>
#include <vector>

namespace eyehand::cli {

/// The names of the variables that begin with EYEHAND_.
[[nodiscard]] std::vector<std::string> environment_names();

} // namespace eyehand::cli
