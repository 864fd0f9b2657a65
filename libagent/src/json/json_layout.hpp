// Indented JSON with one member per line.
#pragma once

#include "json/json.hpp"

#include <string>

namespace eyehand::agent {

[[nodiscard]] std::string laid_out(const json::value& value);

} // namespace eyehand::agent
